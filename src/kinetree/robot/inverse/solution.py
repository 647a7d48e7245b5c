"""What inverse kinematics gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InverseKinematicsError
from kinetree.robot.functions import Array


@dataclass(frozen=True)
class KinematicsSolution:
    """Configurations for targets, and how well they reach them.

    Args:
        q: positions of all joints (..., nq), inside the limits; the best found where the target was not reached.
        solved: which rows reach their targets (...).
        error: what is left (..., 2): the largest distance [m] and the largest angle [rad] of all tasks.
        iterations: how many steps each row took, over all its starts (...).
    """

    q: Array
    solved: NDArray[np.bool_]
    error: Array
    iterations: NDArray[np.int64]

    def check(self) -> Array:
        """The positions, if all rows are solved; raises `InverseKinematicsError` otherwise.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.ur5()
            >>> X = arm.pose([0.1, -1.0, 1.2, -0.5, 0.7, 0.2], "tool0")
            >>> arm.inverse_kinematics("tool0", X).check().shape
            (6,)
        """
        if not np.all(self.solved):
            rows = np.argwhere(~np.atleast_1d(self.solved))
            row = tuple(int(k) for k in rows[0])
            metres, radians = np.reshape(self.error, (*np.atleast_1d(self.solved).shape, 2))[row]
            where = f"row {row}, the first of {len(rows)}: " if np.ndim(self.solved) else ""
            raise InverseKinematicsError(f"{where}{_reason(metres, radians)}")
        return self.q


def _reason(metres: Any, radians: Any) -> str:
    if not np.isfinite(metres + radians):
        return "the target, the guess or a parameter is not a finite number"
    return (
        f"no configuration was found; the nearest is {metres:.3g} m and {radians:.3g} rad away. The target may be out "
        "of reach, or need more starts=, another guess=, or other limits="
    )
