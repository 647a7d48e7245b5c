"""Predicted against measured forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from kinetree.errors import check_names, printable
from kinetree.files import Name, write_csv
from kinetree.identify.chains import AnyRobot, columns_of
from kinetree.identify.samples import Samples
from kinetree.runtime.arrays import Array
from kinetree.view import Curves, Picture
from kinetree.view.curves import stacked


@dataclass(frozen=True, repr=False)
class Validation:
    """Measured and predicted forces, and their differences.

    Args:
        t: times (m,) [s].
        measured, predicted: forces (m, n) [N m, N], averaged alike.
        joints: the names of the columns.
    """

    t: Array
    measured: Array
    predicted: Array
    joints: tuple[str, ...]

    @cached_property
    def residuals(self) -> Array:
        """Measured less predicted forces (m, n)."""
        return self.measured - self.predicted

    @cached_property
    def absolute(self) -> Array:
        """The root mean square of each joint's residuals (n,) [N m, N]."""
        return np.sqrt((self.residuals**2).mean(axis=0))

    @cached_property
    def rms(self) -> Array:
        """That, over the root mean square of the measured forces (n,), of all joints where a joint has none."""
        sizes = np.sqrt((self.measured**2).mean(axis=0))
        whole = max(float(np.sqrt((sizes**2).mean())), 1e-300)
        return self.absolute / np.where(sizes > 1e-9 * whole, sizes, whole)

    @property
    def total(self) -> float:
        """The root mean square of all residuals over that of all measured forces."""
        return float(np.sqrt((self.residuals**2).sum() / max((self.measured**2).sum(), 1e-300)))

    def plot(self, *joints: str, title: str = "") -> Picture:
        """Measured and predicted forces over time, a plot for each joint.

        Args:
            joints: whose; all by default.
            title: of the picture.
        """
        check_names("joint", joints, self.joints)
        plots = [self.curves(k) for k, name in enumerate(self.joints) if not joints or name in joints]
        return stacked(title or "Measured and predicted forces", plots)

    def curves(self, k: int) -> Curves:
        """Measured and predicted forces of one joint."""
        series = {"measured": self.measured[:, k], "predicted": self.predicted[:, k]}
        title = f"{self.joints[k]}: residuals {percent(self.rms[k])}"
        return Curves(title, running(self.t), series, ylabel="force [N m, N]")

    @property
    def worst(self) -> str:
        """The joint whose forces are predicted worst."""
        return self.joints[int(np.argmax(self.rms))]

    def to_csv(self, path: Name) -> Path:
        """Write a table of ``t``, ``measured.<joint>`` and ``predicted.<joint>``; gives the absolute path."""
        series = {"measured": self.measured, "predicted": self.predicted}
        columns = {f"{name}.{joint}": x for name, z in series.items() for joint, x in zip(self.joints, z.T)}
        return write_csv(path, {"t": self.t, **columns})

    def __repr__(self) -> str:
        return f"Validation: {len(self.t)} samples of {len(self.joints)} forces, residuals {percent(self.total)}"

    def __str__(self) -> str:
        joints = ", ".join(f"{name} {percent(x)}" for name, x in zip(self.joints, self.rms))
        return f"{percent(self.total)} of the forces ({printable(joints)})"


def compared(robot: AnyRobot, samples: Sequence[Samples], predicted: Array) -> Validation:
    """Predicted forces (m, n) of some samples against those that were measured."""
    t, measured = (np.concatenate([getattr(x, name) for x in samples]) for name in ("t", "forces"))
    return Validation(t, measured, predicted, columns_of(robot).forces)


def running(t: Array) -> Array:
    """Times that always rise: measurements one after the other."""
    steps = np.diff(t)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    return np.r_[t[0], t[0] + np.cumsum(np.where(steps > 0, steps, usual))]


def percent(part: float) -> str:
    """A part of one as text."""
    return f"{100 * part:.2g} %"
