"""Motions and forces ready for a fit: low-pass filtered, differentiated, averaged.

Forces are not filtered as positions are. Over each block of samples they are averaged, and so is whatever is compared
with them, the regressor or a prediction, at the measured rate: both sides of the equation are filtered alike, and white
noise stays uncorrelated from block to block. [Gautier2001] filters both sides for this reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.chains import AnyRobot, columns_of, independent_positions, tree_of
from kinetree.identify.data import FEWEST, Data, ordered
from kinetree.identify.filtering import best_cutoff, means, smooth
from kinetree.runtime.arrays import Array

TRIMMED = 1.5  # periods of the cutoff at each end, where the filter has samples on one side only
BLOCKS = 6.0  # in a period of the cutoff
JITTER = 1e-3  # of a step: times that are off by more are put on even ones
CHUNK = 4096  # samples whose regressor is in memory at once


@dataclass(frozen=True, repr=False)
class Samples:
    """A motion and its forces for a fit; `prepare` makes them of measurements.

    Exact values, or those of a filter of your own, can be given directly.

    Args:
        t: times (m,) [s], the middles of blocks.
        q, qd, qdd: the motion (m, n); of a closed chain the positions of all joints, and velocities and accelerations
            of the independent ones.
        forces: (m, n) [N m, N].
        cutoff: the frequency up to which motion was kept [Hz].
        measured: the samples at the measured rate, where these are means over blocks of them.

    Example:
        >>> import numpy as np
        >>> q, qd, qdd = np.zeros((3, 20, 2))
        >>> Samples(np.arange(20.0), q, qd, qdd, q)
        Samples: 20 at 1 Hz, 2 forces
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    forces: Array
    cutoff: float = math.inf
    measured: Samples | None = None

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd", "forces"):
            x = np.asarray(getattr(self, name), float)
            if x.ndim != (1 if name == "t" else 2) or len(x) != len(self.t):
                raise InputError(f"{name} has the shape {x.shape}; it has a row for each of the {len(self.t)} times")
            if not np.isfinite(x).all():
                raise InputError(f"{name} is not a number in row {np.argwhere(~np.isfinite(x))[0][0]}")
            object.__setattr__(self, name, x)
        if not self.qd.shape == self.qdd.shape == self.forces.shape:
            raise InputError(
                f"qd {self.qd.shape}, qdd {self.qdd.shape} and forces {self.forces.shape} must have as many columns"
            )

    def __len__(self) -> int:
        return len(self.t)

    @property
    def rate(self) -> float:
        """Samples a second."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0])

    def __repr__(self) -> str:
        return f"Samples: {len(self)} at {self.rate:.4g} Hz, {self.forces.shape[1]} forces"

    @property
    def block(self) -> int:
        """How many measured samples each of these is the mean of."""
        return 1 if self.measured is None else len(self.measured) // len(self)

    def averaged(self, block: int) -> Samples:
        """The means over blocks of so many samples."""
        t, q, qd, qdd, forces = (means(x, block) for x in (self.t, self.q, self.qd, self.qdd, self.forces))
        return Samples(t, q, qd, qdd, forces, self.cutoff, self)

    def evaluate(self, function: Callable[[Array, Array, Array], Array]) -> Array:
        """A function of the motion (q, qd, qdd), averaged as the forces were: (m, ...).

        Example:
            >>> import numpy as np
            >>> q, qd, qdd = np.ones((3, 20, 2))
            >>> Samples(np.arange(20.0), q, qd, qdd, q).evaluate(lambda q, qd, qdd: 2.0 * q).shape
            (20, 2)
        """
        fine, block = self.measured or self, self.block
        chunk = max(1, CHUNK // block) * block
        parts = [slice(k, k + chunk) for k in range(0, len(fine), chunk)]
        return np.concatenate([means(function(fine.q[p], fine.qd[p], fine.qdd[p]), block) for p in parts])


Measured = Data | Samples | Sequence[Data | Samples]


def prepare(
    robot: AnyRobot,
    data: Data,
    cutoff: float | None = None,
    decimate: int | None = None,
    trim: float | None = None,
    configuration: ArrayLike | None = None,
    **parameters: float,
) -> Samples:
    """Measurements without noise above a frequency, differentiated, and averaged to fewer samples.

    Args:
        robot: a `Robot` or `ClosedChain`.
        data: what was measured.
        cutoff: above it, positions are noise [Hz]; by default the one at which the motion that the filter takes
            away and the noise that it leaves make the smallest error of accelerations, by the spectra of the
            positions, and at the most 0.4 of the sampling rate. ``math.inf`` filters nothing.
        decimate: samples whose forces are averaged to one; by default so many that six of these are in a period of
            the cutoff.
        trim: what is cut off at both ends [s]; by default one and a half periods of the cutoff.
        configuration: of a closed chain, a closed one (nq) in whose assembly it moves, for data of the independent
            joints alone; ``chain.neutral`` by default.
        parameters: values for open parameters of a closed chain's geometry.

    Returns:
        `Samples`.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> t = np.arange(2000) / 1000.0
        >>> q = np.c_[np.sin(6.0 * t), np.cos(5.0 * t)]
        >>> samples = prepare(kt.robots.two_link(), Data(t, q, q), cutoff=10.0)
        >>> bool(abs(samples.qdd[:, 0] + 36.0 * np.sin(6.0 * samples.t)).max() < 0.02)
        True
    """
    if not isinstance(data, Data):
        raise InputError(f"what is prepared is kinetree.identify.Data, got {data!r:.60}")
    data = _even(ordered(data, robot))
    rate = data.rate
    own = data.q
    if isinstance(robot, ClosedChain) and own.shape[1] != robot.mobility:
        own = own[:, independent_positions(robot)]
    cutoff = best_cutoff(own, rate) if cutoff is None else cutoff
    if not (isinstance(cutoff, (int, float, np.number)) and cutoff > 0):
        raise InputError(f"cutoff is a number above 0, got {cutoff!r}")
    if math.isfinite(cutoff) and cutoff > 0.5 * rate:
        raise InputError(f"the cutoff {cutoff:g} Hz is above half of the sampling rate, {rate:g} Hz")
    trim = TRIMMED / cutoff if trim is None else float(trim)
    if not (0.0 <= trim < math.inf):
        raise InputError(f"trim is a time of 0 s or more, got {trim!r}")
    block = max(1, int(rate / (BLOCKS * cutoff))) if decimate is None else decimate
    if isinstance(block, bool) or not isinstance(block, (int, np.integer)) or block < 1:
        raise InputError(f"decimate is an integer, at least 1; got {decimate!r}")
    q, qd, qdd = _motion(robot, data, own, cutoff)
    cut = math.ceil(trim * rate)
    count = (len(data) - 2 * cut) // block
    if count < FEWEST:
        raise InputError(
            f"of {len(data)} samples at {rate:g} Hz {max(count, 0)} are left: {trim:g} s are cut off at each end and "
            f"{block} are averaged to one (cutoff {cutoff:g} Hz). Measure for longer, or give cutoff, trim or decimate"
        )
    kept = slice(cut, cut + count * block)
    q = q[kept]
    if isinstance(robot, ClosedChain):
        numbers: dict[str, Any] = dict(parameters)
        q = robot.close(q, data.q[kept] if data.q.shape[1] == robot.robot.nq else configuration, **numbers).check()
    fine = Samples(data.t[kept], q, qd[kept], qdd[kept], data.forces[kept], float(cutoff))
    return fine if block == 1 else fine.averaged(block)


def _even(data: Data) -> Data:
    """The data at evenly spaced times."""
    even = np.linspace(data.t[0], data.t[-1], len(data))
    if np.abs(data.t - even).max() <= JITTER / data.rate:
        return data
    return data.with_series(even, lambda x: np.stack([np.interp(even, data.t, c) for c in x.T], axis=1))


def _motion(robot: AnyRobot, data: Data, q: Array, cutoff: float) -> tuple[Array, Array, Array]:
    """Filtered positions, velocities and accelerations; what was measured is not differentiated."""
    quaternions = tree_of(robot).quaternions
    if quaternions and data.qd is None:
        raise InputError(f"joint {quaternions[0][0]!r} has a quaternion, whose rate is no velocity; measure qd too")
    rate = data.rate
    if data.qd is None:
        position, velocity, acceleration = smooth(q, rate, cutoff, 2)
    else:
        position = q if math.isinf(cutoff) else smooth(q, rate, cutoff, 0)[0]
        velocity, acceleration = smooth(data.qd, rate, cutoff, 1)
        velocity = data.qd if math.isinf(cutoff) else velocity
    if data.qdd is not None:
        acceleration = data.qdd if math.isinf(cutoff) else smooth(data.qdd, rate, cutoff, 0)[0]
    position = np.array(position)
    for _, start in quaternions:
        position[:, start : start + 4] /= np.linalg.norm(position[:, start : start + 4], axis=1, keepdims=True)
    return position, velocity, acceleration


# -- measurements of a fit ---------------------------------------------------------------------------------------------


def samples_of(robot: AnyRobot, data: Measured, configuration: ArrayLike | None = None) -> tuple[Samples, ...]:
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


def evaluated(samples: Sequence[Samples], function: Callable[[Array, Array, Array], Array]) -> Array:
    """A function of the motion at all samples: (m, ...); see `Samples.evaluate`."""
    return np.concatenate([x.evaluate(function) for x in samples])


def configuration_of(robot: AnyRobot, samples: Sequence[Samples]) -> Array | None:
    """Of a closed chain, the measured configuration that is farthest from singular ones, in the assembly that moves."""
    if not isinstance(robot, ClosedChain):
        return None
    q = np.concatenate([(x.measured or x).q for x in samples])
    return q[np.argmax(robot.margin(q))]


def lags_of(samples: Sequence[Samples]) -> int:
    """How many samples apart residuals may be correlated: two periods of the filter, or the rule of [NeweyWest1994].

    The filter spreads an error over about a period to both sides.
    """
    count = sum(map(len, samples))
    periods = 2.0 * max(x.rate / x.cutoff for x in samples)
    return min(count, max(1 + math.ceil(periods), int(4.0 * (count / 100.0) ** (2.0 / 9.0)) + 1))
