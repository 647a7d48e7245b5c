"""A joint locked at a position: which positions are valid, and the pose of its body there."""

from __future__ import annotations

import numbers
from typing import Any

from kinetree.errors import ModelError
from kinetree.joints import JointKind, Revolute
from kinetree.scalar import Scalar, is_finite
from kinetree.spatial import Rotation, Transform


def pose_at(kind: JointKind, value: Any, name: str) -> Transform:
    """The pose of the body in the joint frame, with the joint locked at a value.

    Args:
        kind: the joint type.
        value: one number, or one for each coordinate [rad, m].
        name: of the joint, for messages.
    """
    q = coordinates(kind, value, name)
    if isinstance(kind, Revolute):  # quarter turns about coordinate axes are exact
        for k, e in enumerate(kind.axis):
            if not isinstance(e, Scalar) and abs(e) == 1.0:
                return Transform(Rotation.about(k, e * (q[0] + kind.offset)))
    return kind.transform(q)


def coordinates(kind: JointKind, value: Any, name: str) -> tuple[Any, ...]:
    """The value as the coordinates of a joint; refuses what can't be its position."""
    given = f"joint {name!r} can't be held at {value!r}"
    try:
        values = (value,) if isinstance(value, (numbers.Real, Scalar)) else tuple(value)
        q = tuple(x if isinstance(x, Scalar) else float(x) for x in values)
    except (TypeError, ValueError):
        q = None
    if q is None or len(q) != kind.nq or not all(map(is_finite, q)):
        raise ModelError(f"{given}; expected {kind.nq} finite number{'s' * (kind.nq > 1)}")
    i = kind.quaternion
    if i is not None and all(not isinstance(x, Scalar) and x * x == 0 for x in q[i:]):
        raise ModelError(f"{given}: its quaternion is zero; without rotation it is 0, 0, 0, 1")
    return q
