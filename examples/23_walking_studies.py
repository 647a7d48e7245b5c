"""Studies of walking: a backpack, weak ankles, a higher speed. Each is one prediction that starts from normal walking.

From zero such predictions end in other, far more costly local optima, so it is worth starting from a gait that is near.
A symmetric gait is one step and its mirror image. What only one side has, a weak knee or a bag in one hand, needs two
steps: `predict(..., symmetric=False)`, which takes several times as long. `kt.gait.sweep([0.8, 1.2, 1.6])` walks at
several speeds on all cores.

Takes about 75 s, from the second run on 55 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 75 s, from the second run on 55 s.", flush=True)


def show(name, gait):
    """A line with what is different."""
    if not gait.ok:
        print(f"{name:24} {gait.message}", flush=True)
        return
    robot, moments = gait.step.walker.robot, gait.moments()
    hip, knee, ankle = (np.abs(moments[joint]).max() for joint in ("hip", "knee", "ankle"))
    peak = gait.ground_forces()["vertical"].max()
    q = gait.motion(0.5)[0][0]  # in the middle of the step
    hips, head = (robot.pose(q, frame)[:3, 3] for frame in ("pelvis", "head"))
    leans = np.degrees(np.arctan2(head[2] - hips[2], head[1] - hips[1]))
    print(f"{name:24} {gait.effort:6.3f}   {hip:.2f}   {knee:.2f}   {ankle:.2f} {leans:12.1f} {peak:14.2f}", flush=True)


Walker = kt.gait.Walker
print("four predictions, a line for each as soon as it is found\n")
print("                         effort   largest moments [N m/kg]   leans   vertical force")
print("                                  hip    knee   ankle        [deg]   [weight with load]", flush=True)
normal = kt.gait.predict(1.2, 0.6)
show("normal walking", normal)
show("a backpack of 15 kg", kt.gait.predict(1.2, 0.6, Walker(loads={"backpack": 15.0}), start=normal))
show("ankles of 70 % strength", kt.gait.predict(1.2, 0.6, Walker(strength={"ankle": 0.7}), start=normal))
show("1.3 m/s, longer steps", kt.gait.predict(1.3, 0.65, start=normal))
