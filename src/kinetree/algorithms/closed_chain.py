"""Mechanisms with closed loops: a tree whose velocities obey the equations of the loops.

The velocities split into independent ones, qd_i, and dependent ones, qd_d, which follow from the loops:

    J_i qd_i + J_d qd_d = 0,      qd = G qd_i,      G = [1; -J_d^+ J_i]
    J_i qdd_i + J_d qdd_d + bias = 0
    tau_c = G^T tau_tr(q, qd, qdd)                                         inverse dynamics, (55)-(57)
    tau_c = A_c qdd_i + H_c,      A_c = G^T M G                             forward dynamics, (58)

The multipliers of the loops, mu = -J_d^{+T} tau_d, are the wrenches of the cut joints. Where there
are more actuators than degrees of freedom, their forces are those with the least sum of weighted squares.
Reference: [Khalil2010] section 4, (55)-(58), with the transpose that (57) lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.hybrid_dynamics import factorised
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.algorithms.kinematics import normalised, rates, world_poses
from kinetree.algorithms.least_squares import LeastSquares
from kinetree.algorithms.loop_closure import Equation, all_equations, closure
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Real, Vector, dot, sqrt
from kinetree.spatial import Force


@dataclass(frozen=True)
class Actuation:
    """Which velocities of a closed chain are independent, which are actuated, and the weights of their forces.

    Args:
        independent: indices into qd, as many as degrees of freedom.
        actuated: indices into qd, at least as many.
        weights: of the squares of the actuated forces.
    """

    independent: tuple[int, ...]
    actuated: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def redundant(self) -> bool:
        return self.independent != self.actuated


class Loops:
    """The loop equations of a mechanism at one state, solved for the dependent velocities."""

    def __init__(
        self, robot: Mechanism, actuation: Actuation, q: Vector, qd: Vector | None = None, damping: Real = 0.0
    ) -> None:
        self.robot, self.free = robot, actuation.independent
        self.equations: list[Equation] = closure(robot, q, qd)
        self.dependent = [k for k in range(robot.nv) if k not in self.free]
        self.J = LeastSquares([[e.row[k] for k in self.dependent] for e in self.equations], damping)

    def velocities(self, qd_i: Vector) -> list[Any]:
        """qd = G qd_i."""
        return self._whole(qd_i, self.J.solve([-x for x in self._moved(qd_i)]))

    def accelerations(self, qdd_i: Vector, bias: Vector) -> list[Any]:
        """qdd = G qdd_i - J_d^+ bias."""
        return self._whole(qdd_i, self.J.solve([-(x + b) for x, b in zip(self._moved(qdd_i), bias)]))

    def multipliers(self, tau: Vector) -> list[Any]:
        """The multipliers of the loops with which no dependent joint needs a force."""
        return [-x for x in self.J.solve_transposed([tau[k] for k in self.dependent])]

    def projected(self, tau: Vector) -> list[Any]:
        """G^T tau."""
        mu = self.multipliers(tau)
        return [tau[k] + sum((e.row[k] * x for e, x in zip(self.equations, mu)), 0.0) for k in self.free]  # (57)

    def columns(self) -> list[list[Any]]:
        """The columns of G."""
        return [self.velocities([float(k == j) for k in range(len(self.free))]) for j in range(len(self.free))]

    def actuator_forces(self, actuation: Actuation, tau: list[Any]) -> list[Any]:
        """The forces of all actuators with the least sum of weighted squares that are equivalent to tau."""
        return LoadDistribution(self, actuation).forces(tau) if actuation.actuated != self.free else tau

    def _moved(self, x: Vector) -> list[Any]:
        return [sum((e.row[k] * y for k, y in zip(self.free, x)), 0.0) for e in self.equations]

    def _whole(self, independent: Vector, dependent: Sequence[Any]) -> list[Any]:
        whole: list[Any] = [0.0] * self.robot.nv
        for k, x in (*zip(self.free, independent), *zip(self.dependent, dependent)):
            whole[k] = x
        return whole


class LoadDistribution:
    """The forces of all actuators, y / root with the shortest y for which J^T y are those of the independent joints.

    Args:
        loops: with the independent joints.
        actuation: with the actuators, and their weights.
    """

    def __init__(self, loops: Loops, actuation: Actuation) -> None:
        self.loops, self.actuated, self.roots = loops, actuation.actuated, [w**0.5 for w in actuation.weights]
        columns = [*map(self._scaled, loops.columns())]
        self.J = LeastSquares([[column[k] for column in columns] for k in range(len(self.actuated))])

    def forces(self, tau: Vector) -> list[Any]:
        """Those that are equivalent to tau."""
        return [x / root for x, root in zip(self.J.solve_transposed(tau), self.roots)]

    def change(self, forces: Vector, lacking: Vector, dJ: Sequence[Vector]) -> list[Any]:
        """How these forces change where the loops change by dJ, and independent joints would lack forces without it.

        The change of y = J x is dJ x + J dx; where there are as many actuators as needed, J^T alone says it.
        """
        if len(self.actuated) == len(self.loops.free):
            return self.forces(lacking)
        x = self.loops.velocities(self.J.solve([f * root for f, root in zip(forces, self.roots)]))
        still = [0.0] * len(self.loops.free)
        moved = self._scaled(self.loops.accelerations(still, [dot(row, x) for row in dJ]))
        rest = [y - dot(column, moved) for y, column in zip(lacking, self.J.columns)]
        return [y + z / root for y, z, root in zip(self.forces(rest), moved, self.roots)]

    def _scaled(self, x: Vector) -> list[Any]:
        return [x[k] / root for k, root in zip(self.actuated, self.roots)]


def closing_step(robot: Mechanism, q: Vector, damping: Real, actuation: Actuation) -> tuple[list[Any], Any]:
    """A damped Newton step for the dependent coordinates; and the loop error at q."""
    loops = Loops(robot, actuation, q, damping=damping)
    errors = [e.error for e in loops.equations]
    step = loops._whole([0.0] * len(actuation.independent), loops.J.solve_once([-x for x in errors]))
    following = normalised(robot, [x + dx for x, dx in zip(q, rates(robot, q, step))])
    return following, _loop_error(all_equations(robot, q))


def constraint_jacobian(robot: Mechanism, q: Vector, actuation: Actuation) -> tuple[list[list[Any]], Any]:
    """J, a row for each equation of the loops, whatever is actuated; and the loop error at q."""
    equations = all_equations(robot, q)
    return [e.row for e in equations], _loop_error(equations)


def _loop_error(equations: Sequence[Equation]) -> Any:
    square = sum((e.error * e.error + e.flipped * e.flipped for e in equations), 0.0)
    return sqrt(square)


def closed_velocities(robot: Mechanism, q: Vector, qd_i: Vector, actuation: Actuation) -> tuple[Any, Any]:
    """qd of all joints."""
    loops = Loops(robot, actuation, q)
    return loops.velocities(qd_i), loops.J.margin


def closed_accelerations(
    robot: Mechanism, q: Vector, qd_i: Vector, qdd_i: Vector, actuation: Actuation
) -> tuple[Any, Any]:
    """qdd of all joints."""
    loops, _, qdd = loops_in_motion(robot, q, qd_i, qdd_i, actuation)
    return qdd, loops.J.margin


def loops_in_motion(
    robot: Mechanism, q: Vector, qd_i: Vector, qdd_i: Vector, actuation: Actuation
) -> tuple[Loops, list[Any], list[Any]]:
    """The loops, and the velocities and accelerations of all joints."""
    loops = Loops(robot, actuation, q)
    qd = loops.velocities(qd_i)
    return loops, qd, loops.accelerations(qdd_i, [e.bias for e in closure(robot, q, qd)])


def closed_inverse_dynamics(
    robot: Mechanism,
    q: Vector,
    qd_i: Vector,
    qdd_i: Vector,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[Any], Any]:
    """The forces of the actuators."""
    loops, qd, qdd = loops_in_motion(robot, q, qd_i, qdd_i, actuation)
    tau = loops.projected(inverse_dynamics(robot, q, qd, qdd, external, base))  # (55)
    return loops.actuator_forces(actuation, tau), loops.J.margin


def loop_wrenches(
    robot: Mechanism,
    q: Vector,
    qd_i: Vector,
    qdd_i: Vector,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[list[Any]], Any]:
    """The wrench from predecessor to successor of each cut joint, about the successor's origin in its axes."""
    loops, qd, qdd = loops_in_motion(robot, q, qd_i, qdd_i, actuation)
    tau = inverse_dynamics(robot, q, qd, qdd, external, base)
    if actuation.redundant:
        tau = without_actuators(actuation, loops.actuator_forces(actuation, loops.projected(tau)), tau)
    return _cut_wrenches(loops, tau), loops.J.margin


def without_actuators(actuation: Actuation, forces: Vector, tau: Vector) -> list[Any]:
    """The joint forces tau less those of the actuators."""
    own = dict(zip(actuation.actuated, forces))
    return [t - own.get(k, 0.0) for k, t in enumerate(tau)]


def _cut_wrenches(loops: Loops, tau: Vector) -> list[list[Any]]:
    """What the cut joints carry where the dependent joints lack the forces tau."""
    mu = loops.J.solve_transposed([tau[k] for k in loops.dependent])
    wrenches = [Force.zero] * len(loops.robot.loops)
    for e, x in zip(loops.equations, mu):
        if e.loop is not None:
            wrenches[e.loop] = wrenches[e.loop] + e.wrench * x
    return [[*f.ang, *f.lin] for f in wrenches]


def closed_forward_dynamics(
    robot: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    rate: Real,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[Any], Any]:
    """The accelerations of all joints; loop errors decay with the given rate (Baumgarte)."""
    loops = Loops(robot, actuation, q, qd)
    rows = [(e, dot(e.row, qd)) for e in loops.equations]
    bias = [e.bias + 2.0 * rate * drift + rate * rate * e.error for e, drift in rows]
    G = loops.columns()
    # the forces that are missing while the independent joints do not accelerate
    still = loops.accelerations([0.0] * len(G), bias)
    H = inverse_dynamics(robot, q, qd, still, external, base)
    M = mass_matrix(robot, q)
    MG = [[dot(row, g) for row in M] for g in G]
    A = [[dot(g, column) for column in MG] for g in G]
    forces = dict(zip(actuation.actuated, tau))
    lacking = [forces.get(k, 0.0) - h for k, h in enumerate(H)]
    found = factorised(A, "the mechanism").solve([dot(g, lacking) for g in G])  # (58)
    return [x + sum((g[k] * y for g, y in zip(G, found)), 0.0) for k, x in enumerate(still)], loops.J.margin


def closed_joint_wrenches(
    robot: Mechanism,
    q: Vector,
    qd_i: Vector,
    qdd_i: Vector,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[list[Any]], Any]:
    """The wrench that each body receives from its parent through its joint of the tree, cut joints included."""
    _, qd, qdd = loops_in_motion(robot, q, qd_i, qdd_i, actuation)
    wrenches, margin = loop_wrenches(robot, q, qd_i, qdd_i, actuation, external, base)
    return joint_wrenches(robot, q, qd, qdd, _loads_of_loops(robot, q, wrenches, external), base), margin


def driven_joint_wrenches(
    robot: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    tau: Vector,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[list[Any]], Any]:
    """The same in a motion of all joints that the forces tau of the actuators caused."""
    loops = Loops(robot, actuation, q)
    lacking = without_actuators(actuation, tau, inverse_dynamics(robot, q, qd, qdd, external, base))
    loads = _loads_of_loops(robot, q, _cut_wrenches(loops, lacking), external)
    return joint_wrenches(robot, q, qd, qdd, loads, base), loops.J.margin


def _loads_of_loops(robot: Mechanism, q: Vector, wrenches: Sequence[Sequence[Any]], external: Loads) -> list[list[Any]]:
    """What the cut joints and the external loads do to the bodies, in world axes about their origins."""
    poses = world_poses(robot, q)
    loads = [[0.0] * 6 for _ in robot.bodies] if external is None else [list(row) for row in external]
    for loop, values in zip(robot.loops, wrenches):
        f = Force.of(values)
        after, before = (robot.index_of(frame.body) for frame in (loop.successor, loop.predecessor))
        X = poses[after] @ loop.successor.pose
        # in world axes, about the origins of both bodies
        ang, lin = X.R @ f.ang, X.R @ f.lin
        for body, sign in ((after, 1.0), (before, -1.0)):
            if body != WORLD:
                moment = ang + (X.p - poses[body].p).cross(lin)
                loads[body] = [x + sign * y for x, y in zip(loads[body], (*moment, *lin))]
    return loads
