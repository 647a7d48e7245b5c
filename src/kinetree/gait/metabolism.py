"""What a walk costs the body, as an estimate: the heat and the work of muscles, and life itself.

There are no muscles in the model. Each side of each joint stands for one, of the moment that is not passive, with the
joint's strength S. It is active by u = |tau| / S, with its slow fibres before its fast ones, and has a part of all
muscle of the body, 38.4 % of the mass of men and 30.6 % of that of women [Janssen2000], in proportion to S. Then the
rates are those of [Bhargava2004], as [Falisse2019] use them, for each kilogram of muscle, half of it slow, and for
each muscle:

    activation and maintenance    (40 + 74) 1/2 sin(pi/2 u) + (133 + 111) 1/2 (1 - cos(pi/2 u))    [W/kg]
    shortening                    (0.16 + 0.18) |P|,    lengthening 0.157 |P|                      [W]
    work                          P, where it is positive                                          [W]
    rest                          1.2 for each kilogram of the body                                [W/kg]

P is the power of the moment and the velocity of the joint, or of the muscle that pulls through a tendon at the ankle
(`kinetree.gait.tendon`). No number was fitted, and none has a part in the prediction; but the model was chosen among
several because its cheapest speed is that of people.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.compile import compile
from kinetree.gait.costs import TENDON, walking_strengths
from kinetree.gait.passive import passive_moments
from kinetree.gait.quantities import ANKLE, actuated
from kinetree.gait.states import StrideStates
from kinetree.gait.walker import Walker
from kinetree.runtime.arrays import Array

_MUSCLE = {"male": 0.384, "female": 0.306}  # of the mass of the body
_SLOW = 0.5  # of the fibres
_ACTIVE_SLOW, _ACTIVE_FAST = 40.0 + 74.0, 133.0 + 111.0  # W/kg
_SHORTENING, _LENGTHENING = 0.16 + 0.18, 0.157  # of the power
_REST = 1.2  # W/kg


def metabolic_power(states: StrideStates) -> dict[str, float]:
    """The mean power of a stride by what it is spent on [W for each kg of the body]."""
    walker, t = states.walker, states.t
    moment, power = _muscles(states)
    low, high = (side[actuated(walker.robot)] for side in walking_strengths(walker))
    strength = np.where(moment > 0.0, high, -low)
    muscle = _MUSCLE[walker.sex] * walker.mass * strength / (high - low).sum()
    active = 0.5 * np.pi * np.minimum(np.abs(moment) / strength, 1.0)
    heat = _SLOW * _ACTIVE_SLOW * np.sin(active) + (1.0 - _SLOW) * _ACTIVE_FAST * (1.0 - np.cos(active))
    parts = {
        "activation and maintenance": muscle * heat,
        "shortening and lengthening": np.where(power > 0.0, _SHORTENING, _LENGTHENING) * np.abs(power),
        "work": np.maximum(power, 0.0),
    }
    duration = float(t[-1] - t[0]) * walker.mass
    return {"rest": _REST, **{name: float(np.trapezoid(x.sum(axis=1), t)) / duration for name, x in parts.items()}}


def _muscles(states: StrideStates) -> tuple[Array, Array]:
    """The moments of all joints without the passive ones [N m], and their powers [W], of muscles at the ankles."""
    walker, robot = states.walker, states.walker.robot
    own = actuated(robot)
    moment = (states.moments - walker.strength_scale * _passive(walker, states))[:, own]
    rate = states.qd[:, own].copy()
    ankles = [j for j, k in enumerate(own) if ANKLE in robot.joint_names[k]]
    around = np.concatenate([moment[-2:-1], moment, moment[1:2]])[:, ankles]  # the stride repeats
    stretch = (around[2:] - around[:-2]) / (2.0 * (states.t[1] - states.t[0]))
    rate[:, ankles] += stretch / (walker.strength_scale * TENDON)
    return moment, moment * rate


def _passive(walker: Walker, states: StrideStates) -> Array:
    robot = walker.robot

    def traced(robot: Any, q: Any, qd: Any) -> list[Any]:
        found = passive_moments(robot, q, qd)
        return [found.get(k, 0.0) for k in range(robot.nv)]

    names = f"q({robot.nv}), qd({robot.nv}) -> moments({robot.nv})"
    return np.asarray(compile(traced, robot, signature=names)(states.q, states.qd), np.float64)
