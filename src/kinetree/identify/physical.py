"""Physically consistent standard parameters that fit measured forces.

Ten inertial parameters are those of a body if its pseudo-inertia, the matrix of second moments of its points
(x, y, z, 1), is positive definite ([Wensing2018]). To the squared residuals, in standard deviations, a small multiple
of

    tr(P0^-1 P) - log det P      for each body, and of      s / s0 - log s      for friction, rotors and springs

is added ([Lee2020]): a convex barrier, infinite at the bounds of what is consistent and least at the model's P0 and s0.
Parameters that the data does not identify stay at the model. Newton's method with a decreasing multiple needs nothing
but NumPy and has one minimum, whatever the start. From rough guesses and from models without inertias, a fit in
logarithmic coordinates ([Rucker2022]) came to the same residuals in ten of ten trials; for a convex function this is
certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.identify.estimate import Estimate
from kinetree.identify.linear import Linear
from kinetree.identify.standard import round_parameters
from kinetree.identify.weights import Weights
from kinetree.joints import Rotor
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.runtime.blas import one_blas_thread

EXACT = 1e-5  # of the forces: noise below it is taken as this much
PULL = 0.1  # towards the model, in squared standard deviations for a change of the logarithms by about one
FIRST = 1e8  # the multiple that the search starts with, over PULL
STEPS = 60  # of Newton's method for each multiple
NEAR = 0.7  # of the step to the boundary, the longest that is taken
SETTLED = 1e-9  # what another step would gain, in squared standard deviations over the multiple
THINNEST = 1e-9  # of the model: data that no body explains drives eigenvalues to zero, where rounding takes over
TYPICAL_MASS = 1.0  # [kg] of bodies that the model has no mass of
TYPICAL_SIZE = 0.1  # [m] radius of gyration of bodies that the model has no size of
TYPICAL_SPIN = 1e-4  # [kg m^2] of rotors that the model has no inertia of
THIN = 0.05  # of the largest radius of gyration: a guess is no thinner
SMALL = 1e-3  # of the largest value of the same kind: a guess is no smaller


def consistent(linear: Linear, y: Array, forces: Array, free: Estimate) -> Array:
    """The physically consistent standard parameters (nparameters,) that fit forces best.

    Args:
        linear: what the forces are linear in, and the model.
        y, forces: the equations (m, n, p), (m, n).
        free: their unconstrained solution, whose residuals give the weights of the equations.
    """
    noise = np.sqrt((free.residuals**2).mean(axis=0))
    noise = np.maximum(noise, EXACT * np.sqrt((forces**2).mean()))
    weights = Weights(noise, free.weights.rows)
    flat = np.concatenate([weights.of(y).reshape(-1, y.shape[2]), weights.of(forces).reshape(-1, 1)], axis=1)
    triangle: Any = np.linalg.qr(flat, mode="r")
    standard, bodies = _variables(linear)
    fit = Penalised(triangle[:, :-1] @ (linear.base.matrix() @ standard), triangle[:, -1], bodies)
    with one_blas_thread():
        found = linear.known + standard @ fit.minimum()
    for other, kept in round_parameters(linear.base.tree).items():
        found[other] = found[kept] if kept >= 0 and kept in linear.base.considered else found[other]
    return found


def nearest(linear: Linear, values: Array) -> Array:
    """The standard parameters with these base parameters that are nearest to those of the model."""
    columns = list(linear.base.considered)
    matrix = linear.base.matrix()[:, columns]
    found = linear.model.copy()
    found[columns] += np.linalg.lstsq(matrix, values - linear.nominal, rcond=None)[0]
    for other, kept in round_parameters(linear.base.tree).items():
        found[other] = found[kept] if kept >= 0 else found[other]
    return found


# -- variables: pseudo-inertias, and positive numbers, over those of the model -----------------------------------------


_PAIRS = [(i, j) for i in range(4) for j in range(i, 4)]
_UNITS = np.zeros((10, 4, 4))
for _k, (_i, _j) in enumerate(_PAIRS):
    _UNITS[_k, _i, _j] = _UNITS[_k, _j, _i] = 1.0


def _variables(linear: Linear) -> tuple[Array, int]:
    """The standard parameters of the variables (nparameters, variables), and of how many bodies the first tens are."""
    tree, considered = linear.base.tree, np.array(linear.base.considered)
    inertial = 10 * tree.nbodies
    bodies, positive = list[Array](), list[Array]()
    for i in range(tree.nbodies if (considered < inertial).any() else 0):
        own, kind = slice(10 * i, 10 * i + 10), tree.bodies[i].joint.kind
        columns = np.zeros((linear.base.tree.nparameters, 1 if isinstance(kind, Rotor) else 10))
        if isinstance(kind, Rotor):  # keeps its shape
            columns[own, 0] = linear.model[own] if linear.model[own].any() else _disc(kind)
            positive.append(columns)
        else:
            root = np.linalg.cholesky(_guess(tree, linear.model, i))
            columns[own] = np.stack([_moments(root @ unit @ root.T) for unit in _UNITS], axis=1)
            bodies.append(columns)
    for c in considered[considered >= inertial]:
        positive.append(_positive(linear, int(c)) * np.eye(tree.nparameters)[:, [c]])
    return np.concatenate([*bodies, *positive], axis=1), len(bodies)


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
    """The pseudo-inertia of a body of the model, made physically consistent where it is not."""
    masses = model[0 : 10 * tree.nbodies : 10]
    typical = float(masses[masses > 0].mean()) if (masses > 0).any() else TYPICAL_MASS
    return positive_definite(model[10 * i : 10 * i + 10], typical)


def positive_definite(moments: Array, typical: float) -> Array:
    """The pseudo-inertia of ten moments, made physically consistent where it is not, with a typical mass for none."""
    p = pseudo_inertia(moments)
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
    kinds = [name.rsplit(".", 1)[1].rstrip("0123456789") for name in linear.base.standard_names]
    same = [abs(x) for kind, x in zip(kinds, linear.model) if kind == kinds[column]]
    largest = max(same, default=0.0) or 1.0
    return float(max(linear.model[column], SMALL * largest if any(same) else largest))


# -- the minimum -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Penalised:
    """Squared residuals |A x - b|^2 / 2 and a barrier, of ten variables for each body and positive numbers after them.

    The pseudo-inertias and the positive numbers of the model are ones.
    """

    A: Array
    b: Array
    bodies: int

    @cached_property
    def model(self) -> Array:
        unit = [float(i == j) for i, j in _PAIRS]
        return np.concatenate([*[unit] * self.bodies, np.ones(self.A.shape[1] - 10 * self.bodies)])

    def _parts(self, x: Array) -> tuple[Array, Array]:
        """The pseudo-inertias (bodies, 4, 4), and the positive numbers."""
        own = x[: 10 * self.bodies].reshape(-1, 10)
        return np.einsum("ka,aij->kij", own, _UNITS), x[10 * self.bodies :]

    def minimum(self) -> Array:
        """The variables at which the residuals and a small multiple of the barrier are least."""
        x, pull = self.model, FIRST * PULL
        while True:
            try:
                found = self._centre(x, pull)
                inertias, s = self._parts(found)
                thin = min(np.linalg.eigvalsh(inertias).min(initial=np.inf), s.min(initial=np.inf))
            except np.linalg.LinAlgError:
                return x
            if not thin > 0.0:  # lost in rounding: the result of the last multiple is as good as it gets
                return x
            x = found
            if pull <= PULL or thin < THINNEST:
                return x
            pull = max(PULL, 0.1 * pull)

    def _centre(self, x: Array, pull: float) -> Array:
        """The minimum for one multiple, by Newton's method from another point."""
        normal = self.A.T @ self.A
        for _ in range(STEPS):
            slope, curvature = self._barrier(x)
            gradient = self.A.T @ (self.A @ x - self.b) + pull * (self.model + slope)
            step = -np.linalg.solve(normal + pull * curvature, gradient)
            gain = -float(gradient @ step)
            if gain <= SETTLED * pull:
                break
            far = x + min(1.0, NEAR * self._longest(x, step)) * step
            # the second one always decreases the cost, which over the multiple is self-concordant
            x = far if self._cost(far, pull) < self._cost(x, pull) else x + step / (1.0 + math.sqrt(gain / pull))
        return x

    def _cost(self, x: Array, pull: float) -> float:
        inertias, s = self._parts(x)
        logs = np.log(s).sum() + np.linalg.slogdet(inertias)[1].sum()
        return 0.5 * float(((self.A @ x - self.b) ** 2).sum()) + pull * float(self.model @ x - logs)

    def _barrier(self, x: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of - log det P of all bodies and - log s."""
        inertias, s = self._parts(x)
        inverse = np.linalg.inv(inertias)[:, None] @ _UNITS  # P^-1 E_a
        slope = np.concatenate([-np.einsum("kaii->ka", inverse).ravel(), -1.0 / s])
        curvature = np.diag(np.concatenate([np.zeros(10 * self.bodies), 1.0 / s**2]))
        for k, own in enumerate(np.einsum("kaij,kbji->kab", inverse, inverse)):
            curvature[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = own
        return slope, curvature

    def _longest(self, x: Array, step: Array) -> float:
        """How far along a step all stays consistent."""
        (inertias, s), (changes, ds) = self._parts(x), self._parts(step)
        root = np.linalg.inv(np.linalg.cholesky(inertias))
        eigenvalues = np.linalg.eigvalsh(root @ changes @ root.transpose(0, 2, 1))
        return 1.0 / max(np.max(-ds / s, initial=0.0), np.max(-eigenvalues, initial=0.0), 1e-300)
