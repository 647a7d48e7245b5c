"""Which columns of a regressor are independent, found at random states.

Reference: [Gautier1990]: the QR decomposition of the regressor at many states. Columns are taken in their order; one
that lies in the space of those before it is regrouped into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.chains import CLOSED, AnyRobot, independent_positions
from kinetree.robot.functions import Array

DEPENDENT = 1e-9  # of a column of length one, what is left of it; rounding leaves 1e-13, special robots 1e-6
SEED = 20260
SPREAD = 0.8  # how far the joints of a loop are moved from a configuration [rad, m]
STRIDES = 8  # from one configuration to another
APART = 0.3  # of the margin at the start, what is kept on the way
NEARLY = 1e-2  # how far a configuration that is given may be from a closed one [rad, m]


def independent(stacked: Array, tolerance: float = DEPENDENT) -> tuple[list[int], Array]:
    """The independent columns of a matrix, and all columns as combinations of them.

    Args:
        stacked: the matrix W (m, n), with more rows than columns.
        tolerance: of the length of a column, the part outside those before it that counts as zero.

    Returns:
        The numbers of r columns, and K (r, n) with W = W[:, columns] K.
    """
    length = np.linalg.norm(stacked, axis=0)
    largest = length.max(initial=0.0)
    basis = np.zeros((len(stacked), 0))
    kept: list[int] = []
    for j in range(stacked.shape[1]):
        if length[j] <= tolerance * largest:
            continue
        left = stacked[:, j] / length[j]
        for _ in range(2):  # the second time for what rounding left in
            left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if size > tolerance:
            kept.append(j)
            basis = np.column_stack([basis, left / size])
    scaled = stacked / np.where(length > 0.0, length, 1.0)
    shares = np.linalg.lstsq(scaled[:, kept], scaled, rcond=None)[0]
    shares[(np.abs(shares) < tolerance) | (length <= tolerance * largest)] = 0.0
    shares[:, kept] = np.eye(len(kept))
    return kept, shares * length / length[kept, None]


def observed(robot: AnyRobot, numbers: dict[str, Any], columns: int, configuration: Any = None) -> Array:
    """The regressor at random states, one below the other: (rows, nparameters)."""
    rng = np.random.default_rng(SEED)
    n = robot.mobility if isinstance(robot, ClosedChain) else robot.nv
    count = max(20, -(-3 * columns // max(n, 1)))
    if isinstance(robot, ClosedChain):
        q = _closed_configurations(robot, numbers, count, rng, configuration)
    else:
        q = rng.uniform(-3.0, 3.0, (count, robot.nq))
        for _, start in robot.quaternions:
            q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=-1, keepdims=True)
    qd, qdd = 3.0 * rng.normal(size=(2, len(q), n))
    stacked = full_regressor(robot, q, qd, qdd, numbers)
    return stacked.reshape(-1, stacked.shape[-1])


def full_regressor(robot: AnyRobot, q: Any, qd: Any, qdd: Any, numbers: dict[str, Any]) -> Array:
    """Y of all standard parameters (..., n, nparameters); of a closed chain the forces at the independent joints."""
    if not isinstance(robot, ClosedChain):
        return robot.regressor(q, qd, qdd, **numbers)
    q, units = np.asarray(q, float), np.eye(robot.mobility)
    following = robot.velocities(q[..., None, :], units, **numbers)  # G^T
    velocities = robot.velocities(q, qd, **numbers)
    accelerations = robot.accelerations(q, qd, qdd, **numbers)
    return following @ robot.robot.regressor(q, velocities, accelerations, **numbers)


def _closed_configurations(
    chain: ClosedChain, numbers: dict[str, Any], count: int, rng: np.random.Generator, configuration: Any
) -> Array:
    start, n = chain.neutral if configuration is None else _checked(chain, configuration, numbers), chain.mobility
    # from the configuration that is farthest from the singular ones among some nearby
    nearby = _reached(chain, start, rng.uniform(-SPREAD, SPREAD, (count, n)), numbers)
    if len(nearby):
        start = nearby[np.argmax(chain.margin(nearby, **numbers))]
    q = np.concatenate([_reached(chain, start, rng.uniform(-SPREAD, SPREAD, (count, n)), numbers) for _ in range(3)])
    if len(q) < count:
        raise InputError(
            f"only {len(q)} of {3 * count} random configurations of {chain!r} can be reached; give configuration=, "
            "closed and farther from the singular ones"
        )
    return q


def _checked(chain: ClosedChain, configuration: Any, numbers: dict[str, Any]) -> Array:
    """A configuration that was given; it must be closed, or closing would choose the assembly."""
    try:
        q = np.asarray(configuration, float)
    except (TypeError, ValueError):
        raise InputError(f"configuration is an array of numbers, got {configuration!r:.60}") from None
    if q.shape != (chain.robot.nq,) or not np.isfinite(q).all():
        raise InputError(
            f"configuration takes the positions of all {chain.robot.nq} coordinates, finite; got shape {q.shape}"
        )
    closure = chain.close(q[independent_positions(chain)], q, tolerance=CLOSED, **numbers)
    away = float(np.abs(closure.q - q).max())
    if not closure.closed or away > NEARLY:
        raise InputError(
            f"the loops of {chain!r} are open at this configuration: the next closed one is {away:.2g} rad or m away; "
            "chain.close(...).q gives closed ones"
        )
    return closure.q


def _reached(chain: ClosedChain, start: Array, steps: Array, numbers: dict[str, Any]) -> Array:
    """Configurations that steps of the independent joints lead to without passing near singular ones.

    Beyond those another assembly begins, for which other parameters are regrouped.
    """
    least = APART * chain.margin(start, **numbers)
    q, own = np.broadcast_to(start, (len(steps), len(start))), start[independent_positions(chain)]
    for part in np.linspace(0.0, 1.0, STRIDES + 1)[1:]:
        closure = chain.close(own + part * steps, q, tolerance=CLOSED, **numbers)
        regular = closure.closed & (chain.margin(closure.q, **numbers) > least)
        q, steps = closure.q[regular], steps[regular]
    return q
