"""Named parameters: numbers of the model that are given when a function is called.

`kt.parameter` can be used wherever a model has a number: here the mass of a payload and the length of the forearm. The
compiled functions take them as keywords, which broadcast like all arguments, so that one compilation serves all values.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

payload = kt.parameter("payload", default=0.0)  # kg
forearm = kt.parameter("forearm", default=0.4)  # m, a uniform bar of 3 kg per metre

rows = [
    kt.DH(a=0.5, mass=4.0, com=(-0.25, 0, 0), inertia=(0.01, 0.09, 0.09), name="upper"),
    kt.DH(a=forearm, mass=3.0 * forearm, com=(-0.5 * forearm, 0, 0), name="lower"),
    kt.DH(joint="fixed", mass=payload, name="load"),  # a point mass at the tip
]
arm = kt.Robot.from_dh(rows, convention="standard", name="picker", gravity=(0, -9.81, 0))
print("parameters:", ", ".join(f"{name} = {p.default}" for name, p in arm.parameters.items()))

# one pose, five payloads
q = np.array([0.2, 0.4])
masses = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
holding = arm.gravity_forces(q, payload=masses)
for mass, tau in zip(masses, holding):
    print(f"  payload {mass:3.1f} kg: torques {tau.round(2)} N m")

# gravity forces are linear in the payload: weight times horizontal distance of the tip
reach = arm.pose(q, "load")[0, 3]
assert np.allclose(np.diff(holding[:, 0]) / np.diff(masses), 9.81 * reach)

# which forearm holds 2 kg with the least torque in the shoulder at a given reach? evaluate many
lengths = np.linspace(0.2, 0.8, 7)
shoulder = arm.gravity_forces(np.array([0.0, 0.0]), payload=2.0, forearm=lengths)[:, 0]
print("shoulder torque over the forearm's length:", shoulder.round(1))
assert (np.diff(shoulder) > 0).all()
