"""The derivatives of the joint wrenches with respect to positions, velocities and accelerations.

The wrench of body i, in its own axes, changes with joint j in one of two ways. Where i is in the subtree of j, the
whole subtree of i moves along: I_i Psidd_j + C_i Psid_j. Where j is in the subtree of i, the additional wrench of j is
transformed to i, as in `inverse_dynamics_derivatives`. Reference: [Barman] chapter III has them for serial chains in
standard DH frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.differentials import Differential, differentials
from kinetree.algorithms.inverse_dynamics_derivatives import spread
from kinetree.model.composite_joints import split_composite_joints
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.scalar import Real
from kinetree.spatial.motion import Force, Motion

Tensor = list[list[list[Any]]]


def joint_wrench_derivatives(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    external: Sequence[Sequence[Real]] | None = None,
    base: BaseMotion | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """dw/dq, dw/dqd, dw/dqdd: for each body six rows (moment, force) and nv columns."""
    robot, places = split_composite_joints(robot)
    changes = differentials(robot, q, qd, qdd, spread(external, places, robot.nbodies), base)
    of_q, of_qd, of_qdd = ([[[0.0] * robot.nv for _ in range(6)] for _ in places] for _ in range(3))
    shown = {place: k for k, place in enumerate(places)}
    for i, change in enumerate(changes):
        handed_down = zip(change.of_position(), change.of_velocity(), change.of_acceleration())
        for column, moved, wrenches in zip(range(robot.nv)[robot.v_slices[i]], change.columns, handed_down):
            felt = _beyond(robot, changes, i, moved) | _before(robot, changes, i, wrenches)
            for body, three in felt.items():
                if body not in shown:
                    continue
                for tensor, wrench in zip((of_q, of_qd, of_qdd), three):
                    f = changes[body].link.in_body_axes(wrench)
                    for row, x in zip(tensor[shown[body]], (*f.ang, *f.lin)):
                        row[column] = row[column] + x
    return of_q, of_qd, of_qdd


def _beyond(
    robot: Mechanism, changes: Sequence[Differential], i: int, moved: tuple[Motion, ...]
) -> dict[int, tuple[Force, Force, Force]]:
    """The changes of the wrenches in the subtree of joint i with its motion."""
    motions, felt = {i: moved}, {}
    for k in range(i, robot.nbodies):
        if k != i and (p := robot.parents[k]) in motions:
            motions[k] = tuple(changes[k].link.X.motion_to(m) for m in motions[p])
        if k in motions:
            s, psid, psidd, rate = motions[k]
            I, C, load = changes[k].subtree.inertia, changes[k].subtree.coriolis, changes[k].subtree.load
            felt[k] = (I @ psidd + C @ psid.ang + load.turned(s.ang), I @ rate + C @ s.ang, I @ s)
    return felt


def _before(
    robot: Mechanism, changes: Sequence[Differential], i: int, wrenches: tuple[Force, ...]
) -> dict[int, tuple[Force, ...]]:
    """The changes of the wrenches from joint i to the base with its motion."""
    felt, j = {}, i
    while (p := robot.parents[j]) != WORLD:
        wrenches = tuple(map(changes[j].link.X.force_from, wrenches))
        felt[p], j = wrenches, p
    return felt
