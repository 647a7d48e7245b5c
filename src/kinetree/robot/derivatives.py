"""Analytic derivatives of the dynamic quantities as functions of NumPy arrays; arguments as `Robot` explains them.

A derivative with respect to q has nv columns: it is taken along the velocities, which for quaternions and floating
bases is along the tangent space, not along the components of q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.robot.functions import Array

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot


def inverse_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: tuple[Array, ...] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array, Array]:
    """How the joint forces change with the motion.

    Args:
        q, qd, qdd: the motion, as in `inverse_dynamics`.
        external, base_velocity, base_acceleration: see `Robot`.
        out: three arrays for the results.

    Returns:
        d tau/dq, d tau/dqd and d tau/dqdd = M, each (..., nv, nv).

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> dtau_dq, dtau_dqd, M = arm.inverse_dynamics_derivatives([0.0, 0.0], [0.0, 0.0], [1.0, 0.0])
        >>> M.round(3)
        array([[0.4 , 0.16],
               [0.16, 0.12]])

    Reference: [Singh2022].
    """
    loads, base = (external,), (base_velocity, base_acceleration)
    return robot._functions.call("inverse_dynamics_derivatives", (q, qd, qdd), out, parameters, loads, base)


def forward_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: tuple[Array, ...] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array, Array]:
    """How the accelerations change with the state and the joint forces.

    Args:
        q, qd, tau: as in `forward_dynamics`.
        external, base_velocity, base_acceleration: see `Robot`.
        out: three arrays for the results.

    Returns:
        dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1, each (..., nv, nv).

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> _, _, Minv = arm.forward_dynamics_derivatives([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        >>> (Minv @ arm.mass_matrix([0.0, 0.0])).round(9) + 0.0
        array([[1., 0.],
               [0., 1.]])

    Reference: [Carpentier2018].
    """
    loads, base = (external,), (base_velocity, base_acceleration)
    return robot._functions.call("forward_dynamics_derivatives", (q, qd, tau), out, parameters, loads, base)


def joint_wrench_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: tuple[Array, ...] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array, Array]:
    """How the joint wrenches change with the motion.

    Args:
        q, qd, qdd: the motion, as in `joint_wrenches`.
        external, base_velocity, base_acceleration: see `Robot`.
        out: three arrays for the results.

    Returns:
        dw/dq, dw/dqd and dw/dqdd, each (..., nbodies, 6, nv): moment rows first, in the axes of each body.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.joint_wrench_derivatives([0.0, 0.0], [0.0, 0.0], [1.0, 0.0])[0].shape
        (2, 6, 2)

    Reference: [Barman] chapter III.
    """
    loads, base = (external,), (base_velocity, base_acceleration)
    return robot._functions.call("joint_wrench_derivatives", (q, qd, qdd), out, parameters, loads, base)


def force_rates(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    qddd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    external_rate: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    base_jerk: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """How fast the joint forces change: d tau/dt.

    Args:
        q, qd, qdd: the motion, as in `inverse_dynamics`.
        qddd: jerks (..., nv) [rad/s^3, m/s^3].
        external: see `Robot`.
        external_rate: the rate of ``external`` (..., nbodies, 6) [N m/s, N/s]; needed where that is given.
        base_velocity, base_acceleration: see `Robot`.
        base_jerk: the rate of the components of ``base_acceleration`` (..., 6); zero where left out.
        out: an array for the result.

    Returns:
        d tau/dt (..., nv) [N m/s, N/s]. Coulomb friction is constant while a joint moves. Gravity keeps its direction
        in space: on a base that turns with w, its components in base axes change at the rate -w x g.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.force_rates([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]).round(3)
        array([0.4 , 0.16])

    Reference: [Guarino].
    """
    loads, base = with_rate(external, external_rate), (base_velocity, base_acceleration, base_jerk)
    return robot._functions.call("force_rates", (q, qd, qdd, qddd), out, parameters, loads, base)


def force_rate_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    qddd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    external_rate: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    base_jerk: ArrayLike | None = None,
    out: tuple[Array, ...] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array, Array, Array]:
    """How the force rates change with the motion.

    Args:
        q, qd, qdd, qddd, external, external_rate, base_velocity, base_acceleration, base_jerk: as in `force_rates`.
        out: four arrays for the results.

    Returns:
        The derivatives of d tau/dt with respect to q, qd, qdd and qddd, each (..., nv, nv).

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> rest = [0.0, 0.0]
        >>> arm.force_rate_derivatives(rest, rest, rest, rest)[3].round(3)
        array([[0.4 , 0.16],
               [0.16, 0.12]])
    """
    loads, base = with_rate(external, external_rate), (base_velocity, base_acceleration, base_jerk)
    return robot._functions.call("force_rate_derivatives", (q, qd, qdd, qddd), out, parameters, loads, base)


def inverse_dynamics_hessian_product(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    weights: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The second derivatives of weights . tau with respect to (q, qd, qdd), for optimisation.

    Args:
        q, qd, qdd: the motion, as in `inverse_dynamics`.
        weights: one for each joint force (..., nv), such as Lagrange multipliers.
        external, base_velocity, base_acceleration: see `Robot`.
        out: an array for the result.

    Returns:
        The symmetric matrix (..., 3 nv, 3 nv).

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.inverse_dynamics_hessian_product([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0]).shape
        (6, 6)
    """
    loads, base = (external,), (base_velocity, base_acceleration)
    args = (q, qd, qdd, weights)
    return robot._functions.call("inverse_dynamics_hessian_product", args, out, parameters, loads, base)


def with_rate(external: Any, rate: Any) -> tuple[Any, Any]:
    """External wrenches and their rates, both or none."""
    if (external is None) != (rate is None):
        missing = "external" if external is None else "external_rate"
        remedy = f"{missing} is missing (zeros of the same shape where the loads don't change)"
        raise InputError(f"force rates of loaded bodies need both external and external_rate, together; {remedy}")
    return external, rate
