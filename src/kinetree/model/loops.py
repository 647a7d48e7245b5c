"""Joints that close the loops of a tree, and couplings between coordinates.

Functions of the tree ignore them; functions of closed chains enforce them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.joints import JointKind
from kinetree.model.frame import Frame
from kinetree.scalar import Scalar, is_scalar


@dataclass(frozen=True)
class Loop:
    """A cut joint: it connects two frames of the tree, and so closes a loop.

    Args:
        name: unique among the loops of the mechanism.
        kind: the type of the joint that was cut, one of `kinetree.joints`; `Fixed()` welds, `Spherical()` pins a point.
        predecessor: the joint frame, fixed in the body (or world) on one side.
        successor: the frame that moves relative to it, fixed in the body on the other side.
    """

    name: str
    kind: JointKind
    predecessor: Frame
    successor: Frame


@dataclass(frozen=True)
class Coupling:
    """A joint whose position is a polynomial of another's: q = c0 + c1 x + c2 x^2 + ...

    Args:
        joint: the name of the dependent joint, with one coordinate.
        leader: the name of the joint with position x; None where the joint is held at c0.
        coefficients: c0, c1, ...
    """

    joint: str
    leader: str | None
    coefficients: tuple[Any, ...]

    def __post_init__(self) -> None:
        values = self.coefficients
        if not isinstance(values, Sequence) or not values:
            raise ModelError(f"the coupling of joint {self.joint!r} needs coefficients c0, c1, ..., got {values!r}")
        for x in values:
            if not isinstance(x, Scalar) and not (is_scalar(x) and math.isfinite(x)):
                raise ModelError(f"the coupling of joint {self.joint!r}: the coefficient {x!r} must be a finite number")
        object.__setattr__(self, "coefficients", tuple(values))
