"""Reads mutated files in a process of its own, because what watches the opening of files can't be taken away again.

``PYTHONPATH=tests python tests/model/read_mutations.py FOLDER FIRST COUNT`` reads the mutations FIRST, FIRST + 1, ... A
mutation is known by its number alone; the file of one that fails is kept in the folder, beside a message that names it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import sysconfig
import time
import traceback
import tracemalloc
import warnings
import zlib
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from fuzz_files import Source, common_files, sources
from mutations import mutated

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

# of the processor, for one file read twice, written and read again: 0.01 s is usual, 0.25 s the most that was seen
SECONDS = 2.0
HANGS = 60  # s of the clock, after which a reader is stopped
# files are below 100 kB; their elements and numbers take a hundred times that at most
MEMORY = 64 * 2**20  # bytes that the process may grow by
TRACED = 25  # one in so many is read with every allocation counted
PEAK = 16 * 2**20  # bytes of allocations for one file
MESSAGE = 100_000  # characters; some messages list names, and a mutated name may have 25,000
WRITTEN = 20  # one in so many of the robots is written as URDF, which is slow
FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "urllib.", "exec")


def mutation(number: int) -> tuple[Source, bytes]:
    random = Random(number)
    source = random.choice(sources()[random.choice(sorted(sources()))])
    return source, mutated(random, source.content, source.suffix)


def checksum(before: int, number: int) -> int:
    """A checksum of a mutation and those before it."""
    return zlib.crc32(mutation(number)[1], before)


class Watch:
    """Notes every file that is opened outside of a folder, and whatever else no reader has a reason to do."""

    def __init__(self, folder: Path) -> None:
        self.on = False
        self.seen: list[str] = []
        self.inside = str(folder.resolve())
        # modules of Python that are loaded when they are needed, such as those of encodings
        self.library = str(Path(sysconfig.get_paths()["stdlib"]).resolve())
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in ("open", "os.listdir", "os.scandir"):
            path = os.path.realpath(os.fsdecode(args[0])) if isinstance(args[0], str | bytes | os.PathLike) else ""
            if path and not self._is_allowed(path):
                self.seen.append(f"{event} {os.path.basename(path)}")
        elif event.startswith(FORBIDDEN) and not (event == "exec" and self._is_importing()):
            self.seen.append(f"{event} {args[:1]!r}")

    def _is_allowed(self, path: str) -> bool:
        return path.startswith(self.inside) or (path.startswith(self.library) and "site-packages" not in path)

    def _is_importing(self) -> bool:
        frame = sys._getframe(2)
        while frame is not None and "importlib" not in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None


class _TooLong(BaseException):
    """A reader that had to be stopped."""


class Fuzz:
    """Reads mutated files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.kept, self.folder = folder, folder / "model"
        self.tally: Counter[str] = Counter()
        self.content, self.part = 0, b""
        self.slowest = self.peak = 0.0
        for name, content in {**common_files(), "../secret.xml": b"<mujocoinclude/>"}.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        with contextlib.suppress(OSError):
            (self.folder / "link.xml").symlink_to(folder / "secret.xml")
        for group in sources().values():  # whatever is loaded on the way is loaded now
            for number, source in enumerate(group):
                self._read(source, source.content, number)
        self.tally.clear()
        self.watch = Watch(self.folder)
        self.start = _resident()

    def run(self, number: int) -> str | None:
        """What is wrong with a mutation."""
        source, content = mutation(number)
        self.content = zlib.crc32(content, self.content)
        before = time.process_time()
        if number % TRACED == 0:
            tracemalloc.start()
        try:
            signal.alarm(HANGS)
            self._read(source, content, number)
        except BaseException:
            return self._report(number, source, content, traceback.format_exc(limit=-12))
        finally:
            signal.alarm(0)
            self.watch.on = False
            peak = tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else 0
            tracemalloc.stop()
        seconds = time.process_time() - before
        self.slowest, self.peak = max(self.slowest, seconds), max(self.peak, peak)
        wrong: list[str] = []
        if seconds > SECONDS * (10 if peak else 1):  # counting allocations is slow
            wrong.append(f"it took {seconds:.2f} s")
        if peak > PEAK or _resident() - self.start > MEMORY:
            wrong.append(f"it took {peak} bytes, the process grew by {_resident() - self.start}")
        if self.watch.seen:
            wrong.append(f"outside of its folder: {self.watch.seen}")
            self.watch.seen.clear()
        return self._report(number, source, content, "; ".join(wrong)) if wrong else None

    def _read(self, source: Source, content: bytes, number: int) -> None:
        path = self.folder / f"model{source.suffix}"
        path.write_bytes(content if source.main is None else source.main)
        part = common_files()["part.xml"] if source.main is None else content
        if part != self.part:
            self.part = part
            (self.folder / "part.xml").write_bytes(part)
        options = {"packages": [self.folder]} if source.options else {}
        for strict in (True, False):
            if hasattr(self, "watch"):
                self.watch.on = True
            try:
                robot = kt.Robot.from_file(path, **options, **({} if source.suffix == ".json" else {"strict": strict}))
                self._use(robot, number)
                self.tally["robots"] += 1
            except KinetreeError as error:
                self.tally["refused"] += 1
                if not 0 < len(str(error)) < MESSAGE:
                    raise AssertionError(f"a message of {len(str(error))} characters") from error
            finally:
                if hasattr(self, "watch"):
                    self.watch.on = False

    def _use(self, robot: kt.Robot, number: int) -> None:
        """What can be done with a robot without compiling anything."""
        for part in (repr(robot), robot.check(), robot.parameters, robot.fingerprint, robot.frames):
            if part is None:
                raise AssertionError("a robot without a description")
        if kt.Robot.from_json(robot.to_json()) != robot:
            raise AssertionError("written as JSON and read again, it is another robot")
        if number % WRITTEN == 0:
            robot.to_urdf()

    def _report(self, number: int, source: Source, content: bytes, what: str) -> str:
        kept = self.kept / f"mutation-{number}{source.suffix}"
        kept.write_bytes(content)
        return f"mutation {number} of {source.name} ({source.suffix}), kept as {kept}:\n{what}"


def _resident() -> int:
    """The most memory that this process had so far, in bytes; 0 where nobody says it."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _stop(*_: Any) -> None:
    raise _TooLong(f"stopped after {HANGS} s")


def main(folder: str, first: str, count: str) -> int:
    """Read a block of mutations; print what went wrong, or how many robots there were."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ModelWarning)
    signal.signal(signal.SIGALRM, _stop)
    fuzz = Fuzz(Path(folder))
    wrong = [x for number in range(int(first), int(first) + int(count)) if (x := fuzz.run(number))]
    most = {"slowest": fuzz.slowest, "peak": fuzz.peak, "grown": _resident() - fuzz.start}
    print("\n\n".join(wrong) or json.dumps({**fuzz.tally, **most, "content": fuzz.content}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
