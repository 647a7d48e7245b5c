"""Standard parameters that bodies can have, next to measured forces.

A body can have ten moments if its pseudo-inertia, the matrix of second moments of its points (x, y, z, 1), is positive
definite ([Wensing2018]). To the squared residuals, in standard deviations, a small multiple of

    tr(P0^-1 P) - log det P      for each body, and of      s / s0 - log s      for friction, rotors and springs

is added ([Lee2020]): a convex function that is infinite where no body can be and least at the model's P0 and s0. It
holds what the data does not show at the model. Newton's method with a shrinking multiple needs nothing but NumPy and
has one minimum to go to, whatever the start. From rough guesses and from models without inertias, a fit in logarithmic
coordinates ([Rucker2022]) came to the same residuals in ten of ten trials; for a convex function this is certain.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.identify.estimate import Estimate
from kinetree.identify.linear import Linear
from kinetree.identify.standard import round_parameters
from kinetree.identify.weights import Weights
from kinetree.joints import Rotor
from kinetree.robot import Robot

Array = NDArray[np.float64]

EXACT = 1e-5  # of the forces: noise below it is taken as this much
PULL = 0.1  # towards the model, in squared standard deviations for a change of the logarithms by about one
FIRST = 1e8  # the multiple that the search starts with, over PULL
STEPS = 60  # of Newton's method for each multiple
NEAR = 0.7  # of the way to where no body can be, that a step goes at the most
SETTLED = 1e-9  # what another step would gain, in squared standard deviations over the multiple
THINNEST = 1e-9  # of the model: data that no body explains drives some to nothing, and rounding beyond
TYPICAL_MASS = 1.0  # [kg] of bodies that the model has no mass of
TYPICAL_SIZE = 0.1  # [m] radius of gyration of bodies that the model has no size of
TYPICAL_SPIN = 1e-4  # [kg m^2] of rotors that the model has no inertia of
THIN = 0.05  # of the largest radius of gyration: a guess is no thinner
SMALL = 1e-3  # of the largest value of the same kind: a guess is no smaller


def consistent(linear: Linear, y: Array, forces: Array, free: Estimate) -> Array:
    """The standard parameters (nparameters,) of a robot that can exist, nearest to forces.

    Args:
        linear: what the forces are linear in, and the model.
        y, forces: the equations (m, n, p), (m, n).
        free: their solution without conditions, whose residuals say how much each equation counts.
    """
    noise = np.sqrt((free.residuals**2).mean(axis=0))
    noise = np.maximum(noise, EXACT * np.sqrt((forces**2).mean()))
    weights = Weights(noise, free.weights.rows)
    flat = np.concatenate([weights.of(y).reshape(-1, y.shape[2]), weights.of(forces).reshape(-1, 1)], axis=1)
    triangle: Any = np.linalg.qr(flat, mode="r")
    blocks = _blocks(linear)
    standard = np.concatenate([block.standard for block in blocks], axis=1)  # of the unknowns
    matrix = linear.base.matrix()
    system, right = triangle[:, :-1] @ (matrix @ standard), triangle[:, -1]
    unknowns = _least(system, right, [block.bodies for block in blocks])
    found = linear.known + standard @ unknowns
    for other, kept in round_parameters(linear.base.tree).items():
        found[other] = found[kept] if kept >= 0 and kept in linear.base.considered else found[other]
    return found


def nearest(linear: Linear, values: Array) -> Array:
    """The standard parameters with these base parameters that are next to those of the model."""
    columns = list(linear.base.considered)
    matrix = linear.base.matrix()[:, columns]
    found = linear.model.copy()
    found[columns] += np.linalg.lstsq(matrix, values - linear.nominal, rcond=None)[0]
    for other, kept in round_parameters(linear.base.tree).items():
        found[other] = found[kept] if kept >= 0 else found[other]
    return found


# -- unknowns: what is one where the model is --------------------------------------------------------------------------


class _Block(NamedTuple):
    """Unknowns that belong together: of a body (10), or positive numbers."""

    standard: Array  # (nparameters, unknowns)
    bodies: bool


_PAIRS = [(i, j) for i in range(4) for j in range(i, 4)]
_UNITS = np.zeros((10, 4, 4))
for _k, (_i, _j) in enumerate(_PAIRS):
    _UNITS[_k, _i, _j] = _UNITS[_k, _j, _i] = 1.0


def _blocks(linear: Linear) -> list[_Block]:
    tree, count = linear.base.tree, len(linear.model)
    inertial = 10 * tree.nbodies
    considered = np.array(linear.base.considered, int)
    blocks: list[_Block] = []
    positive: list[Array] = []
    for i in range(tree.nbodies if (considered < inertial).any() else 0):
        own = slice(10 * i, 10 * i + 10)
        kind = tree.bodies[i].joint.kind
        if isinstance(kind, Rotor):  # keeps its shape
            positive.append(np.zeros(count))
            positive[-1][own] = linear.model[own] if linear.model[own].any() else _disc(kind)
            continue
        root = np.linalg.cholesky(_guess(tree, linear.model, i))
        standard = np.zeros((count, 10))
        standard[own] = np.stack([_moments(root @ unit @ root.T) for unit in _UNITS], axis=1)
        blocks.append(_Block(standard, True))
    for c in considered[considered >= inertial]:
        positive.append(np.zeros(count))
        positive[-1][c] = _positive(linear, int(c))
    if positive:
        blocks.append(_Block(np.stack(positive, axis=1), False))
    return blocks


def pseudo_inertia(moments: Array) -> Array:
    """P (4, 4) of mass, first moments and second moments XX, YY, ZZ, XY, XZ, YZ."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = moments
    half = 0.5 * (xx + yy + zz)
    return np.array([[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], float)


def _moments(p: Array) -> Array:
    """The inverse of `pseudo_inertia`."""
    (a, d, e, x), (_, b, f, y), (_, _, c, z), (_, _, _, m) = p
    return np.array([m, x, y, z, b + c, a + c, a + b, -d, -e, -f])


def _guess(tree: Robot, model: Array, i: int) -> Array:
    """The pseudo-inertia of a body of the model, made a possible one where it is none."""
    masses = model[0 : 10 * tree.nbodies : 10]
    typical = float(masses[masses > 0].mean()) if (masses > 0).any() else TYPICAL_MASS
    p = pseudo_inertia(model[10 * i : 10 * i + 10])
    mass = p[3, 3] if p[3, 3] > SMALL * typical else typical
    centre = p[:3, 3] / mass
    about = p[:3, :3] / mass - np.outer(centre, centre)
    sizes, axes = np.linalg.eigh(about)
    least = THIN**2 * sizes[-1] if sizes[-1] > 0 else TYPICAL_SIZE**2
    about = (axes * np.maximum(sizes, least)) @ axes.T
    made = np.empty((4, 4))
    made[:3, :3], made[:3, 3], made[3, :3], made[3, 3] = about + np.outer(centre, centre), centre, centre, 1.0
    return mass * made


def _disc(kind: Rotor) -> Array:
    """The moments of a thin disc about the axis of a rotor."""
    axis = np.array([*kind.axis], float)
    xx, yy, zz = 0.5 * (1.0 + axis**2)
    x, y, z = 0.5 * axis * np.roll(axis, -1)  # xy, yz, zx
    return TYPICAL_SPIN * np.array([0.0, 0.0, 0.0, 0.0, xx, yy, zz, x, z, y])


def _positive(linear: Linear, column: int) -> float:
    """A friction, rotor inertia or stiffness of the model; where it has none, the size of others of the same kind."""
    kind = linear.base.standard_names[column].rsplit(".", 1)[1].rstrip("0123456789")
    same = [
        abs(x)
        for name, x in zip(linear.base.standard_names, linear.model)
        if name.rsplit(".", 1)[1].rstrip("0123456789") == kind
    ]
    largest = max(same, default=0.0) or 1.0
    return float(max(linear.model[column], SMALL * largest if any(same) else largest))


# -- the minimum -------------------------------------------------------------------------------------------------------


def _least(system: Array, right: Array, bodies: list[bool]) -> Array:
    """The unknowns where squared residuals and pulls are least."""
    count = sum(bodies)
    # the pseudo-inertias and the positive numbers of the model are ones
    ones = [np.array([float(i == j) for i, j in _PAIRS])] * count + [np.ones(system.shape[1] - 10 * count)]
    x = model = np.concatenate(ones)
    pull = FIRST * PULL
    while True:
        try:
            found = _centre(x, model, system, right, count, pull)
            thin = _thinnest(found, count)
        except np.linalg.LinAlgError:
            found, thin = x, 0.0
        if not thin > 0.0:  # lost in rounding: what the last multiple gave is as good as it gets
            return x
        x = found
        if pull <= PULL or thin < THINNEST:
            return x
        pull = max(PULL, 0.1 * pull)


def _centre(x: Array, model: Array, system: Array, right: Array, bodies: int, pull: float) -> Array:
    """The least point for one multiple, by Newton's method from another point."""
    normal = system.T @ system
    for _ in range(STEPS):
        slope, curve = _barrier(x, bodies)
        gradient = system.T @ (system @ x - right) + pull * (model + slope)
        step = -np.linalg.solve(normal + pull * curve, gradient)
        gain = -float(gradient @ step)
        if gain <= SETTLED * pull:
            break
        far = x + min(1.0, NEAR * _room(x, step, bodies)) * step
        costs = [_cost(y, model, system, right, bodies, pull) for y in (far, x)]
        # the second one is sure to help: the cost over the multiple is self-concordant
        x = far if costs[0] < costs[1] else x + step / (1.0 + math.sqrt(gain / pull))
    return x


def _cost(x: Array, model: Array, system: Array, right: Array, bodies: int, pull: float) -> float:
    logs = [
        np.log(x[10 * bodies :]).sum(),
        *(np.linalg.slogdet(_matrix(x[10 * i : 10 * i + 10]))[1] for i in range(bodies)),
    ]
    return 0.5 * float(((system @ x - right) ** 2).sum()) + pull * float(model @ x - sum(logs))


def _barrier(x: Array, bodies: int) -> tuple[Array, Array]:
    """Gradient and Hessian of - log det P of all bodies and - log s."""
    slope, curve = np.zeros(len(x)), np.zeros((len(x), len(x)))
    for i in range(bodies):
        own = slice(10 * i, 10 * i + 10)
        turned = np.linalg.inv(_matrix(x[own])) @ _UNITS  # P^-1 E_a
        slope[own] = -np.einsum("aii->a", turned)
        curve[own, own] = np.einsum("aij,bji->ab", turned, turned)
    s = x[10 * bodies :]
    slope[10 * bodies :] = -1.0 / s
    curve[10 * bodies :, 10 * bodies :] = np.diag(1.0 / s**2)
    return slope, curve


def _matrix(x: Array) -> Array:
    return np.einsum("a,aij->ij", x, _UNITS)


def _thinnest(x: Array, bodies: int) -> float:
    """The smallest positive number, or eigenvalue of a pseudo-inertia."""
    thin = [np.linalg.eigvalsh(_matrix(x[10 * i : 10 * i + 10]))[0] for i in range(bodies)]
    return float(min([*thin, *x[10 * bodies :]]))


def _room(x: Array, step: Array, bodies: int) -> float:
    """How far along a step all stays possible."""
    shrinks = [np.max(-step[10 * bodies :] / x[10 * bodies :], initial=0.0)]
    for i in range(bodies):
        own = slice(10 * i, 10 * i + 10)
        root = np.linalg.inv(np.linalg.cholesky(_matrix(x[own])))
        shrinks.append(-np.linalg.eigvalsh(root @ _matrix(step[own]) @ root.T)[0])
    return 1.0 / max(*shrinks, 1e-300)
