"""The built-in robots: what their docstrings say, loops that close and leave the right freedom, a symmetric body."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import duals, rate_part, relative_error, states

import kinetree as kt
from kinetree.algorithms.kinematics import rates, world_poses
from kinetree.errors import ModelError
from kinetree.model.mechanism import WORLD
from kinetree.robots.human_body import FROZEN
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3
from kinetree.view import skeleton

Array = np.ndarray

CLOSED = 1e-12  # m, rad: rounding of a few transforms of lengths below one metre
SAME = 1e-12  # relative: the same recursion in another order of operations
PRINTED = 1e-5  # kg m^2: the last digit of the table; slices of the middle trunk are of equal height here
STEP = 0.5  # rad, m: so far Newton reaches
SINGULAR = 1e-9  # of the largest singular value; below it a direction is free, all others are above 1e-3
GAIT = Path(__file__).resolve().parents[2].parent / "shared" / "gait" / "model55.json"

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
    assert [*ZOO] == sorted(ZOO)
    for name in ZOO:
        assert inspect.getdoc(getattr(kt.robots, name)), name


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
        """The posture near q whose driven joints are where they should be (Newton's method)."""
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
    def postures(self) -> list[Array]:
        """The neutral posture, and those to which the drives move it in a few steps."""
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
    assert np.abs(closure.gaps(off.tolist())).max() > 1e-3  # a posture that does not close is seen


@pytest.mark.parametrize("name", MOBILITY)
def test_the_drives_move_all_that_the_loops_leave_free(name: str) -> None:
    closure = closure_of(name)
    assert len(closure.driven) == MOBILITY[name]
    for q in closure.postures:
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
    for q in closure.postures:
        platform = world_poses(closure.robot, q.tolist())[closure.robot.nbodies - 1]
        assert np.allclose([[*row] for row in platform.R.matrix], np.eye(3), rtol=0, atol=1e-10)


def test_the_plane_platform_turns_in_place_when_all_motors_turn_alike() -> None:
    closure = closure_of("planar_3rrr")
    robot = closure.robot
    neutral, turned, aside = (world_poses(robot, q.tolist()) for q in closure.postures)
    assert np.allclose([*turned[6].p], 0.0, rtol=0, atol=CLOSED)
    assert abs(closure.postures[1][8]) > 0.2
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
    neutral, risen, askew = closure.postures
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


# -- the human body ----------------------------------------------------------------------------------------------------

# mass [kg], centre of mass from the proximal end [m], inertia about it: forward, sideways, along [kg m^2]
SEGMENTS = {
    "pelvis": (5.596, 0.0500, 0.03970, 0.03083, 0.04094),
    "spine1": (2.558, 0.0228, 0.01646, 0.01240, 0.01871),
    "spine2": (5.960, 0.0539, 0.04701, 0.02331, 0.06063),
    "spine3": (5.960, 0.0539, 0.04700, 0.02330, 0.06063),
    "thorax": (11.651, 0.1195, 0.17415, 0.06993, 0.14766),
    "head": (5.066, 0.1214, 0.02744, 0.02966, 0.02036),
    "upper_arm": (1.978, 0.1626, 0.01275, 0.01136, 0.00392),
    "forearm": (1.183, 0.1230, 0.00651, 0.00600, 0.00125),
    "hand": (0.445, 0.0681, 0.00130, 0.00087, 0.00053),
    "thigh": (10.337, 0.1729, 0.19944, 0.19944, 0.04091),
    "shank": (3.161, 0.1935, 0.03861, 0.03708, 0.00638),
}
LENGTHS = {
    ("R_thigh", "R_shank"): 0.4222,
    ("R_shank", "R_foot"): 0.4403,
    ("L_upper_arm", "L_forearm"): 0.2817,
    ("L_forearm", "L_hand"): 0.2689,
    ("R_thigh", "L_thigh"): 2 * 0.0874,
    ("pelvis", "neck_lower_axial"): 0.6033,
    ("neck_lower_axial", "vertex"): 0.2429,
}


@pytest.fixture(scope="module")
def human() -> kt.Robot:
    return kt.robots.human55()


def frame_places(robot: kt.Robot, q: Array) -> dict[str, Array]:
    X = world_poses(robot, q.tolist())
    found = {}
    for name in robot.frames:
        body, pose = robot.frame(name)
        found[name] = np.array([*(X[body] @ pose).p])
    return found


def test_the_segments_are_those_of_the_table(human: kt.Robot) -> None:
    bodies = {body.name: body for body in human.bodies}
    for name, (mass, com, forward, sideways, along) in SEGMENTS.items():
        for full in {name, f"L_{name}", f"R_{name}"} & {*bodies}:
            inertia = bodies[full].inertia
            behind = 0.052 * 1.741 if name == "head" else 0.0  # the head turns on top of the neck
            assert inertia.mass == pytest.approx(mass, abs=6e-4)
            assert abs(inertia.com.y) + behind == pytest.approx(com, abs=6e-5)
            assert [*inertia.about_com] == pytest.approx([sideways, along, forward, 0, 0, 0], abs=PRINTED)


def test_foot_and_forefoot_are_one_foot(human: kt.Robot) -> None:
    at = {body.name: body for body in human.bodies}
    foot = at["R_foot"].inertia + at["R_forefoot"].inertia.moved(at["R_forefoot"].joint.placement)
    assert foot.mass == pytest.approx(1.000, abs=6e-4)
    assert at["R_forefoot"].inertia.mass == pytest.approx(0.13, abs=6e-4)
    assert foot.com.z == pytest.approx(0.1140 - 0.050, abs=6e-5)
    assert [*foot.about_com] == pytest.approx([0.00400, 0.00440, 0.00102, 0, 0, 0], abs=PRINTED)


def test_mass_and_lengths_are_those_of_the_body(human: kt.Robot) -> None:
    assert total_mass(human) == pytest.approx(73.0, abs=1e-9)
    place = frame_places(human, human.neutral)
    for (a, b), length in LENGTHS.items():
        assert np.linalg.norm(place[a] - place[b]) == pytest.approx(length)
    soles = [place[f"{side}_{part}"] for side in "RL" for part in ("heel", "ball", "toe")]
    assert np.ptp([p[1] for p in soles]) < CLOSED
    assert place["R_toe"][2] - place["R_heel"][2] == pytest.approx(0.258)
    assert place["vertex"][1] - place["R_heel"][1] == pytest.approx(1.777, abs=6e-4)  # as the docstring says


@pytest.mark.parametrize(("stature", "mass"), [(1.6, 73.0), (1.9, 95.0)])
def test_other_bodies_are_the_same_body_scaled(human: kt.Robot, stature: float, mass: float) -> None:
    other = kt.robots.human55(stature, mass)
    scale = stature / 1.741
    q = np.random.default_rng(2).normal(size=55) * 0.3
    stretched = np.concatenate([q[:3] * scale, q[3:]])
    here, there = frame_places(human, q), frame_places(other, stretched)
    for name, place in here.items():
        assert np.allclose(there[name], place * scale, rtol=0, atol=CLOSED)
    # forces on translations grow with the mass, moments with mass and length, inertias with mass and length squared
    grown = np.r_[np.ones(3), np.full(52, scale)]
    assert relative_error(other.gravity_forces(stretched), mass / 73.0 * grown * human.gravity_forces(q)) < SAME
    M = human.mass_matrix(q)
    assert relative_error(other.mass_matrix(stretched), mass / 73.0 * np.outer(grown, grown) * M) < SAME


@pytest.mark.parametrize(
    ("stature", "mass"), [(0.0, 73.0), (1.7, -1.0), (math.nan, 73.0), (1.7, math.inf), ("tall", 73.0)]
)
def test_impossible_bodies_are_refused(stature: Any, mass: Any) -> None:
    with pytest.raises(ModelError, match="is a positive number"):
        kt.robots.human55(stature, mass)


def mirror(human: kt.Robot) -> Array:
    """The signed permutation that turns a posture into its mirror image."""
    names = human.joint_names
    P = np.zeros((55, 55))
    for i, name in enumerate(names):
        twin = {"R_": "L_", "L_": "R_"}.get(name[:2], name[:2]) + name[2:]
        aside = name.endswith(("lateral", "lat_bend", "axial", "obliquity", "rotation"))
        P[i, names.index(twin)] = -1.0 if aside and name[:2] not in ("R_", "L_") else 1.0
    return P


def test_mirrored_motions_need_mirrored_forces(human: kt.Robot) -> None:
    P = mirror(human)
    assert np.array_equal(P @ P, np.eye(55))
    s = states(human, 3)
    forces = human.inverse_dynamics(s.q, s.qd, s.qdd)
    assert relative_error(human.inverse_dynamics(s.q @ P, s.qd @ P, s.qdd @ P), forces @ P) < SAME
    assert relative_error(forces @ P, forces) > 0.1


def test_flexion_bends_where_it_should(human: kt.Robot) -> None:
    def moved(frame: str, **angles: float) -> Array:
        q = np.zeros(55)
        for joint, angle in angles.items():
            q[human.joint_names.index(joint)] = angle
        return frame_places(human, q)[frame] - frame_places(human, human.neutral)[frame]

    left, up, forward = 0, 1, 2
    assert moved("R_shank", R_hip_flexion=0.5)[forward] > 0.1
    assert moved("R_foot", R_knee_flexion=0.5)[forward] < -0.1
    assert moved("L_toe", L_ankle_dorsiflexion=0.5)[up] > 0.05
    assert moved("L_toe", L_forefoot_extension=0.5)[up] > 0.02
    assert moved("L_hand", L_elbow_flexion=0.5)[forward] > 0.1
    assert moved("L_shank", L_hip_adduction=0.3)[left] < -0.1 < 0.1 < moved("R_shank", R_hip_adduction=0.3)[left]
    assert moved("R_hand", R_shoulder_abduction=0.5)[left] < -0.1
    assert moved("vertex", spine1_L5S1_flexion=0.5)[forward] > 0.2
    assert moved("vertex", spine1_L5S1_lat_bend=0.5)[left] < -0.2
    assert moved("L_hand", spine4_T8T9_axial=0.5)[forward] < -0.05


def test_standing_needs_the_weight_and_nothing_sideways(human: kt.Robot) -> None:
    tau = human.gravity_forces(human.neutral)
    assert tau[1] == pytest.approx(73.0 * 9.81)
    assert np.abs(tau[[0, 2, 4, 5]]).max() < 1e-9
    assert [body.joint.actuated for body in human.bodies] == [False] * 6 + [True] * 49


@pytest.mark.skipif(not GAIT.exists(), reason="the file of the model is not here")
def test_axes_points_and_dh_rows_of_the_file_give_the_same_frames(human: kt.Robot) -> None:
    model = json.loads(GAIT.read_text("utf-8"))
    joints = model["joints"]
    assert human.joint_names == tuple(joint["name"] for joint in joints)
    assert human.parents == tuple(joint["parent"] - 1 for joint in joints)
    assert tuple(joint["name"] for joint in joints if not joint["active"]) == FROZEN
    zero = by_dh(model, np.zeros(55))
    for q in np.random.default_rng(3).uniform(-1, 1, (3, 55)):
        X = world_poses(human, q.tolist())
        dh = by_dh(model, q)
        for i, joint in enumerate(joints):
            body = np.array([[*row, p] for row, p in zip(X[i].R.matrix, X[i].p)] + [[0, 0, 0, 1]], float)
            there = np.eye(4)
            there[:3, 3] = joint["point_world_zero"]
            # the frame that is at the joint in posture zero, and the distal DH frame, move as one body
            assert np.allclose(body @ np.linalg.inv(there), dh[i] @ np.linalg.inv(zero[i]), rtol=0, atol=1e-11)
    axes = [[*body.joint.kind.axis] for body in human.bodies]  # type: ignore[attr-defined]
    assert axes == [joint["axis_world_zero"] for joint in joints]


def by_dh(model: dict[str, Any], q: Array) -> list[Array]:
    """The distal frames of the standard DH table; each branch starts from a base frame that its parent carries."""
    joints = model["joints"]
    bases = dict(zip((0, 6, 13, 20, 32, 41, 50), map(np.array, model["branch_base"].values())))
    frames: list[Array] = []
    at_zero: list[Array] = []
    for i, joint in enumerate(joints):
        p = joint["parent"] - 1
        if i not in bases:
            F, F0 = frames[p], at_zero[p]
        else:
            F0 = bases[i]
            F = frames[p] @ np.linalg.inv(at_zero[p]) @ F0 if p >= 0 else F0
        frames.append(F @ row(joint, q[i]))
        at_zero.append(F0 @ row(joint, 0.0))
    return frames


def row(joint: dict[str, Any], x: float) -> Array:
    dh = joint["dh"]
    theta, d = (dh["theta0"] + x, dh["d"]) if joint["type"] == "R" else (dh["theta0"], dh["d"] + x)
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(dh["alpha"]), math.sin(dh["alpha"])
    a = dh["a"]
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def test_robots_of_the_zoo_are_new_each_time() -> None:
    for name in ZOO:
        one, other = build(name), build(name)
        assert one == other
        assert dataclasses.replace(one, name="other") != other
