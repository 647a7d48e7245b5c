"""The load that a robot carries, from one motion with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.columns import columns_of, tree_of
from kinetree.identify.estimate import estimate, seen
from kinetree.identify.fit import Fit, Measured, configuration_of, lags_of, samples_of
from kinetree.identify.linear import Linear, linear, of_body, with_geometry
from kinetree.identify.validation import Validation, compared
from kinetree.model.inertia import Inertia
from kinetree.robot import Robot
from kinetree.spatial.matrix3 import Sym3
from kinetree.spatial.vec3 import Vec3

Array = NDArray[np.float64]

EXCITED = 0.3  # relative standard deviation of the inertia below which it counts as seen
ROUNDS = 20  # of second moments from first ones and first ones from these
SETTLED = 1e-9  # relative change of the moments
NEARLY = 1e-3  # the same, after the last round
GROWING = 2.0  # times the change before: rounds that lead nowhere
STEP = 1e-6  # of differences


@dataclass(frozen=True)
class Payload:
    """A load on a body: mass, centre of mass and, where the motion shows it, the inertia about it, in body axes.

    Args:
        body: that carries it.
        mass, mass_std: [kg], and its standard deviation.
        com, com_std: centre of mass in the body frame (3,) [m].
        about_com, about_com_std: inertia about the centre of mass XX, YY, ZZ, XY, XZ, YZ (6,) [kg m^2]; None where the
            motion does not show it, and the load counts as a point.
        validation: measured forces against those with the load.
    """

    body: str
    mass: float
    mass_std: float
    com: Array
    com_std: Array
    about_com: Array | None
    about_com_std: Array | None
    validation: Validation = field(repr=False)

    @property
    def inertia(self) -> Inertia:
        """For `Robot.attach`: ``robot.attach(payload.inertia, payload.body)``."""
        about = np.zeros(6) if self.about_com is None else self.about_com
        return Inertia(self.mass, Vec3(*self.com.tolist()), Sym3(*about.tolist()))

    def __str__(self) -> str:
        com = ", ".join(f"{x:.4g} ± {s:.1g}" for x, s in zip(self.com, self.com_std))
        lines = [f"load on {self.body}: mass {self.mass:.4g} ± {self.mass_std:.2g} kg", f"  centre of mass {com} m"]
        if self.about_com is None or self.about_com_std is None:
            lines.append("  inertia not shown by this motion; the load counts as a point")
        else:
            listed = ", ".join(f"{x:.3g} ± {s:.1g}" for x, s in zip(self.about_com, self.about_com_std))
            lines.append(f"  inertia about it {listed} kg m^2")
        return "\n".join([*lines, f"  residuals {self.validation}"])


def payload(
    robot: Robot | ClosedChain,
    data: Measured,
    body: str | None = None,
    known: Fit | None = None,
    method: str = "irls",
    configuration: ArrayLike | None = None,
    **parameters: float,
) -> Payload:
    """The load on a body of a robot, from a motion with it.

    Args:
        robot: without the load.
        data: the measurements with the load.
        body: that carries it; the last one by default.
        known: a fit of the robot without the load, on whose values and covariance the load builds; the robot's own
            parameters by default.
        method: see `fit`.
        configuration: of a closed chain, see `fit`; that of ``known`` by default.
        parameters: values for open parameters of the geometry.

    Returns:
        A `Payload`. Standard deviations hold the errors of ``known``; without it they take the robot as exact.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.robots.stanford()
        >>> loaded = arm.attach(kt.Inertia(2.0, (0.0, 0.05, 0.1), (0.01, 0.01, 0.01)), arm.bodies[-1].name)
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 40, 6))
        >>> exact = kt.identify.Samples(np.arange(40.0), q, qd, qdd, loaded.inverse_dynamics(q, qd, qdd))
        >>> round(kt.identify.payload(arm, exact).mass, 6)
        2.0
    """
    robot = with_geometry(robot, parameters)
    name = tree_of(robot).bodies[-1].name if body is None else body
    if known is not None and (not isinstance(known, Fit) or columns_of(known.model) != columns_of(robot)):
        raise InputError(f"known is a fit of the same robot without the load, got {known!r:.60}")
    samples = samples_of(robot, data, known.configuration if configuration is None and known else configuration)
    load = of_body(robot, name)
    without: Callable[..., Any] = _own(robot, configuration_of(robot, samples)) if known is None else known.forces
    y = np.concatenate([x.through(load.regressor) for x in samples])
    forces = np.concatenate([x.forces - x.through(without) for x in samples])
    lags = lags_of(samples)
    columns = seen(y)
    if 0 not in columns:
        raise InputError(
            f"this motion does not show the mass of a load on {name!r}; move other joints, against gravity"
        )
    found = estimate(y, forces, columns, method, lags)
    moments, covariance = np.zeros(10), np.zeros((10, 10))
    moments[columns], covariance[np.ix_(columns, columns)] = found.values, found.covariance
    wide = _inertia_is_seen(moments, covariance, columns)
    if not wide:
        moments, found = _as_point(y, forces, [c for c in columns if c < 4], method, lags)
        columns = list(found.columns)
        covariance = np.zeros((10, 10))
        covariance[np.ix_(columns, columns)] = found.covariance
    if known is not None:
        rows = found.weights.of(y[..., columns]).reshape(-1, len(columns))
        robots = np.concatenate([x.through(known.linear.regressor) for x in samples])
        spread = np.linalg.lstsq(rows, found.weights.of(robots).reshape(len(rows), -1), rcond=None)[0]
        covariance[np.ix_(columns, columns)] += spread @ known.covariance @ spread.T
    if moments[0] <= 0:
        raise InputError(
            f"the mass of the load comes out as {moments[0]:.3g} kg: is there a load on {name!r}, and is the robot "
            "without it known well enough? Give known=, a fit of the robot without the load"
        )
    std = np.sqrt(np.maximum(np.diag(_spread(moments) @ covariance @ _spread(moments).T), 0.0))
    values = _about_centre(moments)

    def loaded(q: Array, qd: Array, qdd: Array) -> Array:
        return without(q, qd, qdd) + load.regressor(q, qd, qdd) @ moments

    return Payload(
        name, float(values[0]), float(std[0]), values[1:4], std[1:4],
        values[4:] if wide else None, std[4:] if wide else None, compared(loaded, robot, samples),
    )  # fmt: skip


def _own(robot: Robot | ClosedChain, configuration: Array | None) -> Callable[..., Any]:
    """The forces of the robot as its model has them."""
    equations: Linear = linear(robot, ("inertia", "friction", "rotor", "stiffness"), configuration)
    return equations.model_forces


def _inertia_is_seen(moments: Array, covariance: Array, columns: list[int]) -> bool:
    """Whether the three moments about the centre of mass are known well enough."""
    if len(columns) < 10 or moments[0] <= 0:
        return False
    matrix = _spread(moments)
    std = np.sqrt(np.diag(matrix @ covariance @ matrix.T))[4:7]
    about = _about_centre(moments)[4:7]
    return bool((std < EXCITED * np.abs(about)).all())


def _as_point(y: Array, forces: Array, columns: list[int], method: str, lags: int) -> tuple[Array, Any]:
    """Mass and centre of a load without inertia about it."""
    moments, change, rounds = np.zeros(10), np.inf, 0
    while True:
        found = estimate(y, forces - y[..., 4:] @ moments[4:], columns, method, lags)
        before, moments = moments, np.zeros(10)
        moments[columns] = found.values
        if moments[0] <= 0.0:  # no load
            return moments, found
        moments[4:] = _of_points(moments)
        last, change, size = change, np.abs(moments - before).max(), np.abs(moments).max()
        rounds += 1
        if change <= SETTLED * size or (rounds >= ROUNDS and change <= NEARLY * size):
            return moments, found
        if rounds >= ROUNDS or change > GROWING * last:
            raise InputError(
                "no load explains these forces: its mass and centre go on changing. Is the robot without it known well "
                "enough, and does the motion show them? Give known=, a fit of the robot without the load"
            )


def _of_points(moments: Array) -> Array:
    """The second moments that come with the first ones."""
    m, h = moments[0], moments[1:4]
    x, y, z = h / m
    return m * np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


def _about_centre(moments: Array) -> Array:
    """Mass, centre of mass, and second moments about it (10,)."""
    return np.concatenate([moments[:1], moments[1:4] / moments[0], moments[4:] - _of_points(moments)])


def _spread(moments: Array) -> Array:
    """How these change with the moments (10, 10), by central differences."""
    sizes = STEP * np.maximum(np.abs(moments), STEP)
    steps = np.diag(sizes)
    return np.stack([_about_centre(moments + s) - _about_centre(moments - s) for s in steps], axis=1) / (2.0 * sizes)
