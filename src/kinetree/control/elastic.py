"""Tracking with mixed rigid and elastic joints, by Hua, Poursina and Sanfilippo's controller with two Lyapunov loops.

Reference: [Hua] section IV. The equations are in `elastic_loops`; here they become a controller, with the derivatives
of the desired motor angles exact, or estimated by a filter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.control.elastic_loops import GAINS, ElasticLoops
from kinetree.control.joint_control import ModelBased, check_reference
from kinetree.control.reference import Reference
from kinetree.control.symbols import with_symbols
from kinetree.control.validation import positive
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.scalar import Vector, is_scalar, select


@dataclass(frozen=True, repr=False)
class ElasticTracking(ModelBased):
    """Rigid and elastic joints track a reference motion.

    Without saturation, sampling and unknown loads the Lyapunov function V2 never grows. The exact derivatives need no
    tuning; the filtered ones lag, and the lag must be short compared with the motion of the motors.

    Args:
        reference: of the joints without those of the motors, in the order of their coordinates.
        kp, kd: gains of the joints [N m/rad, N m s/rad; N/m, N s/m], one number or one for each joint: K_P, K_D.
        motor_kp, motor_kd: gains of the elastic motors, on the joint side, likewise: K_Ptheta, K_Dtheta.
        bandwidth: of a filter that estimates the derivatives of the desired motor angles [rad/s]; the controller is
            sampled then. Without one they are exact.
        model: the nominal model that the controller computes with; the robot itself by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.mixed_elastic()  # three joints, of which the third is elastic
        >>> target = kt.control.Hold((0.1, 0.2, 0.3))
        >>> law = ElasticTracking(target, kp=450.0, kd=47.0, motor_kp=100.0, motor_kd=10.0)
        >>> tau = law.forces(arm, 0.0, [0.1, 0.2, 0.3, 0.3], [0.0] * 4)
        >>> tau[2]  # nothing but the spring acts on joint 3
        0.0

    Reference: [Hua] (37)-(52).
    """

    reference: Reference
    kp: Any
    kd: Any
    motor_kp: Any
    motor_kd: Any
    bandwidth: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reference(self.reference)
        for name in GAINS:
            value = getattr(self, name)
            if isinstance(value, str) or not (is_scalar(value) or hasattr(value, "__iter__")):
                raise InputError(f"{name} must be a number, or one for each joint; got {value!r}")
            each = positive(value, name) if is_scalar(value) else tuple(positive(x, name) for x in value)
            object.__setattr__(self, name, each)
        if self.bandwidth is not None:
            object.__setattr__(self, "bandwidth", positive(self.bandwidth, "bandwidth"))

    # -- as a controller -------------------------------------------------------------------------------------------

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        """The control law with exact derivatives; zero at elastic joints, whose motors come last."""
        loops = self._loops(robot)
        return [*with_symbols(lambda t, q, qd: loops.with_exact_derivatives(t, q, qd)[2], t, q, qd)]

    def memory(self, robot: Mechanism) -> list[float]:
        """Of the filter: whether it has started, the time of the last sample, and theta_d with two derivatives."""
        return [] if self.bandwidth is None else [0.0] * (2 + 3 * len(robot.transmissions))

    def update(self, robot: Mechanism, t: Any, q: Vector, qd: Vector, memory: Vector) -> tuple[list[Any], list[Any]]:
        if self.bandwidth is None:
            return self.forces(robot, t, q, qd), [*memory]
        loops = self._loops(robot)
        n = len(loops.motor)
        running, h, last = memory[0] > 0.5, t - memory[1], [memory[k : k + n] for k in (2, 2 + n, 2 + 2 * n)]
        links = loops.links(t, q, qd, last[1], last[2])
        theta, thetad, thetadd = [], [], []
        for u, x, xd, _ in zip(links.theta_d, *last):
            after = self._filtered(u, h, x, xd)
            for values, value, first in zip((theta, thetad, thetadd), after, (u, 0.0, 0.0)):
                values.append(select(running, value, first))
        motors = loops.motors(q, qd, links, thetad, thetadd)
        return loops.forces(q, qd, links, motors), [1.0, t, *theta, *thetad, *thetadd]

    def _filtered(self, u: Any, h: Any, x: Any, xd: Any) -> tuple[Any, Any, Any]:
        """xdd = w^2 (u - x) - 2 w xd after an implicit step, which is stable whatever w h is."""
        w = self.bandwidth
        xdd = (w * w * (u - x - h * xd) - 2.0 * w * xd) / (1.0 + w * h * (2.0 + w * h))
        xd = xd + h * xdd
        return x + h * xd, xd, xdd

    # -- inspection -------------------------------------------------------------------------------------------------

    def lyapunov(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> tuple[Any, Any]:
        """V2 [J] and the rate [W] that it has by (52), below zero wherever there is an error.

        Args:
            robot, t, q, qd: as for `forces`. For arrays compile it, with the signature
                "t(), q(nq), qd(nv) -> V(), Vd()".

        Example:
            >>> import kinetree as kt
            >>> law = ElasticTracking(kt.control.Hold((0.1, 0.2, 0.3)), 450.0, 47.0, 100.0, 10.0)
            >>> V, Vd = law.lyapunov(kt.robots.mixed_elastic(), 0.0, [0.0] * 4, [0.0] * 4)
            >>> V > 0 > Vd
            True
        """
        loops = self._loops(robot)
        V, Vd = with_symbols(lambda t, q, qd: loops.lyapunov(q, *loops.with_exact_derivatives(t, q, qd)[:2]), t, q, qd)
        return V, Vd

    def motor_angles(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        """The desired angles of the elastic motors [rad], theta_d of (43)."""
        loops = self._loops(robot)
        return [*with_symbols(lambda t, q, qd: loops.with_exact_derivatives(t, q, qd)[0].theta_d, t, q, qd)]

    def _loops(self, robot: Mechanism) -> ElasticLoops:
        return ElasticLoops.of(self.nominal_model(robot), self.reference, {name: getattr(self, name) for name in GAINS})
