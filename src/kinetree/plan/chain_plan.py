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
        return on_chain(super().loaded(what), self._closed.chain.actuation)

    def independent(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """The motion of the independent joints, each (..., n)."""
        q, qd, qdd, qddd = Plan.motion(self, t)
        return q, qd, qdd, qddd

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        closed, parts = self._closed, [x.reshape(-1, self.points.shape[1]) for x in self.independent(t)]
        postures = closed.postures(parts[0])
        if not np.isfinite(postures).all():
            raise ClosureError("the loops can't be closed along the whole plan")
        kernel = Kernel(self.robot, [Derivative(k) for k in range(4)], 3, closed.mapping)
        values = kernel.function(0)(np.concatenate(parts, axis=1), postures)
        q, qd, qdd, qddd = (x.reshape(*np.shape(t), -1) for x in np.split(values, 4, axis=1))
        return q, qd, qdd, qddd

    def forces(self, t: ArrayLike) -> Array:
        """The forces of the actuated joints at times (...): (..., actuated) [N m, N]."""
        q, qd, qdd, _ = self.motion(t)
        return np.asarray(self._closed.chain.inverse_dynamics(q, qd, qdd, **self._loads), float)

    def force_rates(self, t: ArrayLike) -> Array:
        """How fast the forces of the actuated joints change at times (...): (..., actuated) [N m/s, N/s]."""
        return self.values("force_rate", t)

    def wrenches(self, t: ArrayLike) -> Array:
        q, qd, qdd, _ = self.motion(t)
        return np.asarray(self._closed.chain.joint_wrenches(q, qd, qdd, **self._loads), float)
