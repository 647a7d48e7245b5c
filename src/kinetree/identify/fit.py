"""Fits of a robot's parameters to measured motions and forces.

The forces are linear in the base parameters, so a fit is a least-squares problem; what makes it a good one is which
equations count how much (`weights`), how sure the values are (`estimate`), and that a robot with them can exist
(`physical`). Reference: [Gautier1990], [Gautier2001], [Khalil2010] section 3.2.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.columns import columns_of
from kinetree.identify.data import Data
from kinetree.identify.estimate import eliminated, estimate, seen
from kinetree.identify.identified import with_standard
from kinetree.identify.linear import Linear, linear, with_geometry
from kinetree.identify.parameters import Parameters, table
from kinetree.identify.physical import consistent, nearest
from kinetree.identify.quantiles import student
from kinetree.identify.samples import Samples, prepare
from kinetree.identify.suspicion import suspicions
from kinetree.identify.validation import Validation, compared
from kinetree.robot import Robot
from kinetree.view import Picture

Array = NDArray[np.float64]
Measured = Data | Samples | Sequence[Data | Samples]

DROP = 1.0  # relative standard deviation: to leave out what is less than its own error makes predictions better


@dataclass(frozen=True)
class Fit:
    """Identified parameters of a robot; ``print()`` it.

    Args:
        model: the robot as it was given.
        linear: its forces, linear in the base parameters.
        samples: what was fitted to.
        values: all base parameters (p,), with zeros for those left out and the model's values for those not seen.
        covariance: of ``values`` (p, p); zeros for those that were not fitted.
        parameters: the table of fitted parameters: ``names``, ``values``, ``std``, ``relative_std``, ``lower``,
            ``upper``, ``model`` and ``relations``, each with one entry for each parameter.
        residuals: measured less predicted forces (m, n), all samples one below the other.
        condition: of the observation matrix, weighted and with columns of length one; below 100 is good.
        dropped: parameters that can't be told from zero, and what became of them, by name.
        unseen: parameters on which the data says nothing beside the others; they keep the values of the model.
        warnings: sentences on what looks wrong.
        confidence: of the intervals.
        standard: for physical fits the standard parameters (nparameters,).
        configuration: of a closed chain, one in the assembly that was measured (nq,).
    """

    model: Robot | ClosedChain
    linear: Linear = field(repr=False)
    samples: tuple[Samples, ...] = field(repr=False)
    values: Array = field(repr=False)
    covariance: Array = field(repr=False)
    parameters: Parameters = field(repr=False)
    residuals: Array = field(repr=False)
    condition: float
    dropped: dict[str, str]
    unseen: tuple[str, ...]
    warnings: tuple[str, ...]
    confidence: float
    standard: Array | None = field(default=None, repr=False)
    configuration: Array | None = field(default=None, repr=False)

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
        return compared(self.forces, self.model, self.samples)

    def validate(self, data: Measured) -> Validation:
        """How well the fit predicts the forces of another motion.

        Args:
            data: measurements, or prepared `Samples`, or a list of them.
        """
        return compared(self.forces, self.model, samples_of(self.model, data, self.configuration))

    def plot(self, *joints: str, title: str = "") -> Picture:
        """Measured and predicted forces of the samples that were fitted to, as `Validation.plot` draws them."""
        return self.validation.plot(*joints, title=title)

    def report(self, path: str | os.PathLike[str], validation: Validation | Measured | None = None) -> Path:
        """Write a self-contained HTML page with plots and all parameters; see `kinetree.identify.report`."""
        from kinetree.identify.report import report

        return report(self, path, validation)

    @cached_property
    def robot(self) -> Robot | ClosedChain:
        """The model with the identified parameters: its forces are those of the fit.

        Base parameters don't say what the standard parameters are. Those of a physical fit are ones that bodies can
        have; otherwise they are the ones nearest to the model, which may be impossible: ``robot.check()`` tells.
        """
        if self.standard is not None:
            return with_standard(self.model, self.standard, strict=True)
        found = nearest(self.linear, self.values)
        return with_standard(self.model, found, strict=False)

    def __str__(self) -> str:
        lines = [f"{self.linear.base.tree.name}: {len(self.parameters)} parameters from {len(self.residuals)} samples"]
        lines += [f"condition number {self.condition:.3g}, intervals of {100 * self.confidence:g} %", ""]
        lines += [*str(self.parameters).splitlines(), ""]
        lines += [f"residuals: {self.validation}"]
        lines += [f"left out: {name}, {text}" for name, text in self.dropped.items()]
        lines += [f"not seen: {', '.join(self.unseen)}"] if self.unseen else []
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])


def fit(
    robot: Robot | ClosedChain,
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
        robot: its geometry is taken as it is; its inertias and friction are what unseen parameters keep, what
            suspicious units are told by, and where a physical fit starts. What is not in ``include`` is subtracted.
        data: `Data`, prepared with the defaults of `prepare`; or `Samples`; or a list of these.
        include: any of "inertia", "friction" (viscous and dry), "rotor" (inertia of the drives) and "stiffness" (of
            springs and elastic transmissions); or "all".
        method: "ls", least squares; "wls", weighted by the noise of each joint; "irls", besides with less weight for
            rows that are far off.
        physical: look for parameters that bodies can have: masses, friction and rotor inertias above 0, inertias within
            the triangle inequality. Nothing is left out then; what the data hardly shows stays near the model.
        drop: the relative standard deviation above which parameters are left out, one by one, as long as an F-test does
            not notice; None to keep all.
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
    y = np.concatenate([x.through(equations.regressor) for x in samples])
    whole = np.concatenate([x.forces - x.through(equations.known_forces) for x in samples])
    columns = seen(y)
    if not columns:
        raise InputError("the robot does not move in this data, or no force depends on what is included")
    if not whole.any():
        raise InputError("all forces are 0, and so would be all parameters: are these the columns that were meant?")
    hidden = [c for c in range(y.shape[2]) if c not in columns]
    forces = whole - y[..., hidden] @ equations.nominal[hidden]
    lags = lags_of(samples)
    told: dict[int, str] = {}
    if physical or drop is None:
        found = estimate(y, forces, columns, method, lags)
    else:
        found, told = eliminated(y, forces, columns, method, lags, drop, confidence)
    values = np.zeros(y.shape[2])
    values[hidden], values[list(found.columns)] = equations.nominal[hidden], found.values
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
        {names[c]: text for c, text in told.items()}, tuple(names[c] for c in hidden),
        suspicions(robot, equations, samples, y, values, left, found.condition, len(hidden)),
        confidence, standard, assembly,
    )  # fmt: skip


def samples_of(
    robot: Robot | ClosedChain, data: Measured, configuration: ArrayLike | None = None
) -> tuple[Samples, ...]:
    """Samples of whatever form measurements have."""
    given = [data] if isinstance(data, Data | Samples) else list(data) if isinstance(data, Sequence) else []
    if not given or not all(isinstance(x, Data | Samples) for x in given):
        raise InputError(f"the measurements are kinetree.identify.Data or Samples, or a list of them; got {data!r}")
    own = columns_of(robot)
    for x in given:
        if isinstance(x, Samples) and (x.q.shape[1], x.forces.shape[1]) != (len(own.positions), len(own.forces)):
            raise InputError(
                f"the robot has {len(own.positions)} positions and {len(own.forces)} forces; the samples have "
                f"{x.q.shape[1]} and {x.forces.shape[1]}"
            )
    return tuple(prepare(robot, x, configuration=configuration) if isinstance(x, Data) else x for x in given)


def configuration_of(robot: Robot | ClosedChain, samples: Sequence[Samples]) -> Array | None:
    """Of a closed chain, the measured configuration that is farthest from singular ones: it says which assembly moves."""
    if not isinstance(robot, ClosedChain):
        return None
    q = np.concatenate([x.fine.q if x.fine else x.q for x in samples])
    return q[np.argmax(robot.margin(q))]


def lags_of(samples: Sequence[Samples]) -> int:
    """How many samples apart residuals may be related: two periods of the filter, or the rule of [NeweyWest1994].

    What the filter makes of an error lasts for about a period to both sides.
    """
    count = sum(map(len, samples))
    periods = 2.0 * max(x.rate / x.cutoff for x in samples)
    return min(count, max(1 + math.ceil(periods), int(4.0 * (count / 100.0) ** (2.0 / 9.0)) + 1))
