"""Computed torque: feedback linearisation by the inverse dynamics, which decouples the joints.

    a = qdd_d + kd (qd_d - qd) + kp (q_d - q),   tau = ID(q, qd, a),   so that   edd + kd ed + kp e = 0

At joints without an actuator the force is known, zero, and not the acceleration: hybrid dynamics.
References: [Luh1980b]; [Spong1994] for underactuated robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.control.actuation import ActuatedJoints
from kinetree.control.joint_control import JointControl
from kinetree.model import Mechanism
from kinetree.scalar import Vector


@dataclass(frozen=True, repr=False)
class ComputedTorque(JointControl):
    """Inverse dynamics control: tau = ID(q, qd, qdd_d + kd ed + kp e), with e = q_d - q.

    With an exact model the error of every actuated joint obeys edd + kd ed + kp e = 0, whatever the others do. This
    holds on a floating base and next to joints without an actuator, whose own motion is not controlled.

    Args:
        reference: a motion of the coordinates of the actuated joints, or of all coordinates.
        kp: the square of the natural frequency [1/s^2], one number or one for each velocity of an actuated joint.
        kd: the damping [1/s], likewise; critical with 2 sqrt(kp).
        model: the nominal model that the controller computes with; the robot itself by default.

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

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        actuated, target = self.tracking(robot, t, q, qd)
        a = [x + y for x, y in zip(target.feedforward, self.feedback(target.error, target.error_rate))]
        return accelerating_forces(actuated, q, qd, a)


def accelerating_forces(actuated: ActuatedJoints, q: Vector, qd: Vector, a: Sequence[Any]) -> list[Any]:
    """The forces that give the actuated joints these accelerations; zeros elsewhere."""
    robot, qdd = actuated.robot, actuated.expand(a)
    if not actuated.passive:
        return inverse_dynamics(robot, q, qd, qdd)
    tau = hybrid_dynamics(robot, q, qd, qdd, actuated.passive)[1]
    return actuated.forces([tau[k] for k in actuated.indices])
