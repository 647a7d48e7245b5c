"""Numbers, lists and lines as text: what the languages write alike."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

_WIDTH = 118


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def rounded(value: float, *, single: bool) -> float:
    """The number as the code has it."""
    with np.errstate(over="ignore"):
        return float(np.float32(value)) if single else value


def digits(value: float, *, single: bool) -> str:
    """A finite number in as few digits as give it back."""
    return str(np.float32(value)) if single else repr(float(value))


def number(value: float, infinity: str, nan: str, suffix: str = "", *, single: bool = False) -> str:
    """A constant, in parentheses if negative; how infinities and NaN are written is given."""
    value = rounded(value, single=single)
    if math.isnan(value):
        return nan
    text = infinity if math.isinf(value) else f"{digits(abs(value), single=single)}{suffix}"
    return f"(-{text})" if math.copysign(1.0, value) < 0 else text


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
