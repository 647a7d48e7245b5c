"""Computed torque: the inverse model turns the robot into a row of independent masses.

    a = qdd_d + kd (qd_d - qd) + kp (q_d - q),   tau = ID(q, qd, a),   so that   edd + kd ed + kp e = 0

Where joints have no drive, the force that is known there, none, takes the place of the acceleration: hybrid dynamics.
References: [Luh1980b]; [Spong1994] for joints without a drive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.control.driven import Driven
from kinetree.control.given import spread
from kinetree.control.joint_control import JointControl, drives_of, pull
from kinetree.model.mechanism import Mechanism


@dataclass(frozen=True, repr=False)
class ComputedTorque(JointControl):
    """Inverse dynamics control: tau = ID(q, qd, qdd_d + kd ed + kp e), with e = q_d - q.

    With an exact model the error of every drive obeys edd + kd ed + kp e = 0, whatever the others do. On a floating
    base and beside joints without a drive this holds for the joints with one; nothing is said of the others.

    Args:
        reference: a motion of the coordinates of the drives, or of all coordinates.
        kp: the square of the natural frequency [1/s^2], one number or one for each velocity of a drive.
        kd: the damping [1/s], likewise; critical with 2 sqrt(kp).
        model: what the controller takes the robot for; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> control = kt.control.ComputedTorque(kt.control.Sinusoid([0.5, 0.3], omega=3.0), kp=100.0, kd=20.0)
        >>> motion = kt.simulate(arm, [0.0, 0.0], [1.5, 0.9], 1.0, control)
        >>> target = control.reference.sample(motion.t)
        >>> bool(abs(motion.q - target.q).max() < 1e-9)
        True

    Reference: [Luh1980b].
    """

    def forces(self, robot: Mechanism, t: Any, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        model = self.believed(robot)
        driven = drives_of(model, self)
        count = len(driven.places)
        kp, kd = spread(self.kp, count, "kp"), spread(self.kd, count, "kd")
        aim = driven.aim(self.reference.at(t), q, qd)
        a = [x + y for x, y in zip(aim.ahead, pull(kp, kd, aim.error, aim.rate))]
        return accelerating(driven, q, qd, a)


def accelerating(driven: Driven, q: Sequence[Any], qd: Sequence[Any], a: Sequence[Any]) -> list[Any]:
    """The forces of the drives that give their joints these accelerations; zeros elsewhere."""
    robot, given = driven.robot, driven.spread(a)
    if not driven.undriven:
        return inverse_dynamics(robot, q, qd, given)
    tau = hybrid_dynamics(robot, q, qd, given, driven.undriven)[1]
    return driven.forces([tau[k] for k in driven.places])
