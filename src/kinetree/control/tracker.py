"""A trajectory tracker: feedforward of the forces of the reference motion, and PD feedback of the error.

    tau = ID(q_d, qd_d, qdd_d) + kp (q_d - q) + kd (qd_d - qd)

The inverse dynamics is evaluated on the reference, not on the measured state: noise enters through the gains alone.
Reference: [Siciliano2009] 8.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.control.computed_torque import accelerating_forces
from kinetree.control.joint_control import JointControl
from kinetree.model import Mechanism
from kinetree.scalar import Vector


@dataclass(frozen=True, repr=False)
class Tracker(JointControl):
    """tau = ID(q_d, qd_d, qdd_d) + kp (q_d - q) + kd (qd_d - qd): feedforward of the reference, and PD.

    Args:
        reference: a motion of the coordinates of the actuated joints, or of all coordinates.
        kp: force for a unit of error [N m/rad, N/m], one number or one for each velocity of an actuated joint.
        kd: force for a unit of velocity [N m s/rad, N s/m], likewise.
        model: the nominal model that the controller computes with; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> control = kt.control.Tracker(kt.control.Quintic([0, 0], [1, -1], 0.5), kp=20.0, kd=2.0)
        >>> motion = kt.simulate(arm, [0.0, 0.0], [0.0, 0.0], 0.5, control)
        >>> bool(abs(motion.q[-1] - [1.0, -1.0]).max() < 1e-9)
        True

    Reference: [Siciliano2009] 8.4.
    """

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        actuated, target = self.tracking(robot, t, q, qd)
        q_d, qd_d = actuated.configuration(target, q), actuated.expand(target.qd, qd)
        feedforward = accelerating_forces(actuated, q_d, qd_d, target.qdd)
        tau = self.feedback(target.error, target.error_rate)
        return actuated.forces([feedforward[k] + x for k, x in zip(actuated.indices, tau)])
