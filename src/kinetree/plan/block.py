"""Quantities at places of a spline motion, with derivatives with respect to its control points and its duration.

With s = t / T a motion is q(s) = sum_a B_a(s) P_a, and its derivatives in time are

    z_r = sum_a B_a^(r)(s) P_a / T^r,        d z_r/dP_a = B_a^(r) / T^r,        d z_r/dT = - r z_r / T.

Each place depends on degree + 1 control points and T, so all matrices are sparse. [Barman] (4.13)-(4.16), with the
derivative with respect to T that (4.15) leaves out, and second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compile import compiled
from kinetree.plan.kernel import Kernel
from kinetree.plan.place import SMALL, AtPlace, RowsAtPlace, instant
from kinetree.plan.quantity import Derivative, Parameter, Quantity
from kinetree.plan.seam import LARGE, squared
from kinetree.plan.spline import Spline
from kinetree.plan.way import Way
from kinetree.runtime.function import Function

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Block:
    """Some quantities at some places.

    Args:
        robot: whose they are.
        spline: of the motion.
        quantities: linear ones (derivatives of what the spline describes) and others.
        places: values of s (k,).
        way: how the joints move, where the spline does not describe them themselves.
        known: numbers that the quantities may use, as a function of places: (k,) -> (k, m).
        second: derivatives, "compiled" or "differences" of first ones.
    """

    def __init__(
        self,
        robot: Any,
        spline: Spline,
        quantities: Sequence[Quantity],
        places: Array,
        way: Way | None = None,
        known: Callable[[Array], Array] | None = None,
        second: str = "compiled",
    ) -> None:
        self.second = second
        self.robot, self.way, self.n = robot, way, robot.nv if way is None else way.width
        self.quantities, self.places = tuple(quantities), np.asarray(places, float)
        straight = Derivative if way is None else Parameter
        self.linear = [q for q in quantities if isinstance(q, straight)]
        self.curved = [q for q in quantities if not isinstance(q, straight)]
        lift = 0 if way is None else way.lift
        self.order = max((q.order + (0 if q in self.linear else lift) for q in quantities), default=0)
        self.table, self.points = spline.local(self.places, self.order)
        mapping = None if way is None else way.mapping
        self.known = known(self.places) if known and any(q.informed for q in self.curved) else None
        informed = 0 if self.known is None else self.known.shape[1]
        self.kernel = Kernel(robot, self.curved, self.order, mapping, informed) if self.curved else None
        self.count = len(self.places)
        self.straight = len(self.linear) * self.n
        self.rows = self.straight + (self.kernel.size if self.kernel else 0)
        self.unknowns = _unknowns(spline, self.places.tobytes(), self.n)
        self.powers: Array = np.repeat(np.arange(self.order + 1.0), self.n)
        self._x, self._kept = b"", dict[str, Array]()  # unknowns, and what was computed for them
        self._beside: tuple[Array, Array] | None = None
        self._before: Array | None = None

    @property
    def packed(self) -> bool:
        """Whether a compiled function does all that a step needs."""
        return self.second == "compiled" and self.unknowns.shape[1] <= SMALL

    @cached_property
    def pattern(self) -> NDArray[np.bool_]:
        """Which rows depend on which unknowns of a place: linear ones on their own joint, and on T."""
        width = self.unknowns.shape[1]
        joint = np.arange(width) % self.n
        pattern = np.ones((self.rows, width), bool)
        for k, q in enumerate(self.linear):
            pattern[k * self.n : (k + 1) * self.n] = joint == np.arange(self.n)[:, None]
            pattern[k * self.n : (k + 1) * self.n, -1] = q.order > 0
        return pattern

    def ordered(self, per_quantity: Sequence[Any]) -> list[Any]:
        """What belongs to each quantity, in the order of the rows: linear ones first."""
        pairs = sorted(zip(self.quantities, per_quantity), key=lambda pair: pair[0] not in self.linear)
        return [x for _, x in pairs]

    def names(self) -> list[str]:
        """A name for each row."""
        return [name for q in (*self.linear, *self.curved) for name in q.names(self.robot)]

    # -- instants ------------------------------------------------------------------------------------------------

    def instants(self, x: Array) -> Array:
        """z (k, (order + 1) n)."""
        kept = self._of(x)
        if "instants" not in kept:
            if self.unknowns.shape[1] <= SMALL:
                kept["instants"] = self._instant(x[self.unknowns], self.table)
            else:
                z = np.matmul(self.table, x[:-1].reshape(-1, self.n)[self.points]).reshape(self.count, -1)
                kept["instants"] = z / x[-1] ** self.powers
        return kept["instants"]

    def _of(self, x: Array) -> dict[str, Array]:
        """What is known for these unknowns."""
        if (key := x.tobytes()) != self._x:
            self._x, self._kept, self._beside = key, {}, None
        return self._kept

    def chained(self, A: Array, x: Array) -> Array:
        """A dz/d(unknowns of a place), for A (k, m, (order + 1) n): (k, m, unknowns).

        dz/dP is the basis for each coordinate alone, so the product needs no matrix of that size.
        """
        z, T, (k, m, _) = self.instants(x), x[-1], A.shape
        basis = (self.table / T ** np.arange(self.order + 1.0)[:, None]).transpose(0, 2, 1)
        out = np.empty((k, m, self.unknowns.shape[1]))
        by_order = A.reshape(k, m, self.order + 1, self.n)
        out[:, :, :-1] = np.matmul(basis[:, None], by_order).reshape(k, m, -1)
        out[:, :, -1] = np.matmul(A, (z * (-self.powers / T))[:, :, None])[:, :, 0]
        return out

    def _both_sides(self, D: Array, x: Array, starts: Numbers) -> Array:
        """The sums over spans of G^T D G, G = dz/d(unknowns): one product for each span, over places and orders."""
        if self.unknowns.shape[1] < LARGE:
            return np.add.reduceat(self.chained(self.chained(D, x).transpose(0, 2, 1), x), starts, axis=0)
        z, T, n, R = self.instants(x), x[-1], self.n, self.order + 1
        basis = self.table / T ** np.arange(float(R))[:, None]
        p = basis.shape[2]
        pairs = (basis[:, :, None, :, None] * basis[:, None, :, None, :]).reshape(self.count * R * R, p * p)
        by_order = D.reshape(self.count, R, n, R, n).transpose(0, 1, 3, 2, 4).reshape(self.count * R * R, n * n)
        H = np.zeros((len(starts), p * n + 1, p * n + 1))
        for k, (start, end) in enumerate(zip(starts, (*starts[1:], self.count))):
            own = slice(start * R * R, end * R * R)
            points = (pairs[own].T @ by_order[own]).reshape(p, p, n, n).transpose(0, 2, 1, 3)
            H[k, :-1, :-1] = points.reshape(p * n, p * n)
        slope = z * (-self.powers / T)
        with_T = self.chained(np.matmul(slope[:, None], D), x)[:, 0]
        with_T = np.add.reduceat(with_T, starts, axis=0)
        H[:, -1, :], H[:, :-1, -1] = with_T, with_T[:, :-1]
        return H

    @cached_property
    def _instant(self) -> Function:
        return instant(self.n, self.order + 1, self.table.shape[2])

    @cached_property
    def _at_place(self) -> Function:
        """The compiled function of a place."""
        return compiled(AtPlace(*self._form, None if self.kernel is None else self.kernel.traced(1)), self.robot)

    @cached_property
    def _rows_at_place(self) -> Function:
        return compiled(RowsAtPlace(*self._form, None if self.kernel is None else self.kernel.traced(0)), self.robot)

    @property
    def _form(self) -> tuple[int, int, int, tuple[int, ...]]:
        return self.n, self.order, self.table.shape[2], tuple(q.order for q in self.linear)

    @cached_property
    def _each(self) -> Array:
        """The rows of linear quantities as matrices of z: (k, rows, (order + 1) n)."""
        n, picked = self.n, np.zeros((self.straight, len(self.powers)))
        for k, q in enumerate(self.linear):
            picked[n * k : n * (k + 1), n * q.order : n * (q.order + 1)] = np.eye(n)
        return np.broadcast_to(picked, (self.count, *picked.shape))

    def _given(self, z: Array) -> tuple[Array, ...]:
        """Instants, with what the way of the joints needs beside them, and what is known."""
        known = () if self.known is None else (self.known,)
        if self.way is None:
            return (z, *known)
        if self._beside is None:
            self._beside = self.way.given(z, self._before)
            self._before = self._beside[1]
        return (*self._beside, *known)

    # -- rows ----------------------------------------------------------------------------------------------------

    def values(self, x: Array) -> Array:
        """(k, rows)."""
        kept = self._of(x)
        if "values" not in kept and self.packed and self.way is None and self.known is None:
            kept["values"] = self._rows_at_place(x[self.unknowns], self.table)
        elif "values" not in kept:
            z, n = self.instants(x), self.n
            parts = [z[:, n * q.order : n * (q.order + 1)] for q in self.linear]
            if self.kernel is not None:
                parts.append(self.kernel.function(0)(*self._given(z)))
            kept["values"] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return kept["values"]

    def jacobian(self, x: Array) -> Array:
        """(k, rows, unknowns of a place)."""
        z = self.instants(x)
        if "jacobian" not in self._kept and self.packed:
            none = np.zeros((self.count, self.rows))
            self._kept["jacobian"] = self.derivatives(x, none, none, np.arange(self.count))[0]
        elif "jacobian" not in self._kept:
            parts = [self.chained(self._each, x)] if self.linear else []
            if self.kernel is not None:
                parts.append(self.chained(self.kernel.function(1)(*self._given(z))[1], x))
            self._kept["jacobian"] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return self._kept["jacobian"]

    def derivatives(self, x: Array, by: Array, squares: Array, starts: Numbers) -> tuple[Array, Array]:
        """All that a step of a solver needs, for multipliers of the rows and weights of their squares (k, rows).

        J (k, rows, unknowns), and the matrices H + J^T squares J with the Hessian H of multipliers . rows: of each
        place the lower triangle, row by row, where the block is ``packed``; else the sums over spans.
        """
        if not self.packed:
            J = self.jacobian(x)
            return J, squared(J, squares, starts) + self.hessian(x, by, starts)
        given: tuple[Array, ...] = ()
        if self.kernel is not None and (self.way is not None or self.known is not None):
            given = self._given(self.instants(x))[0 if self.way is not None else 1 :]
        return self._at_place(x[self.unknowns], self.table, by, squares, *given)

    def hessian(self, x: Array, weights: Array, starts: Numbers | None = None) -> Array:
        """The second derivative of the weighted sum of the rows of each place: (k, unknowns, unknowns).

        Or with the first places of spans, the sum over each span. With the gradient g of the sum with respect to z, its
        second derivative D and G = dz/d(unknowns) this is G^T D G + g . d2z, where d2z_r/dP dT = -r B^(r) / T^(r + 1)
        and d2z_r/dT2 = r (r + 1) z_r / T^2.
        """
        z, T, n = self.instants(x), x[-1], self.n
        each = np.arange(self.count) if starts is None else starts
        gradient = np.zeros_like(z)
        for k, q in enumerate(self.linear):
            gradient[:, n * q.order : n * (q.order + 1)] += weights[:, k * n : (k + 1) * n]
        if self.kernel is None:
            H = np.zeros((len(each), self.unknowns.shape[1], self.unknowns.shape[1]))
        else:
            now, *path = self._given(z)
            second = self.kernel.differences if self.second == "differences" else self.kernel.function(2)
            g, D = second(now, weights[:, self.straight :], *path)
            gradient += g
            H = self._both_sides(D, x, each)
        turned = gradient * (self.powers / -T)
        with_T = self.chained(turned[:, None, :], x)[:, 0]
        with_T[:, -1] -= (turned * z).sum(axis=1) / T
        with_T = np.add.reduceat(with_T, each, axis=0)
        H[:, -1, :-1] += with_T[:, :-1]
        H[:, :-1, -1] += with_T[:, :-1]
        H[:, -1, -1] += with_T[:, -1]
        return H


@lru_cache(maxsize=32)
def _unknowns(spline: Spline, places: bytes, n: int) -> Numbers:
    """The unknowns that each place depends on: its control points joint by joint, and T last."""
    points = spline.local(np.frombuffer(places), 0)[1]
    own = (points[:, :, None] * n + np.arange(n)).reshape(len(points), -1)
    found = np.concatenate([own, np.full((len(points), 1), spline.points * n)], axis=1)
    found.flags.writeable = False
    return found
