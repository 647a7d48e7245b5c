"""Operational space control: a frame tracks a motion in space, with the dynamically consistent pseudoinverse.

    xdd = J qdd + b,   L = (J M^-1 J^T)^-1   the operational space inertia,
    F = L (xdd_d + kd ed + kp e - b - J a),  tau = J^T F + h + M a

with a null-space acceleration a of the joints, -damping qd + stiffness (posture - q), whose projection does not move
the frame. References: [Khatib1987]; [Umetani1989] for joints without an actuator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves
from kinetree.algorithms.kinematics import jacobian
from kinetree.algorithms.symmetric import Factorisation
from kinetree.control.actuation import ActuatedJoints
from kinetree.control.joint_control import ModelBased, actuated_joints, check_reference, feedback
from kinetree.control.orientation import angular_motion
from kinetree.control.reference import Hold, Reference, Target
from kinetree.control.task import ActuatedDynamics, FrameMotion, frame_motion
from kinetree.control.validation import number, one_or_each
from kinetree.errors import InputError
from kinetree.joints import quaternion
from kinetree.model import Mechanism
from kinetree.scalar import Vector, dot, is_zero, maximum, minimum

AXES = "xyz"
_NEVER_ZERO = 1e-12  # of the largest mobility, so that no pivot is


@dataclass(frozen=True, repr=False)
class OperationalSpace(ModelBased):
    """A frame of the robot tracks a reference of its position, or of its position and orientation, in world axes.

    With an exact model and away from singular configurations the error obeys edd + kd ed + kp e = 0 along each axis.
    Near a singularity the inverse of J M^-1 J^T is damped, so that forces stay bounded and the error does not vanish
    there. Joints without an actuator, such as a floating base, are taken into account: the frame tracks all the same.

    Args:
        frame: the name of a frame of the robot.
        reference: of the coordinates in ``axes`` [m], and of a quaternion (x, y, z, w) of any length after them where
            the orientation is controlled too.
        kp: the square of the natural frequency [1/s^2], one number or one for each axis, rotations last.
        kd: the damping [1/s], likewise.
        axes: which coordinates of the position are controlled, such as "xy" for an arm in a plane.
        damping: of the null-space motion, which does not move the frame [1/s].
        posture: the target of the null-space motion, positions of the actuated joints; none by default.
        stiffness: of the null-space motion towards the posture [1/s^2].
        singular: the margin, between 0 (singular) and 1, below which J M^-1 J^T is damped.
        model: the nominal model that the controller computes with; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> line = kt.control.Quintic([0.6, 0.2], [0.2, 0.5], duration=1.0)
        >>> control = kt.control.OperationalSpace("dh2", line, kp=100.0, kd=20.0, axes="xy")

    Reference: [Khatib1987].
    """

    frame: str
    reference: Reference
    kp: Any
    kd: Any
    axes: str = AXES
    damping: Any = 0.0
    posture: Sequence[Any] | None = None
    stiffness: Any = 0.0
    singular: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reference(self.reference)
        for name in ("kp", "kd"):
            object.__setattr__(self, name, one_or_each(getattr(self, name), name))
        for name in ("damping", "stiffness", "singular"):
            object.__setattr__(self, name, number(getattr(self, name), name, least=0.0))
        if not isinstance(self.axes, str) or "".join(a for a in AXES if a in self.axes) != self.axes:
            raise InputError(f"axes are some of 'xyz' in this order, got {self.axes!r}")
        if self.reference.size - len(self.axes) not in (0, 4) or not self.reference.size:
            n = len(self.axes)
            raise InputError(
                f"with axes {self.axes!r} the reference has {n} coordinates, or {n + 4} with a quaternion; got one of "
                f"{self.reference.size}"
            )
        if self.posture is not None:
            object.__setattr__(self, "posture", Hold(self.posture).position)

    @property
    def _has_orientation(self) -> bool:
        return self.reference.size > len(self.axes)

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        model = self.nominal_model(robot)
        actuated = actuated_joints(model, self)
        now = frame_motion(model, q, qd, self.frame)
        rows = [3 + AXES.index(axis) for axis in self.axes] + [0, 1, 2] * self._has_orientation
        J, bias = jacobian(model, q, self.frame), [*now.bias.ang, *now.bias.lin]
        self._refuse_immobile(J, rows)
        system = ActuatedDynamics.of(actuated, q, qd, [J[k] for k in rows], [bias[k] for k in rows])
        xdd = self._desired_acceleration(self.reference.at(t), now)
        a = self._null_space_acceleration(actuated, q, qd)
        mass = factorised_from_the_leaves(system.M, "the mechanism")
        M_inv_Jt = [mass.solve(row) for row in system.J]  # M^-1 J^T
        mobility = [[dot(row, column) for column in M_inv_Jt] for row in system.J]
        F = damped(mobility, self.singular).solve([x - b - dot(row, a) for x, b, row in zip(xdd, system.b, system.J)])
        tau = [dot(column, F) + h + dot(row, a) for column, h, row in zip(zip(*system.J), system.h, system.M)]
        return actuated.forces(tau)

    def _desired_acceleration(self, target: Target, now: FrameMotion) -> list[Any]:
        """The acceleration of the frame, xdd_d + kd ed + kp e."""
        n = len(self.axes)
        indices = [AXES.index(axis) for axis in self.axes]
        p, v = [*now.pose.p], [*now.velocity.lin]
        error = [x - p[k] for x, k in zip(target.q, indices)]
        rate = [x - v[k] for x, k in zip(target.qd, indices)]
        feedforward = [*target.qdd[:n]]
        if self._has_orientation:
            w, wd = angular_motion(*(values[n:] for values in target[:3]))
            R, desired = now.pose.R, quaternion.rotation(target.q[n:])
            rotation = quaternion.rotation_vector_between(target.q[n:], quaternion.of_rotation(R))
            error += R @ type(w).of(rotation)
            rate += (desired @ w) - now.velocity.ang
            feedforward += desired @ wd
        return [x + y for x, y in zip(feedforward, feedback(self.kp, self.kd, error, rate))]

    def _null_space_acceleration(self, actuated: ActuatedJoints, q: Vector, qd: Vector) -> list[Any]:
        """-damping qd + stiffness (posture - q), before its projection."""
        a = [-self.damping * qd[k] for k in actuated.indices]
        if self.posture is None or is_zero(self.stiffness):
            return a
        still = Hold(self.posture).at(0.0)
        return [x + self.stiffness * e for x, e in zip(a, actuated.tracking_target(still, q, qd).error)]

    def _refuse_immobile(self, J: list[list[Any]], rows: list[int]) -> None:
        names = ("rotation about x", "rotation about y", "rotation about z", "x", "y", "z")
        stuck = [names[k] for k in rows if all(map(is_zero, J[k]))]
        if stuck:
            raise InputError(
                f"no joint moves the frame {self.frame!r} along {', '.join(stuck)}; leave that out of axes= and the "
                "reference"
            )


def damped(A: list[list[Any]], least: Any) -> Factorisation:
    """A symmetric matrix, factored; its diagonal is made larger near a singularity.

    The margin is the squared sine of the smallest angle between a row and those before it, in the metric of A.
    """
    n = len(A)
    floor = _NEVER_ZERO * reduce(maximum, [A[k][k] for k in range(n)])
    raised = [[x + floor if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]
    pivots = Factorisation(raised).inverse_pivots
    margin = reduce(minimum, [1.0 / (x * raised[k][k]) for k, x in enumerate(pivots)])
    more = maximum(least - margin, 0.0)
    return Factorisation([[x + more * x if i == j else x for j, x in enumerate(row)] for i, row in enumerate(raised)])
