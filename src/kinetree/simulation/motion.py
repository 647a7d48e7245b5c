"""`Motion`: positions, velocities, accelerations and forces over time, of a simulation or of another source."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError, SimulationError, printable
from kinetree.files import check_place, write_csv
from kinetree.given import Given, default
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.runtime.cuda.arrays import on_host
from kinetree.simulation import files, tables
from kinetree.simulation.interpolation import QuaternionCoordinates, interpolator, normalised, rates, sample_times
from kinetree.simulation.outcome import Occurrence, Outcome
from kinetree.simulation.report import MOST_CURVES, plot, report
from kinetree.view.picture import Picture
from kinetree.view.snapshots import snapshots

QUANTITIES = files.QUANTITIES
_SHOWN = 5  # runs that a message names


@dataclass(frozen=True, repr=False)
class Motion:
    """A motion, or a batch of them, sampled in time.

    ``motion[3]`` is one run of a batch (or several, by any index that an array takes), and a loop goes over the runs.

    Args:
        t: the times (n,) [s].
        q: positions (..., n, nq) [rad, m]; rows after the end of a run are NaN.
        qd, qdd: velocities and accelerations (..., n, nv), where they were recorded.
        tau: the forces of the actuators (..., n, nv) [N m, N], likewise; for a closed chain (..., n, actuated).
        wrenches: joint wrenches (..., n, nbodies, 6), likewise.
        status: an `Outcome` for each run (...).
        end: when each run ended (...) [s].
        reason: for each run (flattened) a message on how it ended.
        events: those that happened.
        joints: the names of the velocities.
        positions, forces: the names of the positions and of the forces.
        quaternions: where the unit quaternions are among the positions.
        robot: what moved, for animations.
        parameters: the values of its named parameters, each (...).
    """

    t: Array
    q: Array
    qd: Given[Array, None] = default(None)  # that an array is not there is for the reader to know
    qdd: Given[Array, None] = default(None)
    tau: Given[Array, None] = default(None)
    wrenches: Given[Array, None] = default(None)
    status: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    end: Array = field(default_factory=lambda: np.zeros(()))
    reason: tuple[str, ...] = ()
    events: tuple[Occurrence, ...] = ()
    joints: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    forces: tuple[str, ...] = ()
    quaternions: tuple[QuaternionCoordinates, ...] = ()
    robot: Robot | None = None
    parameters: Mapping[str, Array] = field(default_factory=dict)

    def __repr__(self) -> str:
        """One line: what moved, when, and how it ended."""
        times = f"{len(self)} times" + (f", {self.t[0]:.4g} to {self.t[-1]:.4g} s" if len(self) else "")
        if not self.batch:
            return printable(f"{self.title}: {'; '.join([times, *self.reason])}")
        outcomes = Counter(np.broadcast_to(self.status, self.batch).ravel().tolist())
        ends = (f"{count} {Outcome(status).name.lower()}" for status, count in sorted(outcomes.items()))
        return f"{printable(self.title)}: {math.prod(self.batch)} runs of {times}; {', '.join(ends)}"

    def _repr_html_(self) -> str:
        """The line, and the curves where they are not too many."""
        line = f"<p>{escape(repr(self))}</p>"
        curves = self.q.size // max(len(self), 1)
        return f"{line}\n{self.plot()._repr_html_()}" if 0 < curves <= MOST_CURVES else line

    def to_host(self) -> Motion:
        """The same motion with arrays of NumPy, copied from a GPU where they are there; plots and files need them.

        Example:
            >>> import kinetree as kt
            >>> kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1).to_host().q.shape
            (101, 2)
        """
        arrays = {name: on_host(x) for name in QUANTITIES if (x := getattr(self, name)) is not None}
        return replace(self, **arrays, parameters={name: on_host(x) for name, x in self.parameters.items()})

    @property
    def title(self) -> str:
        """What moved, for headings."""
        return "Motion" if self.robot is None else f"Motion of {self.robot.name}"

    def __len__(self) -> int:
        """The number of times."""
        return len(self.t)

    def __iter__(self) -> Iterator[Motion]:
        """The runs of a batch, along its first dimension."""
        if not self.batch:
            raise InputError("a motion of one run has no runs to iterate over; its arrays are t, q, qd, ...")
        return (self[k] for k in range(self.batch[0]))

    def __getitem__(self, index: Any) -> Motion:
        rows = np.arange(int(np.prod(self.batch))).reshape(self.batch)
        try:
            chosen = np.asarray(rows[index])
        except IndexError as error:
            raise InputError(f"there is no run {index!r} in a batch of shape {self.batch}: {error}") from None
        indices = {int(row): index for index, row in np.ndenumerate(chosen)}
        flat = {row: int(np.ravel_multi_index(row, self.batch)) if row else 0 for row in {e.row for e in self.events}}
        events = [replace(e, row=indices[flat[e.row]]) for e in self.events if flat[e.row] in indices]
        reasons = tuple(self.reason[row] for row in chosen.ravel().tolist()) if self.reason else ()

        def part(x: Array | None) -> Array | None:
            return None if x is None else x.reshape(-1, *x.shape[len(self.batch) :])[chosen]

        arrays = {name: part(getattr(self, name)) for name in QUANTITIES}
        values = {name: np.asarray(x).ravel()[chosen] for name, x in self.parameters.items()}
        ends = {"status": self.status.ravel()[chosen], "end": self.end.ravel()[chosen]} if self.status.size else {}
        return replace(self, **arrays, **ends, reason=reasons, events=tuple(events), parameters=values)

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of the batch of runs; () for one run."""
        return self.q.shape[:-2]

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which runs went to their end, or to an event that stops (...)."""
        return self.status <= Outcome.STOPPED

    def check(self) -> Motion:
        """The motion itself, if all runs went to their end or to an event; raises `SimulationError` otherwise.

        Example:
            >>> import kinetree as kt
            >>> kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01).check().t.shape
            (11,)
        """
        bad = np.flatnonzero(~np.atleast_1d(self.ok).ravel()).tolist()
        if bad:
            named = [f"run {k} {self.reason[k]}" if self.batch else f"the run {self.reason[k]}" for k in bad[:_SHOWN]]
            more = [f"and {len(bad) - _SHOWN} more"] if len(bad) > _SHOWN else []
            raise SimulationError("; ".join([*named, *more]))
        return self

    # -- other times ---------------------------------------------------------------------------------------------------

    def resample(self, times: ArrayLike) -> Motion:
        """The same motion at other times.

        Positions are cubic Hermite polynomials between the records, with normalised quaternions; so are velocities,
        where accelerations were recorded. Everything else is interpolated linearly.

        Args:
            times: rising times (m,) [s] within those of the record, or one number, the step from the first on.

        Example:
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, dt=0.01)
            >>> motion.resample(0.1).q.shape
            (6, 2)
        """
        t = sample_times(self.t, times)
        at = interpolator(self.t, t)
        slopes = None if self.qd is None else rates(self.q, self.qd, self.quaternions)
        found = {name: at(x) for name in ("qdd", "tau") if (x := getattr(self, name)) is not None}
        if self.qd is not None:
            found["qd"] = at(self.qd, self.qdd)
        if (w := self.wrenches) is not None:
            found["wrenches"] = at(w.reshape(*w.shape[:-2], -1)).reshape(*w.shape[:-3], -1, *w.shape[-2:])
        return replace(self, t=t, q=normalised(at(self.q, slopes), self.quaternions), **found)

    # -- as a result ---------------------------------------------------------------------------------------------------

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a table: a row for each time until the run ends, for batches with the number of the run before it.

        Columns are named by quantity and joint, such as ``q.joint1`` and ``tau.joint2``. Gives the absolute path.
        """
        return write_csv(path, tables.columns(self))

    def to_dataframe(self) -> Any:
        """The same table as a pandas DataFrame, which needs ``pip install pandas``.

        Example:
            >>> import kinetree as kt
            >>> list(kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1).to_dataframe())[:3]
            ['t', 'q.joint1', 'q.joint2']
        """
        return tables.to_dataframe(self)

    def to_xarray(self) -> Any:
        """All that was recorded as a Dataset of xarray, with names of dimensions and joints, and units.

        Dimensions are "run" (then "run_2", ...), "time" and "joint"; "position" for robots with quaternions,
        "actuated_joint" for forces of closed chains, "body" and "component" for wrenches. Needs ``pip install xarray``.

        Example:
            >>> import kinetree as kt
            >>> data = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01).to_xarray()
            >>> data.q.dims, data.q.sel(joint="joint2").shape
            (('time', 'joint'), (11,))
        """
        return tables.to_xarray(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to a NumPy .npz file, the whole of it or nothing; gives the absolute path.

        Of the robot, a model with joint types of your own is not written.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = motion.save(folder + "/motion.npz")
            ...     bool((kt.Motion.load(path).q == motion.q).all())
            True
        """
        return files.save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], *, largest: int = 2**30) -> Motion:
        """The motion of a file that `save` wrote; nothing in the file is executed.

        Args:
            path: of the file.
            largest: bytes that its arrays may take in memory; a small file can hold very many equal numbers.
        """
        return Motion(**files.load(path, largest))

    def plot(self, *names: str, joints: Sequence[str] | None = None, title: str = "") -> Picture:
        """Curves over time, as a picture that notebooks show and ``.save("motion.svg")`` writes.

        Args:
            names: of "q", "qd", "qdd" and "tau", each in a plot of its own; by default "q", "qd" and "tau", where they
                were recorded.
            joints: the names of the curves; all by default.
            title: above the first plot.

        Example:
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
            >>> motion.plot("q", "tau").svg.count("<path")
            4
        """
        return plot(self, names, joints, title)

    def snapshots(self, count: int = 9, *, frame: str | None = None) -> Picture:
        """The robot at several times in one picture, seen along the axis of the world in which it is thinnest.

        Of a batch, the first run until its end.

        Args:
            count: how many times, both ends included.
            frame: whose path is drawn; that of the last body's tip by default.

        Example:
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
            >>> motion.snapshots(5).title
            'two_link at 5 times from 0 to 0.1 s'
        """
        if self.robot is None:
            raise InputError("this motion has no robot to draw; Motion(..., robot=...) has one")
        run = self[(0,) * len(self.batch)] if self.batch else self
        values = {name: float(value) for name, value in run.parameters.items()}
        kept = np.isfinite(run.q).all(axis=-1)
        shown = replace(run, t=run.t[kept] - run.t[0], q=run.q[kept], qd=None, qdd=None, tau=None, wrenches=None)
        return snapshots(self.robot, lambda t: shown.resample(t).q, float(shown.t[-1]), count, frame, **values)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write a self-contained HTML page with an animation, plots, and how the runs ended; gives the absolute path.

        Of a batch the first run is animated and plotted.
        """
        check_place(path)  # before the page is made
        return report(self).write(path)

    def labels(self, name: str) -> list[str]:
        """The names of the numbers of a recorded quantity, such as "q"."""
        size = math.prod(getattr(self, name).shape[len(self.batch) + 1 :])
        given = {"q": self.positions, "tau": self.forces}.get(name, self.joints)
        return [*given] if len(given) == size else [str(k) for k in range(size)]
