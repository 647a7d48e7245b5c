"""One step of walking as a task for the planner: the nine families of limits of [Barman] section 5.2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.gait.phases import CONTACTS, Timing
from kinetree.gait.quantities import GroundForce, JointMoment, LoadOffset, SwingTogether, ZeroMomentPoint, driven
from kinetree.gait.walker import Walker
from kinetree.plan.frames import Distance, FramePosition
from kinetree.plan.problem import Problem
from kinetree.plan.squares import Squares
from kinetree.robots.human_table import STATURE

Array = NDArray[np.float64]
GIVE = 5e-4  # m, how far a point on the ground may be from its place: it creeps by 1 mm at the most
_HALF_WIDTH = 0.04  # m, of a foot
_HANDS_OFF = 0.20  # m, between wrist and hip: the radii r1 + r2 of (5.7)
_KNEE, _KNEE_GIVE = np.radians(60.0), np.radians(5.0)  # (5.9)
_PRESSED = 0.1  # of the weight: the least that the feet press on the ground, so that there is a zero-moment point
# what violations are measured by: a length [m], a moment [N m]
_LENGTH, _MOMENT = 0.1, 10.0
_ROUND_OFF = 1e-7  # the weight of accelerations beside the effort: it settles what effort leaves open


@dataclass(frozen=True)
class Step:
    """One step, from the strike of the left heel to that of the right.

    Args:
        walker: who walks.
        speed: [m/s].
        length: of the step [m].
        width: between the middles of the feet [m].
        timing: of the phases.
        control_points: of each coordinate.
    """

    walker: Walker
    speed: float = 1.2
    length: float = 0.6
    width: float = 0.10
    timing: Timing = Timing()
    control_points: int = 6

    @property
    def duration(self) -> float:
        """[s]."""
        return self.length / self.speed

    @cached_property
    def feet(self) -> dict[str, Array]:
        """Where the points of the feet are on the ground when they are: x, y, z [m]; (5.10)."""
        body, strike = self.walker.body, self.length / 2.0
        places: dict[str, Array] = {}
        for point in CONTACTS:
            forward = float(body.pose(body.neutral, point)[2, 3] - body.pose(body.neutral, "L_heel")[2, 3])
            if point[0] == "L":
                x, heel = self.width / 2.0, strike
            else:  # the right foot was one step behind, and will be one ahead
                x, heel = -self.width / 2.0, strike + (self.length if point == "R_heel" else -self.length)
            places[point] = np.array([x, self.walker.ground, heel + forward])
        return places

    def problem(self) -> Problem:
        """The task: least dynamic effort (5.1)."""
        problem = Problem(
            self.walker.robot,
            control_points=self.control_points,
            known=self.timing.shares,
            second="differences",
        )
        problem.duration(self.duration)
        self._limit_joints(problem)
        self._limit_contacts(problem)
        self._limit_balance(problem)
        self._limit_arms(problem)
        self._limit_ends(problem)
        low, high = (side[driven(self.walker.robot)] for side in self.walker.strengths)
        most = np.maximum(np.abs(low), np.abs(high))
        problem.minimise(Squares(JointMoment(self.walker.ground), tuple((1.0 / most**2).tolist())))
        problem.minimise("acceleration", _ROUND_OFF)
        return problem

    def _limit_joints(self, problem: Problem) -> None:
        """(1) joint angles (5.2), (2) joint moments (5.3)."""
        low, high = self.walker.ranges
        problem.limit("position", lower=low, upper=high, scale=1.0)
        low, high = (side[driven(self.walker.robot)] for side in self.walker.strengths)
        problem.limit(JointMoment(self.walker.ground), lower=low, upper=high, scale=_MOMENT)

    def _limit_contacts(self, problem: Problem) -> None:
        """(3) points on the ground rest, others are not below it (5.4); (9) where they rest is given (5.10)."""
        for point, place in self.feet.items():
            what = FramePosition(point)
            problem.limit(what, lower=[-np.inf, self.walker.ground - GIVE, -np.inf], scale=_LENGTH)
            during = self.timing.contact(point)
            if during is not None:
                problem.limit(what, lower=place - GIVE, upper=place + GIVE, during=during, scale=_LENGTH)

    def _limit_balance(self, problem: Problem) -> None:
        """(4) the zero-moment point is inside the foot that stands (5.5), or what each foot carries is inside it."""
        ground, timing, feet = self.walker.ground, self.timing, self.feet
        middle = self.width / 2.0
        problem.limit(
            GroundForce(ground), lower=[-np.inf, _PRESSED * self.walker.weight, -np.inf], scale=self.walker.weight
        )
        for back, during in (("L_heel", (timing.lift, timing.rise)), ("L_ball", (timing.rise, 1.0))):
            low = [middle - self._half_width, feet[back][2]]
            high = [middle + self._half_width, feet["L_toe"][2]]
            problem.limit(ZeroMomentPoint(ground), lower=low, upper=high, during=during, scale=_LENGTH)
        size = np.array([self._half_width, self._half_width])
        problem.limit(LoadOffset(ground), lower=-size, upper=size, during=(0.0, timing.lift), scale=_LENGTH)

    @property
    def _half_width(self) -> float:
        return _HALF_WIDTH * self.walker.stature / STATURE

    def _limit_arms(self, problem: Problem) -> None:
        """(5) arms swing against legs (5.6), (6) hands keep off the hips (5.7)."""
        for arm, leg in (("L", "R"), ("R", "L")):
            coupled = SwingTogether((f"{arm}_upper_arm", f"{arm}_hand"), (f"{leg}_thigh", f"{leg}_foot"))
            problem.limit(coupled, lower=0.0, scale=_LENGTH)
            off = _HANDS_OFF * self.walker.stature / STATURE
            problem.limit(Distance(f"{arm}_hand", f"{arm}_thigh"), lower=off, scale=_LENGTH)

    def _limit_ends(self, problem: Problem) -> None:
        """(7) the end is the start mirrored, one step ahead (5.8); (8) the knee is bent in mid-swing (5.9)."""
        names = self.walker.robot.joint_names
        advance = np.array([self.length * (name == "global_tz_forward") for name in names])
        problem.periodic(1, advance, self.walker.mirror)
        if "R_knee_flexion" not in names:
            raise InputError("the knee is bent by 55 to 65 deg in mid-swing (5.9), but 'R_knee_flexion' is frozen")
        knee = np.full(len(names), np.inf)
        knee[names.index("R_knee_flexion")] = 0.0
        low, high = _KNEE - _KNEE_GIVE - knee, _KNEE + _KNEE_GIVE + knee
        problem.limit("position", lower=low, upper=high, during=(self.timing.swing, self.timing.swing), scale=1.0)
