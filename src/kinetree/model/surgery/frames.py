"""What the operations share: frames and ends of loops that move with bodies, and tables of joint types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from kinetree.errors import ModelError
from kinetree.joints import JointKind
from kinetree.model import Body, Frame, Loop, Mechanism

Rule = TypeVar("Rule")
Move = Callable[[Frame], Frame]
Change = Callable[[JointKind], JointKind]


def moved_frames(mechanism: Mechanism, move: Move) -> tuple[tuple[str, Frame], ...]:
    """The named frames, each moved."""
    return tuple((name, move(frame)) for name, frame in mechanism.named_frames)


def moved_shapes(mechanism: Mechanism, move: Move) -> tuple[Any, ...]:
    """The shapes of the bodies, each moved."""
    return tuple(shape.moved(move(shape.frame)) for shape in mechanism.shapes)


def moved_loops(mechanism: Mechanism, move: Move, change: Change = lambda kind: kind) -> tuple[Loop, ...]:
    """The loops with both ends moved, and another joint type between them where it changes too."""
    return tuple(
        replace(loop, kind=change(loop.kind), predecessor=move(loop.predecessor), successor=move(loop.successor))
        for loop in mechanism.loops
    )


def moved(mechanism: Mechanism, bodies: Iterable[Body], move: Move, change: Change = lambda kind: kind) -> Mechanism:
    """The mechanism with other bodies, and all that is fixed in bodies moved."""
    frames, loops = moved_frames(mechanism, move), moved_loops(mechanism, move, change)
    shapes = moved_shapes(mechanism, move)
    return replace(mechanism, bodies=tuple(bodies), named_frames=frames, loops=loops, shapes=shapes)


def rule_for(rules: Mapping[type[JointKind], Rule], kind: JointKind, owner: str, what: str) -> Rule:
    """What a table says of a joint type; refuses a type that it lacks: a joint of ``owner`` that can't be ``what``."""
    if type(kind) not in rules:
        known = ", ".join(x.__name__ for x in rules)
        raise ModelError(f"{owner} of kind {kind!r} can't be {what}; known: {known}")
    return rules[type(kind)]
