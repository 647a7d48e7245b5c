"""Numbers, lists and lines as text: what the languages write alike."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

_WIDTH = 118


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def number(value: float, infinity: str, nan: str, suffix: str = "", *, single: bool = False) -> str:
    """A constant in as few digits as give it back, in parentheses if negative; infinities and NaN as they are given."""
    with np.errstate(over="ignore"):
        held = np.float32(value) if single else float(value)  # as the code has it
    if np.isnan(held):
        return nan
    text = infinity if np.isinf(held) else f"{abs(held)!s}{suffix}"
    return f"(-{text})" if np.signbit(held) else text


def indices(shape: tuple[int, ...], position: int, first: int = 0) -> list[int]:
    """The indices of an element of a row-major array; the first one is 0 or 1."""
    found: list[int] = []
    for size in reversed(shape):
        position, index = divmod(position, size)
        found.insert(0, index + first)
    return found


def nested(values: Sequence[str], shape: tuple[int, ...], opening: str = "[", closing: str = "]") -> str:
    """Numbers as nested lists."""
    if not shape:
        return values[0]
    step = len(values) // shape[0]
    rows = [nested(values[k * step : (k + 1) * step], shape[1:], opening, closing) for k in range(shape[0])]
    return f"{opening}{', '.join(rows)}{closing}"


def wrapped(text: str, indent: str, width: int = _WIDTH) -> list[str]:
    """A long list of numbers on several lines."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def indented(lines: Iterable[str], by: str = "    ") -> list[str]:
    """The lines, further to the right."""
    return [f"{by}{line}" if line else "" for line in lines]


def joined(lines: Iterable[str]) -> str:
    """A file."""
    return "\n".join(lines) + "\n"
