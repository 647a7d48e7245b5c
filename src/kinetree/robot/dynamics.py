"""The dynamic quantities of a robot as functions of NumPy arrays; arguments as `Robot` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from kinetree.robot.functions import Array

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """Joint forces of a motion: tau = M(q) qdd + h(q, qd), friction and rotors included.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        qdd: accelerations (..., nv) [rad/s^2, m/s^2].
        external, base_velocity, base_acceleration: see `Robot`.
        out: an array for the result.

    Returns:
        tau (..., nv) [N m, N].

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]).round(3)
        array([0.4 , 0.16])

    Reference: [Khalil2010] (18)-(31).
    """
    base = base_velocity, base_acceleration
    return robot._functions.call("inverse_dynamics", (q, qd, qdd), out, parameters, (external,), base)


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """Accelerations that joint forces cause: qdd = M(q)^-1 (tau - h(q, qd)), by articulated bodies.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        tau: joint forces (..., nv) [N m, N].
        external, base_velocity, base_acceleration: see `Robot`.
        out: an array for the result.

    Returns:
        qdd (..., nv) [rad/s^2, m/s^2].

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.40, 0.16]).round(9) + 0.0
        array([1., 0.])

    Reference: [Khalil2010] (33)-(44); [RBDA] Table 7.1, p. 132.
    """
    base = base_velocity, base_acceleration
    return robot._functions.call("forward_dynamics", (q, qd, tau), out, parameters, (external,), base)


def mass_matrix(robot: Robot, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
    """The mass matrix M(q), symmetric and positive definite, rotors included.

    Args:
        q: positions (..., nq) [rad, m].
        out: an array for the result.

    Returns:
        M (..., nv, nv) [kg m^2, kg m, kg].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().mass_matrix([0.0, 0.0]).round(3)
        array([[0.4 , 0.16],
               [0.16, 0.12]])

    Reference: [RBDA] Table 6.2, p. 108.
    """
    return robot._functions.call("mass_matrix", (q,), out, parameters)


def bias_forces(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The joint forces h(q, qd) of a motion without acceleration: Coriolis, centrifugal, gravity, friction.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        external, base_velocity, base_acceleration: see `Robot`.
        out: an array for the result.

    Returns:
        h (..., nv) [N m, N].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().bias_forces([0.0, 0.0], [1.0, 0.0]).round(6) + 0.0
        array([0., 0.])
    """
    base = base_velocity, base_acceleration
    return robot._functions.call("bias_forces", (q, qd), out, parameters, (external,), base)


def gravity_forces(
    robot: Robot, q: ArrayLike, *, external: ArrayLike | None = None, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The joint forces g(q) that hold the robot at rest.

    Args:
        q: positions (..., nq) [rad, m].
        external: see `Robot`.
        out: an array for the result.

    Returns:
        g (..., nv) [N m, N].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.puma560().gravity_forces([0.0] * 6).shape
        (6,)
    """
    return robot._functions.call("gravity_forces", (q,), out, parameters, (external,))


def coriolis_matrix(
    robot: Robot, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The Coriolis matrix C(q, qd): the bias forces are C qd, gravity and friction apart.

    It is the one of the Christoffel symbols: dM/dt - 2 C is skew-symmetric, along motions with dq/dt = `rates` (q, qd).

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        out: an array for the result.

    Returns:
        C (..., nv, nv) [kg m^2/s, kg m/s, kg/s].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().coriolis_matrix([0.0, 1.5708], [1.0, 2.0]).round(2)
        array([[-0.08, -0.12],
               [ 0.04,  0.  ]])
    """
    return robot._functions.call("coriolis_matrix", (q, qd), out, parameters)


def joint_wrenches(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The wrench that each body receives from its parent through the joint.

    Args:
        q, qd, qdd: the motion, as in `inverse_dynamics`.
        external, base_velocity, base_acceleration: see `Robot`.
        out: an array for the result.

    Returns:
        w (..., nbodies, 6): moment [N m] about the joint origin, then force [N], in body axes.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.puma560()
        >>> arm.joint_wrenches([0.0] * 6, [0.0] * 6, [0.0] * 6).shape
        (6, 6)

    Reference: [Khalil2010] (25).
    """
    base = base_velocity, base_acceleration
    return robot._functions.call("joint_wrenches", (q, qd, qdd), out, parameters, (external,), base)


def kinetic_energy(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    base_velocity: ArrayLike | None = None,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The kinetic energy, rotors included: 1/2 qd . M(q) qd on a base at rest.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        base_velocity: see `Robot`.
        out: an array for the result.

    Returns:
        T (...) [J].

    Example:
        >>> import kinetree as kt
        >>> round(float(kt.robots.two_link().kinetic_energy([0.0, 0.0], [1.0, 0.0])), 6)
        0.2
    """
    return robot._functions.call("kinetic_energy", (q, qd), out, parameters, base=(base_velocity, None))


def potential_energy(robot: Robot, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
    """The potential energy of gravity and of springs.

    That of gravity is zero where the centre of mass is at the height of the origin, that of a spring or an elastic
    transmission where it is at rest.

    Args:
        q: positions (..., nq) [rad, m].
        out: an array for the result.

    Returns:
        V (...) [J].

    Example:
        >>> import kinetree as kt
        >>> float(kt.robots.two_link().potential_energy([0.0, 0.0]))
        0.0
    """
    return robot._functions.call("potential_energy", (q,), out, parameters)
