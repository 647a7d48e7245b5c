"""Hybrid dynamics, where some accelerations and some forces are known, and the robot with a free base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from kinetree.errors import ModelError
from kinetree.robot.functions import Array, known_joints

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot


def hybrid_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    given: ArrayLike,
    known_forces: Sequence[str],
    *,
    external: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    out: tuple[Array, Array] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array]:
    """Accelerations and forces of all joints, where at each one of the two is known.

    With no known forces it is inverse dynamics, with all of them forward dynamics. With ``robot.base_joints`` the
    base of a floating robot moves as the joints make it; with ``robot.elastic_joints`` the springs decide; with the
    names of passive joints and zeros, they hang free. The cost grows linearly with the number of joints.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        given: (..., nv), the forces [N m, N] of the joints in ``known_forces`` (zero on an elastic joint that
            only its spring drives), the accelerations [rad/s^2, m/s^2] of all others.
        known_forces: names of joints with coordinates of their own, in any order; each choice is compiled once.
        external, base_velocity, base_acceleration: see `Robot`.
        out: two arrays for the results.

    Returns:
        qdd (..., nv) [rad/s^2, m/s^2] and tau (..., nv) [N m, N], what was given among them.

    Example:
        The elbow of an arm hangs free while the shoulder is accelerated:

        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> qdd, tau = arm.hybrid_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 0.0], known_forces=["joint2"])
        >>> qdd.round(3), tau.round(3)
        (array([ 1.   , -1.333]), array([0.187, 0.   ]))

    Reference: [Khalil2010] (72)-(82).
    """
    known, loads, base = known_joints(robot, known_forces), (external,), (base_velocity, base_acceleration)
    return robot._functions.call("hybrid_dynamics", (q, qd, given), out, parameters, loads, base, known_forces=known)


def free_base_inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd_joints: ArrayLike,
    *,
    external: ArrayLike | None = None,
    out: tuple[Array, Array] | None = None,
    **parameters: ArrayLike,
) -> tuple[Array, Array]:
    """How the base of a floating robot moves when its joints move so, and the joint forces that it takes.

    The base is a free joint, or the joints between the world and the first driven one: ``robot.base_joints``, with
    ``robot.nbase`` velocities. Nothing holds it: the wrench from the world is zero.

    Args:
        q: positions (..., nq) [m, rad], those of the base first.
        qd: velocities (..., nv) [rad/s, m/s], those of the base first.
        qdd_joints: accelerations of the joints (..., nv - nbase) [rad/s^2, m/s^2].
        external: see `Robot`; what the ground or the water does to the bodies.
        out: two arrays for the results.

    Returns:
        The acceleration of the base (..., nbase) [rad/s^2, m/s^2] as it stands in qdd: for a free one the rates of
        the six components of its velocity, angular first, in base axes. And the joint forces (..., nv - nbase)
        [N m, N].

    Example:
        >>> import kinetree as kt
        >>> eel = kt.robots.eel(2)
        >>> acceleration, tau = eel.free_base_inverse_dynamics(eel.neutral, [0.0] * 8, [1.0, 0.0])
        >>> acceleration.shape, tau.shape
        ((6,), (2,))

    Reference: [Khalil2010] 7.2, (89)-(100).
    """
    if not robot.nbase:
        first = f"its first joint {robot.bodies[0].joint.name!r} is driven" if robot.bodies else "it has no joints"
        remedy = 'make it float with robot.with_base("floating"), or mark the joints of its base as actuated=False'
        raise ModelError(f"robot {robot.name!r} has no free base: {first}; {remedy}")
    return robot._functions.call("free_base_inverse_dynamics", (q, qd, qdd_joints), out, parameters, (external,))
