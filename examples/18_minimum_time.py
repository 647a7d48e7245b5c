"""The fastest motion of a planar arm: example 4.1 of Barman's thesis.

Two links in a horizontal plane, 10 N m at either joint, from rest to rest. The exact optimum is known: each torque is
always at one of its limits, and the motion takes 0.391854540 s. Splines come closer to it with more control points;
the thesis prints 0.392, two papers before it 0.394 and 0.393.

Writes into report/: torques, reaction forces in the joints, snapshots of the arm, and a page with an animation.

Takes about 2 s.
"""

import numpy as np

import kinetree as kt
from kinetree.view import Curves

print("Takes about 2 s.", flush=True)

EXACT = 0.391854540  # s
arm = kt.robots.two_link()
task = {"q0": [0.0, -2.0], "q1": [1.0, -1.0], "force_limits": 10.0}

print("control points   time [s]   above the exact optimum   iterations")
for points in (8, 12, 20, 30, 45):
    plan = kt.plan.minimum_time(arm, **task, control_points=points)
    print(f"{points:14}   {plan.duration:8.5f}   {plan.duration / EXACT - 1:22.3%}   {plan.iterations:10}")

plan = kt.plan.minimum_time(arm, **task, control_points=30)
t = np.linspace(0.0, plan.duration, 10_000)
print(f"\n{plan}")
print(f"largest torque at 10,000 points: {np.abs(plan.forces(t)).max():.7f} N m")
for active in plan.active():
    print(f"  {active.name} is at its {active.side} limit {active.share:.0%} of the time")

# as in figures 4.2 to 4.7 of the thesis: torques, forces inside the joints, snapshots
plan.plot("force", title="Joint torques").save("report/minimum_time_torques.svg")
norms = np.linalg.norm(plan.wrenches(t)[:, :, 3:], axis=-1)
carried = dict(zip(("joint 1", "joint 2"), norms.T))
figure = Curves("Forces inside the joints", t, carried, ylabel="norm [N]").picture()
figure.save("report/minimum_time_joint_forces.svg")
plan.snapshots(9).save("report/minimum_time_snapshots.svg")
print("\nlargest force inside a joint:", f"{norms.max():.2f} N")
print(plan.report("report/minimum_time.html", plan.simulate(rest=0.2)))
