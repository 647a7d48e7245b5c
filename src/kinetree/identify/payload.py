"""The load that a robot carries, from one motion with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, printable
from kinetree.files import Name
from kinetree.identify.chains import AnyRobot, columns_of, tree_of, with_tree
from kinetree.identify.estimate import estimate, identifiable
from kinetree.identify.fit import Fit
from kinetree.identify.linear import linear, of_body, with_geometry
from kinetree.identify.samples import Measured, Samples, configuration_of, evaluated, lags_of, samples_of
from kinetree.identify.validation import Validation, compared, percent
from kinetree.model import Inertia
from kinetree.runtime.arrays import Array
from kinetree.spatial import Sym3, Vec3
from kinetree.view import Picture

EXCITED = 0.3  # relative standard deviation of the inertia below which it is identified
ROUNDS = 20  # of second moments from first ones and first ones from these
SETTLED = 1e-9  # relative change of the moments
NEARLY = 1e-3  # the same, after the last round
GROWING = 2.0  # times the change before: the rounds diverge
STEP = 1e-6  # of differences


@dataclass(frozen=True, repr=False)
class Payload:
    """A load on a body: mass, centre of mass and, where the motion identifies it, the inertia about it, in body axes.

    Args:
        model: the robot without the load.
        samples: what was fitted to.
        body: that carries it.
        mass, mass_std: [kg], and its standard deviation.
        com, com_std: centre of mass in the body frame (3,) [m].
        about_com, about_com_std: inertia about the centre of mass XX, YY, ZZ, XY, XZ, YZ (6,) [kg m^2]; None where the
            motion does not identify it, and the load is a point mass.
        validation: measured forces against those with the load.
    """

    model: AnyRobot
    samples: tuple[Samples, ...]
    body: str
    mass: float
    mass_std: float
    com: Array
    com_std: Array
    about_com: Array | None
    about_com_std: Array | None
    validation: Validation

    @property
    def inertia(self) -> Inertia:
        """For `Robot.attach`: ``robot.attach(payload.inertia, payload.body)``."""
        about = np.zeros(6) if self.about_com is None else self.about_com
        return Inertia(self.mass, Vec3(*self.com.tolist()), Sym3(*about.tolist()))

    @property
    def robot(self) -> AnyRobot:
        """The model with the load."""
        return with_tree(self.model, tree_of(self.model).attach(self.inertia, self.body))

    def plot(self, *joints: str, title: str = "") -> Picture:
        """Measured forces and those of the model with the load, as `Validation.plot` draws them."""
        return self.validation.plot(*joints, title=title)

    def report(self, path: Name) -> Path:
        """Write a self-contained HTML page with plots and the inertia of the load; gives the absolute path."""
        from kinetree.identify.pages import payload_report

        return payload_report(self).write(path)

    def to_csv(self, path: Name) -> Path:
        """Write the forces as `Validation.to_csv` does."""
        return self.validation.to_csv(path)

    def save(self, path: Name) -> Path:
        """Write everything to a JSON file, the whole of it or nothing; gives the absolute path."""
        from kinetree.identify.files import save

        return save(self, path)

    @staticmethod
    def load(path: Name) -> Payload:
        """The payload of a file that `save` wrote; nothing in the file is executed."""
        from kinetree.identify.files import load

        return load(Payload, path)

    def __repr__(self) -> str:
        mass = f"{self.mass:.4g} kg on {printable(self.body)}, standard deviation {self.mass_std:.2g} kg"
        return f"Payload of {printable(tree_of(self.model).name)}: {mass}, residuals {percent(self.validation.total)}"

    def __str__(self) -> str:
        com = ", ".join(f"{x:.4g} ± {s:.1g}" for x, s in zip(self.com, self.com_std))
        mass = f"{self.mass:.4g} ± {self.mass_std:.2g} kg"
        lines = [f"load on {printable(self.body)}: mass {mass}", f"  centre of mass {com} m"]
        if self.about_com is None or self.about_com_std is None:
            lines.append("  inertia not identifiable from this motion; the load is a point mass")
        else:
            listed = ", ".join(f"{x:.3g} ± {s:.1g}" for x, s in zip(self.about_com, self.about_com_std))
            lines.append(f"  inertia about it {listed} kg m^2")
        return "\n".join([*lines, f"  residuals {self.validation}"])


def payload(
    robot: AnyRobot,
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
        known: a fit of the robot without the load, whose values and covariance are used; the robot's own parameters
            by default.
        method: see `fit`.
        configuration: of a closed chain, see `fit`; that of ``known`` by default.
        parameters: values for open parameters of the geometry.

    Returns:
        A `Payload`. Standard deviations include the errors of ``known``; without it the robot is taken as exact.

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
    without = known.forces if known else linear(robot, "all", configuration_of(robot, samples)).model_forces
    y, robot_forces = evaluated(samples, load.regressor), evaluated(samples, without)
    forces = np.concatenate([x.forces for x in samples]) - robot_forces
    lags = lags_of(samples)
    columns = identifiable(y)
    if 0 not in columns:
        raise InputError(
            f"the mass of a load on {name!r} is not identifiable from this motion; move other joints, against gravity"
        )
    found = estimate(y, forces, columns, method, lags)
    moments = np.zeros(10)
    moments[columns] = found.values
    wide = len(columns) == 10 and _inertia_identified(moments, found.covariance)
    if not wide:
        moments, found = _as_point(y, forces, [c for c in columns if c < 4], method, lags)
    columns, covariance = list(found.columns), np.zeros((10, 10))
    covariance[np.ix_(columns, columns)] = found.covariance
    if known is not None:
        rows = found.weights.of(y[..., columns]).reshape(-1, len(columns))
        own = found.weights.of(evaluated(samples, known.linear.regressor)).reshape(len(rows), -1)
        spread = np.linalg.lstsq(rows, own, rcond=None)[0]
        covariance[np.ix_(columns, columns)] += spread @ known.covariance @ spread.T
    if moments[0] <= 0:
        raise InputError(
            f"the mass of the load comes out as {moments[0]:.3g} kg: is there a load on {name!r}, and is the robot "
            "without it known well enough? Give known=, a fit of the robot without the load"
        )
    values, std = _about_centre(moments), _std_about_centre(moments, covariance)
    return Payload(
        robot, samples, name, float(values[0]), float(std[0]), values[1:4], std[1:4],
        values[4:] if wide else None, std[4:] if wide else None, compared(robot, samples, robot_forces + y @ moments),
    )  # fmt: skip


def _inertia_identified(moments: Array, covariance: Array) -> bool:
    """Whether the three moments of inertia about the centre of mass are known well enough."""
    if moments[0] <= 0:
        return False
    about, std = _about_centre(moments), _std_about_centre(moments, covariance)
    return bool((std[4:7] < EXCITED * np.abs(about[4:7])).all())


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
                "enough, and the motion exciting? Give known=, a fit of the robot without the load"
            )


def _of_points(moments: Array) -> Array:
    """The second moments that come with the first ones."""
    x, y, z = moments[1:4] / moments[0]
    return moments[0] * np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


def _about_centre(moments: Array) -> Array:
    """Mass, centre of mass, and second moments about it (10,)."""
    return np.concatenate([moments[:1], moments[1:4] / moments[0], moments[4:] - _of_points(moments)])


def _std_about_centre(moments: Array, covariance: Array) -> Array:
    """The standard deviations of these, with their derivatives by central differences."""
    sizes = STEP * np.maximum(np.abs(moments), STEP)
    changes = [_about_centre(moments + step) - _about_centre(moments - step) for step in np.diag(sizes)]
    jacobian = np.stack(changes, axis=1) / (2.0 * sizes)
    return np.sqrt(np.maximum(np.diag(jacobian @ covariance @ jacobian.T), 0.0))
