"""Poses, Jacobians and motions of named frames, and rates of coordinates, as functions of NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.robot.functions import Array

if TYPE_CHECKING:
    from kinetree.robot.inverse import InverseKinematics, KinematicsSolution
    from kinetree.robot.robot import Robot
    from kinetree.spatial import Transform

STARTS = 64  # of inverse kinematics, at the most


def pose(robot: Robot, q: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
    """The pose of a named frame in the world.

    Args:
        q: positions (..., nq) [rad, m].
        frame: one of ``frames``.
        out: an array for the result.

    Returns:
        X (..., 4, 4): the homogeneous matrix [R, p; 0, 1] that maps coordinates in the frame to world coordinates.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().pose([0.0, 0.0], "dh2")[:3, 3]
        array([0.8, 0. , 0. ])
    """
    return robot._functions.call("pose", (q,), out, parameters, frame=frame)


def jacobian(robot: Robot, q: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
    """The Jacobian of a named frame: its angular and linear velocity is J qd.

    Args:
        q: positions (..., nq) [rad, m].
        frame: one of ``frames``.
        out: an array for the result.

    Returns:
        J (..., 6, nv): angular rows first, in world axes, of the frame's origin.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().jacobian([0.0, 0.0], "dh2")[4]
        array([0.8, 0.4])
    """
    return robot._functions.call("jacobian", (q,), out, parameters, frame=frame)


def inverse_kinematics(
    robot: Robot,
    frame: str,
    pose: ArrayLike | Transform,
    guess: ArrayLike | None = None,
    limits: bool | tuple[ArrayLike, ArrayLike] = True,
    starts: int = STARTS,
    seed: int = 0,
    **options: Any,
) -> KinematicsSolution:
    """Configurations at which a named frame is at given poses, inside the limits of the joints.

    For other tasks than a pose, several frames at once, or a preferred configuration see `InverseKinematics`.

    Args:
        frame: one of ``frames``.
        pose: homogeneous matrices (..., 4, 4), world from frame, or a `Transform`.
        guess: configurations (..., nq) to start from; the middle of the limits by default.
        limits: True for those of the robot, False for none, or a pair of arrays (..., nq), lower and upper.
        starts: how many configurations to start from at the most, the guess included.
        seed: another number gives other starts.
        options: ``tolerance``, 1e-6 m and rad by default, ``iterations``, and values of named parameters.

    Returns:
        A `KinematicsSolution`: ``q`` (..., nq), ``solved`` (...), ``error`` (..., 2) in metres and radians. Where a
        pose is out of reach, q is the nearest configuration found. ``check()`` gives q or raises.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.panda()
        >>> found = arm.inverse_kinematics("tcp", arm.pose(arm.random(1000, seed=0), "tcp"))
        >>> bool(found.solved.all()), float(found.error.max()) < 1e-6
        (True, True)
    """
    return _solver(robot, frame)(pose, guess=guess, limits=limits, starts=starts, seed=seed, **options)


def inverse_velocity(
    robot: Robot,
    q: ArrayLike,
    twist: ArrayLike,
    frame: str,
    *,
    dt: float | None = None,
    limits: bool = True,
    **options: Any,
) -> Array:
    """The joint velocities with which a named frame moves as wanted, as nearly as the limits of the joints allow.

    The inverse of `frame_velocity`. For other tasks than a twist, or several frames, see `InverseKinematics.velocity`.

    Args:
        q: positions (..., nq) [rad, m].
        twist: angular velocity [rad/s], then that of the frame's origin [m/s], in world axes (..., 6).
        frame: one of ``frames``.
        dt: a time step [s], after which the positions shall be inside their limits; they don't count by default.
        limits: whether limits of velocities and positions are kept.
        options: ``damping``, and values of named parameters.

    Returns:
        qd (..., nv) [rad/s, m/s].

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.ur5()
        >>> q, up = [0.0, -1.2, 1.5, -0.3, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]
        >>> arm.frame_velocity(q, arm.inverse_velocity(q, up, "tool0"), "tool0").round(4) + 0.0
        array([0. , 0. , 0. , 0. , 0. , 0.1])
    """
    return _solver(robot, frame).velocity(q, twist, dt=dt, limits=limits, **options)


def _solver(robot: Robot, frame: str) -> InverseKinematics:
    """The solver for the pose of a frame, made once."""
    solver = robot._functions.solvers.get(frame)
    if solver is None:
        from kinetree.algorithms.tasks import Pose
        from kinetree.robot.inverse import InverseKinematics

        solver = robot._functions.solvers[frame] = InverseKinematics(robot, Pose(frame))
    return solver


def frame_velocity(
    robot: Robot, q: ArrayLike, qd: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The velocity of a named frame: `jacobian` times qd.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        frame: one of ``frames``.
        out: an array for the result.

    Returns:
        v (..., 6): angular velocity [rad/s], then that of the frame's origin [m/s], in world axes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().frame_velocity([0.0, 0.0], [1.0, 0.0], "dh2")
        array([0. , 0. , 1. , 0. , 0.8, 0. ])
    """
    return robot._functions.call("frame_velocity", (q, qd), out, parameters, frame=frame)


def frame_acceleration(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    frame: str,
    *,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The acceleration of a named frame: the rate of `frame_velocity`. Gravity is not in it.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        qdd: accelerations (..., nv) [rad/s^2, m/s^2].
        frame: one of ``frames``.
        out: an array for the result.

    Returns:
        a (..., 6): angular acceleration [rad/s^2], then that of the frame's origin [m/s^2], in world axes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().frame_acceleration([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "dh2")[3:]
        array([-0.8,  0. ,  0. ])
    """
    return robot._functions.call("frame_acceleration", (q, qd, qdd), out, parameters, frame=frame)


def jacobian_rate(
    robot: Robot, q: ArrayLike, qd: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The time derivative of `jacobian` along a motion.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        frame: one of ``frames``.
        out: an array for the result.

    Returns:
        dJ/dt (..., 6, nv): the acceleration of the frame is J qdd + dJ/dt qd.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().jacobian_rate([0.0, 0.0], [1.0, 0.0], "dh2")[3]
        array([-0.8, -0.4])
    """
    return robot._functions.call("jacobian_rate", (q, qd), out, parameters, frame=frame)


def rates(robot: Robot, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """The time derivative dq/dt of the coordinates: qd itself but for quaternions and floating positions.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        out: an array for the result.

    Returns:
        dq/dt (..., nq).

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().rates([0.0, 0.0], [1.0, 2.0])
        array([1., 2.])
    """
    return robot._functions.call("rates", (q, qd), out, {})
