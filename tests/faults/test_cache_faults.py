"""The disk cache when the system fails: whatever call fails, is cut short, interrupted or killed, code is right.

After each fault, in this process and in the next one, a load gives the code that was stored or nothing; what was stored
before is still there; nothing but a warning is raised; and no file that was not finished stays for ever.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_os import FaultyOs

from kinetree import sources
from kinetree.errors import CacheWarning
from kinetree.runtime import cache, private_folder

posix = pytest.mark.skipif(os.name != "posix", reason="needs fork")
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.ENOENT)
OLD, NEW, NONE = (cache.digest(name) for name in ("old", "new", "none"))
CODE = {OLD: b"old" * 1000, NEW: b"new" * 2000}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store looks at all files of the folder, and not at those of the package."""
    monkeypatch.setattr(cache, "_SHARE", cache._LIMIT)
    monkeypatch.setattr(sources, "unchanged", lambda: True)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Path]]:
    """Makes folders with an entry, and a draft that a killed process left long ago."""
    made: list[Path] = []

    def folder() -> Path:
        place = tmp_path / str(len(made))
        made.append(place)
        monkeypatch.setenv("KINETREE_CACHE_DIR", str(place))
        cache.store(OLD, CODE[OLD])
        (place / ".writing-0123456789abcdef").write_bytes(b"half")
        os.utime(place / ".writing-0123456789abcdef", (0, 0))
        cache._warn.cache_clear()
        return place

    yield folder
    cache._warn.cache_clear()


def session() -> None:
    """What a process does: loads and stores, new entries and old ones."""
    for key in (OLD, NEW, NONE):
        assert cache.load(key) in (None, CODE.get(key))
    for key in (NEW, OLD):
        cache.store(key, CODE[key])
        assert cache.load(key) in (None, CODE[key])


def with_fault(system: FaultyOs, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CacheWarning)
        patch.setattr(private_folder, "os", system)
        session()


def drafts(place: Path) -> list[str]:
    return [path.name for path in place.iterdir() if path.suffix != ".o"]


def descriptors() -> int:
    """How many are open, where the system tells."""
    return len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0


def check(place: Path, *, killed: bool = False) -> None:
    """The next process: everything is right, and after some time nothing is left over."""
    assert cache.load(OLD) == CODE[OLD]
    assert cache.load(NEW) in (None, CODE[NEW])
    assert cache.load(NONE) is None
    for name in drafts(place) if killed else ():
        os.utime(place / name, (0, 0))
    cache.store(NEW, CODE[NEW])
    assert drafts(place) == []
    assert cache.load(OLD) == CODE[OLD]
    assert cache.load(NEW) == CODE[NEW]


@pytest.fixture
def calls(folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of a session without faults."""
    folders()
    system = FaultyOs()
    with_fault(system, monkeypatch)
    return system.made


def test_a_session_makes_every_kind_of_call(calls: list[str]) -> None:
    assert {*calls} == {"open", "fstat", "read", "write", "close", "replace", "unlink", "utime", "scandir"}


@pytest.mark.parametrize("when", ["before", "half", "after"])
@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_a_call_that_fails_is_only_a_warning(
    number: int, when: str, calls: list[str], folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for k, name in enumerate(calls):
        if when == "half" and name not in ("read", "write"):
            continue
        place, before = folders(), descriptors()
        with_fault(FaultyOs(k, OSError(number, os.strerror(number)), when), monkeypatch)
        assert descriptors() == before, f"call {k}, {name}, leaves a descriptor open"
        if name != "unlink":
            assert len(drafts(place)) <= 1  # the old one, where nobody looked
        check(place)


def test_bytes_that_come_in_parts_are_all_there(
    calls: list[str], folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for k, name in enumerate(calls):
        place = folders()
        with_fault(FaultyOs(k, "half"), monkeypatch)
        if name == "write":
            assert cache.load(NEW) == CODE[NEW]
        check(place)


@pytest.mark.parametrize("when", ["before", "half", "after"])
def test_an_interrupt_at_any_call_leaves_nothing_behind(
    when: str, calls: list[str], folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for k, name in enumerate(calls):
        place = folders()
        with pytest.raises(KeyboardInterrupt):
            with_fault(FaultyOs(k, KeyboardInterrupt(), when), monkeypatch)
        if name != "unlink":
            assert [x for x in drafts(place) if not x.endswith("0123456789abcdef")] == []
        check(place)


def forked(work: Callable[[], None]) -> int:
    """How a child of this process ended that did some work."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the child does nothing that threads could hinder
        child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return child


@posix
@pytest.mark.parametrize("when", ["before", "half", "after"])
def test_a_process_that_is_killed_at_any_call_leaves_a_good_cache(
    when: str, calls: list[str], folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for k, name in enumerate(calls):
        if when == "half" and name not in ("read", "write"):
            continue
        place = folders()
        child = forked(lambda k=k: with_fault(FaultyOs(k, "kill", when), monkeypatch))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        check(place, killed=True)


# -- many processes at once --------------------------------------------------------------------------------------------


def code_of(key: str) -> bytes:
    return key.encode() * random.Random(key).randrange(1, 300)


def crowd_member(seed: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads and stores under faults, until it is killed or has done all."""
    draw = random.Random(seed)
    warnings.simplefilter("ignore", CacheWarning)
    for _ in range(steps):
        fault = draw.choice([None, "half", "kill" if draw.random() < 0.05 else None, OSError(draw.choice(ERRORS), "")])
        system = FaultyOs(draw.randrange(12) if fault else -1, fault, draw.choice(["before", "after"]))
        monkeypatch.setattr(private_folder, "os", system)
        key = cache.digest(str(draw.randrange(20)))
        if cache.load(key) not in (None, code_of(key)):
            os._exit(3)
        if draw.random() < 0.5:
            cache.store(key, code_of(key))


def crowd(seed: int, processes: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    children = [forked(lambda k=k: crowd_member(seed + k, steps, monkeypatch)) for k in range(processes)]
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert {*ends} <= {0, -signal.SIGKILL}
    for k in range(20):
        key = cache.digest(str(k))
        assert cache.load(key) in (None, code_of(key))


@posix
@pytest.mark.parametrize("limit", [2**29, 60_000])  # all fits, or some of it
def test_processes_with_faults_do_not_harm_each_other(
    limit: int, folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folders()
    monkeypatch.setattr(cache, "_LIMIT", limit)
    crowd(0, 4, 100, monkeypatch)
    for name in drafts(place):
        os.utime(place / name, (0, 0))
    cache.store(OLD, CODE[OLD])
    assert drafts(place) == []
    assert sum(path.stat().st_size for path in place.iterdir()) <= limit


@posix
@pytest.mark.slow
def test_processes_with_faults_do_not_harm_each_other_for_long(
    folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders()
    for seed in range(0, 1000, 10):
        monkeypatch.setattr(cache, "_LIMIT", 2**29 if seed % 20 else 60_000)
        crowd(seed, 4, 300, monkeypatch)


# -- real code ---------------------------------------------------------------------------------------------------------

REAL = """
import sys
import numpy as np
import kinetree as kt
from faulty_os import FaultyOs
from kinetree.runtime import private_folder
import warnings
warnings.simplefilter("ignore")
number, fault, when = eval(sys.argv[1])
system = private_folder.os = FaultyOs(number, fault, when)
x = np.array([[1.0, 2.0], [3.0, 4.0]])
first = kt.compile(lambda x: [x[0] * 3.0 + x[1], x[0]], signature="(2)->(2)")(x)
again = kt.compile(lambda x: [x[0] * 3.0 + x[1], x[0]], signature="(2)->(2)")(x)
robot = kt.robots.two_link().mass_matrix(x)
print(len(system.made), (first.tobytes() + again.tobytes() + robot.tobytes()).hex())
"""


def real(*fault: Any) -> tuple[int, str]:
    """What a process prints that compiles, stores and loads under a fault, and how it ended."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    ran = subprocess.run([sys.executable, "-c", REAL, repr(fault)], env=environment, capture_output=True, text=True)
    assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
    return ran.returncode, ran.stdout


def real_sweep(folder: Path, stride: int) -> None:
    _, printed = real(-1, None, "before")
    count, right = int(printed.split()[0]), printed.split()[1]
    faults: list[Any] = [
        *((e, w) for e in (OSError(28, "full"), "kill") for w in ("before", "half", "after")),
        ("half", ""),
    ]
    for k in range(0, count * len(faults), stride):
        for path in folder.iterdir():
            path.unlink()
        code, printed = real(k // len(faults), *faults[k % len(faults)])
        assert code != 0 or printed.split()[1] == right
        assert real(-1, None, "before")[1].split()[1] == right


def test_numbers_are_right_under_some_faults(folders: Callable[[], Path]) -> None:
    real_sweep(folders(), 211)


@pytest.mark.slow
def test_numbers_are_right_under_all_faults(folders: Callable[[], Path]) -> None:
    real_sweep(folders(), 1)
