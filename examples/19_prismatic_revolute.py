"""Time against effort: a slider that carries a link, example 4.2 of Barman's thesis.

What is minimised is the integral of (1 - u) + u (f1^2 + tau2^2), with u = 0.01. The thesis prints a time of 0.5585 s.
That figure is not reproduced here: with the second angle as the DH table has it the best motion takes 0.6463 s, with
the angle without the table's offset 0.5858 s, and no other reading of the tables gave 0.5585 either.

Writes into report/: forces, reaction forces in the joints, snapshots of the arm, and the trade-off.

Takes about 1 s.
"""

from math import pi

import numpy as np

import kinetree as kt
from kinetree.view import Curves

print("Takes about 1 s.", flush=True)

arm = kt.robots.prismatic_revolute()  # its second angle is q2 + pi/2


def best(u: float, offset: float = -pi / 2) -> kt.plan.Plan:
    """The best motion for a weight of the effort; by default with an angle that is q2."""
    problem = kt.plan.Problem(arm, control_points=20)
    problem.start([0.1, 0.6 + offset])
    problem.end([pi / 4, -pi / 4 + offset])
    problem.limit("force", 10.0)  # N, N m
    problem.minimise("time", 1.0 - u)
    problem.minimise("effort", u)
    return problem.solve()


print("reading             T [s]        J")
print(f"thesis             {0.5585:6.4f}        -")
for reading, offset in (("theta2 = q2", -pi / 2), ("the DH table", 0.0)):
    plan = best(0.01, offset)
    print(f"{reading:17}  {plan.duration:6.4f}   {plan.cost:6.4f}   {plan.message}")

weights = np.geomspace(1e-4, 0.3, 12)
times = [best(u).duration for u in weights]
print(f"\nfrom {times[0]:.3f} s with almost no weight on the effort to {times[-1]:.3f} s with {weights[-1]:.1f}")
trade = Curves("Time against effort", np.log10(weights), {"T": times}, xlabel="log10 u", ylabel="time [s]").picture()
trade.save("report/prismatic_revolute_trade_off.svg")

# as in figures 4.2 to 4.7 of the thesis: forces, forces inside the joints, snapshots
plan = best(0.01)
t = np.linspace(0.0, plan.duration, 1000)
forces = np.abs(plan.forces(t)).max(axis=0)
print(f"largest force of the slider {forces[0]:.2f} N, largest torque of the link {forces[1]:.2f} N m")
plan.plot("force", title="Joint forces").save("report/prismatic_revolute_forces.svg")
norms = np.linalg.norm(plan.wrenches(t)[:, :, 3:], axis=-1)
carried = dict(zip(("slider", "link"), norms.T))
figure = Curves("Forces inside the joints", t, carried, ylabel="norm [N]").picture()
figure.save("report/prismatic_revolute_joint_forces.svg")
print(plan.snapshots(9).save("report/prismatic_revolute_snapshots.svg"))
