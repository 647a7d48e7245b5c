"""The derivatives of a closed chain's dynamics along the motions that its loops allow, and the rates of its forces.

The joint forces of the tree and the multipliers mu of the loops make up F = tau_tr(q, qd, qdd) + J(q)^T mu, which is
zero at the dependent joints and tau_c at the independent ones. Moving an independent coordinate changes q along a
column of G, and qd and qdd as the loops say; since G^T J^T = 0, what mu changes by is not needed:

    d tau_c = G^T (d tau_tr + dJ^T mu),
    J_d dqd_d = - dJ qd,      J_d dqdd_d = - (dJ qdd + d bias).

d tau_tr comes from the derivatives of the tree, dJ and d bias from the graph, along one direction at a time; nothing
of the solution of the loops is differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.closed_chain import Actuation, Loops, closed_forward_dynamics, closed_inverse_dynamics
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
    robot: Mechanism, q: Nodes, qd_i: Nodes, qdd_i: Nodes, actuation: Actuation, external: Loads = None
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """d tau/dq_i, d tau/dqd_i, d tau/dqdd_i = A_c."""
    if actuation.redundant:
        return _of_shared_forces(robot, q, qd_i, qdd_i, actuation, external)
    loops = Loops(robot, actuation, q)
    G, n = loops.columns(), len(qd_i)
    qd = loops.velocities(qd_i)
    rows, bias = [e.row for e in loops.equations], [e.bias for e in closure(robot, q, qd)]
    qdd = loops.accelerations(qdd_i, bias)
    mu = loops.multipliers(inverse_dynamics(robot, q, qd, qdd, external))
    Dq, Dqd, M = inverse_dynamics_derivatives(robot, q, qd, qdd, external)
    still = [0.0] * n
    of_q: Matrix = []
    for g in G:
        step = rates(robot, q, g)
        dJ = nested(pushforward([x for row in rows for x in row], q, step), (len(rows), robot.nv))
        dqd = loops.accelerations(still, [dot(row, qd) for row in dJ])
        d_bias = _along(bias, (q, step), (qd, dqd))
        dqdd = loops.accelerations(still, [dot(row, qdd) + b for row, b in zip(dJ, d_bias)])
        held = [dot(column, mu) for column in zip(*dJ)]
        change = zip(_times(Dq, g), _times(Dqd, dqd), _times(M, dqdd), held)
        of_q.append(_times(G, [a + b + c + d for a, b, c, d in change]))
    of_qd, of_qdd = [], []
    for g in G:
        dqdd = loops.accelerations(still, _along(bias, (qd, g)))
        of_qd.append(_times(G, [a + b for a, b in zip(_times(Dqd, g), _times(M, dqdd))]))
        of_qdd.append(_times(G, _times(M, g)))
    return _rows(of_q, n), _rows(of_qd, n), _rows(of_qdd, n), loops.J.margin


def closed_forward_dynamics_derivatives(
    robot: Mechanism, q: Nodes, qd_i: Nodes, tau: Nodes, actuation: Actuation, external: Loads = None
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """dqdd_i/dq_i, dqdd_i/dqd_i, dqdd_i/dtau, from those of inverse dynamics: A_c dqdd_i = d(G_a^T tau) - d tau_c."""
    loops, n = Loops(robot, actuation, q), len(qd_i)
    qdd, margin = closed_forward_dynamics(robot, q, loops.velocities(qd_i), tau, 0.0, actuation, external)
    own = Actuation(actuation.independent, actuation.independent, (1.0,) * n)
    qdd_i = [qdd[k] for k in actuation.independent]
    of_q, of_qd, A, _ = closed_inverse_dynamics_derivatives(robot, q, qd_i, qdd_i, own, external)
    G = loops.columns()
    driven = [[g[k] for k in actuation.actuated] for g in G]  # G_a^T
    if actuation.redundant:
        forces = _times(driven, tau)
        changes = [pushforward(forces, q, rates(robot, q, g)) for g in G]
        of_q = [[x - change[i] for x, change in zip(row, changes)] for i, row in enumerate(of_q)]
    solve = factorised(A, "the mechanism").solve
    columns = [
        [solve([sign * x for x in column]) for column in zip(*m)]
        for m, sign in ((of_q, -1.0), (of_qd, -1.0), (driven, 1.0))
    ]
    return _rows(columns[0], n), _rows(columns[1], n), _rows(columns[2], n), margin


def closed_force_rates(
    robot: Mechanism,
    q: Nodes,
    qd_i: Nodes,
    qdd_i: Nodes,
    qddd_i: Nodes,
    actuation: Actuation,
    external: Loads = None,
    external_rate: Loads = None,
) -> tuple[list[Any], Any]:
    """d tau/dt of the actuators: G^T (d tau_tr/dt + dJ/dt^T mu), with J_d qddd_d = - (J_i qddd_i + dJ qdd + d bias)."""
    loops = Loops(robot, actuation, q)
    qd = loops.velocities(qd_i)
    step = rates(robot, q, qd)
    if actuation.redundant:  # how the actuators share the load changes too: all of it differentiated
        shared, margin = closed_inverse_dynamics(robot, q, qd_i, qdd_i, actuation, external)
        loads = zip(external or (), external_rate or ())
        return _along(shared, (q, step), (qd_i, qdd_i), (qdd_i, qddd_i), *loads), margin
    rows, bias = [e.row for e in loops.equations], [e.bias for e in closure(robot, q, qd)]
    qdd = loops.accelerations(qdd_i, bias)
    dJ = nested(pushforward([x for row in rows for x in row], q, step), (len(rows), robot.nv))
    d_bias = _along(bias, (q, step), (qd, qdd))
    qddd = loops.accelerations(qddd_i, [dot(row, qdd) + b for row, b in zip(dJ, d_bias)])
    tau, taud = forces_and_rates(robot, q, qd, qdd, qddd, external, external_rate)
    mu = loops.multipliers(tau)
    held = [sum((row[k] * x for row, x in zip(dJ, mu)), 0.0) for k in range(robot.nv)]
    return loops.projected([x + y for x, y in zip(taud, held)]), loops.J.margin


def _of_shared_forces(
    robot: Mechanism, q: Nodes, qd_i: Nodes, qdd_i: Nodes, actuation: Actuation, external: Loads
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """The same where the forces of more actuators than needed depend on the configuration: all of it differentiated."""
    tau, margin = closed_inverse_dynamics(robot, q, qd_i, qdd_i, actuation, external)
    of_q = [pushforward(tau, q, rates(robot, q, g)) for g in Loops(robot, actuation, q).columns()]
    of_qd = [pushforward(tau, [x], [1.0]) for x in qd_i]
    of_qdd = [pushforward(tau, [x], [1.0]) for x in qdd_i]
    n = len(tau)
    return _rows(of_q, n), _rows(of_qd, n), _rows(of_qdd, n), margin


def _along(values: Sequence[Any], *changes: tuple[Sequence[Any], Sequence[Any]]) -> list[Any]:
    """The derivative along changes of several arguments at once, which need not be inputs of the graph."""
    pairs = [(x, d) for xs, ds in changes for x, d in zip(xs, ds) if isinstance(x, Node)]
    return pushforward(values, [x for x, _ in pairs], [d for _, d in pairs])


def _times(matrix: Matrix, x: Sequence[Any]) -> list[Any]:
    return [dot(row, x) for row in matrix]


def _rows(columns: Matrix, count: int) -> Matrix:
    return [[column[k] for column in columns] for k in range(count)]
