"""How the dynamic quantities of a closed chain change; arguments as `ClosedChain` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.closed.dynamics import Given, Rows
from kinetree.closed.functions import motion_of
from kinetree.robot.derivatives import with_rate
from kinetree.robot.functions import Array

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain


def inverse_dynamics_derivatives(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    qdd: Rows,
    *,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    check: bool = False,
    **parameters: Rows,
) -> tuple[Array, Array, Array]:
    """How the forces of the actuated joints change along the motions that the loops allow.

    Args:
        q, qd, qdd, external, base_velocity, base_acceleration, check: as in `inverse_dynamics`.

    Returns:
        d tau/dq, d tau/dqd and d tau/dqdd, each (..., actuated, n): with respect to the independent coordinates,
        the others following. The last one is the mass matrix of the closed chain where as many joints are
        actuated as there are degrees of freedom.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> [d.shape for d in kt.ClosedChain(robot).inverse_dynamics_derivatives(robot.neutral, [0.0], [0.0])]
        [(1, 1), (1, 1), (1, 1)]
    """
    args, base = motion_of(chain, q, qd=qd, qdd=qdd), (base_velocity, base_acceleration)
    return chain.call("inverse_dynamics_derivatives", args, parameters, (external,), base, check=check)


def forward_dynamics_derivatives(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    tau: Rows,
    *,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    check: bool = False,
    **parameters: Rows,
) -> tuple[Array, Array, Array]:
    """How the accelerations of the independent joints change along the motions that the loops allow.

    Args:
        q: positions of all joints (..., nq), closed.
        qd: velocities of the independent joints (..., n), or of all.
        tau: forces of the actuated joints (..., actuated) [N m, N].
        external, base_velocity, base_acceleration, check: as in `inverse_dynamics`.

    Returns:
        d qdd/dq and d qdd/dqd (..., n, n), with respect to the independent coordinates, the others following; and
        d qdd/dtau (..., n, actuated).

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> [d.shape for d in kt.ClosedChain(robot).forward_dynamics_derivatives(robot.neutral, [0.0], [0.0])]
        [(1, 1), (1, 1), (1, 1)]
    """
    args, base = (*motion_of(chain, q, qd=qd), tau), (base_velocity, base_acceleration)
    return chain.call("forward_dynamics_derivatives", args, parameters, (external,), base, check=check)


def force_rates(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    qdd: Rows,
    qddd: Rows,
    *,
    external: Given = None,
    external_rate: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    base_jerk: Given = None,
    check: bool = False,
    **parameters: Rows,
) -> Array:
    """How fast the forces of the actuated joints change in a motion: d tau/dt.

    Args:
        q, qd, qdd, check: as in `inverse_dynamics`.
        qddd: jerks of the independent joints (..., n), or of all [rad/s^3, m/s^3].
        external, external_rate, base_velocity, base_acceleration, base_jerk: as in `Robot.force_rates`.

    Returns:
        d tau/dt (..., actuated) [N m/s, N/s]. Coulomb friction is constant while a joint moves. Gravity keeps its
        direction in space: on a base that turns with w, its components in base axes change at the rate -w x g.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).force_rates(robot.neutral, [0.0], [0.0], [1.0]).shape
        (1,)
    """
    args = motion_of(chain, q, qd=qd, qdd=qdd, qddd=qddd)
    loads, base = with_rate(external, external_rate), (base_velocity, base_acceleration, base_jerk)
    return chain.call("force_rates", args, parameters, loads, base, check=check)
