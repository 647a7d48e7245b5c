"""The second derivatives of a weighted sum of joint forces, for optimisation.

The gradient of weights . tau with respect to q, qd and qdd by reverse mode costs a few times tau itself; each of its
columns is differentiated forwards. Since tau is linear in qdd and M depends on q alone, the blocks (qd, qdd) and
(qdd, qdd) are zero, and the rows of q and qd say everything. On orientations second derivatives are along geodesics:
the two orders of differentiation are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import rates
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism

Nodes = Sequence[Node]


def inverse_dynamics_hessian_product(
    robot: Mechanism, q: Nodes, qd: Nodes, qdd: Nodes, weights: Nodes, external: Loads = None, base: Base = None
) -> list[list[Any]]:
    """The Hessian of weights . tau with respect to (q, qd, qdd): 3 nv rows and columns."""
    n = robot.nv
    partials = pullback(inverse_dynamics(robot, q, qd, qdd, external, base), weights, [*q, *qd, *qdd])
    steps = [rates(robot, q, [float(i == k) for i in range(n)]) for k in range(n)]
    along_q = [sum((x * y for x, y in zip(partials, step)), 0.0) for step in steps]
    gradient = [*along_q, *partials[robot.nq :]]
    H: list[list[Any]] = [[0.0] * (3 * n) for _ in range(3 * n)]
    for k, step in enumerate(steps):
        for i, value in enumerate(pushforward(gradient, q, step)):
            if i < n:
                H[i][k] = H[i][k] + 0.5 * value
                H[k][i] = H[k][i] + 0.5 * value
            else:
                H[i][k] = H[k][i] = value
    for k, x in enumerate(qd):
        for i, value in enumerate(pushforward(gradient[n : 2 * n], [x], [1.0])):
            H[n + i][n + k] = value
    return H
