"""Mutated files, read in this process: each gives a robot or one of Kinetree's errors, in bounded time and memory.

A case is known by a seed and a number alone. What watches the opening of files can't be taken away again, so that this
runs in a process of its own.
"""

from __future__ import annotations

import base64
import contextlib
import math
import os
import re
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
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.parameter import bound

# of the processor, for one file read, written and read again: 0.005 s is usual, 0.25 s the most that was seen
SECONDS = 2.0
HANGS = 60  # s of the clock, after which a reader is stopped
# files are below 100 kB; their elements and numbers take a hundred times that at most
MEMORY = 64 * 2**20  # bytes that the process may grow by
TRACED = 200  # one in so many is read with every allocation counted
PEAK = 16 * 2**20  # bytes of allocations for one file
MESSAGE = 100_000  # characters; some messages list names, and a mutated name may have 25,000
WRITTEN = 20  # one in so many of the robots is written as URDF, which is slow
MOVED = 3  # and moved
MODERATE = 1e40  # robots of smaller numbers than this have finite forces
FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "urllib.", "exec")
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")


def mutation(seed: int, number: int) -> tuple[Source, bytes]:
    random = Random(f"files {seed} {number}")
    source = random.choice(sources()[random.choice(sorted(sources()))])
    return source, mutated(random, source.content, source.suffix)


def checksum(seed: int, first: int, count: int) -> int:
    """A checksum of some mutations."""
    found = 0
    for number in range(first, first + count):
        found = zlib.crc32(mutation(seed, number)[1], found)
    return found


def data(seed: int, number: int) -> dict[str, Any]:
    """All that is needed to read a mutation again."""
    source, content = mutation(seed, number)
    text = base64.b64encode(content).decode()
    return {
        "kind": "files",
        "seed": seed,
        "number": number,
        "source": source.name,
        "suffix": source.suffix,
        "content": text,
    }


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
            # an import looks again into folders of modules that have changed
            if path and not self._is_allowed(path) and not (event == "os.listdir" and self._is_importing()):
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


class FileCases:
    """Reads mutated files in a folder."""

    def __init__(self, seed: int, folder: Path) -> None:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ModelWarning)
        signal.signal(signal.SIGALRM, _stop)
        self.seed, self.folder = seed, folder / "model"
        self.tally: Counter[str] = Counter()
        self.content, self.part = 0, b""
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
        source, content = mutation(self.seed, number)
        self.content = zlib.crc32(content, self.content)
        return self._checked(source, content, number)

    def replay(self, case: dict[str, Any]) -> str | None:
        """What is wrong with a case that was kept."""
        group = sources().get(case["suffix"], ())
        known = next((x for x in group if x.name == case["source"]), Source(case["source"], case["suffix"], b""))
        wrong = [self._checked(known, base64.b64decode(case["content"]), number) for number in range(WRITTEN * MOVED)]
        return next((x for x in wrong if x), None)

    def _checked(self, source: Source, content: bytes, number: int) -> str | None:
        before = time.process_time()
        if number % TRACED == 0:
            tracemalloc.start()
        try:
            signal.alarm(HANGS)
            self._read(source, content, number)
        except BaseException:
            return traceback.format_exc(limit=-12)
        finally:
            signal.alarm(0)
            self.watch.on = False
            peak = tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else 0
            tracemalloc.stop()
        seconds = time.process_time() - before
        self.tally["files"] += 1
        wrong: list[str] = []
        if seconds > SECONDS * (10 if peak else 1):  # counting allocations is slow
            wrong.append(f"it took {seconds:.2f} s")
        if peak > PEAK or _resident() - self.start > MEMORY:
            wrong.append(f"it took {peak} bytes, the process grew by {_resident() - self.start}")
            self.start = _resident()
        if self.watch.seen:
            wrong.append(f"outside of its folder: {self.watch.seen}")
            self.watch.seen.clear()
        return "; ".join(wrong) or None

    def _read(self, source: Source, content: bytes, number: int) -> None:
        path = self.folder / f"model{source.suffix}"
        path.write_bytes(content if source.main is None else source.main)
        part = common_files()["part.xml"] if source.main is None else content
        if part != self.part:
            self.part = part
            (self.folder / "part.xml").write_bytes(part)
        options: dict[str, Any] = {"packages": [self.folder]} if source.options else {}
        if source.suffix != ".json":
            options["strict"] = number % 2 == 0
        if hasattr(self, "watch"):
            self.watch.on = True
        try:
            robot = kt.Robot.from_file(path, **options)
            self._use(robot, number)
            self.tally["robots"] += 1
        except KinetreeError as error:
            self.tally["refused"] += 1
            if not 0 < len(str(error)) < MESSAGE:
                raise AssertionError(f"a message of {len(str(error))} characters") from error
            if not str(error).replace("\n", "").isprintable():
                raise AssertionError("a message with characters that do not print") from error
        finally:
            if hasattr(self, "watch"):
                self.watch.on = False

    def _use(self, robot: kt.Robot, number: int) -> None:
        """What can be done with a robot without compiling anything."""
        for part in (repr(robot), robot.check(), robot.parameters, robot.fingerprint, robot.frames):
            if part is None:
                raise AssertionError("a robot without a description")
        text = robot.to_json()
        if kt.Robot.from_json(text) != robot:
            raise AssertionError("written as JSON and read again, it is another robot")
        if number % WRITTEN == 0:
            robot.to_urdf()
        if number % MOVED == 0 and robot.nbodies <= 40:
            _move(robot, max((abs(float(x)) for x in NUMBER.findall(text)), default=0.0))


def _move(robot: kt.Robot, largest: float) -> None:
    """Its forces are finite where its numbers are known and moderate, and nothing is wrong with it."""
    numbers = {name: 0.7 if p.default is None else p.default for name, p in robot.parameters.items()}
    moved = bound(robot, numbers) if numbers else robot
    # a formula of parameters may be anything at arbitrary values
    good = not numbers and largest < MODERATE and not any(finding.severity == "error" for finding in moved.check())
    try:
        forces = inverse_dynamics(moved, [*moved.neutral_coordinates], [0.3] * moved.nv, [-0.1] * moved.nv)
    except ArithmeticError:
        if good:
            raise
    else:
        if good and not all(map(math.isfinite, forces)):
            raise AssertionError(f"the forces {forces} of a robot of numbers up to {largest} are not finite")


def _resident() -> int:
    """The most memory that this process had so far, in bytes; 0 where nobody says it."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _stop(*_: Any) -> None:
    raise _TooLong(f"stopped after {HANGS} s")
