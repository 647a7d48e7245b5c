"""The dynamic quantities of a closed chain as functions of NumPy arrays; arguments as `ClosedChain` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed.functions import equations, motion_of
from kinetree.errors import InputError
from kinetree.robot.functions import Array

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain

Rows = ArrayLike
Given = Rows | None
STABILISATION = 20.0  # [1/s]


def constraint_jacobian(chain: ClosedChain, q: Rows, **parameters: Rows) -> tuple[Array, Array]:
    """How the equations of the loops and couplings change with the velocities, and how far the loops are open.

    Args:
        q: positions of all joints (..., nq), closed or not.

    Returns:
        J (..., equations, nv), where J qd = 0 for velocities that keep the loops closed; and the root of the sum of
        squares of the closure errors (...) [m, rad].

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.four_bar())
        >>> J, error = chain.constraint_jacobian(chain.neutral)
        >>> bool(abs(J @ chain.velocities(chain.neutral, [1.0])).max() < 1e-12), bool(error < 1e-12)
        (True, True)
    """
    return equations(chain, q, parameters)


def velocities(chain: ClosedChain, q: Rows, qd: Rows, *, check: bool = False, **parameters: Rows) -> Array:
    """The velocities of all joints.

    Args:
        q: positions of all joints (..., nq), closed.
        qd: velocities of the independent joints (..., n) [rad/s, m/s].
        check: whether positions with open loops are refused, with a `ClosureError`.

    Returns:
        qd (..., nv).

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.four_bar())
        >>> chain.velocities(kt.robots.four_bar().neutral, [1.0]).shape
        (3,)
    """
    return chain.call("velocities", motion_of(chain, q, qd=qd), parameters, check=check)


def accelerations(
    chain: ClosedChain, q: Rows, qd: Rows, qdd: Rows, *, check: bool = False, **parameters: Rows
) -> Array:
    """The accelerations of all joints.

    Args:
        q: positions of all joints (..., nq), closed.
        qd, qdd: velocities and accelerations of the independent joints (..., n), or of all.
        check: as in `velocities`.

    Returns:
        qdd (..., nv).

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.four_bar())
        >>> chain.accelerations(kt.robots.four_bar().neutral, [1.0], [0.0]).shape
        (3,)
    """
    return chain.call("accelerations", motion_of(chain, q, qd=qd, qdd=qdd), parameters, check=check)


def inverse_dynamics(
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
) -> Array:
    """The forces of the actuated joints for a motion.

    Args:
        q: positions of all joints (..., nq), closed.
        qd, qdd: velocities and accelerations of the independent joints (..., n), or of all.
        external, base_velocity, base_acceleration: see `Robot`.
        check: as in `velocities`.

    Returns:
        tau (..., actuated) [N m, N], in the order of ``actuated``; all other joints need no force.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.gough_stewart()
        >>> chain = kt.ClosedChain(robot)
        >>> weight = chain.inverse_dynamics(robot.neutral, [0.0] * 6, [0.0] * 6)
        >>> bool((weight > 30).all())
        True

    Reference: [Khalil2010] (55)-(57).
    """
    args, base = motion_of(chain, q, qd=qd, qdd=qdd), (base_velocity, base_acceleration)
    return chain.call("inverse_dynamics", args, parameters, (external,), base, check=check)


def forward_dynamics(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    tau: Rows,
    *,
    external: Given = None,
    base_velocity: Given = None,
    base_acceleration: Given = None,
    stabilisation: float = STABILISATION,
    check: bool = False,
    **parameters: Rows,
) -> Array:
    """The accelerations of all joints that the forces of the actuated ones cause.

    Args:
        q, qd: positions (..., nq) and velocities (..., nv) of all joints, closed or nearly, as a simulation has
            them.
        tau: forces of the actuated joints (..., actuated) [N m, N].
        external, base_velocity, base_acceleration: see `Robot`.
        stabilisation: the rate k at which errors e of the loops die away, edd + 2 k ed + k^2 e = 0 [1/s].
        check: as in `velocities`.

    Returns:
        qdd (..., nv).

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).forward_dynamics(robot.neutral, [0.0] * 3, [0.0]).shape
        (3,)

    Reference: [Khalil2010] (58); Baumgarte's stabilisation.
    """
    shape = tuple(np.shape(qd))
    if shape[-1:] != (chain.robot.nv,):
        raise InputError(
            f"forward_dynamics takes the velocities of all {chain.robot.nv} coordinates, got shape {shape}; "
            "chain.velocities gives them"
        )
    args, base = (q, qd, tau, stabilisation), (base_velocity, base_acceleration)
    return chain.call("forward_dynamics", args, parameters, (external,), base, check=check)


def loop_wrenches(
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
) -> Array:
    """What the cut joints carry in a motion.

    Where loops hold each other more often than needed (a plane linkage out of its plane, for instance), rigid
    bodies don't say how they share the load: the multipliers with the least sum of squares are taken.

    Args:
        q, qd, qdd, external, base_velocity, base_acceleration, check: as in `inverse_dynamics`.

    Returns:
        w (..., loops, 6): the wrench on the successor's body from the predecessor's, moment [N m] about the
        successor frame's origin, then force [N], in the axes of that frame.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).loop_wrenches(robot.neutral, [0.0], [0.0]).shape
        (1, 6)
    """
    args, base = motion_of(chain, q, qd=qd, qdd=qdd), (base_velocity, base_acceleration)
    return chain.call("loop_wrenches", args, parameters, (external,), base, check=check)


def joint_wrenches(
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
) -> Array:
    """The wrench that each body receives from its parent through the joint of the tree, passive joints too.

    Args:
        q, qd, qdd, external, base_velocity, base_acceleration, check: as in `inverse_dynamics`; loads that several
            loops share are shared as in `loop_wrenches`.

    Returns:
        w (..., nbodies, 6): moment [N m] about the joint origin, then force [N], in body axes.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).joint_wrenches(robot.neutral, [0.0], [0.0]).shape
        (3, 6)
    """
    args, base = motion_of(chain, q, qd=qd, qdd=qdd), (base_velocity, base_acceleration)
    return chain.call("joint_wrenches", args, parameters, (external,), base, check=check)
