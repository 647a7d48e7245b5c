"""A frame fixed in a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.scalar import Scalar
from kinetree.spatial import Transform


@dataclass(frozen=True)
class Frame:
    """A frame fixed in a body (by name; None for the world).

    Args:
        body: the name of the body; None for the world.
        pose: of the frame in the body's frame: a `Transform`, or a homogeneous matrix (4, 4) as `Robot.pose` gives it.
    """

    body: str | None
    pose: Transform = Transform.identity

    def __post_init__(self) -> None:
        if not isinstance(self.pose, Transform):
            object.__setattr__(self, "pose", _of_matrix(self.pose))


def _of_matrix(matrix: Any) -> Transform:
    try:
        *rows, last = [[x if isinstance(x, Scalar) else float(x) for x in row] for row in matrix]
    except (TypeError, ValueError):
        rows, last = [], []
    good = len(rows) == 3 and last == [0.0, 0.0, 0.0, 1.0] and all(len(row) == 4 for row in rows)
    if not good or not all(isinstance(x, Scalar) or math.isfinite(x) for row in rows for x in row):
        raise ModelError(
            "the pose of a frame is a kinetree.Transform, or a homogeneous matrix (4, 4) of finite numbers with the "
            f"last row 0, 0, 0, 1; got {matrix!r}"
        )
    return Transform([row[:3] for row in rows], [row[3] for row in rows])  # type: ignore[arg-type]
