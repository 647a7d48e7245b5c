"""Chaos: a pendulum and a double pendulum in time, their energy, and the divergence of neighbours.

The first part compares the period of a pendulum with the elliptic integral. The second simulates a double pendulum for
100 s: its motion is chaotic, but its energy is conserved. The third simulates pendulums with nearly equal initial
angles, as one batch. Pictures go to report/.

Takes about 3 s.
"""

from math import pi

import numpy as np

import kinetree as kt
from kinetree.simulation import Event
from kinetree.view import Report

print("Takes about 3 s.", flush=True)

rod = {"a": 1.0, "mass": 1.0, "com": (-0.5, 0, 0), "inertia": (1e-3, 1 / 12, 1 / 12)}
single = kt.Robot.from_dh([kt.DH(**rod)], "standard", name="pendulum", gravity=(0, -9.81, 0))
double = kt.Robot.from_dh([kt.DH(**rod)] * 2, "standard", name="double pendulum", gravity=(0, -9.81, 0))

# a pendulum released 60 degrees from the bottom: the time between two passages is half a period
AMPLITUDE = pi / 3
bottom = Event(lambda t, q, qd: q[:, 0] + pi / 2, "bottom", stops=False)
swing = kt.simulate(single, [AMPLITUDE - pi / 2], [0.0], 5.0, events=[bottom]).check()
period = 2 * np.diff([event.t for event in swing.events]).mean()
a, b = 1.0, np.cos(AMPLITUDE / 2)  # the elliptic integral by the arithmetic-geometric mean
for _ in range(6):
    a, b = (a + b) / 2, np.sqrt(a * b)
expected = 2 * pi * np.sqrt((1 / 3) / (9.81 * 0.5)) / a
print(f"pendulum: period {period:.9f} s, by the elliptic integral {expected:.9f} s")
assert abs(period - expected) < 1e-8

# a double pendulum released from above: energy by the three methods
full = np.ptp(double.potential_energy([[pi / 2, 0], [-pi / 2, 0]]))
drifts = {}
for method in ("rk4", "implicit_midpoint", "semi_implicit"):
    motion = kt.simulate(double, [1.0, 0.5], [0.0, 0.0], 100.0, method=method, every=20).check()
    energy = double.kinetic_energy(motion.q, motion.qd) + double.potential_energy(motion.q)
    drifts[method] = np.abs(energy - energy[0]) / full
    print(f"double pendulum, 100 s at 1 kHz, {method:17}: energy is off by {drifts[method].max():.1e} of its range")
assert drifts["rk4"].max() < 1e-6

# twelve neighbours, each a billionth of a degree from the first
start = np.tile([1.0, 0.5], (12, 1))
start[1:, 0] += np.radians(1e-9) * np.arange(1, 12)
batch = kt.simulate(double, start, [0.0, 0.0], 30.0, every=10).check()
apart = np.abs(batch.q[1:] - batch.q[0]).max(axis=(0, 2))
grown = batch.t[np.argmax(apart > 1.0)]
rate = np.polyfit(batch.t[batch.t < grown], np.log(apart[batch.t < grown] + 1e-13), 1)[0]
print(f"neighbours part by 1 rad after {grown:.1f} s; their distance grows by e every {1 / rate:.2f} s")
assert apart[0] < 1e-9
assert apart.max() > 1.0

report = Report("A double pendulum", "Two rods of one metre, released from above.")
first = kt.simulate(double, [1.0, 0.5], [0.0, 0.0], 20.0, every=10)
report.add_animation(double, first.t, first.q, caption="Twenty seconds.")
series = {f"pendulum {k}": batch.q[k, :, 1] for k in range(4)}
report.add_plot("Neighbours", batch.t, series, xlabel="time [s]", ylabel="angle of the second rod [rad]")
logs = {"largest distance": np.log10(apart + 1e-12)}
report.add_plot("Divergence", batch.t, logs, xlabel="time [s]", ylabel="log10 of the distance [rad]")
print(swing.plot("q", "qd", title="A pendulum from 60 degrees").save("report/double_pendulum_single.svg"))
print(report.write("report/double_pendulum.html"))
