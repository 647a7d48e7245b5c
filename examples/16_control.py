"""Controllers: three of them track a motion with a payload that is not in their model.

Every controller runs in native code with the robot. The payload is a named parameter, so that five payloads are one
batch of runs for each controller. Finally the wrist moves along a straight line, with force limits.

Takes about 4 s, from the second run on 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 4 s, from the second run on 1 s.", flush=True)

payload = kt.parameter("payload")
arm = kt.robots.rx90()
loaded = arm.attach(kt.Inertia(payload, (0, 0, 0.1)), "link6")

# a smooth motion through four configurations, from rest to rest
start = np.array([0.0, 0.4, 0.9, 0.0, 0.6, 0.0])
points = start + np.array([[0.0], [0.5], [0.2], [0.8]]) * [1.0, 0.6, -0.5, 0.4, 0.5, 1.0]
reference = kt.control.BSpline(points, duration=1.5)

kp, kd = np.array([6e3, 6e3, 3e3, 400, 250, 60]), np.array([600, 600, 250, 30, 18, 5])
controllers = {
    "PD with gravity compensation": kt.control.PD(reference, kp, kd, model=arm),
    "feedforward and PD": kt.control.Tracker(reference, kp, kd, model=arm),
    "computed torque": kt.control.ComputedTorque(reference, 400.0, 40.0, model=arm),
}
masses = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
print("largest error [mrad] with a payload of", ", ".join(f"{m:g}" for m in masses), "kg that is not known")
errors = {}
for name, controller in controllers.items():
    motion = kt.simulate(loaded, start, np.zeros(6), 2.0, controller, dt=2e-3, payload=masses)
    errors[name] = np.abs(motion.q - reference.sample(motion.t).q).max(axis=(1, 2))
    print(f"  {name:30}" + "".join(f"{1e3 * e:9.3f}" for e in errors[name]))
assert errors["computed torque"][0] < 1e-6  # with the right model only the integration error remains

# the centre of the wrist along a straight line of 0.4 m, once with motors as they are and once with weaker ones
folded = np.array([-0.3, 0.5, -0.6, 0.0, 0.6, 0.0])
p = arm.pose(folded, "link6")[:3, 3]
line = kt.control.Septic(p, p + np.array([0.0, 0.4, 0.0]), duration=1.0)
straight = kt.control.OperationalSpace("link6", line, kp=400.0, kd=40.0, damping=5.0)
for name, controller in {
    "motors as they are": kt.control.Limited(straight),
    "less force": kt.control.Limited(straight, force=[60.0, 150.0, 50.0, 10.0, 5.0, 2.0]),
}.items():
    motion = kt.simulate(arm, folded, np.zeros(6), 1.5, controller, dt=2e-3)
    wrist = arm.pose(motion.q, "link6")[:, :3, 3]
    off = np.abs(wrist - p)[:, [0, 2]].max()
    print(f"a straight line, {name}: off by {1e3 * off:.3g} mm, largest force {np.abs(motion.tau).max():.0f} N m")
