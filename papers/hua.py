"""Hua, Poursina, Sanfilippo: inertias of table I, tracking errors of section V."""

from __future__ import annotations

from typing import Any

import numpy as np

import kinetree as kt
from papers.figure import NOT_YET, Figure

# table I: mass [kg], inertia [kg m^2]
LINKS = {
    "link 2": (1.5, [[0.35, 0.15, 0.1], [0.15, 0.4, 0.2], [0.1, 0.2, 0.3]]),
    "link 3": (1.0, [[0.3, 0.15, 0.13], [0.15, 0.25, 0.2], [0.13, 0.2, 0.25]]),
}
ERRORS = {
    "without payload": "0.0026819, 0.003619, 0.052678",
    "with payload": "0.0026903, 0.0061066, 0.052422",
}


def figures() -> list[Figure]:
    """Two inertias and six errors."""
    why = "needs simulation; geometry, centres of mass, gear ratios, gains and step are not given"
    return [
        *(_inertia(name, *data) for name, data in LINKS.items()),
        *(Figure("Hua", f"RMS errors {name} [rad]", printed, NOT_YET, why=why) for name, printed in ERRORS.items()),
    ]


def _inertia(name: str, mass: float, matrix: Any) -> Figure:
    a, b, c = np.linalg.eigvalsh(matrix)
    moments = f"{a:.3f} + {b:.3f} {'<' if a + b < c else '>='} {c:.3f}"
    try:
        kt.Inertia(mass, about_com=matrix).check(name)
        found = f"taken: {moments}"
    except kt.errors.InertiaError:
        found = f"refused: {moments}"
    why = "no rigid body has principal moments of which two add up to less than the third"
    return Figure("Hua", f"inertia of {name}", "table I", found, "`kt.Inertia`", why)
