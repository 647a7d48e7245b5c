"""`Data`: what was measured on a robot, checked before anything is computed from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.files import Name, write_csv
from kinetree.identify.chains import AnyRobot, columns_of
from kinetree.runtime.arrays import Array

FEWEST = 10  # samples: with fewer, noise can't be estimated
GAP = 1.5  # of the median step: in a longer one samples were lost
SHOWN = 3  # samples that a message names


@dataclass(frozen=True, repr=False)
class Data:
    """Positions and forces of a robot, measured at times that rise evenly.

    Args:
        t: times (m,) [s].
        q: positions (m, nq) [rad, m]; of a closed chain those of all joints, or of the independent ones alone.
        forces: of the actuators (m, n) [N m, N], at the joint side of gears; of a closed chain at its actuated
            joints.
        qd, qdd: velocities and accelerations (m, n), where they were measured; `prepare` derives them otherwise.
        joints: the names of the columns of the forces, to have them put into the robot's order; without names they
            must be in that order.
        fill: whether NaN and lost samples are interpolated linearly; otherwise an error says where they are.

    Example:
        >>> import numpy as np
        >>> t = np.arange(100) / 100.0
        >>> Data(t, np.c_[np.sin(t), np.cos(t)], np.zeros((100, 2)))
        Data: 100 samples at 100 Hz over 0.99 s, 2 forces
    """

    t: Array
    q: Array
    forces: Array
    qd: Array | None = None
    qdd: Array | None = None
    joints: tuple[str, ...] | None = None
    fill: InitVar[bool] = False

    def __post_init__(self, fill: bool) -> None:
        t = _numbers("t", self.t, 1)
        if len(t) < FEWEST:
            raise InputError(f"{len(t)} samples are too few, at least {FEWEST} are needed")
        given = {name: getattr(self, name) for name in ("q", "forces", "qd", "qdd")}
        series = {name: _numbers(name, x, 2) for name, x in given.items() if x is not None}
        n = series["forces"].shape[1]
        for name, x in series.items():
            if len(x) != len(t):
                raise InputError(f"{name} has {len(x)} rows and t has {len(t)}; each time needs a row")
            if name in ("qd", "qdd") and x.shape[1] != n:
                raise InputError(
                    f"{name} has {x.shape[1]} columns and forces {n}; both have one for each velocity of the robot"
                )
        _check_times(t)
        if fill:
            t, series = _filled(t, series)
        for name, x in series.items():
            _check_finite(name, t, x)
        _check_gaps(t)
        for name, x in {"t": t, **series}.items():
            x.setflags(write=False)
            object.__setattr__(self, name, x)
        if self.joints is not None:
            object.__setattr__(self, "joints", _names(self.joints, self.forces.shape[1]))

    def __len__(self) -> int:
        return len(self.t)

    @property
    def rate(self) -> float:
        """Samples a second."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0])

    def __repr__(self) -> str:
        duration, forces = self.t[-1] - self.t[0], self.forces.shape[1]
        return f"Data: {len(self)} samples at {self.rate:g} Hz over {duration:g} s, {forces} forces"

    def part(self, start: float, end: float) -> Data:
        """The samples between two times [s], such as those for a fit, with others left for its validation.

        Example:
            >>> import numpy as np
            >>> t = np.arange(100) / 100.0
            >>> len(Data(t, np.sin(t)[:, None], np.zeros((100, 1))).part(0.5, 1.0))
            50
        """
        chosen = (self.t >= start) & (self.t <= end)
        return self.with_series(self.t[chosen], lambda x: x[chosen])

    def with_series(self, t: Array, change: Callable[[Array], Array]) -> Data:
        """The data at other times, with all series changed."""
        qd, qdd = (None if x is None else change(x) for x in (self.qd, self.qdd))
        return Data(t, change(self.q), change(self.forces), qd, qdd, self.joints)

    # -- files ---------------------------------------------------------------------------------------------------------

    @staticmethod
    def from_csv(path: Name, robot: AnyRobot, *, fill: bool = False) -> Data:
        """Measurements from a CSV file with a header.

        Columns: ``t`` [s]; a position ``q.<joint>`` of each joint and a force ``tau.<joint>``; where they were
        measured, velocities ``qd.<joint>`` and accelerations ``qdd.<joint>``. Names with _ instead of the point are
        read too, and numbered columns: ``q1``, ``tau1``, ... in the robot's order. Forces of passive joints may be left
        out; further columns are ignored. Lines that begin with # are comments.

        Args:
            path: of the file.
            robot: whose joints the columns are of.
            fill: see `Data`.
        """
        from kinetree.identify.tables import read_measurements

        return Data(**read_measurements(path, columns_of(robot)), fill=fill)

    def to_csv(self, path: Name) -> Path:
        """Write a CSV file that `from_csv` reads; gives the absolute path.

        Example:
            >>> import tempfile
            >>> import numpy as np
            >>> import kinetree as kt
            >>> t = np.arange(20) / 100.0
            >>> data = Data(t, np.c_[np.sin(t), np.cos(t)], np.zeros((20, 2)), joints=("joint1", "joint2"))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     again = Data.from_csv(data.to_csv(folder + "/measured.csv"), kt.robots.two_link())
            >>> bool((again.q == data.q).all())
            True
        """
        columns = {"t": self.t}
        for letters, x in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd), ("tau", self.forces)):
            if x is not None:
                named = self.joints is not None and x.shape[1] == len(self.joints)
                names = [f".{n}" for n in self.joints or ()] if named else [str(k + 1) for k in range(x.shape[1])]
                columns |= {f"{letters}{name}": column for name, column in zip(names, x.T)}
        return write_csv(path, columns)


def ordered(data: Data, robot: AnyRobot) -> Data:
    """The data with its columns in the order of the robot; refuses those that are not its own."""
    own = columns_of(robot)
    counts = (len(own.positions), len(own.forces)) if isinstance(robot, ClosedChain) else (len(own.positions),)
    if data.q.shape[1] not in counts or data.forces.shape[1] != len(own.forces):
        raise InputError(
            f"the robot has {len(own.positions)} positions ({', '.join(own.positions)}) and {len(own.forces)} forces "
            f"({', '.join(own.forces)}); the data has {data.q.shape[1]} columns of q and {data.forces.shape[1]} of "
            "forces"
        )
    if data.joints is None or data.joints == own.forces:
        return data
    names = ", ".join(own.forces)
    if sorted(data.joints) != sorted(own.forces):
        raise InputError(f"the joints of the data are {', '.join(data.joints)}; those of the robot are {names}")
    if data.q.shape[1] != len(own.forces):
        raise InputError(f"the columns must be in the robot's order, {names}; got {data.joints}")
    order = [data.joints.index(name) for name in own.forces]
    return replace(data.with_series(data.t, lambda x: x[:, order]), joints=own.forces)


# -- checks ------------------------------------------------------------------------------------------------------------


def _numbers(name: str, given: Any, dimensions: int) -> Array:
    try:
        x = np.array(given, float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {type(given).__name__}") from None
    if x.ndim != dimensions:
        wanted = "(samples,)" if dimensions == 1 else "(samples, columns)"
        raise InputError(f"{name} has the shape {x.shape}, expected {wanted}")
    return x


def _names(joints: Sequence[str], count: int) -> tuple[str, ...]:
    names = (joints,) if isinstance(joints, str) else tuple(joints)
    if len(names) != count or len(set(names)) != count:
        raise InputError(f"joints names each of the {count} columns of forces once, got {names}")
    return names


def _check_times(t: Array) -> None:
    if not np.isfinite(t).all():
        raise InputError(f"t is not a number in row {np.flatnonzero(~np.isfinite(t))[0]}")
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if len(back):
        k = back[0]
        raise InputError(f"times must rise: row {k + 1} is at {t[k + 1]:g} s, after {t[k]:g} s ({len(back)} such rows)")


def _listed(texts: list[str]) -> str:
    more = [f"and {len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return ", ".join([*texts[:SHOWN], *more])


def _check_finite(name: str, t: Array, x: Array) -> None:
    lost = np.argwhere(~np.isfinite(x))
    if len(lost):
        where = _listed([f"row {k} (t = {t[k]:g} s) column {c}" for k, c in lost.tolist()])
        raise InputError(
            f"samples of {name} are missing or not numbers: {where}; leave them out, or give fill=True to interpolate "
            "linearly"
        )


def _gaps(t: Array) -> tuple[float, NDArray[np.int64]]:
    """The usual step, and after which samples a longer one comes."""
    steps = np.diff(t)
    usual = float(np.median(steps))
    return usual, np.flatnonzero(steps > GAP * usual)


def _check_gaps(t: Array) -> None:
    usual, gaps = _gaps(t)
    if len(gaps):
        where = _listed([f"{t[k]:g} and {t[k + 1]:g} s" for k in gaps])
        raise InputError(
            f"samples are missing between {where}: the usual step is {usual:g} s. Give the parts as data of their own, "
            "in a list, or fill=True to interpolate linearly"
        )


def _filled(t: Array, series: dict[str, Array]) -> tuple[Array, dict[str, Array]]:
    """Evenly spaced times, with linear interpolation of what is missing."""
    usual, _ = _gaps(t)
    even = np.linspace(t[0], t[-1], round((t[-1] - t[0]) / usual) + 1)
    filled: dict[str, Array] = {}
    for name, x in series.items():
        there = np.isfinite(x)
        if not (there.sum(axis=0) >= FEWEST).all():
            raise InputError(f"{name} has a column with fewer than {FEWEST} numbers; there is nothing to fill it from")
        filled[name] = np.stack([np.interp(even, t[w], c[w]) for c, w in zip(x.T, there.T)], axis=1)
    return even, filled
