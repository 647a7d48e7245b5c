"""A folder whose files only this user can have written, and the files in it.

The folder is opened once and its files are reached through it, so that nothing changes when another folder takes its
name meanwhile. No link is followed, no pipe is waited for. Folder and files must belong to this user, and nobody else
may write to them; then it does not matter who may write to the folders above. Windows has no such descriptors: what
lies in the profile of a user is private there by its access lists, and elsewhere it is for the user to see to that.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from kinetree.errors import InputError

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)
DRAFT = r"\.writing-[0-9a-z_]{8,16}"  # the names of files that are not finished, also of earlier versions


class PrivateFolder:
    """An open folder; see `opened`. On Windows it has no descriptor."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path, self.descriptor = path, descriptor

    def read(self, name: str, largest: int) -> bytes:
        """The content of a file, which counts as used now; refuses what is no plain file of this user's."""
        place = self.path / name
        try:
            handle = os.open(self._place(name), _READ, dir_fd=self.descriptor)
        except OSError:
            if os.path.islink(place):
                raise InputError(f"{place} is a symbolic link; it is not used, and is replaced") from None
            raise
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or not _is_private(status) or status.st_size > largest:
                why = f"is not a plain file of at most {largest} bytes that only you can write"
                raise InputError(f"{place} {why}; it is not used, and is replaced")
            with contextlib.suppress(OSError):
                os.utime(handle if os.utime in os.supports_fd else place)
            return os.read(handle, status.st_size)
        finally:
            os.close(handle)

    def write(self, name: str, content: bytes) -> None:
        """Make or replace a file: whole or not at all. Where the process is killed, a draft may stay."""
        draft = f".writing-{os.urandom(8).hex()}"
        try:
            handle = os.open(self._place(draft), _MAKE, 0o600, dir_fd=self.descriptor)
            try:
                left = memoryview(content)
                while left:
                    left = left[os.write(handle, left) :]
            finally:
                os.close(handle)
            places, folder = (self._place(draft), self._place(name)), self.descriptor
            os.replace(*places, src_dir_fd=folder, dst_dir_fd=folder)
        except PermissionError:
            self.remove(draft)
            if self.descriptor is not None or not (self.path / name).exists():
                raise
            # on Windows another process reads or writes the file just now: it is there already
        except BaseException:
            self.remove(draft)
            raise

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and can be removed."""
        with contextlib.suppress(OSError):
            os.unlink(self._place(name), dir_fd=self.descriptor)

    def states(self) -> Iterator[tuple[str, os.stat_result]]:
        """All names, with their states."""
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # other processes remove files too
                    yield entry.name, entry.stat(follow_symlinks=False)

    def _place(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[PrivateFolder]:
    """A folder that only this user can write to; refuses any other one."""
    if os.path.islink(path):
        raise InputError(f"{path} is a symbolic link and is not used; give the folder itself, by KINETREE_CACHE_DIR")
    if os.name != "posix":
        yield PrivateFolder(path, None)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    try:
        if not _is_private(os.fstat(descriptor)):
            raise InputError(
                f"{path} is not used: it belongs to another user, or others may write to it and may have put code"
                " there; delete it, and a private one is made"
            )
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def _is_private(status: os.stat_result) -> bool:
    """Whether it belongs to this user, and nobody else may write to it."""
    if os.name != "posix":
        return True
    own = status.st_uid == os.getuid() == os.geteuid()
    return own and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
