"""Errors and warnings in the description of a mechanism.

Errors are physically impossible; a strict mechanism refuses them. Warnings are possible, but rarely intended.
Named parameters are not checked: their values come later.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kinetree.errors import InertiaError, ModelError
from kinetree.joints import Universal
from kinetree.model.joint import Joint, Limits
from kinetree.scalar import Scalar
from kinetree.spatial import Vec3

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

_UNIT = 1e-6  # an axis written with six digits is still meant as a unit vector
_PARALLEL = 1e-9  # of one less the cosine between two axes


@dataclass(frozen=True)
class Finding:
    """An error or a warning.

    Args:
        severity: "error", for what is impossible; or "warning".
        where: the part of the mechanism, such as "body 'hand'".
        message: the rest of the sentence that ``where`` begins.

    Example:
        >>> print(Finding("warning", "joint 'thumb'", "mimics 'index' with the multiplier 0"))
        warning: joint 'thumb' mimics 'index' with the multiplier 0
    """

    severity: Literal["error", "warning"]
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where} {self.message}"


def findings(mechanism: Mechanism) -> tuple[Finding, ...]:
    """All errors and warnings, errors first."""
    return (*_impossible_inertias(mechanism), *_other_errors(mechanism), *_warnings(mechanism))


def refuse_errors(mechanism: Mechanism) -> None:
    """Raise the first error, if there is one: `InertiaError` for an inertia, else `ModelError`."""
    for body in mechanism.bodies:
        body.inertia.check(body.name)
    for error in _other_errors(mechanism):
        raise ModelError(f"{error.where} {error.message}. Pass strict=False to use it as it is")


def check_order(limits: Limits, error: Callable[[str], ModelError]) -> None:
    """Refuse a lower limit above the upper one; ``error`` makes the error to raise of a message."""
    if limits.lower > limits.upper:
        given = f"the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}"
        swapped = error(f"{given}; swap them, or pass strict=False to use them as they are")
        raise swapped


# -- errors ------------------------------------------------------------------------------------------------------------


def _impossible_inertias(mechanism: Mechanism) -> Iterator[Finding]:
    for body in mechanism.bodies:
        try:
            body.inertia.check(body.name)
        except InertiaError as error:
            where = f"body {body.name!r}"
            yield Finding("error", where, str(error).removeprefix(f"{where} "))


def _other_errors(mechanism: Mechanism) -> Iterator[Finding]:
    for body in mechanism.bodies:
        where = f"joint {body.joint.name!r}"
        for message in (*_wrong_limits(body.joint), *_wrong_axes(body.joint)):
            yield Finding("error", where, message)
    for loop in mechanism.loops:
        if (body := loop.successor.body) == loop.predecessor.body:
            on = "the world" if body is None else f"body {body!r}"
            yield Finding("error", f"loop {loop.name!r}", f"has both ends on {on}, so it closes nothing")


def _wrong_limits(joint: Joint) -> Iterator[str]:
    limits = joint.limits
    for what in ("lower", "upper", "velocity", "effort"):
        x = getattr(limits, what)
        if _is_number(x) and math.isnan(x):
            yield f"has the {what} limit NaN"
        elif what in ("velocity", "effort") and _is_number(x) and x < 0:
            yield f"has the {what} limit {x:g}; give its size, 0 or more"
    if _is_number(limits.lower) and _is_number(limits.upper) and limits.lower > limits.upper:
        yield f"has the lower limit {limits.lower:g} above the upper limit {limits.upper:g}"


def _wrong_axes(joint: Joint) -> Iterator[str]:
    if not dataclasses.is_dataclass(joint.kind):
        return
    for field in dataclasses.fields(joint.kind):
        axis = getattr(joint.kind, field.name)
        if isinstance(axis, Vec3) and all(map(_is_number, axis)) and not abs(axis.dot(axis) - 1.0) <= 2 * _UNIT:
            yield f"has the {field.name} {tuple(axis)} of length {math.sqrt(axis.dot(axis)):g}; give a unit vector"


# -- warnings ----------------------------------------------------------------------------------------------------------


def _warnings(mechanism: Mechanism) -> Iterator[Finding]:
    from kinetree.model.zero_inertia import joints_without_inertia  # needed here alone, and not at the start

    without_inertia = joints_without_inertia(mechanism)
    for body in mechanism.bodies:
        where = f"joint {body.joint.name!r}"
        for message in (*_doubtful_mimic(body.joint), *_doubtful_rest(body.joint), *_parallel_axes(body.joint)):
            yield Finding("warning", where, message)
        if body.joint.name in without_inertia:
            message = (
                f"moves body {body.name!r} without any inertia (no mass, inertia or rotor inertia): its forward "
                "dynamics is singular; give the body an inertia, or lock the joint"
            )
            yield Finding("warning", where, message)


def _doubtful_mimic(joint: Joint) -> Iterator[str]:
    if joint.mimic and _is_number(joint.mimic.multiplier) and joint.mimic.multiplier == 0:
        yield f"mimics {joint.mimic.joint!r} with the multiplier 0, so it never moves; make it fixed"


def _doubtful_rest(joint: Joint) -> Iterator[str]:
    if all(_is_number(k) and k == 0 for k in joint.stiffness):
        return
    limits = joint.limits
    if not (_is_number(limits.lower) and _is_number(limits.upper)):
        return
    # the numbers of a quaternion have no limits
    for x in joint.rest[: joint.kind.quaternion]:
        if _is_number(x) and not limits.lower <= x <= limits.upper:
            yield f"has a spring at rest at {x:g}, outside of its limits {limits.lower:g} to {limits.upper:g}"


def _parallel_axes(joint: Joint) -> Iterator[str]:
    if not isinstance(joint.kind, Universal):
        return
    first, second = joint.kind.first, joint.kind.second
    if all(map(_is_number, (*first, *second))) and 1.0 - abs(first.dot(second)) <= _PARALLEL:
        yield "has two parallel axes: its two angles are the same motion"


def _is_number(x: Any) -> bool:
    return not isinstance(x, Scalar)
