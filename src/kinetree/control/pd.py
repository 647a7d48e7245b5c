"""PD control with gravity compensation: springs and dampers between the robot and where it should be.

    tau = kp (q_d - q) + kd (qd_d - qd) + g(q)

The robot settles at every posture, whatever its inertia; the energy of motion and of the springs never grows then.
References: [Takegaki1981]; [Tomei1991] for motors behind springs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.bias_forces import gravity_forces
from kinetree.control.driven import Aim, Driven
from kinetree.control.given import spread
from kinetree.control.joint_control import JointControl, drives_of, pull
from kinetree.model.mechanism import Mechanism


@dataclass(frozen=True, repr=False)
class PD(JointControl):
    """tau = kp (q_d - q) + kd (qd_d - qd) + g(q): proportional and derivative gains, and gravity compensation.

    Orientations of ball joints are pulled along the shortest turn. A joint that a motor drives through a spring is held
    by its motor, which aims where the spring carries the load: theta_d = q_d + g(q_d)/K, with g at the target.

    Args:
        reference: a motion of the coordinates of the drives, or of all coordinates.
        kp: force for a unit of error [N m/rad, N/m], one number or one for each velocity of a drive.
        kd: force for a unit of velocity [N m s/rad, N s/m], likewise.
        gravity_compensation: whether the drives carry the weight, and springs at rest.
        model: what the controller takes the robot for; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.scara()
        >>> hold = kt.control.PD(kt.control.Hold([0.5, -0.5, 0.1, 0.0]), kp=[200, 100, 2000, 5], kd=[40, 15, 200, 1])
        >>> motion = kt.simulate(arm, [0.0] * 4, [0.0] * 4, 2.0, hold, dt=2e-3, every=1000)
        >>> bool(abs(motion.q[-1] - [0.5, -0.5, 0.1, 0.0]).max() < 0.01)
        True

    Reference: [Takegaki1981].
    """

    gravity_compensation: bool = True

    def forces(self, robot: Mechanism, t: Any, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        model = self.believed(robot)
        driven = drives_of(model, self, elastic=True)
        count = len(driven.places)
        kp, kd = spread(self.kp, count, "kp"), spread(self.kd, count, "kd")
        aim = driven.aim(self.reference.at(t), q, qd)
        if driven.elastic:
            return self._through_springs(driven, aim, q, qd, kp, kd)
        tau = pull(kp, kd, aim.error, aim.rate)
        if self.gravity_compensation:
            g = gravity_forces(model, q)
            tau = [x + g[k] for x, k in zip(tau, driven.places)]
        return driven.forces(tau)

    def _through_springs(
        self, driven: Driven, aim: Aim, q: Sequence[Any], qd: Sequence[Any], kp: Sequence[Any], kd: Sequence[Any]
    ) -> list[Any]:
        """The same with motors in the place of the joints that they drive."""
        g: list[Any] = [0.0] * driven.robot.nv
        if self.gravity_compensation:
            g = gravity_forces(driven.robot, driven.posture(aim, q))
        error, rate = driven.spread(aim.error), driven.spread(aim.rate)
        target, speed = driven.posture(aim, q), driven.spread(aim.qd)
        for drive in driven.drives:
            if drive.motor:
                spring, motor = drive.motor
                k = drive.v.start
                error[k] = target[motor.q] + g[k] / spring.stiffness - q[motor.q]
                rate[k] = speed[k] - qd[motor.v]
                g[k] = g[k] + g[motor.v]
        tau = pull(kp, kd, [error[k] for k in driven.places], [rate[k] for k in driven.places])
        return driven.forces([x + g[k] for x, k in zip(tau, driven.places)])
