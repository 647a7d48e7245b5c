"""Closed chains and parallel robots on a base with a prescribed motion."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from maximal import CUT_KINDS, Array, Maximal, mounted, project_velocity, random_loops
from parallel_robots import load, random_motion
from strategies import duals, rate_part, relative_error

import kinetree as kt
from kinetree.algorithms.closed_chain import Actuation
from kinetree.algorithms.kinematics import rates
from kinetree.closed.catalogue import ChainVariant
from kinetree.errors import InputError, UnknownNameError
from kinetree.graph.interpret import evaluate
from kinetree.spatial.vec3 import Vec3

AGREEMENT = 1e-9  # double precision on both sides, by other formulas
EXACT = 1e-10  # dual numbers through the solution of the loops: a thousand roundings
SINGLE = 1e-4  # seven digits, of which the loops cost two

LOADS = ("external", "base_velocity", "base_acceleration")


def on_numbers(robot: Any, actuation: Actuation, name: str, *args: Any, platform: int | None = None) -> Any:
    """The first result of an algorithm; the last three arguments are the loads."""
    variant = ChainVariant(name, actuation, True, platform, True)
    return variant(robot, *(x.tolist() if isinstance(x, np.ndarray) else x for x in args))[0]


def traced(robot: Any, actuation: Actuation, name: str, values: dict[str, Array], platform: Any = None) -> list[Array]:
    """All results of an algorithm by its graph, in double precision; single precision is near them."""
    trace = kt.trace(ChainVariant(name, actuation, True, platform, True), robot)
    inputs = {name: np.ravel(x).astype(np.float32).astype(float) for name, x in values.items()}
    single, double = (np.array(evaluate(trace.outputs, inputs, x), float) for x in (np.float32, np.float64))
    assert relative_error(single, double) < SINGLE
    found = evaluate(trace.outputs, {name: np.ravel(x) for name, x in values.items()})
    ends = np.cumsum([result.size for result in trace.results])[:-1]
    return [np.reshape(x, r.shape) for x, r in zip(np.split(np.array(found, float), ends), trace.results)]


def independent(robot: kt.Robot, q: Array) -> Actuation:
    """Independent velocities, always the one that moves most of what is left."""
    J, own = Maximal(robot, q).constraint_jacobian(), []
    allowed = np.linalg.svd(J)[2][len(J) :].T
    for _ in range(robot.nv - len(J)):
        own.append(int(np.argmax(np.linalg.norm(allowed, axis=1))))
        along = allowed[own[-1]] / np.linalg.norm(allowed[own[-1]])
        allowed = allowed - np.outer(allowed @ along, along)
    return Actuation(tuple(own), tuple(own), (1.0,) * len(own))


QUICK = ("revolute", "universal", "spherical", "planar")
KINDS = [pytest.param(x, k, marks=[] if x in QUICK else pytest.mark.slow) for k, x in enumerate(CUT_KINDS)]


@pytest.mark.parametrize(("kind", "seed"), KINDS)
def test_a_prescribed_base_is_a_free_one_that_moves_so(kind: str, seed: int) -> None:
    """The same mechanism on a free body, in maximal coordinates: the base turned anyhow, gravity in its axes."""
    loops = 2 if kind == "spherical" else 1
    robot, q = random_loops(seed, loops, [kind], springs=seed % 2 > 0, tree_kinds=("revolute", "prismatic"))
    whole, rng = mounted(robot), np.random.default_rng(seed)
    turn = rng.normal(size=4)
    q_whole = np.r_[rng.normal(size=3), turn / np.linalg.norm(turn), q]
    qd = project_velocity(whole, q_whole, rng.normal(size=whole.nv))
    actuation = independent(robot, q)
    own, tau = [*actuation.independent], np.zeros(whole.nv)
    tau[:6], forces = rng.normal(size=6), rng.normal(size=len(own))
    tau[[6 + k for k in own]] = forces
    external = rng.normal(size=(whole.nbodies, 6))
    state = Maximal(whole, q_whole, qd)
    found, R = state.forward(tau, external), state.bodies[0].R
    fixed = dataclasses.replace(robot, gravity=Vec3(*(R.T @ [*robot.gravity])))
    loads = np.concatenate([external[1:, :3] @ R, external[1:, 3:] @ R], axis=1), qd[:6], found.qdd[:6]
    motion = q, qd[6:][own], found.qdd[6:][own]
    assert np.abs(found.qdd[:6]).max() > 0.1
    assert (
        relative_error(np.array(on_numbers(fixed, actuation, "inverse_dynamics", *motion, *loads)), forces) < AGREEMENT
    )
    qdd = on_numbers(fixed, actuation, "forward_dynamics", q, qd[6:], forces, 0.0, *loads)
    assert relative_error(np.array(qdd), found.qdd[6:]) < AGREEMENT
    if state.overconstrained == 0:
        wrenches = np.array(on_numbers(fixed, actuation, "loop_wrenches", *motion, *loads))
        assert relative_error(wrenches, found.loop_wrenches) < AGREEMENT
        wrenches = np.array(on_numbers(fixed, actuation, "joint_wrenches", *motion, *loads))
        assert relative_error(wrenches, found.wrenches[1:]) < AGREEMENT


# -- one chain, compiled -----------------------------------------------------------------------------------------------

DRIVES = (["left_shoulder", "right_shoulder"], ["left_shoulder", "left_elbow", "right_shoulder"])


def upright() -> kt.Robot:
    """The five-bar linkage in gravity, with a named mass."""
    robot = dataclasses.replace(kt.robots.five_bar(), gravity=Vec3(0.0, -9.81, 0.0))
    first = dataclasses.replace(robot.bodies[0].inertia, mass=kt.parameter("mass", 0.7))
    return dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], inertia=first), *robot.bodies[1:]))


@pytest.fixture(scope="module", params=DRIVES, ids=["plain", "redundant"])
def chain(request: Any) -> kt.ClosedChain:
    return kt.ClosedChain(upright(), request.param, weights=[1.0, 4.0, 0.5][: len(request.param)])


def states(chain: kt.ClosedChain, seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    places = [chain.robot.coordinate_index(name).q for name in chain.independent]
    q = chain.close(chain.neutral[places] + rng.uniform(-0.1, 0.1, (3, 2))).check()
    xd, xdd, xddd = rng.normal(size=(3, 3, 2))
    external = rng.normal(size=(4, 6))
    return {"q": q, "xd": xd, "xdd": xdd, "xddd": xddd, "external": external, "base": rng.normal(size=(3, 6))}


def base_of(base: Array) -> dict[str, Array]:
    return {"base_velocity": base[0], "base_acceleration": base[1]}


def test_forward_dynamics_undoes_inverse_dynamics_on_a_moving_base(chain: kt.ClosedChain) -> None:
    s = states(chain)
    loads = {"external": s["external"], **base_of(s["base"]), "mass": np.array([0.5, 0.7, 0.9])}
    tau = chain.inverse_dynamics(s["q"], s["xd"], s["xdd"], **loads)
    qd = chain.velocities(s["q"], s["xd"])
    qdd = chain.forward_dynamics(s["q"], qd, tau, **loads)
    assert relative_error(qdd, chain.accelerations(s["q"], s["xd"], s["xdd"])) < EXACT
    still = chain.inverse_dynamics(s["q"], s["xd"], s["xdd"], external=s["external"], mass=loads["mass"])
    assert relative_error(tau, still) > 0.1


def test_a_base_that_accelerates_without_turning_changes_gravity(chain: kt.ClosedChain) -> None:
    s, a = states(chain, 1), np.array([1.0, -2.0, 3.0])
    changed = kt.ClosedChain(
        dataclasses.replace(chain.robot, gravity=Vec3(*(np.array([*chain.robot.gravity]) - a))), chain.actuated,
        weights=chain.actuation.weights,
    )  # fmt: skip
    base, motion = {"base_acceleration": np.r_[0.0, 0.0, 0.0, a]}, (s["q"], s["xd"], s["xdd"])
    names = ("inverse_dynamics", "loop_wrenches", "joint_wrenches", "inverse_dynamics_derivatives")
    for name in names:
        assert relative_error(getattr(chain, name)(*motion, **base), getattr(changed, name)(*motion)) < EXACT
    forces = changed.force_rates(*motion, s["xddd"])
    assert relative_error(chain.force_rates(*motion, s["xddd"], **base), forces) < EXACT
    tau = changed.inverse_dynamics(*motion)
    args = s["q"], s["xd"], tau
    found = chain.forward_dynamics_derivatives(*args, **base)
    assert relative_error(found, changed.forward_dynamics_derivatives(*args)) < AGREEMENT


def test_batches_of_bases_broadcast_and_float32_is_taken(chain: kt.ClosedChain) -> None:
    s, rng = states(chain, 2), np.random.default_rng(2)
    v, a = rng.normal(size=(2, 5, 1, 6))
    tau = chain.inverse_dynamics(s["q"], s["xd"], s["xdd"], base_velocity=v, base_acceleration=a)
    assert tau.shape == (5, 3, len(chain.actuated))
    one = chain.inverse_dynamics(s["q"][1], s["xd"][1], s["xdd"][1], base_velocity=v[4, 0], base_acceleration=a[4, 0])
    assert relative_error(tau[4, 1], one) < EXACT
    args = [x.astype(np.float32) for x in (s["q"], s["xd"], s["xdd"])]
    bases = {"base_velocity": v.astype(np.float32), "base_acceleration": a.astype(np.float32), "mass": np.float32(0.7)}
    for name in ("inverse_dynamics", "inverse_dynamics_derivatives"):
        single = getattr(chain, name)(*args, **bases)
        exact = getattr(chain, name)(*(x.astype(float) for x in args), **{k: x.astype(float) for k, x in bases.items()})
        for x, y in zip(
            single if isinstance(single, tuple) else (single,), exact if isinstance(exact, tuple) else (exact,)
        ):
            assert x.dtype == np.float32
            assert relative_error(x.astype(float), y) < SINGLE


def test_one_of_both_may_be_left_out_and_wrong_names_are_refused(chain: kt.ClosedChain) -> None:
    s = states(chain, 3)
    motion, v = (s["q"], s["xd"], s["xdd"]), s["base"][0]
    both = chain.inverse_dynamics(*motion, base_velocity=v, base_acceleration=np.zeros(6))
    assert np.array_equal(chain.inverse_dynamics(*motion, base_velocity=v), both)
    with pytest.raises(UnknownNameError, match=r"base_speed.*base_velocity"):
        chain.inverse_dynamics(*motion, base_speed=v)  # type: ignore[call-arg]
    with pytest.raises(InputError, match="velocities takes no base motion"):
        chain.function("velocities", base=True)
    with pytest.raises(InputError, match="base_velocity must end in 6"):
        chain.inverse_dynamics(*motion, base_velocity=v[:3])


# -- derivatives, by dual numbers --------------------------------------------------------------------------------------


def columns(robot: Any, q: Array, actuation: Actuation) -> Array:
    """G, with a row for each independent velocity."""
    n = len(actuation.independent)
    variant = ChainVariant("velocities", actuation)
    return np.array([variant(robot, q.tolist(), e)[0] for e in np.eye(n).tolist()])


def moving(robot: Any, q: Array, g: Array) -> list[Any]:
    """q that moves with the velocities g."""
    return duals(q.tolist(), rates(robot, q.tolist(), g.tolist()))


def assert_exact(found: list[Array], f: Any, args: list[Array], steps: list[Any]) -> None:
    """Derivatives against the rates of f: for each argument the one that replaces it, by columns."""
    for k, (matrix, replacements) in enumerate(zip(found, steps)):
        exact = [rate_part(f(*(x if j == k else y for j, y in enumerate(args)))) for x in replacements]
        assert relative_error(matrix, np.stack(exact, axis=-1)) < EXACT, k


@pytest.mark.parametrize("kind", ["spherical", "universal", "planar", "cylindrical"])
@pytest.mark.parametrize("more", [0, 1])
def test_derivatives_on_a_moving_base_are_exact(kind: str, more: int) -> None:
    robot, q = random_loops(5, 1, [kind], mobility=2, springs=True, tree_kinds=("revolute", "prismatic", "universal"))
    rng, own = np.random.default_rng(7), independent(robot, q).independent
    spare = [k for k in range(robot.nv) if k not in own][:more]
    actuation = Actuation(own, (*own, *spare), tuple(rng.uniform(1, 3, len(own) + more)))
    n, a = len(own), len(own) + more
    xd, xdd, xddd = rng.normal(size=(3, n))
    loads = [rng.normal(size=(robot.nbodies, 6)), *rng.normal(size=(2, 6))]
    named = dict(zip(LOADS, loads))
    along = [moving(robot, q, g) for g in columns(robot, q, actuation)]

    def forces(*args: Any) -> Any:
        return on_numbers(robot, actuation, "inverse_dynamics", *args, *loads)

    *found, _ = traced(robot, actuation, "inverse_dynamics_derivatives", {"q": q, "qd": xd, "qdd": xdd, **named})
    units = [[duals(x.tolist(), e) for e in np.eye(n)] for x in (xd, xdd)]
    assert_exact(found, forces, [q, xd, xdd], [along, *units])

    def accelerations(q: Any, xd: Any, tau: Any) -> Any:
        qd = ChainVariant("velocities", actuation)(
            robot, *(x.tolist() if isinstance(x, np.ndarray) else x for x in (q, xd))
        )[0]
        qdd = on_numbers(robot, actuation, "forward_dynamics", q, qd, tau, 0.0, *loads)
        return [qdd[k] for k in own]

    tau = rng.normal(size=a)
    *found, _ = traced(robot, actuation, "forward_dynamics_derivatives", {"q": q, "qd": xd, "tau": tau, **named})
    units = [[duals(x.tolist(), e) for e in np.eye(len(x))] for x in (xd, tau)]
    assert_exact(found, accelerations, [q, xd, tau], [along, *units])

    load_rate, jerk = rng.normal(size=(robot.nbodies, 6)), rng.normal(size=6)
    given = {"q": q, "qd": xd, "qdd": xdd, "qddd": xddd, **named, "external_rate": load_rate, "base_jerk": jerk}
    found, _ = traced(robot, actuation, "force_rates", given)
    # gravity turns in base axes: an acceleration of the base that does the same
    turning = np.cross(named["base_velocity"][:3], [*robot.gravity])
    rate = jerk + np.r_[0.0, 0.0, 0.0, turning]
    qd = np.array(ChainVariant("velocities", actuation)(robot, q.tolist(), xd.tolist())[0])
    changing = [[duals(x, y) for x, y in zip(loads[0].tolist(), load_rate.tolist())]]
    changing += [duals(loads[1], loads[2]), duals(loads[2], rate)]
    args = [moving(robot, q, qd), duals(xd, xdd), duals(xdd, xddd)]
    assert relative_error(found, rate_part(on_numbers(robot, actuation, "inverse_dynamics", *args, *changing))) < EXACT


PARALLEL = ["five_bar_of_legs", "rps"]
LARGE = ["planar_3rrr", "gough_stewart", "seven_legs", "delta", "dressed_stewart", "dressed_delta"]


@pytest.mark.parametrize("name", [*PARALLEL, *(pytest.param(x, marks=pytest.mark.slow) for x in LARGE)])
def test_derivatives_of_parallel_robots_are_exact(name: str) -> None:
    """By pose, twist and acceleration or forces; under loads, on a moving base. The legs follow the platform."""
    robot, m = load(name), random_motion(name, 1)
    tree, actuation, rng = robot.robot, robot.chain.actuation, np.random.default_rng(4)
    loads = [m.external, *rng.normal(size=(2, 6))]
    named, still = dict(zip(LOADS, loads)), [0.0] * 6
    motions = ChainVariant("platform_motion", actuation, platform=robot.index)
    along = [
        moving(tree, m.q, np.array(motions(tree, m.q.tolist(), e, still)[0], float)) for e in np.eye(6).tolist()
    ]  # the motion next to each component of a twist
    for kind, third, value in (("inverse", "acceleration", m.acceleration), ("forward", "tau", m.tau)):

        def f(*args: Any, kind: str = kind) -> Any:
            return on_numbers(tree, actuation, f"platform_{kind}_dynamics", *args, *loads, platform=robot.index)

        given = {"q": m.q, "twist": m.twist, third: value, **named}
        *found, _ = traced(tree, actuation, f"platform_{kind}_dynamics_derivatives", given, robot.index)
        units = [[duals(x.tolist(), e) for e in np.eye(len(x))] for x in (m.twist, value)]
        assert_exact(found, f, [m.q, m.twist, value], [along, *units])


def test_loops_that_nothing_opens_leave_the_tree_as_it_is() -> None:
    """An arm in a plane, joined to that plane: no equation of the loop is left."""
    arm = kt.robots.two_link()
    loop = kt.Loop("floor", kt.joints.Planar(), kt.Frame(None), kt.Frame(arm.bodies[1].name))
    chain, rng = kt.ClosedChain(dataclasses.replace(arm, loops=(loop,))), np.random.default_rng(0)
    q, qd, qdd, qddd = rng.normal(size=(4, 2))
    base = base_of(rng.normal(size=(2, 6)))
    assert (
        relative_error(chain.force_rates(q, qd, qdd, qddd, **base), arm.force_rates(q, qd, qdd, qddd, **base)) < EXACT
    )
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        assert relative_error(getattr(chain, name)(q, qd, qdd, **base), getattr(arm, name)(q, qd, qdd, **base)) < EXACT


# -- parallel robots, compiled -----------------------------------------------------------------------------------------


def test_parallel_robots_on_a_moving_base_are_the_closed_chain_on_it() -> None:
    robot, m = load("planar_3rrr"), random_motion("planar_3rrr", 1)
    v, a = np.random.default_rng(6).normal(size=(2, 6))
    loads = {"external": m.external, "base_velocity": v, "base_acceleration": a}
    own = [*robot.chain.actuation.independent]
    tau = robot.inverse_dynamics(m.pose, m.twist, m.acceleration, **loads)
    assert relative_error(tau, robot.chain.inverse_dynamics(m.q, m.qd[own], m.qdd[own], **loads)) < AGREEMENT
    assert relative_error(robot.forward_dynamics(m.pose, m.twist, tau, **loads), m.acceleration) < AGREEMENT
    wrenches = robot.joint_wrenches(m.pose, m.twist, m.acceleration, **loads)
    for found, name in zip(wrenches, ("joint_wrenches", "loop_wrenches")):
        exact = getattr(robot.chain, name)(m.q, m.qd[own], m.qdd[own], **loads)
        assert relative_error(found, exact) < AGREEMENT


def test_derivatives_of_a_parallel_robot_are_inverse_to_each_other() -> None:
    """In batches, at poses and at known joints, in both precisions, and affine in a named mass, as the forces are."""
    tree, m = load("planar_3rrr").robot, random_motion("planar_3rrr", 1)
    inertia = dataclasses.replace(tree.bodies[-1].inertia, mass=kt.parameter("mass", 1.0))
    bodies = (*tree.bodies[:-1], dataclasses.replace(tree.bodies[-1], inertia=inertia))
    robot = kt.ParallelRobot.of(dataclasses.replace(tree, bodies=bodies), "platform")
    poses, twists, mass = np.stack([m.pose] * 3), np.stack([m.twist] * 3), np.array([1.0, 2.0, 3.0])
    tau = robot.inverse_dynamics(poses, twists, m.acceleration, mass=mass)
    found = robot.inverse_dynamics_derivatives(poses, twists, m.acceleration, q=m.q, mass=mass)
    of_pose, of_twist, of_acceleration = found
    back = robot.forward_dynamics_derivatives(poses, twists, tau, mass=mass)
    assert of_pose.shape == (3, 3, 6)
    assert back[2].shape == (3, 6, 3)
    assert relative_error(of_acceleration @ back[2], np.stack([np.eye(3)] * 3)) < AGREEMENT
    assert relative_error(of_acceleration @ back[0], -of_pose) < AGREEMENT
    assert relative_error(of_acceleration @ back[1], -of_twist) < AGREEMENT
    single = [x.astype(np.float32) for x in (m.pose, m.twist, m.acceleration)]
    for x, exact in zip(robot.inverse_dynamics_derivatives(*single), found):
        assert x.dtype == np.float32
        assert relative_error(x.astype(float), exact[0]) < SINGLE
        assert relative_error(exact[2] - exact[1], exact[1] - exact[0]) < AGREEMENT
    with pytest.raises(InputError, match="can't make"):
        robot.inverse_dynamics_derivatives(m.pose, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], m.acceleration)


# -- simulation --------------------------------------------------------------------------------------------------------


def test_a_closed_chain_is_simulated_on_a_moving_base() -> None:
    chain = kt.ClosedChain(upright())
    q0 = chain.close([0.1, -0.1]).check()

    def swaying(t: Any) -> Any:
        speed, rate = 0.8 * kt.scalar.sin(3.0 * t), 2.4 * kt.scalar.cos(3.0 * t)
        return [0.0, 0.0, speed, 0.3 * speed, 0.0, 0.0], [0.0, 0.0, rate, 0.3 * rate, 0.0, 0.0]

    motion = kt.simulate(
        chain, q0, np.zeros(4), 0.2, dt=0.01, base_motion=swaying, record=("qd", "qdd", "tau", "wrenches")
    )
    v, a = (np.array(x, float) for x in zip(*(swaying(t) for t in motion.t.tolist())))
    base = {"base_velocity": v, "base_acceleration": a}
    assert motion.qd is not None
    qdd = chain.forward_dynamics(motion.q, motion.qd, motion.tau, **base)
    assert relative_error(motion.qdd, qdd) < AGREEMENT
    assert relative_error(motion.wrenches, chain.joint_wrenches(motion.q, motion.qd, qdd, **base)) < AGREEMENT
    assert relative_error(motion.qdd, chain.forward_dynamics(motion.q, motion.qd, motion.tau)) > 1e-2
