"""A million arms under computed torque on a GPU: each with a payload of its own that its controller does not know.

One step of a millisecond, controller and robot, is one compiled function, and so one kernel. Needs an NVIDIA GPU and
CuPy (``pip install "kinetree[cuda]"``). Without them the same code moves two thousand arms on the CPU.

Takes about 2 s.
"""

import importlib
import itertools
import time
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.view import Report

print("Takes about 2 s.", flush=True)

try:
    xp: Any = importlib.import_module("cupy")
    xp.zeros(1)
    count, where = 1_000_000, xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
except Exception as error:  # no CuPy, no driver, no card
    print(f"No GPU ({type(error).__name__}: {str(error).splitlines()[0]}): an NVIDIA card and CuPy are needed, as by")
    print("pip install 'kinetree[cuda]'. Two thousand arms on the CPU instead:")
    xp, count, where = np, 2_000, "the CPU"

h, steps, every = 1e-3, 1000, 20
kp, kd = 400.0, 40.0
arm = kt.robots.ur5()
loaded = arm.attach(kt.Inertia(kt.parameter("payload"), (0.0, 0.1, 0.0)), arm.bodies[-1].name)


def step(robot, q, qd, goal):
    """The state a millisecond later: the controller's model is the arm alone, the robot carries the payload."""
    wanted = [kp * (g - x) - kd * v for g, x, v in zip(goal, q, qd)]
    tau = inverse_dynamics(arm, q, qd, wanted)
    qdd = forward_dynamics(robot, q, qd, tau)
    faster = [v + h * a for v, a in zip(qd, qdd)]
    return [x + h * v for x, v in zip(q, faster)], faster


advance = kt.compile(step, loaded, signature="q(6), qd(6), goal(6) -> q(6), qd(6)", name="step")

rng = xp.random.default_rng(0)
start = xp.asarray([0.0, -1.2, 1.5, -1.0, -1.5, 0.0])
q = start + 0.1 * rng.standard_normal((count, 6))
qd, goal = xp.zeros((count, 6)), start + rng.uniform(-0.5, 0.5, (count, 6))
payload = rng.uniform(0.0, 5.0, count)  # [kg]

# two pairs of arrays that take turns: no memory is asked for while the arms move
state, after = (q, qd), (xp.empty_like(q), xp.empty_like(qd))
advance(*state, goal, payload, out=after)  # compiles

times, largest, mean = [], [], []
error = xp.abs(goal - q).max(axis=1)
clock = 0.0
for k in range(0, steps, every):
    begin = time.perf_counter()
    for _ in range(every):
        advance(*state, goal, payload, out=after)
        state, after = after, state
    error = xp.abs(goal - state[0]).max(axis=1)  # of each arm [rad]
    times.append((k + every) * h)
    largest.append(float(error.max()))  # waits for the device
    mean.append(float(error.mean()))
    clock += time.perf_counter() - begin
rate = f"{count * steps / clock / 1e6:,.0f} million steps a second"
print(f"{count:,} arms, {steps} steps of {1e3 * h:g} ms on {where}: {clock:.2f} s, {rate}")

edges = np.linspace(0.0, 5.0, 6)
final, carried = (x if xp is np else xp.asnumpy(x) for x in (error, payload))
rows = []
for low, high in itertools.pairwise(edges):
    inside = (carried >= low) & (carried < high)
    rows.append([f"{low:g} to {high:g}", f"{inside.sum():,}", f"{1e3 * final[inside].mean():.1f}"])
    print(f"  payload {rows[-1][0]:>6} kg: {rows[-1][1]:>9} arms, error {rows[-1][2]:>6} mrad")
assert np.isfinite(final).all()
assert final[carried < 0.1].mean() < final[carried > 4.9].mean() < 0.2  # what the controller does not know is left

report = Report("A million arms", f"{count:,} UR5 arms under computed torque, each with a payload that is not known.")
series = {"largest": np.array(largest), "mean": np.array(mean)}
report.add_plot("Error", np.array(times), series, xlabel="time [s]", ylabel="error of the worst joint [rad]")
report.add_table(["payload [kg]", "arms", "error [mrad]"], rows, caption="After a second.")
report.add_facts({"speed": rate, "computed on": where})
print(report.write("report/million_arms.html"))
