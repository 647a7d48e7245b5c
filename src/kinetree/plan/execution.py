"""Plans in simulation: followed by computed torque, or under their forces alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.control import ComputedTorque
from kinetree.errors import InputError
from kinetree.plan.constraints import ALWAYS
from kinetree.plan.coordinates import LoopCoordinates
from kinetree.plan.forces import Force
from kinetree.plan.plan import Plan
from kinetree.runtime.arrays import Array
from kinetree.simulation import Motion, simulate

_KP, _KD = 400.0, 40.0  # 1/s^2, 1/s


def simulate_plan(plan: Plan, kp: Any, kd: Any, rest: float, **options: Any) -> Motion:
    """See `Plan.simulate`."""
    if plan.coordinates.open_loop and (kp is not None or kd is not None):
        raise InputError("a plan with elastic joints or a floating base is simulated with its forces alone")
    q, qd = plan.motion(0.0)[:2]
    robot, q0, qd0 = (options.pop(name, x) for name, x in (("robot", plan.robot), ("q0", q), ("qd0", qd)))
    if plan.external is not None:
        options.setdefault("external", np.array(plan.external))
    total = plan.duration + rest
    if isinstance(plan.coordinates, LoopCoordinates):
        chain = plan.coordinates.chain if robot is plan.robot else robot
        return simulate(chain, q0, qd0, total, _followed(plan, kp, kd), **options)
    if not plan.coordinates.open_loop:
        gains = _KP if kp is None else kp, _KD if kd is None else kd
        control = ComputedTorque(plan.reference(), *gains, model=None if robot is plan.robot else plan.robot)
        return simulate(robot, q0, qd0, total, control, **options)
    steps = max(1, round(total / options.setdefault("dt", 1e-3)))
    table = applied_forces(plan, (np.arange(steps) + 0.5) * (total / steps))  # those of the middle, over a step

    def held(t: Any, q: Array, qd: Array) -> Array:
        return table[min(steps - 1, int(float(t) * steps / total + 1e-6))]

    return simulate(robot, q0, qd0, total, held, **options)


def _followed(plan: Plan, kp: Any, kd: Any) -> Any:
    """Computed torque of a closed chain: forces of the actuated joints for accelerations of the independent ones."""
    chain, own = plan.coordinates.system, list(plan.coordinates.independent)  # type: ignore[attr-defined]
    gains = _KP if kp is None else kp, _KD if kd is None else kd

    def forces(t: Any, q: Array, qd: Array) -> Array:
        wanted, speed, acceleration = plan.coordinate_motion(t, 2)
        command = acceleration + gains[1] * (speed - qd[..., own]) + gains[0] * (wanted - q[..., own])
        return np.asarray(chain.inverse_dynamics(q, qd[..., own], command, **plan.loads), float)

    return forces


def applied_forces(plan: Plan, t: ArrayLike) -> Array:
    """The forces at times (...), with those that an equality gives: none on a base that nothing drives, for example."""
    tau = plan.forces(t)
    for c in plan.constraints:
        if isinstance(c.quantity, Force) and c.during == ALWAYS:
            tau[..., c.equality] = c.lower[c.equality]
    return tau
