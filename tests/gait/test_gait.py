"""Walking: phases, walkers and their mirror images, the constraints of a step, what is refused, and one prediction."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import pose
from kinetree.errors import InputError, ModelError, UnknownNameError
from kinetree.gait import Gait, Step, Timing, Walker
from kinetree.gait.formulation import FORMULATIONS, nested_knots
from kinetree.gait.joints import locked
from kinetree.gait.phases import CONTACTS
from kinetree.gait.quantities import (
    ActiveMoment,
    GroundForce,
    JointMoment,
    LoadOffset,
    LoadTransfer,
    SwingTogether,
    ZeroMomentPoint,
)
from kinetree.plan import Distance, FramePosition, PlanStatus
from kinetree.plan.quantity import Derivative
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.constraints import first_points

Array = np.ndarray
pytestmark = pytest.mark.xdist_group("gait")  # one prediction, not one by every worker

LOCKED = locked(36)
ROUND_OFF = 1e-12  # relative: sums of a few tens of numbers
STEEPEST = 10.0  # of load fractions, in a whole step: the load goes over in a fifth of it, at 1.5 of the mean rate
DIFFERENCE = 1e-6  # of central differences
JACOBIAN = 1e-6  # relative to the largest in a row: the error of these
TOLERANCE = 1e-3  # of a prediction, in units of the scale of each constraint
SI = 0.05  # N m; less of m and rad: what no constraint is violated by
MILLIMETRE = 1e-3
NOTHING = 1e-9  # N, N m at the base: round-off of forces of a thousand newtons
# goals for a prediction of normal walking
ALIKE = {"hip": 0.9, "knee": 0.9, "ankle": 0.7}  # correlations with the norm
PEAKS = (0.95, 1.35)  # body weights
IMPULSE = 0.02  # of what brakes: what braking and propelling may differ by
# mean angles over a stride at free speed, every 4 % [deg]: Schwartz and others, J Biomech 41 (2008)
PEOPLE = {
    "hip": [
        35.8, 35.5, 34.2, 31.1, 26.9, 22.5, 18.1, 13.6, 9.3, 5.3, 1.6, -1.7, -4.4,
        -5.8, -4.9, -0.9, 6.1, 14.1, 21.4, 27.4, 32.0, 35.1, 36.6, 36.5, 35.8, 35.5,
    ],
    "knee": [
        5.6, 10.9, 16.9, 19.3, 18.6, 16.5, 13.9, 11.3, 9.0, 7.2, 6.2, 6.8, 9.5,
        14.5, 22.6, 33.9, 46.3, 55.7, 59.1, 56.9, 49.8, 38.8, 25.5, 12.5, 4.6, 5.4,
    ],
    "ankle": [
        -2.1, -5.6, -4.1, -0.2, 2.9, 5.2, 6.8, 8.0, 9.1, 10.2, 11.1, 11.8, 11.5,
        8.4, -0.2, -13.8, -19.8, -14.7, -7.9, -2.4, 1.1, 2.5, 1.8, 0.1, -1.1, -2.3,
    ],
}  # fmt: skip

EVERYTHING_BUT_LEGS = tuple(
    name
    for name in kt.robots.human55().joint_names
    if not name.startswith("global") and not re.fullmatch(r"[LR]_(hip|knee|ankle|shoulder)_(dorsi)?flexion", name)
)


@pytest.fixture(scope="module")
def walker() -> Walker:
    return Walker()


@pytest.fixture(scope="module")
def stick() -> Walker:
    """A walker of few joints, quick to compile."""
    return Walker(frozen=EVERYTHING_BUT_LEGS)


# -- phases ------------------------------------------------------------------------------------------------------------

TIMINGS = (Timing(), Timing(lift=0.3, rise=0.7, swing=0.6, toe=0.0), Timing(lift=0.15, rise=0.5, swing=0.2, toe=1.0))
each_timing = pytest.mark.parametrize("timing", TIMINGS)


@each_timing
def test_a_load_distribution_has_fractions_that_add_up_to_one(timing):
    load = timing.load_distribution(np.linspace(0.0, 1.0, 1001))
    assert load.shape == (1001, len(CONTACTS))
    assert abs(load.sum(axis=1) - 1.0).max() <= ROUND_OFF
    assert load.min() >= -ROUND_OFF
    assert load.max() <= 1.0 + ROUND_OFF


@each_timing
def test_a_load_distribution_does_not_jump(timing):
    s = np.linspace(0.0, 1.0, 100_001)
    assert abs(np.diff(timing.load_distribution(s), axis=0)).max() <= STEEPEST * 2.0 * (s[1] - s[0])


@each_timing
def test_a_foot_in_the_air_carries_nothing(timing):
    s = np.linspace(0.0, 1.0, 1001)
    load = dict(zip(CONTACTS, timing.load_distribution(s).T))
    assert not load["R_heel"].any()
    assert not (load["R_ball"] + load["R_toe"])[s >= timing.lift].any()
    assert not load["L_heel"][s >= timing.rise].any()
    assert not (load["L_heel"] + load["L_ball"] + load["L_toe"])[s == 0.0].any()


@each_timing
def test_the_end_of_a_step_is_its_start_with_feet_exchanged(timing):
    start, end = timing.load_distribution([0.0, 1.0])
    assert end[3:] == pytest.approx(start[:3], abs=ROUND_OFF)
    assert end[:3] == pytest.approx(start[3:], abs=ROUND_OFF)


def test_each_contact_has_its_part_of_the_step():
    timing = Timing()
    for point in CONTACTS:
        start, end = timing.contact(point)
        assert 0.0 <= start <= end <= 1.0
    assert timing.contact("L_heel") == (0.0, timing.rise)
    assert timing.contact("nose") is None


@pytest.mark.parametrize(
    "nonsense",
    [
        *({"lift": 0.0}, {"lift": 0.7}, {"rise": 0.1}, {"rise": 1.0}, {"swing": 0.1}, {"swing": 1.0}),
        *({"toe": 1.5}, {"toe": -0.1}, {"lift": float("nan")}, {"rise": float("nan")}),
    ],
    ids=str,
)
def test_times_in_another_order_are_refused(nonsense):
    with pytest.raises(InputError, match="0 < lift < rise"):
        Timing(**nonsense)


# -- walkers -----------------------------------------------------------------------------------------------------------


def test_36_or_38_coordinates_move(walker):
    assert walker.body.nv == 55
    assert walker.robot.nv == 36
    more = Walker(active=38).robot.joint_names
    assert len(more) == 38
    assert {*more} - {*walker.robot.joint_names} == {"neck_upper_flexion", "neck_upper_lat_bend"}


def test_a_walker_has_the_mass_of_its_body_and_of_what_it_carries(walker):
    carrying = Walker(loads={"backpack": 15.0, "left hand": 2.0})
    assert walker.weight == pytest.approx(73.0 * 9.81)
    assert carrying.weight == pytest.approx(90.0 * 9.81)
    assert sum(float(body.inertia.mass) for body in carrying.robot.bodies) == pytest.approx(90.0)
    assert carrying.strengths[0].tolist() == walker.strengths[0].tolist()  # it does not make one stronger


def test_a_backpack_is_behind_the_back(walker):
    still = [0.0] * walker.robot.nv
    tilting = walker.robot.joint_names.index("global_pelvis_tilt")
    own, loaded = (
        inverse_dynamics(w.robot, still, still, still)[tilting] for w in (walker, Walker(loads={"backpack": 15.0}))
    )
    assert loaded - own == pytest.approx(15.0 * 9.81 * 0.22)  # it pulls back, what holds it turns forward


def test_the_mirror_of_the_mirror_is_the_configuration_itself(walker):
    mirror = walker.mirror
    assert np.array_equal(mirror @ mirror, np.eye(36))
    assert not np.array_equal(mirror, np.eye(36))


def test_a_mirrored_configuration_has_left_and_right_exchanged(walker):
    robot, rng = walker.robot, np.random.default_rng(0)
    q = rng.normal(scale=0.4, size=36)
    turned, flip = walker.mirror @ q, np.diag([-1.0, 1.0, 1.0])
    for name in robot.frames:
        other = {"L_": "R_", "R_": "L_"}.get(name[:2], name[:2]) + name[2:]
        if other in robot.frames:
            here, there = (np.array(pose(robot, x.tolist(), frame), float) for x, frame in ((q, name), (turned, other)))
            assert there[:3, 3] == pytest.approx(flip @ here[:3, 3], abs=1e-12)


def test_mirrored_motions_need_mirrored_forces(walker):
    rng = np.random.default_rng(1)
    motion = rng.normal(scale=0.5, size=(3, 36))
    forces = np.array(inverse_dynamics(walker.robot, *motion.tolist()), float)
    mirrored = np.array(inverse_dynamics(walker.robot, *(motion @ walker.mirror.T).tolist()), float)
    assert mirrored == pytest.approx(walker.mirror @ forces, abs=1e-10 * abs(forces).max())


def test_a_walker_with_one_locked_side_has_no_mirror_image():
    with pytest.raises(InputError, match="needs both, or none"):
        _ = Walker(frozen=(*LOCKED, "L_elbow_flexion")).mirror


def test_strengths_are_scaled_by_parts_of_names(walker):
    weak = Walker(strength={"L_knee": 0.5, "hip": 0.8})
    for own, changed in zip(walker.strengths, weak.strengths):
        for name, before, after in zip(walker.robot.joint_names, own, changed):
            factor = 0.5 if name.startswith("L_knee") else 0.8 if "hip" in name else 1.0
            assert after == before * factor


def test_larger_walkers_are_stronger_and_stand_higher(walker):
    large = Walker(stature=2.0, mass=100.0)
    knee = walker.robot.joint_names.index("R_knee_flexion")
    scale = 100.0 * 2.0 / (walker.mass * walker.stature)
    assert large.strengths[0][knee] == pytest.approx(walker.strengths[0][knee] * scale)
    assert large.ground == pytest.approx(walker.ground * 2.0 / walker.stature)


def test_coordinates_that_do_not_move_are_zero(walker):
    q = np.random.default_rng(2).normal(size=(4, 36))
    full = walker.coordinates(q)
    moving = np.array([name in walker.robot.joint_names for name in walker.body.joint_names])
    assert full.shape == (4, 55)
    assert np.array_equal(full[:, moving], q)
    assert not full[:, ~moving].any()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"mass": 0.0}, InputError, "mass of 5 to 400 kg, got 0.0"),
        ({"mass": -70.0}, InputError, "5 to 400 kg"),
        ({"mass": float("inf")}, InputError, "5 to 400 kg"),
        ({"mass": "heavy"}, InputError, "the mass of a walker is a number, got 'heavy'"),
        ({"stature": 5.0}, InputError, "stature of 0.5 to 2.5 m, got 5.0"),
        ({"stature": 0.0}, InputError, "0.5 to 2.5 m"),
        ({"sex": "robot"}, UnknownNameError, "female"),
        ({"active": 37}, InputError, "36 or 38"),
        ({"frozen": ("L_wing",)}, UnknownNameError, "L_wing"),
        ({"strength": {"wing": 2.0}}, UnknownNameError, "wing"),
        ({"strength": {"knee": 0.0}}, InputError, "positive number"),
        ({"strength": {"knee": float("nan")}}, InputError, "positive number"),
        ({"loads": {"head": 5.0}}, UnknownNameError, "backpack"),
        ({"loads": {"backpack": -1.0}}, InputError, "not below 0"),
    ],
    ids=str,
)
def test_bodies_that_do_not_exist_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        Walker(**given)


# -- the task ----------------------------------------------------------------------------------------------------------


def test_the_feet_stand_one_step_ahead_of_each_other(walker):
    feet = Step(walker, 1.2, 0.6, 0.1).feet
    assert feet["R_heel"][2] - feet["L_heel"][2] == pytest.approx(0.6)
    assert feet["L_toe"][2] - feet["R_toe"][2] == pytest.approx(0.6)
    assert feet["L_heel"][0] - feet["R_heel"][0] == pytest.approx(0.1)
    assert {float(position[1]) for position in feet.values()} == {walker.ground}


def test_every_family_of_constraints_is_in_the_task(walker):
    step = Step(walker, formulation="thesis")
    problem, timing = step.problem(), step.timing
    found = {(type(c.quantity), c.during) for c in problem.constraints}
    always = (0.0, 1.0)
    assert (Derivative, always) in found  # (1)
    assert (JointMoment, always) in found  # (2)
    assert sum(c.quantity == FramePosition("L_toe") for c in problem.constraints) == 2  # (3), (9)
    assert {c.quantity.frame for c in problem.constraints if isinstance(c.quantity, FramePosition)} == {*CONTACTS}
    assert {(ZeroMomentPoint, (timing.lift, timing.rise)), (ZeroMomentPoint, (timing.rise, 1.0))} <= found  # (4)
    assert {(LoadOffset, (0.0, timing.lift)), (GroundForce, always)} <= found
    assert sum(isinstance(c.quantity, SwingTogether) for c in problem.constraints) == 2  # (5)
    assert sum(isinstance(c.quantity, Distance) for c in problem.constraints) == 2  # (6)
    assert np.array_equal(problem.mirror, walker.mirror)  # (7)
    assert problem.advance.sum() == pytest.approx(step.length)
    assert (Derivative, (timing.swing, timing.swing)) in found  # (8)
    assert problem.durations == (step.duration, step.duration)
    assert {timing.lift, timing.rise, timing.swing} <= {*Transcriber(problem).refinement(8).s.tolist()}


def test_constraints_have_names_that_people_know(walker):
    problem = Step(walker, formulation="thesis").problem()
    names = {name for c in problem.constraints for name in c.quantity.names(walker.robot)}
    assert len(problem.constraints[1].lower) == 30  # moments of all joints but the six of the base
    assert {"moment of L_knee_flexion", "zero-moment point x", "vertical ground force", "position y of R_heel"} <= names
    assert {"coupling of L_hand and R_foot", "offset of the ground force z"} <= names


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_jacobians_of_all_constraints_are_those_of_differences(stick, formulation):
    problem = Step(stick, control_points=6, formulation=formulation).problem()
    quantities = [*dict.fromkeys(c.quantity for c in problem.constraints)]
    block = Transcriber(problem).block(quantities, np.array([0.0, 0.13, 0.5, 0.97]))
    rng = np.random.default_rng(3)
    x = np.r_[rng.normal(scale=0.1, size=problem.spline.size * problem.coordinates.size), 0.5]
    zero = np.zeros((4, block.rows))
    J = block.linearise(x, zero, zero, first_points(block))[0]
    numeric = np.empty_like(J)
    for k, own in enumerate(block.variables):
        for j, unknown in enumerate(own):
            ends = []
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[unknown] += sign * DIFFERENCE
                ends.append(block.values(moved)[k].copy())
            numeric[k, :, j] = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    size = np.maximum(abs(numeric).max(axis=(0, 2)), 1.0)
    assert (abs(J - numeric).max(axis=(0, 2)) <= JACOBIAN * size).all()
    own = {"thesis": {JointMoment, SwingTogether}, "natural": {ActiveMoment, LoadTransfer}}[formulation]
    assert {type(q) for q in quantities} >= {ZeroMomentPoint, LoadOffset, GroundForce} | own


def test_an_arm_and_a_leg_swing_together_where_both_point_forward(walker):
    names, q = walker.robot.joint_names, np.zeros(36)
    q[[names.index("L_shoulder_flexion"), names.index("R_hip_flexion")]] = 0.4
    coupled = SwingTogether(("L_upper_arm", "L_hand"), ("R_thigh", "R_foot"))
    still = [0.0] * 36
    assert coupled.values(walker.robot, q.tolist(), still, still, still)[0] > 0.05
    q[names.index("R_hip_flexion")] = -0.4
    assert coupled.values(walker.robot, q.tolist(), still, still, still)[0] < -0.05


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"speed": 0.0}, "speed is a positive number, got 0.0"),
        ({"speed": -1.2}, "speed is a positive number"),
        ({"speed": float("nan")}, "speed is a positive number"),
        ({"speed": "fast"}, "speed is a positive number, got 'fast'"),
        ({"speed": 5.0}, "at 5 m/s one runs on legs of 0.93 m; walking ends at 3.02 m/s"),
        ({"length": 0.0}, "step length is a positive number"),
        ({"length": 2.0}, "no leg of 0.93 m takes steps of 2 m"),
        ({"width": -0.1}, "step width"),
        ({"speed": 0.01}, "0.01 m/s with steps of 0.0916 m is 6.55 steps a minute; people walk with 30 to 200"),
        ({"time_limit": 0.0}, "a time limit is a positive number of seconds"),
        ({"walker": Walker(strength={"L_ankle": 0.05})}, "with less than 0.5 of that nobody walks"),
    ],
    ids=str,
)
def test_steps_that_no_leg_can_take_are_refused(given, message):
    with pytest.raises(InputError, match=re.escape(message)):
        kt.gait.predict(**given)


def test_formulations_have_names_that_are_known():
    with pytest.raises(UnknownNameError, match="'natural', 'thesis'"):
        kt.gait.predict(formulation="dance")


def test_fewer_knots_are_some_of_more():
    for count in range(1, 40):
        fewer, more = nested_knots(0.19, 0.6, count - 1), nested_knots(0.19, 0.6, count)
        assert len(more) == count
        assert {*fewer} < {*more}
        assert np.diff([0.0, *more, 1.0]).min() > 0.0


def test_a_knee_that_can_not_bend_is_named():
    stiff = Walker(frozen=(*LOCKED, "L_knee_flexion", "R_knee_flexion"))
    with pytest.raises(InputError, match=r"mid-swing \(5.9\), but 'R_knee_flexion' is locked"):
        kt.gait.predict(walker=stiff, formulation="thesis")


def test_bodies_without_mass_are_refused_by_the_model_too():
    with pytest.raises(ModelError, match="positive number"):
        kt.robots.human55(mass=0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [{"strength": {"hip": 0.06, "spine": 0.06}}, {"frozen": (*LOCKED, "L_hip_flexion", "R_hip_flexion")}],
    ids=["hips and trunk too weak to walk with", "hips that do not bend"],
)
def test_a_step_that_is_impossible_is_no_gait(given):
    gait = kt.gait.predict(walker=Walker(**given), progress=False)
    assert gait.status is PlanStatus.INFEASIBLE
    assert not gait.ok
    assert gait.violation > 10.0 * TOLERANCE
    assert re.search(r"\S+ is \S+ at \S+ s, allowed: .*; it helps most to loosen \S+", gait.worst)
    assert gait.worst in repr(gait)


# -- one prediction ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def gait() -> Gait:
    return kt.gait.predict(progress=False)


@pytest.fixture(scope="session")
def published() -> Gait:
    return kt.gait.predict(formulation="thesis", progress=False)


def test_the_formulation_of_the_thesis_is_as_published(published):
    assert published.status is PlanStatus.OPTIMAL
    assert (published.step.length, published.step.width, published.step.timing) == (0.6, 0.1, Timing())
    assert published.violation <= 0.1 * TOLERANCE
    assert published.counts["variables"] == 330
    assert published.counts["free variables"] == 216
    assert 0.18 <= published.effort <= 0.21  # upright; the optima with a bent trunk are above 0.5


def test_a_prediction_satisfies_its_constraints(gait):
    assert gait.status is PlanStatus.OPTIMAL
    assert gait.ok
    assert gait.violation <= TOLERANCE
    assert gait.counts["variables"] == 55 * gait.step.control_points


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
def test_starts_that_differ_a_little_lead_to_much_the_same_gait(gait, seed):
    start = 0.2 * np.random.default_rng(seed).standard_normal(gait.step.walker.robot.nv)
    other = kt.gait.predict(start=start, progress=False)
    assert other.status is PlanStatus.OPTIMAL
    assert other.effort == pytest.approx(gait.effort, rel=0.01)


def test_all_constraints_hold_on_a_grid_ten_times_finer(gait):
    problem = Transcriber(gait.step.problem())
    rows = problem.path_constraints(np.linspace(0.0, 1.0, 1001))
    x = np.r_[gait.control_points.ravel(), gait.step.duration]
    assert rows.violation(x).max() <= TOLERANCE
    assert (rows.violation(x) * rows.scale).max() <= SI
    assert max(abs(r.violation(x)).max() for r in problem.point_blocks) <= 1e-5


def test_feet_stay_where_they_stand(gait):
    step, s = gait.step, np.linspace(0.0, 1.0, 1001)
    q = gait.motion(s)[0]
    for point in CONTACTS:
        at = step.walker.robot.pose(q, point)[:, :3, 3]
        start, end = step.timing.contact(point)
        standing = (s >= start) & (s <= end)
        assert abs(at[standing] - step.feet[point]).max() <= MILLIMETRE
        assert at[:, 1].min() >= step.walker.ground - MILLIMETRE


def test_nothing_but_the_ground_holds_the_walker(gait):
    now = gait.reaction(np.linspace(0.0, 1.0, 201))
    base = [name.startswith("global") for name in gait.step.walker.robot.joint_names]
    assert sum(base) == 6
    assert abs(now["moments"][:, base]).max() <= NOTHING
    assert now["left"] + now["right"] == pytest.approx(now["force"], abs=NOTHING)


def test_two_steps_go_on_into_each_other(gait):
    (q0, q1), (v0, v1), (a0, a1) = gait.motion([0.0, 1.0])
    mirror, advance = gait.step.walker.mirror, gait.step.walker.advance(gait.step.length)
    assert q1 == pytest.approx(mirror @ q0 + advance, abs=1e-5)
    assert v1 == pytest.approx(mirror @ v0, abs=1e-4)
    assert a1 == pytest.approx(mirror @ a0, abs=1e-4)
    start, end = gait.reaction([0.0, 1.0])["force"]
    assert end == pytest.approx(start * [-1.0, 1.0, 1.0], abs=1e-3)  # N: the ground force does not jump
    angles = gait.angles()
    for joint in ("hip", "knee", "ankle"):
        assert angles[joint][0] == pytest.approx(angles[joint][-1], abs=0.01)


def test_the_ground_carries_the_weight_of_a_stride(gait):
    forces = gait.ground_forces(2001)
    part = forces["percent"] / 100.0
    mean = {key: np.trapezoid(forces[key], part) for key in ("vertical", "fore_aft")}
    braking = -np.trapezoid(np.minimum(forces["fore_aft"], 0.0), part)
    assert mean["vertical"] == pytest.approx(0.5, abs=1e-3)  # two feet, one body weight
    assert abs(mean["fore_aft"]) <= IMPULSE * braking


def test_the_vertical_force_has_two_peaks_with_a_valley_between(gait):
    curves = gait.ground_forces(2001)
    force = curves["vertical"][curves["percent"] < 49.5]  # the other heel strikes at 50 %, with a jump
    rise = np.diff(force)
    peaks = [k for k in range(1, len(rise)) if rise[k - 1] > 0.0 >= rise[k] and force[k] > 0.5]
    assert len(peaks) == 2
    assert all(PEAKS[0] <= force[k] <= PEAKS[1] for k in peaks)
    assert force[peaks[0] : peaks[1]].min() < 0.9 * force[peaks].min()


def test_the_ground_brakes_then_propels_and_pushes_toward_the_midline(gait):
    forces = gait.ground_forces(1001)
    early, late = forces["percent"] <= 30.0, (forces["percent"] >= 30.0) & (forces["percent"] <= 60.0)
    assert forces["fore_aft"][early].mean() < -0.02
    assert forces["fore_aft"][late].mean() > 0.02
    assert forces["lateral"][forces["vertical"] > 0.05].mean() > 0.0


def test_joints_carry_forces_of_the_size_of_the_weight(gait):
    forces = gait.joint_forces()
    assert 0.9 < forces["ankle"].max() < 1.3  # the ground force less the weight of a foot
    assert forces["hip"].max() < forces["knee"].max() < forces["ankle"].max()  # in stance each carries what is above


@pytest.mark.parametrize("joint", ALIKE)
def test_angles_are_like_those_of_people(gait, joint):
    angles, percent = gait.angles(), np.linspace(0.0, 100.0, len(PEOPLE[joint]))
    predicted = np.interp(percent, angles["percent"], angles[joint])
    assert np.corrcoef(predicted, PEOPLE[joint])[0, 1] >= ALIKE[joint]
