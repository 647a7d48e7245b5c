"""How near a predicted gait is to how people walk: a few numbers, each with a goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kinetree.gait.norms import Norms
from kinetree.runtime.arrays import Array

_CORRELATIONS = {"hip": 0.9, "knee": 0.9, "ankle": 0.7}  # correlations of angles with the norm
_PEAKS = (0.95, 1.35)  # body weights, of the vertical force
_BALANCE = 0.02  # of braking or propelling, what their sum over a stride may be
_DEPTH = 0.02  # body weights, from the lower peak down to the valley: less is a ripple
_LOADED = 1e-9  # body weights: a foot with less is off the ground


@dataclass(frozen=True)
class Measure:
    """One number of a gait.

    Args:
        name: what was measured.
        value: the number; NaN where there is none.
        text: the number with its unit.
        goal: what it should be, in words.
        met: whether it is.
    """

    name: str
    value: float
    text: str
    goal: str
    met: bool


@dataclass(frozen=True, repr=False)
class Realism:
    """What was measured of a gait; print it for a table."""

    measures: tuple[Measure, ...]

    @property
    def met(self) -> bool:
        """Whether all goals are."""
        return all(x.met for x in self.measures)

    def __getitem__(self, name: str) -> Measure:
        return {x.name: x for x in self.measures}[name]

    @property
    def rows(self) -> list[list[str]]:
        """The table: what, how much, goal, whether it is met."""
        return [[x.name, x.text, x.goal, "yes" if x.met else "no"] for x in self.measures]

    def __repr__(self) -> str:
        return f"Realism: {sum(x.met for x in self.measures)} of {len(self.measures)} goals are met"

    def __str__(self) -> str:
        rows = [["measure", "here", "goal", "met"], *self.rows]
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        return "\n".join("  ".join(cell.ljust(n) for cell, n in zip(row, widths)).rstrip() for row in rows)


def realism(angles: Mapping[str, Array], forces: Mapping[str, Array], norms: Norms | None) -> Realism:
    """Angles and ground forces of a stride against norms and against what all walking has.

    Args:
        angles: ``percent``, ``hip``, ``knee``, ``ankle`` [deg].
        forces: ``percent``, ``lateral``, ``vertical``, ``fore_aft`` on one foot from its heel strike on [body weights].
        norms: for correlations of the angles; without them there are none.
    """
    correlations = () if norms is None else _correlations(angles, norms)
    return Realism((*correlations, *_vertical(forces), *_fore_aft(forces), _lateral(forces)))


def _correlations(angles: Mapping[str, Array], norms: Norms) -> Iterator[Measure]:
    for name, least in _CORRELATIONS.items():
        if name in norms.mean:
            curve, norm = angles[name], norms.at(name, angles["percent"])[0]
            constant = np.ptp(curve) == 0.0 or np.ptp(norm) == 0.0
            r = float("nan") if constant else float(np.corrcoef(curve, norm)[0, 1])
            text = "none: a constant curve" if constant else f"{r:.3f}"
            yield Measure(f"correlation of {name} angle", r, text, f"at least {least:g}", r >= least)


def _stance(forces: Mapping[str, Array]) -> slice:
    """Where the foot is loaded, from heel strike on."""
    loaded = np.flatnonzero(np.abs(forces["vertical"]) > _LOADED)
    return slice(0, int(loaded[-1]) + 1 if loaded.size else len(forces["vertical"]))


def _vertical(forces: Mapping[str, Array]) -> list[Measure]:
    """Two peaks with a valley between them; where the curve has none there, the number is NaN."""
    force, percent, (low, high) = forces["vertical"][_stance(forces)], forces["percent"], _PEAKS
    first, valley, second = _peaks(force)

    def measure(name: str, k: int | None, goal: str, least: float, most: float) -> Measure:
        value = float("nan") if k is None else float(force[k])
        text = "none" if k is None else f"{value:.3f} body weights at {percent[k]:.0f} %"
        return Measure(name, value, text, goal, least <= value <= most)

    between = f"{low:g} to {high:g} body weights"
    return [
        measure("first vertical peak", first, between, low, high),
        measure("vertical valley", valley, f"below both peaks by {_DEPTH:g} or more", -np.inf, np.inf),
        measure("second vertical peak", second, between, low, high),
    ]


def _peaks(force: Array) -> tuple[int | None, int | None, int | None]:
    """The indices of two peaks and the valley between them: the pair of local peaks with the deepest valley."""
    rise = np.diff(force)
    peaks = [k for k in range(1, len(force) - 1) if rise[k - 1] > 0 and rise[k] <= 0]
    triples = [(a, a + int(np.argmin(force[a : b + 1])), b) for a, b in combinations(peaks, 2)]
    depths = [float(min(force[a], force[b]) - force[valley]) for a, valley, b in triples]
    if depths and max(depths) >= _DEPTH:
        return triples[int(np.argmax(depths))]
    return max(peaks, key=lambda k: float(force[k]), default=None), None, None


def _fore_aft(forces: Mapping[str, Array]) -> list[Measure]:
    """Braking comes before propelling, and both are equal over a stride."""
    force, percent = forces["fore_aft"], forces["percent"]
    braking, propelling = (float(np.trapezoid(x, percent)) for x in (np.minimum(force, 0.0), np.maximum(force, 0.0)))
    larger = max(-braking, propelling)
    stance = force[_stance(forces)]
    half = len(stance) // 2
    early, late = float(stance[:half].mean()), float(stance[half:].mean())
    order = f"{early:+.3f}, then {late:+.3f} body weights"
    net = abs(braking + propelling) / larger if larger > 0.0 else float("nan")
    text = f"{100.0 * net:.2f} %" if larger > 0.0 else "none: no force"
    return [
        Measure("fore-aft force", late - early, order, "braking, then propelling", early < 0.0 < late),
        Measure("fore-aft impulse of a stride", net, text, f"zero within {100 * _BALANCE:g} %", net <= _BALANCE),
    ]


def _lateral(forces: Mapping[str, Array]) -> Measure:
    """The mean, and the fraction of stance with a force toward the midline: a mean hides a force that changes sign."""
    force = forces["lateral"][_stance(forces)]
    mean, inward = float(force.mean()), float((force > 0.0).mean())
    text = f"{mean:+.4f} body weights, inward in {inward:.0%} of stance"
    return Measure("lateral force in stance, mean", mean, text, "toward the midline", mean > 0.0)
