"""Barman, chapter IV: the curves of figures 4.2 to 4.7. The thesis describes them in words; numbers are not printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kinetree as kt
from papers.barman import LIMIT
from papers.barman_planning import PR_POINTS, prismatic_revolute, two_link
from papers.figure import Figure

POINTS, SAMPLES = 30, 2001
AT_BOUND = 0.95  # of the bound: so much counts as at it
_CALL = "tests/papers/test_barman_curves.py"
_DRAWN = "drawn without numbers in the thesis; ours is the plan with 30 control points of each joint"
_READINGS = f"drawn without numbers; {PR_POINTS} control points; theta2 = q2, then theta2 as in the table"
_BETWEEN = f"{_DRAWN}. The first link has the higher peaks; between and after them the second has more, by little"


@dataclass(frozen=True)
class Curves:
    """A plan on a dense grid.

    Args:
        t: times (samples,) [s].
        q, forces: positions and actuating forces (samples, 2) [rad or m, N m or N].
        internal: norms of the internal forces at both joints (samples, 2) [N], F_jp of the thesis.
    """

    t: np.ndarray
    q: np.ndarray
    forces: np.ndarray
    internal: np.ndarray

    @classmethod
    def of(cls, robot: kt.Robot, plan: kt.plan.Plan) -> Curves:
        t = np.linspace(0.0, plan.duration, SAMPLES)
        q, qd, qdd, _ = plan.motion(t)
        wrenches = robot.joint_wrenches(q, qd, qdd)
        return cls(t, q, robot.inverse_dynamics(q, qd, qdd), np.linalg.norm(wrenches[..., 3:], axis=-1))

    @property
    def peaks(self) -> np.ndarray:
        """Of the internal forces in both halves of the motion, (half, joint) [N]."""
        return np.array([half.max(axis=0) for half in np.array_split(self.internal, 2)])

    @property
    def valley(self) -> np.ndarray:
        """The smallest internal force of each joint [N]."""
        return self.internal.min(axis=0)

    @property
    def first_higher(self) -> float:
        """Share of the time in which the first joint has the larger internal force."""
        return float((self.internal[:, 0] > self.internal[:, 1]).mean())


def two_link_curves() -> Curves:
    """Figures 4.2 to 4.4."""
    return Curves.of(kt.robots.two_link(), two_link(POINTS))


def slider_curves(literal: bool) -> Curves:
    """Figures 4.5 to 4.7, by one of two readings of the second angle."""
    return Curves.of(kt.robots.prismatic_revolute(), prismatic_revolute(literal))


def figures() -> list[Figure]:
    """Those of both arms."""
    arm, sliders = two_link_curves(), [slider_curves(literal) for literal in (False, True)]
    at_bound = (np.abs(arm.forces) > AT_BOUND * LIMIT).mean(axis=0)
    ends = ", ".join(f"{x:.1f}" for x in arm.internal[-1])
    rows = [
        ("4.2: torques", "at a bound all the time",
         " and ".join(f"{x:.0%}" for x in at_bound) + f" of the time above {AT_BOUND:.0%} of it", _DRAWN),
        ("4.3: internal forces [N]", "two peaks each, those of link 1 higher, together at the end",
         f"{_peaks(arm)}; at the end {ends}", _BETWEEN),
        ("4.4: positions [rad]", "from (0, -2) to (1, -1)", _ranges(arm), _DRAWN),
        ("4.5: force f1 [N]", "from a positive to a negative peak", _swing(sliders, 0), _READINGS),
        ("4.5: torque tau2 [N m]", "from a negative to a positive peak", _swing(sliders, 1), _READINGS),
        ("4.6: internal forces [N]", "two peaks each", "; ".join(map(_peaks, sliders)), _READINGS),
        ("4.6: time in which the revolute joint has less", "all",
         ", ".join(f"{x.first_higher:.0%}" for x in sliders), _READINGS),
        ("4.7: positions [m, rad]", "a translation and a rotation", _ranges(sliders[1]), _READINGS),
    ]  # fmt: skip
    return [Figure("Barman", f"figure {what}", published, ours, _CALL, why) for what, published, ours, why in rows]


def _peaks(curves: Curves) -> str:
    joints = zip(curves.peaks.T, curves.valley)
    return ", ".join(f"{one:.1f} and {two:.1f} over {low:.1f}" for (one, two), low in joints)


def _ranges(curves: Curves) -> str:
    low, high = curves.q.min(axis=0), curves.q.max(axis=0)
    return ", ".join(f"q{k + 1} in {a:.2f} to {b:.2f}" for k, (a, b) in enumerate(zip(low, high)))


def _swing(sliders: list[Curves], joint: int) -> str:
    return ", ".join(f"{x.forces[0, joint]:.2f} to {x.forces[-1, joint]:.2f}" for x in sliders)
