"""A moving robot that is planned again a hundred times a second: a receding horizon.

A PUMA 560 is on its way when its goal moves, and a disturbance pushes it all the time. Every 10 ms the motion is
planned again from where the arm is, to where the goal is now. Each plan starts from the rest of the one before, with
its multipliers, and nothing is compiled again. Between two plans the arm follows the last one under computed torque.

Takes about 5 s.
"""

import time

import numpy as np

import kinetree as kt

print("Takes about 5 s.", flush=True)

arm = kt.robots.puma560()
torques = np.array([60.0, 110.0, 60.0, 10.0, 9.0, 7.0])  # N m
speeds = np.full(6, 3.0)  # rad/s
start, goal = np.array([-1.0, -0.6, 2.4, 0.0, 0.4, 0.0]), np.array([1.0, -0.2, 2.9, 0.8, -0.5, 1.0])
PERIOD, WITHIN = 0.01, 5e-3  # s between plans; rad, how near is there
limits = {"force_limits": 0.9 * torques, "velocity_limits": speeds}  # what is left of the torques is for the feedback
plan = kt.plan.minimum_time(arm, q0=start, q1=goal, control_points=16, **limits)
print(f"the first plan takes {plan.duration:.3f} s")


def law(t, q, qd):
    """Computed torque along the plan of now."""
    wanted, speed, acceleration, _ = plan.motion(t)
    return arm.inverse_dynamics(q, qd, acceleration + 40.0 * (speed - qd) + 400.0 * (wanted - q))


random = np.random.default_rng(0)
q, qd, moved, now, since, seconds, fastest = start, np.zeros(6), goal, 0.0, 0.0, [], 0.0
while now < 2.0 and not (now > 0.5 and np.abs(q - moved).max() < WITHIN):
    # the goal drifts for half a second
    moved = goal + 0.15 * min(now, 0.5) * np.array([1.0, -1.0, 0.5, 0.0, 1.0, -1.0])
    if plan.duration - since > 2.0 * PERIOD:
        began = time.perf_counter()
        found = plan.replan(q=q, qd=np.clip(qd, -0.999 * speeds, 0.999 * speeds), goal=moved, t=since, time_limit=0.05)
        seconds.append(time.perf_counter() - began)
        if found.ok:
            plan, since = found, 0.0
    # 10 ms of the real arm: along the plan, pushed at its last body by something unknown
    push = np.zeros((arm.nbodies, 6))
    push[-1, 3:] = random.normal(scale=2.0, size=3)  # N
    motion = kt.simulate(arm, q, qd, PERIOD, law, external=push, start_time=since)
    q, qd, now, since = motion.q[-1], motion.qd[-1], now + PERIOD, since + PERIOD
    fastest = max(fastest, float(np.abs(qd / speeds).max()))

print(f"the arm is within {np.abs(q - moved).max():.1e} rad of its moved goal after {now:.2f} s")
median, most = np.quantile(seconds, (0.5, 0.99)) * 1e3
print(f"{len(seconds)} plans, median {median:.1f} ms, 99 % within {most:.1f} ms")
print(f"largest velocity: {fastest:.1%} of its limit")
