"""`Excitation`: a motion from which the base parameters of a robot are identified."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.control import Reference
from kinetree.control.validation import number
from kinetree.errors import InputError, check_name, printable
from kinetree.files import Name, write_csv
from kinetree.identify.base_parameters import BaseParameters
from kinetree.identify.chains import AnyRobot, all_positions, columns_of
from kinetree.identify.data import Data
from kinetree.identify.series import FourierMotion
from kinetree.nlp.solution import Termination
from kinetree.plan import PlanStatus
from kinetree.plan.constraints import PathConstraint
from kinetree.runtime.arrays import Array
from kinetree.transcribe.fourier import Fourier
from kinetree.view.curves import Curves, stacked
from kinetree.view.limits import limited
from kinetree.view.picture import Picture

ENCODER = 2.0 * np.pi / 2**17  # rad, of an encoder with 17 bits for a turn
_SAMPLES = 600  # times of a curve
QUANTITIES = {  # to plot, with headings and units
    "position": ("Positions", "rad, m"),
    "velocity": ("Velocities", "rad/s, m/s"),
    "acceleration": ("Accelerations", "rad/s\u00b2, m/s\u00b2"),
    "force": ("Forces", "N m, N"),
}
_SHOWN = ("position", "velocity", "force")
_MOST = 10_000_000  # samples of a measurement


@dataclass(frozen=True, repr=False, eq=False)
class Excitation:
    """A periodic motion, a finite Fourier series in each joint, from which the base parameters are identified.

    Args:
        robot: what moves.
        base: the base parameters that the motion identifies.
        basis: the space of its motions.
        control_points: its coordinates in that space (m, nv).
        duration: of one period [s].
        condition: of the observation matrix along the motion: rows over the sizes of the forces, columns of length 1.
        status: what was found.
        cost: what was minimised, see `kinetree.identify.information`.
        violation: the largest violation of a constraint anywhere, relative to its bound.
        termination: why the solver stopped.
        worst: the constraint that is most violated, or nearest to it, in words.
        iterations, seconds: what the search took.
        constraints: along the motion, each with ``quantity``, ``lower`` and ``upper``.
        periods: how often the motion is repeated.
        configuration: of a closed chain, a closed one in whose assembly it moves (nq).

    Example:
        >>> import kinetree as kt
        >>> swing = kt.identify.excite(kt.robots.two_link(), 4.0, harmonics=3, velocity_limits=3.0, force_limits=10.0)
        >>> swing.ok, swing.condition < 10.0
        (True, True)
        >>> q, qd, qdd = swing.motion([0.0, 1.0])
        >>> q.shape, bool(abs(qd[0]).max() < 1e-12)
        ((2, 2), True)
    """

    robot: AnyRobot
    base: BaseParameters
    basis: Fourier
    control_points: Array
    duration: float
    condition: float
    status: PlanStatus
    cost: float
    violation: float
    termination: Termination
    worst: str
    iterations: int
    seconds: float
    constraints: tuple[PathConstraint, ...] = ()
    periods: int = 1
    configuration: Array | None = None

    @property
    def joints(self) -> list[str]:
        """The names of the coordinates of the motion; of a closed chain, of the independent ones."""
        return list(columns_of(self.robot).velocities)

    @property
    def ok(self) -> bool:
        """Whether the motion satisfies all constraints."""
        return self.status.ok

    @property
    def message(self) -> str:
        """What was found, in words; with the constraint that is violated most, where one is."""
        return self.status.message(self.termination, self.worst)

    @property
    def finish(self) -> float:
        """When the last period ends [s]."""
        return self.periods * self.duration

    def __repr__(self) -> str:
        often = "" if self.periods == 1 else f"{self.periods} times "
        head = f"Excitation of {self.base.tree.name}: {often}{self.duration:.4g} s, {self.basis.harmonics} harmonics"
        return printable(f"{head}, condition {self.condition:.3g} for {len(self.base)} base parameters; {self.message}")

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(repr(self))}</p>\n{self.plot()._repr_html_()}"

    # -- the motion ----------------------------------------------------------------------------------------------------

    @property
    def coefficients(self) -> tuple[Array, Array, Array]:
        """q0 (nv,), and a and b (harmonics, nv) of q = q0 + sum a_k sin(k w t) + b_k cos(k w t) [rad, m]."""
        return self.basis.coefficients(self.control_points)

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations at times (...), each (..., nv); of the independent joints of a chain.

        Before the start and after the last period the robot rests at the ends.
        """
        t = np.asarray(t, float)
        if not np.isfinite(t).all():
            raise InputError("times must be finite numbers")
        s = np.clip(t.ravel(), 0.0, self.finish) / self.duration
        z = self.basis.curve(self.control_points, s, 2) / self.duration ** np.arange(3.0)[:, None, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.finish)] = 0.0
        q, qd, qdd = (part.reshape(*t.shape, -1) for part in z)
        return q, qd, qdd

    def forces(self, t: ArrayLike) -> Array:
        """The forces of the model at times (...): (..., nv) [N m, N]; at the actuated joints of a closed chain."""
        return self._forces(self.robot, *self.motion(t))

    def _forces(self, robot: AnyRobot, q: Array, qd: Array, qdd: Array) -> Array:
        return np.asarray(robot.inverse_dynamics(all_positions(robot, q, self.configuration), qd, qdd), float)

    def repeat(self, periods: int) -> Excitation:
        """The same motion several times; averages over periods have less noise.

        Example:
            >>> import kinetree as kt
            >>> swing = kt.identify.excite(kt.robots.two_link(), 4.0, harmonics=3, velocity_limits=3.0, starts=1)
            >>> swing.repeat(3).finish
            12.0
        """
        if isinstance(periods, bool) or not isinstance(periods, int) or periods < 1:
            raise InputError(f"a motion is repeated 1 time or more, got {periods!r}")
        return replace(self, periods=periods)

    def reference(self, begin: float = 0.0) -> Reference:
        """The motion as a `kinetree.control.Reference`, for a controller that follows it from the time ``begin`` on."""
        q0, a, b = self.coefficients
        sines, cosines = (tuple(tuple(row) for row in part.tolist()) for part in (a, b))
        periods, begin = float(self.periods), number(begin, "begin")
        return FourierMotion(tuple(q0.tolist()), sines, cosines, self.duration, periods, begin)

    # -- measurements and files ----------------------------------------------------------------------------------------

    def simulated(
        self,
        rate: float = 1000.0,
        *,
        robot: AnyRobot | None = None,
        noise: ArrayLike = 0.01,
        resolution: ArrayLike = ENCODER,
        seed: int = 0,
    ) -> Data:
        """A simulated measurement of the motion, to try an identification with.

        The robot follows the motion exactly; positions are rounded to encoder steps, and noise is added to the forces.

        Args:
            rate: samples in a second [Hz].
            robot: whose forces are taken; the model's own by default.
            noise: standard deviation of the noise, as a part of the root mean square of each joint's force.
            resolution: of the encoders [rad, m]; 17 bits for a turn by default, 0 for perfect ones.
            seed: of the noise.

        Returns:
            A `Data` with times, positions and forces.
        """
        moved, t = self.robot if robot is None else robot, self._times(rate)
        if type(moved) is not type(self.robot) or columns_of(moved) != columns_of(self.robot):
            raise InputError(f"the motion is one of {', '.join(self.joints)}; {moved!r} has others")
        rng, noise, steps = generator(seed), self._each("noise", noise), self._each("resolution", resolution)
        q, qd, qdd = self.motion(t)
        forces = self._forces(moved, q, qd, qdd)
        counted = np.where(steps > 0.0, np.round(q / np.where(steps > 0.0, steps, 1.0)) * steps, q)
        noisy = forces + noise * np.sqrt((forces**2).mean(axis=0)) * rng.normal(size=forces.shape)
        return Data(t, counted, noisy, joints=tuple(self.joints))

    def _each(self, name: str, given: Any) -> Array:
        """One number for each joint."""
        try:
            each = np.broadcast_to(np.asarray(given, float), (len(self.joints),))
        except (TypeError, ValueError):
            each = np.array([np.nan])
        if not (np.isfinite(each) & (each >= 0.0)).all():
            raise InputError(f"{name} is a number of 0 or more, or one for each joint; got {given!r}")
        return each

    def to_csv(self, path: Name, rate: float = 100.0) -> Path:
        """Write a CSV file for a controller, the whole of it or nothing; gives the absolute path.

        Its columns are ``t``, and ``q.<joint>``, ``qd.<joint>`` and ``qdd.<joint>``, with all digits.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            rate: rows in a second [Hz].
        """
        t = self._times(rate)
        series = dict(zip(("q", "qd", "qdd"), self.motion(t)))
        columns = {f"{letters}.{n}": x for letters, z in series.items() for n, x in zip(self.joints, z.T)}
        return write_csv(path, {"t": t, **columns})

    def _times(self, rate: float) -> Array:
        if not (isinstance(rate, int | float | np.number) and np.isfinite(rate) and rate > 0.0):
            raise InputError(f"a rate is a positive number of samples in a second, got {rate!r}")
        count = int(np.floor(self.finish * rate + 1e-9)) + 1
        if not 2 <= count <= _MOST:
            raise InputError(f"{rate:g} samples in a second of {self.finish:g} s are {count}; take 2 to {_MOST}")
        return np.arange(count) / rate

    def save(self, path: Name) -> Path:
        """Write everything to a JSON file, the whole of it or nothing; gives the absolute path."""
        from kinetree.identify.files import save

        return save(self, path)

    @staticmethod
    def load(path: Name) -> Excitation:
        """The motion of a file that `save` wrote; nothing in the file is executed."""
        from kinetree.identify.files import load

        return load(Excitation, path)

    # -- pictures ------------------------------------------------------------------------------------------------------

    def plot(self, *names: str, title: str = "") -> Picture:
        """Curves over one period with their limits, relative to them where the joints have different ones.

        Args:
            names: of "position", "velocity", "acceleration" and "force"; all but the acceleration by default.
            title: of the picture.
        """
        t = np.linspace(0.0, self.duration, _SAMPLES)
        return stacked(title or f"Excitation of {self.base.tree.name}", [self.curves(x, t) for x in names or _SHOWN])

    def curves(self, name: str, t: Array) -> Curves:
        """One quantity at some times, with its limits."""
        check_name("quantity to plot", name, QUANTITIES)
        heading, unit = QUANTITIES[name]
        values = self.forces(t) if name == "force" else dict(zip(QUANTITIES, self.motion(t)))[name]
        bounds = ((x.lower, x.upper) for x in self.constraints if x.quantity.title == name)
        lower, upper = next(bounds, (-np.inf, np.inf))
        return limited(heading, t, self.joints, values, lower, upper, f"{heading.lower()} [{unit}]")

    def report(self, path: Name) -> Path:
        """Write a self-contained HTML page with an animation, plots and base parameters; gives the absolute path."""
        from kinetree.identify.pages import excitation_report

        return excitation_report(self).write(path)


def generator(seed: Any) -> np.random.Generator:
    """Random numbers from a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InputError(f"a seed is an integer of 0 or more, got {seed!r}") from None
