"""The built-in robots: what their docstrings say, loops that close and leave the right freedom."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from typing import Any

import numpy as np
import pytest
from strategies import duals, rate_part, relative_error, states

import kinetree as kt
from kinetree.algorithms.kinematics import rates, world_poses
from kinetree.errors import ModelError
from kinetree.model.mechanism import WORLD
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3
from kinetree.view import skeleton

Array = np.ndarray

CLOSED = 1e-12  # m, rad: rounding of a few transforms of lengths below one metre
SAME = 1e-12  # relative: the same recursion in another order of operations
STEP = 0.5  # rad, m: so far Newton reaches
SINGULAR = 1e-9  # of the largest singular value; below it a direction is free, all others are above 1e-3

ARGUMENTS: dict[str, tuple[Any, ...]] = {"random_tree": (1, 5)}
ZOO = kt.robots.names()
MOBILITY = {"four_bar": 1, "five_bar": 2, "planar_3rrr": 3, "delta": 3, "gough_stewart": 6}
MOVED = {
    "four_bar": ([0.5], [-1.0], [2.0]),
    "five_bar": ([0.3, 0.3], [-0.4, 0.2]),
    "planar_3rrr": ([0.3, 0.3, 0.3], [-0.2, 0.1, 0.25]),
    "delta": ([0.3, 0.3, 0.3], [-0.3, 0.2, 0.5]),
    "gough_stewart": ([0.1] * 6, [0.05, -0.03, 0.08, 0.0, -0.06, 0.02]),
}


def build(name: str) -> kt.Robot:
    return getattr(kt.robots, name)(*ARGUMENTS.get(name, ()))


# -- all of them -------------------------------------------------------------------------------------------------------


def test_the_zoo_is_complete_and_says_where_its_numbers_come_from() -> None:
    assert {*ZOO} >= {*MOBILITY, "shuttle_rms", "rx90", "scara", "eel", "planar_eel", "quadruped", "human55"}
    assert {*ZOO} >= {"ur5", "ur10", "panda", "iiwa14", "hyq", "atlas"}
    assert [*ZOO] == sorted(ZOO)
    for name in ZOO:
        words = inspect.getdoc(getattr(kt.robots, name)) or ""
        assert "\n\nSource: " in words, name
        assert "\nExample:\n" in words, name


@pytest.mark.parametrize("name", ZOO)
def test_a_robot_passes_its_own_check(name: str) -> None:
    assert build(name).check() == ()


def test_an_unknown_robot_suggests_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"no built-in robot 'ur55'; did you mean 'ur5'\? Known: 'atlas', "):
        kt.robots.ur55()  # type: ignore[attr-defined]
    with pytest.raises(kt.errors.UnknownNameError):
        kt.robots.pandas  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(kt.robots, "ur55")


@pytest.mark.parametrize("name", ZOO)
def test_a_robot_has_its_name_and_a_mass_matrix_that_is_positive_definite(name: str) -> None:
    robot = build(name)
    assert robot.name.startswith(name)
    q = states(robot, 4, seed=5).q
    M = robot.mass_matrix(np.concatenate([robot.neutral[None], q]))
    assert relative_error(M, M.swapaxes(-1, -2)) < SAME
    assert (np.linalg.eigvalsh(M)[:, 0] > 0).all()


@pytest.mark.parametrize(
    "name", ["shuttle_rms", "rx90", "scara", "eel", "planar_eel", "quadruped", "human55", *MOBILITY]
)
def test_forces_are_those_of_the_mass_matrix(name: str) -> None:
    robot = build(name)
    s = states(robot, 3)
    by_matrix = np.einsum("...ij,...j->...i", robot.mass_matrix(s.q), s.qdd) + robot.bias_forces(s.q, s.qd)
    assert relative_error(robot.inverse_dynamics(s.q, s.qd, s.qdd), by_matrix) < SAME


# -- single robots -----------------------------------------------------------------------------------------------------


def test_the_shuttles_arm_reaches_from_shoulder_to_tip() -> None:
    arm = kt.robots.shuttle_rms()
    shoulder, tip = (arm.pose(arm.neutral, frame)[:3, 3] for frame in ("upper_boom", "tip"))
    assert np.linalg.norm(tip - shoulder) == pytest.approx(50.25 * 0.3048, abs=0.01)
    assert total_mass(arm) == pytest.approx(905 * 0.45359, abs=1)


def test_the_rx90_has_the_geometry_of_khalil() -> None:
    arm = kt.robots.rx90()
    q = np.random.default_rng(1).uniform(-3, 3, 6)
    elbow, wrist = (arm.pose(q, f"link{k}")[:3, 3] for k in (3, 4))
    # closed form of the position with D3 = RL4 = 0.45 m
    reach = 0.45 * math.cos(q[1]) - 0.45 * math.sin(q[1] + q[2])
    height = 0.45 * math.sin(q[1]) + 0.45 * math.cos(q[1] + q[2])
    assert np.allclose(wrist, [reach * math.cos(q[0]), reach * math.sin(q[0]), height], rtol=0, atol=CLOSED)
    assert np.linalg.norm(elbow) == pytest.approx(0.45)
    for k in (5, 6):
        assert np.allclose(arm.pose(q, f"link{k}")[:3, 3], wrist, rtol=0, atol=CLOSED)


def test_the_quill_of_the_scara_moves_down_and_stays_upright() -> None:
    arm = kt.robots.scara()
    high, low = (arm.pose([0.4, -0.7, z, 1.0], "link4") for z in (0.0, 0.15))
    assert np.allclose(low[:3, 3] - high[:3, 3], [0, 0, -0.15], rtol=0, atol=CLOSED)
    assert np.allclose(high[:3, 2], [0, 0, -1], rtol=0, atol=CLOSED)


@pytest.mark.parametrize("segments", [1, 2, 7])
def test_an_eel_is_as_long_as_its_segments(segments: int) -> None:
    eel = kt.robots.planar_eel(segments)
    assert eel.nv == segments + 2
    assert eel.pose(eel.neutral, "tail")[0, 3] == pytest.approx(-0.12 * segments)
    assert total_mass(eel) == pytest.approx(segments * total_mass(kt.robots.planar_eel(1)))


@pytest.mark.parametrize("segments", [0, -1, 2.5])
def test_an_eel_without_segments_is_refused(segments: Any) -> None:
    with pytest.raises(ModelError, match="one segment or more"):
        kt.robots.planar_eel(segments)


@pytest.mark.parametrize("joints", [0, 1, 6])
def test_an_eel_in_space_is_as_long_as_its_segments(joints: int) -> None:
    eel = kt.robots.eel(joints)
    assert (eel.nq, eel.nv, eel.nbase) == (joints + 7, joints + 6, 6)
    assert eel.pose(eel.neutral, "tail")[0, 3] == pytest.approx(-0.12 * (joints + 1))
    assert total_mass(eel) == pytest.approx(total_mass(kt.robots.planar_eel(joints + 1)))
    assert eel.gravity == Vec3.zero


def test_an_eel_in_space_bends_to_the_side_and_up_by_turns() -> None:
    eel = kt.robots.eel(2)
    aside, down = eel.neutral, eel.neutral
    aside[7], down[8] = 0.3, 0.3
    assert np.allclose(eel.pose(aside, "tail")[:3, 3], [-0.12 - 0.24 * math.cos(0.3), -0.24 * math.sin(0.3), 0])
    assert np.allclose(eel.pose(down, "tail")[:3, 3], [-0.24 - 0.12 * math.cos(0.3), 0, 0.12 * math.sin(0.3)])


def test_an_eel_that_bends_to_the_side_alone_is_the_planar_one() -> None:
    """Seen from above: the same accelerations of the head, and the same forces of the joints that turn about z."""
    eel, planar = kt.robots.eel(5), kt.robots.planar_eel(6)
    rng, side, turn = np.random.default_rng(0), [0, 2, 4], 0.7
    angles, rates, accelerations = (np.zeros(5) for _ in range(3))
    for x in (angles, rates, accelerations):
        x[side] = rng.normal(size=3)
    q = np.concatenate([[0.1, 0.2, 0, 0, 0, math.sin(turn / 2), math.cos(turn / 2)], angles])
    a, tau = eel.free_base_inverse_dynamics(q, np.concatenate([[0, 0, 0.3, 0, 0, 0], rates]), accelerations)
    flat, forces = planar.free_base_inverse_dynamics(
        np.concatenate([[0.1, 0.2, turn], angles]), np.concatenate([[0, 0, 0.3], rates]), accelerations
    )
    R = eel.pose(q, "head")[:3, :3]
    assert np.allclose([*(R @ a[3:])[:2], a[2]], flat, rtol=0, atol=1e-9)  # m/s^2, rad/s^2: of about 10
    assert np.allclose(tau[side], forces[side], rtol=0, atol=1e-9)


@pytest.mark.parametrize("joints", [-1, 2.5])
def test_an_eel_has_a_whole_number_of_joints(joints: Any) -> None:
    with pytest.raises(ModelError, match="a number of joints, none or more"):
        kt.robots.eel(joints)


def test_the_dog_stands_on_its_feet() -> None:
    dog = kt.robots.quadruped()
    q = np.concatenate([[0, 0, 0.46, 0, 0, 0, 1], [0, 0.7, -1.4] * 4])
    feet = np.array([dog.pose(q, f"{leg}_foot")[:3, 3] for leg in ("FL", "FR", "HL", "HR")])
    assert np.abs(feet[:, 2]).max() < 2e-3  # the docstring rounds the height
    assert np.allclose(feet[:, :2], [[0.25, 0.16], [0.25, -0.16], [-0.25, 0.16], [-0.25, -0.16]], atol=1e-12)
    assert total_mass(dog) == pytest.approx(30.0)
    weight = dog.gravity_forces(q)[3:6]
    assert np.allclose(weight, [0, 0, 30.0 * 9.81])
    assert [joint.actuated for joint in (body.joint for body in dog.bodies)] == [False] + [True] * 12


def total_mass(robot: kt.Robot) -> float:
    return sum(body.inertia.mass for body in robot.bodies)


PRODUCTS = {  # joints that drives move, mass [kg], frames
    "ur5": (6, 16.9939, ["tool0"]),
    "ur10": (6, 28.7, ["tool0"]),
    "panda": (7, 16.822132, ["flange", "hand", "fingers", "tcp"]),
    "iiwa14": (7, 17.5, ["flange"]),
    "hyq": (12, 86.774, ["trunk_imu", "lf_foot", "rf_foot", "lh_foot", "rh_foot"]),
    "atlas": (30, 175.117964, ["l_sole", "l_hand_mount", "r_sole", "r_hand_mount"]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_have_limits_on_every_drive_and_frames_for_tools(name: str) -> None:
    robot = build(name)
    driven, mass, frames = PRODUCTS[name]
    limits = [body.joint.limits for body in robot.bodies if body.joint.actuated]
    assert len(limits) == driven
    for x in limits:
        assert -2 * math.pi <= x.lower < x.upper <= 2 * math.pi
        assert 0 < x.velocity < math.inf
        assert 0 < x.effort < math.inf
    assert total_mass(robot) == pytest.approx(mass)
    assert [frame for frame, _ in robot.named_frames] == frames


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_come_back_from_a_urdf(name: str) -> None:
    robot = build(name)
    again = kt.Robot.from_urdf(robot.to_urdf(), base="floating" if robot.base_joints else "fixed")
    assert again.joint_names == robot.joint_names
    q = states(robot, 2).q
    assert relative_error(again.mass_matrix(q), robot.mass_matrix(q)) < SAME


def test_the_panda_without_its_hand_is_lighter_by_it() -> None:
    bare = kt.robots.panda(hand=False)
    assert total_mass(kt.robots.panda()) - total_mass(bare) == pytest.approx(0.73 + 2 * 0.015)
    assert [frame for frame, _ in bare.named_frames] == ["flange"]


def test_the_iiwa_has_the_reach_of_its_data_sheet() -> None:
    arm = kt.robots.iiwa14()
    q = np.random.default_rng(2).uniform(-1, 1, 7)
    shoulder, elbow, wrist = (arm.pose(q, f"iiwa_link_{k}")[:3, 3] for k in (2, 4, 6))
    assert [np.linalg.norm(elbow - shoulder), np.linalg.norm(wrist - elbow)] == pytest.approx([0.42, 0.40])
    assert np.linalg.norm(arm.pose(q, "flange")[:3, 3] - wrist) == pytest.approx(0.126)


def test_the_limbs_of_atlas_are_mirror_images() -> None:
    biped = kt.robots.atlas()
    q, rng = np.array(biped.neutral), np.random.default_rng(3)
    where = {body.joint.name: s for body, s in zip(biped.bodies, biped.q_slices)}
    for name, place in where.items():
        if name.startswith("l_"):
            x = rng.uniform(-1, 1)
            q[place], q[where["r" + name[1:]]] = x, x if name.endswith("y") else -x
    for frame in ("sole", "hand_mount", "larm", "lleg"):
        left, right = (biped.pose(q, f"{side}_{frame}")[:3, 3] for side in "lr")
        assert np.allclose(left * [1, -1, 1], right, rtol=0, atol=CLOSED)
    both = [[body.joint.limits for body in biped.bodies if body.joint.name.startswith(side)] for side in ("l_", "r_")]
    assert [(x.lower, x.upper) for x in both[0]] != [(x.lower, x.upper) for x in both[1]]
    assert {(x.effort, x.velocity) for x in both[0]} == {(x.effort, x.velocity) for x in both[1]}


def test_hyq_stands_where_its_docstring_says() -> None:
    dog = kt.robots.hyq()
    q = np.array(dog.neutral)
    for body, place in zip(dog.bodies, dog.q_slices):
        fore = 1 if "f_" in body.joint.name[:3] else -1
        q[place] = {"hfe": 0.75 * fore, "kfe": -1.5 * fore}.get(body.joint.name[3:6], q[place])
    feet = np.array([dog.pose(q, f"{leg}_foot")[:3, 3] for leg in ("lf", "rf", "lh", "rh")])
    assert np.allclose(feet[:, 2], -0.59, atol=2e-3)
    assert np.allclose(np.abs(feet[:, :2]), [0.3708, 0.207], atol=1e-4)
    for body, place in zip(dog.bodies[1:], dog.q_slices[1:]):
        assert body.joint.limits.lower < q[place] < body.joint.limits.upper


def test_the_puma_moves_as_the_measured_numbers_say() -> None:
    """The inertias that Armstrong, Khatib and Burdick print for links 1, 2 and 3, which no bodies have."""
    robot = kt.robots.puma560()
    printed = {"link1": (0.0, 0.0, 0.35), "link2": (0.13, 0.524, 0.539), "link3": (0.066, 0.0125, 0.086)}
    bodies = [
        dataclasses.replace(b, inertia=kt.Inertia(b.inertia.mass, b.inertia.com, printed[b.name]))  # type: ignore[arg-type]
        if b.name in printed
        else b
        for b in robot.bodies
    ]
    measured = dataclasses.replace(robot, bodies=tuple(bodies), strict=False)
    assert [finding.where for finding in measured.check()] == ["body 'link1'", "body 'link3'"]
    s = states(robot, 3)
    motion: dict[str, Any] = {
        "base_velocity": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        "base_acceleration": [1.0, -2.0, 3.0, 4.0, 5.0, 6.0],
    }
    for given in ({}, motion):
        tau = (r.inverse_dynamics(s.q, s.qd, s.qdd, **given) for r in (robot, measured))
        assert relative_error(*tau) < SAME


# -- loops -------------------------------------------------------------------------------------------------------------


class Closure:
    """The loops of a robot as equations in its coordinates and those of the cut joints, each joint a body of a tree."""

    def __init__(self, robot: kt.Robot) -> None:
        self.robot = robot
        cut = (kt.Body(loop.name, kt.Joint(loop.name, loop.kind)) for loop in robot.loops)
        self.all = kt.Robot((*robot.bodies, *cut))
        driven = zip(robot.bodies, robot.v_slices)
        self.driven = [vs.start for body, vs in driven if body.joint.actuated]

    def gaps(self, q: Any) -> list[Any]:
        """For each loop how far predecessor * joint(q_cut) is from the successor: three angles, then three lengths."""
        X = world_poses(self.robot, q)
        index = {None: WORLD, **{body.name: i for i, body in enumerate(self.robot.bodies)}}
        found: list[Any] = []
        for loop, qs in zip(self.robot.loops, self.all.q_slices[self.robot.nbodies :]):
            meant = X[index[loop.predecessor.body]] @ loop.predecessor.pose @ loop.kind.transform(q[qs])
            gap: Transform = meant.inverse @ X[index[loop.successor.body]] @ loop.successor.pose
            (_, xy, xz), (yx, _, yz), (zx, zy, _) = gap.R.matrix
            found += [0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy), *gap.p]
        return found

    def jacobian(self, q: Array) -> Array:
        """The rates of the gaps for each velocity, (6 loops, nv)."""
        steps = np.array([rates(self.all, q.tolist(), e) for e in np.eye(self.all.nv).tolist()])
        return np.array([rate_part(self.gaps(duals(q.tolist(), dq))) for dq in steps]).T

    def closed(self, q: Array, drives: Array) -> Array:
        """The configuration near q whose driven joints are where they should be (Newton's method)."""
        for _ in range(20):
            miss = np.concatenate([self.gaps(q.tolist()), q[self.driven_q] - drives])
            if np.abs(miss).max() < CLOSED / 10:
                return q
            rows = np.eye(self.all.nv)[self.driven]
            step = np.linalg.lstsq(np.concatenate([self.jacobian(q), rows]), -miss, rcond=None)[0]
            q = q + np.array(rates(self.all, q.tolist(), step.tolist()))
            for _, start in self.all.quaternions:
                q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        raise AssertionError(f"the loops of {self.robot.name} do not close at {drives}")

    @property
    def driven_q(self) -> list[int]:
        return [qs.start for body, qs in zip(self.robot.bodies, self.robot.q_slices) if body.joint.actuated]

    @functools.cached_property
    def configurations(self) -> list[Array]:
        """The neutral configuration, and those to which the actuators move it in a few steps."""
        found = [self.all.neutral]
        for drives in MOVED[self.robot.name]:
            q = self.all.neutral
            for part in np.linspace(0, 1, 1 + math.ceil(max(map(abs, drives)) / STEP))[1:]:
                q = self.closed(q, part * np.array(drives))
            found.append(q)
        return found


@functools.cache
def closure_of(name: str) -> Closure:
    return Closure(build(name))


@pytest.mark.parametrize("name", MOBILITY)
def test_loops_close_at_neutral(name: str) -> None:
    closure = closure_of(name)
    kind = kt.joints.Spherical if name in ("delta", "gough_stewart") else kt.joints.Revolute
    assert {type(loop.kind) for loop in closure.robot.loops} == {kind}
    assert np.abs(closure.gaps(closure.all.neutral.tolist())).max() < CLOSED
    off = closure.all.neutral + 0.01 * np.eye(closure.all.nq)[closure.driven_q[0]]
    assert np.abs(closure.gaps(off.tolist())).max() > 1e-3  # a configuration that does not close is seen


@pytest.mark.parametrize("name", MOBILITY)
def test_the_actuators_move_all_that_the_loops_leave_free(name: str) -> None:
    closure = closure_of(name)
    assert len(closure.driven) == MOBILITY[name]
    for q in closure.configurations:
        assert np.abs(closure.gaps(q.tolist())).max() < CLOSED
        J = closure.jacobian(q)
        assert closure.all.nv - rank(J) == MOBILITY[name]
        held = np.concatenate([J, np.eye(closure.all.nv)[closure.driven]])
        assert rank(held) == closure.all.nv


def rank(A: Array) -> int:
    values = np.linalg.svd(A, compute_uv=False)
    return int((values > SINGULAR * values[0]).sum())


def test_the_crank_turns_fully() -> None:
    closure = closure_of("four_bar")
    q = closure.all.neutral
    for angle in np.linspace(0, 2 * math.pi, 25)[1:]:
        q = closure.closed(q, np.array([angle]))
    assert abs(math.remainder(q[2], 2 * math.pi)) < 1e-9  # the rocker has swung and come back


def test_the_platform_of_the_delta_does_not_turn() -> None:
    closure = closure_of("delta")
    for q in closure.configurations:
        platform = world_poses(closure.robot, q.tolist())[closure.robot.nbodies - 1]
        assert np.allclose([[*row] for row in platform.R.matrix], np.eye(3), rtol=0, atol=1e-10)


def test_the_plane_platform_turns_in_place_when_all_motors_turn_alike() -> None:
    closure = closure_of("planar_3rrr")
    robot = closure.robot
    neutral, turned, aside = (world_poses(robot, q.tolist()) for q in closure.configurations)
    assert np.allclose([*turned[6].p], 0.0, rtol=0, atol=CLOSED)
    assert abs(closure.configurations[1][8]) > 0.2
    for X in (neutral, turned, aside):
        for k in range(3):
            foot, elbow, pin = X[2 * k].p, X[2 * k + 1].p, (X[6] @ robot.loops[k].successor.pose).p
            for bar in (elbow - foot, pin - elbow):
                assert math.sqrt(bar.dot(bar)) == pytest.approx(0.25, abs=CLOSED)


def test_the_lower_bars_of_the_plane_platform_pass_its_centre_at_neutral() -> None:
    robot = kt.robots.planar_3rrr()
    X = world_poses(robot, robot.neutral.tolist())
    for k in range(3):
        elbow, pin = X[2 * k + 1].p, (X[2 * k + 1] @ robot.loops[k].predecessor.pose).p
        assert pin.cross(pin - elbow).z / 0.25 == pytest.approx(-0.08, abs=CLOSED)
    platform = robot.bodies[-1].inertia
    corners = [loop.successor.pose.p for loop in robot.loops]
    # a triangle has the second moments of thirds of its mass in the middles of its sides
    middles = [(a + b) * 0.5 for a, b in zip(corners, corners[1:] + corners[:1])]
    assert platform.about_com.zz == pytest.approx(sum(p.dot(p) for p in middles) * platform.mass / 3)
    assert platform.about_com.xx == pytest.approx(sum(p.y**2 for p in middles) * platform.mass / 3)


def test_the_hexapod_rises_when_its_legs_grow_and_keeps_their_lengths() -> None:
    closure = closure_of("gough_stewart")
    neutral, risen, askew = closure.configurations
    assert risen[18 + 2] > 0.1
    robot = closure.robot
    for q in (neutral, risen, askew):
        X = world_poses(robot, q.tolist())
        for k, loop in enumerate(robot.loops):
            way = (X[12] @ loop.successor.pose).p - X[2 * k].p
            middle = robot.bodies[2 * k + 1].joint.placement.p.z
            assert math.sqrt(way.dot(way)) == pytest.approx(middle + q[3 * k + 2], abs=1e-10)


@pytest.mark.parametrize("name", MOBILITY)
def test_the_picture_of_a_closed_loop_has_no_gap(name: str) -> None:
    robot = build(name)
    shown = skeleton(robot, [robot.neutral] * 2)
    place = dict(zip(shown.names, np.moveaxis(shown.points, -2, 0)))
    for loop in robot.loops:
        one = place.get(f"{loop.name} predecessor", place[str(loop.predecessor.body)])
        other = place.get(f"{loop.name} successor", place[str(loop.successor.body)])
        assert np.allclose(one, other, rtol=0, atol=CLOSED)
    assert not [n for n in shown.names if n.endswith("tip")], "a body that ends in a loop has its tip there"


def test_a_loop_to_the_ground_is_drawn() -> None:
    pin = kt.Loop("pin", kt.joints.Revolute(), kt.Frame(None, Transform(p=(1.0, 0.0, 0.0))), kt.Frame("body"))  # type: ignore[arg-type]
    robot = kt.Robot((kt.Body("body", kt.Joint("joint", kt.joints.Revolute())),), loops=(pin,))
    shown = skeleton(robot, [[0.0]] * 3)
    assert (-1, 1) in shown.edges
    assert np.array_equal(shown.points[2, 1], [1.0, 0.0, 0.0])


def test_robots_of_the_zoo_are_new_each_time() -> None:
    for name in ZOO:
        one, other = build(name), build(name)
        assert one == other
        assert dataclasses.replace(one, name="other") != other
