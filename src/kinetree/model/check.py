"""Errors and warnings in the description of a mechanism.

Errors are physically impossible; a strict mechanism refuses them. Warnings are possible, but rarely intended.
Named parameters are not checked: their values come later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

from kinetree.errors import InertiaError, ModelError
from kinetree.joints import Universal
from kinetree.model.joint import Joint, Limits
from kinetree.scalar import Scalar, is_zero
from kinetree.spatial import Vec3

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

_UNIT = 1e-6  # an axis written with six digits is still meant as a unit vector
_SHOWN = 30  # names in a message
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
    inertias = {body.name: body.inertia for body in mechanism.bodies}
    check_each("bodies", inertias, lambda name: inertias[name].check(name))
    for error in _other_errors(mechanism):
        raise ModelError(f"{error.where} {error.message}. Pass strict=False to use it as it is")


def check_each(kind: str, names: Iterable[str], check: Callable[[str], None]) -> None:
    """Raise the first error of a check, with the names of all others that it refuses.

    Args:
        kind: what they are, several of them.
        names: of what is checked.
        check: raises a `ModelError`.
    """
    refused: dict[str, ModelError] = {}
    for name in names:
        try:
            check(name)
        except ModelError as error:
            refused[name] = error
    if refused:
        first, *others = refused
        error, listed = refused[first], ", ".join(map(repr, others[:_SHOWN])) + (", ..." if others[_SHOWN:] else "")
        raise type(error)(f"{error}. Refused, too: {len(others)} {kind}: {listed}") if others else error


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
        for message in _mistakes(body.joint):
            yield Finding("error", f"joint {body.joint.name!r}", message)
    for loop in mechanism.loops:
        if (body := loop.successor.body) == loop.predecessor.body:
            on = "the world" if body is None else f"body {body!r}"
            yield Finding("error", f"loop {loop.name!r}", f"has both ends on {on}, so it closes nothing")


def _mistakes(joint: Joint) -> Iterator[str]:
    """Limits that are none, and axes that are no unit vectors."""
    limits = {name: x for name, x in vars(joint.limits).items() if _is_number(x)}
    for what, x in limits.items():
        if math.isnan(x):
            yield f"has the {what} limit NaN"
        elif what in ("velocity", "effort") and x < 0:
            yield f"has the {what} limit {x:g}; give its size, 0 or more"
    if "lower" in limits and "upper" in limits and limits["lower"] > limits["upper"]:
        yield f"has the lower limit {limits['lower']:g} above the upper limit {limits['upper']:g}"
    for field in fields(joint.kind) if is_dataclass(joint.kind) else ():
        axis = getattr(joint.kind, field.name)
        if isinstance(axis, Vec3) and all(map(_is_number, axis)) and not abs(axis.dot(axis) - 1.0) <= 2 * _UNIT:
            yield f"has the {field.name} {tuple(axis)} of length {math.sqrt(axis.dot(axis)):g}; give a unit vector"


# -- warnings ----------------------------------------------------------------------------------------------------------


def _warnings(mechanism: Mechanism) -> Iterator[Finding]:
    from kinetree.model.zero_inertia import joints_without_inertia  # needed here alone, and not at the start

    without_inertia = joints_without_inertia(mechanism)
    for body in mechanism.bodies:
        where = f"joint {body.joint.name!r}"
        for message in _doubts(body.joint):
            yield Finding("warning", where, message)
        if body.joint.name in without_inertia:
            given = f"moves body {body.name!r} without any inertia (no mass, inertia or rotor inertia)"
            remedy = "its forward dynamics is singular; give the body an inertia, or lock the joint"
            yield Finding("warning", where, f"{given}: {remedy}")


def _doubts(joint: Joint) -> Iterator[str]:
    """A mimic that never moves, a spring at rest outside of the limits, and parallel axes."""
    kind, lower, upper = joint.kind, joint.limits.lower, joint.limits.upper
    if joint.mimic and is_zero(joint.mimic.multiplier):
        yield f"mimics {joint.mimic.joint!r} with the multiplier 0, so it never moves; make it fixed"
    without_spring = all(map(is_zero, joint.stiffness))
    # the numbers of a quaternion have no limits
    for x in () if without_spring else joint.rest[: kind.quaternion]:
        if all(map(_is_number, (x, lower, upper))) and not lower <= x <= upper:
            yield f"has a spring at rest at {x:g}, outside of its limits {lower:g} to {upper:g}"
    if isinstance(kind, Universal):
        cosine = kind.first.dot(kind.second)
        if _is_number(cosine) and 1.0 - abs(cosine) <= _PARALLEL:
            yield "has two parallel axes: its two angles are the same motion"


def _is_number(x: Any) -> bool:
    return not isinstance(x, Scalar)
