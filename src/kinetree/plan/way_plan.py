"""`WayPlan`: a planned motion whose splines describe other coordinates than those of the robot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.model.mechanism import Mechanism
from kinetree.plan.kernel import Kernel
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Force, Parameter, Quantity, Vector
from kinetree.plan.way import Coordinates

if TYPE_CHECKING:
    from kinetree.control import Reference
    from kinetree.plan.problem import Problem
    from kinetree.simulation import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Everything(Quantity):
    """Positions, velocities and accelerations, one after the other."""

    def size(self, robot: Mechanism) -> int:
        return robot.nq + 2 * robot.nv

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [*q, *qd, *qdd]


@dataclass(frozen=True, repr=False, eq=False)
class WayPlan(Plan):
    """A planned motion of a robot with elastic joints, or with quaternions among its coordinates.

    A `Plan` whose control points are those of the links, or of positions and of three numbers for each orientation.
    ``motion`` gives all coordinates of the robot as it has them, elastic motors and quaternions included; ``forces``
    has zeros at elastic joints, whose motors come last, and what acts on a floating base.

    Args:
        coordinates: what the spline describes.
    """

    coordinates: Coordinates | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, problem: Problem, *found: Any, **more: Any) -> Plan:
        return super().of(problem, *found, coordinates=problem.coordinates, **more)

    @property
    def _way(self) -> Coordinates:
        if self.coordinates is None:
            raise InputError("a plan in other coordinates needs these")
        return self.coordinates

    def loaded(self, what: str | Quantity) -> Quantity:
        wanted = super().loaded(what)
        return wanted if wanted.order > 2 else self._way.quantity(wanted)

    def described(self, t: ArrayLike, order: int) -> Array:
        """What the spline describes at times (...), and its derivatives: (order + 1, ..., width)."""
        t = np.asarray(t, float)
        if not np.isfinite(t).all():
            raise InputError("times must be finite numbers")
        z = self.spline.derivatives(self.points, np.clip(t.ravel() / self.duration, 0.0, 1.0), order)
        z = z / (self.duration ** np.arange(order + 1))[:, None, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.duration)] = 0.0
        return z.reshape(order + 1, *t.shape, -1)

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Positions (..., nq), velocities, accelerations and jerks, each (..., nv), as the robot has them."""
        way, nv = self._way, self.robot.nv
        order = 2 + way.lift
        z = self.described(t, order + 1)
        now, after = (np.concatenate([*part], axis=-1).reshape(z[0].size // way.width, -1) for part in (z[:-1], z[1:]))
        kernel = Kernel(self.robot, [Everything()], order, way.mapping)
        values, slopes = kernel.function(1)(*way.given(now, None))
        jerks = (slopes[:, -nv:] @ after[:, :, None])[:, :, 0]
        shape = (*np.shape(t), -1)
        q, qd, qdd = (x.reshape(shape) for x in np.split(values, [self.robot.nq, self.robot.nq + nv], axis=1))
        return q, qd, qdd, jerks.reshape(shape)

    def values(self, what: str | Quantity, t: ArrayLike) -> Array:
        wanted, way = self.loaded(what), self._way
        wanted.check(self.robot)
        if isinstance(wanted, Parameter):
            return self.described(t, wanted.degree)[-1]
        if wanted.order > 2 and way.lift:
            raise InputError(f"{wanted.title} needs third derivatives, which robots with elastic joints don't have")
        z = self.described(t, wanted.order + way.lift)
        instants = np.concatenate([*z], axis=-1)
        kernel = Kernel(self.robot, [wanted], wanted.order + way.lift, way.mapping)
        return kernel.function(0)(*way.given(instants, None))

    def applied(self, t: ArrayLike) -> Array:
        """The forces at times (...), less what a limit forbids: none on a base that nothing drives, for example."""
        tau = self.forces(t)
        for limit in self.limits:
            given = limit.lower == limit.upper
            if isinstance(limit.quantity, Force) and limit.during == (0.0, 1.0):
                tau[..., given] = limit.lower[given]
        return tau

    def force_rates(self, t: ArrayLike) -> Array:
        return self.values("force_rate", t)

    def reference(self, begin: float = 0.0) -> Reference:
        """The motion of the links of a robot with elastic joints, for `kinetree.control.ElasticTracking`."""
        if self.robot.quaternions:
            raise InputError("references have no orientations; follow the plan with your own law, from plan.motion(t)")
        return super().reference(begin)

    def simulate(self, *, kp: Any = None, kd: Any = None, rest: float = 0.0, **options: Any) -> Motion:
        """The robot under the forces of the plan alone: nothing corrects it.

        Args:
            kp, kd: there is no controller that could have gains.
            rest: how long it goes on after the end, with the forces of the end [s].
            options: ``robot``, ``q0`` and ``qd0`` as for `Plan.simulate`; and the options of `kinetree.simulate`.
        """
        from kinetree.simulation import simulate

        if kp is not None or kd is not None:
            raise InputError("a plan with elastic joints or a floating base is simulated with its forces alone")
        q, qd = self.motion(0.0)[:2]
        robot, q0, qd0 = (options.pop(name, x) for name, x in (("robot", self.robot), ("q0", q), ("qd0", qd)))
        if self.external is not None:
            options.setdefault("external", np.array(self.external))
        total = self.duration + rest
        steps = max(1, round(total / options.setdefault("dt", 1e-3)))
        table = self.applied((np.arange(steps) + 0.5) * (total / steps))  # those of the middle are held over a step

        def held(t: Any, q: Array, qd: Array) -> Array:
            return table[min(steps - 1, int(float(t) * steps / total + 1e-6))]

        return simulate(robot, q0, qd0, total, held, **options)
