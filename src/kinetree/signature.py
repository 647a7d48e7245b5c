"""Signatures: the shapes of a function's arguments and results, in NumPy's notation with optional names.

``"q(nq), qd(nv) -> tau(nv)"`` and ``"(2),()->(2,2)"`` both are signatures. A size is a number, the name of a number
that the robot has (``nq``, ``nv``, ``nbodies``, ``nparameters``, ``nbase``), a product (``3*nv``) or a difference
(``nv-nbase``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InputError, TraceError
from kinetree.lower.operand import Operand

_GROUP = re.compile(r"\s*([A-Za-z_]\w*)?\s*\(([^()]*)\)\s*(,|$)")


@dataclass(frozen=True)
class Signature:
    """What a function takes and gives: its operands and results, with names and core shapes.

    Example:
        >>> from kinetree.signature import parse
        >>> print(parse("q(2), (n) -> tau(2)", n=3))
        q(2), x1(3) -> tau(2)
    """

    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]

    def __str__(self) -> str:
        return " -> ".join(
            ", ".join(f"{o.name}({','.join(map(str, o.shape))})" for o in side)
            for side in (self.operands, self.results)
        )

    def taking(self, *operands: Operand) -> Signature:
        """With further operands, after its own."""
        return Signature((*self.operands, *operands), self.results)

    def giving(self, *results: Operand) -> Signature:
        """With other results."""
        return Signature(self.operands, results)


Declared = str | Signature | None  # as text, or as the code made it; None where the function has one of its own


def parse(text: str, robot: Any = None, **sizes: int) -> Signature:
    """The signature that a text says; sizes may have the names of a robot's numbers, or of further ones."""
    sides = text.split("->") if isinstance(text, str) else []
    if len(sides) != 2:
        raise InputError(f"a signature looks like '(6),(6)->(6)' or 'q(nq), qd(nv) -> tau(nv)', got {text!r}")
    known = {**({name: getattr(robot, name) for name in SIZES} if robot is not None else {}), **sizes}
    operands, results = _side(sides[0], "x", text, known), _side(sides[1], "y", text, known)
    if not operands or not results:
        raise InputError(f"the signature {text!r} needs at least one operand and one result")
    names = [o.name for o in operands]
    if len(set(names)) != len(names):
        raise InputError(f"the signature {text!r} names two operands alike")
    return Signature(tuple(operands), tuple(results))


def _side(side: str, letter: str, text: str, known: Mapping[str, int]) -> list[Operand]:
    operands, position = [], 0
    while position < len(side.rstrip()):
        match = _GROUP.match(side, position)
        if match is None:
            raise InputError(f"the signature {text!r} can't be read at {side[position:].strip()!r}")
        sizes = [s.strip() for s in match[2].split(",")] if match[2].strip() else []
        operands.append(Operand(match[1] or f"{letter}{len(operands)}", tuple(_size(s, text, known) for s in sizes)))
        position = match.end()
    if side.rstrip().endswith(","):
        raise InputError(f"the signature {text!r} has a comma with nothing behind it")
    return operands


SIZES = ("nq", "nv", "nbodies", "nparameters", "nbase")


def _size(size: str, text: str, known: Mapping[str, int]) -> int:
    if "*" in size:
        return math.prod(_size(factor.strip(), text, known) for factor in size.split("*"))
    if "-" in size[1:]:
        whole, part = size.rsplit("-", 1)
        return _size(whole.strip(), text, known) - _size(part.strip(), text, known)
    if size.isdecimal() and size.isascii():
        return int(size)
    if size not in known:
        hint = f"one of {', '.join(known)}" if known else "no name, since no robot was given"
        raise InputError(f"the size {size!r} in the signature {text!r} is not a number; it may be {hint}")
    return known[size]


MANY = 32  # NumPy's functions take 64 operands at most
TOGETHER = "parameters"


def parameter_operands(robot: Any) -> list[Operand]:
    """The operands of a robot's named parameters: one for each, or one array of all of them where they are many."""
    names = [] if robot is None else list(robot.parameters)
    return [Operand(TOGETHER, (len(names),))] if len(names) > MANY else [Operand(name, ()) for name in names]


def parameter_place(robot: Any, name: str) -> tuple[str, int]:
    """The operand that holds a named parameter, and where in it."""
    names = list(robot.parameters)
    return (TOGETHER, names.index(name)) if len(names) > MANY else (name, 0)


def nested(flat: list[Any], shape: tuple[int, ...]) -> Any:
    """Numbers as a scalar, a list, a list of lists, ..."""
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def flattened(value: Any, shape: tuple[int, ...], what: str) -> list[Any]:
    """The numbers of a nested value, which must have the shape."""
    if not shape:
        if hasattr(value, "__len__") and not hasattr(value, "apply"):
            raise TraceError(f"{what} should be one scalar, got a sequence of {len(value)}")
        return [value]
    items = list(value) if hasattr(value, "__iter__") else None
    if items is None or len(items) != shape[0]:
        raise TraceError(
            f"{what} should have {shape[0]} elements by the signature, got {'no' if items is None else len(items)}"
        )
    return [x for item in items for x in flattened(item, shape[1:], what)]
