"""The derivatives of the accelerations: dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1.

From tau(q, qd, qdd(q, qd, tau)) = tau:  M dqdd/dx = - d tau/dx  for x = q, qd, at the acceleration that tau causes.
Reference: [Carpentier2018].
"""

from __future__ import annotations

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.bias_forces import bias_forces
from kinetree.algorithms.external import Loads
from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves
from kinetree.algorithms.inverse_dynamics_derivatives import Matrix, inverse_dynamics_derivatives
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def forward_dynamics_derivatives(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, external: Loads = None, base: Base = None
) -> tuple[Matrix, Matrix, Matrix]:
    """dqdd/dq, dqdd/dqd, M^-1."""
    h = bias_forces(robot, q, qd, external, base)
    M = factorised_from_the_leaves(mass_matrix(robot, q), robot)
    qdd = M.solve([t - b for t, b in zip(tau, h)])
    of_q, of_qd, _ = inverse_dynamics_derivatives(robot, q, qd, qdd, external, base)
    return M.minus_solved(of_q), M.minus_solved(of_qd), M.inverse()
