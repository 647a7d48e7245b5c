"""A step of walking, predicted: chapter V of Barman's thesis.

Nothing is given but the body, the speed and the step length. All 36 joints that move start at zero; first the
solver finds a motion that satisfies all constraints, then the one of least effort. The ground forces follow from it.

Give a CSV file with normative curves, a column "percent" and pairs such as "hip mean [deg]" and "hip sd [deg]", to have
the prediction compared with them.

Writes into report/: curves of a stride as a picture and as a table, snapshots, and a page with the walker animated.

Takes about 22 s, from the second run on 10 s.
"""

import itertools
import sys

import numpy as np

import kinetree as kt

print("Takes about 22 s, from the second run on 10 s.", flush=True)

norms = sys.argv[1] if len(sys.argv) > 1 else None
iterations = itertools.count(1)


def tell(iteration: int, cost: float, violation: float) -> bool:
    """A line for every hundredth iteration of all rounds; True to go on."""
    if (k := next(iterations)) % 100 == 0:
        print(f"  iteration {k}: cost {cost:.4f}, violation {violation:.0e}", flush=True)
    return True


print("searching, about 500 iterations; the first run compiles before", flush=True)
gait = kt.gait.predict(speed=1.2, length=0.6, callback=tell)

print(f"\n{gait}")
print(f"{gait.iterations} iterations, {gait.seconds:.1f} s with the time to compile")
for name, count in gait.counts.items():
    print(f"  {count:5} {name}")

# only the ground acts on the walker: the forces in the six coordinates of the pelvis are zero
reaction = gait.reaction(np.linspace(0.0, 1.0, 201))
base = [name.startswith("global") for name in gait.step.walker.robot.joint_names]
print(f"\nresidual forces at the base: {np.abs(reaction['moments'][:, base]).max():.0e} N, N m")

print("\n" + str(gait.realism(norms)))

forces, moments = gait.joint_forces(), gait.moments()
print("\n        largest joint force        largest moment")
for joint in ("hip", "knee", "ankle"):
    print(f"{joint:8}{forces[joint].max():8.2f} body weights{np.abs(moments[joint]).max():14.2f} N m/kg")

gait.plot(norms=norms).save("report/walking.svg")
gait.snapshots(9).save("report/walking_snapshots.svg")
gait.to_csv("report/walking.csv")
print(f"\n{gait.report('report/walking.html', norms=norms)}")
