"""The picture of the README: a planned motion, a predicted walk, and how long one state takes.

    python tools/picture.py [FILE.svg]

Everything in it is computed, and the times are measured, when it is made.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.view import Picture, skeleton, svg

FILE = "docs/_static/kinetree.svg"
HEIGHT, ARM, WALK, SPEED = 300, 330, 360, 310  # pixels: of all, and the widths of the panels
BLUE, ORANGE, GREY = "#2f6fd0", "#d9603b", "#7a8290"
HOME, GOAL = [-1.5, 1.0, 0.0, -1.5, 0.0, 2.5, 0.0], [1.3, 0.1, 0.0, -1.2, 0.0, 2.0, 0.8]
BATCH = 4096


def main() -> None:
    panels = (fastest_motion(), walk(), speed())
    left = 0
    elements = [f'<rect width="{ARM + WALK + SPEED}" height="{HEIGHT}" rx="8" fill="white"/>']
    for panel in panels:
        elements.append(panel.at(left, 0))
        left += panel.width
    picture = Picture("What Kinetree computes, and how fast", left, HEIGHT, tuple(elements), svg.FONT)
    print(picture.save(sys.argv[1] if len(sys.argv) > 1 else FILE))


# -- panels ------------------------------------------------------------------------------------------------------------


def fastest_motion() -> Picture:
    """An arm at several times of its fastest motion, and the path of its tool."""
    arm = kt.robots.panda()
    for _ in range(2):  # the first time it is compiled
        plan = kt.plan.minimum_time(arm, q0=HOME, q1=GOAL, force_limits="model", velocity_limits="model")
    finely = plan.reference().sample(np.linspace(0.0, plan.duration, 200)).q
    path = skeleton(arm, finely).points[:, -1]
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    q = finely[np.searchsorted(along, np.linspace(0.0, along[-1], 8))]
    shown = skeleton(arm, q)
    origin = np.zeros((len(q), 1, 3))  # the last point: edges from -1 find it
    points = np.concatenate([shown.points, origin], axis=1)
    edges = [(a, b) for a, b in shown.edges if np.ptp(points[0, [a, b]], axis=0).any()]
    floor = np.array([[[x, -0.7, 0], [x, 0.7, 0]] for x in np.linspace(-0.7, 0.7, 8)])
    lines = np.concatenate([floor, floor[..., [1, 0, 2]]])
    place = fitted([*map(projected, (points, path, lines))], ARM)
    elements = [
        svg.path(svg.polyline(place(projected(line))), f'stroke="{GREY}" stroke-opacity="0.25"') for line in lines
    ]
    elements.append(svg.path(svg.polyline(place(projected(path))), f'stroke="{ORANGE}" stroke-width="2"'))
    for figure, strength in zip(place(projected(points)), np.geomspace(0.15, 1.0, len(q))):
        elements += stick(figure, edges, BLUE, strength, 7.0)
    words = f"{plan.duration:.3f} s under torque limits, found in {1e3 * plan.seconds:.0f} ms"
    return titled("The fastest motion of an arm", words, ARM, elements)


def walk() -> Picture:
    """A stride of a predicted walk, seen from the right."""
    gait = kt.gait.predict(progress=False)
    robot, (_, q) = gait.step.walker.robot, gait.stride(181)
    shown = skeleton(robot, q[::30])
    points, at = shown.points[..., [2, 1]], shown.names.index  # forward, up
    limbs = {side: [] for side in ("L_", "", "R_")}  # the far side, the trunk, the near side
    for a, b in shown.edges[at("pelvis") + 1 :]:
        first, second = shown.names[a][:2], shown.names[b][:2]
        limbs[first if first == second and first in limbs else ""].append((a, b))
    low, high = points[:, at("pelvis") :].min(axis=(0, 1)), points[:, at("pelvis") :].max(axis=(0, 1))
    place = fitted([low, np.add(high, [0.0, 0.3])], WALK)
    elements = []
    ground = np.add(place(np.array([low, [high[0], low[1]]])), [0.0, 3.0])
    elements.append(svg.path(svg.polyline(ground), f'stroke="{GREY}" stroke-width="2" stroke-opacity="0.5"'))
    for figure, strength in zip(place(points), np.linspace(0.35, 1.0, len(points))):
        for side, edges in limbs.items():
            elements += stick(figure, edges, GREY if side == "L_" else BLUE, strength, 4.0)
        neck = figure[[at("R_upper_arm"), at("L_upper_arm")]].mean(axis=0)
        head = neck + 0.35 * (neck - figure[at("pelvis")])  # it has no joint, so no point of its own
        elements.append(svg.circle(head, 9.0, f'fill="{BLUE}" fill-opacity="{strength:.2f}"'))
    words = f"{gait.step.speed:g} m/s, from the body alone: no measured motion"
    return titled("A walk that nobody recorded", words, WALK, elements)


def speed() -> Picture:
    """How long one state takes, beside Pinocchio called in a loop."""
    import pinocchio

    robot = kt.robots.panda()
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    data, states = model.createData(), np.random.default_rng(0).standard_normal((3, BATCH, robot.nv))
    kt.threads(1)
    rows = [
        ("inverse dynamics", robot.inverse_dynamics, pinocchio.rnea),
        ("forward dynamics", robot.forward_dynamics, pinocchio.aba),
        ("derivatives", robot.inverse_dynamics_derivatives, pinocchio.computeRNEADerivatives),
    ]
    elements: list[str] = []
    longest = 0.0
    times = []
    for name, ours, theirs in rows:
        loop = [partial(theirs, model, data, *x) for x in states.transpose(1, 0, 2)]
        times.append((name, shortest(partial(ours, *states)), shortest(lambda loop=loop: [call() for call in loop])))
        longest = max(longest, *times[-1][1:])
    for k, (name, fast, slow) in enumerate(times):
        top = 78 + 68 * k
        elements.append(svg.text(16, top, name, 'font-size="13" font-weight="600" fill="#333"'))
        for row, (label, value, colour) in enumerate((("Kinetree", fast, BLUE), ("Pinocchio", slow, GREY))):
            y, wide = top + 8 + 18 * row, max(2.0, 160 * value / longest)
            elements.append(f'<rect x="16" y="{y}" width="{wide:.1f}" height="14" rx="2" fill="{colour}"/>')
            elements.append(svg.text(22 + wide, y + 11, f"{label} {value:,.0f} ns", 'font-size="11.5" fill="#333"'))
    words = "one state of a batch, one thread, 7 joints"
    return titled("Native speed from NumPy", words, SPEED, elements)


# -- drawing -----------------------------------------------------------------------------------------------------------


def titled(title: str, words: str, width: int, elements: Iterable[str]) -> Picture:
    head = svg.text(16, 28, title, 'font-size="17" font-weight="700" fill="#222"')
    return Picture(title, width, HEIGHT, (head, svg.text(16, 48, words, 'font-size="12" fill="#666"'), *elements))


def projected(points: np.ndarray) -> np.ndarray:
    """From metres in space to a plane: seen from the front right, somewhat from above."""
    turn, tilt = np.radians((-55.0, 22.0))
    x, y, z = np.moveaxis(points, -1, 0)
    across, away = np.cos(turn) * x + np.sin(turn) * y, -np.sin(turn) * x + np.cos(turn) * y
    return np.stack([across, np.cos(tilt) * z + np.sin(tilt) * away], axis=-1)


def fitted(groups: Iterable[np.ndarray], width: int) -> Callable[[np.ndarray], np.ndarray]:
    """From a plane to pixels below the title of a panel."""
    every = np.concatenate([group.reshape(-1, 2) for group in groups])
    low, size = every.min(axis=0), np.ptp(every, axis=0)
    scale = min((width - 32) / size[0], (HEIGHT - 80) / size[1])
    corner = np.array([(width - scale * size[0]) / 2, HEIGHT - 14.0])
    return lambda points: corner + scale * (points - low) * [1.0, -1.0]


def stick(figure: np.ndarray, edges: Any, colour: str, strength: float, width: float) -> Iterator[str]:
    """A robot as thick lines with round joints."""
    moves = "".join(svg.polyline(figure[[a, b]]) for a, b in edges)
    style = f'stroke="{colour}" stroke-opacity="{strength:.2f}" stroke-width="{width}" stroke-linecap="round"'
    yield svg.path(moves, style)
    if width > 5 and strength > 0.9:
        yield from (svg.circle(figure[k], 2.2, 'fill="white"') for k in sorted({k for edge in edges for k in edge}))


def shortest(work: Callable[[], Any], repeats: int = 15) -> float:
    """Of several runs over a batch, for each state [ns]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) / BATCH * 1e9


if __name__ == "__main__":
    main()
