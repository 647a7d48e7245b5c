"""A trajectory tracker: the forces of the reference motion, and springs and dampers for what they leave.

    tau = ID(q_d, qd_d, qdd_d) + kp (q_d - q) + kd (qd_d - qd)

The model is asked along the reference, not along the measured motion: noise meets the gains alone.
Reference: [Siciliano2009] 8.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.control.computed_torque import accelerating
from kinetree.control.given import spread
from kinetree.control.joint_control import JointControl, drives_of, pull
from kinetree.model.mechanism import Mechanism


@dataclass(frozen=True, repr=False)
class Tracker(JointControl):
    """tau = ID(q_d, qd_d, qdd_d) + kp (q_d - q) + kd (qd_d - qd): feedforward of the reference, and PD.

    Args:
        reference: a motion of the coordinates of the drives, or of all coordinates.
        kp: force for a unit of error [N m/rad, N/m], one number or one for each velocity of a drive.
        kd: force for a unit of velocity [N m s/rad, N s/m], likewise.
        model: what the controller takes the robot for; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> control = kt.control.Tracker(kt.control.Quintic([0, 0], [1, -1], 0.5), kp=20.0, kd=2.0)
        >>> motion = kt.simulate(arm, [0.0, 0.0], [0.0, 0.0], 0.5, control)
        >>> bool(abs(motion.q[-1] - [1.0, -1.0]).max() < 1e-9)
        True

    Reference: [Siciliano2009] 8.4.
    """

    def forces(self, robot: Mechanism, t: Any, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        model = self.believed(robot)
        driven = drives_of(model, self)
        count = len(driven.places)
        kp, kd = spread(self.kp, count, "kp"), spread(self.kd, count, "kd")
        aim = driven.aim(self.reference.at(t), q, qd)
        ahead = accelerating(driven, driven.posture(aim, q), driven.spread(aim.qd, qd), aim.qdd)
        tau = pull(kp, kd, aim.error, aim.rate)
        return driven.forces([ahead[k] + x for k, x in zip(driven.places, tau)])
