"""The derivatives of a closed chain's dynamics along the motions that its loops allow, and the rates of its forces.

The joint forces of the tree, those of the actuators and the multipliers mu of the loops are in balance,
tau_tr(q, qd, qdd) - B tau + J(q)^T mu = 0. Moving an independent coordinate changes q along a column of G, and qd and
qdd as the loops say, with what is given held; since G^T J^T = 0, what mu changes by is not needed:

    G^T B d tau = G^T (d tau_tr + dJ^T mu),
    J_d dqd_d = - dJ qd,      J_d dqdd_d = - (dJ qdd + d bias).

d tau_tr comes from the derivatives of the tree, dJ and d bias from the graph, along one direction at a time; nothing
of the solution of the loops is differentiated. What is given are the velocities and accelerations of the independent
joints, or those of a platform: see `parallel_robot_derivatives`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.closed_chain import (
    Actuation,
    LoadDistribution,
    Loops,
    closed_forward_dynamics,
    loops_in_motion,
    without_actuators,
)
from kinetree.algorithms.external import Loads
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.algorithms.hybrid_dynamics import factorised
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from kinetree.algorithms.kinematics import rates
from kinetree.algorithms.loop_closure import closure
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.scalar import dot
from kinetree.signature import nested

Matrix = list[list[Any]]
Nodes = Sequence[Node]


def closed_inverse_dynamics_derivatives(
    robot: Mechanism,
    q: Nodes,
    qd_i: Nodes,
    qdd_i: Nodes,
    actuation: Actuation,
    external: Loads = None,
    base: Base = None,
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """d tau/dq_i, d tau/dqd_i, d tau/dqdd_i = A_c."""
    chain = ChainMotion(robot, q, *loops_in_motion(robot, q, qd_i, qdd_i, actuation))
    return *derivatives_of_forces(chain, actuation, external, base), chain.loops.J.margin


def closed_forward_dynamics_derivatives(
    robot: Mechanism, q: Nodes, qd_i: Nodes, tau: Nodes, actuation: Actuation, external: Loads = None, base: Base = None
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """dqdd_i/dq_i, dqdd_i/dqd_i, dqdd_i/dtau."""
    loops = Loops(robot, actuation, q)
    qd = loops.velocities(qd_i)
    qdd, margin = closed_forward_dynamics(robot, q, qd, tau, 0.0, actuation, external, base)
    balance = Balance(ChainMotion(robot, q, loops, qd, qdd), actuation, tau, external, base)
    (of_q, of_qd, of_tau), n = balance.accelerations(actuation), len(qd_i)
    return rows(of_q, n), rows(of_qd, n), rows(of_tau, n), margin


def closed_force_rates(
    robot: Mechanism, q: Nodes, qd_i: Nodes, qdd_i: Nodes, qddd_i: Nodes, actuation: Actuation, **loads: Any
) -> tuple[list[Any], Any]:
    """d tau/dt of the actuators, with J_d qddd_d = - (J_i qddd_i + dJ qdd + d bias); loads as in `forces_and_rates`."""
    chain = ChainMotion(robot, q, *loops_in_motion(robot, q, qd_i, qdd_i, actuation))
    loops, qd, qdd = chain.loops, chain.qd, chain.qdd
    dJ = chain.loops_along(qd)
    d_bias = along(chain.bias, (q, rates(robot, q, qd)), (qd, qdd))
    qddd = loops.accelerations(qddd_i, [dot(row, qdd) + b for row, b in zip(dJ, d_bias)])
    tree, treed = forces_and_rates(robot, q, qd, qdd, qddd, **loads)
    tau = loops.actuator_forces(actuation, loops.projected(tree))
    mu = loops.multipliers(without_actuators(actuation, tau, tree))
    taud = loops.projected([x + y for x, y in zip(treed, _times(rows(dJ, robot.nv), mu))])
    if actuation.redundant:
        taud = LoadDistribution(loops, actuation).change(tau, taud, dJ)
    return taud, loops.J.margin


@dataclass(frozen=True)
class ChainMotion:
    """A closed chain in motion: how it goes on moving from a configuration beside it, with what is given held.

    Args:
        robot: the mechanism.
        q, qd, qdd: the motion of all joints.
        loops: its loops, with the independent joints.
        led: the velocities and the accelerations that lead, as functions of q and of what is given; those of the
            independent joints by default, which are given themselves.
        given: what is held while q changes.
        solve: the accelerations of all joints from those that lead and the bias of the loops.
    """

    robot: Mechanism
    q: Nodes
    loops: Loops
    qd: Sequence[Any]
    qdd: Sequence[Any]
    led: tuple[Sequence[Any], Sequence[Any]] | None = None
    given: Sequence[Any] = ()
    solve: Callable[..., list[Any]] | None = None

    @cached_property
    def bias(self) -> list[Any]:
        return [e.bias for e in closure(self.robot, self.q, self.qd)]

    def loops_along(self, g: Sequence[Any]) -> Matrix:
        """dJ where the joints move with g."""
        equations = [e.row for e in self.loops.equations]
        change = pushforward([x for row in equations for x in row], self.q, rates(self.robot, self.q, g))
        return nested(change, (len(equations), self.robot.nv))

    def beside(self, g: Sequence[Any]) -> tuple[Matrix, list[Any], list[Any]]:
        """dJ, dqd and dqdd where the joints move with g."""
        dJ, moved = self.loops_along(g), (self.q, rates(self.robot, self.q, g))
        dqd = self._solved(0, [dot(row, self.qd) for row in dJ], moved)
        d_bias = along(self.bias, moved, (self.qd, dqd))
        bias = [dot(row, self.qdd) + b for row, b in zip(dJ, d_bias)]
        return dJ, dqd, self._solved(1, bias, moved, (self.qd, dqd))

    def faster(self, g: Sequence[Any]) -> list[Any]:
        """dqdd where the velocities change by g."""
        return self._solved(1, along(self.bias, (self.qd, g)), (self.qd, g))

    def _solved(self, order: int, bias: Sequence[Any], *changes: tuple[Sequence[Any], Sequence[Any]]) -> list[Any]:
        """The change of all velocities (order 0) or accelerations (1) from that of those that lead."""
        if self.led is None or self.solve is None:
            return self.loops.accelerations([0.0] * len(self.loops.free), bias)
        return self.solve(along(self.led[order], *changes, (self.given, [0.0] * len(self.given))), bias)


class Balance:
    """What the independent joints lack where the motion changes and the forces of the actuators don't.

    ``of_q``, ``of_qd`` and ``of_qdd`` have a row for each column of G; ``beside`` and ``faster`` what the motion gives.
    """

    def __init__(
        self, chain: ChainMotion, actuation: Actuation, tau: Sequence[Any], external: Loads, base: Base
    ) -> None:
        state = chain.robot, chain.q, chain.qd, chain.qdd, external, base
        mu = chain.loops.multipliers(without_actuators(actuation, tau, inverse_dynamics(*state)))
        Dq, Dqd, M = inverse_dynamics_derivatives(*state)
        self.G = G = chain.loops.columns()
        self.beside, self.faster = [*map(chain.beside, G)], [*map(chain.faster, G)]
        self.of_q, self.of_qd = [], []
        for g, (dJ, dqd, dqdd), faster in zip(G, self.beside, self.faster):
            held = _times(rows(dJ, chain.robot.nv), mu)
            change = zip(_times(Dq, g), _times(Dqd, dqd), _times(M, dqdd), held)
            self.of_q.append(_times(G, [a + b + c + d for a, b, c, d in change]))
            self.of_qd.append(_times(G, [a + b for a, b in zip(_times(Dqd, g), _times(M, faster))]))
        self.of_qdd = [_times(G, _times(M, g)) for g in G]

    def accelerations(self, actuation: Actuation) -> tuple[Matrix, Matrix, Matrix]:
        """How those of the independent joints make up for it, along the columns of G; and along each force."""
        solve = factorised(self.of_qdd, "the mechanism").solve
        of_q, of_qd = ([solve([-x for x in column]) for column in columns] for columns in (self.of_q, self.of_qd))
        return of_q, of_qd, [solve([g[k] for g in self.G]) for k in actuation.actuated]


def derivatives_of_forces(
    chain: ChainMotion, actuation: Actuation, external: Loads, base: Base
) -> tuple[Matrix, Matrix, Matrix]:
    """How the forces of the actuators change: along q, qd and qdd of the independent joints."""
    loops, count = chain.loops, len(actuation.actuated)
    tau = loops.projected(inverse_dynamics(chain.robot, chain.q, chain.qd, chain.qdd, external, base))
    tau = loops.actuator_forces(actuation, tau)
    balance = Balance(chain, actuation, tau, external, base)
    of_q, of_qd, of_qdd = balance.of_q, balance.of_qd, balance.of_qdd
    if actuation.actuated != loops.free:
        actuators = LoadDistribution(loops, actuation)
        of_q = [actuators.change(tau, lacking, dJ) for lacking, (dJ, *_) in zip(of_q, balance.beside)]
        of_qd, of_qdd = ([*map(actuators.forces, columns)] for columns in (of_qd, of_qdd))
    return rows(of_q, count), rows(of_qd, count), rows(of_qdd, count)


def along(values: Sequence[Any], *changes: tuple[Sequence[Any], Sequence[Any]]) -> list[Any]:
    """The derivative along changes of several arguments at once, which need not be inputs of the graph."""
    pairs = [(x, d) for xs, ds in changes for x, d in zip(xs, ds) if isinstance(x, Node)]
    return pushforward(values, [x for x, _ in pairs], [d for _, d in pairs])


def rows(columns: Matrix, count: int) -> Matrix:
    """So many rows of the matrix with these columns."""
    return [[column[k] for column in columns] for k in range(count)]


def _times(matrix: Matrix, x: Sequence[Any]) -> list[Any]:
    return [dot(row, x) for row in matrix]
