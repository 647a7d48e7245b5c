"""Object code on disk, so that the next process need not compile.

A file is a magic line, the SHA-256 of the rest, and the code. It is written under another name and moved into place;
it is read only if nobody but this user can have written it (`private_folder`); what does not match its hash is compiled
anew and replaced. Nothing is forced onto the disk: what a crash of the machine cuts short does not match its hash.
Trouble with the cache is at most a warning.

``KINETREE_CACHE_DIR`` chooses the folder; an empty value switches the cache off.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kinetree import sources
from kinetree.errors import CacheWarning, InputError
from kinetree.runtime.private_folder import DRAFT, PrivateFolder, opened

_VARIABLE = "KINETREE_CACHE_DIR"
_MAGIC = b"kinetree object code 1\n"
_LIMIT = 512 * 1024 * 1024  # bytes; the files used longest ago go first
_SHARE = 16  # looks at all files, which may be many, while as much as the limit is stored, on average
_LARGEST = 64 * 1024 * 1024  # bytes of code in a file
_NAME = r"[0-9a-f]{64}\.o"  # of a file
_STALE = 3600  # seconds after which nobody is writing any more
_SWITCHED_OFF: list[bool] = []
_HEAD = len(_MAGIC) + hashlib.sha256().digest_size  # bytes before the code


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
    try:
        with opened(directory) as files:
            content = files.read(f"{key}.o", _HEAD + _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except InputError as error:
        return _warn(str(error))
    except OSError as error:
        return _warn(f"could not read {directory / key}.o: {error}")
    code = content[_HEAD:]
    if content[:_HEAD] != _MAGIC + _digest(key, code):
        return _warn(f"{directory / key}.o is damaged and is replaced")
    return code


def store(key: str, code: bytes) -> None:
    """Keep the code under a key; a folder that can't be written is only a warning."""
    directory = folder()
    if directory is None or len(code) > _LARGEST or not sources.unchanged():
        return
    content = _MAGIC + _digest(key, code) + code
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened(directory) as files:
            if int.from_bytes(os.urandom(8), "little") % _LIMIT < _SHARE * len(content):
                _prune(files, _LIMIT - len(content))
            files.write(f"{key}.o", content)
    except InputError as error:
        _warn(str(error))
    except OSError as error:
        _warn(f"could not write to {directory}: {error}; set KINETREE_CACHE_DIR to a folder that can be written")


def _digest(key: str, code: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + code).digest()


def _prune(files: PrivateFolder, limit: int) -> None:
    """Remove the files used longest ago until the rest is within the limit, and what killed processes left."""
    found: list[tuple[float, int, str]] = []
    for name, status in files.states():
        if re.fullmatch(_NAME, name):
            found.append((status.st_mtime, status.st_size, name))
        elif re.fullmatch(DRAFT, name) and abs(time.time() - status.st_mtime) > _STALE:
            files.remove(name)
    excess = sum(size for _, size, _ in found) - limit
    for _, size, name in sorted(found):
        if excess <= 0:
            break
        files.remove(name)
        excess -= size


@cache
def _warn(message: str) -> None:
    """Each message once in a process."""
    warnings.warn(f"the cache of compiled code: {message}", CacheWarning, stacklevel=2)


# -- keys --------------------------------------------------------------------------------------------------------------


def digest(text: str) -> str:
    """A key."""
    return hashlib.sha256(text.encode()).hexdigest()


def package() -> str:
    """Changes with every change of the package's own code."""
    return sources.digest()
