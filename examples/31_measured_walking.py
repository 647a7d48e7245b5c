"""Measured walking: markers and ground forces in, joint moments and joint forces out.

The laboratory is made up: a predicted walk of three strides is written as the files that a laboratory exports, a .trc
file with markers and a .mot file with the forces of two plates, and the markers get a noise of 1 mm. So the moments
that inverse dynamics finds can be compared with the true ones. Give files of your own to have those analysed instead:

    python 31_measured_walking.py markers.trc forces.mot STATURE MASS

Writes into report/: the files, and a page on the measured walk.

Takes about 25 s, from the second run on 12 s.
"""

import sys

import numpy as np

import kinetree as kt
from kinetree.gait.opensim import read_trc

print("Takes about 25 s, from the second run on 12 s.", flush=True)

if len(sys.argv) > 1:
    markers, forces = sys.argv[1:3]
    walker = kt.gait.Walker(float(sys.argv[3]), float(sys.argv[4]))
    truth = None
else:
    print("predicting a walk to be measured", flush=True)
    truth = kt.gait.predict(speed=1.2, length=0.6)
    walker = truth.walker
    forces = truth.to_mot("report/forces.mot", "ground_forces", strides=3)
    t, seen = read_trc(truth.to_trc("report/markers.trc", strides=3))
    noise = np.random.default_rng(1)
    markers = {"time": t, **{name: p + 1e-3 * noise.normal(size=p.shape) for name, p in seen.items()}}

walk = kt.gait.from_markers(markers, forces, walker)
print(f"\n{walk}")
print(f"markers are {1e3 * walk.fit:.2f} mm from those of the model")
for name, value in walk.residuals().items():
    print(f"residual {name:12} {value:.3f}")

moments, joint_forces = walk.moments(), walk.joint_forces()
print("\n        largest moment      largest joint force")
for joint in ("hip", "knee", "ankle"):
    print(f"{joint:8}{np.abs(moments[joint]).max():6.2f} N m/kg {joint_forces[joint].max():14.2f} body weights")

if truth is not None:
    # a measured stride begins where the foot carries 5 % of the weight, a little after the heel has struck
    late = walk.interval[0] % (2.0 * truth.step.duration)
    exact = truth.states(401).repeated(2)
    print(f"\nthe plate notices the heel {1e3 * late:.0f} ms late; moments differ by (root mean square)")
    measured = walk.states()
    for joint in ("hip_flexion", "knee_flexion", "ankle_dorsiflexion"):
        known = np.interp(measured.t + late, exact.t, exact.column(exact.moments, f"L_{joint}"))
        off = measured.column(measured.moments, f"L_{joint}") - known
        print(f"{joint:20}{np.sqrt(np.mean(off**2)):6.2f} of {np.abs(known).max():.0f} N m")

print(f"\n{walk.report('report/measured_walking.html')}")
