"""Closed loops: a crank turns a four-bar linkage, and the linkage falls freely.

The tree of the model is cut at one pin. `kt.ClosedChain` closes the loop: the crank determines all joints. First the
crank turns at a constant rate; the results are its torque and the force in the pin. Then it moves without a torque, and
energy must be conserved. A page with an animation goes to report/.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt
from kinetree.view import Report

print("Takes about 1 s.", flush=True)

robot = kt.robots.four_bar()
chain = kt.ClosedChain(robot)
print(chain)

# one turn in a second, in steps of a degree: a batch of configurations, each closed by Newton's method
t = np.arange(361) / 360
crank = 2 * np.pi * t[:, None]
closure = chain.close(crank)
q, speed = closure.check(), np.array([2 * np.pi])
steps = closure.iterations.mean()
print(f"{len(q)} configurations closed to {closure.error.max():.0e} m, in {steps:.0f} steps on average")
qd = chain.velocities(q, speed)
print(f"the rocker swings by {np.degrees(np.ptp(q[:, 2])):.1f} degrees, at {np.abs(qd[:, 2]).max():.2f} rad/s at most")

tau = chain.inverse_dynamics(q, speed, [0.0])[:, 0]
force = np.linalg.norm(chain.loop_wrenches(q, speed, [0.0])[:, 0, 3:], axis=-1)
print(f"torque of the crank {tau.min():.2f} to {tau.max():.2f} N m; force in the pin up to {force.max():.1f} N")
work = np.mean(tau[:-1] * speed)  # of a turn of one second
print(f"work of a full turn: {work:.1e} J")
assert abs(work) < 1e-10

# without a torque, from rest: accelerations of all joints, integrated by the Runge-Kutta method
fall = chain.function("forward_dynamics")


def rate(x):
    return np.concatenate([x[3:], fall(x[:3], x[3:], [0.0], 20.0)[0]])


def energy(x):
    return robot.kinetic_energy(x[..., :3], x[..., 3:]) + robot.potential_energy(x[..., :3])


h, path = 1e-3, [np.concatenate([robot.neutral, np.zeros(3)])]
for _ in range(3000):
    x = path[-1]
    a = rate(x)
    b = rate(x + h / 2 * a)
    c = rate(x + h / 2 * b)
    path.append(x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c)))
path = np.array(path)
gap = chain.function("step")(path[:, :3], 0.0)[1].max()
print(f"free for 3 s: the pin opens by {gap:.0e} m, energy is conserved to {np.ptp(energy(path)):.0e} J")
assert gap < 1e-9
assert np.ptp(energy(path)) < 1e-5

# actuated at the rocker, the linkage is singular where crank and coupler are in line
other = kt.ClosedChain(robot, actuated=["rocker_joint"])
dead = np.degrees(crank[other.margin(q).argmin(), 0])
print(f"actuated at the rocker, it is nearly singular where the crank has turned by {dead:.0f} degrees")

report = Report("A four-bar linkage", "The crank turns at a constant rate; the tree of the model is cut at one pin.")
report.add_animation(robot, t, q, caption="One turn of the crank in a second.")
report.add_plot("Torque", t, {"crank": tau}, xlabel="time [s]", ylabel="torque [N m]", follow=True)
report.add_plot("Pin", t, {"force": force}, xlabel="time [s]", ylabel="force [N]", follow=True)
print(report.write("report/closed_loops.html"))
