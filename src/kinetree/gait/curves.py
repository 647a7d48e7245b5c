"""The curves of a stride by name: what plots, tables and norms call them, and which family has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.errors import check_names
from kinetree.gait.walk import PATHS, POSTURE, SAMPLES, Walk
from kinetree.runtime.arrays import Array


@dataclass(frozen=True)
class StrideCurve:
    """One curve.

    Args:
        family: the method of `Walk` that gives it.
        key: its name there.
        name: in plots and tables.
        title: above its plot.
        unit: of its values.
        norm: its name in `Norms`; empty where norms have none.
    """

    family: str
    key: str
    name: str
    title: str
    unit: str
    norm: str = ""


_PATHS = ("Lowest point of the foot", "Centre of mass, to this side", "Centre of mass, up")
CURVES = (
    StrideCurve("angles", "hip", "hip angle", "Hip flexion", "deg", "hip"),
    StrideCurve("angles", "knee", "knee angle", "Knee flexion", "deg", "knee"),
    StrideCurve("angles", "ankle", "ankle angle", "Ankle dorsiflexion", "deg", "ankle"),
    *(StrideCurve("posture", name, name, name.capitalize(), "deg") for name in POSTURE),
    StrideCurve("ground_forces", "lateral", "lateral ground force", "Ground force toward the midline", "BW", "lateral"),
    StrideCurve("ground_forces", "vertical", "vertical ground force", "Vertical ground force", "BW", "vertical"),
    StrideCurve("ground_forces", "fore_aft", "fore_aft ground force", "Fore-aft ground force", "BW", "fore_aft"),
    StrideCurve("joint_forces", "hip", "hip joint force", "Force in the hip", "BW"),
    StrideCurve("joint_forces", "knee", "knee joint force", "Force in the knee", "BW"),
    StrideCurve("joint_forces", "ankle", "ankle joint force", "Force in the ankle", "BW"),
    StrideCurve("moments", "hip", "hip moment", "Hip extension moment", "Nm/kg", "hip moment"),
    StrideCurve("moments", "knee", "knee moment", "Knee extension moment", "Nm/kg", "knee moment"),
    StrideCurve("moments", "ankle", "ankle moment", "Plantarflexion moment", "Nm/kg", "ankle moment"),
    StrideCurve("moments", "hip abduction", "hip abduction moment", "Hip abduction moment", "Nm/kg"),
    StrideCurve("powers", "hip", "hip power", "Power of the hip", "W/kg"),
    StrideCurve("powers", "knee", "knee power", "Power of the knee", "W/kg"),
    StrideCurve("powers", "ankle", "ankle power", "Power of the ankle", "W/kg"),
    *(StrideCurve("paths", name, name, title, "mm") for name, title in zip(PATHS, _PATHS)),
)
FAMILIES = tuple(dict.fromkeys(curve.family for curve in CURVES))
_USUAL = ("angles", "ground_forces", "joint_forces", "moments")  # what is drawn unless others are asked for


def named(names: Sequence[str]) -> list[StrideCurve]:
    """The curves with some names, or of some families; the usual ones where there are no names."""
    check_names("curve", names, [*FAMILIES, *(curve.name for curve in CURVES)])
    names = names or _USUAL
    return [curve for curve in CURVES if curve.family in names or curve.name in names]


def table(walk: Walk, curves: Sequence[StrideCurve] = CURVES, count: int = SAMPLES) -> dict[StrideCurve, Array]:
    """The values of curves over a stride, at a number of samples from one heel strike to the next."""
    families = {family: getattr(walk, family)(count) for family in dict.fromkeys(x.family for x in curves)}
    return {curve: families[curve.family][curve.key] for curve in curves}
