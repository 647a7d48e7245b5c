"""Files of the user: names that are checked, and contents that are written whole or not at all.

A file is written beside its place under another name and takes its place when everything went well, so that what was
there stays where something fails. Only plain files are replaced, never a device, a pipe or a folder. A link is followed
and what it leads to is replaced, but not where somebody else has put it into a folder that everybody may write to, such
as /tmp: it could lead to any file of the user's. A Linux with ``fs.protected_symlinks`` has the same rule, which holds
here on every POSIX system. Whatever is wrong with a name or a place becomes an `InputError`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from kinetree.errors import InputError

Name = str | os.PathLike[str]
_SYSTEM = re.compile(r"/dev(/fd)?|/(proc|sys)(/.*)?")  # folders of devices, and of the streams of processes
_MODE = 0o777  # of a file that is replaced, what its successor keeps
_LINKS = 40  # that lead from one to the next, as on Linux
_SHOWN = 300  # characters of a name that a message shows
_ROWS = 4096  # of a table that are written at once


@contextlib.contextmanager
def whole(path: Name) -> Iterator[IO[bytes]]:
    """A file to write into, which takes its place when everything went well; missing folders are made."""
    with together([path]) as (file,):
        yield file


@contextlib.contextmanager
def together(paths: Sequence[Name]) -> Iterator[list[IO[bytes]]]:
    """Files to write into, which take their places when everything went well; none does before all are written."""
    targets = [_target(path) for path in paths]
    drafts: list[Path] = []
    try:
        with contextlib.ExitStack() as stack:
            files: list[IO[bytes]] = []
            for path, target in zip(paths, targets):
                with _telling(path, "written"):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    drafts.append(target.with_name(f".kinetree.{secrets.token_hex(8)}.tmp"))
                    files.append(stack.enter_context(open(drafts[-1], "xb")))
            with _telling(paths[0], "written"):
                yield files
            for path, target, file in zip(paths, targets, files):
                with _telling(path, "written"):
                    _settle(file, target)
        for path, draft, target in zip(paths, drafts, targets):
            with _telling(path, "written"):
                os.replace(draft, target)
    finally:
        for draft in drafts:
            with contextlib.suppress(OSError):  # gone already where everything went well
                draft.unlink()


def write(path: Name, content: bytes) -> Path:
    """Write a file with this content, the whole of it or nothing; gives the absolute path."""
    with whole(path) as file:
        file.write(content)
    return Path(path).absolute()


def write_csv(path: Name, columns: Mapping[str, Any]) -> Path:
    """Write a table in UTF-8 with a header, the whole of it or nothing; gives the absolute path.

    Args:
        path: of the file; missing folders are made, an existing file is replaced.
        columns: arrays (n,) by the names in the header; numbers keep all their digits.
    """
    count = min(map(len, columns.values()), default=0)
    with whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(columns)
        for start in range(0, count, _ROWS):
            writer.writerows(zip(*(x[start : start + _ROWS].tolist() for x in columns.values())))
        text.flush()
        text.detach()
    return Path(path).absolute()


def check_place(path: Name, *, folders: bool = True) -> Path:
    """Refuse a place that no file can be written to, before any work; gives the absolute path.

    Args:
        path: of a file to write, which may exist.
        folders: whether missing folders will be made; else they are refused.
    """
    target = _target(path)
    if not folders and not target.parent.is_dir():
        raise InputError(f"{os.fspath(path)}: there is no folder {str(target.parent)!r} to write it in; make it first")
    return Path(path).absolute()


def check_name(path: object, done: str = "read") -> str:
    """The name of a file as a text; refuses what can't be one, in a sentence that says what can't be ``done``."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str):
        raise InputError(f"the name of a file is a text or a path, got {_cut(repr(path))}")
    if not name:
        raise InputError(f"the name of a file that is to be {done} is empty")
    try:
        good = b"\0" not in os.fsencode(name)
    except UnicodeError:
        good = False
    if not good:
        raise InputError(f"{_cut(repr(name))} can't be {done}: its name has a character that no file's name has")
    return name


def check_ending(path: Name, endings: Sequence[str]) -> None:
    """Refuse the name of a file that is to be written and ends otherwise."""
    if Path(check_name(path, "written")).suffix.lower() not in endings:
        raise InputError(f"{_cut(os.fspath(path))!r}: the name of the file ends in {' or '.join(endings)}")


@contextlib.contextmanager
def reading(path: Name) -> Iterator[None]:
    """Says in a sentence why a file can't be read."""
    check_name(path)
    with _telling(path, "read"):
        yield


def read(path: Name, largest: int, of: str) -> bytes:
    """The content of a file; refuses one with more bytes than a file ``of`` its kind may have."""
    with reading(path), open(path, "rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise InputError(f"{os.fspath(path)} is larger than the {largest} bytes that a file of {of} may have")
    return content


# -- places ------------------------------------------------------------------------------------------------------------


def _target(path: Name) -> Path:
    """Where to write: behind a link, at what it points to; refuses what is no plain file, or can't be."""
    name = check_name(path, "written")
    with _telling(path, "written"):
        place = Path(name).absolute()
        target = _followed(place)
        try:
            mode = os.stat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            mode = None
        if mode is not None and stat.S_ISDIR(mode):
            raise InputError(f"{name} is a folder; give the name of a plain file")
        system = any(_SYSTEM.fullmatch(x.parent.as_posix()) for x in (place, target))
        if system or (mode is not None and not stat.S_ISREG(mode)):
            raise InputError(f"{name} is not a plain file, and is not replaced; give another name")
        above = next(x for x in target.parents if x.exists())
        if not above.is_dir():
            raise InputError(f"{name} can't be written: {above} is not a folder")
        if not os.access(above, os.W_OK | os.X_OK):
            raise InputError(f"{name} can't be written: the folder {above} may not be written to")
    return target


def _followed(place: Path) -> Path:
    """What a name leads to, link by link; refuses the links of others in folders where everybody may put one."""
    if os.name != "posix":
        return Path(os.path.realpath(place))
    for _ in range(_LINKS):
        folder = os.path.realpath(place.parent)
        place = Path(folder, place.name)
        try:
            leads = os.readlink(place)
        except OSError:  # not a link
            return place
        above, link = os.stat(folder), os.lstat(place)
        shared = above.st_mode & stat.S_ISVTX and above.st_mode & stat.S_IWOTH
        if shared and link.st_uid not in (os.geteuid(), above.st_uid):
            raise InputError(f"{place} is a link of another user in a shared folder, and is not followed")
        place = Path(folder, leads)
    raise InputError(f"{place} can't be written: it is one of more than {_LINKS} links")


def _settle(file: IO[bytes], target: Path) -> None:
    """All bytes to the disk, and the permissions of the file that is replaced."""
    file.flush()
    os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):  # a new file has those that the process gives
        os.chmod(file.name, stat.S_IMODE(os.stat(target).st_mode) & _MODE)


@contextlib.contextmanager
def _telling(path: Name, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{_cut(os.fspath(path))} can't be {done}: {error.strerror or error}") from error


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
