"""The laws of closed chains: forward dynamics undoes inverse dynamics, energy, derivatives, convergence, bad input."""

from __future__ import annotations

import dataclasses
import math
import pickle
import time
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from maximal import CUT_KINDS, Array, Maximal, close, displaced, random_loops
from strategies import rate_of, relative_error, states, tree, with_joints

import kinetree as kt
from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed import ClosureStatus
from kinetree.closed.catalogue import ChainVariant
from kinetree.errors import ClosureError, InputError, ModelError, SingularConfigurationWarning, UnknownNameError
from kinetree.graph.interpret import evaluate
from kinetree.joints import Fixed, Prismatic, Revolute, Spherical

# double precision, for mechanisms whose margin is 0.1 or more: a thousand roundings
ROUNDING = 1e-10
# a five-point difference with this step: the fifth derivative times 1e-12 / 30, and rounding of 1e-14 / 1e-3
STEP, DIFFERENCE = 1e-3, 1e-7
SPREAD = {"four_bar": 0.7, "five_bar": 0.3, "planar_3rrr": 0.1, "delta": 0.2, "gough_stewart": 0.05}

SMALL = ["four_bar", "five_bar", "planar_3rrr"]
each_small = pytest.mark.parametrize("name", SMALL)


def lossy(robot: kt.Robot) -> kt.Robot:
    """The robot with friction, rotor inertias and springs on its joints of one coordinate."""
    joints = [
        dataclasses.replace(j, damping=0.3 + 0.1 * k, coulomb=0.2, rotor_inertia=0.01, stiffness=1.0 + k, rest=0.1)
        if (j := body.joint).kind.nq == 1
        else j
        for k, body in enumerate(robot.bodies)
    ]
    return dataclasses.replace(with_joints(robot, joints), name=f"lossy_{robot.name}")


CHAINS: dict[str, kt.ClosedChain] = {}


def chain_of(name: str) -> kt.ClosedChain:
    """A robot of the zoo, with losses, as a closed chain; made once, so that its functions are compiled once."""
    if name not in CHAINS:
        CHAINS[name] = kt.ClosedChain(lossy(getattr(kt.robots, name)()))
    return CHAINS[name]


def positions(chain: kt.ClosedChain) -> list[int]:
    """Where the independent coordinates stand in q, all of one coordinate."""
    return [chain.robot.coordinate_index(name).q for name in chain.independent]


def motion(chain: kt.ClosedChain, spread: float, count: int = 4, seed: int = 0) -> tuple[Array, Array, Array]:
    """Closed configurations; velocities and accelerations of the independent joints."""
    rng, at = np.random.default_rng(seed), positions(chain)
    x, xd, xdd = rng.uniform(-1, 1, (3, count, len(at)))
    return chain.close(chain.neutral[at] + spread * x).check(), xd, xdd


def difference(f: Any) -> Any:
    """df/dt at 0, by five points."""
    return (8 * (f(STEP) - f(-STEP)) - (f(2 * STEP) - f(-2 * STEP))) / (12 * STEP)


# -- dynamics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SMALL, "gough_stewart", pytest.param("delta", marks=pytest.mark.slow)])
def test_forward_dynamics_undoes_inverse_dynamics_and_back(name: str) -> None:
    chain = chain_of(name)
    q, xd, xdd = motion(chain, SPREAD[name])
    tau, qd = chain.inverse_dynamics(q, xd, xdd), chain.velocities(q, xd)
    qdd = chain.forward_dynamics(q, qd, tau)
    assert relative_error(qdd[:, list(chain.actuation.independent)], xdd) < ROUNDING
    assert relative_error(chain.inverse_dynamics(q, qd, qdd), tau) < ROUNDING
    assert relative_error(chain.inverse_dynamics(q, xd, xdd + 1e-3), tau) > 1e3 * ROUNDING


@each_small
def test_power_of_the_actuators_is_the_rate_of_energy_and_the_losses(name: str) -> None:
    chain = chain_of(name)
    robot, (q, xd, xdd) = chain.robot, motion(chain, SPREAD[name])
    tau, qd = chain.inverse_dynamics(q, xd, xdd), chain.velocities(q, xd)
    s = dataclasses.replace(states(robot, len(q)), q=q, qd=qd, qdd=chain.accelerations(q, xd, xdd))
    energy = rate_of(robot, "kinetic_energy", s) + rate_of(robot, "potential_energy", s)
    damping, coulomb = (
        np.array([x for body in robot.bodies for x in getattr(body.joint, field)]) for field in ("damping", "coulomb")
    )
    losses = np.sum(damping * qd**2 + coulomb * np.abs(qd), axis=1)
    assert losses.min() > 1e-3
    assert relative_error(np.sum(tau * xd, axis=1), energy + losses) < ROUNDING


@each_small
def test_closed_configurations_move_with_the_velocities_and_accelerations(name: str) -> None:
    chain = chain_of(name)
    q, xd, xdd = motion(chain, SPREAD[name], 2)
    at = positions(chain)

    def posture(t: float) -> Array:
        return chain.close(q[:, at] + t * xd + t * t / 2 * xdd, q).check()

    def velocity(t: float) -> Array:
        return chain.velocities(posture(t), xd + t * xdd)

    assert relative_error(difference(posture), chain.velocities(q, xd)) < DIFFERENCE
    assert relative_error(difference(velocity), chain.accelerations(q, xd, xdd)) < DIFFERENCE


@pytest.mark.parametrize("name", ["four_bar", "five_bar", pytest.param("planar_3rrr", marks=pytest.mark.slow)])
def test_derivatives_are_along_closed_configurations(name: str) -> None:
    chain = chain_of(name)
    q, xd, xdd = motion(chain, SPREAD[name], 2)
    external = np.random.default_rng(3).normal(size=(chain.robot.nbodies, 6))
    check_derivatives(chain, q, xd, xdd, external)
    *_, M = chain.inverse_dynamics_derivatives(q, xd, xdd)
    assert relative_error(M, np.swapaxes(M, 1, 2)) < ROUNDING
    assert np.linalg.eigvalsh(M).min() > 0


def check_derivatives(chain: kt.ClosedChain, q: Array, xd: Array, xdd: Array, external: Array) -> None:
    slopes = chain.inverse_dynamics_derivatives(q, xd, xdd, external=external)
    at = positions(chain)
    for k in range(len(at)):
        e = np.eye(len(at))[k]

        def moved(t: float, e: Array = e) -> Array:
            return chain.inverse_dynamics(chain.close(q[:, at] + t * e, q).check(), xd, xdd, external=external)

        def faster(t: float, e: Array = e) -> Array:
            return chain.inverse_dynamics(q, xd + t * e, xdd, external=external)

        def steeper(t: float, e: Array = e) -> Array:
            return chain.inverse_dynamics(q, xd, xdd + t * e, external=external)

        for slope, f in zip(slopes, (moved, faster, steeper)):
            assert relative_error(slope[..., k], difference(f)) < DIFFERENCE


def check_forward_derivatives(chain: kt.ClosedChain, q: Array, xd: Array, tau: Array, external: Array) -> None:
    slopes = chain.forward_dynamics_derivatives(q, xd, tau, external=external)
    at, own = positions(chain), list(chain.actuation.independent)

    def found(q: Array, xd: Array, tau: Array) -> Array:
        qd = chain.velocities(q, xd)
        return chain.forward_dynamics(q, qd, tau, external=external, stabilisation=0.0)[..., own]

    for k in range(len(at)):
        e = np.eye(len(at))[k]
        along = difference(lambda t, e=e: found(chain.close(q[:, at] + t * e, q).check(), xd, tau))
        assert relative_error(slopes[0][..., k], along) < DIFFERENCE
        assert relative_error(slopes[1][..., k], difference(lambda t, e=e: found(q, xd + t * e, tau))) < DIFFERENCE
    for k in range(tau.shape[-1]):
        e = np.eye(tau.shape[-1])[k]
        assert relative_error(slopes[2][..., k], difference(lambda t, e=e: found(q, xd, tau + t * e))) < DIFFERENCE


def check_force_rates(chain: kt.ClosedChain, q: Array, xd: Array, xdd: Array, external: Array) -> None:
    xddd, rate = xdd[::-1] + 0.3, external[..., ::-1]
    at = positions(chain)

    def forces(t: float) -> Array:
        there = chain.close(q[:, at] + t * xd + t * t / 2 * xdd, q).check()
        return chain.inverse_dynamics(there, xd + t * xdd, xdd + t * xddd, external=external + t * rate)

    found = chain.force_rates(q, xd, xdd, xddd, external=external, external_rate=rate)
    assert relative_error(found, difference(forces)) < DIFFERENCE


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_accelerations_and_rates_of_forces_change_along_closed_configurations(name: str) -> None:
    chain = chain_of(name)
    q, xd, xdd = motion(chain, SPREAD[name], 2)
    external = np.random.default_rng(3).normal(size=(chain.robot.nbodies, 6))
    check_forward_derivatives(chain, q, xd, chain.inverse_dynamics(q, xd, xdd), external)
    check_force_rates(chain, q, xd, xdd, external)
    with pytest.raises(kt.errors.InputError, match="together"):
        chain.force_rates(q, xd, xdd, xdd, external=external)


@pytest.mark.parametrize("kind", CUT_KINDS)
def test_derivatives_for_every_type_of_cut_joint(kind: str) -> None:
    """In space, where the equations of a loop bend in every way; the graph is evaluated without compiling it."""
    robot, q = random_loops(2, 1, [kind], mobility=1, tree_kinds=("revolute", "prismatic", "universal"))
    J, own = Maximal(robot, q).constraint_jacobian(), []
    allowed = np.linalg.svd(J)[2][len(J) :].T
    for _ in range(robot.nv - len(J)):  # always the velocity that moves most of what is left
        own.append(int(np.argmax(np.linalg.norm(allowed, axis=1))))
        along = allowed[own[-1]] / np.linalg.norm(allowed[own[-1]])
        allowed = allowed - np.outer(allowed @ along, along)
    actuation = Actuation(tuple(own), tuple(own), (1.0,) * len(own))
    dependent = [k for k in range(robot.nv) if k not in own]
    rng = np.random.default_rng(1)
    x, xd, xdd = rng.normal(size=(3, len(own)))

    def forces(q: Array, xd: Array, xdd: Array) -> Array:
        variant = ChainVariant("inverse_dynamics", actuation)
        return np.array(variant(robot, q.tolist(), xd.tolist(), xdd.tolist())[0])

    def moved(t: float) -> Array:
        step = np.zeros(robot.nv)
        step[own] = t * x
        return forces(close(robot, displaced(robot, q, step), dependent), xd, xdd)

    variant = ChainVariant("inverse_dynamics_derivatives", actuation)
    trace = kt.trace(variant, robot)
    values = evaluate(trace.outputs, {"q": q, "qd": xd, "qdd": xdd})
    dq, dqd, M = np.reshape(values[:-1], (3, len(own), len(own)))
    assert relative_error(dq @ x, difference(moved)) < DIFFERENCE
    assert relative_error(dqd @ x, difference(lambda t: forces(q, xd + t * x, xdd))) < DIFFERENCE
    assert relative_error(M @ x, difference(lambda t: forces(q, xd, xdd + t * x))) < DIFFERENCE
    assert relative_error(M, M.T) < ROUNDING
    assert np.linalg.eigvalsh(M).min() > 0


def test_derivatives_follow_couplings() -> None:
    robot = dataclasses.replace(kt.robots.stanford(), couplings=(kt.Coupling("joint2", "joint1", (0.1, 0.5, 0.2)),))
    chain = kt.ClosedChain(robot, ["joint1", "joint3", "joint4", "joint5", "joint6"])
    q, xd, xdd = motion(chain, 0.5, 1)
    external = np.random.default_rng(3).normal(size=(robot.nbodies, 6))
    check_derivatives(chain, q, xd, xdd, external)
    check_forward_derivatives(chain, q, xd, chain.inverse_dynamics(q, xd, xdd), external)
    check_force_rates(chain, q, xd, xdd, external)


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_energy_is_kept_for_ten_seconds_and_loops_stay_closed(name: str) -> None:
    """Under gravity, or on springs, by Runge and Kutta; stabilised, so that loops don't drift open."""
    robot = getattr(kt.robots, name)()
    if name == "five_bar":
        robot = with_joints(robot, [dataclasses.replace(b.joint, stiffness=2.0) for b in robot.bodies])
    chain = kt.ClosedChain(robot)
    robot, n = chain.robot, robot.nv
    fall, free = chain.function("forward_dynamics"), np.zeros(chain.mobility)
    q = chain.close([[0.0] * chain.mobility, [0.1] * chain.mobility]).check()
    x = np.concatenate([q, chain.velocities(q, np.full((2, chain.mobility), 0.5))], axis=1)

    def rate(x: Array) -> Array:
        return np.concatenate([x[:, n:], fall(x[:, :n], x[:, n:], free, 20.0)[0]], axis=1)

    def energy(x: Array) -> Array:
        return robot.kinetic_energy(x[:, :n], x[:, n:]) + robot.potential_energy(x[:, :n])

    start, step, gap = energy(x), chain.function("step"), 0.0
    h = 1e-3
    for _ in range(10_000):
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))
        gap = max(gap, step(x[:, :n], 0.0)[1].max())
    assert gap < 1e-9
    assert np.abs(energy(x) - start).max() < 1e-6  # of some joules that go to and fro; the method's own error
    assert np.abs(x[:, n:]).max() > 0.1


def test_errors_of_the_loops_die_away_as_the_stabilisation_says() -> None:
    """edd + 2 k ed + k^2 e = 0 from rest: e = (1 + k t) exp(-k t) of the start."""
    chain = kt.ClosedChain(kt.robots.five_bar())
    k, h, n = 10.0, 1e-3, 4
    x = np.concatenate([chain.neutral + np.array([0.0, 1e-5, 0.0, 0.0]), np.zeros(n)])
    fall, step = chain.function("forward_dynamics"), chain.function("step")

    def rate(x: Array) -> Array:
        return np.concatenate([x[n:], fall(x[:n], x[n:], [0.0, 0.0], k)[0]])

    first = step(x[:n], 0.0)[1]
    for _ in range(300):
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))
    assert step(x[:n], 0.0)[1] / first == pytest.approx((1 + 3) * math.exp(-3), rel=1e-4)


# -- choices that must not matter, and redundant drives ----------------------------------------------------------------


def test_which_joints_are_independent_does_not_change_the_accelerations() -> None:
    robot = lossy(kt.robots.five_bar())
    one = chain_of("five_bar")
    q, xd, xdd = motion(one, 0.3)
    qd, qdd = one.velocities(q, xd), one.accelerations(q, xd, xdd)
    tau = one.inverse_dynamics(q, xd, xdd)
    for names in (["left_elbow", "right_elbow"], ["right_elbow", "left_shoulder"]):
        other = kt.ClosedChain(robot, names)
        own = [robot.coordinate_index(x).v for x in names]
        assert relative_error(other.velocities(q, qd), qd) < ROUNDING
        assert relative_error(other.accelerations(q, qd[:, own], qdd[:, own]), qdd) < ROUNDING
        # the same work: G'^T of the one set is that of the other
        forces = other.inverse_dynamics(q, qd, qdd)
        assert relative_error(np.sum(forces * qd[:, own], axis=1), np.sum(tau * xd, axis=1)) < ROUNDING
    every = kt.ClosedChain(robot, robot.joint_names)
    padded = np.stack([tau[:, 0], 0 * tau[:, 0], tau[:, 1], 0 * tau[:, 0]], axis=1)
    assert relative_error(every.forward_dynamics(q, qd, padded), qdd) < ROUNDING


def test_redundant_actuators_do_the_same_with_the_least_weighted_squares() -> None:
    robot, names, weights = lossy(kt.robots.five_bar()), ["left_shoulder", "left_elbow", "right_shoulder"], [1, 4, 0.5]
    plain = chain_of("five_bar")
    q, xd, xdd = motion(plain, 0.3)
    qd, qdd = plain.velocities(q, xd), plain.accelerations(q, xd, xdd)
    for given in (None, weights):
        chain = kt.ClosedChain(robot, names, weights=given)
        assert chain.independent == ("left_shoulder", "left_elbow")
        assert chain.mobility == 2
        tau = chain.inverse_dynamics(q, qd, qdd)
        assert relative_error(chain.forward_dynamics(q, qd, tau), qdd) < ROUNDING
        W = np.diag(1 / np.sqrt(weights if given else np.ones(3)))
        for k in range(len(q)):
            # columns of G for the shoulders, at the driven joints: B^T tau = tau of the shoulders alone
            B = np.array([plain.velocities(q[k], e) for e in np.eye(2)])[:, [0, 1, 2]]
            least = W @ np.linalg.pinv(B @ W) @ plain.inverse_dynamics(q[k], xd[k], xdd[k])
            assert relative_error(tau[k], least) < ROUNDING
        wrench = plain.joint_wrenches(q, qd, qdd) - chain.joint_wrenches(q, qd, qdd)
        assert np.abs(wrench).max() > 1e-3  # other drives load the joints otherwise


def test_derivatives_of_redundant_actuation() -> None:
    names = ["left_shoulder", "left_elbow", "right_shoulder"]
    chain = kt.ClosedChain(lossy(kt.robots.five_bar()), names, weights=[1, 4, 0.5])
    q, xd, xdd = motion(chain, 0.1, 2)
    external = np.random.default_rng(3).normal(size=(chain.robot.nbodies, 6))
    check_derivatives(chain, q, xd, xdd, external)
    check_forward_derivatives(chain, q, xd, chain.inverse_dynamics(q, xd, xdd), external)
    check_force_rates(chain, q, xd, xdd, external)


# -- closing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "gough_stewart"])
def test_newtons_method_converges_quadratically(name: str) -> None:
    chain = chain_of(name)
    step, at = chain.function("step"), positions(chain)
    q = chain.neutral + 0.0
    q[at] += 0.1 * SPREAD[name]
    errors = []
    for _ in range(6):
        q, error = step(q, 0.0)
        errors.append(float(error))
    print(name, " ".join(f"{e:.1e}" for e in errors))
    assert errors[0] > 1e-4
    assert errors[-1] < 1e-14
    pairs = [(a, b) for a, b in pairwise(errors) if a > 1e-7]
    assert len(pairs) >= 2
    assert all(b < 10 / SPREAD[name] * a**2 for a, b in pairs)


def test_what_happens_to_a_row_depends_on_that_row_alone() -> None:
    chain = chain_of("planar_3rrr")
    x = chain.neutral[positions(chain)] + 0.1 * np.random.default_rng(0).uniform(-1, 1, (100_000, 3))
    plain = chain.close(x)
    assert plain.closed.all()
    assert plain.error.max() < 1e-14
    spoilt = x.copy()
    spoilt[[3, 70_000]] = [[np.nan, 0, 0], [30.0, -40.0, 4.0]]
    beside = chain.close(spoilt)
    others = np.delete(np.arange(len(x)), [3, 70_000])
    assert beside.status[3] == ClosureStatus.NOT_A_NUMBER
    assert np.array_equal(beside.q[others], plain.q[others])
    assert np.array_equal(beside.iterations[others], plain.iterations[others])
    for k in (0, 4, 99_999):
        assert np.array_equal(chain.close(x[k]).q, plain.q[k])


@pytest.mark.parametrize(("name", "far"), [("five_bar", 3.0), ("delta", 0.8), ("gough_stewart", 0.1)])
def test_far_guesses_close_where_plain_steps_would_not(name: str, far: float) -> None:
    chain = chain_of(name)
    rng, robot = np.random.default_rng(0), chain.robot
    guesses = np.array([displaced(robot, chain.neutral, far * rng.normal(size=robot.nv)) for _ in range(300)])
    found = chain.close(chain.neutral[positions(chain)], guesses)
    assert found.closed.mean() > 0.99
    assert found.error[found.closed].max() < 1e-10
    undamped, step = guesses.copy(), chain.function("step")
    undamped[:, positions(chain)] = chain.neutral[positions(chain)]
    with np.errstate(all="ignore"):
        for _ in range(5):
            undamped, error = step(undamped, 0.0)
    assert not (error < 1e-10).all()


def test_a_crank_turned_fully_comes_back_to_the_same_assembly() -> None:
    chain = chain_of("four_bar")
    turned = chain.close([2 * math.pi]).check()
    whole = np.round(turned / (2 * math.pi))
    assert relative_error(turned, chain.neutral + 2 * math.pi * whole) < ROUNDING
    assert whole.tolist() == [1, -1, 0]  # the crank went around, the coupler and the rocker did not
    mirrored = chain.close([0.0], [0.0, -2.0, 1.5]).check()  # the other assembly, from a guess near it
    assert np.abs(mirrored - chain.neutral).max() > 0.5


def test_loops_that_cannot_close_stay_open_quickly_without_nan() -> None:
    """The rocker can't turn as far as the crank; where bars are too short, nothing closes."""
    chain = kt.ClosedChain(kt.robots.four_bar(), ["rocker_joint"])
    start = time.perf_counter()
    found = chain.close(np.linspace(1.5, 40.0, 1000)[:, None])
    assert time.perf_counter() - start < 5.0
    lost = ~found.closed
    assert lost.sum() > 500
    assert np.isfinite(found.q).all()
    assert found.error[lost].min() > 1e-6
    with pytest.raises(ClosureError, match=r"row \(0,\), the first of \d+: .*out of reach.*error 0\.\d+ m or rad"):
        found.check()
    with pytest.raises(ClosureError, match=r"^the loops stay open"):
        chain.close([1.5]).check()


def test_rows_that_are_not_numbers_stand_beside_good_ones() -> None:
    chain = chain_of("five_bar")
    found = chain.close([[0.1, 0.2], [np.nan, 0.0], [0.0, np.inf], [0.1, 0.2]])
    assert found.status.tolist() == [0, 2, 2, 0]
    assert np.isnan(found.error[1:3]).all()
    assert np.array_equal(found.q[0], found.q[3])
    with pytest.raises(ClosureError, match=r"row \(1,\), the first of 2: .*not finite numbers"):
        found.check()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q = np.stack([found.q[0], np.full(4, np.nan)])
        tau = chain.inverse_dynamics(q, [0.0, 0.0], [0.0, 0.0])
    assert np.isfinite(tau[0]).all()
    assert np.isnan(tau[1]).all()
    assert np.isnan(chain.margin(q)[1])


def test_sides_turned_by_half_a_turn_do_not_count_as_closed() -> None:
    """The sine of half a turn is zero, and the ends of both bars meet."""
    arm = (
        kt.Body("one", kt.Joint("one", Revolute((0, 0, 1)))),
        kt.Body("two", kt.Joint("two", Revolute((0, 0, 1)), kt.Transform(p=(1, 0, 0))), parent="one"),
        kt.Body("three", kt.Joint("three", Revolute((0, 0, 1)), kt.Transform(p=(1, 0, 0))), parent="two"),
        kt.Body("slide", kt.Joint("slide", Prismatic((1, 0, 0)))),
    )
    weld = kt.Loop("weld", Fixed(), kt.Frame("slide", kt.Transform(p=(2, 0, 0))), kt.Frame("three"))
    chain = kt.ClosedChain(kt.Robot(arm, loops=(weld,)), ["slide"])
    closed = chain.close([-0.5], [0.5, -1.0, 0.5, 0.0])
    assert closed.closed
    half = closed.q + np.array([0.0, 0.0, math.pi, 0.0])
    error = chain.function("step")(half, 0.0)[1]
    assert error >= 1.0
    again = chain.close([-0.5], half)
    assert not again.closed or abs(math.remainder(again.q[:3].sum(), 2 * math.pi)) < ROUNDING


# -- what a model may be -----------------------------------------------------------------------------------------------


def four_bar(**changes: Any) -> kt.Robot:
    """The four-bar linkage with another loop."""
    robot = kt.robots.four_bar()
    return dataclasses.replace(robot, loops=(dataclasses.replace(robot.loops[0], **changes),))


def test_robots_without_loops_are_refused() -> None:
    with pytest.raises(ModelError, match="has no loops and no couplings"):
        kt.ClosedChain(kt.robots.stanford())


def test_too_few_actuators_are_refused_with_what_is_possible() -> None:
    robot = kt.robots.five_bar()
    with pytest.raises(
        ModelError, match="2 degrees of freedom and 1 are driven; possible are 'left_shoulder', 'right_"
    ):
        kt.ClosedChain(robot, ["left_elbow"])
    with pytest.raises(ModelError, match=r"the joints none can't drive.*'left_elbow', 'right_shoulder'"):
        kt.ClosedChain(robot, [])
    with pytest.raises(UnknownNameError, match="left_elbow"):
        kt.ClosedChain(robot, ["elbow"])
    with pytest.raises(InputError, match="list of names"):
        kt.ClosedChain(robot, "left_elbow")


def test_joints_that_move_together_cannot_drive() -> None:
    """In a parallelogram, two opposite bars turn alike."""
    robot, left = kt.robots.five_bar(), kt.Transform(p=(0, 1, 0))
    bars = (
        kt.Body("a", kt.Joint("a", Revolute((0, 0, 1)))),
        kt.Body("b", kt.Joint("b", Revolute((0, 0, 1)), left), parent="a"),
        kt.Body("c", kt.Joint("c", Revolute((0, 0, 1)), kt.Transform(p=(1, 0, 0)))),
        kt.Body("d", kt.Joint("d", Prismatic((0, 0, 1))), parent="c"),
    )
    pin = kt.Loop("pin", Revolute((0, 0, 1)), kt.Frame("b", kt.Transform(p=(1, 0, 0))), kt.Frame("c", left))
    with pytest.raises(ModelError, match=r"'a', 'c'.*they move 1 of its 2 degrees of freedom.*'a', 'd'; 'b', 'd'; 'c'"):
        kt.ClosedChain(kt.Robot(bars, loops=(pin,)), ["a", "c"])
    assert kt.ClosedChain(robot, ["left_shoulder", "left_shoulder", "right_elbow"]).mobility == 2


def test_weights_must_fit() -> None:
    robot = kt.robots.five_bar()
    for wrong in ([1.0], [1.0, -1.0], [1.0, 0.0], [1.0, math.nan]):
        with pytest.raises(InputError, match="weights are 2 positive numbers"):
            kt.ClosedChain(robot, weights=wrong)


def test_a_loop_open_at_neutral_is_closed_by_moving() -> None:
    robot = kt.robots.four_bar()
    place = robot.loops[0].successor.pose.p
    near = kt.Frame("rocker", kt.Transform(p=(place.x + 0.02, place.y, place.z - 0.03)))
    chain = kt.ClosedChain(four_bar(successor=near))
    assert chain.close(chain.neutral[:1]).error < 1e-10
    assert relative_error(chain.close([0.1]).check()[:1], [0.1]) < ROUNDING


def test_a_loop_that_never_closes_is_refused_with_its_name_and_gap() -> None:
    away = kt.Frame("rocker", kt.Transform(p=(-0.15, 0.0, 3.0)))
    with pytest.raises(ClosureError, match=r"loop 'pin' stays open by 2\.\d+"):
        kt.ClosedChain(four_bar(successor=away))
    beside = kt.Frame("rocker", kt.Transform(p=(-0.15, 0.1, 0.36)))  # out of the plane, where no joint can move it
    with pytest.raises(ClosureError, match=r"loop 'pin' stays open by 0\.1 "):
        kt.ClosedChain(four_bar(successor=beside))
    turned = kt.Frame("rocker", kt.Transform([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], (-0.15, 0.0, 0.36)))
    with pytest.raises(ClosureError, match="loop 'pin' stays open"):
        kt.ClosedChain(four_bar(successor=turned))  # the axes of the pin point against each other


def test_couplings_of_joints_without_a_coordinate_of_their_own_are_refused() -> None:
    robot = tree(11, 6, ("revolute", "prismatic", "spherical"))
    single = [b.joint.name for b in robot.bodies if b.joint.kind.nv == 1]
    ball = next(b.joint.name for b in robot.bodies if isinstance(b.joint.kind, Spherical))
    joints = [dataclasses.replace(b.joint, mimic=kt.Mimic(single[0])) if b.joint.name == single[1] else b.joint
              for b in robot.bodies]  # fmt: skip
    follower = dataclasses.replace(with_joints(robot, joints), couplings=(kt.Coupling(single[2], single[1], (0, 2)),))
    with pytest.raises(ModelError, match=f"{single[1]!r} mimics {single[0]!r}.*couple {single[0]!r} instead"):
        kt.ClosedChain(follower, [single[0]])
    with pytest.raises(ModelError, match=f"{ball!r} has 4 coordinates"):
        kt.ClosedChain(dataclasses.replace(robot, couplings=(kt.Coupling(ball, None, (0.0,)),)))


def test_a_robot_with_couplings_alone_is_a_closed_chain() -> None:
    robot = dataclasses.replace(kt.robots.stanford(), couplings=(kt.Coupling("joint2", "joint1", (0.1, 0.5, 0.2)),))
    chain = kt.ClosedChain(robot, [x for x in robot.joint_names if x != "joint2"])
    q = chain.close([0.4, 0.2, 0.1, 0.3, 0.5]).check()
    assert q[1] == pytest.approx(0.1 + 0.5 * 0.4 + 0.2 * 0.16)
    assert chain.loop_wrenches(q, [0.0] * 5, [0.0] * 5).shape == (0, 6)


def test_a_truss_has_no_degree_of_freedom_and_its_pins_carry_its_weight() -> None:
    """Two bars of 1 kg that lean against each other, 1 m apart and 1 m high: each pushes with m g w / (4 h)."""
    hinge = Revolute((0, -1, 0))
    bars = [
        kt.Body(name, kt.Joint(name, hinge, kt.Transform(p=(x, 0, 0))), kt.Inertia(1.0, (side / 4, 0, 0.5), (0.1,) * 3))
        for name, x, side in (("left", 0.0, 1.0), ("right", 1.0, -1.0))
    ]
    ends = [kt.Frame(name, kt.Transform(p=(side / 2, 0, 1))) for name, side in (("left", 1.0), ("right", -1.0))]
    robot = kt.Robot(tuple(bars), loops=(kt.Loop("top", hinge, *ends),))
    for actuated in ([], ["left"]):
        chain = kt.ClosedChain(robot, actuated)
        assert chain.mobility == 0
        q = chain.close([]).check()
        assert relative_error(chain.loop_wrenches(q, [], [])[0], [0, 0, 0, 9.81 / 4, 0, 0]) < ROUNDING
        assert relative_error(chain.joint_wrenches(q, [], [])[:, 5], [9.81, 9.81]) < ROUNDING
        assert chain.inverse_dynamics(q, [], []).tolist() == [0.0] * len(actuated)
        assert chain.forward_dynamics(q, [0.0, 0.0], [0.5] * len(actuated)).tolist() == [0.0, 0.0]
        assert chain.inverse_dynamics_derivatives(q, [], [])[0].shape == (len(actuated), 0)


# -- singular configurations -------------------------------------------------------------------------------------------


def dead_centre() -> Array:
    """Crank and coupler in one line: the rocker stands still for a moment, and can't say where the crank goes."""
    robot, (a, b, c, d) = kt.robots.four_bar(), (0.15, 0.40, 0.39, 0.56)
    at = math.acos(((a + b) ** 2 + d**2 - c**2) / (2 * (a + b) * d))  # of crank and coupler
    top = (a + b) * np.array([math.cos(at), math.sin(at)]) - [d, 0.0]
    crank, coupler = (math.atan2(0.12, 0.09), math.atan2(0.24, 0.32))
    rocker = math.atan2(0.36, -0.15)
    q = np.array([at - crank, crank - coupler, math.atan2(top[1], top[0]) - rocker])
    assert robot.nq == 3
    return q


def test_singular_rows_are_nan_with_a_warning_that_names_them() -> None:
    robot, q = kt.robots.four_bar(), dead_centre()
    crank, rocker = kt.ClosedChain(robot), kt.ClosedChain(robot, ["rocker_joint"])
    assert crank.function("step")(q, 0.0)[1] < 1e-15
    assert crank.margin(q) > 0.1
    assert rocker.margin(q) < 1e-7
    assert crank.velocities(q, [1.0])[2] == pytest.approx(0.0, abs=1e-15)
    rows = np.stack([robot.neutral, q, robot.neutral, q])
    with pytest.warns(
        SingularConfigurationWarning, match=r"in 2 of 4 rows, the first is \(1,\): .*\(rocker_joint\) don't"
    ):
        tau = rocker.inverse_dynamics(rows, [1.0], [0.0])
    assert np.isfinite(tau[[0, 2]]).all()
    assert np.isnan(tau[[1, 3]]).all()
    with pytest.warns(SingularConfigurationWarning, match="singular here") as caught:
        assert np.isnan(rocker.forward_dynamics(q, [0.0] * 3, [0.0])).all()
    assert caught[0].filename == __file__
    with pytest.warns(SingularConfigurationWarning):
        assert all(np.isnan(x).all() for x in rocker.inverse_dynamics_derivatives(q, [0.0], [0.0]))


def test_a_five_bar_with_its_elbows_together_is_singular() -> None:
    """The lower bars lie on each other, and turn freely about the elbows."""
    chain, up = chain_of("five_bar"), math.sqrt(0.30**2 - 0.06**2)
    upper = [math.atan2(up, x) - math.atan2(0.24, y) for x, y in ((0.06, -0.18), (-0.06, 0.18))]
    lower = [math.pi / 2 - math.atan2(0.32, y) for y in (0.24, -0.24)]  # both straight ahead
    q = np.array([upper[0], lower[0] - upper[0], upper[1], lower[1] - upper[1]])
    assert chain.function("step")(q, 0.0)[1] < 1e-15
    assert chain.margin(q) < 1e-7
    near = chain.close(q[[0, 2]] + [0.01, -0.01], q).check()
    assert 1e-6 < chain.margin(near) < 0.1


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_shapes_broadcast_and_empty_batches_stay_empty() -> None:
    chain = chain_of("five_bar")
    found = chain.close(np.zeros((3, 1, 2)), np.broadcast_to(chain.neutral, (4, 4)))
    assert (found.q.shape, found.status.shape, found.error.shape) == ((3, 4, 4), (3, 4), (3, 4))
    assert chain.inverse_dynamics(found.q, np.zeros((5, 1, 1, 2)), np.zeros(4)).shape == (5, 3, 4, 2)
    none = chain.close(np.zeros((0, 2)))
    assert none.check().shape == (0, 4)
    assert chain.inverse_dynamics(none.q, np.zeros(2), np.zeros(2)).shape == (0, 2)
    assert chain.close([0, 0]).q.dtype == np.float64


def test_float32_is_taken() -> None:
    chain = chain_of("five_bar")
    q, xd, xdd = motion(chain, 0.3)
    single = [x.astype(np.float32) for x in (q, xd, xdd)]
    tau = chain.inverse_dynamics(*single)
    assert tau.dtype == np.float32
    assert relative_error(tau, chain.inverse_dynamics(q, xd, xdd)) < 1e-4  # a thousand roundings of 1e-7
    assert chain.close(np.float32([0.1, 0.2])).closed
    rocker, still = kt.ClosedChain(kt.robots.four_bar(), ["rocker_joint"]), np.float32([0.0])
    with pytest.warns(SingularConfigurationWarning):
        assert np.isnan(rocker.velocities(dead_centre().astype(np.float32), still)).all()


def test_wrong_numbers_are_refused_before_any_work() -> None:
    chain = chain_of("five_bar")
    with pytest.raises(InputError, match=r"close takes 2 positions, of left_shoulder, right_shoulder; got .*3"):
        chain.close([0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="close takes 2 positions"):
        chain.close(0.0)
    with pytest.raises(InputError, match="real numbers"):
        chain.close(["a", "b"])
    with pytest.raises(InputError, match="guess has the positions of all 4"):
        chain.close([0.0, 0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="must be above 0"):
        chain.close([0.0, 0.0], tolerance=0.0)
    with pytest.raises(InputError, match="2 independent values, of left_shoulder, right_shoulder, or those of all 4"):
        chain.velocities(chain.neutral, [1.0])
    with pytest.raises(InputError, match=r"velocities of all 4 .* chain.velocities gives them"):
        chain.forward_dynamics(chain.neutral, [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(UnknownNameError, match="inverse_dynamics"):
        chain.function("inverse")
    with pytest.raises(UnknownNameError, match="parameter"):
        chain.close([0.0, 0.0], length=1.0)


def test_few_iterations_are_kept() -> None:
    chain = chain_of("five_bar")
    for most in (1, 2, 3):
        found = chain.close([0.19, -0.19], iterations=most, tolerance=1e-15)
        assert found.iterations <= most + 2  # two to polish
        assert np.isfinite(found.error)
        assert found.status in (0, 1)


# -- named parameters, pickles -----------------------------------------------------------------------------------------


def five_bar_with(length: Any, mass: Any) -> kt.Robot:
    """A five-bar linkage whose left lower bar has a length, and whose right one a mass."""
    robot = kt.robots.five_bar()
    pin = dataclasses.replace(robot.loops[0], predecessor=kt.Frame("left_lower", kt.Transform(p=(0.24, length, 0))))
    last = robot.bodies[-1]
    inertia = dataclasses.replace(last.inertia, mass=mass)
    return dataclasses.replace(
        robot, bodies=(*robot.bodies[:-1], dataclasses.replace(last, inertia=inertia)), loops=(pin,)
    )


def test_named_parameters_are_keywords() -> None:
    chain = kt.ClosedChain(five_bar_with(kt.parameter("length", 0.32), kt.parameter("load", 0.4)))
    numbers = kt.ClosedChain(five_bar_with(0.35, 0.9))
    x = np.array([0.1, -0.2])
    q = chain.close(x, length=0.35).check()
    assert relative_error(q, numbers.close(x).check()) < ROUNDING
    forces = chain.inverse_dynamics(q, x, x, length=0.35, load=0.9)
    assert relative_error(forces, numbers.inverse_dynamics(q, x, x)) < ROUNDING
    assert relative_error(chain.close(x).q, chain.close(x, length=0.32).q) == 0.0
    each = chain.close(x, length=np.array([0.32, 0.35]))  # one value for each row
    assert relative_error(each.check()[1], q) < ROUNDING
    assert chain.close(x, length=math.nan).status == ClosureStatus.NOT_A_NUMBER
    assert not chain.close(x, length=5.0).closed


def test_parameters_need_defaults_to_look_at_the_loops_and_names_of_their_own() -> None:
    with pytest.raises(ModelError, match=r"give defaults to length, as in kinetree.parameter\('length', 1.0\)"):
        kt.ClosedChain(five_bar_with(kt.parameter("length"), 0.4))
    with pytest.raises(ModelError, match=r"a parameter can.t be called .tolerance.: functions take"):
        kt.ClosedChain(five_bar_with(0.32, kt.parameter("tolerance", 0.4)))


def test_closed_chains_pickle() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar(), ["left_shoulder", "left_elbow", "right_shoulder"], weights=[1, 2, 3])
    q = chain.close([0.1, 0.2]).check()
    tau = chain.inverse_dynamics(q, [1.0, 0.0], [0.0, 1.0])
    again = pickle.loads(pickle.dumps(chain))
    assert np.array_equal(again.inverse_dynamics(q, [1.0, 0.0], [0.0, 1.0]), tau)
    assert (again.actuated, again.independent, again.actuation) == (chain.actuated, chain.independent, chain.actuation)
    found = pickle.loads(pickle.dumps(chain.close([0.1, 0.2])))
    assert np.array_equal(found.q, q)


def test_quaternions_among_the_independent_coordinates_go_the_short_way() -> None:
    """q and -q are the same orientation, and between them stands zero, which is none."""
    robot = kt.robots.gough_stewart()
    joint = next(body.joint.name for body in robot.bodies if body.name == "platform")
    chain = kt.ClosedChain(robot, [joint])
    place = robot.q_slices[[body.joint.name for body in robot.bodies].index(joint)]
    target = chain.neutral[place] + 0.0
    target[3:] *= -1.0
    found = chain.close(target)
    assert found.closed
    assert found.iterations < 5  # there is no way to go
    assert np.array_equal(found.q[place], target)
    others = np.delete(np.arange(robot.nq), np.arange(robot.nq)[place])
    assert relative_error(found.q[others], chain.neutral[others]) < ROUNDING
    turn = 0.5 * math.pi / 4  # half of the angle; on the way, orientations are orientations
    target[3:] = [0.0, 0.0, -math.sin(turn), -math.cos(turn)]
    assert chain.close(target).closed


@pytest.mark.parametrize("name", ["velocities", "accelerations", "inverse_dynamics", "loop_wrenches", "joint_wrenches",
                                  "inverse_dynamics_derivatives", "forward_dynamics", "margin"])  # fmt: skip
def test_open_loops_are_refused_where_a_check_is_asked_for(name):
    chain = kt.ClosedChain(kt.robots.four_bar())
    whole = chain.velocities(chain.neutral, [1.0])
    arguments = {"velocities": [[1.0]], "margin": [], "forward_dynamics": [whole, [0.0]]}.get(name, [[1.0], [0.0]])
    method = getattr(chain, name)
    closed, unchecked = method(chain.neutral, *arguments, check=True), method(chain.neutral, *arguments)
    for x, y in zip(np.atleast_1d(closed), np.atleast_1d(unchecked)):
        assert np.array_equal(x, y)
    q = chain.neutral + np.array([[0.0, 0.0, 0.0], [0.0, 1e-3, 0.0]])
    method(q, *arguments)
    with pytest.raises(ClosureError, match=r"open in 1 of 2 rows, in row \(1,\) by 0\.000.*chain\.close"):
        method(q, *arguments, check=True)


def test_the_constraint_jacobian_is_the_derivative_of_the_loops():
    chain, rng = kt.ClosedChain(kt.robots.gough_stewart()), np.random.default_rng(5)
    q = chain.close(rng.uniform(-0.05, 0.05, 6)).check()
    J, error = chain.constraint_jacobian(q)
    assert J.shape == (18, 24)
    assert error < ROUNDING
    assert np.linalg.matrix_rank(J) == 18
    assert np.abs(J @ chain.velocities(q, rng.normal(size=6))).max() < ROUNDING
