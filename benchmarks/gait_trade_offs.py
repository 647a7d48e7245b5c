"""Gait: what keeps a few control points from the effort of many: ``python -m benchmarks.gait_trade_offs``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from benchmarks.table import show

if TYPE_CHECKING:
    from kinetree.gait import Gait

FEW, MANY = 10, 14  # control points
_WIDER = 2.0  # mm, how far a foot in contact may be from its place
_FIRST, _LAST, _GAIN = 0.04, 0.005, 1e-4  # how far knots are moved, and what is less of the effort
_EDGE = 0.02  # how near to an end they come


def run() -> None:
    """One table."""
    rows = [
        _converged("as it is", predicted),
        _converged(f"feet within {_WIDER:g} mm of their places", predicted, wider(1e-3 * _WIDER)),
        _converged("work costs nothing", predicted, without("work")),
        _converged(f"knots of {FEW} points sought freely", _with_best_knots),
    ]
    header = ["", f"effort at {FEW} points", f"at {MANY}", "falls by [%]", f"knee at {MANY}, RMS [deg]",
              "rise of the centre of mass [mm]"]  # fmt: skip
    show("Few control points at 1.2 m/s", header, rows)


def predicted(points: int, **options: Any) -> Gait:
    from kinetree.gait import predict

    return predict(control_points=points, progress=False, **options)


def _converged(name: str, few: Callable[[int], Gait], changed: Any = None) -> list[str]:
    with changed or nullcontext():
        coarse, fine = few(FEW), predicted(MANY)
        found = fine.realism()
    falls = f"{100.0 * (1.0 - fine.effort / coarse.effort):.1f}"
    measures = (found[what].value for what in ("RMS error of knee angle", "centre of mass up and down"))
    return [name, f"{coarse.effort:.4f}", f"{fine.effort:.4f}", falls, *(f"{x:.1f}" for x in measures)]


@contextmanager
def wider(slack: float) -> Iterator[None]:
    """The natural formulation with other room for feet in contact [m]."""
    from kinetree.gait import limits

    with patch.object(limits, "SLACK", slack):
        yield


@contextmanager
def without(name: str) -> Iterator[None]:
    """The natural formulation without the weights of terms whose names begin so."""
    from kinetree.gait.formulation import FORMULATIONS, NATURAL

    terms = tuple(replace(x, weight=0.0) if x.name.startswith(name) else x for x in NATURAL.terms)
    with patch.dict(FORMULATIONS, natural=replace(NATURAL, terms=terms)):
        yield


def _with_best_knots(points: int) -> Gait:
    """The walk on the knots where its effort is least, moved one at a time from the usual ones."""
    from kinetree.gait import step

    best = predicted(points)
    knots = [float(s) for s in best.step.knots]
    moves = [_FIRST] * len(knots)
    while max(moves) > _LAST:
        for k, move in enumerate(moves):
            for way in (move, -move):
                moved = sorted([*knots[:k], float(np.clip(knots[k] + way, _EDGE, 1.0 - _EDGE)), *knots[k + 1 :]])
                with patch.object(step, "nested_knots", lambda *_, moved=moved: tuple(moved)):
                    gait = predicted(points, start=best)
                if gait.ok and gait.effort < (1.0 - _GAIN) * best.effort:
                    best, knots, moves[k] = gait, moved, 1.5 * move
                    break
            else:
                moves[k] = 0.5 * move
    return best


if __name__ == "__main__":
    run()
