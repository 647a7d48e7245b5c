"""Which columns of a regressor are independent, found at random states.

Reference: [Gautier1990]: the QR decomposition of the regressor at many states. Columns are taken in their order; one
that lies in the space of those before it is regrouped into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.robot import Robot

Array = NDArray[np.floating[Any]]

DEPENDENT = 1e-9  # of a column of length one, what is left of it; rounding leaves 1e-13, special robots 1e-6
SEED = 20260
SPREAD = 0.8  # how far the joints of a loop are moved from a configuration [rad, m]
STRIDES = 8  # of a way from one configuration to another
APART = 0.3  # of the margin at the start, what a way keeps
NEARLY = 1e-2  # how far a configuration that is given may be from a closed one [rad, m]
CLOSED = 1e-13  # the error of loops [m, rad]; it stands in the regressor


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


def observed(robot: Robot | ClosedChain, numbers: dict[str, Any], columns: int, configuration: Any = None) -> Array:
    """The regressor at random states, one below the other: (rows, nparameters)."""
    rng = np.random.default_rng(SEED)
    if isinstance(robot, ClosedChain):
        return _observed_closed(robot, numbers, columns, rng, configuration)
    count = max(20, -(-3 * columns // max(robot.nv, 1)))
    q = rng.uniform(-3.0, 3.0, (count, robot.nq))
    for _, start in robot.quaternions:
        q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=-1, keepdims=True)
    qd, qdd = 3.0 * rng.normal(size=(2, count, robot.nv))
    return robot.regressor(q, qd, qdd, **numbers).reshape(-1, robot.nparameters)


def _observed_closed(
    chain: ClosedChain, numbers: dict[str, Any], columns: int, rng: np.random.Generator, configuration: Any
) -> Array:
    n = chain.mobility
    count = max(20, -(-3 * columns // max(n, 1)))
    start = chain.neutral if configuration is None else _checked(chain, configuration, numbers)
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
    qd, qdd = 3.0 * rng.normal(size=(2, len(q), n))
    return closed_regressor(chain, q, qd, qdd, numbers).reshape(-1, chain.robot.nparameters)


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
    closure = chain.close(q[_places(chain)], q, tolerance=CLOSED, **numbers)
    away = float(np.abs(closure.q - q).max())
    if not closure.closed or away > NEARLY:
        raise InputError(
            f"the loops of {chain!r} are open at this configuration: the next closed one is {away:.2g} rad or m away; "
            "chain.close(...).q gives closed ones"
        )
    return closure.q


def _reached(chain: ClosedChain, start: Array, ways: Array, numbers: dict[str, Any]) -> Array:
    """The configurations at the ends of ways of the independent joints that stay away from singular configurations.

    Beyond those another assembly begins, for which other parameters act together.
    """
    least = APART * chain.margin(start, **numbers)
    q, places = np.broadcast_to(start, (len(ways), len(start))), _places(chain)
    for part in np.linspace(0.0, 1.0, STRIDES + 1)[1:]:
        closure = chain.close(start[places] + part * ways, q, tolerance=CLOSED, **numbers)
        fine = closure.closed & (chain.margin(closure.q, **numbers) > least)
        q, ways = closure.q[fine], ways[fine]
    return q


def closed_regressor(chain: ClosedChain, q: Array, qd: Any, qdd: Any, numbers: dict[str, Any]) -> Array:
    """Y of a closed chain (..., n, nparameters): the forces at the independent joints, G^T Y of the tree."""
    units = np.eye(chain.mobility)
    following = chain.velocities(q[..., None, :], units, **numbers)  # G^T
    velocities = chain.velocities(q, qd, **numbers)
    accelerations = chain.accelerations(q, qd, qdd, **numbers)
    return following @ chain.robot.regressor(q, velocities, accelerations, **numbers)


def _places(chain: ClosedChain) -> list[int]:
    """Where the independent joints stand in q."""
    robot = chain.robot
    slices = {body.joint.name: qs for body, qs in zip(robot.bodies, robot.q_slices)}
    return [k for name in chain.independent for k in range(robot.nq)[slices[name]]]
