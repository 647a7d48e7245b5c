"""Quantities at collocation points, with derivatives with respect to the control points and the duration.

With s = t / T a motion is q(s) = sum_a B_a(s) P_a, and its derivatives in time are

    z_r = sum_a B_a^(r)(s) P_a / T^r,        d z_r/dP_a = B_a^(r) / T^r,        d z_r/dT = - r z_r / T.

Each point depends on a few control points and T, so all matrices are sparse. Reference: [Barman] (4.13)-(4.16), with
the derivative with respect to T that (4.15) leaves out, and second derivatives.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeVar

import numpy as np

from kinetree.compile import compiled
from kinetree.runtime.function import Function
from kinetree.transcribe.basis import Array, Basis, Indices
from kinetree.transcribe.collocation import LARGEST, PointDerivatives, PointValues, sample
from kinetree.transcribe.quantity import Coordinates, SampleQuantity
from kinetree.transcribe.sample import GRADIENT, HESSIAN, JACOBIAN, VALUES, SampleFunctions

T = TypeVar("T")
LARGE = 64  # variables of a point from which one product for a knot interval beats one for each point
EXACT, DIFFERENCES = "exact", "differences"


class Block(Protocol):
    """Rows at some points, each of which depends on a few variables."""

    s: Array  # the points (k,)
    rows: int  # of each point
    variables: Indices  # the indices of what each point depends on (k, m)

    # whether `linearise` gives matrices of points, or of knot intervals
    @property
    def packed(self) -> bool: ...

    # a name for each row
    def names(self) -> list[str]: ...

    # (k, rows)
    def values(self, x: Array) -> Array: ...

    def linearise(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        """All that a step of a solver needs, for multipliers y of rows and weights sigma of their squares (k, rows).

        J (k, rows, m), and the matrices H + J^T diag(sigma) J with the Hessian H of y . rows: of each point the lower
        triangle, row by row, where the block is ``packed``; else the sums over knot intervals, with their first points.
        """
        ...


class CollocationBlock:
    """Some quantities at some collocation points.

    Args:
        robot: whose they are.
        basis: of the motion.
        coordinates: that the curves describe.
        quantities: linear ones (derivatives of the coordinates) and nonlinear ones.
        s: the collocation points (k,).
        parameters: numbers that the quantities may use, as a function of s: (k,) -> (k, m).
        hessian: EXACT, or DIFFERENCES of first derivatives.
    """

    def __init__(
        self, robot: Any, basis: Basis, coordinates: Coordinates, quantities: Sequence[SampleQuantity], s: Array,
        parameters: Callable[[Array], Array] | None = None, hessian: str = EXACT,
    ) -> None:  # fmt: skip
        self.robot, self.basis, self.coordinates, self.n, self.hessian = (
            robot,
            basis,
            coordinates,
            coordinates.size,
            hessian,
        )
        self.quantities = tuple(quantities)
        self.linear = [q for q in quantities if coordinates.is_linear(q)]
        self.nonlinear = [q for q in quantities if not coordinates.is_linear(q)]
        extra = coordinates.extra_order
        self.order = max((q.order + (0 if q in self.linear else extra) for q in quantities), default=0)
        self.powers: Array = np.repeat(np.arange(self.order + 1.0), self.n)
        self._parameters = parameters if any(q.needs_parameters for q in self.nonlinear) else None
        self._place(s)
        count = 0 if self.parameters is None else self.parameters.shape[1]
        self.functions = SampleFunctions(robot, self.nonlinear, self.n, self.order, coordinates.map, count)
        self._point_functions = dict[type, Function]()
        self.linear_rows = len(self.linear) * self.n
        self.rows = self.linear_rows + self.functions.size

    def _place(self, s: Array) -> None:
        self.s = np.asarray(s, float)
        self.table, self.points = self.basis.evaluate(self.s, self.order)
        self.variables = _variables(self.basis, self.s.tobytes(), self.n)
        self.parameters = None if self._parameters is None else self._parameters(self.s)
        self._x, self._cache = b"", dict[str, Array]()  # variables, and what was computed for them
        self._operands: tuple[Array, ...] | None = None
        self._near: Array | None = None

    def at(self, s: Array) -> CollocationBlock:
        """The same quantities at other points, by the same compiled functions."""
        other = copy.copy(self)
        other._place(s)
        return other

    @property
    def packed(self) -> bool:
        """Whether one compiled function does all that a step needs."""
        return self.hessian == EXACT and self.variables.shape[1] <= LARGEST

    def ordered(self, per_quantity: Sequence[T]) -> list[T]:
        """What belongs to each quantity, in the order of the rows: linear ones first."""
        pairs = sorted(zip(self.quantities, per_quantity), key=lambda pair: pair[0] not in self.linear)
        return [x for _, x in pairs]

    def names(self) -> list[str]:
        return [name for q in (*self.linear, *self.nonlinear) for name in q.names(self.robot)]

    # -- samples -------------------------------------------------------------------------------------------------------

    def samples(self, x: Array) -> Array:
        """z (k, (order + 1) n)."""
        cache = self._at(x)
        if "samples" not in cache:
            if self.variables.shape[1] <= LARGEST:
                cache["samples"] = self._sample(x[self.variables], self.table)
            else:
                z = np.matmul(self.table, x[:-1].reshape(-1, self.n)[self.points]).reshape(len(self.s), -1)
                cache["samples"] = z / x[-1] ** self.powers
        return cache["samples"]

    def _at(self, x: Array) -> dict[str, Array]:
        """What is known for these variables."""
        if (key := x.tobytes()) != self._x:
            self._x, self._cache, self._operands = key, {}, None
        return self._cache

    def operands(self, z: Array) -> tuple[Array, ...]:
        """What the functions of the nonlinear quantities take: samples, the operand of the map, parameters."""
        if self._operands is None:
            self._operands = self.coordinates.operands(z, self._near)
            self._near = self._operands[-1]
        return self._operands if self.parameters is None else (*self._operands, self.parameters)

    def chained(self, A: Array, x: Array) -> Array:
        """A dz/d(variables of a point), for A (k, m, (order + 1) n): (k, m, variables).

        dz/dP is the basis for each coordinate alone, so the product needs no matrix of that size.
        """
        z, T, (k, m, _) = self.samples(x), x[-1], A.shape
        basis = (self.table / T ** np.arange(self.order + 1.0)[:, None]).transpose(0, 2, 1)
        out = np.empty((k, m, self.variables.shape[1]))
        by_order = A.reshape(k, m, self.order + 1, self.n)
        out[:, :, :-1] = np.matmul(basis[:, None], by_order).reshape(k, m, -1)
        out[:, :, -1] = np.matmul(A, (z * (-self.powers / T))[:, :, None])[:, :, 0]
        return out

    @cached_property
    def _sample(self) -> Function:
        return sample(self.n, self.order + 1, self.table.shape[2])

    def _at_point(self, kind: type[PointValues | PointDerivatives], output: int) -> Function:
        if kind not in self._point_functions:
            form = self.n, self.order, self.table.shape[2], tuple(q.order for q in self.linear)
            traced = kind(*form, self.functions.traced(output) if self.nonlinear else None)
            self._point_functions[kind] = compiled(traced, self.robot)
        return self._point_functions[kind]

    def needed_functions(self) -> list[Function]:
        """The compiled functions that `values` and `linearise` call."""
        plain = self.coordinates.map is None and self.parameters is None
        if not self.packed:
            derivatives = (GRADIENT,) if self.hessian == DIFFERENCES else (JACOBIAN, HESSIAN)
            return [self.functions[output] for output in (VALUES, *derivatives)] if self.nonlinear else []
        if plain:
            return [self._at_point(PointValues, VALUES), self._at_point(PointDerivatives, JACOBIAN)]
        own = [self.functions[VALUES]] if self.nonlinear else []
        return [self._at_point(PointDerivatives, JACOBIAN), *own]

    # -- rows ----------------------------------------------------------------------------------------------------------

    def values(self, x: Array) -> Array:
        cache = self._at(x)
        if "values" not in cache and self.packed and self.coordinates.map is None and self.parameters is None:
            cache["values"] = self._at_point(PointValues, VALUES)(x[self.variables], self.table)
        elif "values" not in cache:
            z, n = self.samples(x), self.n
            parts = [z[:, n * q.order : n * (q.order + 1)] for q in self.linear]
            if self.nonlinear:
                parts.append(self.functions[VALUES](*self.operands(z)))
            cache["values"] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return cache["values"]

    def linearise(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        if not self.packed:
            A = self._rows_by_samples(x)
            squares = np.matmul((A * sigma[:, :, None]).transpose(0, 2, 1), A) if sigma.any() else None
            return self.chained(A, x), self._hessian(x, y, starts, squares)
        more: tuple[Array, ...] = ()
        if self.nonlinear and (self.coordinates.map is not None or self.parameters is not None):
            more = self.operands(self.samples(x))[0 if self.coordinates.map is not None else 1 :]
        return self._at_point(PointDerivatives, JACOBIAN)(x[self.variables], self.table, y, sigma, *more)

    # -- large blocks, in NumPy ----------------------------------------------------------------------------------------

    def _rows_by_samples(self, x: Array) -> Array:
        """The derivatives of all rows with respect to z: (k, rows, (order + 1) n)."""
        parts = [self._linear_jacobian()] if self.linear else []
        if self.nonlinear:
            functions, given = self.functions, self.operands(self.samples(x))
            by_gradients = self.hessian == DIFFERENCES
            parts.append(functions.jacobian_by_gradients(*given) if by_gradients else functions[JACOBIAN](*given)[1])
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _linear_jacobian(self) -> Array:
        """Of the linear rows with respect to z: (k, rows, (order + 1) n)."""
        n, picked = self.n, np.zeros((self.linear_rows, len(self.powers)))
        for k, q in enumerate(self.linear):
            picked[n * k : n * (k + 1), n * q.order : n * (q.order + 1)] = np.eye(n)
        return np.broadcast_to(picked, (len(self.s), *picked.shape))

    def gradient(self, weights: Array, of_nonlinear: Array | float) -> Array:
        """With respect to z, of the weighted sum of the rows; that of the nonlinear ones is given."""
        n, total = self.n, np.zeros((len(self.s), len(self.powers)))
        for k, q in enumerate(self.linear):
            total[:, n * q.order : n * (q.order + 1)] += weights[:, k * n : (k + 1) * n]
        return total + of_nonlinear

    def _hessian(self, x: Array, y: Array, starts: Indices, squares: Array | None) -> Array:
        """The second derivative of y . rows, and squares G^T M G of rows, M (k, nz, nz), summed over knot intervals.

        With the gradient g of the sum with respect to z, its second derivative D and G = dz/d(variables) this is
        G^T D G + g . d2z, where d2z_r/dP dT = -r B^(r) / T^(r + 1) and d2z_r/dT2 = r (r + 1) z_r / T^2.
        """
        z, T = self.samples(x), x[-1]
        g, D = 0.0, squares
        if self.nonlinear:
            first, *more = self.operands(z)
            by_differences = self.hessian == DIFFERENCES
            second = self.functions.hessian_by_differences if by_differences else self.functions[HESSIAN]
            g, D = second(first, y[:, self.linear_rows :], *more)
            if squares is not None:
                D += squares
        m = self.variables.shape[1]
        H = np.zeros((len(starts), m, m)) if D is None else self._both_sides(D, x, starts)
        scaled = self.gradient(y, g) * (self.powers / -T)
        with_T = self.chained(scaled[:, None, :], x)[:, 0]
        with_T[:, -1] -= (scaled * z).sum(axis=1) / T
        with_T = np.add.reduceat(with_T, starts, axis=0)
        H[:, -1, :-1] += with_T[:, :-1]
        H[:, :-1, -1] += with_T[:, :-1]
        H[:, -1, -1] += with_T[:, -1]
        return H

    def _both_sides(self, D: Array, x: Array, starts: Indices) -> Array:
        """The sums over knot intervals of G^T D G, G = dz/d(variables): one product each, over points and orders."""
        if self.variables.shape[1] < LARGE:
            return np.add.reduceat(self.chained(self.chained(D, x).transpose(0, 2, 1), x), starts, axis=0)
        z, T, n, R, count = self.samples(x), x[-1], self.n, self.order + 1, len(self.s)
        basis = self.table / T ** np.arange(float(R))[:, None]
        p = basis.shape[2]
        pairs = (basis[:, :, None, :, None] * basis[:, None, :, None, :]).reshape(count * R * R, p * p)
        by_order = D.reshape(count, R, n, R, n).transpose(0, 1, 3, 2, 4).reshape(count * R * R, n * n)
        H = np.zeros((len(starts), p * n + 1, p * n + 1))
        for k, (start, end) in enumerate(zip(starts, (*starts[1:], count))):
            own = slice(start * R * R, end * R * R)
            points = (pairs[own].T @ by_order[own]).reshape(p, p, n, n).transpose(0, 2, 1, 3)
            H[k, :-1, :-1] = points.reshape(p * n, p * n)
        dz_dT = z * (-self.powers / T)
        with_T = self.chained(np.matmul(dz_dT[:, None], D), x)[:, 0]
        with_T = np.add.reduceat(with_T, starts, axis=0)
        H[:, -1, :], H[:, :-1, -1] = with_T, with_T[:, :-1]
        return H


def weighted_squares(J: Array, sigma: Array, starts: Indices) -> Array:
    """The sums over knot intervals of J^T diag(sigma) J, for J (k, rows, m) and weights (k, rows) not below 0."""
    rooted, width = J * np.sqrt(sigma)[:, :, None], J.shape[2]
    if width < LARGE:
        return np.add.reduceat(np.matmul(rooted.transpose(0, 2, 1), rooted), starts, axis=0)
    intervals = [rooted[a:b].reshape(-1, width) for a, b in zip(starts, (*starts[1:], len(J)))]
    return np.stack([X.T @ X for X in intervals])  # of a matrix with itself BLAS does one half


@lru_cache(maxsize=32)
def _variables(basis: Basis, values_of_s: bytes, n: int) -> Indices:
    """The variables that each point depends on: its control points coordinate by coordinate, and T last."""
    points = basis.evaluate(np.frombuffer(values_of_s), 0)[1]
    own = (points[:, :, None] * n + np.arange(n)).reshape(len(points), -1)
    found = np.concatenate([own, np.full((len(points), 1), basis.size * n)], axis=1)
    found.flags.writeable = False
    return found
