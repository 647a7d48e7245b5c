"""A floating base and external loads: an arm on a free body.

The coordinates start with position and quaternion (x, y, z, w) of the base, the velocities with its angular and linear
velocity in base axes. Internal forces can't change the total momentum; external loads that balance the weight of every
body hold it in place.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

link = kt.DH(a=0.4, alpha=np.pi / 2, mass=1.5, com=(-0.2, 0, 0), inertia=(0.002, 0.02, 0.02))
hull = kt.Inertia(8.0, com=(0, 0, 0.05), about_com=(0.3, 0.35, 0.4))
options = {"convention": "standard", "base": "floating", "base_inertia": hull}
craft = kt.Robot.from_dh([link, link, link], name="craft", gravity=(0, 0, 0), **options)
print(f"{craft.name}: {craft.nq} coordinates, {craft.nv} velocities, joints {craft.joint_names}")


def momentum(q, qd):
    """Angular (about the world's origin) and linear momentum, in world axes."""
    X = craft.pose(q, "base")
    h = (craft.mass_matrix(q) @ qd)[:6].reshape(2, 3) @ X[:3, :3].T  # the first six rows: all bodies, base axes
    return np.concatenate([h[0] + np.cross(X[:3, 3], h[1]), h[1]])


# the joints thrash about for a second; midpoint rule, the base never gets a force
rates = craft.function("rates")  # dq/dt of the velocities, quaternion included
q, qd, step = craft.neutral, np.array([0.1, -0.2, 0.3, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]), 2.5e-4
before = momentum(q, qd)
for t in np.arange(0, 1, step):
    tau = np.concatenate([np.zeros(6), 3 * np.cos([5 * t, 7 * t, 9 * t])])
    half_q, half_qd = q + step / 2 * rates(q, qd), qd + step / 2 * craft.forward_dynamics(q, qd, tau)
    q = q + step * rates(half_q, half_qd)
    qd = qd + step * craft.forward_dynamics(half_q, half_qd, tau)
drift = np.abs(momentum(q, qd) - before).max()
print(f"joints now {q[7:].round(2)} rad, the base has moved {q[:3].round(2)} m; momentum changed by {drift:.1e}")
assert drift < 1e-5
assert np.abs(q[7:]).max() > 0.2

# under gravity, with a load on every body that balances its weight
heavy = kt.Robot.from_dh([link, link, link], name="craft on Earth", **options)
still = np.zeros(heavy.nv)
assert np.allclose(heavy.forward_dynamics(q, still, still)[6:], 0.0)  # free fall: nothing bends
loads = np.zeros((heavy.nbodies, 6))
for k, body in enumerate(heavy.bodies):
    loads[k, 3:] = 0, 0, 9.81 * body.inertia.mass
    loads[k, :3] = np.cross(heavy.pose(q, body.name)[:3, :3] @ list(body.inertia.com), loads[k, 3:])
print("carried, it accelerates by", np.abs(heavy.forward_dynamics(q, still, still, external=loads)).max().round(12))
assert np.allclose(heavy.forward_dynamics(q, still, still, external=loads), 0.0)
