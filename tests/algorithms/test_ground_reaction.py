"""What the ground does: Newton and Euler for the whole body, shares of contacts, a base that nothing holds, slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from strategies import duals, on_floats, rate_part, states, tree

import kinetree as kt
from kinetree.algorithms.ground_reaction import OF_GROUND, GroundReaction, ground_reaction, ground_reaction_derivatives
from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import InputError, ModelError
from kinetree.gait import Walker
from kinetree.gait.phases import CONTACTS
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray

ROUND_OFF = 1e-12  # relative to the weight: sums over some forty bodies
SLOPES = 1e-10  # relative to the largest: the same derivatives by another recursion
STEP = 3e-3  # s, of differences of fourth order
DIFFERENCES = 1e-7  # relative: their error, h^4 times a sixth derivative, with room
GRAVITY = np.array([0.0, -9.81, 0.0])

SHARES = {
    "one contact": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    "two feet": [0.0, 0.3, 0.0, 0.7, 0.0, 0.0],
    "all six": [0.05, 0.2, 0.1, 0.3, 0.25, 0.1],
}
each_share = pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES.keys())


@pytest.fixture(scope="module")
def human() -> kt.Robot:
    return Walker().robot


@pytest.fixture(scope="module")
def runner() -> kt.Robot:
    """A small body with two arms on three sliding and three turning joints, as the human has them."""
    arms = kt.robots.random_tree(5, 4, ["revolute", "prismatic"]).with_gravity(GRAVITY.tolist())
    axes = np.eye(3).tolist()
    bodies, parent = [], None
    for k, kind in enumerate((kt.joints.Prismatic,) * 3 + (kt.joints.Revolute,) * 3):
        inertia = kt.Inertia(4.0, (0.1, 0.0, -0.1), (0.3, 0.4, 0.2, 0.0, 0.0, 0.01)) if k == 5 else kt.Inertia()
        bodies.append(kt.Body(f"base{k}", kt.Joint(f"base{k}", kind(axes[k % 3])), inertia, parent))
        parent = f"base{k}"
    for body in arms.bodies:
        bodies.append(kt.Body(body.name, body.joint, body.inertia, body.parent or parent))
    return kt.Robot(tuple(bodies), "runner", GRAVITY.tolist())


def free_tree(seed: int, **options: bool) -> kt.Robot:
    """A tree of joints of all kinds on a free base, with y up."""
    kinds = ("revolute", "prismatic", "universal", "spherical", "cylindrical", "planar", "helical")
    robot = tree(seed, 4, kinds, on_free_base=True, **options)
    return robot.with_gravity(GRAVITY.tolist())


def motion(robot: kt.Robot, seed: int) -> tuple[list[float], list[float], list[float]]:
    """A random motion that presses on the ground."""
    s = states(robot, 1, seed)
    return s.q[0].tolist(), (0.5 * s.qd[0]).tolist(), (0.5 * s.qdd[0]).tolist()


def weight(robot: kt.Robot) -> float:
    return 9.81 * sum(float(body.inertia.mass) for body in robot.bodies)


def wrench(loads: Sequence[Sequence[float]], robot: kt.Robot, q: list[float]) -> tuple[Array, Array]:
    """Moment about the world's origin and force of loads on the bodies."""
    X = world_poses(robot, q)
    force = np.array([load[3:] for load in loads], float)
    moment = np.array([load[:3] for load in loads], float)
    at = np.array([[*X[k].p] for k in range(robot.nbodies)], float)
    return (moment + np.cross(at, force)).sum(axis=0), force.sum(axis=0)


def acting(now: GroundReaction) -> Array:
    """Its moment about the world's origin."""
    return np.cross([*now.point], [*now.force]) + np.array([0.0, now.moment, 0.0])


# -- mass points: an account that knows nothing of velocities ----------------------------------------------------------


def mass_points(robot: kt.Robot) -> list[tuple[int, Array, Array]]:
    """For each body six points with its mass, centre and inertia: places in its frame, and masses."""
    found = []
    for k, body in enumerate(robot.bodies):
        m = float(body.inertia.mass)
        if not m:
            continue
        J = body.inertia.about_com
        J = np.array([[J.xx, J.xy, J.xz], [J.xy, J.yy, J.yz], [J.xz, J.yz, J.zz]], float)
        spread, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        arms = axes * np.sqrt(3.0 * np.maximum(spread, 0.0) / m)
        places = np.array([*body.inertia.com], float) + np.concatenate([arms.T, -arms.T])
        found.append((k, places, np.full(6, m / 6.0)))
    return found


def places_of(robot: kt.Robot, points: Any, q: Array) -> Array:
    X = world_poses(robot, q.tolist())
    world = []
    for k, places, _ in points:
        world += [[*(X[k].R @ Vec3(*place) + X[k].p)] for place in places]
    return np.array(world, float)


def needed(robot: kt.Robot, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Moment about the origin and force on the whole body, from second differences of its mass points."""
    points = mass_points(robot)
    masses = np.concatenate([m for _, _, m in points])
    at = {k: places_of(robot, points, q + k * STEP * qd + 0.5 * (k * STEP) ** 2 * qdd) for k in range(-2, 3)}
    a = (-at[-2] + 16.0 * at[-1] - 30.0 * at[0] + 16.0 * at[1] - at[2]) / (12.0 * STEP**2)
    forces = masses[:, None] * (a - GRAVITY)
    return np.cross(at[0], forces).sum(axis=0), forces.sum(axis=0)


@pytest.mark.parametrize("height", [0.0, -0.93])
@pytest.mark.parametrize("which", ["human", "runner"])
def test_force_and_point_are_those_that_newton_and_euler_need(
    which: str, height: float, request: pytest.FixtureRequest
) -> None:
    robot = request.getfixturevalue(which)
    contacts = CONTACTS if which == "human" else tuple(body.name for body in robot.bodies[-6:])
    q, qd, qdd = (0.3 * np.array(x) for x in motion(robot, 3))
    now = ground_reaction(robot, q, qd, qdd, contacts, SHARES["all six"], height)
    moment, force = needed(robot, q, qd, qdd)
    scale = weight(robot)
    assert abs(np.array([*now.force]) - force).max() <= DIFFERENCES * scale
    about = acting(now)
    assert abs(about - moment).max() <= DIFFERENCES * scale
    assert now.point.y == height


def test_a_body_at_rest_presses_with_its_weight_below_its_centre_of_mass(human: kt.Robot) -> None:
    q = np.random.default_rng(4).normal(scale=0.2, size=human.nv)
    still = [0.0] * human.nv
    now = ground_reaction(human, q.tolist(), still, still, CONTACTS, SHARES["two feet"], -0.9)
    points = mass_points(human)
    masses, at = np.concatenate([m for _, _, m in points]), places_of(human, points, q)
    centre = masses @ at / masses.sum()
    assert [*now.force] == pytest.approx([0.0, weight(human), 0.0], abs=ROUND_OFF * weight(human))
    assert [now.point.x, now.point.z, now.moment] == pytest.approx([centre[0], centre[2], 0.0], abs=1e-9)


# -- the ground holds the body -----------------------------------------------------------------------------------------


@each_share
@pytest.mark.parametrize("height", [0.0, -0.93, 0.4])
@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_is_left_for_the_base_of_the_human(
    human: kt.Robot, shares: list[float], height: float, seed: int
) -> None:
    now = ground_reaction(human, *motion(human, seed), CONTACTS, shares, height)
    assert len(now.joint_forces) == human.nv
    assert max(map(abs, now.joint_forces[:6])) <= ROUND_OFF * max(weight(human), max(map(abs, now.joint_forces)))
    assert max(map(abs, now.joint_forces)) > 1.0


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_left_for_a_free_base(seed: int) -> None:
    robot = free_tree(seed, friction=seed % 2 == 1, springs=seed > 3)
    contacts = [body.name for body in robot.bodies][-2:]
    now = ground_reaction(robot, *motion(robot, seed), contacts, [0.4, 0.6], -1.0)
    size = max(weight(robot), *(abs(x) for load in now.loads for x in load))
    assert max(map(abs, now.joint_forces[:6])) <= ROUND_OFF * size


@each_share
def test_the_loads_together_are_the_force_at_its_point(human: kt.Robot, shares: list[float]) -> None:
    q, qd, qdd = motion(human, 7)
    now = ground_reaction(human, q, qd, qdd, CONTACTS, shares, -0.93)
    moment, force = wrench(now.loads, human, q)
    about = acting(now)
    assert force == pytest.approx([*now.force], abs=ROUND_OFF * weight(human))
    assert moment == pytest.approx(about, abs=1e3 * ROUND_OFF * weight(human))  # Z may be far away


@each_share
def test_a_foot_carries_the_sum_of_its_shares(human: kt.Robot, shares: list[float]) -> None:
    now = ground_reaction(human, *motion(human, 2), CONTACTS, shares, -0.93)
    carried = {body.name: np.array(load[3:], float) for body, load in zip(human.bodies, now.loads)}
    for side, own in (("R", shares[:3]), ("L", shares[3:])):
        foot = carried.pop(f"{side}_foot") + carried.pop(f"{side}_forefoot")
        assert foot == pytest.approx(sum(own) * np.array([*now.force]), abs=ROUND_OFF * weight(human))
    assert not np.any([*carried.values()])


def test_with_one_contact_the_force_acts_at_its_point(human: kt.Robot) -> None:
    q, qd, qdd = motion(human, 9)
    now = ground_reaction(human, q, qd, qdd, ["L_heel"], [1.0], -0.93)
    X = world_poses(human, q)
    body, place = human.frame("L_heel")
    moved = (X[body] @ place).p + now.offset
    assert [moved.x, moved.z] == pytest.approx([now.point.x, now.point.z], rel=1e-12)


def test_the_whole_wrench_does_not_depend_on_the_shares(human: kt.Robot) -> None:
    state = motion(human, 5)
    found = [ground_reaction(human, *state, CONTACTS, shares, -0.93).numbers()[:6] for shares in SHARES.values()]
    assert found[0] == found[1] == found[2]


def test_forces_between_the_feet_cancel_and_have_no_moment(human: kt.Robot) -> None:
    q, qd, qdd = motion(human, 3)
    alike, apart = (
        ground_reaction(human, q, qd, qdd, CONTACTS, SHARES["all six"], -0.93, apex) for apex in (None, 0.9)
    )
    for one, other in zip(wrench(alike.loads, human, q), wrench(apart.loads, human, q)):
        assert other == pytest.approx(one, abs=1e3 * ROUND_OFF * weight(human))  # Z may be far away
    assert max(map(abs, apart.joint_forces[:6])) <= ROUND_OFF * max(weight(human), max(map(abs, apart.joint_forces)))
    assert apart.forces != alike.forces
    sums = [sum(x) for x in zip(*(tuple(force) for force in apart.forces))]
    assert sums == pytest.approx([*apart.force], abs=ROUND_OFF * weight(human))


def test_the_forces_on_feet_that_stand_still_meet_above_the_ground(human: kt.Robot) -> None:
    still, apex, height = [0.0] * human.nv, 0.9, -0.93
    now = ground_reaction(human, still, still, still, CONTACTS, SHARES["two feet"], height, apex)
    X = world_poses(human, still)
    for frame, share, force in zip(CONTACTS, SHARES["two feet"], now.forces):
        if share:  # straight up on the whole, so toward the point above the middle of the load
            body, place = human.frame(frame)
            at = (X[body] @ place).p + now.offset
            top = [at.x + force.x / force.y * apex, at.z + force.z / force.y * apex]
            assert top == pytest.approx([now.point.x, now.point.z], abs=1e-9)


# -- sensitivities -----------------------------------------------------------------------------------------------------


def by_duals(robot: kt.Robot, q: Any, qd: Any, qdd: Any, *rest: Any) -> Array:
    """The same slopes by numbers with rates; positions move along the velocities of the joints."""
    columns = []
    for part in range(3):
        for j in range(robot.nv):
            unit, none = np.eye(robot.nv)[j], np.zeros(robot.nv)
            dq = on_floats(robot)("rates", np.array([q]), unit[None])[0] if part == 0 else np.zeros(robot.nq)
            moved = duals(q, dq), duals(qd, unit if part == 1 else none), duals(qdd, unit if part == 2 else none)
            columns.append(rate_part(ground_reaction(robot, *moved, *rest).numbers()))
    return np.array(columns).T


@pytest.mark.parametrize("seed", range(5))
def test_slopes_are_those_of_numbers_with_rates_on_a_free_base(seed: int) -> None:
    robot = free_tree(seed, friction=seed % 2 == 1, springs=seed > 2)
    contacts, state = [body.name for body in robot.bodies][-3:], motion(robot, seed)
    rest = contacts, [0.2, 0.5, 0.3], -1.0
    slopes = np.array(ground_reaction_derivatives(robot, *state, *rest), float)
    exact = by_duals(robot, *state, *rest)
    assert slopes.shape == (OF_GROUND + robot.nv, 3 * robot.nv)
    for row, wanted in zip(slopes, exact):
        assert abs(row - wanted).max() <= SLOPES * max(abs(wanted).max(), abs(exact).max() * 1e-3)


def test_slopes_on_sliding_and_turning_base_joints_are_those_of_numbers_with_rates(runner: kt.Robot) -> None:
    contacts, state = [body.name for body in runner.bodies][-3:], motion(runner, 1)
    rest = contacts, [0.2, 0.5, 0.3], 0.3
    slopes = np.array(ground_reaction_derivatives(runner, *state, *rest), float)
    exact = by_duals(runner, *state, *rest)
    assert abs(slopes - exact).max() <= SLOPES * abs(exact).max()
    base = slopes[OF_GROUND : OF_GROUND + 6]
    assert abs(base).max() <= SLOPES * abs(exact).max()  # zero everywhere, so are its slopes


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_bodies_that_stand_on_the_world_side_by_side_are_refused() -> None:
    joints = [kt.Joint(name, kt.joints.Revolute()) for name in ("one", "other")]
    robot = kt.Robot(tuple(kt.Body(joint.name, joint, kt.Inertia(1.0)) for joint in joints), "pair")
    with pytest.raises(ModelError, match="one root; 'one', 'other'"):
        ground_reaction(robot, [0.0] * 2, [0.0] * 2, [0.0] * 2, ["one"], [1.0])


def test_contacts_without_a_share_are_refused(human: kt.Robot) -> None:
    with pytest.raises(InputError, match="6 contacts, 2 shares"):
        ground_reaction(human, *motion(human, 0), CONTACTS, [0.5, 0.5])


def test_joints_that_mimic_have_a_reaction_but_no_slopes() -> None:
    robot = tree(1, 4, ("revolute",), mimics=True, on_free_base=True).with_gravity(GRAVITY.tolist())
    state, rest = motion(robot, 1), (["base"], [1.0], -1.0)
    now = ground_reaction(robot, *state, *rest)
    assert max(map(abs, now.joint_forces[:6])) <= ROUND_OFF * 10.0 * weight(robot)
    with pytest.raises(ModelError, match="mimics another"):
        ground_reaction_derivatives(robot, *state, *rest)
