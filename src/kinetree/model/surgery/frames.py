"""What is fixed in bodies besides their inertias: named frames and the ends of loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kinetree.joints import JointKind
from kinetree.model.frame import Frame
from kinetree.model.loops import Loop
from kinetree.model.mechanism import Mechanism


def moved_frames(mechanism: Mechanism, move: Callable[[Frame], Frame]) -> tuple[tuple[str, Frame], ...]:
    """The named frames, each moved."""
    return tuple((name, move(frame)) for name, frame in mechanism.named_frames)


def moved_loops(
    mechanism: Mechanism, move: Callable[[Frame], Frame], change: Callable[[JointKind], JointKind] = lambda kind: kind
) -> tuple[Loop, ...]:
    """The loops with both ends moved, and another joint type between them where it changes too."""
    return tuple(
        replace(loop, kind=change(loop.kind), predecessor=move(loop.predecessor), successor=move(loop.successor))
        for loop in mechanism.loops
    )


def free_name(wish: str, mechanism: Mechanism) -> str:
    """The wish, or the wish with underscores behind it where a frame has that name already."""
    while wish in mechanism.frames:
        wish += "_"
    return wish
