"""Closed chains among obstacles: derivatives of distances through the loops, clearances at closed configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from block_derivatives import assert_derivatives

import kinetree as kt
from kinetree.errors import InputError
from kinetree.plan import Box, Capsule, MovingObstacle, Plan, Problem, Sphere
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.obstacles.approach import Approach
from kinetree.plan.obstacles.block import ClearanceBlock
from kinetree.plan.obstacles.scene import Scene
from kinetree.transcribe.bspline import BSpline

CHAIN, BAR = kt.ClosedChain(kt.robots.five_bar()), kt.ClosedChain(kt.robots.four_bar())
STEP = 1e-6  # of central differences
SLOPES = 2e-5  # relative to the largest; second-order error, and the tolerance of closed loops over STEP
TIPS = {"left_upper": [-0.18, 0.24, 0.0], "left_lower": [0.24, 0.32, 0.0],
        "right_upper": [0.18, 0.24, 0.0], "right_lower": [-0.24, 0.32, 0.0]}  # fmt: skip
BARS = {name: Capsule([0.0, 0.0, 0.0], tip, 0.015) for name, tip in TIPS.items()}
POST = Sphere([-0.154, 0.51, 0.0], 0.03, name="post")
SWINGS = MovingObstacle(Box([0.4, 0.5, 0.1], [0.1, 0.2, 0.1]), [-1.0, 0.1, 0.0], name="swings")
CLEARANCE = 0.01  # m


def around(obstacles: Any) -> Plan:
    problem = Problem(CHAIN, control_points=14)
    problem.start([0.1, -0.1])
    problem.end([0.9, 0.6])
    problem.limit("force", 10.0)
    problem.limit("velocity", 8.0)
    problem.minimise("time")
    problem.avoid(obstacles, shapes=BARS, clearance=CLEARANCE)
    return problem.solve()


def sampled(scene: Scene, q: np.ndarray, t: np.ndarray) -> float:
    """The least distance at closed configurations, of lines between points of the bodies from points of obstacles."""
    found = np.inf
    for shape, pair in ((scene.shapes[pair.one], pair) for pair in scene.pairs if pair.obstacle is not None):
        X = CHAIN.robot.pose(q, CHAIN.robot.bodies[shape.body].name)
        ends = np.einsum("kij,ej->kei", X[:, :3, :3], [shape.start, shape.end]) + X[:, None, :3, 3]
        line = ends[:, :1] + np.linspace(0.0, 1.0, 501)[:, None] * (ends[:, 1:] - ends[:, :1])
        moving = isinstance(pair.obstacle, MovingObstacle)
        centre = pair.core.centre + (pair.obstacle.along(t)[:, 0] if moving else np.zeros((len(t), 3)))
        beyond = np.maximum(np.abs((line - centre[:, None]) @ pair.core.axes) - pair.core.half, 0.0)
        found = min(found, float(np.linalg.norm(beyond, axis=2).min()) - shape.radius - pair.core.radius)
    return found


@pytest.mark.parametrize("chain", [CHAIN, BAR], ids=["five_bar", "four_bar"])
def test_derivatives_of_distances_through_closed_loops_are_slopes(chain: kt.ClosedChain):
    coordinates, rng = LoopCoordinates(chain), np.random.default_rng(2)
    scene = Scene(chain.robot, kt.plan.link_shapes(chain.robot, 0.02), [POST, SWINGS], neutral=chain.neutral)
    pairs, basis = np.arange(len(scene.pairs)), BSpline(7)
    s = np.sort(rng.uniform(0.0, 1.0, len(pairs)))
    x = np.append(rng.uniform(-0.2, 0.2, 7 * coordinates.size) + np.tile(coordinates.rest(), 7), 0.3)
    block = ClearanceBlock(scene, basis, s, pairs, coordinates=coordinates)
    outside = block.values(x)[:, 0] > 0.0
    outside &= [pair.name != ("left_upper", "right_upper") for pair in scene.pairs]  # nearest at their pivots
    assert outside.sum() > 4
    block = ClearanceBlock(scene, basis, s[outside], pairs[outside], coordinates=coordinates)
    assert_derivatives(block, x, STEP, SLOPES)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_no_closed_configuration_is_nearer_than_the_clearance_says(seed: int):
    rng, coordinates = np.random.default_rng(seed), LoopCoordinates(CHAIN)
    points, scene = rng.uniform(-0.5, 0.5, (8, 2)), Scene(CHAIN.robot, BARS, [POST, SWINGS], self_collision=False)
    found = Approach(scene, BSpline(8), points, 0.5, coordinates).nearest()
    s = np.linspace(0.0, 1.0, 4001)
    q = CHAIN.close(BSpline(8).curve(points, s, 0)[0], np.tile(CHAIN.neutral, (len(s), 1))).check()
    least = min(scene.distances(q, np.full(len(s), k), 0.5 * s).min() for k in range(len(scene.pairs)))
    assert least - 1e-5 < found.distance <= least + 1e-9


def test_a_closed_chain_goes_around_what_is_in_its_way():
    free, plan = around([Sphere([2.0, 2.0, 0.0], 0.1)]), around([POST])
    assert free.ok
    assert plan.ok
    assert plan.duration > 1.02 * free.duration
    t = np.linspace(0.0, plan.duration, 4001)
    own = plan.coordinate_motion(t)[0]
    q = CHAIN.close(own, np.tile(CHAIN.neutral, (len(t), 1))).check()
    assert plan.clearance is not None
    assert CLEARANCE <= plan.clearance.distance <= sampled(plan.scene, q, t) < CLEARANCE + 1e-4
    assert sampled(plan.scene, free.motion(np.linspace(0.0, free.duration, 1001))[0], np.zeros(1001)) < 0.0
    moved = plan.replan(t=0.0, obstacles=[Sphere(np.add(POST.center, [0.003, 0.002, 0.0]), 0.03, name="post")])
    assert moved.ok
    assert moved.clearance is not None
    assert moved.clearance.distance >= CLEARANCE
    assert moved.iterations < plan.iterations


def test_a_closed_chain_in_the_way_of_what_moves():
    plan = around([MovingObstacle(POST, [0.3, 0.0, 0.0])])
    assert plan.ok
    t = np.linspace(0.0, plan.duration, 4001)
    q = CHAIN.close(plan.coordinate_motion(t)[0], np.tile(CHAIN.neutral, (len(t), 1))).check()
    assert CLEARANCE <= plan.clearance.distance <= sampled(plan.scene, q, t)


def test_plans_of_closed_chains_among_obstacles_are_saved(tmp_path: Path):
    plan = around([POST])
    loaded = Plan.load(plan.save(tmp_path / "plan.json"))
    assert loaded.clearance == plan.clearance
    assert loaded.scene.left_out == plan.scene.left_out
    assert loaded.replan(t=0.0).ok


def test_ends_of_closed_chains_in_collision_are_refused():
    tip = CHAIN.robot.pose(CHAIN.close([0.9, 0.6]).check(), "tip")[:3, 3]
    with pytest.raises(InputError, match=r"at the end 'right_lower' and the obstacle 'ball' overlap by 0\.0\d+ m"):
        around([Sphere(tip, 0.03, name="ball")])
