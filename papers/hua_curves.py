"""Hua, Poursina, Sanfilippo: the curves of figures 3 to 8, with an arm of our own, and what the text says of them."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from papers.figure import Figure
from papers.hua import FILTERS, REFERENCE, tracking

SETTLED = 2.0  # s: what was begun at rest and 25 degrees off has caught up
LOWEST = 3.0  # s: q_d = 0.5 sin(0.5 pi t) is at its lowest
NEAR = 0.02  # rad
CASES = {"no payload": 0, "a payload as (20) is printed, which lifts": 1, "a payload as a load": 2}  # of PAYLOADS
DRIVEN = (0, 1, 3)  # coordinates with a motor: joints 1 and 2, the motor of joint 3
_TEST = "tests/papers/test_hua_curves.py"
_OWN = "drawn without numbers; NOT a reproduction: our own arm, gains and filter, see the errors above"
_SIGN = f"{_OWN}. Only with the sign of (20), where the payload lifts, is the torque lower"


def figures() -> list[Figure]:
    """Figures 3 to 5 are those without, 6 to 8 those with payload."""
    motion = tracking(FILTERS["filtered"])
    rows: list[tuple[str, str, str, str]] = []
    for (case, k), numbers in zip(CASES.items(), ((3, 4, 5), (6, 7, 8), (6, 7, 8))):
        load, motor, torque = numbers
        rows += [
            (f"figure {load}, {case}: load positions within {NEAR} rad of the sine after [s]", "track",
             _listed(settling(motion, k), ".2f"), _OWN),
            (f"figure {motor}, {case}: motor 3, extremes [rad]", "curve", _listed(extremes(motion, k), ".3f"), _OWN),
            (f"figure {torque}, {case}: torque of motor 3 [N m], first second; later",
             "curve" if k else "large oscillation at the beginning", oscillation(motion, k), _OWN),
        ]  # fmt: skip
    torques = [_listed(at_lowest(motion, k), ".2f") for k in CASES.values()]
    rows.append(("figures 5 and 8: torques at 3 s [N m]: none; lifted; loaded", "lower with payload",
                 "; ".join(torques), _SIGN))  # fmt: skip
    return [Figure("Hua", what, published, ours, _TEST, why) for what, published, ours, why in rows]


def settling(motion: kt.Motion, case: int) -> list[float]:
    """When each load position was far from the sine for the last time [s]."""
    error = np.abs(REFERENCE.sample(motion.t).q - motion.q[case, :, :3])
    far = [np.flatnonzero(column > NEAR) for column in error.T]
    return [float(motion.t[k[-1]]) if len(k) else 0.0 for k in far]


def extremes(motion: kt.Motion, case: int) -> list[float]:
    """The lowest and the highest angle of the motor of the elastic joint, after it has caught up [rad]."""
    theta = motion.q[case, motion.t > SETTLED, 3]
    return [float(theta.min()), float(theta.max())]


def oscillation(motion: kt.Motion, case: int) -> str:
    """Range and reversals of the torque of the motor of the elastic joint, at the beginning and later."""
    tau, words = motion.tau[case, :, 3], []
    for part in (tau[motion.t <= 1.0], tau[motion.t > SETTLED]):
        turns = int((np.diff(np.sign(np.diff(part))) != 0).sum())
        words.append(f"{part.min():.3g} to {part.max():.3g}, {turns} reversals")
    return "; ".join(words)


def at_lowest(motion: kt.Motion, case: int) -> list[float]:
    """The torques of the three motors where the arm is lowest [N m]."""
    k = int(np.searchsorted(motion.t, LOWEST))
    return [float(motion.tau[case, k, i]) for i in DRIVEN]


def _listed(values: list[float], form: str) -> str:
    return ", ".join(f"{x:{form}}" for x in values)
