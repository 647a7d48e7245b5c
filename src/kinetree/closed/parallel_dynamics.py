"""The dynamics of a parallel robot, by the motion of its platform; arguments as `ParallelRobot` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.closed.dynamics import Given, Rows
from kinetree.closed.platform import as_given
from kinetree.robot.functions import Array
from kinetree.runtime.cuda.arrays import columns, is_on_gpu

if TYPE_CHECKING:
    from kinetree.closed.parallel import ParallelRobot


def inverse_dynamics(
    robot: ParallelRobot,
    pose: Given,
    twist: Rows,
    acceleration: Rows,
    *,
    q: Given = None,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    **parameters: Rows,
) -> Array:
    """The forces of the actuators for a motion of the platform.

    Args:
        pose: of the platform (..., 4, 4).
        twist, acceleration: of the platform (..., 6), world axes, angular part first.
        q: the joints of the legs at this pose (..., nq), if known.
        external, base_velocity, base_acceleration: see `Robot`; the platform is a body.

    Returns:
        tau (..., actuated) [N m, N], in the order of ``actuated``; those with the least sum of squares where more
        joints are driven than there are degrees of freedom.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
        >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
        >>> lift = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        >>> robot.inverse_dynamics(pose, np.zeros(6), np.multiply.outer([0.0, 1.0, 2.0], lift)).shape
        (3, 6)

    Reference: [Khalil2010] (59)-(66).
    """
    configuration = _configuration(robot, pose, q, twist, acceleration, parameters)
    args, base = (configuration, twist, acceleration), (base_velocity, base_acceleration)
    tau = robot.chain.call("platform_inverse_dynamics", args, parameters, (external,), base, platform=robot.index)
    return as_given(tau, pose, twist, acceleration)


def forward_dynamics(
    robot: ParallelRobot,
    pose: Given,
    twist: Rows,
    tau: Rows,
    *,
    q: Given = None,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    **parameters: Rows,
) -> Array:
    """The acceleration of the platform that the forces of the actuators cause.

    Args:
        pose, twist, q, external, base_velocity, base_acceleration: as in `inverse_dynamics`.
        tau: forces of the actuators (..., actuated) [N m, N].

    Returns:
        The acceleration (..., 6), world axes, angular part first. For simulation see `ClosedChain`.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
        >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
        >>> still = [0.0] * 6
        >>> weight = robot.inverse_dynamics(pose, still, still)
        >>> bool(abs(robot.forward_dynamics(pose, still, weight)).max() < 1e-9)
        True
    """
    configuration = _configuration(robot, pose, q, twist, None, parameters)
    args, base = (configuration, twist, tau), (base_velocity, base_acceleration)
    acceleration = robot.chain.call(
        "platform_forward_dynamics", args, parameters, (external,), base, platform=robot.index
    )
    return as_given(acceleration, pose, twist, tau)


def joint_wrenches(
    robot: ParallelRobot,
    pose: Given,
    twist: Rows,
    acceleration: Rows,
    *,
    q: Given = None,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    **parameters: Rows,
) -> tuple[Array, Array]:
    """What the joints carry in a motion of the platform, passive joints and those at the platform too.

    Args:
        pose, twist, acceleration, q, external, base_velocity, base_acceleration: as in `inverse_dynamics`.

    Returns:
        The wrench that each body receives from its parent (..., nbodies, 6) as in `Robot.joint_wrenches`, and
        those that the platform receives from the legs (..., loops, 6) as in `ClosedChain.loop_wrenches`.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
        >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
        >>> [w.shape for w in robot.joint_wrenches(pose, [0.0] * 6, [0.0] * 6)]
        [(13, 6), (6, 6)]
    """
    configuration = _configuration(robot, pose, q, twist, acceleration, parameters)
    given = (twist, acceleration)
    qd, qdd = robot.chain.call("platform_motion", (configuration, *given), parameters, platform=robot.index)
    motion = [columns(x, robot.chain.actuation.independent) for x in (qd, qdd)]
    if is_on_gpu(qd):
        args, base = (configuration, *motion), (base_velocity, base_acceleration)
        names = "joint_wrenches", "loop_wrenches"
        joints, loops = (robot.chain.call(name, args, parameters, (external,), base) for name in names)
        return joints, loops
    results = [qd[..., None]]
    for name in ("joint_wrenches", "loop_wrenches"):
        known = np.isfinite(results[-1]).all(axis=(-1, -2))  # which rows are singular is said once
        args = (np.where(known[..., None], configuration, np.nan), *motion)
        results.append(robot.chain.call(name, args, parameters, (external,), (base_velocity, base_acceleration)))
    return as_given(results[1], pose, *given), as_given(results[2], pose, *given)


def inverse_dynamics_derivatives(
    robot: ParallelRobot,
    pose: Given,
    twist: Rows,
    acceleration: Rows,
    *,
    q: Given = None,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    **parameters: Rows,
) -> tuple[Array, Array, Array]:
    """How the forces of the actuators change with the pose, the twist and the acceleration of the platform.

    Each column belongs to one of the six components of a twist: turns about the world's axes through the platform's
    origin, then shifts along them. The pose changes along it with the numbers of twist and acceleration held, and the
    legs follow; ``external`` keeps its direction in space. The derivative along a motion with the jerk j is
    dtau_dpose @ twist + dtau_dtwist @ acceleration + dtau_dacceleration @ j. Where the legs leave less than six degrees
    of freedom, a column is the derivative along the motion next to it that they allow, 1 rad counting as 1 m.

    Args:
        pose, twist, acceleration, q, external, base_velocity, base_acceleration: as in `inverse_dynamics`.

    Returns:
        d tau/d pose [N m/rad, N m/m, N/rad, N/m], d tau/d twist and d tau/d acceleration, each (..., actuated, 6),
        columns in world axes, angular first.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
        >>> pose, still = robot.robot.pose(robot.chain.neutral, "platform"), [0.0] * 6
        >>> [d.shape for d in robot.inverse_dynamics_derivatives(pose, still, still)]
        [(3, 6), (3, 6), (3, 6)]
    """
    configuration = _configuration(robot, pose, q, twist, acceleration, parameters)
    args, base = (configuration, twist, acceleration), (base_velocity, base_acceleration)
    name = "platform_inverse_dynamics_derivatives"
    found = robot.chain.call(name, args, parameters, (external,), base, platform=robot.index)
    of_pose, of_twist, of_acceleration = (as_given(x, pose, twist, acceleration) for x in found)
    return of_pose, of_twist, of_acceleration


def forward_dynamics_derivatives(
    robot: ParallelRobot,
    pose: Given,
    twist: Rows,
    tau: Rows,
    *,
    q: Given = None,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    **parameters: Rows,
) -> tuple[Array, Array, Array]:
    """How the acceleration of the platform changes with its pose, its twist and the forces of the actuators.

    Args:
        pose, twist, tau, q, external, base_velocity, base_acceleration: as in `forward_dynamics`.

    Returns:
        d acceleration/d pose and d acceleration/d twist (..., 6, 6), columns as in `inverse_dynamics_derivatives`; and
        d acceleration/d tau (..., 6, actuated). Rows are those of the acceleration: world axes, angular first.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
        >>> pose, still = robot.robot.pose(robot.chain.neutral, "platform"), [0.0] * 6
        >>> [d.shape for d in robot.forward_dynamics_derivatives(pose, still, [0.0] * 3)]
        [(6, 6), (6, 6), (6, 3)]
    """
    configuration = _configuration(robot, pose, q, twist, None, parameters)
    args, base = (configuration, twist, tau), (base_velocity, base_acceleration)
    name = "platform_forward_dynamics_derivatives"
    found = robot.chain.call(name, args, parameters, (external,), base, platform=robot.index)
    of_pose, of_twist, of_tau = (as_given(x, pose, twist, tau) for x in found)
    return of_pose, of_twist, of_tau


def _configuration(
    robot: ParallelRobot, pose: Any, q: Any, twist: Any, acceleration: Any, parameters: dict[str, Any]
) -> Array:
    """The positions of all joints; motions that the platform can't make are refused."""
    configuration = robot.configuration(pose, q, parameters)
    robot.kinematics.check(configuration, twist, acceleration, parameters)
    return configuration
