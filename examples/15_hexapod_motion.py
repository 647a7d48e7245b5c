"""A Gough-Stewart platform in time: six legs move a platform along a circle; then without forces.

The tree of the robot has 24 velocities and six loops; six prismatic joints are actuated. Loops are closed after every
step, so that errors don't add up. The first run compiles the step, which takes some seconds. Pictures go to report/.

Takes about 10 s, from the second run on 2 s.
"""

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.scalar import cos, sin, sqrt
from kinetree.simulation import Event
from kinetree.view import Report

print("Takes about 10 s, from the second run on 2 s.", flush=True)

robot = kt.robots.gough_stewart()
chain = kt.ClosedChain(robot)
legs = [robot.velocities_of(name)[0] for name in chain.actuated]  # one number each in q and in qd
print(f"{robot.name}: {robot.nv} velocities, {len(robot.loops)} loops, {chain.mobility} degrees of freedom")

# from the foot to the ball of each leg, at the start
start = chain.neutral
feet = [robot.pose(start, robot.bodies[2 * k].name)[:3, 3] for k in range(6)]
frames = [loop.successor if loop.successor.body == "platform" else loop.predecessor for loop in robot.loops]
balls = [(robot.pose(start, "platform") @ [*frame.pose.p, 1.0])[:3] for frame in frames]
axes = [(ball - foot).tolist() for ball, foot in zip(balls, feet)]
weight = chain.inverse_dynamics(start, np.zeros(6), np.zeros(6)).tolist()

RADIUS, SPEED, KP, KD = 0.06, 2 * pi / 2.0, 4e4, 8e2  # m, rad/s, N/m, N s/m


@dataclass(frozen=True)
class Carry(kt.control.Controller):
    """The forces of the legs: the weight, a spring towards the length for a point of the circle, and a damper."""

    factor: Any  # of these forces

    def forces(self, robot, t, q, qd):
        x, y = RADIUS * (cos(SPEED * t) - 1.0), RADIUS * sin(SPEED * t)
        forces = []
        for k, (a, b, c), force in zip(legs, axes, weight):
            longer = sqrt((a + x) * (a + x) + (b + y) * (b + y) + c * c) - sqrt(a * a + b * b + c * c)
            forces.append(self.factor * (force + KP * (start[k] + longer - q[k]) - KD * qd[k]))
        return forces


# two runs at once: with all of the forces, and with none, until the platform has sunk by 15 cm
height = robot.nq - 5  # of the platform in q: its position, then four numbers for its orientation
sunk = Event(lambda t, q, qd: q[:, height] - start[height] + 0.15, "sunk by 15 cm")
still, both = np.zeros(robot.nv), {"factor": [1.0, 0.0], "events": [sunk]}
batch = kt.simulate(chain, start, still, 4.0, Carry(kt.parameter("factor")), dt=2e-3, every=5, **both).check()
gap = np.nanmax(chain.function("step")(batch.q, 0.0)[1])
print(f"loops are closed to {gap:.0e} m")
assert gap < 1e-9

motion, fall = batch
position = robot.pose(motion.q, "platform")[:, :3, 3] - robot.pose(start, "platform")[:3, 3]
radius = np.hypot(position[:, 0] + RADIUS, position[:, 1])[200:]
print(
    f"second round: on a circle of {1e3 * radius.min():.1f} to {1e3 * radius.max():.1f} mm, desired {1e3 * RADIUS:.0f}"
)
print(f"forces of the legs {motion.tau.min():.0f} to {motion.tau.max():.0f} N")
assert np.abs(radius - RADIUS).max() < 0.01

energy = robot.kinetic_energy(fall.q, fall.qd) + robot.potential_energy(fall.q)
lost = np.nanmax(np.abs(energy - energy[0]))
print(f"without forces: {fall.reason[0]}; energy conserved to {lost:.0e} J")
assert lost < 1e-5

report = Report("A Gough-Stewart platform", "Six legs move a platform along a circle of 6 cm.")
report.add_animation(robot, motion.t, motion.q, caption="Four seconds: caught by the feedback, then round and round.")
series = dict(zip(chain.actuated, motion.tau.T))
report.add_plot("Forces of the legs", motion.t, series, xlabel="time [s]", ylabel="force [N]", follow=True)
series = dict(zip("xyz", 1e3 * position.T))
report.add_plot("Position of the platform", motion.t, series, xlabel="time [s]", ylabel="position [mm]")
print(motion.plot("q", joints=chain.actuated, title="Lengths of the legs").save("report/hexapod_legs.svg"))
print(report.write("report/hexapod.html"))
