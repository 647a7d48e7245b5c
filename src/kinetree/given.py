"""Fields of dataclasses that are given in one of several forms and held in one, as type checkers see them.

``com: Given[Vec3, Sequence[Real]] = default(Vec3.zero)`` takes a vector or three numbers, and is a vector when it is
read. ``__post_init__`` converts it.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

Held = TypeVar("Held")
Other = TypeVar("Other")


class Given(Generic[Held, Other]):
    """The type of a field that holds one type and may be given as another."""

    def __get__(self, owner: Any, kind: Any = None) -> Held: ...  # type: ignore[empty-body]

    def __set__(self, owner: Any, value: Held | Other) -> None: ...


def default(value: Any) -> Any:
    """The value, for a field of that type."""
    return value
