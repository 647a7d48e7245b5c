"""The tables of docs/comparison.md, from what the workers found."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.machine import processor
from benchmarks.peers.environments import KINETREE, PEERS
from benchmarks.peers.protocol import FUNCTIONS
from benchmarks.table import lines

Found = Mapping[str, Mapping[str, Any]]  # by the key of a peer: what its worker wrote, or its error
TRUSTED = 1e-4  # relative difference of results, above which a time is not shown; finite differences stay below


def sections(found: Mapping[str, Found]) -> dict[str, list[str]]:
    """What stands in each place of the page; ``found`` by robot, then by peer."""
    return {
        "libraries": [*_libraries(found)],
        "values": [*_differences(found)],
        "times": [part for robot, of in found.items() for part in (f"### {robot}", *_times(of))],
        "first calls": [_first_calls(found)],
    }


def _libraries(found: Mapping[str, Found]) -> Iterator[str]:
    rows, missing = [], []
    for peer in (KINETREE, *PEERS):
        results = [of[peer.key] for of in found.values() if peer.key in of]
        versions = next((r["versions"] for r in results if "versions" in r), None)
        if versions is None:
            errors = [r["error"] for r in results if r.get("error")]
            missing.append(f"- {peer.name}: {errors[0] if errors else 'was not run'}")
            continue
        ways = dict.fromkeys(f["how"] for r in results for f in r.get("functions", {}).values() if "how" in f)
        rows.append([peer.name, ", ".join(f"{k} {v}" for k, v in versions.items()), peer.note, "; ".join(ways)])
    cores, system = os.cpu_count(), f"{platform.system()} {platform.machine()}"
    yield f"{processor()}, {cores} cores, {system}, Python {platform.python_version()}."
    yield "\n".join(lines(["", "versions", "how it is used", "batch"], rows, left=4))
    if missing:
        yield "Not measured:\n\n" + "\n".join(missing)


def _differences(found: Mapping[str, Found]) -> Iterator[str]:
    """How far each peer's results are from Kinetree's."""
    rows = []
    for peer in PEERS:
        row: list[object] = [peer.name]
        for of in found.values():
            figures = [[difference(of, peer.key, what) for what in some] for some in (FUNCTIONS[:3], FUNCTIONS[3:])]
            largest = [max((x for x in some if x is not None), default=None) for some in figures]
            row.append(", ".join("-" if x is None else f"{x:.0e}" for x in largest))
        rows.append(row)
    yield _table(["", *found], rows)
    errors = [
        f"- {peer.name}, {robot}{where}: {message}"
        for robot, of in found.items()
        for peer in PEERS
        for where, message in _errors(of.get(peer.key, {}))
    ]
    if errors:
        yield "What did not run:\n\n" + "\n".join(errors)


def _errors(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "versions" in result and result.get("error"):
        yield "", result["error"]
    for what, function in result.get("functions", {}).items():
        if "error" in function:
            yield f", {what}", function["error"]


def difference(of: Found, key: str, what: str) -> float | None:
    """The largest difference of a peer's results from Kinetree's, relative to the largest number; None without."""
    ours, theirs = (of.get(k, {}).get("functions", {}).get(what, {}).get("values") for k in (KINETREE.key, key))
    if ours is None or theirs is None:
        return None
    pairs = [(np.array(a), np.array(b)) for a, b in zip(ours, theirs)]
    return max(float(abs(a - b).max() / abs(a).max()) if a.shape == b.shape else np.inf for a, b in pairs)


def _times(of: Found) -> Iterator[str]:
    for key, head, scale in (("single", "one state, us", 1e6), ("batch", "of 4096 states, ns", 1e9)):
        rows = [
            [peer.name, *(_time(of, peer.key, what, key, scale) for what in FUNCTIONS)]
            for peer in (KINETREE, *PEERS)
            if of.get(peer.key, {}).get("functions")
        ]
        yield _table([head, *FUNCTIONS], rows)


def _time(of: Found, peer: str, what: str, key: str, scale: float) -> str:
    quartiles = of[peer]["functions"].get(what, {}).get(key)
    if quartiles is None:
        return "-"
    if (difference(of, peer, what) or 0.0) > TRUSTED:
        return "other values"
    low, median, high = (_three_digits(x * scale) for x in quartiles)
    return f"{median} ({low}-{high})"


def _three_digits(x: float) -> str:
    """A number with three digits that count, without exponents."""
    decimals = max(0, 2 - int(np.floor(np.log10(x))))
    return f"{x:,.{decimals}f}" if x < 1000 else f"{round(x, 2 - int(np.floor(np.log10(x)))):,.0f}"


def _first_calls(found: Mapping[str, Found]) -> str:
    rows = []
    for peer in (KINETREE, *PEERS):
        cells = []
        for of in found.values():
            functions = of.get(peer.key, {}).get("functions", {}).values()
            seconds = [f["first"] for f in functions if "first" in f]
            cells.append(f"{sum(seconds):.2f}" if seconds else "-")
        rows.append([peer.name, *cells])
    return _table(["s", *found], rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "\n".join(lines(header, rows))
