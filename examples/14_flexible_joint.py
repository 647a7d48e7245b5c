"""A flexible-joint arm: motors behind springs, and the integrator that stiff springs need.

The arm has two rigid joints and one that its motor drives through a spring. With a soft spring every integrator works;
with one of 1e6 N m/rad explicit steps of 2 ms diverge, implicit ones don't. Pictures go to report/.

Takes about 2 s.
"""

import warnings
from dataclasses import replace

import numpy as np

import kinetree as kt

print("Takes about 2 s.", flush=True)


def with_spring(arm, stiffness):
    """The arm with another spring between motor 3 and joint 3."""
    bodies = []
    for body in arm.bodies:
        if body.joint.transmission:
            spring = replace(body.joint.transmission, stiffness=stiffness)
            body = replace(body, joint=replace(body.joint, transmission=spring))
        bodies.append(body)
    return replace(arm, bodies=tuple(bodies))


start, still = [0.3, 0.5, 0.2, 0.2], [0.0] * 4
soft = with_spring(kt.robots.mixed_elastic(), 100.0)
stiff = with_spring(kt.robots.mixed_elastic(), 1e6)
print(f"{soft.name}: {', '.join(soft.joint_names)}; elastic: {', '.join(soft.elastic_joints)}")


def energy(arm, motion):
    return arm.kinetic_energy(motion.q, motion.qd) + arm.potential_energy(motion.q)


# released, the arm falls and the spring oscillates
fall = kt.simulate(soft, start, still, 2.0, dt=2e-3).check()
deflection = np.degrees(fall.q[:, 3] - fall.q[:, 2])
print(f"soft spring, rk4: deflection {deflection.min():.2f} to {deflection.max():.2f} degrees, "
      f"energy conserved to {np.ptp(energy(soft, fall)):.1e} J")  # fmt: skip
assert np.ptp(energy(soft, fall)) < 1e-6

# the same with a spring that is ten thousand times as stiff
for method in ("rk4", "semi_implicit", "implicit_midpoint", "adaptive"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.SimulationWarning)  # two of them diverge
        motion = kt.simulate(stiff, start, still, 1.0, dt=2e-3, method=method)
    found = f"energy conserved to {np.ptp(energy(stiff, motion)):.1e} J" if motion.ok else motion.reason[0]
    print(f"stiff spring, {method:17}: {found}")
    assert motion.ok == (method in ("implicit_midpoint", "adaptive"))

# in the limit a stiff spring is rigid: the same motion as with a rigid gear
rigid = kt.simulate(with_spring(kt.robots.mixed_elastic(), 1e8), start, still, 1.0, dt=1e-3, method="implicit_midpoint")
implicit = kt.simulate(stiff, start, still, 1.0, dt=1e-3, method="implicit_midpoint")
print(f"1e6 and 1e8 N m/rad: angles differ by {np.abs(rigid.q - implicit.q).max():.1e} rad")
assert np.abs(rigid.q - implicit.q).max() < 1e-4

# motors that hold the arm, with dampers: the joint settles where its spring balances gravity
hold = kt.control.PD(kt.control.Hold([0.3, 0.5, 0.2]), kp=[400.0, 400.0, 200.0], kd=[60.0, 60.0, 15.0])
held = kt.simulate(soft, start, still, 4.0, hold, dt=2e-3).check()
print(f"held by its motors: joint 3 settles at {held.q[-1, 2]:.4f} rad, its motor at {held.q[-1, 3]:.4f} rad")
assert abs(held.q[-1, 2] - 0.2) < 1e-2

dropped = fall.plot("q", "qd", joints=["joint3", "joint3_motor"], title="Let go: joint 3 and its motor")
print(dropped.save("report/flexible_joint_fall.svg"))
print(held.plot("q", "tau", title="Held by its motors").save("report/flexible_joint_held.svg"))
