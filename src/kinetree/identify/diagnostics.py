"""Diagnostics of measurements and fits: wrong units, poor residuals, poor excitation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinetree.identify.chains import columns_of
from kinetree.identify.linear import Linear
from kinetree.identify.samples import Samples, evaluated
from kinetree.joints import Helical, Revolute
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

TURNS = 4.0 * math.pi  # [rad] few joints turn farther
SLOW = 2.0  # samples a second: fewer, and the times are hardly in seconds
FAR = 3.0  # a factor between model and measurement that errors of the inertias don't explain
ALONE = 10.0  # the same for single joints, whose load may be missing in the model
ALIKE = 0.9  # correlation of measured forces with the model's
EVEN = 0.3  # by how much the logarithm of the factor may differ from joint to joint
POOR = 0.3  # residuals over forces, of a poor fit
ILL = 1000.0  # condition number
NEAR = 1.5  # a factor this near to one of those below is taken for it
FACTORS = {1000.0: "N mm", 1e-3: "kN m", 100.0: "N cm", 1.0 / 9.81: "kgf m"}


def diagnostics(
    linear: Linear, samples: Sequence[Samples], y: Array, values: Array, left: Array, condition: float, unknown: int
) -> tuple[str, ...]:
    """Messages on what looks wrong in the measurements and their fit.

    Args:
        linear, samples: as in a fit.
        y, values: the regressor (m, n, p), and the fitted values of its columns (p,).
        residuals: of the forces (m, n).
        condition: of the observation matrix.
        unidentifiable: how many parameters the data does not identify.
    """
    measured = np.concatenate([x.forces for x in samples])
    messages = _positions(linear.base.tree, samples)
    if min(x.rate * x.block for x in samples) < SLOW and math.isfinite(samples[0].cutoff):
        messages.append(f"there are {samples[0].rate:.2g} samples a second: is the time in milliseconds?")
    # friction and rotors that the model does not have explain no factor
    of_joints = np.array(linear.base.columns) >= 10 * linear.base.tree.nbodies
    absent = of_joints & (linear.nominal == 0.0)
    messages += _factor(linear, samples, measured - y[..., absent] @ values[absent])
    unexplained = float(np.sqrt((left**2).sum() / max((measured**2).sum(), 1e-300)))
    if measured.any() and unexplained > POOR:
        messages.append(
            f"{100 * unexplained:.0f} % of the forces are not explained: check the signs and the order of the columns, "
            "the geometry and the direction of gravity"
        )
    if unknown:
        messages.append(
            f"{unknown} of {len(linear.base)} parameters are not identifiable from this motion and keep the "
            "model's values; forces of other motions may be wrong"
        )
    if condition > ILL:
        messages.append(
            f"the condition number is {condition:.2g}: some parameters are hardly identifiable; use a more exciting "
            "motion (kinetree.identify.excite)"
        )
    return tuple(messages)


def _positions(tree: Robot, samples: Sequence[Samples]) -> list[str]:
    q = np.concatenate([x.q for x in samples])
    for body, own in zip(tree.bodies, tree.q_slices):
        joint = body.joint
        if not isinstance(joint.kind, Revolute | Helical) or joint.mimic:
            continue
        low, high = float(q[:, own].min()), float(q[:, own].max())
        outside = low < joint.limits.lower - 0.1 or high > joint.limits.upper + 0.1
        if high - low > TURNS or (outside and max(-low, high) > math.pi):
            return [f"{joint.name!r} is between {low:.3g} and {high:.3g} rad: are the positions in degrees?"]
    return []


def _factor(linear: Linear, samples: Sequence[Samples], measured: Array) -> list[str]:
    """Whether the forces, or those of some joints, are those of the model but for a constant factor."""
    model = evaluated(samples, linear.model_forces)
    along, own, other = (model * measured).sum(axis=0), (model**2).sum(axis=0), (measured**2).sum(axis=0)
    moving = (own > 1e-6 * own.max()) & (other > 0)
    if not moving.any() or own.max() == 0:
        return []
    alike = along[moving] / np.sqrt(own[moving] * other[moving])
    if np.median(alike) < -ALIKE:
        return ["measured forces have the opposite sign of the model's: are they those of the actuators?"]
    strong = alike > ALIKE
    names = np.array(columns_of(linear.base.robot).forces)[moving][strong]
    factors = dict(zip(names.tolist(), (along[moving] / own[moving])[strong].tolist()))
    common = strong.sum() >= max(1, 0.5 * len(alike)) and abs(math.log(np.median([*factors.values()]))) >= math.log(FAR)
    if common and (gears := _gears(linear.base.tree, factors)):
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
    """What may have caused the factor."""
    factor = float(np.exp(np.median(np.log([*factors.values()]))))
    unit = next((unit for x, unit in FACTORS.items() if 1 / NEAR < factor / x < NEAR), "N m, or in N")
    return f"measured forces are {factor:.3g} times those that the model predicts, at {where}: are they in {unit}?"


def _gears(tree: Robot, factors: dict[str, float]) -> list[str]:
    """Whether the factors are those of gears."""
    ratios = {body.joint.name: body.joint.gear_ratio for body in tree.bodies}
    known = {name: abs(float(r)) for name, r in ratios.items() if isinstance(r, (int, float)) and abs(float(r)) > FAR}
    met = [name for name, factor in factors.items() if name in known and 1 / NEAR < factor * known[name] < NEAR]
    if met and len(met) >= 0.5 * len(factors):
        return [f"measured forces of {', '.join(met)} are the model's over the gear ratio: are they at the motors?"]
    return []
