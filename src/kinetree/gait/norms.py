"""Normative curves of walking: means and standard deviations over a stride, from a CSV file of the user's own.

A file has a column ``percent`` of the stride and pairs of columns ``NAME mean [UNIT]`` and ``NAME sd [UNIT]``. The
names in the data of Schwartz and others (2008), of Falisse and others (2019) and of CGM 2.3 are recognised; or give
those of `CURVES` themselves, in the units of `Norms`.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.files import Name, read
from kinetree.gait import landmarks
from kinetree.runtime.arrays import Array

LARGEST = 2**24  # bytes of a file
_LEAST = 5  # samples of a stride below which there is no curve
# curves of a stride: name in the files without its unit, the unit where two have the same name, a factor to ours
_NAMES: dict[str, tuple[tuple[str, str, float], ...]] = {
    "hip": (("Hip Flex/Extension", "deg", 1.0), ("angle hip_flexion", "", 1.0), ("HipAngles.X", "", 1.0)),
    "knee": (("Knee Flex/Extension", "deg", 1.0), ("angle knee_angle", "", -1.0), ("KneeAngles.X", "", 1.0)),
    "ankle": (("Ankle Dorsi/Plantarflexion", "deg", 1.0), ("angle ankle_angle", "", 1.0), ("AnkleAngles.X", "", 1.0)),
    "lateral": (("grf Lateral", "%BW", -0.01),),  # of a right foot, to its right; here toward the midline
    "vertical": (("Vertical", "BW", 1.0), ("grf Vertical", "%BW", 0.01)),
    "fore_aft": (("Anterior/Posterior", "BW", 1.0), ("grf Fore-aft", "%BW", 0.01)),
    "hip moment": (("Hip Ext/Flexion", "Nm/kg", 1.0),),
    "knee moment": (("Knee Ext/Flexion", "Nm/kg", 1.0),),
    "ankle moment": (("Ankle Dorsi/Plantarflexion", "Nm/kg", 1.0),),
}
CURVES = tuple(_NAMES)


@dataclass(frozen=True, eq=False)
class Norms:
    """Normative curves.

    Args:
        name: of where they come from.
        percent: of the stride (k,).
        mean, sd: by names of `CURVES`, (k,) each: flexions and dorsiflexion [deg], ground forces [body weights],
            lateral toward the midline, moments [N m/kg].

    Example:
        >>> hip = np.array([30.0, 10.0, -10.0, 10.0, 30.0])
        >>> norms = Norms("own data", np.linspace(0.0, 100.0, 5), {"hip": hip}, {"hip": np.ones(5)})
        >>> mean, sd = norms.at("hip", [12.5])
        >>> float(mean[0]), float(sd[0])
        (20.0, 1.0)
    """

    name: str
    percent: Array
    mean: Mapping[str, Array]
    sd: Mapping[str, Array]

    def at(self, curve: str, percent: ArrayLike) -> tuple[Array, Array]:
        """Mean and standard deviation of a curve at other percentages of the stride, by linear interpolation."""
        return tuple(np.interp(percent, self.percent, x[curve]) for x in (self.mean, self.sd))  # type: ignore[return-value]

    @classmethod
    def read(cls, path: Name) -> Norms:
        """From a CSV file; columns with other names are ignored."""
        content = read(path, LARGEST, "normative curves")
        shown = os.fspath(path)
        columns = _columns(shown, content)
        if "percent" not in columns:
            raise InputError(f"{shown} has no column 'percent'; its columns are {', '.join(list(columns)[:8])}")
        percent = columns["percent"]
        if len(percent) < _LEAST or not (np.diff(percent) > 0).all() or not np.isfinite(percent).all():
            raise InputError(f"{shown}: 'percent' rises from row to row, in {_LEAST} rows or more")
        found = {curve: pair for curve in CURVES if (pair := _pair(columns, curve)) is not None}
        for curve, pair in found.items():
            if not np.isfinite(pair).all():
                raise InputError(f"{shown}: a number of the curve {curve!r} is missing or not finite")
        if not found:
            wanted = ", ".join(f"'{name} mean'" for name in CURVES)
            raise InputError(f"{shown} has no curve with a known name: give pairs such as {wanted}, and 'sd'")
        mean, sd = ({curve: pair[k] for curve, pair in found.items()} for k in (0, 1))
        return cls(Path(path).stem, percent, mean, sd)

    @classmethod
    def at_speed(cls, speed: float, leg: float = landmarks.LEG) -> Norms:
        """Hip, knee and ankle of walking at a speed [m/s] on legs of a length [m].

        Curves through landmarks of published means, and the standard deviations of the free speed: some figures of
        [Schwartz2008], whose walkers were children; speeds are scaled to the length of the legs. Below 0.87 and above
        1.67 m/s, on legs of 0.91 m, they are those of these speeds.

        Example:
            >>> mean, sd = Norms.at_speed(1.28).at("knee", [72.0])
            >>> round(float(mean[0]), 1), round(float(sd[0]), 1)
            (59.1, 5.9)
        """
        percent = np.linspace(0.0, 100.0, 101)
        curves = {name: landmarks.curve(name, speed, leg, percent) for name in landmarks.ANGLES}
        mean, sd = ({name: pair[k] for name, pair in curves.items()} for k in (0, 1))
        return cls(f"{landmarks.SOURCE}, landmarks at {speed:.2f} m/s", percent, mean, sd)

    @staticmethod
    def of(norms: Norms | Name | None) -> Norms | None:
        """Norms, those of a file, or none."""
        return norms if norms is None or isinstance(norms, Norms) else Norms.read(norms)


def _columns(shown: str, content: bytes) -> dict[str, Array]:
    """Numbers by the names of the header; what is no number is NaN."""
    try:
        rows = [row for row in csv.reader(content.decode("utf-8-sig").splitlines()) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{shown} is not readable as CSV: {error}") from None
    if not rows:
        raise InputError(f"{shown} is empty")
    header, *body = rows
    for number, row in enumerate(body, 2):
        if len(row) != len(header):
            raise InputError(f"{shown}, row {number}: {len(row)} cells under a header of {len(header)}")
    numbers = np.array([[_number(cell) for cell in row] for row in body]).reshape(len(body), len(header))
    return {name.strip(): numbers[:, k] for k, name in enumerate(header)}


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _pair(columns: Mapping[str, Array], curve: str) -> tuple[Array, Array] | None:
    """Mean and standard deviation of one curve in our units and signs."""
    for name, unit, factor in ((curve, "", 1.0), *_NAMES[curve]):
        means = [x for x in columns if _names(x, f"{name} mean", unit)]
        sds = [x for x in columns if _names(x, f"{name} sd", unit)]
        if means and sds:
            return factor * columns[means[0]], abs(factor) * columns[sds[0]]
    return None


def _names(column: str, name: str, unit: str) -> bool:
    """Whether a column is a name, perhaps with a unit behind it; with this unit where one is asked for."""
    bare, _, own = column.partition(" [")
    return bare == name and unit in ("", own.rstrip("]"))
