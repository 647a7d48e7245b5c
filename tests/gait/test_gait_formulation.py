"""The natural formulation: passive moments, loads of the feet, costs; and that its walks converge."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.gait import Gait, Step, Stride, Timing, Walker, continuation
from kinetree.gait.formulation import NATURAL
from kinetree.gait.passive import exponential, passive_moments
from kinetree.gait.phases import CONTACTS, transferred
from kinetree.gait.quantities import (
    CentroidalMoment,
    GroundForceRate,
    MuscleEffort,
    MusclePower,
    actuated,
    metabolic,
    reaction,
)
from kinetree.gait.tendon import AnklePower, ankle_moments
from kinetree.gait.usual import usual_timing, usual_width
from kinetree.nlp.solution import Termination
from kinetree.plan.squares import WeightedSum
from kinetree.plan.status import PlanStatus
from kinetree.spatial import Vec3

ROUNDING = 1e-12
EXPONENTIAL = 1e-6  # relative: the error of the series
DIFFERENCE = 1e-5  # s, of central differences
RATE = 1e-5  # relative: the error of these
SAME = 0.01  # of the effort: starts lead to the same walk within that
FINER = 0.02  # what four more control points gain at most


@pytest.fixture(scope="module")
def walker() -> Walker:
    return Walker()


def at(walker: Walker, **angles: float) -> dict[str, float]:
    """Passive moments by the names of joints, of angles in degrees."""
    names = walker.robot.joint_names
    q = [math.radians(angles.get(name, 0.0)) for name in names]
    return {names[k]: x for k, x in passive_moments(walker.robot, q, [0.0] * len(names)).items()}


# -- passive moments ---------------------------------------------------------------------------------------------------


def test_the_exponential_is_one_and_then_its_tangent():
    for x in np.linspace(-12.0, 4.0, 33).tolist():
        assert exponential(x) == pytest.approx(math.exp(x), rel=EXPONENTIAL)
    assert exponential(6.0) == pytest.approx(3.0 * math.exp(4.0), rel=EXPONENTIAL)


def test_passive_moments_of_a_leg_are_those_of_the_measurements(walker):
    """Values of the published formulas at two postures."""
    stretched = at(walker, L_ankle_dorsiflexion=10.0, L_hip_flexion=-10.0)
    ankle = math.exp(2.1016 + 0.843) - math.exp(-7.9763 - 1.949) - 1.792
    hip = math.exp(1.4655 + 0.750) - math.exp(1.3403 - 0.305) + 8.072
    assert stretched["L_ankle_dorsiflexion"] == pytest.approx(-ankle, rel=1e-5)  # it plantarflexes
    assert stretched["L_hip_flexion"] == pytest.approx(hip, rel=1e-5)  # it flexes
    bent = at(walker, R_knee_flexion=60.0)
    knee = math.exp(1.8 - 2.112) - math.exp(-3.971 + 2.97) - 4.82 + math.exp(2.22 - 9.0)
    assert bent["R_knee_flexion"] == pytest.approx(knee, rel=1e-5)


def test_stops_push_back_into_the_range(walker):
    names = [name for name in walker.robot.joint_names if not name.startswith("global")]
    for name in (n for n in names if not any(part in n for part in ("knee", "dorsi", "hip_flexion", "pronation"))):
        assert at(walker, **{name: 100.0})[name] < at(walker)[name] + ROUNDING
        assert at(walker, **{name: -100.0})[name] > at(walker)[name] - ROUNDING


def test_the_spine_resists_being_turned(walker):
    turned = at(walker, spine1_L5S1_axial=5.0)
    alone = {name: x - at(walker)[name] for name, x in turned.items() if x != at(walker)[name]}
    assert alone == {"spine1_L5S1_axial": pytest.approx(-70.0 * math.radians(5.0), abs=0.05)}  # N m


def test_every_joint_is_damped(walker):
    n = walker.robot.nv
    still, moving = (passive_moments(walker.robot, [0.1] * n, [rate] * n) for rate in (0.0, 2.0))
    assert [moving[k] - still[k] for k in still] == pytest.approx([-0.2] * len(still))
    assert [*still] == actuated(walker.robot)


# -- loads of the feet -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timing", [Timing(), Timing(lift=0.3, rise=0.7, swing=0.6, toe=0.0)], ids=str)
def test_each_foot_distributes_all_of_its_load(timing):
    loads = timing.foot_loads(np.linspace(0.0, 1.0, 1001))
    assert abs(loads[:, :6].sum(axis=1) - 1.0).max() <= ROUNDING
    assert abs(loads[:, 6:12].sum(axis=1) - 1.0).max() <= ROUNDING
    assert loads.min() >= -ROUNDING
    start, end = timing.foot_loads([0.0, 1.0])
    assert start[:3] == pytest.approx(end[9:12])  # the leading foot becomes the trailing one


def test_the_load_goes_over_as_the_zero_moment_point_does():
    points = [Vec3(0.0, 0.0, 0.1 * k) for k in range(3)] + [Vec3(0.1, 0.0, 0.7 + 0.1 * k) for k in range(3)]
    loads = [0.0, 0.5, 0.5, *9 * [0.0]]
    loads[9] = 1.0  # the leading foot stands on its heel
    for part in (0.0, 0.3, 1.0):
        Z = Vec3(0.1 * part, 0.0, 0.15 + 0.55 * part)
        shares = transferred([*loads, 1.0])(Z, points)
        assert shares == pytest.approx([0.0, 0.5 * (1 - part), 0.5 * (1 - part), part, 0.0, 0.0])
    alone = transferred([*loads, 0.0])(Vec3(0.0, 0.0, 0.9), points)
    assert alone == pytest.approx([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # one foot stands


def test_in_double_support_forces_act_on_the_line_between_the_feet(walker):
    random, n = np.random.default_rng(4), walker.robot.nv
    motion = [random.normal(scale=size, size=n).tolist() for size in (0.1, 0.3, 1.0)]
    loads = Timing().foot_loads([0.1])[0].tolist()
    now = reaction(walker.robot, *motion, loads, walker.ground)
    assert sum(now.shares) == pytest.approx(1.0)
    assert len(now.shares) == len(CONTACTS)
    feet = [np.array([*(walker.robot.pose(motion[0], p)[[0, 2], 3])]) for p in CONTACTS]
    rear, front = (sum(w * p for w, p in zip(loads[k : k + 6], feet)) for k in (0, 6))
    assert np.array([now.offset.x, now.offset.z]) @ (front - rear) == pytest.approx(0.0, abs=1e-9)


# -- costs -------------------------------------------------------------------------------------------------------------


def samples(walker: Walker) -> tuple[list[list[float]], list[float]]:
    random = np.random.default_rng(7)
    motion = [random.normal(scale=size, size=walker.robot.nv).tolist() for size in (0.1, 0.3, 1.0, 5.0)]
    return motion, Timing().foot_loads([0.4])[0].tolist()


def test_an_effort_is_counted_by_the_strength_of_the_side_that_a_moment_turns_to(walker):
    motion, loads = samples(walker)
    moments = MuscleEffort.__mro__[1].values(MuscleEffort(walker.ground), walker.robot, *motion, loads)
    low, high = (-50.0,) * 30, (200.0,) * 30
    effort = MuscleEffort(walker.ground, 1.0, low, high).values(walker.robot, *motion, loads)[0]
    shares = np.array([x / 200.0 if x > 0.0 else x / -50.0 for x in moments])
    assert effort == pytest.approx(((shares**2 + 0.05**2) ** 0.75 - 0.05**1.5).sum())


def test_moments_that_are_small_cost_more_than_by_their_squares(walker):
    """Less than their heat by [Bhargava2004] does: that of a fourth of a strength is 0.174 of that of all of it."""
    motion, loads = samples(walker)
    moments = np.abs(MuscleEffort.__mro__[1].values(MuscleEffort(walker.ground), walker.robot, *motion, loads))
    at = lambda most: MuscleEffort(walker.ground, 1.0, (-most,) * 30, (most,) * 30).values(  # noqa: E731
        walker.robot, *motion, loads
    )[0]
    large = float(moments.max()) / 10.0  # all that matter are far above the rounding
    assert 0.25**2 < at(4.0 * large) / at(large) < 0.174


def test_power_costs_more_where_it_is_positive(walker):
    motion, loads = samples(walker)
    power = MusclePower(walker.ground)
    moments = MuscleEffort.__mro__[1].values(power, walker.robot, *motion, loads)
    names = walker.robot.joint_names
    each = [x * motion[1][k] for x, k in zip(moments, actuated(walker.robot)) if "dorsiflexion" not in names[k]]
    exact = sum(4.0 * x if x > 0.0 else -x / 1.2 for x in each)
    assert power.values(walker.robot, *motion, loads)[0] == pytest.approx(exact, abs=30 * 3.0 * 2.5)  # W, of corners


def ankles(walker: Walker, motion: list[list[float]], loads: list[float]) -> np.ndarray:
    """The moments of the muscles of both ankles [N m]."""
    q, qd, qdd = motion[:3]
    own = [k for k, name in enumerate(walker.robot.joint_names) if "dorsiflexion" in name]
    moments = ankle_moments(walker.robot, q, reaction(walker.robot, q, qd, qdd, loads, walker.ground), own)
    passive = passive_moments(walker.robot, q, qd)
    return np.array([moment - passive[k] for moment, k in zip(moments, own)])


def test_ankles_work_through_a_tendon_that_stores_and_returns(walker):
    """The muscle turns by what the tendon leaves of the joint's motion: q + tau / k, by differences of tau."""
    motion, stiffness = samples(walker)[0], 300.0
    loads = np.r_[Timing().foot_loads([0.1])[0], Timing().foot_load_rates([0.1])[0]]  # of a step of 1 s
    power = AnklePower(walker.ground, 1.0, stiffness)
    names = ", ".join(f"{name}({walker.robot.nv})" for name in ("q", "qd", "qdd", "qddd"))
    found = kt.compile(power.values, walker.robot, signature=f"{names}, loads(25) -> power(1)")(*motion, loads)
    q, qd, qdd, qddd = (np.array(x) for x in motion)
    ends = []
    for t in (DIFFERENCE, -DIFFERENCE):
        there = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd + 0.5 * t * t * qddd, qdd + t * qddd
        moved = [*(loads[:12] + t * loads[13:]), 1.0]
        ends.append(ankles(walker, [x.tolist() for x in there], moved))
    rates = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    speeds = np.array([qd[k] for k, name in enumerate(walker.robot.joint_names) if "dorsiflexion" in name])
    powers = ankles(walker, motion, loads[:13].tolist()) * (speeds + rates / stiffness)
    assert abs(rates / stiffness).max() > 0.1 * abs(speeds).max()  # the tendon matters
    assert found[0] == pytest.approx(sum(metabolic(x, 1.0) for x in powers), rel=RATE)


def test_feet_roll_at_the_rate_of_their_loads():
    timing, s = Timing(), np.linspace(0.01, 0.99, 50)
    ends = [timing.foot_loads(s + ds)[:, :12] for ds in (DIFFERENCE, -DIFFERENCE)]
    assert timing.foot_load_rates(s) == pytest.approx((ends[0] - ends[1]) / (2.0 * DIFFERENCE), abs=1e-3)


def test_the_moment_about_the_centre_of_mass_changes_the_angular_momentum(walker):
    motion, loads = samples(walker)
    found = CentroidalMoment(walker.ground).values(walker.robot, *motion, loads)
    q, qd, qdd = (np.array(x) for x in motion[:3])
    ends = []
    for t in (DIFFERENCE, -DIFFERENCE):
        moved, rate = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd
        ends.append(walker.robot.momentum(moved, rate, about=walker.robot.center_of_mass(moved))[:3])
    expected = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    assert found == pytest.approx(expected, abs=RATE * np.abs(expected).max())


def test_the_rate_of_the_ground_force_is_that_of_differences(walker):
    motion, loads = samples(walker)
    q, qd, qdd, qddd = (np.array(x) for x in motion)
    ends = []
    for t in (DIFFERENCE, -DIFFERENCE):
        there = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd + 0.5 * t * t * qddd, qdd + t * qddd
        force = reaction(walker.robot, *(x.tolist() for x in there), loads, walker.ground).force
        ends.append(np.array([force.x, force.y, force.z]))
    expected = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    assert GroundForceRate().values(walker.robot, *motion) == pytest.approx(expected, rel=RATE, abs=0.1)


def test_terms_that_are_not_one_number_are_refused(walker):
    with pytest.raises(InputError, match="is one number"):
        WeightedSum(((CentroidalMoment(walker.ground), 1.0),)).check(walker.robot)


# -- bodies and steps --------------------------------------------------------------------------------------------------


def test_what_is_usual_depends_on_the_speed_and_the_body(walker):
    step = Step(walker, 1.5)
    assert step.timing == usual_timing(1.5)
    assert step.width == pytest.approx(usual_width(-walker.ground))
    assert Step(walker, 0.8).timing.lift > step.timing.lift
    assert Stride(walker, 1.5).first == step
    assert Step(walker, 1.5, 0.6, 0.2, Timing()).timing == Timing()


def test_gravity_leans_back_on_a_slope():
    robot = Walker(slope=0.1).robot
    assert [*robot.gravity] == pytest.approx([0.0, -9.81 * math.cos(math.atan(0.1)), -9.81 * math.sin(math.atan(0.1))])
    with pytest.raises(InputError, match=r"slopes of -0\.3 to 0\.3, got 0\.5"):
        Walker(slope=0.5)


def test_a_formulation_has_few_terms_each_with_a_source():
    assert len(NATURAL.terms) <= 7
    assert all(term.source and term.weight > 0.0 for term in NATURAL.terms)


def test_a_search_that_is_stopped_early_says_so(walker):
    gait = kt.gait.predict(walker=walker, callback=lambda count, *_: count < 2, progress=False)
    assert gait.plan.termination is Termination.USER_STOP
    assert gait.status is PlanStatus.NOT_FOUND
    assert gait.step.control_points == gait.plan.spline.size < Step(walker).control_points
    assert "stopped before" in gait.message


def test_a_search_that_is_lost_starts_again_from_nearer_to_rest(walker, monkeypatch):
    monkeypatch.setattr(continuation, "_LOST", 2)
    efforts = list[float]()

    def callback(count: int, effort: float, _: float) -> bool:
        efforts.extend([effort] if count == 0 else [])
        return len(efforts) < 4

    start = 0.2 * np.random.default_rng(0).standard_normal(walker.robot.nv)
    kt.gait.predict(walker=walker, start=start, callback=callback, progress=False)
    assert len(efforts) == 4
    assert len(set(efforts)) == 4


# -- convergence -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def natural() -> Gait:
    return kt.gait.predict(progress=False)


@pytest.mark.slow
def test_the_terms_of_a_cost_add_up_to_the_effort(natural):
    assert sum(natural.costs.values()) == pytest.approx(natural.effort, rel=1e-6)


@pytest.mark.slow
def test_twenty_starts_lead_to_the_same_walk(natural):
    n = natural.step.walker.robot.nv
    starts = (0.2 * np.random.default_rng(seed).standard_normal(n) for seed in range(20))
    efforts = np.array([kt.gait.predict(start=start, progress=False).effort for start in starts])
    best = min(efforts.min(), natural.effort)
    assert (efforts <= (1.0 + SAME) * best).sum() >= 18
    assert efforts.max() <= 1.05 * best


@pytest.mark.slow
def test_effort_only_falls_as_points_are_added(natural):
    efforts = [kt.gait.predict(control_points=n, progress=False).effort for n in (10, 12, 14, 16, 18)]
    assert (np.diff(efforts) < 1e-4).all()
    assert efforts[-1] > (1.0 - FINER) * efforts[2]


@pytest.mark.slow
@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("speed", [0.8, 1.2, 1.5])
def test_people_of_either_sex_walk_at_all_speeds(speed, sex):
    gait = kt.gait.predict(speed, walker=Walker(sex=sex), progress=False)
    assert gait.ok, gait.worst
    start, end = gait.reaction([0.0, 1.0])["force"] / gait.step.walker.weight
    assert end == pytest.approx(start * [-1.0, 1.0, 1.0], abs=0.05)
    found = {x.name: x.value for x in gait.realism().measures}
    for joint, least in (("hip", 0.95), ("knee", 0.92), ("ankle", 0.80)):
        assert found[f"correlation of {joint} angle"] >= least
    for name, low, high in (
        ("centre of mass up and down", 20.0, 50.0),  # mm
        ("centre of mass sideways", 20.0, 60.0),
        ("toe clearance in mid-swing", 10.0, 30.0),
        ("first vertical peak", 1.0, 1.3),  # body weights
        ("second vertical peak", 1.0, 1.3),
        ("shoulder swing", 15.0, 45.0),  # deg
        ("shoulder abduction, most", 0.0, 25.0),
        ("elbow flexion, most", 5.0, 60.0),
    ):
        assert low <= found[name] <= high, name
