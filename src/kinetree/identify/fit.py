"""Fits of a robot's parameters to measured motions and forces.

The forces are linear in the base parameters, so a fit is a least-squares problem, with weights of the equations
(`weights`), a covariance of the values (`estimate`) and, on request, physically consistent parameters (`physical`).
Reference: [Gautier1990], [Gautier2001], [Khalil2010] section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, printable
from kinetree.files import Name
from kinetree.identify.chains import AnyRobot
from kinetree.identify.diagnostics import diagnostics
from kinetree.identify.estimate import eliminated, estimate, identifiable
from kinetree.identify.linear import Linear, linear, with_geometry
from kinetree.identify.parameters import Parameters, table
from kinetree.identify.physical import consistent, nearest
from kinetree.identify.quantiles import student
from kinetree.identify.samples import Measured, Samples, configuration_of, evaluated, lags_of, samples_of
from kinetree.identify.standard import with_standard
from kinetree.identify.validation import Validation, compared, percent
from kinetree.runtime.arrays import Array
from kinetree.view import Picture

DROP = 1.0  # relative standard deviation: to drop what is less than its own error makes predictions better


@dataclass(frozen=True, repr=False)
class Fit:
    """Identified parameters of a robot; ``print()`` it.

    Args:
        model: the robot as it was given.
        linear: its forces, linear in the base parameters.
        samples: what was fitted to.
        values: all base parameters (p,), with zeros for dropped ones and the model's values for unidentifiable ones.
        covariance: of ``values`` (p, p); zeros for those that were not fitted.
        parameters: the table of fitted parameters: ``names``, ``values``, ``std``, ``relative_std``, ``lower``,
            ``upper``, ``model`` and ``relations``, each with one entry for each parameter.
        residuals: measured less predicted forces (m, n), all samples one below the other.
        condition: of the observation matrix, weighted and with columns of length one; below 100 is good.
        dropped: parameters that do not differ significantly from zero, with a message on each, by name.
        unidentifiable: parameters that the data does not identify; they keep the values of the model.
        warnings: diagnostics of the measurements and the fit.
        confidence: of the intervals.
        standard: for physical fits the standard parameters (nparameters,).
        configuration: of a closed chain, one in the assembly that was measured (nq,).
    """

    model: AnyRobot
    linear: Linear
    samples: tuple[Samples, ...]
    values: Array
    covariance: Array
    parameters: Parameters
    residuals: Array
    condition: float
    dropped: dict[str, str]
    unidentifiable: tuple[str, ...]
    warnings: tuple[str, ...]
    confidence: float
    standard: Array | None = None
    configuration: Array | None = None

    def forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """The forces (..., n) [N m, N] that the fit predicts for a motion, as `Robot.inverse_dynamics` takes it."""
        return self.linear.regressor(q, qd, qdd) @ self.values + self.linear.known_forces(q, qd, qdd)

    @cached_property
    def rms(self) -> Array:
        """Residuals over measured forces, of each joint (n,), as roots of mean squares."""
        return self.validation.rms

    @cached_property
    def validation(self) -> Validation:
        """Measured and predicted forces of the samples that were fitted to."""
        measured = np.concatenate([x.forces for x in self.samples])
        return compared(self.model, self.samples, measured - self.residuals)

    def validate(self, data: Measured) -> Validation:
        """How well the fit predicts the forces of another motion.

        Args:
            data: measurements, or prepared `Samples`, or a list of them.
        """
        samples = samples_of(self.model, data, self.configuration)
        return compared(self.model, samples, evaluated(samples, self.forces))

    def plot(self, *joints: str, title: str = "") -> Picture:
        """Measured and predicted forces of the samples that were fitted to, as `Validation.plot` draws them."""
        return self.validation.plot(*joints, title=title)

    def report(self, path: Name, validation: Validation | Measured | None = None, *, title: str = "") -> Path:
        """Write a self-contained HTML page; gives the absolute path.

        It has the measured forces beside the predicted ones, of the fitted motion and of another one if there is one,
        the residuals, all parameters with their intervals, and those that were dropped or are not identifiable.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            validation: measurements of another motion, or what `validate` made of them.
            title: of the page.
        """
        from kinetree.identify.pages import fit_report

        if validation is not None and not isinstance(validation, Validation):
            validation = self.validate(validation)
        return fit_report(self, validation, title).write(path)

    def to_csv(self, path: Name) -> Path:
        """Write the forces as `Validation.to_csv` does; ``fit.parameters.to_csv(path)`` writes the parameters."""
        return self.validation.to_csv(path)

    def save(self, path: Name) -> Path:
        """Write the fit with its model and samples to a JSON file, the whole of it or nothing; gives the absolute path.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> swing = kt.identify.excite(arm, 4.0, harmonics=3, velocity_limits=3.0, starts=1)
            >>> found = kt.identify.fit(arm, swing.simulated(200.0))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     again = Fit.load(found.save(folder + "/arm.json"))
            >>> str(again) == str(found)
            True
        """
        from kinetree.identify.files import save

        return save(self, path)

    @staticmethod
    def load(path: Name) -> Fit:
        """The fit of a file that `save` wrote; nothing in the file is executed."""
        from kinetree.identify.files import load

        return load(Fit, path)

    @cached_property
    def robot(self) -> AnyRobot:
        """The model with the identified parameters: its forces are those of the fit.

        Base parameters don't determine the standard parameters. Those of a physical fit are physically consistent;
        otherwise they are the ones nearest to the model, which may be inconsistent: see ``robot.check()``.
        """
        if self.standard is not None:
            return with_standard(self.model, self.standard, strict=True)
        return with_standard(self.model, nearest(self.linear, self.values), strict=False)

    def __repr__(self) -> str:
        return f"Fit of {self._head}, condition {self.condition:.3g}, residuals {percent(self.validation.total)}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>\n<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        lines = [self._head, f"condition number {self.condition:.3g}, intervals of {100 * self.confidence:g} %", ""]
        lines += [*str(self.parameters).splitlines(), ""]
        lines += [f"residuals: {self.validation}"]
        lines += [f"dropped: {name}, {text}" for name, text in self.dropped.items()]
        lines += [f"not identifiable: {', '.join(self.unidentifiable)}"] if self.unidentifiable else []
        return "\n".join(map(printable, [*lines, *(f"warning: {text}" for text in self.warnings)]))

    @property
    def _head(self) -> str:
        name = printable(self.linear.base.tree.name)
        return f"{name}: {len(self.parameters)} parameters from {len(self.residuals)} samples"


def fit(
    robot: AnyRobot,
    data: Measured,
    include: Sequence[str] = ("inertia", "friction", "rotor"),
    method: str = "irls",
    *,
    physical: bool = False,
    drop: float | None = DROP,
    confidence: float = 0.95,
    configuration: ArrayLike | None = None,
    **parameters: float,
) -> Fit:
    """The base parameters of a robot that explain measured forces.

    Args:
        robot: its geometry is taken as it is; its inertias and friction are the values of unidentifiable parameters,
            the reference of the diagnostics and the start of a physical fit. What is not in ``include`` is subtracted.
        data: `Data`, prepared with the defaults of `prepare`; or `Samples`; or a list of these.
        include: any of "inertia", "friction" (viscous and Coulomb), "rotor" (rotor inertias) and "stiffness" (of
            springs and elastic transmissions); or "all".
        method: "ls", least squares; "wls", weighted by the noise of each joint; "irls", iteratively reweighted, with
            less weight for outliers.
        physical: constrain parameters to be physically consistent: masses, friction and rotor inertias above 0,
            inertias within the triangle inequality. None is dropped then; those that the data hardly identifies stay
            near the model.
        drop: the relative standard deviation above which parameters are dropped, one by one, as long as an F-test does
            not reject it; None to keep all.
        confidence: of the intervals and of that test.
        configuration: of a closed chain, a closed one (nq) in whose assembly it moves, for data of the independent
            joints alone; ``chain.neutral`` by default. Where all joints were measured, these say so.
        parameters: values for open parameters of the geometry.

    Returns:
        A `Fit`.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
        >>> exact = Samples(np.arange(50.0), q, qd, qdd, arm.inverse_dynamics(q, qd, qdd))
        >>> found = fit(arm, exact, include=["inertia"])
        >>> bool(abs(found.values - found.linear.nominal).max() < 1e-9)
        True

    Reference: [Gautier2001]; [Lee2020] for physical fits.
    """
    if not (isinstance(confidence, int | float | np.number) and 0.5 <= confidence < 1.0):
        raise InputError(f"confidence is between 0.5 and 1, got {confidence!r}")
    if drop is not None and not (isinstance(drop, int | float | np.number) and drop > 0):
        raise InputError(f"drop is a relative standard deviation above 0, or None; got {drop!r}")
    robot = with_geometry(robot, parameters)
    samples = samples_of(robot, data, configuration)
    assembly = configuration_of(robot, samples)
    equations = linear(robot, include, assembly)
    y = evaluated(samples, equations.regressor)
    whole = np.concatenate([x.forces for x in samples]) - evaluated(samples, equations.known_forces)
    columns = identifiable(y)
    if not columns:
        raise InputError("the robot does not move in this data, or no force depends on what is included")
    if not whole.any():
        raise InputError("all forces are 0, and so would be all parameters: are these the columns that were meant?")
    unknown = [c for c in range(y.shape[2]) if c not in columns]
    forces = whole - y[..., unknown] @ equations.nominal[unknown]
    lags, dropped = lags_of(samples), dict[int, str]()
    if physical or drop is None:
        found = estimate(y, forces, columns, method, lags)
    else:
        found, dropped = eliminated(y, forces, columns, method, lags, drop, confidence)
    values = np.zeros(y.shape[2])
    values[unknown], values[list(found.columns)] = equations.nominal[unknown], found.values
    standard = None
    if physical:
        standard = consistent(equations, y, whole, found)
        values = equations.base.matrix() @ standard
        found = found.moved_to(values[list(found.columns)])
    covariance = np.zeros((len(values), len(values)))
    covariance[np.ix_(found.columns, found.columns)] = found.covariance
    names = equations.base.names
    shown = table(equations, list(found.columns), values, found.std, student(0.5 + 0.5 * confidence, found.freedom))
    left = whole - y @ values
    return Fit(
        robot, equations, samples, values, covariance, shown, left, found.condition,
        {names[c]: text for c, text in dropped.items()}, tuple(names[c] for c in unknown),
        diagnostics(equations, samples, y, values, left, found.condition, len(unknown)),
        confidence, standard, assembly,
    )  # fmt: skip
