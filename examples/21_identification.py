"""Identification: from an exciting motion to the inertias, the friction and the load of a robot.

The measurements are simulated: no robot was at hand. The "real" arm differs from its model by cables and covers on
three links and by Coulomb friction; its torques have 1 % of noise and its encoders 17 bits for a turn, sampled at
1 kHz.

Writes into report/: the motion for a controller and the measurements as CSV files, and a page with the results.

Takes about 9 s, from the second run on 6 s.
"""

from dataclasses import replace

import numpy as np

import kinetree as kt

print("Takes about 9 s, from the second run on 6 s.", flush=True)

model = kt.robots.rx90()  # what the data sheet says
dressed = model
for body, mass, com in (
    ("link2", 1.5, (0.2, 0.0, -0.1)),
    ("link3", 0.8, (0.0, -0.1, 0.05)),
    ("link5", 0.1, (0, 0, 0.05)),
):
    dressed = dressed.attach(kt.Inertia(mass, com, (0.01 * mass,) * 3), body)
coulomb = dict(zip(model.joint_names, (9.0, 11.0, 6.0, 2.0, 1.5, 0.6)))  # N m
real = replace(
    dressed, bodies=tuple(replace(b, joint=replace(b.joint, coulomb=coulomb[b.joint.name])) for b in dressed.bodies)
)

# the most informative trajectory within the limits of the arm
swing = kt.identify.excite(model, duration=10.0, harmonics=5, velocity_limits=[3.0, 3.0, 3.0, 4.0, 4.0, 5.0])
print(swing)
print(f"largest violation of a limit: {swing.violation:.0e}; nearest: {swing.worst}")
swing.to_csv("report/identification_motion.csv", rate=250.0)

# measured, here simulated
swing.simulated(1000.0, robot=real, noise=0.01, seed=1).to_csv("report/identification_measured.csv")
data = kt.identify.Data.from_csv("report/identification_measured.csv", model)
found = kt.identify.fit(model, data)
print(f"\n{len(found.parameters)} parameters, {len(found.dropped)} dropped, condition {found.condition:.1f}")
print("joint     Coulomb friction  real")
for joint, wanted in coulomb.items():
    p = found.parameters[f"{joint}.FS"]
    print(f"{joint}  {p.value:7.3f} +- {2 * p.std:.3f}  {wanted:8.3f}")

# cross-validation on another motion
other = kt.identify.excite(model, 8.0, harmonics=4, velocity_limits=2.5, seed=7, starts=1)
fresh = other.simulated(1000.0, robot=real, noise=0.01, seed=2)
before = np.sqrt(((fresh.forces - other.forces(fresh.t)) ** 2).sum() / (fresh.forces**2).sum())
check = found.validate(fresh)
print(f"\ntorques of another motion: {before:.1%} off with the data sheet, {check.total:.2%} with the fit")
assert check.total < 0.02

# a load in the gripper, from the same motion once more
load = kt.Inertia(2.5, (0.01, 0.0, 0.12), (0.008, 0.008, 0.004))
carried = swing.simulated(1000.0, robot=real.attach(load, "link6"), noise=0.01, seed=3)
payload = kt.identify.payload(model, carried, "link6", known=found)
print(f"\n{payload}")
assert abs(payload.mass / 2.5 - 1.0) < 0.02

print(found.report("report/identification.html", check))
