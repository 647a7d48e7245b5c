"""Object code on disk, so that the next process need not compile.

A file is a magic line, the SHA-256 of the rest, and the code. It is written under another name and moved into place;
it is read only from a folder that belongs to this user and that nobody else may write; what does not match its hash
is compiled anew. Trouble with the cache is at most a warning.

``KINETREE_CACHE_DIR`` chooses the folder; an empty value switches the cache off.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kinetree.errors import CacheWarning

_VARIABLE = "KINETREE_CACHE_DIR"
_MAGIC = b"kinetree object code 1\n"
_LIMIT = 512 * 1024 * 1024  # bytes; the files used longest ago go first
_WRITING = ".writing-"  # how the names of files begin that are not finished
_STALE = 3600  # seconds after which nobody is writing any more
_SWITCHED_OFF: list[bool] = []
_HASH = hashlib.sha256().digest_size


def folder() -> Path | None:
    """Where the code is kept; None when switched off."""
    chosen = os.environ.get(_VARIABLE)
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        if sys.platform == "win32":
            home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            home = Path.home() / "Library" / "Caches"
        else:
            home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in some containers
        _warn("this user has no home folder; set KINETREE_CACHE_DIR to a folder that can be written")
        return None
    return Path(home) / "kinetree"


@contextlib.contextmanager
def switched_off() -> Iterator[None]:
    """Compile for real: nothing from the disk or from other robots, and nothing kept on the disk."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = ""
    _SWITCHED_OFF.append(True)
    try:
        yield
    finally:
        _SWITCHED_OFF.pop()
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def is_switched_off() -> bool:
    """Whether code shall be compiled for real."""
    return bool(_SWITCHED_OFF)


def load(key: str) -> bytes | None:
    """The code stored under a key, or None."""
    directory = folder()
    if directory is None:
        return None
    path = directory / f"{key}.o"
    try:
        if not path.exists() or not _is_private(directory):
            return None
        content = path.read_bytes()
        with contextlib.suppress(OSError):
            os.utime(path)
    except OSError as error:
        _warn(f"could not read {path}: {error}")
        return None
    head, code = content[: len(_MAGIC) + _HASH], content[len(_MAGIC) + _HASH :]
    if head != _MAGIC + _digest(key, code):
        _warn(f"{path} is damaged and is replaced")
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    return code


def store(key: str, code: bytes) -> None:
    """Keep the code under a key; a folder that can't be written is only a warning."""
    directory = folder()
    if directory is None:
        return
    temporary = None
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(directory):
            return
        handle, temporary = tempfile.mkstemp(dir=directory, prefix=_WRITING)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _digest(key, code) + code)
        os.replace(temporary, directory / f"{key}.o")
        temporary = None
        _prune(directory)
    except OSError as error:
        _warn(f"could not write to {directory}: {error}; set KINETREE_CACHE_DIR to a folder that can be written")
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _digest(key: str, code: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + code).digest()


def _is_private(directory: Path) -> bool:
    """Whether only this user can put code there."""
    if os.name != "posix":
        return True
    status = directory.stat()
    if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn(f"{directory} is not used: it belongs to another user, or others may write to it; chmod 700 mends it")
        return False
    return True


def _prune(directory: Path) -> None:
    """Remove the files used longest ago until the rest is within the limit, and what killed processes left."""
    files: list[tuple[float, int, Path]] = []
    for path in directory.iterdir():
        with contextlib.suppress(OSError):  # other processes prune too
            status = path.stat()
            if path.suffix == ".o":
                files.append((status.st_mtime, status.st_size, path))
            elif path.name.startswith(_WRITING) and status.st_mtime < time.time() - _STALE:
                path.unlink()
    excess = sum(size for _, size, _ in files) - _LIMIT
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        excess -= size


@cache
def _warn(message: str) -> None:
    """Each message once in a process."""
    warnings.warn(f"the cache of compiled code: {message}", CacheWarning, stacklevel=2)


# -- keys --------------------------------------------------------------------------------------------------------------


def digest(text: str) -> str:
    """A key."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def package() -> str:
    """Changes with the version of the package and with every change of its own files."""
    from kinetree import __version__

    root = Path(__file__).parents[1]
    files = [(str(p.relative_to(root)), p.stat()) for p in sorted(root.rglob("*.py"))]
    return digest(repr((__version__, [(name, s.st_size, s.st_mtime_ns) for name, s in files])))
