"""How near a walk is to how people walk: its numbers, each with the band that people are in, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kinetree.gait.bands import band
from kinetree.gait.norms import Norms
from kinetree.runtime.arrays import Array

if TYPE_CHECKING:
    from kinetree.gait.walk import Walk

_DEPTH = 0.02  # body weights, from the lower peak down to the valley: less is a ripple
_LOADED = 1e-9  # body weights: a foot with less is off the ground
_LOADING = 30.0  # % of the stride until which the first peak of the knee comes
_MID_SWING = (0.25, 0.75)  # of the swing
_EFFICIENCY = 0.25, 1.2  # of muscles that shorten and that are lengthened: work over the energy it takes
HEADER = ("measure", "here", "goal", "met", "source")
Curves = Mapping[str, Array]


@dataclass(frozen=True)
class Measure:
    """One number of a gait.

    Args:
        name: what was measured.
        value: the number; NaN where there is none.
        text: the number with its unit.
        goal: what it should be, in words.
        met: whether it is.
        source: of the goal.
    """

    name: str
    value: float
    text: str
    goal: str
    met: bool
    source: str = ""


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
        """The table: what, how much, goal, whether it is met, where the goal comes from."""
        return [[x.name, x.text, x.goal, "yes" if x.met else "no", x.source] for x in self.measures]

    def __repr__(self) -> str:
        return f"Realism: {sum(x.met for x in self.measures)} of {len(self.measures)} goals are met"

    def __str__(self) -> str:
        rows = [[*HEADER], *self.rows]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADER))]
        lines = ("  ".join(cell.ljust(n) for cell, n in zip(row, widths)).rstrip() for row in rows)
        return "\n".join((*lines, repr(self)))


def realism(walk: Walk, norms: Norms | None = None) -> Realism:
    """Of a walk; see `Walk.realism`."""
    from kinetree.gait.curves import CURVES, table

    states, curves = walk.states(), {curve.name: values for curve, values in table(walk, CURVES).items()}
    leg, (plus, minus) = -walk.walker.ground, states.work()
    total = sum(foot.force[:, 1] for foot in states.feet.values())
    facts = {
        "vertical impulse of a stride": _share(float(np.trapezoid(total, states.t)) / float(np.ptp(states.t)), walk),
        "positive work": plus,
        "negative work": minus,
        "cost of transport from work": plus / _EFFICIENCY[0] - minus / _EFFICIENCY[1],
        "step width over leg length": states.width / leg,
    }
    if not np.isnan(walk.jump):
        facts["force jump at heel strike"] = walk.jump
    return measured(curves | {"percent": states.percent}, facts, states.speed, leg, norms)


def _share(force: float, walk: Walk) -> float:
    """How far a mean force is from the weight [%]."""
    return 100.0 * abs(force / walk.walker.weight - 1.0)


def measured(
    curves: Curves, facts: Mapping[str, float], speed: float, leg: float, norms: Norms | None = None
) -> Realism:
    """The measures of a stride of one leg.

    Args:
        curves: by the names of `kinetree.gait.curves.CURVES`, and ``percent``; those that are missing are not measured.
        facts: other numbers, by the names of their bands.
        speed: of walking [m/s].
        leg: the length of the legs [m].
        norms: for the angles; `Norms.at_speed` by default.
    """
    norms = Norms.at_speed(speed, leg) if norms is None else norms
    found = {**dict(_against(curves, norms)), **_angles(curves), **_posture(curves), **_forces(curves),
             **_moments(curves), **_paths(curves), **facts}  # fmt: skip
    measures = [_measure(name, value, speed, leg) for name, value in found.items()]
    stance = curves["fore_aft ground force"][_stance(curves)] if "fore_aft ground force" in curves else None
    if stance is not None:
        half = len(stance) // 2
        early, late = float(stance[:half].mean()), float(stance[half:].mean())
        order = f"{early:+.3f}, then {late:+.3f} BW"
        met = early < 0.0 < late
        measures.append(Measure("fore-aft force", late - early, order, "braking, then propelling", met, "all walking"))
    return Realism(tuple(measures))


def _measure(name: str, value: float, speed: float, leg: float) -> Measure:
    wanted = band(name, speed, leg)
    number = "none" if np.isnan(value) else f"{value:.3g} {wanted.unit}".rstrip()
    return Measure(name, value, number, wanted.goal, value in wanted, wanted.source)


# -- numbers of curves -------------------------------------------------------------------------------------------------


def _against(curves: Curves, norms: Norms) -> Iterator[tuple[str, float]]:
    """Correlation and root of the mean squared difference of angles and their norms."""
    for name in ("hip", "knee", "ankle"):
        if name in norms.mean and f"{name} angle" in curves:
            curve, norm = curves[f"{name} angle"], norms.at(name, curves["percent"])[0]
            constant = np.ptp(curve) == 0.0 or np.ptp(norm) == 0.0
            yield f"correlation of {name} angle", np.nan if constant else float(np.corrcoef(curve, norm)[0, 1])
            yield f"RMS error of {name} angle", float(np.sqrt(np.mean((curve - norm) ** 2)))


def _angles(curves: Curves) -> dict[str, float]:
    if "hip angle" not in curves:
        return {}
    hip, knee, ankle = (curves[f"{name} angle"] for name in ("hip", "knee", "ankle"))
    early = curves["percent"] <= _LOADING
    return {
        "hip flexion at contact": float(hip[0]),
        "hip flexion, least": float(hip.min()),
        "knee flexion at contact": float(knee[0]),
        "knee flexion in loading": float(knee[early].max()),
        "knee flexion in swing": float(knee[~early].max()),
        "ankle dorsiflexion, most": float(ankle.max()),
        "ankle dorsiflexion, least": float(ankle.min()),
    }


def _posture(curves: Curves) -> dict[str, float]:
    found: dict[str, float] = {}
    if "hip adduction" in curves:
        x = {name: curve[:-1] for name, curve in curves.items()}  # each moment of the stride once
        found = {
            "hip adduction, most": x["hip adduction"].max(),
            "hip adduction, least": x["hip adduction"].min(),
            "pelvis tilt, mean": x["pelvis tilt"].mean(),
            "pelvis obliquity, most": x["pelvis obliquity"].max(),
            "pelvis rotation, range": np.ptp(x["pelvis rotation"]),
            "trunk lean, mean": x["trunk lean"].mean(),
            "trunk bend, most": abs(x["trunk bend"]).max(),
            "trunk turn, most": abs(x["trunk turn"]).max(),
            "shoulder swing": np.ptp(x["shoulder flexion"]),
            "shoulder abduction, least": x["shoulder abduction"].min(),
            "shoulder abduction, most": x["shoulder abduction"].max(),
            "elbow flexion, least": x["elbow flexion"].min(),
            "elbow flexion, most": x["elbow flexion"].max(),
        }
        other = np.roll(x["hip angle"], len(x["hip angle"]) // 2)  # half a stride later
        moving = np.ptp(x["shoulder flexion"]) > 0.0 and np.ptp(other) > 0.0
        found["arm with the opposite leg"] = np.corrcoef(x["shoulder flexion"], other)[0, 1] if moving else np.nan
    return {name: float(value) for name, value in found.items()}


def _moments(curves: Curves) -> dict[str, float]:
    names = {
        "hip extension moment": "hip moment",
        "hip abduction moment": "hip abduction moment",
        "knee extension moment": "knee moment",
        "plantarflexion moment": "ankle moment",
        "ankle power": "ankle power",
    }
    return {name: float(curves[key].max()) for name, key in names.items() if key in curves}


def _paths(curves: Curves) -> dict[str, float]:
    if "clearance" not in curves:
        return {}
    swing = len(curves["percent"]) - _stance(curves).stop
    first, last = (_stance(curves).stop + int(part * swing) for part in _MID_SWING)
    return {
        "toe clearance in mid-swing": float(curves["clearance"][first : last + 1].min()),
        "centre of mass sideways": float(np.ptp(curves["centre of mass sideways"])),
        "centre of mass up and down": float(np.ptp(curves["centre of mass up"])),
    }


# -- ground forces -----------------------------------------------------------------------------------------------------


def _stance(curves: Curves) -> slice:
    """Where the foot is loaded, from heel strike on."""
    force = curves["vertical ground force"]
    loaded = np.flatnonzero(np.abs(force[:-1]) > _LOADED)  # at the end it is loaded again
    return slice(0, int(loaded[-1]) + 1 if loaded.size else len(force))


def _forces(curves: Curves) -> dict[str, float]:
    if "vertical ground force" not in curves:
        return {}
    percent, stance = curves["percent"], _stance(curves)
    up, along, inward = (curves[f"{name} ground force"] for name in ("vertical", "fore_aft", "lateral"))
    up, inward = up[stance], inward[stance]
    braking, propelling = (float(np.trapezoid(x, percent)) for x in (np.minimum(along, 0.0), np.maximum(along, 0.0)))
    larger = max(-braking, propelling)
    peaks = zip(("first vertical peak", "vertical valley", "second vertical peak"), vertical_peaks(up))
    return {
        **{name: float("nan") if k is None else float(up[k]) for name, k in peaks},
        "braking force": float(-along.min()),
        "propelling force": float(along.max()),
        "fore-aft impulse of a stride": 100.0 * abs(braking + propelling) / larger if larger > 0.0 else float("nan"),
        "lateral force in stance, mean": float(inward.mean()),
        "lateral force, most": float(inward.max()),
        "lateral force inward": 100.0 * float((inward > 0.0).mean()),
    }


def vertical_peaks(force: Array) -> tuple[int | None, int | None, int | None]:
    """The indices of two peaks and the valley between them: the pair of local peaks with the deepest valley."""
    rise = np.diff(force)
    peaks = [k for k in range(1, len(force) - 1) if rise[k - 1] > 0 and rise[k] <= 0]
    triples = [(a, a + int(np.argmin(force[a : b + 1])), b) for a, b in combinations(peaks, 2)]
    depths = [float(min(force[a], force[b]) - force[valley]) for a, valley, b in triples]
    if depths and max(depths) >= _DEPTH:
        return triples[int(np.argmax(depths))]
    return max(peaks, key=lambda k: float(force[k]), default=None), None, None
