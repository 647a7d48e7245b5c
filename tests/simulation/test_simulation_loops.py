"""Closed chains in time: the motion is the same whichever joints are named as actuated, also through dead centres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from lagrange import Lagrange

import kinetree as kt
from kinetree.errors import InputError, ModelWarning, SingularConfigurationWarning
from kinetree.joints import Prismatic, Revolute
from kinetree.scalar import cos, sin
from kinetree.simulation.partition import independent_columns

ENERGY = 1e-6  # of the largest kinetic energy
ORACLE = 2e-6  # rad, m: both have errors of order 4, with steps of their own
SAME = 2e-6  # likewise, between two sets of independent joints

Y = (0.0, -1.0, 0.0)


def bar(
    name: str, length: float, at: Any = (0, 0, 0), parent: str | None = None, offset: float = 0.0, actuated: bool = True
) -> kt.Body:
    """A slender bar along x that turns in the x-z plane; its joint is at a place on its parent."""
    hinge = kt.Joint(f"{name}_joint", Revolute(Y, offset), kt.Transform(p=at), actuated=actuated)
    rod = kt.Inertia(2.0 * length, (length / 2, 0, 0), (1e-4, length**3 / 6, length**3 / 6))
    return kt.Body(name, hinge, rod, parent)


def pin(one: str, at: Sequence[float], other: str, there: Sequence[float] = (0, 0, 0)) -> kt.Loop:
    return kt.Loop("pin", Revolute(Y), kt.Frame(one, kt.Transform(p=at)), kt.Frame(other, kt.Transform(p=there)))


@cache
def slider_crank() -> kt.Robot:
    """A crank of 0.2 m, a rod of 0.5 m and a piston that moves along x, drawn stretched."""
    slide = kt.Joint("piston_joint", Prismatic((1, 0, 0)), kt.Transform(p=(0.7, 0, 0)), actuated=False)
    piston = kt.Body("piston", slide, kt.Inertia(0.8))
    bodies = (bar("crank", 0.2), bar("rod", 0.5, (0.2, 0, 0), "crank", actuated=False), piston)
    return kt.Robot(bodies, "slider_crank", loops=(pin("rod", (0.5, 0, 0), "piston"),))


@cache
def linkage_arm() -> kt.Robot:
    """An arm on a turntable, in three dimensions: a four-bar lifts its forearm, as in palletising robots."""
    turntable = kt.Body("table", kt.Joint("waist", Revolute((0, 0, 1))), kt.Inertia(5.0, about_com=(0.1, 0.1, 0.2)))
    linkage = kt.robots.four_bar().bodies
    carried = [replace(b, parent=b.parent or "table") for b in linkage]
    forearm = bar("forearm", 0.3, (-0.15, 0.05, 0.36), "rocker")  # at the upper end of the rocker
    return kt.Robot((turntable, *carried, forearm), "linkage_arm", loops=kt.robots.four_bar().loops)


def energy_error(robot: kt.Robot, motion: Any) -> float:
    kinetic = robot.kinetic_energy(motion.q, motion.qd)
    energy = kinetic + robot.potential_energy(motion.q)
    return float(np.abs(energy - energy[..., :1]).max() / kinetic.max())


def start_of(robot: kt.Robot, *velocities: float, at: Sequence[float] | None = None) -> tuple[Any, Any]:
    """A closed state, from the velocities of the joints that the model drives."""
    chain = kt.ClosedChain(robot)
    q = chain.neutral if at is None else chain.close(at).check()
    return q, chain.velocities(q, velocities)


CASES: dict[str, tuple[Any, tuple[float, ...], Any, float, float]] = {
    # robot, velocities of the driven joints, actuated joints, duration, step
    "four_bar": (kt.robots.four_bar, (12.0,), [["crank_joint"], ["coupler_joint"], ["rocker_joint"]], 5.0, 1e-3),
    "slider_crank": (slider_crank, (9.0,), [["crank_joint"], ["rod_joint"], ["piston_joint"]], 1.0, 5e-4),
    "five_bar": (
        kt.robots.five_bar, (-4.0, 4.0),
        [["left_shoulder", "right_shoulder"], ["left_shoulder", "left_elbow"]], 0.6, 1e-3,
    ),
    "linkage_arm": (
        linkage_arm, (2.0, 12.0, 1.0),
        [["waist", "crank_joint", "forearm_joint"], ["forearm_joint", "rocker_joint", "waist"]], 1.0, 5e-4,
    ),
}  # fmt: skip


def check_every_choice(
    robot: kt.Robot, start: Any, choices: Any, duration: float, dt: float, oracle: float = 0.6
) -> None:
    """Free motions for all choices of actuated joints, and for a shorter time beside the oracle."""
    motions = [kt.simulate(kt.ClosedChain(robot, names), *start, duration, dt=dt).check() for names in choices]
    for motion in motions:
        assert energy_error(robot, motion) < ENERGY
        assert (motion.q == motions[0].q).all()
        assert (motion.qd == motions[0].qd).all()
        assert (motion.qdd == motions[0].qdd).all()
    q, qd = Lagrange(robot).run(*start, oracle, dt)
    assert np.abs(motions[0].q[: len(q)] - q).max() < ORACLE
    assert np.abs(motions[0].qd[: len(q)] - qd).max() < 10 * ORACLE * np.abs(qd).max()


@pytest.mark.parametrize("name", CASES)
def test_a_free_motion_does_not_depend_on_what_is_actuated(name):
    robot, velocities, choices, duration, dt = CASES[name]
    at = {"slider_crank": [0.4]}.get(name)
    start = start_of(robot(), *velocities, at=at)
    check_every_choice(robot(), start, choices, duration, dt, oracle=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("velocities", [(3.0, -2.0), (-4.0, 4.0), (2.0, 5.0)])
def test_every_pair_of_joints_of_a_five_bar(velocities):
    robot = kt.robots.five_bar()
    choices = [[*pair] for pair in combinations(robot.joint_names, 2)]
    check_every_choice(robot, start_of(robot, *velocities), choices, 0.8, 2.5e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "velocities", "choices", "dt"),
    [
        ("planar_3rrr", (4.0, -1.0, 2.0), [None, ["platform_joint"], ["motor1", "elbow1", "elbow2"]], 1e-3),
        ("delta", (2.0, -1.0, 1.0), [None, ["motor3", "motor1", "motor2"]], 5e-4),
        ("gough_stewart", (0.5, -0.5, 0.5, -0.5, 0.5, -0.5), [None, ["platform_joint"]], 1e-3),
    ],
)
def test_parallel_robots_pass_the_singularities_of_their_motors(name, velocities, choices, dt):
    robot = getattr(kt.robots, name)()
    start = start_of(robot, *velocities)
    check_every_choice(robot, start, choices, 0.6, dt)
    motion = kt.simulate(kt.ClosedChain(robot), *start, 0.6, dt=dt)
    assert kt.ClosedChain(robot).margin(motion.q).min() < 0.02


# -- joints are exchanged ---------------------------------------------------------------------------------------------


def marked(robot: kt.Robot, *names: str) -> kt.Robot:
    """The robot with other joints marked as driven, with which a simulation begins."""
    joints = [replace(b.joint, actuated=b.joint.name in names) for b in robot.bodies]
    return replace(robot, bodies=tuple(replace(b, joint=j) for b, j in zip(robot.bodies, joints)))


@pytest.mark.parametrize("options", [{}, {"method": "adaptive", "dt": 0.05, "tolerance": 1e-9}])
def test_joints_are_exchanged_at_a_dead_centre(options):
    robot = kt.robots.four_bar()
    start = start_of(robot, 12.0)
    crank = kt.simulate(kt.ClosedChain(robot), *start, 0.6, **options)
    rocker = kt.simulate(kt.ClosedChain(marked(robot, "rocker_joint")), *start, 0.6, **options)
    assert np.abs(crank.q - rocker.q).max() < SAME
    assert energy_error(robot, rocker) < ENERGY


def test_a_run_may_start_at_a_dead_centre():
    crank, rocker = kt.ClosedChain(kt.robots.four_bar()), kt.ClosedChain(kt.robots.four_bar(), ["rocker_joint"])
    # in the neutral configuration the crank points along (3, 4), the coupler along (4, 3)
    line = kt.simulation.Event(lambda t, q, qd: np.sin(q[:, 1] + np.arctan2(3, 4) - np.arctan2(4, 3)), "in line")
    there = kt.simulate(crank, crank.neutral, crank.velocities(crank.neutral, [3.0]), 2.0, events=[line]).events[0]
    q = crank.close(there.q[:1], guess=there.q).check()
    assert rocker.margin(q) < 1e-6
    start = q, crank.velocities(q, [5.0])
    assert (kt.simulate(rocker, *start, 0.5).check().q == kt.simulate(crank, *start, 0.5).q).all()
    with (
        pytest.raises(InputError, match=r"rocker_joint.* singular"),
        pytest.warns(ModelWarning, match="its velocities"),
    ):
        kt.simulate(rocker, q, [5.0, 0.0, 0.0], 0.5)


def test_each_run_of_a_batch_exchanges_its_own_joints_bit_for_bit():
    robot = marked(kt.robots.four_bar(), "rocker_joint")
    cranks = np.linspace(-1.0, 1.0, 7)
    q = kt.ClosedChain(robot, ["crank_joint"]).close(cranks[:, None]).check()
    qd = kt.ClosedChain(robot, ["crank_joint"]).velocities(q, np.linspace(8.0, 12.0, 7)[:, None])
    batch = kt.simulate(kt.ClosedChain(robot), q, qd, 0.5).check()
    for k in range(7):
        alone = kt.simulate(kt.ClosedChain(robot), q[k], qd[k], 0.5)
        for name in ("q", "qd", "qdd"):
            assert (getattr(alone, name) == getattr(batch[k], name)).all()
    assert energy_error(robot, batch) < 10 * ENERGY


# or none: where processors round alike, nothing is left to divide by
@pytest.mark.filterwarnings("ignore:simulate. the run diverged")
def test_a_flat_parallelogram_is_singular_whatever_moves_it():
    bodies = (bar("crank", 0.3), bar("coupler", 0.5, (0.3, 0, 0), "crank"), bar("rocker", 0.3, (0.5, 0, 0)))
    robot = kt.Robot(bodies, "flat", loops=(pin("coupler", (0.5, 0, 0), "rocker", (0.3, 0, 0)),))
    chain = kt.ClosedChain(robot, ["crank_joint"])
    with pytest.warns(SingularConfigurationWarning, match="singular at 2 s: whichever joints"):
        kt.simulate(chain, np.zeros(3), [1.0, -1.0, 1.0], 0.01, start_time=2.0)


def test_a_dependent_joint_may_move_nothing_where_a_run_starts():
    """The tip of a five-bar over the left shoulder: this joint, dependent at first, does not move the tip."""
    bodies = [
        bar("left_arm", 0.3, actuated=False), bar("left_rod", 0.3, (0.3, 0, 0), "left_arm", offset=np.pi),
        bar("right_arm", 0.3, (0.1, 0, 0), actuated=False, offset=1.2),
        bar("right_rod", 0.3, (0.3, 0, 0), "right_arm", offset=2.8),
    ]  # fmt: skip
    robot = kt.Robot(bodies, "folded", loops=(pin("left_rod", (0.3, 0, 0), "right_rod", (0.3, 0, 0)),))
    left = kt.ClosedChain(robot, ["left_arm_joint", "left_rod_joint"])
    q = left.close([0.5, 0.0]).check()
    qd = left.velocities(q, [0.2, 0.4])
    chain = kt.ClosedChain(robot)
    assert np.linalg.norm(chain.constraint_jacobian(q)[0][:, 0]) < 1e-12
    motion = kt.simulate(chain, q, qd, 0.3).check()
    assert energy_error(robot, motion) < ENERGY
    assert np.abs(motion.q - Lagrange(robot).run(q, qd, 0.3, 1e-3)[0]).max() < ORACLE


def test_the_best_columns_are_kept():
    rng = np.random.default_rng(3)
    J = rng.normal(size=(50, 4, 6))
    J[:, :, 1] = J[:, :, 0] * 2.0 + 1e-9 * J[:, :, 5]  # two columns that are nearly one
    J[:, :, 4] *= 1e-3
    now = np.zeros((50, 6), bool)
    now[:, [2, 3]] = True
    chosen = independent_columns(J, now)
    assert (chosen.sum(axis=1) == 2).all()
    for A, left_out in zip(J, chosen):
        every = [np.linalg.svd(A[:, [*p]])[1][-1] for p in combinations(range(6), 4)]
        assert np.linalg.svd(A[:, ~left_out])[1][-1] > 0.1 * max(every)


# -- driven -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", ["crank_joint", "rocker_joint", "coupler_joint"])
def test_forces_act_on_the_joint_that_is_actuated(joint):
    robot = kt.robots.four_bar()
    k = robot.velocities_of(joint)[0]

    def push(t: Any, v: Any, sine: Any) -> Any:
        return 0.3 * sine(3.0 * t) - 0.002 * v

    def forces(t: float, q: Any, qd: Any) -> Any:
        return np.eye(3)[k] * push(t, qd[k], np.sin)

    law = kt.control.Law(lambda robot, t, q, qd: [push(t, qd[k], sin)])
    start = start_of(robot, 12.0)
    motion = kt.simulate(kt.ClosedChain(robot, [joint]), *start, 0.8, law).check()
    q, _ = Lagrange(robot, forces).run(*start, 0.5, 1e-3)
    assert np.abs(motion.q[: len(q)] - q).max() < ORACLE
    assert np.ptp(motion.q[:, 0]) > 5.0  # rad, through both dead centres of the rocker
    energy = robot.kinetic_energy(motion.q, motion.qd) + robot.potential_energy(motion.q)
    assert motion.tau is not None
    assert motion.qd is not None
    power = motion.tau[:, 0] * motion.qd[:, k]
    work = np.cumsum((power[1:] + power[:-1]) / 2) * 1e-3
    assert np.abs(energy[1:] - energy[0] - work).max() < 1e-4 * np.abs(work).max()


def test_more_actuators_than_degrees_of_freedom_push_together():
    robot = kt.robots.four_bar()
    start = start_of(robot, 10.0)

    def three(t: Any, q: Any, qd: Any) -> Any:
        return [0.5 * np.cos(2.0 * t), -0.1, 0.3 * np.sin(t)]

    law = kt.control.Law(lambda robot, t, q, qd: [0.3 * sin(t), 0.5 * cos(2.0 * t), -0.1])
    chain = kt.ClosedChain(robot, ["rocker_joint", "crank_joint", "coupler_joint"])
    motion = kt.simulate(chain, *start, 0.3, law, record=("q", "wrenches")).check()
    q, _ = Lagrange(robot, lambda t, q, qd: np.array(three(t, q, qd))).run(*start, 0.3, 1e-3)
    assert np.abs(motion.q - q).max() < ORACLE
    assert motion.tau is None
    # what the rocker gets from the ground about its axis is what its motor gives
    assert motion.wrenches is not None
    assert np.abs(motion.wrenches[:, 2, 1] * -1.0 - 0.3 * np.sin(motion.t)).max() < 1e-9


def test_wrenches_are_those_of_the_forces_that_acted_also_at_dead_centres():
    robot = kt.robots.four_bar()
    start = start_of(robot, 12.0)
    found = [
        kt.simulate(kt.ClosedChain(robot, [joint]), *start, 0.6, record=("q", "qd", "qdd", "wrenches")).check()
        for joint in ("crank_joint", "rocker_joint")
    ]
    crank, rocker = (motion.wrenches for motion in found)
    assert np.isfinite(rocker).all()
    assert np.abs(crank - rocker).max() == 0.0
    chain = kt.ClosedChain(robot)
    needed = chain.joint_wrenches(found[0].q, found[0].qd, found[0].qdd)  # with the force that the crank needs: none
    assert np.abs(crank - needed).max() < 1e-9 * np.abs(needed).max()
