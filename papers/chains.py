"""Arms of which operations are counted, and how they are counted."""

from __future__ import annotations

from collections.abc import Mapping

import kinetree as kt


def revolute_rows(joints: int, convention: str = "modified") -> list[kt.DH]:
    """General revolute links with full inertias, the first axis along gravity.

    What a table says of the frame before the first axis (modified) or after the last one (standard) is zero: those
    frames are nobody's choice but the reader's.
    """
    free = {"modified": 0, "standard": joints - 1}[convention]
    rows = []
    for k in range(joints):
        x = 1 + 0.1 * k
        geometry = {"a": 0.1 * x, "alpha": 0.3 + 0.2 * k, "d": 0.2 * x}
        body = {
            "mass": 3.0 / x,
            "com": (0.05 * x, 0.06 * x**2, 0.07 * x**3),
            "inertia": (0.11 * x, 0.13 * x**2, 0.12 * x**3, 0.011 * x, 0.012 * x**2, 0.013 * x),
        }
        rows.append(kt.DH(**({"d": 0.2} if k == free else geometry), **body))
    return rows


def counted(operations: Mapping[str, int]) -> str:
    """Multiplications and divisions / additions and subtractions; negations, sines and cosines are left out."""
    multiplications = sum(operations.get(op, 0) for op in ("mul", "div"))
    return f"{multiplications} / {sum(operations.get(op, 0) for op in ('add', 'sub'))}"


def evaluated(slope: tuple[int, int], constant: tuple[int, int], joints: int) -> str:
    """A published count a N - b for both kinds of operations, and its value."""
    formulas = " / ".join(f"{a}N-{b}" for a, b in zip(slope, constant))
    return f"{formulas}, N = {joints}: " + " / ".join(str(a * joints - b) for a, b in zip(slope, constant))
