"""Analytic derivatives: shape a motion so that the load of the elbow's bearing is smaller.

A motion is a smooth step and a sum of sines; the coefficients are improved by gradient descent. The cost is the mean
square of the reaction force in one joint, and its gradient comes from the analytic derivatives of the joint wrenches.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

arm = kt.robots.puma560()
elbow, n = 2, arm.nv
t = np.linspace(0, 1, 101)[:, None, None]
k = np.arange(1, 5)
# q = start + (goal - start) s(t) + sum_k c_k sin(k pi t)^3: both ends are fixed, at rest
s, sd, sdd = 10 * t**3 - 15 * t**4 + 6 * t**5, 30 * t**2 * (1 - t) ** 2, 60 * t * (1 - t) * (1 - 2 * t)
x, w = np.sin(k * np.pi * t), k * np.pi
b = x**3
bd, bdd = 3 * w * x**2 * np.cos(w * t), 3 * w**2 * (2 * x * np.cos(w * t) ** 2 - x**3)
start, goal = np.zeros(n), np.array([1.5, -0.8, 0.9, 0.5, 0.4, -0.3])


def motion(c):
    """Positions, velocities, accelerations (101, 6) for coefficients (6, 4)."""
    return tuple(
        (start * z + (goal - start) * u)[:, 0] + (f @ c.T)[:, 0] for z, u, f in ((1, s, b), (0, sd, bd), (0, sdd, bdd))
    )


def cost(c):
    """The mean square of the elbow's reaction force, and its gradient by the analytic derivatives."""
    q, qd, qdd = motion(c)
    force = arm.joint_wrenches(q, qd, qdd)[:, elbow, 3:]
    slopes = arm.joint_wrench_derivatives(q, qd, qdd)
    gradient = sum(np.einsum("ti,tij,tk->jk", force, d[:, elbow, 3:], f[:, 0]) for d, f in zip(slopes, (b, bd, bdd)))
    return np.sum(force**2) / len(force), 2 * gradient / len(force)


c = np.zeros((n, len(k)))
first, gradient = cost(c)
trial = np.random.default_rng(0).normal(size=c.shape)
difference = (cost(c + 1e-6 * trial)[0] - cost(c - 1e-6 * trial)[0]) / 2e-6
print(f"gradient along a random direction {np.sum(gradient * trial):.6f}, by differences {difference:.6f}")
assert abs(np.sum(gradient * trial) - difference) < 1e-5 * abs(difference)

step, value = 1e-6, first
for _ in range(200):
    trial_value, trial_gradient = cost(c - step * gradient)
    if trial_value < value:
        c, value, gradient, step = c - step * gradient, trial_value, trial_gradient, 1.5 * step
    else:
        step /= 3
print(f"reaction force at the elbow: {np.sqrt(first):.2f} N before, {np.sqrt(value):.2f} N after (root mean square)")
assert value < 0.98 * first

q, qd, qdd = motion(c)
jerk = np.gradient(qdd, t[:, 0, 0], axis=0)
rates = arm.force_rates(q, qd, qdd, jerk)
print(f"joint forces change by up to {np.abs(rates).max():.0f} N m/s; d tau/dq of joint 6 always zero at", end=" ")
print([int(j) + 1 for j in np.flatnonzero(~arm.sparsity("dtau_dq")[5])])
