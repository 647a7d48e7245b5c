"""Fuzzing: mutated model files, and random graphs in every layout, as long as there is time.

``make fuzz SECONDS=600 SEED=1`` runs processes that read files and processes that compile graphs; one that dies, hangs
or takes too much memory is noticed and replaced. A failing case is kept in a folder, and ``make fuzz CASE=file`` runs
it again. Ctrl-C ends a run early; everything up to then counts. A seed and a number stand for the same case always.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz_worker import FIELDS, WORKER, Status, data_of, save

BLOCK = {"files": 5000, "graphs": 150}  # cases of one process; code is not freed before its end
HANGS = {"files": 90, "graphs": 300}  # s, after which a case is taken to hang
SHARES = {"files": 1, "states": 1000}  # how many states there are for each file
MEMORY = 4 * 2**30  # bytes that a process may have
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # files that are never written to a disk
PATIENCE = 20  # s for a case to end when the time is over
SHOWN = 10  # s between two lines of progress


class Worker:
    """A process with a block of cases, which is replaced when it has ended."""

    def __init__(self, seed: int, kept: Path) -> None:
        self.kind, self.seed, self.kept = "", seed, kept
        self.total: Counter[str] = Counter()
        self.process: subprocess.Popen[str] | None = None
        self.folder = Path()

    def start(self, kind: str, first: int) -> None:
        self.kind, self.folder = kind, Path(tempfile.mkdtemp(prefix="kinetree-fuzz-", dir=FOLDER))
        self.status = Status(self.folder)
        self.status["since"] = int(time.monotonic())
        command = [sys.executable, "-X", "utf8", str(WORKER), self.kind]
        command += [str(x) for x in (self.seed, first, BLOCK[self.kind], self.folder)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "KINETREE_CACHE_DIR": ""}
        with (self.folder / "said").open("w") as said:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, text=True, env=environment)

    def counts(self) -> Counter[str]:
        """What was done so far."""
        now = Counter({field: self.status[field] for field in FIELDS[3:]}) if self.process else Counter[str]()
        return self.total + now

    def check(self) -> bool:
        """Whether the process has ended; a case that it died of, or that was ended here, is kept."""
        if self.process is None:
            return True
        code, why = self.process.poll(), ""
        if code is None:
            if time.monotonic() - self.status["since"] > HANGS[self.kind]:
                why = f"it takes longer than {HANGS[self.kind]} s"
            elif _resident(self.process.pid) > MEMORY:
                why = f"the process has more than {MEMORY} bytes"
            if not why:
                return False
            self.process.kill()
            self.process.wait()
        elif code not in (0, 1):
            why = f"the process ended with {code}: {(self.folder / 'said').read_text()[-4000:]}"
        self.end(why)
        return True

    def end(self, why: str = "") -> None:
        """Count what was done; keep the case that the process is at, if anything is wrong with it."""
        for case in (self.folder / "kept").glob("*"):
            self.kept.mkdir(parents=True, exist_ok=True)
            print(f"fuzz: kept {shutil.move(case, self.kept / case.name)}", flush=True)
        if why:
            case = save(self.kept, data_of(self.kind, self.seed, self.status["number"]), why)
            print(f"fuzz: kept {case}: {why[:200]}", flush=True)
            self.status["failures"] += 1
        self.total = self.counts()
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)


def _resident(pid: int) -> int:
    """The memory of a process in bytes; 0 where nobody says it."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, ValueError):
        return 0


def run(seconds: float, seed: int, count: int, only: str | None, kept: Path) -> int:
    workers = [Worker(seed, kept) for _ in range(count)]
    position = dict.fromkeys(BLOCK, 0)
    began, shown, ending = time.monotonic(), 0.0, "in"
    try:
        while (passed := time.monotonic() - began) < seconds:
            for worker in workers:
                if worker.check():
                    kind = only or _behind(workers)
                    worker.start(kind, position[kind])
                    position[kind] += BLOCK[kind]
            if passed - shown >= SHOWN:
                shown = passed
                print(f"fuzz: {_line(workers)} after {passed:.0f} of {seconds:.0f} s", flush=True)
            time.sleep(0.2)
    except KeyboardInterrupt:
        ending = "interrupted after"
    _stop(workers)
    passed = time.monotonic() - began
    print(f"fuzz: seed {seed}: {_line(workers)} {ending} {passed:.0f} s", flush=True)
    return 1 if sum(worker.counts()["failures"] for worker in workers) else 0


def _stop(workers: list[Worker]) -> None:
    """End all processes after the cases that they are at, or after a while."""
    for worker in workers:
        if worker.process:
            worker.status["stop"] = 1
    until = time.monotonic() + PATIENCE
    for worker in workers:
        while not worker.check():
            time.sleep(0.05)
            if worker.process and time.monotonic() > until:
                worker.process.kill()
                worker.process.wait()
                worker.end()


def _behind(workers: list[Worker]) -> str:
    """What there is too little of; while nothing is known, some of each."""
    counts = sum((worker.counts() for worker in workers), Counter[str]())
    if not counts["files"] or not counts["states"]:
        return "graphs" if any(worker.kind == "files" for worker in workers) else "files"
    return "files" if counts["files"] * SHARES["states"] < counts["states"] * SHARES["files"] else "graphs"


def _line(workers: list[Worker]) -> str:
    counts = sum((worker.counts() for worker in workers), Counter[str]())
    exact = counts["exact"] / max(1, counts["numbers"])
    unknown = counts["open"] / max(1, counts["numbers"])
    return (
        f"{counts['files']:,} files ({counts['robots']:,} robots), {counts['graphs']:,} graphs, {counts['states']:,} "
        f"states ({exact:.0%} of the numbers bit for bit, {unknown:.0%} undetermined), {counts['failures']} failures"
    )


def replay(case: Path) -> int:
    """Run a case that was kept, in a process that may die of it."""
    with tempfile.TemporaryDirectory(prefix="kinetree-fuzz-") as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "KINETREE_CACHE_DIR": ""}
        code = subprocess.run([sys.executable, "-X", "utf8", WORKER, case, folder], env=environment).returncode
    print(f"fuzz: {case}: {'passes' if code == 0 else 'fails' if code == 1 else f'the process ended with {code}'}")
    return 0 if code == 0 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--seed", type=int, default=0, help="which cases")
    parser.add_argument("--workers", type=int, default=0, help="processes; as many as there are cores by default")
    parser.add_argument("--only", choices=tuple(BLOCK), help="files or graphs alone")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-kept"), help="the folder of failing cases")
    parser.add_argument("--case", type=Path, help="run this case alone")
    given = parser.parse_args()
    if given.case:
        return replay(given.case)
    count = given.workers or os.cpu_count() or 1
    return run(given.seconds, given.seed, count, given.only, given.kept)


if __name__ == "__main__":
    sys.exit(main())
