"""The built-in robots: a table of all of them, and a picture of each.

`kt.robots.names()` lists them; each is a function of `kt.robots`. Robots with loops close them at ``robot.neutral``.
The picture goes to report/; the last line printed is its path, to open in a browser.

Takes about 6 s, from the second run on 1 s.
"""

from pathlib import Path

import numpy as np

import kinetree as kt
from kinetree.view import skeleton

print("Takes about 6 s, from the second run on 1 s.", flush=True)

CELL, COLUMNS = 240, 4  # pixels, pictures in a row
ARGUMENTS = {"random_tree": (7, 6), "planar_eel": (8,)}
BEND = 0.35  # of joints without a configuration of their own here
CONFIGURATIONS = {
    "human55": {"R_hip_flexion": 0.5, "R_knee_flexion": 0.3, "L_hip_flexion": -0.3, "L_shoulder_flexion": 0.5,
                "R_shoulder_flexion": -0.4, "L_elbow_flexion": 0.4, "R_elbow_flexion": 0.3},
    "quadruped": {f"{leg}_{name}_joint": x for leg in ("FL", "FR", "HL", "HR") for name, x in
                  (("thigh", 0.7), ("knee", -1.4))},
}  # fmt: skip


def configuration(robot: kt.Robot) -> np.ndarray:
    """Coordinates for the picture: neutral where loops must close, a little bent elsewhere."""
    q = robot.neutral
    bent = CONFIGURATIONS.get(robot.name, {} if robot.loops else dict.fromkeys(robot.joint_names, BEND))
    for body, own in zip(robot.bodies, robot.q_slices):
        joint = body.joint
        if joint.name in bent and joint.kind.nq == 1:
            q[own] = np.clip(bent[joint.name], joint.limits.lower, joint.limits.upper)
    return q


def picture(robot: kt.Robot) -> str:
    """The skeleton from the right and a little from above, as lines of SVG."""
    shown = skeleton(robot, configuration(robot))
    points = np.concatenate([shown.points, np.zeros((1, 3))])  # the base is the last one: edges from -1 find it
    up = 1 if robot.gravity.y else 2
    x, y, z = np.roll(points, 2 - up, axis=-1).T  # now z is up
    flat = np.stack([0.84 * x + 0.54 * y, 0.25 * (0.54 * x - 0.84 * y) - 0.97 * z], axis=-1)
    used = flat[sorted({k for edge in shown.edges for k in edge})]
    middle, size = (used.max(axis=0) + used.min(axis=0)) / 2, np.ptp(used, axis=0).max()
    flat = (flat - middle) * (0.72 * CELL / size)
    lines = [
        f'<path d="M{flat[a][0]:.1f} {flat[a][1]:.1f}L{flat[b][0]:.1f} {flat[b][1]:.1f}" stroke="#3577d4"/>'
        for a, b in shown.edges
    ]
    joints = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="#d9603b"/>' for x, y in flat[: robot.nbodies]]
    return "\n".join([*lines, *joints, f'<text y="{0.47 * CELL}" text-anchor="middle">{robot.name}</text>'])


robots = [getattr(kt.robots, name)(*ARGUMENTS.get(name, ())) for name in kt.robots.names()]
print(f"{'robot':20} {'bodies':>6} {'nv':>4} {'actuated':>8} {'loops':>6} {'mass [kg]':>10}")
for robot in robots:
    joints = [body.joint for body in robot.bodies]
    actuated = sum(joint.kind.nv for joint in joints if joint.actuated)
    mass = sum(body.inertia.mass for body in robot.bodies)
    print(f"{robot.name:20} {robot.nbodies:6} {robot.nv:4} {actuated:8} {len(robot.loops):6} {mass:10.4g}")
    assert mass > 0

cells = []
for k, robot in enumerate(robots):
    row, column = divmod(k, COLUMNS)
    cells.append(f'<g transform="translate({(column + 0.5) * CELL} {(row + 0.5) * CELL})">{picture(robot)}</g>')
width, height = COLUMNS * CELL, -(-len(robots) // COLUMNS) * CELL
style = 'font-family="system-ui, sans-serif" font-size="13" stroke-width="2.4" stroke-linecap="round"'
svg = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {style}>\n'
    + "\n".join(cells)
    + "\n</svg>\n"
)
path = Path("report/zoo.svg").absolute()
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(svg, encoding="utf-8")
print(path)
