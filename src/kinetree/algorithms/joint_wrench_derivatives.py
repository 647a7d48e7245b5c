"""The derivatives of the joint wrenches with respect to positions, velocities and accelerations.

The wrench of body i, in its own axes, changes with joint j in one of two ways. Where i is in the subtree of j, the
whole subtree of i moves along: I_i Psidd_j + C_i Psid_j. Where j is in the subtree of i, the additional wrench of j is
transformed to i, as in `inverse_dynamics_derivatives`. Reference: [Barman] chapter III has them for serial chains in
standard DH frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.differentials import Differential, differentials
from kinetree.algorithms.external import Loads
from kinetree.algorithms.inverse_dynamics_derivatives import spread
from kinetree.model import WORLD, Mechanism
from kinetree.model.composite_joints import split_composite_joints
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion

Tensor = list[list[list[Any]]]


def joint_wrench_derivatives(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> tuple[Tensor, Tensor, Tensor]:
    """dw/dq, dw/dqd, dw/dqdd: for each body six rows (moment, force) and nv columns."""
    robot, indices = split_composite_joints(robot)
    changes = differentials(robot, q, qd, qdd, spread(external, indices, robot.nbodies), base)
    of_q, of_qd, of_qdd = ([[[0.0] * robot.nv for _ in range(6)] for _ in indices] for _ in range(3))
    shown = {index: k for k, index in enumerate(indices)}
    for i, change in enumerate(changes):
        passed_on = zip(change.of_position(), change.of_velocity(), change.of_acceleration())
        for column, moved, wrenches in zip(range(robot.nv)[robot.v_slices[i]], change.columns, passed_on):
            found = _in_subtree(robot, changes, i, moved) | _towards_base(robot, changes, i, wrenches)
            for body, three in found.items():
                if body not in shown:
                    continue
                for tensor, wrench in zip((of_q, of_qd, of_qdd), three):
                    f = changes[body].link.in_body_axes(wrench)
                    for row, x in zip(tensor[shown[body]], (*f.ang, *f.lin)):
                        row[column] = row[column] + x
    return of_q, of_qd, of_qdd


def _in_subtree(
    robot: Mechanism, changes: Sequence[Differential], i: int, moved: tuple[Motion, ...]
) -> dict[int, tuple[Force, Force, Force]]:
    """The changes of the wrenches in the subtree of joint i with its motion."""
    motions, found = {i: moved}, {}
    for k in range(i, robot.nbodies):
        if k != i and (p := robot.parents[k]) in motions:
            motions[k] = tuple(changes[k].link.X.motion_to(m) for m in motions[p])
        if k in motions:
            s, psid, psidd, rate = motions[k]
            I, C, load = changes[k].subtree.inertia, changes[k].subtree.coriolis, changes[k].subtree.load
            found[k] = (I @ psidd + C @ psid.ang + load.turned(s.ang), I @ rate + C @ s.ang, I @ s)
    return found


def _towards_base(
    robot: Mechanism, changes: Sequence[Differential], i: int, wrenches: tuple[Force, ...]
) -> dict[int, tuple[Force, ...]]:
    """The changes of the wrenches from joint i to the base with its motion."""
    found, j = {}, i
    while (p := robot.parents[j]) != WORLD:
        wrenches = tuple(map(changes[j].link.X.force_from, wrenches))
        found[p], j = wrenches, p
    return found
