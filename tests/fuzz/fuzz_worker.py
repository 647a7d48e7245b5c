"""Runs a block of cases in a process of its own, which may die of one: what it is at is in a file that another reads.

python fuzz_worker.py files|graphs SEED FIRST COUNT FOLDER     the cases FIRST, FIRST + 1, ...; a tally as JSON
python fuzz_worker.py CASE FOLDER                              a case that was kept
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Any

FIELDS = ("number", "since", "stop", "failures", "files", "robots", "graphs", "states", "numbers", "exact", "open")
WORKER = Path(__file__)
STATUS = "status"  # the name of that file: an integer for each field


class Status:
    """The integers that two processes share."""

    def __init__(self, folder: Path) -> None:
        file, size = folder / STATUS, 8 * len(FIELDS)
        if not file.exists():
            file.write_bytes(bytes(size))
        with file.open("r+b") as stream:
            self._map = mmap.mmap(stream.fileno(), size)

    def __getitem__(self, field: str) -> int:
        return struct.unpack_from("q", self._map, 8 * FIELDS.index(field))[0]

    def __setitem__(self, field: str, value: int) -> None:
        struct.pack_into("q", self._map, 8 * FIELDS.index(field), value)


def cases_of(kind: str, seed: int, folder: Path) -> Any:
    if kind == "files":
        from file_cases import FileCases as Cases
    else:
        from graph_cases import GraphCases as Cases
    return Cases(seed, folder)


def data_of(kind: str, seed: int, number: int) -> dict[str, Any]:
    if kind == "files":
        from file_cases import data
    else:
        from graph_cases import data
    return data(seed, number)


def save(kept: Path, case: dict[str, Any], wrong: str) -> Path:
    """Keep a case, and what is wrong with it."""
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / f"{case['kind']}-{case['seed']}-{case['number']}.json"
    path.write_text(json.dumps({**case, "wrong": wrong}, indent=1), encoding="utf-8")
    return path


def block(kind: str, seed: int, first: int, count: int, folder: Path) -> int:
    """Run some cases; those that fail are kept in the folder."""
    status = Status(folder)
    status["number"], status["since"] = first, int(time.monotonic())
    cases = cases_of(kind, seed, folder)
    wrong = []
    for number in range(first, first + count):
        if status["stop"]:
            break
        status["number"], status["since"] = number, int(time.monotonic())
        if message := cases.run(number):
            kept = save(folder / "kept", data_of(kind, seed, number), message)
            wrong.append(f"{kept}: {message}")
            status["failures"] += 1
        for field in FIELDS[4:]:
            status[field] = cases.tally[field]
    print(json.dumps({**cases.tally, "content": getattr(cases, "content", 0), "wrong": wrong}))
    return 1 if wrong else 0


def replay(file: Path, folder: Path) -> int:
    case = json.loads(file.read_text(encoding="utf-8"))
    wrong = cases_of(case["kind"], case["seed"], folder).replay(case)
    print(wrong or "nothing is wrong with it")
    return 1 if wrong else 0


if __name__ == "__main__":
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    if len(sys.argv) == 3:
        sys.exit(replay(Path(sys.argv[1]), Path(sys.argv[2])))
    sys.exit(block(sys.argv[1], *map(int, sys.argv[2:5]), Path(sys.argv[5])))
