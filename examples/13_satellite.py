"""A satellite with an arm: it floats freely, its arm moves, its hull rotates, and the momentum is conserved.

Joint forces are internal, so linear and angular momentum are constant. After a cycle of the arm, which ends in its
initial configuration, the hull has another orientation.
Pictures go to report/.

Takes about 1 s.
"""

from math import pi

import numpy as np

import kinetree as kt
from kinetree.view import Report

print("Takes about 1 s.", flush=True)

link = kt.DH(a=0.8, alpha=pi / 2, mass=4.0, com=(-0.4, 0, 0), inertia=(0.01, 0.2, 0.2))
hull = kt.Inertia(60.0, (0, 0, 0.05), (8.0, 9.0, 10.0))
craft = kt.Robot.from_dh(
    [link, link], "standard", name="satellite", base="floating", base_inertia=hull, gravity=(0, 0, 0)
)


def arm(robot, t, q, qd):
    """Springs and dampers towards cosines for both joints, and no force on the hull. Runs in native code."""
    desired = [0.8 * (1 - kt.scalar.cos(2 * pi / 10 * t)), 0.6 * kt.scalar.sin(2 * pi / 10 * t)]
    return [0.0] * 6 + [60.0 * (w - x) - 30.0 * v for w, x, v in zip(desired, q[7:], qd[6:])]


def momentum(q, qd):
    """Angular momentum about the world's origin, then linear, in world axes."""
    X = craft.pose(q, "base")
    h = np.einsum("nij,nj->ni", craft.mass_matrix(q), qd)[:, :6]  # of all bodies, in base axes
    angular, linear = (np.einsum("nij,nj->ni", X[:, :3, :3], part) for part in (h[:, :3], h[:, 3:]))
    return np.hstack([angular + np.cross(X[:, :3, 3], linear), linear])


# tumbling, for a minute
tumble = [0.1, -0.2, 0.15, 0.05, 0.0, 0.02, 0.0, 0.0]
motion = kt.simulate(craft, craft.neutral, tumble, 60.0, kt.control.Law(arm), dt=2e-3, every=50).check()
h = momentum(motion.q, motion.qd)
print(f"tumbling for {motion.t[-1]:.0f} s: the momentum of {np.abs(h[0]).max():.2f} N m s has changed by "
      f"{np.abs(h - h[0]).max():.1e}")  # fmt: skip
print(f"quaternions are of length one to {np.abs(np.linalg.norm(motion.q[:, 3:7], axis=1) - 1).max():.0e}")
assert np.abs(h - h[0]).max() < 1e-9

# from rest: no momentum at all, and yet the hull turns, as a falling cat does
still = kt.simulate(craft, craft.neutral, np.zeros(8), 30.0, kt.control.Law(arm), dt=2e-3, every=50).check()
turned = 2 * np.degrees(np.arccos(np.clip(np.abs(still.q[:, 6]), 0, 1)))
print(f"from rest, after three cycles of the arm: the hull has turned by {turned[-1]:.1f} degrees, "
      f"momentum {np.abs(momentum(still.q, still.qd)).max():.1e}")  # fmt: skip
assert turned[-1] > 1.0

report = Report("A satellite with an arm", "The hull floats freely; the momentum is conserved.")
report.add_animation(craft, still.t, still.q, caption="From rest: the arm circles, the hull turns.")
report.add_plot("How far the hull has turned", still.t, {"hull": turned}, xlabel="time [s]", ylabel="angle [degrees]")
parts = dict(zip(["x", "y", "z"], (h - h[0])[:, :3].T))
report.add_plot("Angular momentum, less that of the start", motion.t, parts, xlabel="time [s]", ylabel="[N m s]")
print(still.plot("q", joints=["joint1", "joint2"], title="The arm").save("report/satellite_arm.svg"))
print(report.write("report/satellite.html"))
