"""Base parameters: regrouped inertias keep the joint forces, and no smaller set of numbers does."""

from __future__ import annotations

import dataclasses
from math import pi
from typing import Any

import numpy as np
import pytest
from par_robots import par_text, physical_numbers
from strategies import TRACED, arguments, relative_error, states, tree

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.free_base import free_base_inverse_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.regressor import regressor
from kinetree.catalogue import CATALOGUE, Variant, function_of
from kinetree.identify.rank import independent
from kinetree.model.regroup import regrouped

SAME = 1e-12  # another order of the same sums, of numbers near one
CHAIN = 1e-13  # fifty links one behind the other: the errors of fifty sums


def rows_of(robot: kt.Robot, columns: int) -> np.ndarray:
    """The inertial columns of the regressor at random states, by Python's floats: no compiler needed."""
    s = states(robot, max(12, 2 * columns // robot.nv + 2), seed=1)
    scale = 3.0 * s.q if not robot.quaternions else s.q
    rows = [
        row for q, qd, qdd in zip(scale, s.qd, s.qdd) for row in regressor(robot, *map(np.ndarray.tolist, (q, qd, qdd)))
    ]
    return np.array(rows)[:, : 10 * robot.nbodies]


def aligned(seed: int) -> kt.Robot:
    """Axes along coordinate axes, many of them parallel, many origins on the axes; gravity along some, or none."""
    robot = kt.robots.random_tree(seed, 2 + seed % 4, ["revolute", "prismatic"])
    rng = np.random.default_rng(seed)
    bodies = []
    for body in robot.bodies:
        axis = np.eye(3)[rng.choice([2, 2, 2, 0, 1])].tolist()
        place = kt.Transform(p=rng.choice([0.0, 0.0, 0.3, 0.2], 3).tolist())
        joint = dataclasses.replace(body.joint, kind=type(body.joint.kind)(axis), placement=place)
        bodies.append(dataclasses.replace(body, joint=joint))
    gravity = [(0.0, 0.0, -9.81), (0.0, -9.81, 0.0), (0.0, 0.0, 0.0)][seed % 3]
    return dataclasses.replace(robot, bodies=tuple(bodies), gravity=gravity)


# -- the joint forces stay ---------------------------------------------------------------------------------------------

FORCES = sorted(name for name, algorithm in CATALOGUE.items() if algorithm.regrouped and name not in TRACED)


@pytest.mark.parametrize("seed", range(20))
def test_regrouped_inertias_keep_what_is_made_of_joint_forces(seed):
    """For every kind of joint, on either base, with springs, motors, friction and joints that mimic."""
    options = {name: bool(seed >> k & 1) for k, name in enumerate(("on_free_base", "springs", "mimics", "motors"))}
    robot = tree(seed, 4, friction=True, **options)
    light, s = regrouped(robot), states(robot, 1, seed)
    for name in FORCES:
        args = [x[0].tolist() for x in arguments(name, s)]
        plain, ours = (function_of(name)(r, *args) for r in (robot, light))
        assert relative_error(_arrays(ours), _arrays(plain)) < SAME, name


@pytest.mark.parametrize("seed", range(10))
def test_they_do_for_aligned_axes(seed):
    robot = aligned(seed)
    args = [x[0].tolist() for x in arguments("inverse_dynamics", states(robot, 1, seed))]
    plain, ours = (inverse_dynamics(r, *args) for r in (robot, regrouped(robot)))
    assert relative_error(ours, plain) < SAME


@pytest.mark.parametrize("make", [kt.robots.stanford, kt.robots.scara, kt.robots.two_link])
def test_with_a_moving_base_more_is_identifiable(make):
    robot = make()
    args = [x[0].tolist() for x in arguments("inverse_dynamics", states(robot, 1))]
    rng = np.random.default_rng(0)
    base = BaseMotion.prescribed(robot, *rng.normal(size=(2, 6)).tolist())
    plain = inverse_dynamics(robot, *args, base=base)
    assert relative_error(inverse_dynamics(regrouped(robot, base_moves=True), *args, base=base), plain) < SAME
    assert relative_error(inverse_dynamics(regrouped(robot), *args, base=base), plain) > 1e-3


def test_robots_that_nothing_holds_move_as_before():
    robot = kt.robots.quadruped()
    s = states(robot, 1)
    args = [x.tolist() for x in (s.q[0], s.qd[0], s.qdd[0, 6:])]
    plain, ours = (free_base_inverse_dynamics(r, *args) for r in (robot, regrouped(robot)))
    assert relative_error(_arrays(tuple(ours)), _arrays(tuple(plain))) < SAME


def test_loads_on_the_bodies_act_as_before():
    robot = kt.robots.puma560()
    s = states(robot, 3)
    plain = [
        inverse_dynamics(robot, *(x.tolist() for x in row)) for row in zip(s.q, s.qd, s.qdd, s.external, strict=True)
    ]
    assert relative_error(robot.inverse_dynamics(s.q, s.qd, s.qdd, external=s.external), plain) < SAME


def test_long_chains_lose_no_digits():
    row = kt.DH(alpha=0.7, a=0.3, d=0.1, mass=1.0, com=(-0.15, 0.01, 0.02), inertia=(0.01, 0.02, 0.02))
    robot = kt.Robot.from_dh([row] * 50, "modified")
    args = [x[0].tolist() for x in arguments("inverse_dynamics", states(robot, 1))]
    plain, ours = (np.array(inverse_dynamics(r, *args)) for r in (robot, regrouped(robot)))
    assert np.abs(ours - plain).max() < CHAIN * np.abs(plain).max()


def test_wrenches_and_energies_know_every_inertia():
    robot = kt.robots.stanford()
    s = states(robot, 1)
    for name in ("joint_wrenches", "kinetic_energy", "potential_energy"):
        args = [x[0].tolist() for x in arguments(name, s)]
        assert Variant(name)(robot, *args) == function_of(name)(robot, *args)
    wrenches = function_of("joint_wrenches")
    args = [x[0].tolist() for x in arguments("joint_wrenches", s)]
    assert relative_error(_arrays(wrenches(regrouped(robot), *args)), _arrays(wrenches(robot, *args))) > 1e-3


def test_open_parameters_cost_no_arithmetic():
    """A payload that is given with each call stays where it is; the numbers beside it are regrouped."""
    rows = [kt.DH(alpha=pi / 2, a=0.3, mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.3)) for _ in range(3)]
    last = dataclasses.replace(rows[-1], mass=kt.parameter("payload"))
    robot, known = (kt.Robot.from_dh([*rows[:2], x], "modified") for x in (last, rows[-1]))
    args = [x[0] for x in arguments("inverse_dynamics", states(robot, 1))]
    assert relative_error(robot.inverse_dynamics(*args, payload=2.0), known.inverse_dynamics(*args)) < SAME
    plain = kt.trace(inverse_dynamics, robot, signature=Variant("inverse_dynamics").signature(robot)).operations
    assert sum(robot.operations("inverse_dynamics").values()) <= sum(plain.values())


def _arrays(value: Any) -> Any:
    return tuple(np.array(x, float) for x in value) if isinstance(value, tuple) else np.array(value, float)


# -- no smaller set does -----------------------------------------------------------------------------------------------


def assert_smallest(robot: kt.Robot, base: kt.identify.BaseParameters) -> None:
    """As many as the rank of the regressor, and the regressor of all parameters follows from theirs."""
    n = 10 * robot.nbodies
    full = rows_of(robot, n)
    assert len(base) == len(independent(full)[0])
    follows = full[:, list(base.columns)] @ base.matrix()[:, :n]
    assert np.abs(follows - full).max() < SAME * np.abs(full).max()


@pytest.mark.parametrize("seed", range(100))
def test_the_rules_find_the_rank_of_random_trees(seed):
    robot = tree(seed, 1 + seed % 5, ("revolute", "prismatic"))
    assert_smallest(robot, kt.identify.base_parameters(robot, method="closed form"))


@pytest.mark.parametrize("seed", [k for k in range(60) if k % 3 < 2])
def test_the_rules_find_the_rank_of_aligned_axes_under_gravity(seed):
    robot = aligned(seed)
    assert_smallest(robot, kt.identify.base_parameters(robot, method="closed form"))


ZOO = sorted(set(kt.robots.names()) - {"random_tree", "human55", "mixed_elastic"})


@pytest.mark.parametrize("name", ZOO)
def test_the_rules_find_the_rank_of_the_zoo(name):
    robot = getattr(kt.robots, name)()
    assert_smallest(robot, kt.identify.base_parameters(robot, method="closed form"))


def test_every_method_finds_the_same_number():
    """36 for the PUMA 560 is the known number; the others are what both ways give here."""
    for make, count in ((kt.robots.puma560, 36), (kt.robots.rx90, 36), (kt.robots.stanford, 33)):
        assert [len(kt.identify.base_parameters(make(), method=m)) for m in ("closed form", "rank", None)] == [
            count
        ] * 3


def test_what_the_rules_miss_the_rank_finds():
    """Without gravity a pair of axes that meet hides more than the rules say."""
    robot = aligned(26)
    by_rules = kt.identify.base_parameters(robot, method="closed form")
    smallest = kt.identify.base_parameters(robot)
    assert len(smallest) < len(by_rules)
    assert_smallest(robot, smallest)


@pytest.mark.parametrize(("gravity", "count"), [((0.0, 0.0, -9.81), 4), ((0.0, -9.81, 0.0), 6), ((0.0, 0.0, 0.0), 4)])
def test_a_planar_arm_by_hand(gravity, count):
    """Both axes along z. Gravity beside them makes the first moments of the first link identifiable too."""
    base = kt.identify.base_parameters(kt.robots.two_link().with_gravity(gravity))
    assert len(base) == count
    assert base.relations["link1.ZZR"] == "link1.ZZ + 0.16*link2.M"
    assert ("link1.MXR" in base.names) == (count == 6)
    assert "link2.MZ" in base.without_effect
    assert "link2.M" in base.regrouped


# -- open parameters, other parameters ---------------------------------------------------------------------------------


def test_relations_keep_the_symbols():
    def arm(a: Any, alpha: Any, m: Any) -> kt.Robot:
        body = {"mass": m, "com": (0.1, 0.0, 0.0)}
        return kt.Robot.from_dh([kt.DH(**body), kt.DH(a=a, alpha=alpha, **body)], "modified")

    numbers = {"a": 0.4, "alpha": 0.3, "m": 2.0}
    base = kt.identify.base_parameters(arm(*map(kt.parameter, numbers)))
    assert base.relations["link1.ZZR"] == "link1.ZZ + a^2*link2.M + sin(alpha)^2*link2.YY"
    assert relative_error(base.values(**numbers), kt.identify.base_parameters(arm(*numbers.values())).values()) < SAME


def test_the_minimal_regressor_gives_the_joint_forces():
    robot = kt.robots.stanford()
    base, s = kt.identify.base_parameters(robot, "all"), states(robot, 4)
    minimal = base.regressor(s.q, s.qd, s.qdd)
    assert minimal.shape == (4, 6, len(base))
    assert relative_error(minimal @ base.values(), robot.inverse_dynamics(s.q, s.qd, s.qdd)) < SAME
    assert base.function.signature == f"(6),(6),(6)->(6,{len(base)})"


def test_drives_motors_and_springs_join_by_the_rank():
    robot = kt.robots.mixed_elastic()
    base, s = kt.identify.base_parameters(robot, "all"), states(robot, 4)
    forces = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert relative_error(base.regressor(s.q, s.qd, s.qdd) @ base.values(), forces) < SAME
    assert "joint1.IA" in base.regrouped
    assert "joint1_motor.ZZ" in base.regrouped
    assert "joint3_motor.KT" in base.names
    first = kt.identify.base_parameters(kt.robots.two_link(), "rotor_inertia")
    assert first.relations["link1.ZZR"] == "link1.ZZ + 0.16*link2.M + joint1.IA"


def test_a_closed_loop_hides_more_than_its_tree():
    robot = kt.robots.five_bar()
    chain = kt.ClosedChain(robot)
    base = kt.identify.base_parameters(chain, "all")
    inertial = [len(kt.identify.base_parameters(x)) for x in (chain, robot)]
    assert inertial == [7, 8]
    qd, qdd = np.random.default_rng(0).normal(size=(2, 2))
    forces = chain.inverse_dynamics(chain.neutral, qd, qdd)
    assert relative_error(base.regressor(chain.neutral, qd, qdd) @ base.values(), forces) < SAME


@pytest.mark.parametrize(("name", "tree_count", "count"), [("SR400", 50, 39), ("TwoLoops", 50, 35)])
def test_closed_chains_by_both_methods(name, tree_count, count):
    symbolic = kt.Robot.from_par(par_text(name))
    x = physical_numbers(symbolic)
    x |= {"d12": x["d7"]} if name == "TwoLoops" else {}  # a parallelogram needs sides of one length
    robot = kt.Robot.from_par(par_text(name), numbers=x)
    base = kt.identify.base_parameters(symbolic)
    assert len(base) == tree_count
    geometry = {key: x[key] for key in base.geometry.parameters}
    assert_smallest(robot, kt.identify.base_parameters(robot, method="closed form"))
    assert relative_error(base.matrix(**geometry), kt.identify.base_parameters(robot).matrix()) < SAME
    chain = kt.ClosedChain(robot)
    both = [kt.identify.base_parameters(chain, method=method) for method in (None, "rank")]
    assert [len(x) for x in both] == [count, count]


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused():
    robot = kt.robots.two_link()
    with pytest.raises(kt.errors.UnknownNameError, match=r"'magic'.*closed form"):
        kt.identify.base_parameters(robot, method="magic")
    with pytest.raises(kt.errors.UnknownNameError, match=r"'mass'.*rotor_inertia"):
        kt.identify.base_parameters(robot, "mass")
    with pytest.raises(kt.errors.InputError, match="a Robot or a ClosedChain"):
        kt.identify.base_parameters("two_link")  # type: ignore[arg-type]
    arm = kt.Robot.from_dh([kt.DH(mass=1.0), kt.DH(a=kt.parameter("a"), mass=1.0)], "modified")
    with pytest.raises(kt.errors.InputError, match=r"numbers are needed.*a=\.\.\."):
        kt.identify.base_parameters(arm).values()
    with pytest.raises(kt.errors.UnknownNameError, match="'b'"):
        kt.identify.base_parameters(arm).values(a=1.0, b=2.0)
