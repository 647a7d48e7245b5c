"""Motions among obstacles: distances and their derivatives, clearances that hold everywhere, and what is refused."""

from __future__ import annotations

import json
import sys
from typing import Any, cast

import numpy as np
import pytest
from block_derivatives import assert_derivatives

import kinetree as kt
from kinetree.compile import compiled
from kinetree.errors import InputError, KinetreeError
from kinetree.plan import Box, Capsule, HalfSpace, MovingObstacle, Problem, Sphere
from kinetree.plan.ends import settle_ends
from kinetree.plan.guess import first_guess
from kinetree.plan.obstacles.approach import Approach
from kinetree.plan.obstacles.avoidance import Avoidance
from kinetree.plan.obstacles.block import ClearanceBlock
from kinetree.plan.obstacles.distance import BodyPoses
from kinetree.plan.obstacles.scene import Scene
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.constraints import BoundedBlock
from kinetree.transcribe.transcription import Transcription

ROUNDING = 1e-9  # of distances by dense search, 1/20000 of a line, whose slope is zero there
SAME = 1e-12  # sums in the same order
STEP, SECOND = 1e-6, 1e-5  # of central differences, and what is left of them

_LINK = {"mass": 1.0, "inertia": (0.02, 0.03, 0.025)}
ARM = kt.Robot.from_dh(
    [
        kt.DH(d=0.3, alpha=1.1, a=0.1, **_LINK),
        kt.DH(joint="prismatic", theta=0.4, alpha=-0.7, a=0.2, **_LINK),
        kt.DH(a=0.3, alpha=0.5, d=0.1, **_LINK),
        kt.DH(a=0.2, alpha=0.3, d=0.1, **_LINK),
    ],
    "standard",
    name="skew",
)  # turns, slides, turns, turns
SHAPES = {body.name: Capsule([0.02 * k, 0.0, 0.1], [0.1, -0.05 * k, -0.1], 0.03) for k, body in enumerate(ARM.bodies)}
TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
OBSTACLES = [
    Sphere([0.6, 0.4, 0.9], 0.1),
    Box([-0.5, 0.4, 0.3], [0.3, 0.2, 0.4], TURN, name="crate"),
    Capsule([0.9, -0.5, 0.1], [0.8, -0.4, 0.7], 0.05),
    HalfSpace([0.1, 0.0, 1.0], [0.0, 0.0, -1.5], name="floor"),
    MovingObstacle(Sphere([1.5, 0.3, 0.8], 0.1), [-0.3, 0.1, 0.0], name="ball"),
    MovingObstacle(
        Box([1.0, 1.0, 1.0], [0.2, 0.3, 0.1]), lambda t: [0.0, -0.2 * np.sin(t), 0.1 * t], speed=0.3, name="swing"
    ),
]


def brute(scene: Scene, k: int, q: np.ndarray, t: float) -> float:
    """The distance of a pair by looking at many points of the capsule's line."""
    pair, pose = scene.pairs[k], compiled(BodyPoses(), scene.robot)(q)
    shape = scene.shapes[pair.one]

    def placed(body: int, x: Any) -> np.ndarray:
        return np.array(x) if body < 0 else np.array(x) @ pose[body, :9].reshape(3, 3).T + pose[body, 9:]

    a, b = placed(shape.body, [shape.start, shape.end])
    centre, axes = placed(pair.body, pair.core.centre), pair.core.axes
    if pair.body >= 0:
        axes = pose[pair.body, :9].reshape(3, 3) @ axes
    if isinstance(pair.obstacle, MovingObstacle):
        centre = centre + pair.obstacle.at(t)[0]
    line = a + np.linspace(0.0, 1.0, 20001)[:, None] * (b - a)
    beyond = np.abs((line - centre) @ axes) - pair.core.half
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
    return float(outside.min()) - shape.radius - pair.core.radius


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(ARM, SHAPES, OBSTACLES, 0.01)


@pytest.fixture(scope="module")
def motion(scene: Scene) -> Approach:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (9, ARM.nv))
    return Approach(scene, BSpline(9), points, 1.3)


def test_distances_are_those_of_a_dense_search(scene: Scene) -> None:
    random = np.random.default_rng(0)
    for k in range(len(scene.pairs)):
        for q, t in zip(random.uniform(-2.0, 2.0, (6, ARM.nq)), random.uniform(0.0, 2.0, 6)):
            expected = brute(scene, k, q, t)
            found = scene.distances(q[None], np.array([k]), np.array([t]))[0]
            if expected > -0.03:  # a line inside a box has a depth, not a distance
                assert abs(found - expected) < ROUNDING + 1e-6, scene.pairs[k].name
            assert scene.lower_bounds(q[None], np.array([t]))[0, k] <= expected + ROUNDING


def test_derivatives_of_distances(scene: Scene) -> None:
    random = np.random.default_rng(3)
    basis, pairs = BSpline(7), np.arange(len(scene.pairs))
    s = np.sort(random.uniform(0.0, 1.0, len(pairs)))
    x = np.append(random.uniform(-1.0, 1.0, 7 * ARM.nv), 1.7)
    block = ClearanceBlock(scene, basis, s, pairs)
    outside = block.values(x)[:, 0] > 0.0
    assert outside.sum() > 15
    assert_derivatives(ClearanceBlock(scene, basis, s[outside], pairs[outside]), x, STEP, SECOND)  # type: ignore[arg-type]


def test_rows_that_join_a_transcription_are_as_if_they_had_been_there() -> None:
    """Where elements of their matrices go is taken from the rows of limits; some knot intervals have none."""
    arm = kt.robots.puma560()
    problem = Problem(arm, control_points=16)
    problem.start(np.full(6, 0.1), 0.05)
    problem.end(np.full(6, 0.6))
    problem.limit("force", np.full(6, 300.0))
    problem.limit("velocity", 2.0)
    problem.minimise("time")
    problem.avoid([Sphere([0.6, 0.3, 0.4], 0.1)], shapes=kt.plan.link_shapes(arm, 0.06))
    settle_ends(problem)
    transcriber = Transcriber(problem)
    path = transcriber.open_path_constraints(problem.spline.samples(4))
    s = np.array([0.15, 0.15, 0.2, 0.5, 0.52, 0.9])
    block = ClearanceBlock(problem.scene, problem.spline, s, np.array([0, 1, 2, 1, 4, 5]))
    near = BoundedBlock(block, np.zeros((6, 1)), np.full((6, 1), np.inf), np.full((6, 1), 0.1))
    alone = transcriber.with_path_constraints(path, 1e-3)
    joined = alone.extended(near)
    blocks, dependent = [path.tightened(1e-3), near], transcriber.dependent
    whole = Transcription(transcriber.bounds, blocks, time_weight=1.0, dependent=dependent)
    assert joined._assembly.targets[0] is alone._assembly.targets[0]
    x = transcriber.completed(first_guess(transcriber))
    y, sigma = np.random.default_rng(2).normal(size=(2, len(whole.constraint_bounds.lower)))
    one, other = (program.linearise(x, y, np.abs(sigma)) for program in (joined, whole))
    some = np.random.default_rng(3).normal(size=(2, len(y)))
    np.testing.assert_allclose(one.matrix, other.matrix, rtol=SAME, atol=SAME * np.abs(other.matrix).max())
    np.testing.assert_allclose(one.jacobian.transpose_product(some), other.jacobian.transpose_product(some), rtol=SAME)
    np.testing.assert_allclose(joined.constraints(x), whole.constraints(x), rtol=SAME)


def test_second_derivatives_that_were_left_out_come_back_however_it_ends() -> None:
    """A search that has what it wants leaves its attempts as they are: no line after their `yield` runs."""
    arm = kt.robots.two_link()
    problem = Problem(arm, control_points=8)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.limit("force", 10.0)
    problem.minimise("time")
    problem.avoid([Sphere([0.4, 0.0, 0.0], 0.05)], self_collision=False)
    transcriber = Transcriber(problem)
    avoidance = Avoidance(problem.scene, transcriber, transcriber.refinement().s)
    avoidance.begin(first_guess(transcriber), None)
    avoidance.curved = True
    (rows,) = avoidance.blocks
    block = cast(ClearanceBlock, rows.block)

    def attempts() -> Any:
        with avoidance.flat():
            yield block.curved

    left = attempts()
    assert next(left) is False
    left.close()
    assert block.curved


def test_no_sample_is_nearer_than_the_clearance_says(scene: Scene, motion: Approach) -> None:
    found = motion.nearest()
    s = np.linspace(0.0, 1.0, 4001)
    q, t = motion.motion(s)[0], s * motion.duration
    sampled = [scene.distances(q, np.full(len(s), k), t).min() for k in range(len(scene.pairs))]
    assert found.distance <= min(sampled) < found.distance + 1e-5
    assert found.pair == scene.pairs[int(np.argmin(sampled))].name
    target = np.array(sampled) + np.where(np.arange(len(sampled)) % 2, 1e-3, -1e-5)
    assert {*motion.below(target).pairs.tolist()} == {*range(1, len(sampled), 2)}


def test_neighbours_and_pairs_that_touch_at_rest_are_left_out() -> None:
    arm = kt.robots.puma560()
    scene = Scene(arm, kt.plan.link_shapes(arm, 0.06))
    names = [pair.name for pair in scene.pairs]
    assert not {("link1", "link2"), ("link3", "link4")} & {*names}
    assert not {*names} & {*scene.left_out}
    only = Scene(arm, kt.plan.link_shapes(arm, 0.06), self_collision=[("link1", "link4")])
    assert [pair.name for pair in only.pairs] == [("link1", "link4")]


TWO = kt.robots.two_link()
LINKS = {body.name: Capsule([0.0, 0.0, 0.0], [0.4, 0.0, 0.0], 0.03) for body in TWO.bodies}


def around(obstacles: Any, **options: Any) -> kt.plan.Plan:
    problem = Problem(TWO, control_points=14)
    problem.start([-0.6, 0.3])
    problem.end([0.9, 0.3])
    problem.limit("force", 20.0)
    problem.limit("velocity", 6.0)
    problem.avoid(obstacles, shapes=LINKS, clearance=0.02)
    problem.minimise("time")
    return problem.solve(**options)


TIP = [0.85, 0.27, 0.0]


def test_a_motion_goes_around_and_stays_clear_everywhere() -> None:
    free = around([Sphere([5.0, 5.0, 0.0], 0.1)])
    plan = around([Sphere(TIP, 0.08, name="post")])
    assert free.ok
    assert plan.ok
    assert plan.duration > free.duration
    clearance = plan.clearance
    assert clearance is not None
    assert 0.02 <= clearance.distance < 0.0202
    assert "post" in str(clearance)
    t = np.linspace(0.0, plan.duration, 20001)
    assert plan.scene is not None
    sampled = [plan.scene.distances(plan.motion(t)[0], np.full(len(t), k), t).min() for k in range(2)]
    assert min(sampled) >= clearance.distance


def test_a_moved_obstacle_needs_no_new_code_and_few_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = around([Sphere(TIP, 0.08), Box([0.2, -0.8, 0.0], [0.2, 0.2, 0.2])])

    def refused(*_: Any) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr(sys.modules["kinetree.compile"], "trace", refused)
    again = around([Sphere(np.add(TIP, [0.004, -0.003, 0.0]), 0.081), Sphere([3.0, 0, 0], 0.1)], guess=plan)
    assert again.ok
    assert again.iterations < plan.iterations


def test_a_moving_obstacle_is_avoided_when_it_is_there() -> None:
    at_rest = around([Sphere(TIP, 0.08)])
    gone = around([MovingObstacle(Sphere(TIP, 0.08), [8.0, 0.0, 0.0])])
    assert gone.ok
    assert gone.duration < at_rest.duration
    assert gone.clearance is not None
    assert gone.clearance.distance >= 0.02


def test_what_can_not_be_avoided_is_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"at the start 'link2' and the obstacle 'wall' overlap by 0\.\d+ m"):
        around([Box([0.6, -0.35, 0.0], [0.2, 0.2, 0.4], name="wall")])
    beside = TWO.pose([0.9, 0.3], TWO.bodies[1].name) @ [0.4, 0.14, 0.0, 1.0]
    with pytest.raises(InputError, match=r"at the end 'link2' .* nearer than the clearance of 0.02 m"):
        around([Sphere(beside[:3], 0.1)])
    infeasible = around([Box([0.6, 0.15, 0.0], [0.5, 0.02, 1.0], name="wall")], time_limit=5.0)
    assert not infeasible.ok
    assert "wall" in infeasible.message


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere([0.0, 0.0], 0.1), "the center of a sphere is 3 finite numbers"),
        (lambda: Sphere([0.0, 0.0, np.nan], 0.1), "the center of a sphere is 3 finite numbers"),
        (lambda: Sphere([0.0, 0.0, 0.0], -0.1), "the radius of a sphere is a positive number"),
        (lambda: Box([0.0] * 3, [1.0, 0.0, 1.0]), "each size of a box is a positive number"),
        (lambda: Box([0.0] * 3, [1.0] * 3, 2 * np.eye(3)), "not orthogonal"),
        (lambda: HalfSpace([0.0] * 3), "must not be zero"),
        (lambda: MovingObstacle(Sphere([0.0] * 3, 1.0), lambda t: [t, 0, 0]), "needs a bound on its speed"),
        (lambda: MovingObstacle(cast(Any, 3), [0, 0, 0]), "what moves is a sphere"),
        (lambda: Scene(TWO, LINKS, [3]), "obstacles are of kinetree.plan"),
        (lambda: Scene(TWO, LINKS, clearance=np.nan), "a clearance is a number of metres"),
        (lambda: Scene(TWO, LINKS, self_collision=[("link1", "hand")]), "hand"),
        (lambda: Scene(TWO, {"link1": Box([0.0] * 3, [1.0] * 3)}), "are kt.plan.Sphere or kt.plan.Capsule"),
        (lambda: Scene(TWO, {"base": Sphere([0.0] * 3, 1.0)}), "base"),
        (lambda: Scene(TWO, LINKS, self_collision=False), "nothing is to be avoided"),
        (lambda: Problem(kt.robots.two_link(), path=[[0, 0], [0.5, 0.6], [1, 1]]).avoid([]), "can't avoid them yet"),
    ],
)
def test_bad_obstacles_are_refused_with_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(KinetreeError, match=words):
        make()


def test_a_robot_on_its_way_avoids_what_has_moved() -> None:
    plan = around([MovingObstacle(Sphere(TIP, 0.08, name="ball"), [0.5, 0.0, 0.0])])
    now = 0.3 * plan.duration
    q, qd = plan.motion(now)[:2]
    same = plan.replan(q=q, qd=qd, t=now)
    assert same.ok
    assert same.clearance is not None
    assert same.clearance.distance >= 0.02
    assert abs(same.duration + now - plan.duration) < 0.02 * plan.duration
    other = plan.replan(q=q, qd=qd, t=now, obstacles=[Sphere(np.add(TIP, [0.0, 0.02, 0.0]), 0.08, name="ball")])
    assert other.ok
    assert other.clearance is not None
    assert other.clearance.distance >= 0.02
    with pytest.raises(InputError, match="knows no obstacles"):
        kt.plan.minimum_time(TWO, q0=[0, 0], q1=[1, 1], force_limits=9).replan(t=0.1, obstacles=[Sphere(TIP, 0.1)])


def test_fitted_capsules_contain_the_geometry_of_the_file() -> None:
    random = np.random.default_rng(5)
    for size in ([1.0, 0.1, 0.1], [0.3, 0.3, 0.02], [0.2, 0.2, 0.2]):
        points = random.uniform(-1.0, 1.0, (200, 3)) * size @ TURN
        core = kt.plan.containing_capsule(points).core
        beyond = np.maximum(np.abs((points - core.centre) @ core.axes) - core.half, 0.0)
        assert np.linalg.norm(beyond, axis=1).max() <= core.radius
    arm = (
        '<link name="arm"><collision><origin xyz="0 0 0.2" rpy="0 1.5708 0"/><geometry><cylinder radius="0.05" '
        'length="0.4"/></geometry></collision><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    )
    file = (
        f'<robot name="r"><link name="base"/>{arm}<joint name="j" type="continuous"><parent link="base"/>'
        '<child link="arm"/><axis xyz="0 1 0"/></joint></robot>'
    )
    shapes = kt.plan.fitted_shapes(file)
    capsule, ball = shapes["arm"]
    assert isinstance(capsule, Capsule)
    assert abs(abs(np.subtract(capsule.end, capsule.start)[0]) - 0.4) < 0.02
    assert 0.05 <= capsule.radius < 0.052
    assert isinstance(ball, Sphere)
    robot = kt.Robot.from_urdf(file, strict=False)
    assert len(Scene(robot, shapes, [Sphere([1.0, 0.0, 0.0], 0.1)]).pairs) == 2
    with pytest.raises(InputError, match="no link of the file has <visual> geometry"):
        kt.plan.fitted_shapes(file, geometry="visual")


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_saved_plan_carries_its_obstacles(tmp_path):
    links = {name: kt.plan.Capsule([0, 0, 0], [0.4, 0, 0], 0.03) for name in ("link1", "link2")}
    obstacles = [
        kt.plan.Sphere([0.85, 0.27, 0.0], 0.08, name="post"),
        kt.plan.MovingObstacle(kt.plan.Box([0.0, 0.0, 2.0], [0.1, 0.1, 0.1]), [0.0, 0.0, 0.1], name="crane"),
        kt.plan.HalfSpace([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], name="floor"),
    ]
    plan = kt.plan.minimum_time(
        kt.robots.two_link(), q0=[-0.6, 0.3], q1=[0.9, 0.3], force_limits=20.0, velocity_limits=6.0,
        obstacles=obstacles, shapes=links, clearance=0.02,
    )  # fmt: skip
    loaded = kt.plan.Plan.load(plan.save(tmp_path / "plan.json"))
    assert loaded.scene.obstacles == plan.scene.obstacles
    assert loaded.scene.shapes == plan.scene.shapes
    assert loaded.clearance == plan.clearance
    again = loaded.replan(t=0.0)
    assert again.ok
    assert again.clearance.distance >= 0.02
    assert again.iterations <= 6


def test_a_plan_around_a_path_of_ones_own_is_saved_without_its_task(tmp_path):
    ball = kt.plan.MovingObstacle(kt.plan.Sphere([0.0, 0.0, 2.0], 0.1), lambda t: [0.0, 0.0, t], speed=1.0)
    arm, task = kt.robots.two_link(), {"q0": [-0.6, 0.3], "q1": [0.9, 0.3], "force_limits": 20.0}
    plan = kt.plan.minimum_time(arm, **task, obstacles=[ball])
    assert kt.plan.Plan.load(plan.save(tmp_path / "plan.json")).problem is None


def test_files_with_shapes_on_bodies_that_are_not_there_are_refused(tmp_path):
    arm, task = kt.robots.two_link(), {"q0": [-0.6, 0.3], "q1": [0.9, 0.3], "force_limits": 20.0}
    plan = kt.plan.minimum_time(arm, **task, obstacles=[kt.plan.Sphere([0.0, 0.0, 2.0], 0.1)])
    path = plan.save(tmp_path / "plan.json")
    content = json.loads(path.read_text())
    content["problem"]["scene"]["shapes"][0]["body"] = 7
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="a shape is on number 7"):
        kt.plan.Plan.load(path)


def test_shapes_are_fitted_to_a_robot_from_mjcf():
    geoms = """
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/>
      <geom type="box" pos="0.4 0 0" size="0.1 0.02 0.02" quat="0.7071067811865476 0 0 0.7071067811865476"/>
      <geom type="sphere" pos="0 0 0.1" size="0.06"/><geom type="ellipsoid" size="0.03 0.02 0.01"/>"""
    inertia = '<joint name="turn" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    body = f'<body name="arm">{inertia}{geoms}</body>'
    robot = kt.Robot.from_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    capsule, box, sphere, ellipsoid = kt.plan.fitted_shapes(robot)["arm"]
    assert capsule.radius == 0.05
    assert sorted((capsule.start[0], capsule.end[0])) == pytest.approx([0.0, 0.4])
    corners = np.array([[0.4 + x, y, z] for x in (-0.02, 0.02) for y in (-0.1, 0.1) for z in (-0.02, 0.02)])
    a, b = np.array(box.start), np.array(box.end)
    share = np.clip((corners - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    assert (np.linalg.norm(corners - a - share[:, None] * (b - a), axis=1) <= box.radius + 1e-9).all()
    assert (sphere.center, sphere.radius) == ((0.0, 0.0, 0.1), 0.06)
    assert ellipsoid.radius >= 0.02
    with pytest.raises(InputError, match="from no file with shapes"):
        kt.plan.fitted_shapes(kt.robots.two_link())


def test_collision_geometry_of_mjcf_is_that_of_geoms_that_touch_anything():
    """Hidden ones too, with classes and attached frames; what is but drawn is visual."""
    classes = """<default><default class="drawn"><geom contype="0" conaffinity="0" group="2"/></default>
      <default class="touches"><geom group="3" rgba="0 0 0 0"/></default></default>"""
    geoms = """<frame pos="0 0 0.1"><geom class="touches" type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/></frame>
      <geom class="drawn" type="box" size="0.3 0.02 0.02"/>
      <geom class="touches" type="sphere" size="0.01" contype="0"/>"""
    inertia = '<joint name="turn" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    world = f'<geom type="plane" size="1 1 1"/><geom size="2"/><body name="arm">{inertia}{geoms}</body>'
    file = f"<mujoco>{classes}<worldbody>{world}</worldbody></mujoco>"
    touching, drawn = (kt.plan.fitted_shapes(file, geometry=kind) for kind in ("collision", "visual"))
    assert [*touching] == [*drawn] == ["arm"]
    capsule, ball = touching["arm"]
    assert (capsule.radius, ball.radius) == (0.05, 0.01)
    assert sorted((capsule.start, capsule.end)) == [pytest.approx([0.0, 0.0, 0.1]), pytest.approx([0.4, 0.0, 0.1])]
    (box,) = drawn["arm"]
    assert abs(np.subtract(box.end, box.start)[0]) > 0.5
    robot = kt.Robot.from_mjcf(file)
    assert len(Scene(robot, touching, [Sphere([1.0, 0.0, 0.0], 0.1)]).pairs) == 2
    with pytest.raises(InputError, match="no link of the file has <collision> geometry"):
        kt.plan.fitted_shapes(file.replace('group="3"', 'group="3" contype="0" conaffinity="0"'))
