"""What looks wrong in measurements: units above all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.identify.columns import columns_of, tree_of
from kinetree.identify.linear import Linear
from kinetree.identify.samples import Samples
from kinetree.joints import Helical, Revolute
from kinetree.robot import Robot

Array = NDArray[np.float64]

TURNS = 4.0 * math.pi  # [rad] farther than this few joints turn
SLOW = 2.0  # samples a second: fewer, and the times are hardly seconds
FAR = 3.0  # a factor between model and measurement that inertias alone don't explain
ALONE = 10.0  # the same for single joints, whose load may be missing in the model
ALIKE = 0.9  # correlation of measured forces with the model's
EVEN = 0.3  # by how much the logarithm of the factor may differ from joint to joint
POOR = 0.3  # residuals over forces: a fit that explains little
ILL = 1000.0  # condition number
NEAR = 1.5  # a factor this near to one of those below is taken for it
FACTORS = {
    1000.0: "are they in N mm?",
    1e-3: "are they in kN m?",
    100.0: "are they in N cm?",
    1.0 / 9.81: "are they in kgf m?",
}


def suspicions(
    robot: Robot | ClosedChain,
    linear: Linear,
    samples: Sequence[Samples],
    y: Array,
    values: Array,
    left: Array,
    condition: float,
    hidden: int,
) -> tuple[str, ...]:
    """Sentences on what looks wrong.

    Args:
        robot, linear, samples: as in a fit.
        y, values: the regressor (m, n, p), and what the fit gives for its columns (p,).
        left: residuals.
        condition: of the observation matrix.
        hidden: how many parameters the data does not show.
    """
    measured = np.concatenate([x.forces for x in samples])
    said = _positions(robot, samples)
    if min(x.rate * (x.fine.block if x.fine else 1) for x in samples) < SLOW and math.isfinite(samples[0].cutoff):
        said.append(f"there are {samples[0].rate:.2g} samples a second: is the time in milliseconds?")
    # friction and rotors that the model has not are no reason for a factor
    drives = np.array(linear.base.columns) >= 10 * tree_of(robot).nbodies
    absent = drives & (linear.nominal == 0.0)
    said += _factor(robot, linear, samples, measured - y[..., absent] @ values[absent])
    size = float(np.sqrt((measured**2).sum()))
    lost = float(np.sqrt((left**2).sum()))
    if lost > POOR * size > 0:
        said.append(
            f"{100 * lost / size:.0f} % of the forces are not explained: check the signs and the order of the columns, "
            "the geometry and the direction of gravity"
        )
    if hidden:
        said.append(
            f"{hidden} of {len(linear.base)} parameters don't show in this motion (see unseen) and keep the model's "
            "values; forces of other motions may be wrong"
        )
    if condition > ILL:
        said.append(
            f"the condition number is {condition:.2g}: some parameters are hardly told from others; use a more "
            "exciting motion (kinetree.identify.excite)"
        )
    return tuple(said)


def _positions(robot: Robot | ClosedChain, samples: Sequence[Samples]) -> list[str]:
    tree = tree_of(robot)
    q = np.concatenate([x.q for x in samples])
    said: list[str] = []
    for body, own in zip(tree.bodies, tree.q_slices):
        joint = body.joint
        if not isinstance(joint.kind, Revolute | Helical) or joint.mimic:
            continue
        low, high = float(q[:, own].min()), float(q[:, own].max())
        beyond = low < joint.limits.lower - 0.1 or high > joint.limits.upper + 0.1
        if high - low > TURNS or (beyond and max(-low, high) > math.pi):
            said.append(f"{joint.name!r} is between {low:.3g} and {high:.3g} rad: are the positions in degrees?")
    return said[:1]


def _factor(robot: Robot | ClosedChain, linear: Linear, samples: Sequence[Samples], measured: Array) -> list[str]:
    """Whether the forces, or those of some joints, are those of the model but for a constant factor."""
    model = np.concatenate([x.through(linear.model_forces) for x in samples])
    along, own, other = (model * measured).sum(axis=0), (model**2).sum(axis=0), (measured**2).sum(axis=0)
    moving = (own > 1e-6 * own.max()) & (other > 0)
    if not moving.any() or own.max() == 0:
        return []
    alike = along[moving] / np.sqrt(own[moving] * other[moving])
    if np.median(alike) < -ALIKE:
        return ["measured forces have the opposite sign of the model's: are they those of the drives?"]
    strong = alike > ALIKE
    names = np.array(columns_of(robot).forces)[moving][strong]
    factors = dict(zip(names.tolist(), (along[moving] / own[moving])[strong].tolist()))
    common = strong.sum() >= max(1, 0.5 * len(alike)) and abs(math.log(np.median([*factors.values()]))) >= math.log(FAR)
    if common and (gears := _gears(robot, factors)):
        return gears
    if common and _even(factors):
        return [_units(factors, "all joints alike" if strong.all() else ", ".join(factors))]
    far = {name: x for name, x in factors.items() if abs(math.log(x)) > math.log(ALONE)}
    if far and _even(far):
        return [_units(far, ", ".join(far))]
    return [_units({name: x}, name) for name, x in far.items()]


def _even(factors: dict[str, float]) -> bool:
    return bool(np.ptp(np.log([*factors.values()])) <= 2.0 * EVEN)


def _units(factors: dict[str, float], where: str) -> str:
    """What the factor may come from."""
    factor = float(np.exp(np.median(np.log([*factors.values()]))))
    hint = next((text for x, text in FACTORS.items() if 1 / NEAR < factor / x < NEAR), "are they in N m, or in N?")
    return f"measured forces are {factor:.3g} times those that the model predicts, at {where}: {hint}"


def _gears(robot: Robot | ClosedChain, factors: dict[str, float]) -> list[str]:
    """Whether the factors are those of gears."""
    ratios = {body.joint.name: body.joint.gear_ratio for body in tree_of(robot).bodies}
    known = {name: abs(float(r)) for name, r in ratios.items() if isinstance(r, (int, float)) and abs(float(r)) > FAR}
    met = [name for name, factor in factors.items() if name in known and 1 / NEAR < factor * known[name] < NEAR]
    if met and len(met) >= 0.5 * len(factors):
        return [f"measured forces of {', '.join(met)} are the model's over the gear ratio: are they at the motors?"]
    return []
