"""Your first robot: a planar arm of two links from a DH table.

A row of the table is one joint and its link. With the standard convention the link's frame is at its distal end, so the
centre of mass of a uniform bar is half a length behind it. The arm hangs in the x-y plane with gravity
along -y, so its forces have a closed form to check against.

Takes about 1 s.
"""

from math import cos

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

LENGTH, MASS, G = 0.5, 2.0, 9.81  # m, kg, m/s^2

bar = kt.DH(a=LENGTH, mass=MASS, com=(-LENGTH / 2, 0, 0), inertia=(0, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12))
arm = kt.Robot.from_dh([bar, bar], convention="standard", name="two bars", gravity=(0, -G, 0))
print(f"{arm.name}: joints {arm.joint_names}, frames {tuple(arm.frames)}")

q = np.array([0.3, 0.8])  # rad
tip = arm.pose(q, "dh2")[:3, 3]
print("tip of the arm      ", tip.round(4), "m")

# the torques that hold it still: weight times horizontal distance
elbow = LENGTH * cos(q[0])
out1, out2 = elbow / 2, elbow + LENGTH / 2 * cos(q.sum())
expected = MASS * G * np.array([out1 + out2, out2 - elbow])
tau = arm.gravity_forces(q)
print("torques to hold it  ", tau.round(4), "N m")
assert np.allclose(tau, expected)

# released: forward dynamics gives its accelerations, and inverse dynamics of these the torques, which are zero
qdd = arm.forward_dynamics(q, np.zeros(2), np.zeros(2))
print("released it falls at", qdd.round(3), "rad/s^2")
assert np.allclose(arm.inverse_dynamics(q, np.zeros(2), qdd), 0.0)

# other functions
M, J = arm.mass_matrix(q), arm.jacobian(q, "dh2")
print("mass matrix", M.shape, "Jacobian", J.shape, "potential energy", round(float(arm.potential_energy(q)), 3), "J")
assert np.allclose(M, M.T)
