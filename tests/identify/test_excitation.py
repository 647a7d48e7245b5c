"""Exciting motions: series with exact derivatives, gradients of the information, limits that hold everywhere."""

from __future__ import annotations

import csv
import math
import signal
import threading

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.identify.chains import all_positions
from kinetree.identify.excite import excite
from kinetree.identify.information import Information, criterion, observation
from kinetree.nlp.solution import Termination
from kinetree.plan import FramePosition, PlanStatus, Problem
from kinetree.transcribe.fourier import Fourier

ROUNDING = 1e-11  # sums of a few sines, times frequencies up to 100 rad/s squared
DIFFERENCED = 1e-6  # relative: central differences with steps of 1e-6
SATISFIED = 2e-6  # relative: limits are satisfied to 1e-6 on the search's own grid
DENSE = 20_001  # samples where limits are checked here, twenty times as many as in the search


@pytest.fixture(scope="module")
def arm():
    """Two links that swing in a vertical plane."""
    return kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))


@pytest.fixture(scope="module")
def swing(arm):
    return excite(arm, 5.0, harmonics=4, velocity_limits=[4.0, 5.0], acceleration_limits=20.0, force_limits=[12.0, 5.0])


@pytest.fixture(scope="module")
def six():
    robot = kt.robots.puma560()
    return excite(robot, 10.0, velocity_limits=2.0, force_limits=[60.0, 110.0, 60.0, 10.0, 9.0, 7.0], starts=1)


# -- the series --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", [True, False])
def test_each_derivative_of_the_series_is_that_of_the_one_before(rest):
    basis, s, h = Fourier(4, rest), np.linspace(0.0, 1.0, 23), 1e-6
    before, after = basis.evaluate(s - h, 2)[0], basis.evaluate(s + h, 2)[0]
    here = basis.evaluate(s, 3)[0]
    for r in range(3):
        found = (after[:, r] - before[:, r]) / (2.0 * h)
        assert np.abs(found - here[:, r + 1]).max() < DIFFERENCED * np.abs(here[:, r + 1]).max()


def test_a_series_at_rest_starts_and_ends_without_velocity_and_acceleration():
    basis = Fourier(5)
    assert basis.size == 2 * 5 + 1 - 2
    ends = basis.evaluate([0.0, 1.0], 2)[0]
    assert np.abs(ends[0, 0] - ends[1, 0]).max() < ROUNDING
    assert np.abs(ends[:, 1:]).max() < ROUNDING
    assert np.linalg.matrix_rank(basis.combinations) == basis.size
    # without that condition it has all coefficients
    assert Fourier(5, rest=False).size == 11


def test_coefficients_are_those_of_the_definition(swing):
    t = np.linspace(0.0, swing.duration, 37)
    q0, a, b = swing.coefficients
    k = np.arange(1, swing.basis.harmonics + 1)[:, None]
    angle = 2.0 * np.pi * k * t / swing.duration
    q = q0 + np.sin(angle).T @ a + np.cos(angle).T @ b
    assert np.abs(q - swing.motion(t)[0]).max() < ROUNDING
    assert np.abs((k * a).sum(axis=0)).max() < ROUNDING
    assert np.abs((k**2 * b).sum(axis=0)).max() < ROUNDING


# -- the cost ----------------------------------------------------------------------------------------------------------


def test_the_criterion_is_what_it_says_and_has_its_slope():
    rng = np.random.default_rng(3)
    w = rng.normal(size=(40, 5)) * [1.0, 2.0, 0.1, 30.0, 1.0]
    a = w.T @ w
    value, slope = criterion(a)
    d = np.diag(1.0 / np.sqrt(np.diag(a)))
    inflation = np.diag(np.linalg.inv(d @ a @ d))
    assert value == pytest.approx(-np.log(np.linalg.det(a)) / 5 + np.log(inflation.mean()), rel=1e-10)
    for _ in range(4):
        step = rng.normal(size=(5, 5)) * np.sqrt(np.outer(np.diag(a), np.diag(a)))
        step = 1e-6 * (step + step.T)
        change = criterion(a + step)[0] - criterion(a - step)[0]
        assert change == pytest.approx(2.0 * (slope * step).sum(), rel=DIFFERENCED * 10)


def test_parameters_that_are_not_identifiable_have_no_information():
    assert criterion(np.diag([1.0, 0.0]))[0] == math.inf
    assert criterion(np.ones((2, 2)))[0] == math.inf


def test_the_gradient_of_the_cost_is_its_slope(arm):
    base = kt.identify.base_parameters(arm, ("damping", "coulomb", "rotor_inertia"))
    basis = Fourier(3)
    what = observation(base, (3.0, 2.0), (0.1, 0.1))
    information = Information(base, basis, what, Problem(arm).coordinates)
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(size=basis.size * 2), 4.0]
    gradient, h = information.gradient(x), 1e-6
    for k in range(len(x) - 1):
        step = np.zeros(len(x))
        step[k] = h
        slope = (information.value(x + step) - information.value(x - step)) / (2.0 * h)
        assert slope == pytest.approx(gradient[k], abs=DIFFERENCED * np.abs(gradient).max())
    assert np.linalg.eigvalsh(information.hessian(x)).min() > 0.0


def test_the_rows_are_those_of_the_regressor_but_for_slow_coulomb_friction(arm):
    base = kt.identify.base_parameters(arm, ("damping", "coulomb"))
    sizes, slow = np.array([3.0, 2.0]), 1e-4
    what = observation(base, sizes.tolist(), (slow, slow))
    rng = np.random.default_rng(1)
    for q, qd, qdd in rng.normal(size=(20, 3, 2)).tolist():
        rows = np.reshape(what.values(base.geometry, q, qd, qdd, [0.0] * 2), (2, -1))
        wanted = base.regressor(q, qd, qdd) / sizes[:, None]
        assert np.abs(rows - wanted).max() < slow**2 / min(x**2 for x in qd)


# -- the motion --------------------------------------------------------------------------------------------------------


def values(swing, quantity, t):
    q, qd, qdd = swing.motion(t)
    named = {"position": q, "velocity": qd, "acceleration": qdd}
    return named[quantity.title] if quantity.title in named else swing.forces(t)


@pytest.mark.parametrize("name", ["swing", "six"])
def test_limits_hold_everywhere(name, request):
    motion = request.getfixturevalue(name)
    assert motion.ok, motion.message
    t = np.linspace(0.0, motion.duration, DENSE)
    for limit in motion.constraints:
        found, size = values(motion, limit.quantity, t), np.maximum(abs(limit.lower), abs(limit.upper))
        assert ((limit.lower - found) / size).max() < SATISFIED
        assert ((found - limit.upper) / size).max() < SATISFIED
    assert {x.quantity.title for x in motion.constraints} >= {"position", "velocity", "force"}
    assert "allowed" in motion.worst


def test_the_motion_uses_its_limits(swing):
    """The information grows with the motion, so some limits are reached."""
    t = np.linspace(0.0, swing.duration, DENSE)
    used = [np.abs(values(swing, x.quantity, t) / x.upper).max() for x in swing.constraints]
    assert max(used) > 0.98


def test_it_is_better_than_random_motions_within_the_same_limits(arm, swing):
    sizes = np.array([12.0, 5.0])
    t = np.linspace(0.0, swing.duration, 400, endpoint=False)
    best = _figures(swing.base, swing.motion(t), sizes)
    assert best[0] == pytest.approx(swing.condition, rel=0.05)  # there at other samples
    rng, tried = np.random.default_rng(7), 0
    for _ in range(400):
        points = rng.normal(size=swing.control_points.shape) * rng.uniform(0.1, 2.0)
        z = swing.basis.curve(points, t / swing.duration, 2)
        q, qd, qdd = (part / swing.duration**r for r, part in enumerate(z))
        named = {"position": q, "velocity": qd, "acceleration": qdd, "force": arm.inverse_dynamics(q, qd, qdd)}
        if all((abs(named[x.quantity.title]) <= x.upper).all() for x in swing.constraints):
            tried += 1
            condition, cost = _figures(swing.base, (q, qd, qdd), sizes)
            assert cost > best[1]
            assert condition > best[0]
    assert tried > 20


def _figures(base, motion, sizes):
    rows = (base.regressor(*motion) / sizes[:, None]).reshape(-1, len(base))
    information = rows.T @ rows / len(motion[0])
    return float(np.linalg.cond(rows / np.linalg.norm(rows, axis=0))), criterion(information)[0]


def test_six_joints_are_well_conditioned(six):
    assert len(six.base) == 52
    assert six.condition < 7.0  # random motions that fill their limits have 7 to 17
    assert "condition" in repr(six)


def test_a_seed_settles_the_motion(arm):
    task = {"duration": 4.0, "harmonics": 3, "velocity_limits": 3.0, "starts": 2}
    one, again, other = (excite(arm, seed=seed, **task) for seed in (5, 5, 6))
    assert np.array_equal(one.control_points, again.control_points)
    assert not np.array_equal(one.control_points, other.control_points)
    alone = excite(arm, seed=5, **{**task, "starts": 1})
    assert one.cost <= alone.cost


def test_groups_of_parameters_can_be_left_out(arm):
    only = excite(arm, 4.0, 3, velocity_limits=3.0, include=("inertia",), starts=1)
    assert len(only.base) == len(kt.identify.base_parameters(arm))


def test_further_limits_are_satisfied(arm):
    task = {"duration": 4.0, "harmonics": 3, "velocity_limits": 4.0, "position_limits": (-2.0, 2.0), "starts": 1}
    above = {FramePosition("dh2"): ([-math.inf, -0.2, -math.inf], None)}
    kept, free = excite(arm, keep=above, **task), excite(arm, **task)
    t = np.linspace(0.0, 4.0, DENSE)
    heights = [arm.pose(x.motion(t)[0], "dh2")[:, 1, 3].min() for x in (kept, free)]
    assert kept.ok
    assert heights[0] > -0.2 - SATISFIED
    assert heights[1] < -0.25  # without the limit it goes there


def test_limits_that_no_motion_satisfies_are_named():
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    weak = excite(arm, 4.0, 3, position_limits=(-0.5, 0.5), force_limits=0.5, starts=1, iterations=60)
    assert not weak.ok
    assert weak.status is PlanStatus.NOT_FOUND
    assert "force of joint1 is" in weak.message


def test_a_search_that_is_stopped_gives_the_best_so_far(arm):
    costs: list[float] = []

    def callback(iteration: int, cost: float, violation: float) -> bool:
        costs.append(cost)
        return len(costs) < 12

    found = excite(arm, 4.0, 3, velocity_limits=3.0, callback=callback)
    assert len(costs) == 12
    assert found.status is PlanStatus.FEASIBLE
    assert found.termination is Termination.USER_STOP
    assert found.ok
    assert found.cost <= costs[0]


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
def test_ctrl_c_gives_the_best_so_far(arm):
    def callback(iteration: int, cost: float, violation: float) -> bool:
        if iteration == 8:
            signal.raise_signal(signal.SIGINT)
        return True

    found = excite(arm, 4.0, 3, velocity_limits=3.0, callback=callback)
    assert found.status is PlanStatus.FEASIBLE
    assert found.ok
    assert found.iterations < 20


def test_closed_chains_move_their_actuated_joints_and_keep_their_loops_closed():
    chain = kt.ClosedChain(kt.robots.five_bar())
    limits = {"position_limits": 0.6, "velocity_limits": 4.0, "force_limits": 20.0}
    swing = excite(chain, 4.0, 3, include=("inertia",), starts=1, **limits)
    assert swing.ok, swing.message
    assert swing.joints == ["left_shoulder", "right_shoulder"]
    t = np.linspace(0.0, 4.0, 801)
    q, qd, _ = swing.motion(t)
    assert np.abs(q).max() < 0.6 * (1.0 + SATISFIED)
    assert np.abs(qd).max() < 4.0 * (1.0 + SATISFIED)
    assert np.abs(swing.forces(t)).max() < 20.0 * (1.0 + SATISFIED)
    # the cost is that of the regressor of the chain, through other code
    base, sizes = swing.base, np.array([20.0, 20.0])
    rows = base.regressor(all_positions(chain, q[:-1]), *(x[:-1] for x in swing.motion(t)[1:])) / sizes[:, None]
    rows = rows.reshape(-1, len(base))
    assert criterion(rows.T @ rows / 800)[0] == pytest.approx(swing.cost, abs=1e-3)  # at 60 samples in the search
    measured = swing.simulated(200.0, noise=0.0)
    assert measured.q.shape == measured.forces.shape == (801, 2)


# -- what is done with it ----------------------------------------------------------------------------------------------


def test_the_reference_is_the_motion_and_rests_outside(swing):
    for periods in (1, 3):
        repeated = swing.repeat(periods)
        reference = repeated.reference(begin=0.5)
        assert reference.finish == pytest.approx(0.5 + periods * swing.duration)
        times = np.linspace(-1.0, repeated.finish + 1.0, 61)
        target = reference.sample(times + 0.5)
        for found, wanted in zip(target, repeated.motion(times)):
            assert np.abs(found - wanted).max() < ROUNDING * (1.0 + np.abs(wanted).max())


def test_a_controller_follows_the_reference(arm, swing):
    control = kt.control.ComputedTorque(swing.reference(), kp=400.0, kd=40.0)
    motion = kt.simulate(arm, swing.motion(0.0)[0], [0.0, 0.0], 1.0, control)
    assert np.abs(motion.q - swing.motion(motion.t)[0]).max() < 1e-4  # steps of the integration


def test_periods_are_alike(swing):
    t = np.linspace(0.0, swing.duration, 31)
    twice = swing.repeat(2)
    for one, two in zip(twice.motion(t), twice.motion(t + swing.duration)):
        assert np.abs(one - two).max() < 1e-10 * (1.0 + np.abs(one).max())


def test_the_file_holds_the_motion(swing, tmp_path):
    path = swing.to_csv(tmp_path / "new" / "swing.csv", rate=20.0)
    with open(path, newline="", encoding="utf-8") as file:
        rows = [*csv.reader(file)]
    assert rows[0] == ["t", "q.joint1", "q.joint2", "qd.joint1", "qd.joint2", "qdd.joint1", "qdd.joint2"]
    table = np.array(rows[1:], float)
    assert len(table) == 20 * 5 + 1
    assert np.array_equal(table[:, 1:], np.concatenate(swing.motion(table[:, 0]), axis=1))


def test_the_simulated_measurement_has_the_noise_and_the_steps_that_were_asked_for(arm, swing):
    exact = swing.simulated(200.0, noise=0.0, resolution=0.0)
    q, qd, qdd = swing.motion(exact.t)
    assert np.array_equal(exact.q, q)
    assert np.abs(exact.forces - arm.inverse_dynamics(q, qd, qdd)).max() < ROUNDING
    noisy = swing.simulated(200.0, noise=0.02, resolution=0.01, seed=4)
    assert np.abs(noisy.q / 0.01 - np.round(noisy.q / 0.01)).max() < 1e-9
    assert np.abs(noisy.q - q).max() <= 0.005 + ROUNDING
    size = (noisy.forces - exact.forces).std(axis=0) / np.sqrt((exact.forces**2).mean(axis=0))
    assert size == pytest.approx([0.02, 0.02], rel=0.1)  # of a thousand samples
    heavier = swing.simulated(200.0, robot=arm.attach(kt.Inertia(1.0), "link2"), noise=0.0)
    assert np.abs(heavier.forces).max() > np.abs(exact.forces).max()


def test_the_picture_shows_joints_and_limits(swing):
    svg = swing.plot(title="A swing").svg
    for text in ("A swing", "Positions", "Velocities", "upper limit", "Forces", "joint2"):
        assert text in svg
    assert swing.plot("acceleration", "force").svg.count("<svg") == 1 + 2
    with pytest.raises(UnknownNameError, match=r"'torque'.*'force'"):
        swing.plot("torque")


# -- what makes no sense -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duration": 0.0}, "positive number of seconds"),
        ({"harmonics": 1}, "2 or more, got 1"),
        ({"harmonics": 2.5}, "number of harmonics"),
        ({"starts": 0}, "number of starts"),
        ({"duration": "long"}, "positive number of seconds"),
        ({"seed": -1}, "a seed is an integer of 0 or more, got -1"),
        ({"velocity_limits": "model"}, "nothing bounds the velocity of joint1, joint2"),
        ({"velocity_limits": -1.0}, "velocity is above 0"),
        ({"velocity_limits": [1.0, 2.0, 3.0]}, "one number or 2"),
        ({"position_limits": (1.0, -1.0)}, "lower below the upper"),
        ({"position_limits": "file"}, "file"),
        ({"include": ("inertia", "colour")}, "colour"),
    ],
)
def test_bad_input_is_refused(arm, options, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        excite(arm, **{"velocity_limits": 3.0, **options})


def test_robots_that_can_not_be_excited_are_refused(arm):
    with pytest.raises(InputError, match=r"lower and the upper limit of .* are equal"):
        excite(arm, 4.0, 3, velocity_limits=3.0, keep={FramePosition("dh2"): ([-1.0, -1.0, 0.0], [1.0, 1.0, 0.0])})
    with pytest.raises(InputError, match="quaternions"):
        excite(kt.robots.quadruped(), velocity_limits=1.0)
    with pytest.raises(InputError, match="elastic transmissions"):
        excite(kt.robots.mixed_elastic(), velocity_limits=1.0)
    with pytest.raises(InputError, match="closed loops"):
        excite(kt.robots.four_bar(), velocity_limits=1.0)
    with pytest.raises(InputError, match=r"open parameters \(m\)"):
        excite(kt.Robot.from_dh([kt.DH(mass=kt.parameter("m"))], "modified"), velocity_limits=1.0)
    with pytest.raises(InputError, match="slides and has no limits"):
        excite(kt.robots.prismatic_revolute(), velocity_limits=1.0)
    with pytest.raises(InputError, match="rate"):
        excite(arm, 4.0, 3, velocity_limits=3.0, starts=1).to_csv("never.csv", rate=0.0)


@pytest.mark.parametrize("times", [0, True, 1.5])
def test_a_motion_is_repeated_whole_times(swing, times):
    with pytest.raises(InputError, match="1 time or more"):
        swing.repeat(times)


def test_measurements_and_files_that_can_not_be_are_refused(swing, tmp_path):
    for wrong in ({"noise": -0.1}, {"noise": "loud"}, {"noise": [0.1] * 5}, {"resolution": np.nan}):
        with pytest.raises(InputError, match="is a number of 0 or more"):
            swing.simulated(100.0, **wrong)
    with pytest.raises(InputError, match="a rate is a positive number"):
        swing.simulated("fast")
    with pytest.raises(InputError, match="a seed is an integer"):
        swing.simulated(100.0, seed="x")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"swing\.csv can't be written: "):
        swing.to_csv(tmp_path / "file" / "swing.csv")
