"""Compute the polynomials of `kinetree.lower.elementary`.

Each polynomial is the minimax fit (Remez exchange on a grid) in z = r^2, weighted so that the
*relative* error of the final function is levelled. The coefficients are rounded to the target
precision one at a time, from the lowest power up, and the others are fitted again after each, so
that they make good what its rounding spoilt.

    python tools/fit_elementary.py        prints the tables that stand in the module
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath as mp

DIGITS = 60
POINTS = 24  # grid points for each coefficient
ROUNDS = 40  # exchanges at most; 15 are enough in practice


Column: TypeAlias = Sequence[Any]


@dataclass(frozen=True)
class Fit:
    """A polynomial of ``terms`` coefficients for ``function(z)`` on (0, reach^2]."""

    function: Callable[[Any], Any]
    weight: Callable[[Any], Any]  # relative error of the final function / error of the polynomial
    terms: int
    reach: str
    single: bool


def _sin(z: Any) -> Any:
    r = mp.sqrt(z)
    return (1 - mp.sin(r) / r) / z  # sin r = r - r z S(z)


def _sin_weight(z: Any) -> Any:
    r = mp.sqrt(z)
    return z * r / mp.sin(r)


def _cos(z: Any) -> Any:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2  # cos r = 1 + z (-1/2 + z C(z))


def _cos_weight(z: Any) -> Any:
    return z**2 / mp.cos(mp.sqrt(z))


def _atan(z: Any) -> Any:
    t = mp.sqrt(z)
    return (mp.atan(t) / t - 1) / z  # atan t = t + t z A(z)


def _atan_weight(z: Any) -> Any:
    t = mp.sqrt(z)
    return z * t / mp.atan(t)


# pi/4 and what the rounding of 2/pi adds for the largest angles; where atan2 goes to the diagonal
ANGLE, RATIO = "0.856", "0.5"
FITS = {
    "SIN": Fit(_sin, _sin_weight, 6, ANGLE, False),
    "COS": Fit(_cos, _cos_weight, 6, ANGLE, False),
    "ATAN": Fit(_atan, _atan_weight, 12, RATIO, False),
    "SIN_SINGLE": Fit(_sin, _sin_weight, 3, ANGLE, True),
    "COS_SINGLE": Fit(_cos, _cos_weight, 3, ANGLE, True),
    "ATAN_SINGLE": Fit(_atan, _atan_weight, 5, RATIO, True),
}


def _grid(fit: Fit) -> list[Any]:
    """Chebyshev points of (0, reach^2]."""
    count, top = POINTS * fit.terms, mp.mpf(fit.reach) ** 2
    return [top * (1 - mp.cos(mp.pi * (i + 1) / count)) / 2 for i in range(count)]


def _residual(table: Column, z: Column, f: Column, w: Column) -> list[Any]:
    """The weighted errors of a polynomial on the grid."""
    return [(y - mp.fsum(c * x**j for j, c in enumerate(table))) * v for x, y, v in zip(z, f, w)]


def _extrema(error: Column, count: int) -> list[int]:
    """The places of ``count`` extrema of alternating sign, the largest among them."""
    places: list[int] = []
    for i, value in enumerate(error):
        if not places or (value > 0) != (error[places[-1]] > 0):
            places.append(i)
        elif abs(value) > abs(error[places[-1]]):
            places[-1] = i
    while len(places) > count:
        sizes = [abs(error[i]) for i in places]
        least = sizes.index(min(sizes))
        if len(places) == count + 1 or least in (0, len(places) - 1):
            places.pop(0 if sizes[0] < sizes[-1] else -1)
        else:  # an inner one leaves with its smaller neighbour, so that the signs still alternate
            first = least - 1 if sizes[least - 1] < sizes[least + 1] else least
            del places[first : first + 2]
    return places


def _minimax(z: Column, f: Column, w: Column, terms: int) -> list[Any]:
    """The coefficients for which the largest ``|f - polynomial| * w`` on the grid is least."""
    places = [len(z) * (k + 1) // (terms + 1) - 1 for k in range(terms + 1)]
    coefficients: list[Any] = []
    for _ in range(ROUNDS):
        rows = [[w[i] * z[i] ** j for j in range(terms)] + [(-1) ** k] for k, i in enumerate(places)]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([w[i] * f[i] for i in places]))
        coefficients = list(solution)[:terms]
        new = _extrema(_residual(coefficients, z, f, w), terms + 1)
        if len(new) <= terms or new == places:
            break
        places = new
    return coefficients


def _rounded(value: Any, single: bool) -> float:
    return struct.unpack("f", struct.pack("f", float(value)))[0] if single else float(value)


def coefficients(fit: Fit) -> tuple[tuple[float, ...], float]:
    """The rounded coefficients, lowest power first, and the relative error that they leave."""
    with mp.workdps(DIGITS):
        z = _grid(fit)
        f, w = [fit.function(x) for x in z], [fit.weight(x) for x in z]
        rest_f, rest_w, table = f, w, []
        for left in range(fit.terms, 0, -1):
            table.append(_rounded(_minimax(z, rest_f, rest_w, left)[0], fit.single))
            rest_f = [(y - table[-1]) / x for x, y in zip(z, rest_f)]
            rest_w = [y * x for x, y in zip(z, rest_w)]
        return tuple(table), float(max(map(abs, _residual(table, z, f, w))))


if __name__ == "__main__":
    for name, fit in FITS.items():
        table, error = coefficients(fit)
        print(f"# relative error {error:.1e} = 2^{math.log2(error):.1f}")
        print(f"{name} = (")
        print(*(f"    {c!r}," for c in table), sep="\n")
        print(")")
