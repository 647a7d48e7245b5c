"""Motors on any link: what their spinning rotors add to the joint forces, and a joint that is elastic.

The motor of an elbow is mounted on the base, or on the upper arm. Its rotor turns fifty times as fast as the joint. On
the upper arm it also moves with that link, which couples the joints and causes gyroscopic moments. A `rotor_inertia`
does not model that. Then a spring is put between motor and joint.

Takes about 1 s.
"""

import dataclasses

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

GEAR, SPIN = 50.0, 2e-4  # turns of the rotor for one of the joint, kg m^2 about its axis
link = {"mass": 2.0, "com": (0.2, 0, 0), "inertia": (0.005, 0.03, 0.03)}
arm = kt.Robot.from_dh([kt.DH(**link), kt.DH(alpha=np.pi / 2, a=0.1, **link), kt.DH(a=0.4, **link)], name="arm")

# the same reflected inertia three times: as a number on the joint, and as a rotor on two links
joints = [dataclasses.replace(b.joint, rotor_inertia=GEAR**2 * SPIN * (b.joint.name == "joint3")) for b in arm.bodies]
plain = dataclasses.replace(arm, bodies=tuple(dataclasses.replace(b, joint=j) for b, j in zip(arm.bodies, joints)))
elbow = kt.Motor("joint3", gear_ratio=GEAR, spin_inertia=SPIN)
on_base, on_arm = (arm.with_motors([dataclasses.replace(elbow, mounted_on=x)]) for x in ("world", "link2"))

rng = np.random.default_rng(0)
q, qd, qdd = rng.normal(size=(3, 1000, 3))
tau = plain.inverse_dynamics(q, qd, qdd)
for name, robot in (("on the base", on_base), ("on the upper arm", on_arm)):
    difference = np.abs(robot.inverse_dynamics(q, qd, qdd) - tau).max(axis=0)
    print(f"motor {name:16}: joint forces differ from rotor_inertia by up to {difference.round(4)} N m")
assert np.abs(on_base.inverse_dynamics(q, qd, qdd) - tau).max() < 1e-12
M, M_plain = on_arm.mass_matrix(q[0]), plain.mass_matrix(q[0])
print(f"coupling of joints 2 and 3 in the mass matrix: {M[1, 2] - M_plain[1, 2]:.4f} = gear * spin = {GEAR * SPIN}")

# the elbow through a spring: one more coordinate, the angle of the motor on the joint side
soft = arm.with_motors([dataclasses.replace(elbow, mounted_on="link2", stiffness=150.0)])
print(f"coordinates: {', '.join(soft.joint_names)}; elastic joints {soft.elastic_joints}")
x = np.array([0.0, 0.5, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
hold = soft.gravity_forces(x[:4]) * [1, 1, 0, 0]  # constant torques, which balance gravity at the start


def rate(x):
    return np.concatenate([x[4:], soft.forward_dynamics(x[:4], x[4:], hold)])


def energy(x):
    return soft.kinetic_energy(x[:4], x[4:]) + soft.potential_energy(x[:4]) - hold @ x[:4]


start, h, deflection = energy(x), 1e-3, []
for _ in range(1000):
    a = rate(x)
    b = rate(x + h / 2 * a)
    c = rate(x + h / 2 * b)
    d = rate(x + h * c)
    x = x + h / 6 * (a + 2 * b + 2 * c + d)
    deflection.append(np.degrees(x[3] - x[2]))
print(f"free for a second: the spring of the elbow deflects by {min(deflection):.2f} to {max(deflection):.2f} degrees")
print(f"energy is conserved to {abs(energy(x) - start):.1e} J")
assert abs(energy(x) - start) < 1e-7
