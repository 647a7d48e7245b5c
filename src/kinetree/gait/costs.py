"""What a walk costs: a few terms, each an integral over time with a name, a weight and where it comes from.

Weights were found on one body and one speed, a man of 73 kg and 1.741 m at 1.2 m/s, and are the same for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.compile import compile
from kinetree.gait.joints import SMALL, WALKING, strengths
from kinetree.gait.quantities import CentroidalMoment, GroundForceRate, JointMoment, MuscleEffort, MusclePower, actuated
from kinetree.gait.tendon import AnklePower
from kinetree.plan import Plan, Squares
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.squares import WeightedSum
from kinetree.runtime.arrays import Array

if TYPE_CHECKING:
    from kinetree.gait.step import Step
    from kinetree.gait.walker import Walker

# accelerations that are large for people [rad/s^2], [m/s^2] of the pelvis, by a part of a joint's name: [Falisse2019]
_ACCELERATIONS: dict[str, float] = {
    "pelvis_tilt": 20.0, "pelvis_obliquity": 92.0, "pelvis_rotation": 62.0,
    "tx_lateral": 6.0, "ty_vertical": 17.0, "tz_forward": 61.0,
    "hip_flexion": 201.0, "hip_adduction": 146.0, "hip_int_rotation": 137.0, "knee_flexion": 442.0,
    "ankle_dorsiflexion": 430.0, "ankle_inversion": 233.0, "forefoot_extension": 500.0,
    "shoulder_flexion": 66.0, "shoulder_abduction": 39.0, "shoulder_int_rotation": 114.0,
    "elbow_flexion": 94.0, "forearm_pronation": 94.0,
    "_flexion": 53.0, "_lat_bend": 110.0, "_axial": 39.0,
}  # fmt: skip
_OTHERS = 100.0
_MOMENTS = (0.05, 0.005, 0.027)  # m, times body weight: large moments about the centre of mass, pitch, yaw, roll
TENDON = 400.0  # N m/rad: people have 250 to 400 at a moment of 100 N m [Hof1998]


@dataclass(frozen=True)
class Term:
    """One term of a cost.

    Args:
        name: what it charges.
        weight: of its integral over time.
        integrand: the quantity, of a step; it has no unit.
        source: where it comes from.
    """

    name: str
    weight: float
    integrand: Callable[[Step], Quantity]
    source: str


def joint_moments(step: Step) -> Quantity:
    """Squares of the joint moments over strengths (5.1)."""
    low, high = (side[actuated(step.walker.robot)] for side in step.walker.strengths)
    most = np.maximum(np.abs(low), np.abs(high))
    return Squares(JointMoment(step.walker.ground), tuple((1.0 / most**2).tolist()))


def walking_strengths(walker: Walker) -> tuple[Array, Array]:
    """The lowest and highest moments of muscles [N m]."""
    low, high = strengths(walker.robot, walker.mass, walker.stature, WALKING)
    return low * walker.strength_factors, high * walker.strength_factors


def muscle_moments(step: Step) -> Quantity:
    """The moments of muscles over what is much for them, to the power of 1.5."""
    walker = step.walker
    small = [next((x for part, x in SMALL.items() if part in name), np.inf) for name in walker.robot.joint_names]
    most = np.array(small) * walker.strength_scale * walker.strength_factors
    low, high = (np.copysign(np.minimum(np.abs(side), most), side) for side in walking_strengths(walker))
    own = actuated(walker.robot)
    return MuscleEffort(walker.ground, walker.strength_scale, tuple(low[own].tolist()), tuple(high[own].tolist()))


def accelerations(step: Step) -> Quantity:
    """Mean square of the accelerations over those that are large for people."""
    names = step.walker.robot.joint_names
    large = np.array([next((a for part, a in _ACCELERATIONS.items() if part in name), _OTHERS) for name in names])
    return Squares(Derivative(2), tuple((1.0 / large**2 / len(names)).tolist()))


def work(step: Step) -> Quantity:
    """The metabolic power of joint work over the weight times the speed, without that of the ankles."""
    walker = step.walker
    return WeightedSum(((MusclePower(walker.ground, walker.strength_scale), 1.0 / (walker.weight * step.speed)),))


def ankle_work(step: Step) -> Quantity:
    """The same of the ankles, whose muscles pull through a tendon."""
    walker = step.walker
    return WeightedSum(
        ((AnklePower(walker.ground, walker.strength_scale, TENDON), 1.0 / (walker.weight * step.speed)),)
    )


def centroidal_moments(step: Step) -> Quantity:
    """Squares of the moments about the centre of mass over large ones."""
    walker = step.walker
    large = np.array(_MOMENTS) * walker.weight * walker.size
    return Squares(CentroidalMoment(walker.ground), tuple((1.0 / large**2).tolist()))


def jerks(step: Step) -> Quantity:
    """Mean square of the rates of the accelerations over those that are large for people."""
    return replace(accelerations(step), of=Derivative(3))


def force_rates(step: Step) -> Quantity:
    """Squares of the rate of the ground force, in body weights per second."""
    return Squares(GroundForceRate(), (step.walker.weight**-2,) * 3)


def spent(step: Step, plan: Plan) -> dict[str, float]:
    """What each term of the cost of a motion is [s], by its name; together they are its effort."""
    terms, robot, T = step.rules.terms, step.walker.robot, step.duration
    quantities = [term.integrand(step) for term in terms]
    s, weights = plan.spline.quadrature(plan.spline.degree + 1)
    motion = [x / T**r for r, x in enumerate(plan.spline.curve(plan.control_points, s, 3))]
    loads = step.loads(s)

    def traced(robot: Any, q: Any, qd: Any, qdd: Any, qddd: Any, loads: Any) -> list[Any]:
        given = ((loads,) if quantity.needs_parameters else () for quantity in quantities)
        return [x.values(robot, q, qd, qdd, qddd, *more)[0] for x, more in zip(quantities, given)]

    names = ", ".join(f"{name}({robot.nv})" for name in ("q", "qd", "qdd", "qddd"))
    signature = f"{names}, loads({loads.shape[1]}) -> terms({len(terms)})"
    values = compile(traced, robot, signature=signature)(*motion, loads)
    return {term.name: term.weight * T * float(weights @ x) for term, x in zip(terms, values.T)}


def raw_accelerations(step: Step) -> Quantity:
    """Squares of the accelerations."""
    return Squares(Derivative(2))
