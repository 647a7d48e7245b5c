"""PD control with gravity compensation: springs and dampers between the robot and its target.

    tau = kp (q_d - q) + kd (qd_d - qd) + g(q)

Every constant target is asymptotically stable, whatever the inertia: the kinetic energy and that of the springs
together never grow.
References: [Takegaki1981]; [Tomei1991] for motors behind springs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.bias_forces import gravity_forces
from kinetree.control.actuation import ActuatedJoints, TrackingTarget
from kinetree.control.joint_control import JointControl
from kinetree.model import Mechanism
from kinetree.scalar import Vector


@dataclass(frozen=True, repr=False)
class PD(JointControl):
    """tau = kp (q_d - q) + kd (qd_d - qd) + g(q): proportional and derivative gains, and gravity compensation.

    The error of a ball joint is the shortest rotation to its target. Where a motor drives a joint through a spring, the
    desired motor angle is that at which the spring carries the load: theta_d = q_d + g(q_d)/K, with g at the target.

    Args:
        reference: a motion of the coordinates of the actuated joints, or of all coordinates.
        kp: force for a unit of error [N m/rad, N/m], one number or one for each velocity of an actuated joint.
        kd: force for a unit of velocity [N m s/rad, N s/m], likewise.
        gravity_compensation: whether g(q), gravity and joint springs, is compensated.
        model: the nominal model that the controller computes with; the robot itself by default.

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

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        actuated, target = self.tracking(robot, t, q, qd, elastic=True)
        if actuated.elastic:
            return self._through_springs(actuated, target, q, qd)
        tau = self.feedback(target.error, target.error_rate)
        if self.gravity_compensation:
            g = gravity_forces(actuated.robot, q)
            tau = [x + g[k] for x, k in zip(tau, actuated.indices)]
        return actuated.forces(tau)

    def _through_springs(self, actuated: ActuatedJoints, target: TrackingTarget, q: Vector, qd: Vector) -> list[Any]:
        """The same with the motors in the place of the joints that they drive."""
        q_d, qd_d = actuated.configuration(target, q), actuated.expand(target.qd)
        g = gravity_forces(actuated.robot, q_d) if self.gravity_compensation else [0.0] * actuated.robot.nv
        error, rate = actuated.expand(target.error), actuated.expand(target.error_rate)
        for joint in actuated.joints:
            if joint.motor:
                spring, motor = joint.motor
                k = joint.v.start
                error[k] = q_d[motor.q] + g[k] / spring.stiffness - q[motor.q]
                rate[k] = qd_d[k] - qd[motor.v]
                g[k] = g[k] + g[motor.v]
        tau = self.feedback([error[k] for k in actuated.indices], [rate[k] for k in actuated.indices])
        return actuated.forces([x + g[k] for x, k in zip(tau, actuated.indices)])
