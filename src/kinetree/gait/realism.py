"""How near a predicted gait is to how people walk: a few numbers, each with a goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.gait.norms import Norms

Array = NDArray[np.float64]
_ALIKE = {"hip": 0.9, "knee": 0.9, "ankle": 0.7}  # correlations of angles with the norm
_PEAKS = (0.95, 1.35)  # body weights, of the vertical force
_BALANCE = 0.02  # of braking or propelling, what their sum over a stride may be
_DEPTH = 0.02  # body weights, from the lower peak down to the valley: less is a ripple
_LOADED = 1e-9  # body weights: a foot that carries less is off the ground


@dataclass(frozen=True)
class Finding:
    """One number of a gait.

    Args:
        name: what was measured.
        value: the number; NaN where there is none.
        said: the number in words.
        goal: what it should be, in words.
        met: whether it is.
    """

    name: str
    value: float
    said: str
    goal: str
    met: bool


@dataclass(frozen=True)
class Realism:
    """What was measured of a gait; print it for a table."""

    findings: tuple[Finding, ...]

    @property
    def met(self) -> bool:
        """Whether all goals are."""
        return all(x.met for x in self.findings)

    def __getitem__(self, name: str) -> Finding:
        return {x.name: x for x in self.findings}[name]

    @property
    def rows(self) -> list[list[str]]:
        """The table: what, how much, goal, whether it is met."""
        return [[x.name, x.said, x.goal, "yes" if x.met else "no"] for x in self.findings]

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
    alike = [] if norms is None else _correlations(angles, norms)
    return Realism((*alike, *_vertical(forces), *_fore_aft(forces), _lateral(forces)))


def _correlations(angles: Mapping[str, Array], norms: Norms) -> list[Finding]:
    found = []
    for name, least in _ALIKE.items():
        if name in norms.mean:
            curve, norm = angles[name], norms.at(name, angles["percent"])[0]
            flat = np.ptp(curve) == 0.0 or np.ptp(norm) == 0.0
            r = float("nan") if flat else float(np.corrcoef(curve, norm)[0, 1])
            said = "none: a straight line" if flat else f"{r:.3f}"
            found.append(Finding(f"correlation of {name} angle", r, said, f"at least {least:g}", r >= least))
    return found


def _stance(forces: Mapping[str, Array]) -> slice:
    """Where the foot carries something, from the strike of its heel on."""
    loaded = np.flatnonzero(np.abs(forces["vertical"]) > _LOADED)
    return slice(0, int(loaded[-1]) + 1 if loaded.size else len(forces["vertical"]))


def _vertical(forces: Mapping[str, Array]) -> list[Finding]:
    """Two peaks with a valley between them; where the curve has none there, the number is NaN."""
    force = forces["vertical"][_stance(forces)]
    percent = forces["percent"]
    low, high = _PEAKS
    first, valley, second = _humps(force)
    found = []
    for name, k in (("first vertical peak", first), ("second vertical peak", second)):
        value = float("nan") if k is None else float(force[k])
        said = "none" if k is None else f"{value:.3f} body weights at {percent[k]:.0f} %"
        found.append(Finding(name, value, said, f"{low:g} to {high:g} body weights", low <= value <= high))
    value = float("nan") if valley is None else float(force[valley])
    said = "none" if valley is None else f"{value:.3f} body weights at {percent[valley]:.0f} %"
    return [
        found[0],
        Finding("vertical valley", value, said, f"below both peaks by {_DEPTH:g} or more", valley is not None),
        found[1],
    ]


def _humps(force: Array) -> tuple[int | None, int | None, int | None]:
    """Places of two peaks and the valley between them: the pair of local peaks with the deepest valley below both."""
    rise = np.diff(force)
    peaks = [k for k in range(1, len(force) - 1) if rise[k - 1] > 0 and rise[k] <= 0]
    if not peaks:
        return None, None, None
    best: tuple[float, tuple[int, int, int]] | None = None
    for i, a in enumerate(peaks):
        for b in peaks[i + 1 :]:
            valley = a + int(np.argmin(force[a : b + 1]))
            depth = float(min(force[a], force[b]) - force[valley])
            if best is None or depth > best[0]:
                best = depth, (a, valley, b)
    if best is not None and best[0] >= _DEPTH:
        return best[1]
    return (max(peaks, key=lambda k: float(force[k])), None, None)


def _fore_aft(forces: Mapping[str, Array]) -> list[Finding]:
    """Braking comes before propelling, and both are equal over a stride."""
    force, percent = forces["fore_aft"], forces["percent"]
    pieces = np.diff(percent)
    back, forth = (_area(side, pieces) for side in (np.minimum(force, 0.0), np.maximum(force, 0.0)))
    larger = max(-back, forth)
    stance = force[_stance(forces)]
    half = len(stance) // 2
    early, late = float(stance[:half].mean()), float(stance[half:].mean())
    order = f"{early:+.3f}, then {late:+.3f} body weights"
    net = abs(back + forth) / larger if larger > 0.0 else float("nan")
    said = f"{100.0 * net:.2f} %" if larger > 0.0 else "none: no force"
    return [
        Finding("fore-aft force", late - early, order, "braking, then propelling", early < 0.0 < late),
        Finding("fore-aft impulse of a stride", net, said, f"zero within {100 * _BALANCE:g} %", net <= _BALANCE),
    ]


def _area(curve: Array, pieces: Array) -> float:
    return float((0.5 * (curve[1:] + curve[:-1]) * pieces).sum())


def _lateral(forces: Mapping[str, Array]) -> Finding:
    """A mean hides a force that changes its side, so the part of stance with the right one is told too."""
    force = forces["lateral"][_stance(forces)]
    mean, inward = float(force.mean()), float((force > 0.0).mean())
    said = f"{mean:+.4f} body weights, inward in {inward:.0%} of stance"
    return Finding("lateral force in stance, mean", mean, said, "toward the midline", mean > 0.0)
