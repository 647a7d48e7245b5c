"""The human body: segments of the tables, masses and lengths of other bodies, left and right, signs of its joints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from human_dh import JOINTS, distal_frames
from strategies import relative_error, states

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import ModelError, UnknownNameError
from kinetree.gait.joints import locked
from kinetree.robots.human_body import places
from kinetree.robots.human_table import MASS, PROPORTIONS, STATURE

Array = np.ndarray

EXACT = 1e-12  # m: rounding of a few transforms of lengths below two metres
SAME = 1e-12  # relative: the same recursion in another order of operations
TENTH = 0.5e-4 + EXACT  # m: joints are placed to a tenth of a millimetre
PRINTED = 1e-5  # kg m^2: the last digit of the table; slices of the middle trunk are of equal height here
ROUNDED = 3e-4  # relative: joints to a tenth of a millimetre between slices of the middle trunk of 102.65 mm

# -- tables ------------------------------------------------------------------------------------------------------------

# men: mass [kg], centre of mass from the proximal end [m], inertia about it: forward, sideways, along [kg m^2]
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
# women, as printed: mass [%], length [mm], centre of mass from above, radii forward, sideways, along [% of the length]
WOMEN = {
    ("head",): (6.68, 243.7, 48.41, 27.1, 29.5, 26.1),
    ("thorax",): (15.45, 228.0, 50.50, 46.6, 31.4, 44.9),
    ("spine2", "spine3"): (14.65, 205.3, 50.0, 43.3, 35.4, 41.5),  # slices are of a uniform segment
    ("pelvis", "spine1"): (12.47, 181.5, 50.0, 43.3, 40.2, 44.4),
    ("R_upper_arm",): (2.55, 275.1, 57.54, 27.8, 26.0, 14.8),
    ("L_forearm",): (1.38, 264.3, 45.59, 26.1, 25.7, 9.4),
    ("R_hand",): (0.56, 78.0, 74.74, 53.1, 45.4, 33.5),
    ("L_thigh",): (14.78, 368.5, 36.12, 36.9, 36.4, 16.2),
    ("R_shank",): (4.81, 438.6, 43.52, 26.7, 26.3, 9.2),
}
# distances of frames in the zero configuration [m], of men and women
LENGTHS = {
    ("R_thigh", "R_shank"): (0.4222, 0.3685),
    ("R_shank", "R_foot"): (0.4403, 0.4386),
    ("L_upper_arm", "L_forearm"): (0.2817, 0.2751),
    ("L_forearm", "L_hand"): (0.2689, 0.2643),
    ("pelvis", "spine2"): (0.1457, 0.1815),
    ("spine2", "thorax"): (0.2155, 0.2053),
    ("thorax", "neck_lower_axial"): (0.2421, 0.2280),
    ("pelvis", "neck_lower_axial"): (0.6033, 0.6148),
    ("neck_lower_axial", "vertex"): (0.2429, 0.2437),
    ("R_thigh", "L_thigh"): (2 * 0.0874, 2 * 0.0871),
}
POINTS = {"vertex", *(f"{side}_{part}" for side in "LR" for part in ("heel", "ball", "toe"))}
SEXES = ("male", "female")
each_sex = pytest.mark.parametrize("sex", SEXES)
each_body = pytest.mark.parametrize(
    ("sex", "stature", "mass"),
    [("male", 1.6, 73.0), ("male", 1.9, 95.0), ("female", 1.55, 48.0), ("female", 1.82, None)],
)


@pytest.fixture(scope="module")
def humans() -> dict[str, kt.Robot]:
    return {sex: kt.robots.human55(sex=sex) for sex in SEXES}


@pytest.fixture(scope="module")
def man(humans: dict[str, kt.Robot]) -> kt.Robot:
    return humans["male"]


@pytest.fixture(scope="module")
def woman(humans: dict[str, kt.Robot]) -> kt.Robot:
    return humans["female"]


def total_mass(robot: kt.Robot) -> float:
    return sum(body.inertia.mass for body in robot.bodies)


def frame_places(robot: kt.Robot, q: Array) -> dict[str, Array]:
    X = world_poses(robot, q.tolist())
    found = {}
    for name in robot.frames:
        body, pose = robot.frame(name)
        found[name] = np.array([*(X[body] @ pose).p])
    return found


def forces(robot: kt.Robot, q: Array, qd: Array, qdd: Array) -> Array:
    return np.array(inverse_dynamics(robot, q.tolist(), qd.tolist(), qdd.tolist()), float)


# -- the bodies of the tables ------------------------------------------------------------------------------------------


def test_the_segments_of_the_man_are_those_of_the_table(man: kt.Robot) -> None:
    bodies = {body.name: body for body in man.bodies}
    for name, (mass, com, forward, sideways, along) in SEGMENTS.items():
        for full in {name, f"L_{name}", f"R_{name}"} & {*bodies}:
            inertia = bodies[full].inertia
            behind = 0.052 * 1.741 if name == "head" else 0.0  # the head turns on top of the neck
            assert inertia.mass == pytest.approx(mass, abs=6e-4)
            assert abs(inertia.com.y) + behind == pytest.approx(com, abs=6e-5)
            assert [*inertia.about_com] == pytest.approx([sideways, along, forward, 0, 0, 0], abs=PRINTED)


@pytest.mark.parametrize("names", WOMEN, ids="+".join)
def test_masses_centres_and_radii_of_the_woman_are_those_of_the_table(woman: kt.Robot, names: tuple[str, ...]) -> None:
    place = frame_places(woman, woman.neutral)
    bodies = {body.name: body for body in woman.bodies}
    whole = kt.Inertia()
    for name in names:
        whole = whole + bodies[name].inertia.moved(kt.Transform(p=(place[name] - place[names[0]]).tolist()))
    mass, length, com, *radii = (*WOMEN[names][:2], *(x / 100 for x in WOMEN[names][2:]))
    hangs = names[0][:2] in ("L_", "R_")
    start = -0.052 * 1.735 if names == ("head",) else 0.0  # the head turns on top of the neck
    ratio = ROUNDED if len(names) > 1 else SAME
    assert whole.mass == pytest.approx(61.9 * mass / 99.99)  # so much the table adds up to
    assert [whole.com.x, whole.com.z] == [0.0, 0.0]
    assert whole.com.y == pytest.approx(start + (-com if hangs else 1 - com) * length / 1000, abs=TENTH)
    moments = whole.about_com
    found = [math.sqrt(x / whole.mass) * 1000 / length for x in (moments.zz, moments.xx, moments.yy)]
    assert found == pytest.approx(radii, rel=ratio)


@pytest.mark.parametrize(
    ("sex", "mass", "part", "com", "moments"),
    [
        ("male", 1.000, 0.13, 0.1140 - 0.050, [0.00400, 0.00440, 0.00102]),
        ("female", 0.7986, 0.1038, (0.4014 - 0.050 / 0.2581) * 0.2283, [0.00324, 0.00372, 0.00080]),
    ],
)
def test_foot_and_forefoot_are_one_foot(
    humans: dict[str, kt.Robot], sex: str, mass: float, part: float, com: float, moments: list[float]
) -> None:
    at = {body.name: body for body in humans[sex].bodies}
    foot = at["R_foot"].inertia + at["R_forefoot"].inertia.moved(at["R_forefoot"].joint.placement)
    assert foot.mass == pytest.approx(mass, abs=6e-4)
    assert at["R_forefoot"].inertia.mass == pytest.approx(part, abs=6e-4)
    assert foot.com.z == pytest.approx(com, abs=6e-5)
    assert [*foot.about_com] == pytest.approx([*moments, 0, 0, 0], abs=PRINTED)


@each_sex
def test_the_inertias_are_those_of_rigid_bodies(humans: dict[str, kt.Robot], sex: str) -> None:
    human = humans[sex]
    assert human.check() == ()
    segments = [body for body in human.bodies if body.inertia.mass]
    assert len(segments) == 6 + 2 * 7
    for body in segments:
        # a foot has no less height than its ball, a hand no less length than its palm: radii of a centimetre or more
        assert math.sqrt(min([*body.inertia.about_com][:3]) / body.inertia.mass) > 0.01, body.name


@pytest.mark.parametrize(
    ("sex", "mass", "height", "foot"), [("male", 73.0, 1.777, 0.258), ("female", 61.9, 1.733, 0.2282)]
)
def test_mass_and_lengths_are_those_of_the_body(
    humans: dict[str, kt.Robot], sex: str, mass: float, height: float, foot: float
) -> None:
    human = humans[sex]
    assert total_mass(human) == pytest.approx(mass, abs=1e-9)
    place = frame_places(human, human.neutral)
    for (a, b), lengths in LENGTHS.items():
        exact = EXACT if a != "spine2" and b != "thorax" else TENTH
        assert np.linalg.norm(place[a] - place[b]) == pytest.approx(lengths[SEXES.index(sex)], abs=exact)
    assert place["R_toe"][2] - place["R_heel"][2] == pytest.approx(foot, abs=TENTH)
    assert place["vertex"][1] - place["R_heel"][1] == pytest.approx(height, abs=6e-4)  # as the docstring says


def test_the_positions_of_the_mans_joints_have_no_rounding_in_them() -> None:
    at = places(PROPORTIONS["male"])
    heights = {"L5S1": 0.100, "L3L4": 0.1457, "T12L1": 0.2535, "T8T9": 0.3612, "C7": 0.6033}
    assert {name: at[name] for name in heights} == {name: (0.0, y, 0.0) for name, y in heights.items()}
    assert (at["L_hip"], at["L_knee"], at["L_ankle"]) == tuple((0.0874, y, 0.0) for y in (0.0, -0.4222, -0.8625))
    assert (at["R_clavicle"], at["R_shoulder"]) == ((-0.028, 0.5433, 0.0), (-0.188, 0.5433, 0.0))
    assert (at["R_elbow"], at["R_wrist"]) == ((-0.188, 0.2616, 0.0), (-0.188, -0.0073, 0.0))


def test_the_woman_has_the_assumed_positions_of_the_man_as_parts_of_stature_trunk_and_foot(
    humans: dict[str, kt.Robot],
) -> None:
    his, hers = (frame_places(human, human.neutral) for human in humans.values())
    taller, longer_trunk, longer_foot = 1.735 / 1.741, 0.1815 / 0.1457, 0.2283 / 0.2581

    def part(of: dict[str, Array], a: str, b: str, axis: int) -> float:
        return float(of[b][axis] - of[a][axis])

    across, up, forward = 0, 1, 2
    for a, b, axis, ratio in (
        ("R_thigh", "L_thigh", across, taller),
        ("R_upper_arm", "L_upper_arm", across, taller),
        ("R_clavicle_elevation", "L_clavicle_elevation", across, taller),
        ("L_upper_arm", "neck_lower_axial", up, taller),
        ("neck_lower_axial", "head", up, taller),
        ("L_heel", "L_foot", up, taller),
        ("L_ball", "L_forefoot", up, taller),
        ("pelvis", "spine1", up, longer_trunk),
        ("R_heel", "R_foot", forward, longer_foot),
        ("R_foot", "R_ball", forward, longer_foot),
        ("R_ball", "R_toe", forward, longer_foot),
    ):
        assert part(hers, a, b, axis) == pytest.approx(ratio * part(his, a, b, axis), abs=2 * TENTH), (a, b)


# -- other bodies ------------------------------------------------------------------------------------------------------


@each_sex
def test_stature_and_mass_are_those_of_the_sex_if_not_given(humans: dict[str, kt.Robot], sex: str) -> None:
    stature, mass = {"male": (1.741, 73.0), "female": (1.735, 61.9)}[sex]
    assert humans[sex] == kt.robots.human55(stature, mass, sex)
    assert humans[sex] == kt.robots.human55(mass=mass, sex=sex)
    assert humans["male"] == kt.robots.human55(STATURE, MASS)


@each_body
def test_other_bodies_have_their_mass_and_lengths(sex: str, stature: float, mass: float | None) -> None:
    other = kt.robots.human55(stature, mass, sex)
    assert total_mass(other) == pytest.approx(mass or 61.9, abs=1e-9)
    place = frame_places(other, other.neutral)
    scale = stature / PROPORTIONS[sex].stature
    for (a, b), lengths in LENGTHS.items():
        assert np.linalg.norm(place[a] - place[b]) == pytest.approx(scale * lengths[SEXES.index(sex)], abs=2 * TENTH)


@each_body
def test_other_bodies_are_the_same_body_scaled(
    humans: dict[str, kt.Robot], sex: str, stature: float, mass: float | None
) -> None:
    human, other = humans[sex], kt.robots.human55(stature, mass, sex)
    longer, heavier = stature / PROPORTIONS[sex].stature, (mass or 61.9) / PROPORTIONS[sex].mass
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 55)) * 0.3
    stretch = np.r_[np.full(3, longer), np.ones(52)]
    here, there = frame_places(human, q), frame_places(other, stretch * q)
    for name, place in here.items():
        assert np.allclose(there[name], place * longer, rtol=0, atol=EXACT)
    # similar motions under the same gravity: times grow with the root of lengths, forces with masses, moments with both
    tau = forces(other, stretch * q, stretch * qd / math.sqrt(longer), stretch * qdd / longer)
    grown = heavier * np.r_[np.ones(3), np.full(52, longer)]
    assert relative_error(tau, grown * forces(human, q, qd, qdd)) < SAME


@pytest.mark.parametrize(
    ("stature", "mass"),
    [(0.0, 73.0), (1.7, -1.0), (math.nan, 73.0), (1.7, math.nan), (1.7, math.inf), ("tall", 73.0), (1.7, 0)],
)
@each_sex
def test_impossible_bodies_are_refused(stature: Any, mass: Any, sex: str) -> None:
    with pytest.raises(ModelError, match="is a positive number"):
        kt.robots.human55(stature, mass, sex)


@pytest.mark.parametrize("sex", ["x", "", "Male", None, 1, ["male"]])
def test_an_unknown_sex_is_refused_with_those_that_exist(sex: Any) -> None:
    with pytest.raises(UnknownNameError, match="Known: 'female', 'male'"):
        kt.robots.human55(sex=sex)


# -- joints ------------------------------------------------------------------------------------------------------------


def test_both_sexes_have_the_same_joints(man: kt.Robot, woman: kt.Robot) -> None:
    assert woman.joint_names == man.joint_names
    assert len({*man.joint_names}) == man.nv == man.nbodies == 55
    assert woman.parents == man.parents
    assert [*woman.frames] == [*man.frames]
    assert {*man.frames} == {"world", *(body.name for body in man.bodies), *POINTS}
    assert [body.joint.kind for body in woman.bodies] == [body.joint.kind for body in man.bodies]
    assert [body.joint.actuated for body in woman.bodies] == [False] * 6 + [True] * 49


@each_sex
@pytest.mark.parametrize("active", [36, 38])
def test_locked_joints_leave_as_many_coordinates_as_they_say(
    humans: dict[str, kt.Robot], sex: str, active: int
) -> None:
    assert len({*locked(active)}) == 55 - active
    assert humans[sex].lock(dict.fromkeys(locked(active), 0.0)).nv == active


def mirror(human: kt.Robot) -> Array:
    """The signed permutation that turns a configuration into its mirror image."""
    names = human.joint_names
    P = np.zeros((55, 55))
    for i, name in enumerate(names):
        twin = {"R_": "L_", "L_": "R_"}.get(name[:2], name[:2]) + name[2:]
        aside = name.endswith(("lateral", "lat_bend", "axial", "obliquity", "rotation"))
        P[i, names.index(twin)] = -1.0 if aside and name[:2] not in ("R_", "L_") else 1.0
    return P


@each_sex
def test_mirrored_motions_need_mirrored_forces(humans: dict[str, kt.Robot], sex: str) -> None:
    human = humans[sex]
    P = mirror(human)
    assert np.array_equal(P @ P, np.eye(55))
    s = states(human, 2)
    for q, qd, qdd in zip(s.q, s.qd, s.qdd):
        tau = forces(human, q, qd, qdd)
        assert relative_error(forces(human, q @ P, qd @ P, qdd @ P), tau @ P) < SAME
        assert relative_error(tau @ P, tau) > 0.1


@each_sex
def test_mirrored_configurations_are_mirror_images(humans: dict[str, kt.Robot], sex: str) -> None:
    human = humans[sex]
    q = states(human, 1).q[0]
    here, there = frame_places(human, q), frame_places(human, q @ mirror(human))
    for name, place in here.items():
        twin = {"R_": "L_", "L_": "R_"}.get(name[:2], name[:2]) + name[2:]
        assert np.allclose(there[twin], place * [-1, 1, 1], rtol=0, atol=10 * EXACT), name


def test_flexion_bends_where_it_should(man: kt.Robot) -> None:
    def moved(frame: str, **angles: float) -> Array:
        q = np.zeros(55)
        for joint, angle in angles.items():
            q[man.joint_names.index(joint)] = angle
        return frame_places(man, q)[frame] - frame_places(man, man.neutral)[frame]

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


@each_sex
def test_standing_both_soles_are_on_one_plane_under_the_body(humans: dict[str, kt.Robot], sex: str) -> None:
    for human in (humans[sex], kt.robots.human55(1.9, 60.0, sex)):
        place = frame_places(human, human.neutral)
        soles = [place[f"{side}_{part}"] for side in "RL" for part in ("heel", "ball", "toe")]
        ground = min(p[1] for p in place.values())
        assert np.abs([p[1] - ground for p in soles]).max() < EXACT
        for side in "RL":
            heel, ankle, ball, toe = (place[f"{side}_{part}"][2] for part in ("heel", "foot", "ball", "toe"))
            assert heel < ankle < ball < toe
        # the centre of mass is above the feet, or nobody could stand so
        tau = forces(human, human.neutral, np.zeros(55), np.zeros(55))
        ahead = -tau[3] / tau[1]
        assert place["R_heel"][2] < ahead < place["R_ball"][2]


@each_sex
def test_heel_belongs_to_the_foot_and_ball_and_toe_to_the_forefoot(humans: dict[str, kt.Robot], sex: str) -> None:
    human = humans[sex]
    for side in "RL":
        carriers = [human.bodies[human.frame(f"{side}_{part}")[0]].name for part in ("heel", "ball", "toe")]
        assert carriers == [f"{side}_foot", f"{side}_forefoot", f"{side}_forefoot"]


@each_sex
def test_standing_needs_the_weight_and_nothing_sideways(humans: dict[str, kt.Robot], sex: str) -> None:
    tau = forces(humans[sex], np.zeros(55), np.zeros(55), np.zeros(55))
    assert tau[1] == pytest.approx(9.81 * {"male": 73.0, "female": 61.9}[sex])
    assert np.abs(tau[[0, 2, 4, 5]]).max() < 1e-9


# -- a Denavit-Hartenberg table of the same body -----------------------------------------------------------------------


def test_axes_points_and_dh_rows_give_the_same_frames(man: kt.Robot) -> None:
    assert man.joint_names == tuple(joint.name for joint in JOINTS)
    assert man.parents == tuple(joint.parent for joint in JOINTS)
    assert {joint.name for joint in JOINTS if joint.frozen} == {*locked(36)}
    standing = distal_frames(np.zeros(55))
    for q in np.random.default_rng(3).uniform(-1, 1, (3, 55)):
        X = world_poses(man, q.tolist())
        for i, (joint, frame) in enumerate(zip(JOINTS, distal_frames(q), strict=True)):
            body = np.array([[*row, p] for row, p in zip(X[i].R.matrix, X[i].p)] + [[0, 0, 0, 1]], float)
            at_joint = np.eye(4)
            at_joint[:3, 3] = joint.point
            # the frame that is at the joint in the zero configuration, and the distal DH frame, move as one body
            assert np.allclose(body @ np.linalg.inv(at_joint), frame @ np.linalg.inv(standing[i]), rtol=0, atol=1e-11)
    axes = [(*body.joint.kind.axis,) for body in man.bodies]  # type: ignore[attr-defined]
    assert axes == [joint.axis for joint in JOINTS]
