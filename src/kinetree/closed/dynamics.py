"""The dynamic quantities of a closed chain as functions of NumPy arrays; arguments as `ClosedChain` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Actuation
from kinetree.errors import ClosureError, InputError
from kinetree.robot.functions import Array, parameter_values

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain

Rows = ArrayLike
Loads = Rows | None
STABILISATION = 20.0  # [1/s]
OPEN = 1e-6  # the closure error [m, rad] up to which a configuration passes a check
_WHATEVER = Actuation((), (), ())  # the equations of the loops are the same for all


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
    function = chain.function("constraint_jacobian", actuation=_WHATEVER)
    return function(q, *parameter_values(chain.robot, parameters))


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
    return chain.call("velocities", (q, chain.independent_part(qd, "qd")), None, parameters, check=check)


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
    return chain.call("accelerations", _motion(chain, q, qd, qdd), None, parameters, check=check)


def inverse_dynamics(
    chain: ClosedChain, q: Rows, qd: Rows, qdd: Rows, *, external: Loads = None, check: bool = False, **parameters: Rows
) -> Array:
    """The forces of the actuated joints for a motion.

    Args:
        q: positions of all joints (..., nq), closed.
        qd, qdd: velocities and accelerations of the independent joints (..., n), or of all.
        external: a wrench on each body (..., nbodies, 6), as for a `Robot`.
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
    return chain.call("inverse_dynamics", _motion(chain, q, qd, qdd), external, parameters, check=check)


def forward_dynamics(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    tau: Rows,
    *,
    external: Loads = None,
    stabilisation: float = STABILISATION,
    check: bool = False,
    **parameters: Rows,
) -> Array:
    """The accelerations of all joints that the forces of the actuated ones cause.

    Args:
        q, qd: positions (..., nq) and velocities (..., nv) of all joints, closed or nearly, as a simulation has
            them.
        tau: forces of the actuated joints (..., actuated) [N m, N].
        external: a wrench on each body (..., nbodies, 6), as for a `Robot`.
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
    qd = np.asarray(qd)
    if qd.shape[-1:] != (chain.robot.nv,):
        raise InputError(
            f"forward_dynamics takes the velocities of all {chain.robot.nv} coordinates, got shape {qd.shape}; "
            "chain.velocities gives them"
        )
    return chain.call("forward_dynamics", (q, qd, tau, stabilisation), external, parameters, check=check)


def loop_wrenches(
    chain: ClosedChain, q: Rows, qd: Rows, qdd: Rows, *, external: Loads = None, check: bool = False, **parameters: Rows
) -> Array:
    """What the cut joints carry in a motion.

    Where loops hold each other more often than needed (a plane linkage out of its plane, for instance), rigid
    bodies don't say how they share the load: the multipliers with the least sum of squares are taken.

    Args:
        q, qd, qdd, external, check: as in `inverse_dynamics`.

    Returns:
        w (..., loops, 6): the wrench on the successor's body from the predecessor's, moment [N m] about the
        successor frame's origin, then force [N], in the axes of that frame.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).loop_wrenches(robot.neutral, [0.0], [0.0]).shape
        (1, 6)
    """
    return chain.call("loop_wrenches", _motion(chain, q, qd, qdd), external, parameters, check=check)


def joint_wrenches(
    chain: ClosedChain, q: Rows, qd: Rows, qdd: Rows, *, external: Loads = None, check: bool = False, **parameters: Rows
) -> Array:
    """The wrench that each body receives from its parent through the joint of the tree, passive joints too.

    Args:
        q, qd, qdd, external, check: as in `inverse_dynamics`; loads that several loops share are shared as in
            `loop_wrenches`.

    Returns:
        w (..., nbodies, 6): moment [N m] about the joint origin, then force [N], in body axes.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).joint_wrenches(robot.neutral, [0.0], [0.0]).shape
        (3, 6)
    """
    return chain.call("joint_wrenches", _motion(chain, q, qd, qdd), external, parameters, check=check)


def inverse_dynamics_derivatives(
    chain: ClosedChain, q: Rows, qd: Rows, qdd: Rows, *, external: Loads = None, check: bool = False, **parameters: Rows
) -> tuple[Array, Array, Array]:
    """How the forces of the actuated joints change along the motions that the loops allow.

    Args:
        q, qd, qdd, external, check: as in `inverse_dynamics`.

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
    return chain.call("inverse_dynamics_derivatives", _motion(chain, q, qd, qdd), external, parameters, check=check)


def forward_dynamics_derivatives(
    chain: ClosedChain, q: Rows, qd: Rows, tau: Rows, *, external: Loads = None, check: bool = False, **parameters: Rows
) -> tuple[Array, Array, Array]:
    """How the accelerations of the independent joints change along the motions that the loops allow.

    Args:
        q: positions of all joints (..., nq), closed.
        qd: velocities of the independent joints (..., n), or of all.
        tau: forces of the actuated joints (..., actuated) [N m, N].
        external, check: as in `inverse_dynamics`.

    Returns:
        d qdd/dq and d qdd/dqd (..., n, n), with respect to the independent coordinates, the others following; and
        d qdd/dtau (..., n, actuated).

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> [d.shape for d in kt.ClosedChain(robot).forward_dynamics_derivatives(robot.neutral, [0.0], [0.0])]
        [(1, 1), (1, 1), (1, 1)]
    """
    args = q, chain.independent_part(qd, "qd"), tau
    return chain.call("forward_dynamics_derivatives", args, external, parameters, check=check)


def force_rates(
    chain: ClosedChain,
    q: Rows,
    qd: Rows,
    qdd: Rows,
    qddd: Rows,
    *,
    external: Loads = None,
    external_rate: Loads = None,
    check: bool = False,
    **parameters: Rows,
) -> Array:
    """How fast the forces of the actuated joints change in a motion: d tau/dt.

    Args:
        q, qd, qdd, check: as in `inverse_dynamics`.
        qddd: jerks of the independent joints (..., n), or of all [rad/s^3, m/s^3].
        external: a wrench on each body (..., nbodies, 6), as for a `Robot`.
        external_rate: its rate (..., nbodies, 6) [N m/s, N/s]; needed where that is given.

    Returns:
        d tau/dt (..., actuated) [N m/s, N/s].

    Example:
        >>> import kinetree as kt
        >>> robot = kt.robots.four_bar()
        >>> kt.ClosedChain(robot).force_rates(robot.neutral, [0.0], [0.0], [1.0]).shape
        (1,)
    """
    if (external is None) != (external_rate is None):
        raise InputError("force_rates takes external= and external_rate= together, each (..., nbodies, 6)")
    args = (*_motion(chain, q, qd, qdd), chain.independent_part(qddd, "qddd"))
    loads = None if external is None else (external, external_rate)
    return chain.call("force_rates", args, loads, parameters, check=check)


def refuse_open(chain: ClosedChain, q: Any, parameters: dict[str, Any]) -> None:
    """Raise a `ClosureError` where the loops are open at q."""
    error = np.atleast_1d(constraint_jacobian(chain, q, **parameters)[1])
    rows = np.argwhere(error > OPEN)
    if len(rows):
        row = tuple(map(int, rows[0]))
        where = f" in {len(rows)} of {error.size} rows, in row {row}" if np.ndim(q) > 1 else ""
        raise ClosureError(f"the loops are open{where} by {error[row]:.3g} (m or rad); close them with chain.close")


def _motion(chain: ClosedChain, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    return q, chain.independent_part(qd, "qd"), chain.independent_part(qdd, "qdd")
