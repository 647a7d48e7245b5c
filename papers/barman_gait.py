"""Barman, chapter V: one step of normal walking, from q = 0."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from kinetree.gait.limits import COLLOCATION
from kinetree.plan.transcriber import Transcriber
from papers.figure import Figure

SPEED, LENGTH = 1.2, 0.6  # m/s, m
ACTIVE = 1e-3  # of the scale of a constraint: so near its bound it counts as active; the tolerance of the thesis
_CALL = '`kt.gait.predict(formulation="thesis")` in papers/barman_gait.py, tests/gait/test_gait.py'
_DATA = (
    "not reproducible: tables, masses, limits, contact points and times are not given; body, phases and grid "
    "are our own"
)
_TIME = "on this machine, its functions compiled before; the thesis: SNOPT on a Xeon E-2186G at 3.8 GHz"
_DRAWN = "drawn without numbers in the thesis, so only shapes can be compared; our body is another"


def step() -> kt.gait.Gait:
    """The prediction, with nothing left to compile."""
    kt.gait.predict(SPEED, LENGTH, formulation="thesis", callback=lambda *_: False, progress=False)
    return kt.gait.predict(SPEED, LENGTH, formulation="thesis", progress=False)


def active(gait: kt.gait.Gait) -> int:
    """How many constraints are active at the first collocation points; equations of symmetry always are."""
    transcriber = Transcriber(gait.step.problem())
    path = transcriber.path_constraints(transcriber.refinement(COLLOCATION).s)
    x = np.r_[gait.control_points.ravel(), gait.step.duration]
    inequalities = 0 if path is None else int((path.used & (path.violation(x) >= -ACTIVE)).sum())
    return inequalities + sum(block.count for block in transcriber.point_blocks)


def figures() -> list[Figure]:
    """Those of chapter V."""
    gait = step()
    sizes = f"{gait.counts['variables']} ({gait.counts['free variables']} not frozen), {gait.counts['constraints']}"
    return [
        Figure("Barman", "gait, 55 joints: variables, constraints", "330, 1726", sizes, _CALL, _DATA),
        Figure("Barman", "gait: active constraints", "244", f"{active(gait)}", _CALL, _DATA),
        Figure("Barman", "gait: time of the optimisation [s]", "34.10", f"{gait.seconds:.1f}", _CALL, _TIME),
        Figure("Barman", "gait: optimality, feasibility", "1e-3", f"1e-6, {gait.violation:.1e}", _CALL, _DATA),
        *_drawn(gait),
    ]


def _drawn(gait: kt.gait.Gait) -> list[Figure]:
    """Figures 5.3 to 5.5; 5.2 has the snapshots, `Gait.snapshots` draws ours."""
    angles, ground, inside = gait.angles(), gait.ground_forces(), gait.joint_forces()
    stance = ground["vertical"] > 0.05
    ranges = ", ".join(f"{angles[j].min():.0f} to {angles[j].max():.0f}" for j in ("hip", "knee", "ankle"))
    up, along = ground["vertical"], ground["fore_aft"]
    half = len(up) // 3  # of a stride: between the peaks
    peaks = f"peaks {up[:half].max():.2f}, {up[half:].max():.2f}, valley {up[half // 2 : half + half // 4].min():.2f}"
    inward = 100.0 * float((ground["lateral"][stance] > 0.0).mean())
    alike = [np.corrcoef(inside[j][stance], up[stance])[0, 1] for j in ("hip", "knee", "ankle")]
    rows = [
        ("5.3: hip, knee, ankle [deg]", "curves", ranges),
        ("5.4: vertical force [body weights]", "double peak", peaks),
        ("5.4: fore-aft force [body weights]", "brakes, propels", f"{along.min():.2f}, {along.max():.2f}"),
        ("5.4: lateral force in stance", "all of it to one side", f"toward the midline for {inward:.0f} %"),
        ("5.5: force norms against the vertical force in stance", "similar", ", ".join(f"r = {r:.2f}" for r in alike)),
    ]
    return [Figure("Barman", f"gait, figure {what}", published, ours, _CALL, _DRAWN) for what, published, ours in rows]
