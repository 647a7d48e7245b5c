"""The derivatives of the joint forces: d tau/dq, d tau/dqd and d tau/dqdd = M.

For joint i in the subtree of joint j, with the wrenches of `differentials` transformed from i to j:

    d tau_j / dq_i  = S_j . (I Psidd_i + C Psid_i + S_i x* f)     d tau_i / dq_j  = (I S_i) . Psidd_j + k_i . Psid_j
    d tau_j / dqd_i = S_j . (I (Psid_i + Sd_i) + C S_i)     d tau_i / dqd_j = (I S_i) . (Psid_j + Sd_j) + k_i . S_j
    M_ji = S_j . I S_i

where I, C and f are those of the subtree of i, and k_i . a = S_i . C a. On quaternions the derivative is along the
velocities: nv columns. Reference: [Singh2022].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.differentials import Differential, differentials
from kinetree.algorithms.external import Loads
from kinetree.algorithms.passive_forces import passive_force_derivatives, reflected_inertias
from kinetree.model import Mechanism
from kinetree.model.composite_joints import split_composite_joints
from kinetree.scalar import Vector
from kinetree.spatial import Force, Transform, Vec3

Matrix = list[list[Any]]


def inverse_dynamics_derivatives(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> tuple[Matrix, Matrix, Matrix]:
    """d tau/dq, d tau/dqd, M; springs, friction and rotors included."""
    robot, indices = split_composite_joints(robot)
    changes = differentials(robot, q, qd, qdd, spread(external, indices, robot.nbodies), base)
    n, slices = robot.nv, robot.v_slices
    of_q, of_qd = passive_force_derivatives(robot, q)
    M: Matrix = [[x if i == j else 0.0 for j in range(n)] for i, x in enumerate(reflected_inertias(robot))]
    for i in range(robot.nbodies):
        carried = Carried.of(changes[i])
        for j in reversed(robot.path(i)):
            for c, f in zip(range(n)[slices[i]], carried):
                for r, (s, psid, psidd, rate) in zip(range(n)[slices[j]], changes[j].columns):
                    # the force of the joint, by the motion of one before it
                    _add(of_q, c, r, psidd.dot(f.acceleration) + psid.ang.dot(f.turned) + s.ang.dot(f.loaded))
                    _add(of_qd, c, r, rate.dot(f.acceleration) + s.ang.dot(f.turned))
                    _add(M, c, r, s.dot(f.acceleration))
                    if j != i:  # the force of the one before it, by the motion of the joint
                        _add(of_q, r, c, s.dot(f.position))
                        _add(of_qd, r, c, s.dot(f.velocity))
                        _add(M, r, c, s.dot(f.acceleration))
            carried = [f.transformed(changes[j].link.X) for f in carried]  # towards the base
    return of_q, of_qd, M


@dataclass(frozen=True, slots=True)
class Carried:
    """The wrenches that the motion of a joint passes towards the base, for one column; and its vectors k."""

    acceleration: Force
    velocity: Force
    position: Force
    turned: Vec3
    loaded: Vec3

    @staticmethod
    def of(change: Differential) -> list[Carried]:
        wrenches = zip(change.of_acceleration(), change.of_velocity(), change.of_position())
        C, load = change.subtree.coriolis, change.subtree.load
        vectors = ((C.transposed(s), load.transposed(s)) for s in change.link.S)
        return [Carried(a, v, p, turned, loaded) for (a, v, p), (turned, loaded) in zip(wrenches, vectors)]

    def transformed(self, X: Transform) -> Carried:
        a, v, p = map(X.force_from, (self.acceleration, self.velocity, self.position))
        return Carried(a, v, p, X.R @ self.turned, X.R @ self.loaded)


def spread(external: Sequence[Any] | None, indices: Sequence[int], nbodies: int) -> list[Any] | None:
    """The loads on the bodies of the mechanism with split joints; those between the factors of a joint have none."""
    if external is None:
        return None
    loads: list[Any] = [[0.0] * 6 for _ in range(nbodies)]
    for index, load in zip(indices, external):
        loads[index] = load
    return loads


def _add(matrix: Matrix, row: int, column: int, value: Any) -> None:
    matrix[row][column] = matrix[row][column] + value
