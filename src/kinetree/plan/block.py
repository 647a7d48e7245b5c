"""Quantities at places of a spline motion, with derivatives with respect to its control points and its duration.

With s = t / T a motion is q(s) = sum_a B_a(s) P_a, and its derivatives in time are

    z_r = sum_a B_a^(r)(s) P_a / T^r,        d z_r/dP_a = B_a^(r) / T^r,        d z_r/dT = - r z_r / T.

Each place depends on degree + 1 control points and T, so all matrices are sparse. [Barman] (4.13)-(4.16), with the
derivative with respect to T that (4.15) leaves out, and second derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.kernel import Kernel
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.spline import Spline

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Block:
    """Some quantities at some places.

    Args:
        robot: whose they are.
        spline: of the motion.
        quantities: linear ones (derivatives of q) and others.
        places: values of s (k,).
    """

    def __init__(self, robot: Any, spline: Spline, quantities: Sequence[Quantity], places: Array) -> None:
        self.n, self.quantities, self.places = robot.nv, tuple(quantities), np.asarray(places, float)
        self.order = max((q.order for q in quantities), default=0)
        self.powers = np.arange(self.order + 1)
        self.table, self.points = spline.local(self.places, self.order)
        self.linear = [q for q in quantities if isinstance(q, Derivative)]
        self.curved = [q for q in quantities if not isinstance(q, Derivative)]
        self.kernel = Kernel(robot, self.curved, self.order) if self.curved else None
        self.count = len(self.places)
        self.straight = len(self.linear) * self.n
        self.rows = self.straight + (self.kernel.size if self.kernel else 0)
        # the unknowns that a place depends on: its control points joint by joint, and T last
        own = self.points[:, :, None] * self.n + np.arange(self.n)
        last = np.full((self.count, 1), spline.points * self.n)
        self.unknowns: Numbers = np.concatenate([own.reshape(self.count, -1), last], axis=1)

    def ordered(self, per_quantity: Sequence[Any]) -> list[Any]:
        """What belongs to each quantity, in the order of the rows: linear ones first."""
        pairs = sorted(zip(self.quantities, per_quantity), key=lambda pair: not isinstance(pair[0], Derivative))
        return [x for _, x in pairs]

    def instants(self, x: Array) -> Array:
        """z (k, order + 1, n)."""
        P = x[:-1].reshape(-1, self.n)
        return np.einsum("kra,kan->krn", self.table, P[self.points]) / x[-1] ** self.powers[None, :, None]

    def values(self, x: Array) -> Array:
        """(k, rows)."""
        z = self.instants(x)
        parts = [z[:, q.degree] for q in self.linear]
        if self.kernel is not None:
            parts.append(self.kernel.function(0)(z.reshape(self.count, -1)))
        return np.concatenate(parts, axis=1)

    def jacobian(self, x: Array) -> Array:
        """(k, rows, unknowns of a place)."""
        z, T = self.instants(x), x[-1]
        table = self.table / T ** self.powers[None, :, None]
        width = self.unknowns.shape[1]
        J = np.zeros((self.count, self.rows, width))
        across = np.arange(self.n)
        for k, q in enumerate(self.linear):
            own = J[:, k * self.n : (k + 1) * self.n]
            own[:, across[:, None], np.arange(width - 1).reshape(-1, self.n).T] = table[:, q.degree][:, None, :]
            own[:, :, -1] = -q.degree * z[:, q.degree] / T
        if self.kernel is not None:
            _, D = self.kernel.function(1)(z.reshape(self.count, -1))
            D = D.reshape(self.count, self.kernel.size, *z.shape[1:])
            J[:, self.straight :, :-1] = np.einsum("kirn,kra->kian", D, table).reshape(self.count, self.kernel.size, -1)
            J[:, self.straight :, -1] = -np.einsum("kirn,krn,r->ki", D, z, self.powers) / T
        return J

    def hessian(self, x: Array, weights: Array) -> Array:
        """The second derivative of the weighted sum of the rows of each place: (k, unknowns, unknowns)."""
        z, T, r = self.instants(x), x[-1], self.powers
        table = self.table / T ** r[None, :, None]
        gradient = np.zeros_like(z)
        for k, q in enumerate(self.linear):
            gradient[:, q.degree] += weights[:, k * self.n : (k + 1) * self.n]
        width = self.unknowns.shape[1]
        H = np.zeros((self.count, width, width))
        moved = -z * r[None, :, None] / T  # dz/dT
        to_T = -np.einsum("kra,krn,r->kan", table, gradient, r) / T
        if self.kernel is not None:
            g, D = self.kernel.function(2)(z.reshape(self.count, -1), weights[:, self.straight :])
            g = g.reshape(z.shape)
            gradient = gradient + g
            D = D.reshape(self.count, *z.shape[1:], *z.shape[1:])
            half = np.einsum("krnsm,ksb->krnbm", D, table)
            H[:, :-1, :-1] = np.einsum("kra,krnbm->kanbm", table, half).reshape(self.count, width - 1, width - 1)
            along = np.einsum("krnsm,ksm->krn", D, moved)
            to_T = to_T + np.einsum("kra,krn->kan", table, along - g * r[None, :, None] / T)
            H[:, -1, -1] = np.einsum("krn,krn->k", moved, along)
        H[:, -1, -1] += np.einsum("krn,krn,r->k", gradient, z, r * (r + 1)) / T**2
        H[:, :-1, -1] = H[:, -1, :-1] = to_T.reshape(self.count, -1)
        return H
