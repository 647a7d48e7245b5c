"""Among obstacles: a Panda with 3 kg in its hand goes around a post and under a shelf, as fast as its torques allow.

The arm is a chain of capsules, the world a table, a post, a shelf and a ball that comes flying. All distances hold
between samples too: the clearance of a plan is certified. Where obstacles are changes no code, so a second plan for the
world as it is now takes milliseconds. The goal is a pose of the hand; inverse kinematics offers several configurations.

Writes into report/: the distances over time, and a page with an animation.

Takes about 20 s.
"""

import time

import numpy as np

import kinetree as kt
from kinetree.view import Curves

print("Takes about 20 s.", flush=True)

arm = kt.robots.panda().attach(kt.Inertia(3.0), "tcp")
shapes = kt.plan.link_shapes(arm, radius=0.06)


def world(post: float) -> list[kt.plan.Sphere | kt.plan.Box | kt.plan.Capsule | kt.plan.MovingObstacle]:
    """With the post somewhere along y."""
    return [
        kt.plan.Box([0.5, 0.0, -0.1], [1.0, 1.6, 0.1], name="table"),
        kt.plan.Capsule([0.55, post, 0.0], [0.55, post, 0.45], 0.04, name="post"),
        kt.plan.Box([0.6, 0.0, 1.1], [0.4, 1.2, 0.05], name="shelf"),
        kt.plan.MovingObstacle(kt.plan.Sphere([0.6, 1.5, 0.6], 0.06), [0.0, -1.0, 0.0], name="ball"),
    ]


start = np.array([-0.7, 0.2, 0.0, -1.9, 0.0, 2.1, 0.8])
pose = arm.pose([0.7, 0.2, 0.0, -1.9, 0.0, 2.1, 0.8], "tcp")
limits = {"limits": "model", "control_points": 16, "shapes": shapes, "clearance": 0.01}

plan = kt.plan.minimum_time(arm, q0=start, pose=("tcp", pose), obstacles=world(0.0), **limits)
print(plan)
print(plan.clearance)

began = time.perf_counter()
again = plan.replan(t=0.0, obstacles=world(0.01))
print(f"\nthe post has moved by a centimetre: {again.duration:.4f} s, planned in {time.perf_counter() - began:.3f} s")
print(again.clearance)

free = kt.plan.minimum_time(arm, q0=start, pose=("tcp", pose), limits="model", control_points=16)
print(f"\nwithout obstacles it would take {free.duration:.4f} s")

# the least distance from each obstacle over time
scene, t = plan.scene, np.linspace(0.0, plan.duration, 400)
if scene is not None:
    q, apart = plan.motion(t)[0], dict[str, np.ndarray]()
    for k, pair in enumerate(scene.pairs):
        if pair.obstacle is not None:
            distances = scene.distances(q, np.full(len(t), k), t)
            apart[pair.name[1]] = np.minimum(apart.get(pair.name[1], np.inf), distances)
    apart["clearance"] = np.full(len(t), scene.clearance)
    figure = Curves("How far away obstacles are", t, apart, ylabel="distance [m]", dashed=["clearance"]).picture()
    figure.save("report/obstacles_distances.svg")
print(f"\nwrote {plan.report('report/obstacles.html')}")
