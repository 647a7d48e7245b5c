"""A frame fixed in a body."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.spatial import Transform


@dataclass(frozen=True)
class Frame:
    """A frame fixed in a body (by name; None for the world)."""

    body: str | None
    pose: Transform = Transform.identity
