"""Which code of the package runs: a digest of its files, as long as these are the files that were imported.

Machine code on the disk is kept under this digest. The files are read when it is first asked for, not while they are
imported: so none of them may have changed since the import began, by the time that the system notes for a change
(ctime) and nobody can set, and their folder must be the same one. Who keeps anything under the digest asks for that
again, because more modules may have been imported meanwhile.

Python does not notice a change within a second that leaves the size of a file as it was, and goes on with its old
bytecode. Bytecode that is older than its source and that Python would take is therefore part of the digest.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import cache
from operator import attrgetter

_TICK = 10_000_000  # nanoseconds by which the times of files may be late
_IMPORTED = time.time_ns() - _TICK
_CHANGED = attrgetter("st_ctime_ns" if os.name == "posix" else "st_mtime_ns")  # Windows has no time of a change
_CHUNK = 2**15  # bytes to read at once: for more, memory would be asked of the system each time
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_FOLDER = _PLACE = os.path.dirname(os.path.abspath(__file__))
while not os.path.exists(_PLACE) and os.path.dirname(_PLACE) != _PLACE:  # in a zip file, which is the place then
    _PLACE = os.path.dirname(_PLACE)
_IDENTITY = os.path.exists(_PLACE) and os.stat(_PLACE)[1:3]  # inode and device


@cache
def digest() -> str:
    """The same for the same code; nobody else's where the files are not those that were imported."""
    import hashlib  # loads OpenSSL: not at the start

    content, sizes, states = hashlib.sha256(), list[tuple[str, int, int]](), list[os.stat_result]()
    with contextlib.suppress(OSError):  # something was removed meanwhile
        for path in _files():
            source, state = _read(path)
            bytecode = _older_bytecode(path, state)
            content.update(source)
            content.update(bytecode)
            sizes.append((path[len(_PLACE) :], len(source), len(bytecode)))
            states.append(state)
        content.update(repr(sizes).encode())
        if _imported(states):
            return content.hexdigest()
    return os.urandom(32).hex()


def unchanged() -> bool:
    """Whether the files are still those that were imported."""
    with contextlib.suppress(OSError):
        return _imported([os.stat(path) for path in _files()])
    return False


def _imported(states: list[os.stat_result]) -> bool:
    return bool(states) and max(map(_CHANGED, states)) < _IMPORTED and os.stat(_PLACE)[1:3] == _IDENTITY


def _files() -> Iterator[str]:
    """What Python reads when it imports the package: sources, or bytecode without sources; or an archive of them."""
    if os.path.isfile(_PLACE):
        yield _PLACE
    folders = [_FOLDER] if _PLACE == _FOLDER else []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda x: x.name):
                if entry.name.endswith((".py", ".pyc")):
                    yield entry.path
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)


def _read(path: str) -> tuple[bytes, os.stat_result]:
    """The content of a file, and its state after it was read."""
    handle = os.open(path, _READ)
    try:
        parts = [os.read(handle, _CHUNK)]
        while len(parts[-1]) == _CHUNK:
            parts.append(os.read(handle, _CHUNK))
        return parts[0] if len(parts) == 1 else b"".join(parts), os.fstat(handle)
    finally:
        os.close(handle)


def _older_bytecode(path: str, source: os.stat_result) -> bytes:
    """Bytecode that was written before its source was changed last, and that Python takes all the same."""
    folder, _, name = path.rpartition(os.sep)
    begin, end = _bytecode_names(folder)
    try:
        if not name.endswith(".py") or _CHANGED(os.stat(begin + name[:-3] + end)) > _CHANGED(source):
            return b""
        content, _ = _read(begin + name[:-3] + end)
    except OSError:
        return b""
    # after its magic number: flags, time and size of the source; or the flag that the source is never looked at
    header = b"".join((x & 0xFFFFFFFF).to_bytes(4, "little") for x in (0, int(source.st_mtime), source.st_size))
    return content if content[4:16] == header or content[4:8] == b"\1\0\0\0" else b""


@cache
def _bytecode_names(folder: str) -> tuple[str, str]:
    """How the names of the bytecode of a folder's sources begin and end."""
    from importlib.util import cache_from_source

    begin, _, end = cache_from_source(os.path.join(folder, "_.py")).rpartition("_.")
    return begin, f".{end}"
