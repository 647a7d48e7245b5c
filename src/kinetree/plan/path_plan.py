"""`PathPlan`: a planned motion along a given path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.plan.path import Path, along
from kinetree.plan.plan import Plan

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class PathPlan(Plan):
    """A planned motion along a path; a `Plan` whose spline and control points (m, 1) say where on the path it is.

    Args:
        path: what is followed.
    """

    path: Path | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, problem: Problem, *found: Any, **more: Any) -> Plan:
        return super().of(problem, *found, path=problem.path, **more)

    def unknowns(self, problem: Problem) -> Array:
        from kinetree.plan.ends import resampled

        return resampled(problem, self)

    def parameter(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Where on the path the motion is at times (...), and the derivatives of that in time, each (...)."""
        t = np.asarray(t, float)
        at = np.clip(t.ravel() / self.duration, 0.0, 1.0)
        z = self.spline.derivatives(self.points, at, 3)[:, :, 0] / (self.duration ** np.arange(4))[:, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.duration)] = 0.0
        s, sd, sdd, sddd = (part.reshape(t.shape) for part in z)
        return s, sd, sdd, sddd

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        if self.path is None:
            raise InputError("a plan along a path needs its path")
        s, *rates = self.parameter(t)
        coefficients = self.path.about(s.ravel()).transpose(1, 2, 0)
        parts = along(list(coefficients), np.zeros(s.size), *(x.ravel() for x in rates))
        q, qd, qdd, qddd = (np.stack(part, axis=-1).reshape(*s.shape, -1) for part in parts)
        return q, qd, qdd, qddd
