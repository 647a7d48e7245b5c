"""Gait: what is gained and what is lost where a weight of the cost varies: ``python -m benchmarks.gait_trade_offs``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.table import show

if TYPE_CHECKING:
    from kinetree.gait.realism import Realism

RATE, WORK = "rate of the ground force", "work"  # in the names of terms
_SLACKS = 0.5, 2.0  # mm


def run() -> None:
    """Three tables."""
    for name, factors in ((RATE, (0.25, 1.0, 4.0)), (WORK, (0.5, 1.0, 1.5))):
        show(f"Weight of: {name}", _HEADER, [_measured(name, factor) for factor in factors])
    show("How far a foot in contact may be from its place", _CONVERGENCE, [_converged(slack) for slack in _SLACKS])


_HEADER = [
    "weight, times", "rise of the centre of mass at 0.8 m/s [mm]", "at 1.2 m/s", "peaks at 1.2 m/s [BW]",
    "ankle at 1.2 m/s, RMS [deg]",
]  # fmt: skip
_CONVERGENCE = ["[mm]", "effort at 10 points", "at 14", "falls by [%]", "knee correlation", "knee, RMS [deg]"]


@contextmanager
def weighted(name: str, factor: float) -> Iterator[None]:
    """The natural formulation with a multiple of the weights of terms with a name."""
    from kinetree.gait.formulation import FORMULATIONS, NATURAL

    terms = tuple(replace(x, weight=x.weight * (factor if x.name.startswith(name) else 1.0)) for x in NATURAL.terms)
    FORMULATIONS["natural"] = replace(NATURAL, terms=terms)
    try:
        yield
    finally:
        FORMULATIONS["natural"] = NATURAL


def _measured(name: str, factor: float) -> list[str]:
    from kinetree.gait import predict

    with weighted(name, factor):
        slow, usual = (predict(speed, progress=False).realism() for speed in (0.8, 1.2))
    rises = [f"{found['centre of mass up and down'].value:.1f}" for found in (slow, usual)]
    peaks = (usual[f"{which} vertical peak"].value for which in ("first", "second"))
    return [f"{factor:g}", *rises, ", ".join(f"{x:.2f}" for x in peaks), f"{_rms(usual, 'ankle'):.1f}"]


def _converged(slack: float) -> list[str]:
    from kinetree.gait import limits, predict

    usual, limits.SLACK = limits.SLACK, 1e-3 * slack
    try:
        coarse, fine = (predict(control_points=n, progress=False) for n in (10, 14))
    finally:
        limits.SLACK = usual
    efforts = [coarse.effort, fine.effort]
    found = fine.realism()
    falls = f"{100.0 * (1.0 - efforts[1] / efforts[0]):.1f}"
    knee = f"{found['correlation of knee angle'].value:.3f}", f"{_rms(found, 'knee'):.1f}"
    return [f"{slack:g}", *(f"{x:.4f}" for x in efforts), falls, *knee]


def _rms(found: Realism, joint: str) -> float:
    return found[f"RMS error of {joint} angle"].value


if __name__ == "__main__":
    run()
