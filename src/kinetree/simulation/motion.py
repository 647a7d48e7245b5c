"""`Motion`: what a simulation, or any other source, gives: positions, velocities and forces over time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError, SimulationError, UnknownNameError
from kinetree.simulation.files import read_npz, write_csv, write_npz
from kinetree.simulation.interpolation import Turn, between, new_times, normalised, rates
from kinetree.simulation.outcome import Occurrence, Outcome
from kinetree.view.curves import Curves, stacked
from kinetree.view.picture import Picture

Array = NDArray[np.float64]
FIELDS = ("q", "qd", "qdd", "tau", "wrenches")
_UNITS = {
    "q": ("Positions", "[rad, m]"),
    "qd": ("Velocities", "[rad/s, m/s]"),
    "qdd": ("Accelerations", "[rad/s\u00b2, m/s\u00b2]"),
    "tau": ("Forces", "[N m, N]"),
}
_CURVES = 24  # that a plot may have
_SHOWN = 5  # runs that a message tells of


@dataclass(frozen=True)
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
        reason: for each run (flattened) a sentence on how it ended.
        events: what happened on the way.
        joints: the names of the velocities.
        positions, forces: the names of the positions and of the forces.
        turns: the unit quaternions among the positions.
    """

    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    wrenches: Array | None = None
    status: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    end: Array = field(default_factory=lambda: np.zeros(()))
    reason: tuple[str, ...] = ()
    events: tuple[Occurrence, ...] = ()
    joints: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    forces: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()

    def __len__(self) -> int:
        """The number of times."""
        return len(self.t)

    def __iter__(self) -> Iterator[Motion]:
        """The runs of a batch, along its first dimension."""
        if not self.batch:
            raise InputError("a motion of one run has no runs to go through; its arrays are t, q, qd, ...")
        return (self[k] for k in range(self.batch[0]))

    def __getitem__(self, index: Any) -> Motion:
        rows = np.arange(int(np.prod(self.batch))).reshape(self.batch)
        try:
            chosen = np.asarray(rows[index])
        except IndexError as error:
            raise InputError(f"there is no run {index!r} in a batch of shape {self.batch}: {error}") from None
        places = {int(row): place for place, row in np.ndenumerate(chosen)}
        flat = {row: int(np.ravel_multi_index(row, self.batch)) if row else 0 for row in {e.row for e in self.events}}
        events = [replace(e, row=places[flat[e.row]]) for e in self.events if flat[e.row] in places]
        reasons = tuple(self.reason[row] for row in chosen.ravel().tolist()) if self.reason else ()

        def part(x: Array | None) -> Array | None:
            return None if x is None else x.reshape(-1, *x.shape[len(self.batch) :])[chosen]

        arrays = {name: part(getattr(self, name)) for name in FIELDS}
        ends = {"status": self.status.ravel()[chosen], "end": self.end.ravel()[chosen]} if self.status.size else {}
        return replace(self, **arrays, **ends, reason=reasons, events=tuple(events))

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

        Positions are cubic polynomials between the records, quaternions brought to length one; so are velocities, where
        accelerations were recorded. Everything else is linear.

        Args:
            times: rising times (m,) [s] within those of the record, or one number, the step from the first on.

        Example:
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, dt=0.01)
            >>> motion.resample(0.1).q.shape
            (6, 2)
        """
        t = new_times(self.t, times)
        at = between(self.t, t)
        w = self.wrenches
        slopes = None if self.qd is None else rates(self.q, self.qd, self.turns)
        return replace(
            self,
            t=t,
            q=normalised(at(self.q, slopes), self.turns),
            qd=None if self.qd is None else at(self.qd, self.qdd),
            qdd=None if self.qdd is None else at(self.qdd),
            tau=None if self.tau is None else at(self.tau),
            wrenches=None if w is None else at(w.reshape(*w.shape[:-2], -1)).reshape(*w.shape[:-3], -1, *w.shape[-2:]),
        )

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_npz(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to a NumPy .npz file, the whole of it or nothing; gives the absolute path.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = motion.to_npz(folder + "/motion.npz")
            ...     bool((kt.Motion.from_npz(path).q == motion.q).all())
            True
        """
        arrays = {name: x for name in ("t", *FIELDS, "status", "end") if (x := getattr(self, name)) is not None}
        names = {name: np.array(getattr(self, name), np.str_) for name in ("reason", "joints", "positions", "forces")}
        sizes = len(self.events), len(self.batch)
        events = {
            "event_name": np.array([e.name for e in self.events], np.str_),
            "event_t": np.array([e.t for e in self.events], float),
            "event_row": np.array([e.row for e in self.events], np.int64).reshape(sizes),
            "event_q": np.array([e.q for e in self.events], float),
            "event_qd": np.array([e.qd for e in self.events], float),
        }
        turns = np.array([tuple(map(int, x)) for x in self.turns], np.int64).reshape(-1, 3)
        return write_npz(path, {**arrays, **names, **events, "turns": turns})

    @staticmethod
    def from_npz(path: str | os.PathLike[str]) -> Motion:
        """The motion of a file that `to_npz` wrote; nothing in the file is run."""
        x = read_npz(path)
        lost = {"t", "q", "status", "end", "reason", "turns", "event_name", "event_t", "event_row"} - x.keys()
        if lost or x["t"].ndim != 1 or x["q"].ndim < 2 or x["q"].shape[-2] != len(x["t"]):
            raise InputError(f"{os.fspath(path)} is not a whole file of Motion.to_npz; {', '.join(sorted(lost))}")
        keys = ("event_name", "event_t", "event_row", "event_q", "event_qd")
        events = [
            Occurrence(str(name), float(t), tuple(map(int, row)), q, qd)
            for name, t, row, q, qd in zip(*(x.pop(key) for key in keys))
        ]
        names: dict[str, Any] = {
            key: tuple(map(str, x.pop(key))) for key in ("reason", "joints", "positions", "forces")
        }
        turns = tuple(Turn(int(q), int(v), bool(free)) for q, v, free in x.pop("turns"))
        return Motion(**x, **names, events=tuple(events), turns=turns)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a table: a row for each time until the run ends, for batches with the number of the run before it.

        Columns are named by quantity and joint, such as ``q.joint1`` and ``tau.joint2``. Gives the absolute path.
        """
        columns = {name: x for name in FIELDS if (x := getattr(self, name)) is not None}
        header = ["run"] * bool(self.batch) + ["t"]
        for name, x in columns.items():
            header += [f"{name}.{label}" for label in self._labels(name, int(np.prod(x.shape[len(self.batch) + 1 :])))]
        runs = [x.reshape(-1, len(self.t), int(np.prod(x.shape[len(self.batch) + 1 :]))) for x in columns.values()]

        def rows() -> Iterator[list[Any]]:
            for run, k in itertools.product(range(runs[0].shape[0]), range(len(self.t))):
                if not np.isnan(runs[0][run, k]).any():
                    values = itertools.chain.from_iterable(x[run, k].tolist() for x in runs)
                    yield [*([run] if self.batch else []), float(self.t[k]), *values]

        return write_csv(path, header, rows())

    # -- pictures ------------------------------------------------------------------------------------------------------

    def plot(self, what: str | Sequence[str] = "q", joints: Sequence[str] | None = None, title: str = "") -> Picture:
        """Curves over time, as a picture that notebooks show and ``.save("motion.svg")`` writes.

        Args:
            what: one or several of "q", "qd", "qdd" and "tau", each in a plot of its own.
            joints: the names of the curves; all by default.
            title: above the first plot.

        Example:
            >>> import kinetree as kt
            >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
            >>> motion.plot(["q", "tau"]).svg.count("<path")
            4
        """
        plots = []
        for name in [what] if isinstance(what, str) else what:
            if name not in _UNITS:
                raise UnknownNameError("quantity to plot", name, _UNITS)
            if (x := getattr(self, name)) is None:
                raise InputError(f"{name} was not recorded; give simulate record=({name!r}, ...)")
            labels = self._labels(name, x.shape[-1])
            for joint in joints or ():
                if joint not in labels:
                    raise UnknownNameError(f"curve of {name}", joint, labels)
            chosen = [k for k, label in enumerate(labels) if joints is None or label in joints]
            runs = x.reshape(-1, *x.shape[-2:])
            if len(runs) * len(chosen) > _CURVES:
                raise InputError(f"{len(runs) * len(chosen)} curves are too many; choose runs, motion[3], or joints=")
            series = {
                f"{labels[k]}, run {row}" if self.batch else labels[k]: run[:, k]
                for row, run in enumerate(runs)
                for k in chosen
            }
            heading, unit = _UNITS[name]
            shown = title if title and not plots else heading
            plots.append(Curves(shown, self.t, series, ylabel=f"{heading.lower()} {unit}"))
        return stacked(title or "Motion", plots)

    def _labels(self, name: str, size: int) -> list[str]:
        given = {"q": self.positions, "tau": self.forces}.get(name, self.joints)
        return [*given] if len(given) == size else [str(k) for k in range(size)]
