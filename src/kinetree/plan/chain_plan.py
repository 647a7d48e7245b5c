"""`ChainPlan`: a planned motion of a closed chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import ClosureError, InputError
from kinetree.plan.chains import Closed, on_chain
from kinetree.plan.kernel import Kernel
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Derivative, Quantity

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class ChainPlan(Plan):
    """A planned motion of a closed chain; a `Plan` whose control points are those of its independent joints.

    ``motion`` gives all joints of the tree, ``forces`` those of the actuated joints.

    Args:
        closed: the chain, and the assembly that it moves in.
    """

    closed: Closed | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, problem: Problem, *found: Any, **more: Any) -> Plan:
        return super().of(problem, *found, closed=problem.closed, **more)

    @property
    def _closed(self) -> Closed:
        if self.closed is None:
            raise InputError("a plan of a closed chain needs the chain")
        return self.closed

    def loaded(self, what: str | Quantity) -> Quantity:
        wanted = super().loaded(what)
        return wanted if wanted.order > 2 else on_chain(wanted, self._closed.chain.drives)

    def independent(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """The motion of the independent joints, each (..., n)."""
        q, qd, qdd, qddd = Plan.motion(self, t)
        return q, qd, qdd, qddd

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        closed, parts = self._closed, [x.reshape(-1, self.points.shape[1]) for x in self.independent(t)]
        postures = closed.postures(parts[0])
        if not np.isfinite(postures).all():
            raise ClosureError("the loops can't be closed along the whole plan")
        kernel = Kernel(self.robot, [Derivative(0), Derivative(1), Derivative(2)], 2, closed.mapping)
        values, slopes = kernel.function(1)(np.concatenate(parts[:3], axis=1), postures)
        jerks = (slopes[:, 2 * self.robot.nv :] @ np.concatenate(parts[1:], axis=1)[:, :, None])[:, :, 0]
        shape = (*np.shape(t), -1)
        q, qd, qdd = (x.reshape(shape) for x in np.split(values, 3, axis=1))
        return q, qd, qdd, jerks.reshape(shape)

    def forces(self, t: ArrayLike) -> Array:
        """The forces of the actuated joints at times (...): (..., actuated) [N m, N]."""
        q, qd, qdd, _ = self.motion(t)
        return np.asarray(self._closed.chain.inverse_dynamics(q, qd, qdd, **self._loads), float)

    def force_rates(self, t: ArrayLike) -> Array:
        parts = [x.reshape(-1, self.points.shape[1]) for x in self.independent(t)]
        kernel = Kernel(self.robot, [self.loaded("force")], 2, self._closed.mapping)
        _, slopes = kernel.function(1)(np.concatenate(parts[:3], axis=1), self._closed.postures(parts[0]))
        rates = slopes @ np.concatenate(parts[1:], axis=1)[:, :, None]
        return rates[:, :, 0].reshape(*np.shape(t), -1)

    def wrenches(self, t: ArrayLike) -> Array:
        q, qd, qdd, _ = self.motion(t)
        return np.asarray(self._closed.chain.joint_wrenches(q, qd, qdd, **self._loads), float)
