"""Files are written whole or not at all, only plain files are replaced, and what is wrong is an error of the tree."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree import files
from kinetree.errors import InputError
from kinetree.identify import Data
from kinetree.view import Picture, Report

LONGEST = 255  # bytes of a name on the file systems of all three platforms
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- whole or not at all -----------------------------------------------------------------------------------------------


def test_a_file_is_written_in_folders_that_are_made(tmp_path):
    path = files.write(tmp_path / "new" / "folder" / "a.txt", b"all")
    assert path.is_absolute()
    assert path.read_bytes() == b"all"
    assert files.write(str(path), b"other").read_bytes() == b"other"
    assert names(path.parent) == ["a.txt"]


@pytest.mark.parametrize("event", [KeyboardInterrupt, ZeroDivisionError, SystemExit])
def test_what_was_there_stays_when_writing_is_interrupted(event, tmp_path):
    files.write(tmp_path / "a.txt", b"precious")

    def half(name: str) -> None:
        with files.whole(tmp_path / name) as file:
            file.write(b"half")
            raise event

    for name in ("a.txt", "b.txt"):
        with pytest.raises(event):
            half(name)
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"precious"


@pytest.mark.parametrize("moment", ["fsync", "replace", "chmod"])
def test_a_full_disk_is_an_input_error_and_leaves_nothing(moment, tmp_path, monkeypatch):
    files.write(tmp_path / "a.txt", b"precious")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, moment, fail)
    with pytest.raises(InputError, match=r"a\.txt can't be written: No space left"):
        files.write(tmp_path / "a.txt", b"new")
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"precious"


def test_an_error_of_the_stream_itself_is_reported_too(tmp_path):
    class Column(list[float]):
        def __getitem__(self, index: Any) -> Any:
            raise OSError("quota")

    with pytest.raises(InputError, match="can't be written: quota"):
        files.write_csv(tmp_path / "a.csv", {"x": Column([1.0])})
    assert names(tmp_path) == []


def test_several_files_are_written_together_or_not_at_all(tmp_path):
    (tmp_path / "b.txt").mkdir()
    with pytest.raises(InputError, match="is a folder"), files.together([tmp_path / "a.txt", tmp_path / "b.txt"]):
        pass
    assert names(tmp_path) == ["b.txt"]
    with files.together([tmp_path / "a.txt", tmp_path / "c.txt"]) as (a, c):
        a.write(b"1")
        c.write(b"2")
        assert not (tmp_path / "a.txt").exists()
    assert [(tmp_path / name).read_bytes() for name in ("a.txt", "c.txt")] == [b"1", b"2"]


@posix
def test_new_files_have_the_permissions_of_the_process_and_old_ones_keep_theirs(tmp_path):
    before = os.umask(0o027)
    try:
        path = files.write(tmp_path / "a.txt", b"")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        files.write(path, b"more")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


@posix
def test_a_link_stays_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/real")
    for text in (b"new", b"again"):  # first where there is no file yet
        assert files.write(tmp_path / "link", text) == tmp_path / "link"
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "real").read_bytes() == text
    assert names(tmp_path / "folder") == ["real"]


@pytest.fixture
def foreign(monkeypatch):
    """Links that belong to another user, by their names."""
    found: set[str] = set()
    lstat = os.lstat

    def of_another(path: Any, **options: Any) -> os.stat_result:
        status = lstat(path, **options)
        mine = os.path.basename(os.fspath(path)) not in found
        return status if mine else os.stat_result((*status[:4], status.st_uid + 1, *status[5:]))

    monkeypatch.setattr(os, "lstat", of_another)
    return found


@posix
@pytest.mark.parametrize("chain", [["link"], ["own", "link"]], ids=["direct", "behind a link of one's own"])
def test_a_link_of_another_user_in_a_shared_folder_is_not_followed(chain, tmp_path, foreign):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "own").symlink_to("shared/link")
    (tmp_path / "shared" / "link").symlink_to("../precious")
    path = tmp_path / chain[0] if len(chain) > 1 else tmp_path / "shared" / "link"
    foreign.add("link")
    for write in (lambda: files.write(path, b"new"), lambda: files.check_place(path)):
        with pytest.raises(InputError, match="a link of another user in a shared folder, and is not followed"):
            write()
    assert (tmp_path / "precious").read_bytes() == b"mine"
    foreign.clear()  # one's own
    files.write(path, b"new")
    assert (tmp_path / "precious").read_bytes() == b"new"
    foreign.add("link")
    (tmp_path / "shared").chmod(0o755)  # nobody else can have put it there but the owner of the folder
    files.write(path, b"newer")
    assert (tmp_path / "precious").read_bytes() == b"newer"


@posix
def test_a_link_that_comes_up_meanwhile_is_replaced_not_followed(tmp_path):
    (tmp_path / "precious").write_bytes(b"mine")
    with files.whole(tmp_path / "a.txt") as file:
        file.write(b"new")
        (tmp_path / "a.txt").symlink_to("precious")
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert (tmp_path / "a.txt").read_bytes() == b"new"


@posix
def test_what_many_links_lead_to_is_not_looked_for(tmp_path):
    for k in range(50):
        (tmp_path / f"link{k}").symlink_to(f"link{k + 1}")
    with pytest.raises(InputError, match="can't be written"):
        files.write(tmp_path / "link0", b"1")


# -- places ------------------------------------------------------------------------------------------------------------


@posix
def test_a_pipe_is_not_replaced_not_even_behind_a_link(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(InputError, match="is not a plain file, and is not replaced"):
            files.write(tmp_path / name, b"")
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["link", "pipe"]


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_devices_and_sockets_are_not_replaced(kind, tmp_path, monkeypatch):
    path, real = tmp_path / "device", os.stat
    path.write_bytes(b"here")

    def mocked(place: Any, *args: Any, **options: Any) -> os.stat_result:
        found = real(place, *args, **options)
        return os.stat_result((kind | 0o666, *found[1:])) if str(place) == str(path) else found

    monkeypatch.setattr(os, "stat", mocked)
    with pytest.raises(InputError, match="is not a plain file"):
        files.write(path, b"")
    monkeypatch.undo()
    assert path.read_bytes() == b"here"


@posix
def test_nothing_is_written_among_devices_whatever_is_there(tmp_path, monkeypatch):
    """Where the standard output is a file, the name of its stream leads to a plain one."""
    monkeypatch.setattr(files, "_SYSTEM", re.compile(re.escape(str(tmp_path / "dev"))))
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "stdout").write_bytes(b"here")
    (tmp_path / "link").symlink_to("dev/stdout")
    for name in ("dev/stdout", "dev/new", "link"):
        with pytest.raises(InputError, match="is not a plain file"):
            files.write(tmp_path / name, b"")
    assert names(tmp_path / "dev") == ["stdout"]
    assert (tmp_path / "dev" / "stdout").read_bytes() == b"here"


@pytest.mark.parametrize(
    ("folder", "system"),
    [("/dev", True), ("/dev/fd", True), ("/proc/self/fd", True), ("/sys", True), ("/dev/shm", False), ("/devs", False)],
)
def test_the_folders_of_devices_are_known(folder, system):
    assert bool(files._SYSTEM.fullmatch(folder)) == system


def test_a_path_below_a_file_and_missing_folders_are_refused_before_any_work(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="file is not a folder"):
        files.check_place(tmp_path / "file" / "below" / "a.txt")
    with pytest.raises(InputError, match=r"there is no folder '.*nowhere' to write it in; make it first"):
        files.check_place(tmp_path / "nowhere" / "a.txt", folders=False)
    assert files.check_place(tmp_path / "nowhere" / "a.txt") == tmp_path / "nowhere" / "a.txt"
    assert names(tmp_path) == ["file"]


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # who is root may write everywhere
    with pytest.raises(InputError, match=r"can't be written: the folder .* may not be written to"):
        files.write(tmp_path / "a.txt", b"")
    assert names(tmp_path) == []


@posix
def test_any_name_that_the_system_takes_will_do(tmp_path):
    for name in ("x" * LONGEST, "\u00e9" * (LONGEST // 2), ".hidden", "with space", "-"):
        assert files.write(tmp_path / name, b"1").read_bytes() == b"1"
    with pytest.raises(InputError, match="can't be written: File name too long"):
        files.write(tmp_path / ("x" * (LONGEST + 1)), b"1")


@posix
def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="can't be written"):
        files.write(tmp_path / "a", b"1")


# -- everything public that takes a path -------------------------------------------------------------------------------

ARM = kt.robots.two_link()
T, Q = np.arange(20) / 100.0, np.zeros((20, 2))


@cache
def motion() -> kt.Motion:
    return kt.simulate(ARM, [0.0, 0.5], [0.0, 0.0], 0.02, dt=0.01)


@cache
def plan() -> kt.plan.Plan:
    return kt.plan.minimum_effort(ARM, q0=[0.0, 0.0], q1=[0.1, 0.1], duration=1.0, control_points=6)


WRITERS: dict[str, Callable[[Any], Any]] = {
    "Motion.save": lambda path: motion().save(path),
    "Motion.to_csv": lambda path: motion().to_csv(path),
    "Motion.report": lambda path: motion().report(path),
    "Picture.save": Picture("Title", 10, 10).save,
    "Report.write": Report("Title").write,
    "Plan.save": lambda path: plan().save(path),
    "Plan.report": lambda path: plan().report(path),
    "Data.to_csv": Data(T, Q, Q).to_csv,
    "Code.write": kt.export.Code("f", "c", {"f.c": "int f;"}).write,
}
READERS: dict[str, Callable[[Any], Any]] = {
    "Motion.load": kt.Motion.load,
    "Plan.load": kt.plan.Plan.load,
    "Gait.load": kt.gait.Gait.load,
    "Excitation.load": kt.identify.Excitation.load,
    "Fit.load": kt.identify.Fit.load,
    "Payload.load": kt.identify.Payload.load,
    "Data.from_csv": lambda path: Data.from_csv(path, ARM),
    "Sweep.load": kt.gait.Sweep.load,
}
WRONG: tuple[Any, ...] = (None, 3, 3.5, b"name.svg", ["name.svg"], "", "a\0b.svg", "\ud800.svg", "y" * 300 + ".svg")


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda x: repr(x)[:12])
def test_what_is_no_name_is_refused_by_every_writer(name, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        WRITERS[name](wrong)
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_refuses_a_path_below_a_file(name, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="is not a folder"):
        WRITERS[name](tmp_path / "file" / "a.svg")


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("wrong", [*WRONG, "nowhere", "."], ids=lambda x: repr(x)[:12])
def test_what_is_no_name_is_refused_by_every_reader(name, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        READERS[name](wrong)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "large").write_bytes(b"12345")
    assert files.read(tmp_path / "large", 5, "ours") == b"12345"
    with pytest.raises(InputError, match="larger than the 4 bytes that a file of ours may have"):
        files.read(tmp_path / "large", 4, "ours")


def test_broken_archives_are_no_motions(tmp_path):
    path = WRITERS["Motion.save"](tmp_path / "motion.npz")
    content = path.read_bytes()
    for k in range(0, len(content), 97):
        path.write_bytes(content[:k] + bytes([content[k] ^ 0xFF]) + content[k + 1 :])
        with contextlib.suppress(InputError):  # but nothing else
            kt.Motion.load(path)
        path.write_bytes(content[:k])
        with pytest.raises(InputError):
            kt.Motion.load(path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(InputError, match=r"Motion\.save"):
        kt.Motion.load(tmp_path / "array.npy")


def test_only_one_module_replaces_files():
    """Nothing else replaces files; the disk cache, which is the package's own, has its own way."""
    root = Path(kt.__file__).parent
    call = re.compile(r"\bos\.(replace|rename|link)\b")
    found = {file.relative_to(root).as_posix() for file in root.rglob("*.py") if call.search(file.read_text("utf-8"))}
    assert found == {"files.py", "runtime/private_folder.py"}
