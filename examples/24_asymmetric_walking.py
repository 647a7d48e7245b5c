"""Walking with one weak knee: two steps as one task, which need not be each other's mirror image.

The left knee has 30 % of its strength. A stride is predicted from the body alone, and both legs are compared. First a
symmetric step of the same body with two strong knees is searched for, then the stride from it.

Writes into report/: the curves of either leg.

Takes about 90 s.
"""

import itertools

import numpy as np

import kinetree as kt

print("Takes about 90 s.", flush=True)

iterations = itertools.count(1)


def tell(iteration: int, cost: float, violation: float) -> bool:
    """A line for every hundredth iteration of all rounds; True to go on."""
    if (k := next(iterations)) % 100 == 0:
        print(f"  iteration {k}: cost {cost:.4f}, violation {violation:.0e}", flush=True)
    return True


print("searching, about 1000 iterations; the first run compiles before", flush=True)
walker = kt.gait.Walker(strength={"L_knee": 0.3})
gait = kt.gait.predict(speed=1.2, length=0.6, walker=walker, symmetric=False, callback=tell)
print(f"\n{gait}")
print(f"{gait.counts['free variables']} free variables, largest violation {gait.violation:.1e} of its scale\n")

names = walker.robot.joint_names
s = np.linspace(0.0, 1.0, 401)
reaction = gait.reaction(s)
print("largest values over a stride        left    right")
for joint in ("hip_flexion", "knee_flexion", "ankle_dorsiflexion"):
    moments = [np.abs(reaction["moments"][:, names.index(f"{side}_{joint}")]).max() for side in "LR"]
    print(f"  moment of {joint:18} [N m] {moments[0]:7.1f}  {moments[1]:7.1f}")
assert isinstance(gait, kt.gait.StrideGait)  # of two different steps
legs = gait.left, gait.right
for title, curves, key in (
    ("knee flexion [deg]", "angles", "knee"),
    ("vertical force [body weights]", "ground_forces", "vertical"),
    ("force in the knee [body weights]", "joint_forces", "knee"),
):
    left, right = (getattr(leg, curves)()[key].max() for leg in legs)
    print(f"  {title:33} {left:7.2f}  {right:7.2f}")

base = np.abs(reaction["moments"][:, :6]).max()
print(f"\nresidual forces at the base: {base:.1e} N, N m")
for leg in legs:
    print(leg.to_csv(f"report/walking_{leg.side}_leg.csv"))
