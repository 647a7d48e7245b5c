"""Simulation keeps what nature keeps: orders of the methods, energy, momentum, closed loops; and batches are runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import pi
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.scalar import cos, sin
from kinetree.simulation.steps import implicit_midpoint
from kinetree.simulation.system import System

ORDER = 0.1  # by which a measured order may differ
ENERGY = 1e-6  # of the range of the energy, over 100 s
MOMENTUM = 1e-9  # kg m^2/s, kg m/s over 60 s
LOOPS = 1e-13  # m, rad: closed to rounding after every step; without that it would be 1e-9 along this motion
ROUNDING = 1e-9  # between two ways to the same motion, after some hundred steps
TOLERANCES = (1e-6, 1e-8, 1e-10)  # of adaptive steps


@cache
def double_pendulum() -> kt.Robot:
    """Two rods of 1 m and 1 kg in the vertical x-y plane."""
    rod = {"a": 1.0, "mass": 1.0, "com": (-0.5, 0, 0), "inertia": (1e-3, 1 / 12, 1 / 12)}
    return kt.Robot.from_dh([kt.DH(**rod), kt.DH(**rod)], "standard", name="double", gravity=(0, -9.81, 0))


@cache
def satellite() -> kt.Robot:
    """A hull with an arm of two links, in space."""
    link = kt.DH(a=0.8, alpha=pi / 2, mass=4.0, com=(-0.4, 0, 0), inertia=(0.01, 0.2, 0.2))
    hull = kt.Inertia(60.0, (0, 0, 0.05), (8.0, 9.0, 10.0))
    options: dict[str, Any] = {"base": "floating", "base_inertia": hull, "gravity": (0, 0, 0)}
    return kt.Robot.from_dh([link, link], "standard", name="satellite", **options)


SPINNING = [0.5, -0.4, 0.3, 0.1, 0.0, -0.2, 0.8, -1.0]


def swing(robot: Any, t: Any, q: Any, qd: Any) -> list[Any]:
    """Forces of the arm of the satellite; none on its hull."""
    return [*[0.0] * 6, 2.0 * cos(0.7 * t) - 0.5 * qd[6], sin(0.9 * t) - 0.5 * qd[7]]


def energy(robot: kt.Robot, motion: kt.Motion) -> Any:
    assert motion.qd is not None
    return robot.kinetic_energy(motion.q, motion.qd) + robot.potential_energy(motion.q)


def final(robot: kt.Robot, q0: Any, qd0: Any, dt: float, method: str = "rk4", **options: Any) -> Any:
    motion = kt.simulate(robot, q0, qd0, 0.5, dt=dt, method=method, every=10**6, **options).check()
    assert motion.qd is not None
    return np.concatenate([motion.q[-1], motion.qd[-1]])


# -- methods ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", [double_pendulum(), satellite()], ids=lambda robot: robot.name)
@pytest.mark.parametrize(
    ("method", "order", "steps"), [("rk4", 4, 80), ("semi_implicit", 1, 500), ("implicit_midpoint", 2, 80)]
)
def test_the_error_falls_with_the_order_of_the_method(robot, method, order, steps):
    start = (robot.neutral, SPINNING) if robot.quaternions else ([0.4, 0.3], [0.5, -1.0])
    exact = final(robot, *start, 0.5 / 1000)
    errors = [np.abs(final(robot, *start, 0.5 / n, method) - exact).max() for n in (steps, 2 * steps)]
    assert abs(np.log2(errors[0] / errors[1]) - order) < ORDER


def test_the_double_pendulum_moves_as_its_closed_form():
    def slope(x: Any) -> Any:
        """Of both angles from the horizontal and their rates, by Lagrange."""
        a, b, u, v = x
        coupling = 0.5 * np.cos(a - b)
        M = [[0.25 + 1.0 + 1 / 12, coupling], [coupling, 0.25 + 1 / 12]]
        lever = 0.5 * np.sin(a - b)
        right = [-lever * v * v - 9.81 * 1.5 * np.cos(a), lever * u * u - 9.81 * 0.5 * np.cos(b)]
        return np.array([u, v, *np.linalg.solve(M, right)])

    x, h = np.array([1.0, 1.5, 0.0, 0.0]), 2e-3
    for _ in range(500):
        k1 = slope(x)
        k2 = slope(x + h / 2 * k1)
        k3 = slope(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + h * k3))
    motion = kt.simulate(double_pendulum(), [1.0, 0.5], [0.0, 0.0], 1.0, dt=h)
    assert np.abs(np.cumsum(motion.q[-1]) - x[:2]).max() < ROUNDING


def test_adaptive_steps_meet_their_tolerance():
    robot = double_pendulum()
    exact = final(robot, [0.4, 0.3], [0.5, -1.0], 0.5 / 5000)
    errors = []
    for tolerance in TOLERANCES:
        found = final(robot, [0.4, 0.3], [0.5, -1.0], 0.1, "adaptive", tolerance=tolerance)
        errors.append(np.abs(found - exact).max())
    # errors of some steps add up, and grow with the motion
    assert all(error < 30 * tolerance for error, tolerance in zip(errors, TOLERANCES))
    assert errors[0] > 30 * errors[1] > 900 * errors[2]


def test_the_double_pendulum_keeps_its_energy():
    robot = double_pendulum()
    options: dict[str, Any] = {"dt": 1e-3, "every": 20, "record": ("q", "qd")}
    full = np.ptp(robot.potential_energy([[-pi / 2, 0.0], [pi / 2, 0.0]]))
    drift = {}
    for method in ("rk4", "implicit_midpoint"):
        found = energy(robot, kt.simulate(robot, [1.0, 0.5], [0.0, 0.0], 100.0, method=method, **options).check())
        drift[method] = np.abs(found - found[0]) / full
    assert drift["rk4"].max() < ENERGY
    # the implicit rule goes up and down, and comes back: no drift
    tenth = len(drift["rk4"]) // 10
    swings = [drift["implicit_midpoint"][k * tenth : (k + 1) * tenth].max() for k in range(10)]
    assert max(swings) < 1e-3
    assert max(swings[5:]) < 1.5 * max(swings[:5])


def stiff_arm(stiffness: float) -> kt.Robot:
    """Hua's arm with another spring."""
    arm = kt.robots.mixed_elastic()
    bodies = []
    for body in arm.bodies:
        if spring := body.joint.transmission:
            joint = replace(body.joint, transmission=replace(spring, stiffness=stiffness))
            body = replace(body, joint=joint)
        bodies.append(body)
    return replace(arm, bodies=tuple(bodies))


def test_a_stiff_spring_needs_the_implicit_rule():
    arm = stiff_arm(1e6)
    state: Any = ([0.3, 0.5, 0.2, 0.2], [0.0] * 4, 0.5)
    with pytest.warns(kt.errors.SimulationWarning, match=r"the run diverged.* at 0\.0"):
        broken = kt.simulate(arm, *state, dt=2e-3)
    assert broken.status == kt.simulation.Outcome.DIVERGED
    assert "at 0.0" in broken.reason[0]
    assert "joint3" in broken.reason[0]
    with pytest.raises(kt.errors.SimulationError, match="diverged"):
        broken.check()
    implicit = kt.simulate(arm, *state, dt=2e-3, method="implicit_midpoint").check()
    fine = kt.simulate(arm, *state, dt=0.5 / 25000, every=50).check()
    assert np.abs(implicit.q[-1] - fine.q[-1]).max() < 1e-4  # order 2 at 2 ms
    assert np.ptp(energy(arm, implicit)) < 1e-4 * np.ptp(arm.kinetic_energy(implicit.q, implicit.qd))


@pytest.mark.parametrize(("stiffness", "solved"), [(1e3, True), (1e9, False)])
def test_an_implicit_step_solves_its_equations_or_says_so(stiffness, solved):
    # on floats: a controller that is not in the matrix of Newton's method
    system = System(double_pendulum())
    h, q, qd = 5e-3, [0.3, 0.4], [1.0, -2.0]

    def spring(t: Any, q: Any, qd: Any) -> list[Any]:
        return [-stiffness * sin(x - 1.0) - 0.01 * stiffness * v for x, v in zip(q, qd)]

    q1, qd1 = implicit_midpoint(system, 0.0, h, q, qd, spring)
    middle = [(a + b) / 2 for a, b in zip(q, q1)], [(a + b) / 2 for a, b in zip(qd, qd1)]
    qdd = [(b - a) / h for a, b in zip(qd, qd1)]
    residual = np.abs(system.residual(h / 2, *middle, qdd, spring(h / 2, *middle)))
    assert (residual.max() < 1e-4 * stiffness) if solved else np.isnan(residual).all()


def test_an_unsolved_step_becomes_a_status():
    law = kt.control.Law(lambda robot, t, q, qd: [-1e9 * sin(x - 1.0) - 1e7 * v for x, v in zip(q, qd)])
    with pytest.warns(kt.errors.SimulationWarning, match=r"at 0\.005 s"):
        motion = kt.simulate(double_pendulum(), [0.3, 0.4], [1.0, -2.0], 0.1, law, dt=5e-3, method="implicit_midpoint")
    assert motion.status == kt.simulation.Outcome.UNSOLVED
    assert "at 0.005 s" in motion.reason[0]


# -- free bodies ------------------------------------------------------------------------------------------------------


def momentum(robot: kt.Robot, q: Any, qd: Any) -> Any:
    """Angular (about the world's origin) and linear momentum in world axes."""
    X = robot.pose(q, "base")
    h = np.einsum("...ij,...j->...i", robot.mass_matrix(q), qd)[..., :6]
    angular, linear = (np.einsum("...ij,...j->...i", X[..., :3, :3], x) for x in (h[..., :3], h[..., 3:]))
    return np.concatenate([angular + np.cross(X[..., :3, 3], linear), linear], axis=-1)


def test_a_satellite_keeps_its_momentum_while_its_arm_swings():
    robot = satellite()
    start = [0.1, -0.2, 0.15, 0.05, 0.0, 0.02, 0.0, 0.0]
    motion = kt.simulate(robot, robot.neutral, start, 60.0, kt.control.Law(swing), dt=2e-3, every=100).check()
    h = momentum(robot, motion.q, motion.qd)
    assert np.abs(h - h[0]).max() < MOMENTUM
    assert np.abs(motion.q[:, 7:]).max() > 1.0  # it does swing
    assert np.abs(np.linalg.norm(motion.q[:, 3:7], axis=1) - 1.0).max() < 1e-15


# -- closed chains ----------------------------------------------------------------------------------------------------


@cache
def linkage() -> kt.ClosedChain:
    return kt.ClosedChain(kt.robots.four_bar())


def gap(chain: kt.ClosedChain, q: Any) -> float:
    return float(np.max(chain.function("step")(q, 0.0)[1]))


def test_a_closed_chain_keeps_its_energy_and_its_loops():
    chain = linkage()
    motion = kt.simulate(chain, chain.neutral, [0.0] * 3, 10.0, dt=1e-3, every=10).check()
    found = energy(chain.robot, motion)
    assert np.abs(found - found[0]).max() < ENERGY * chain.robot.kinetic_energy(motion.q, motion.qd).max()
    assert gap(chain, motion.q) < LOOPS
    whole = chain.velocities(motion.q, motion.qd)
    assert np.abs(whole - motion.qd).max() < LOOPS
    assert np.ptp(motion.q[:, 0]) > pi  # it has moved far


def test_a_closed_chain_with_a_load_of_its_own_in_each_run():
    robot = kt.robots.four_bar()
    bodies = [replace(b, inertia=replace(b.inertia, mass=kt.parameter("coupler", 1.0))) if b.name == "coupler" else b
              for b in robot.bodies]  # fmt: skip
    chain = kt.ClosedChain(replace(robot, bodies=tuple(bodies)))
    start: Any = (linkage().neutral, [0.0] * 3, 0.2)
    options: dict[str, Any] = {"method": "adaptive", "dt": 0.02, "tolerance": 1e-10}
    batch = kt.simulate(chain, *start, coupler=[0.8, 1.2], **options).check()
    assert np.abs(batch.q[1] - kt.simulate(linkage(), *start, **options).q).max() < ROUNDING
    assert np.abs(batch.q[0] - batch.q[1]).max() > 1e-3
    assert gap(linkage(), batch.q) < LOOPS


def test_a_start_with_open_loops_is_closed_with_a_warning_or_refused():
    chain = linkage()
    start = chain.neutral + np.array([0.0, 0.1, 0.0])
    with pytest.raises(kt.errors.InputError, match="open by"):
        kt.simulate(chain, start, [0.0] * 3, 0.1, project=False)
    with pytest.warns(kt.errors.ModelWarning, match="they are closed"):
        motion = kt.simulate(chain, start, [1.0, 0.0, 0.0], 0.01)
    assert gap(chain, motion.q) < LOOPS
    assert motion.q[0, 0] == start[0]
    assert motion.qd is not None
    assert motion.qd[0, 0] == 1.0
    with pytest.raises(kt.errors.InputError, match="closed chains"):
        kt.simulate(chain, chain.neutral, [0.0] * 3, 0.1, method="implicit_midpoint")


# -- bases ------------------------------------------------------------------------------------------------------------

ROD = kt.Inertia(2.0, (0.0, 0.0, -0.4), (0.1, 0.1, 0.01))


def pendulum(gravity: Any = (0.0, 0.0, -9.81)) -> kt.Robot:
    return kt.Robot((kt.Body("rod", kt.Joint("hinge", kt.joints.Revolute((0, 1, 0))), ROD),), gravity=gravity)


def test_a_pendulum_on_an_accelerated_cart_hangs_in_another_gravity():
    def cart(t: Any) -> Any:
        return [0.0, 0.0, 0.0, 3.0 * t, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0, 0.0, 0.0]

    carried = kt.simulate(pendulum(), [0.4], [0.0], 1.0, base_motion=cart, record=("q", "wrenches"), dt=5e-3)
    tilted = kt.simulate(pendulum((-3.0, 0.0, -9.81)), [0.4], [0.0], 1.0, record=("q", "wrenches"), dt=5e-3)
    assert np.abs(carried.q - tilted.q).max() < ROUNDING
    assert np.abs(carried.wrenches - tilted.wrenches).max() < ROUNDING * 100
    assert carried.qd is None


def test_a_base_that_turns_as_prescribed_is_a_heavy_joint_that_turns():
    rate, heavy = 1.5, 1e14

    def turning(t: Any) -> Any:
        half = 0.5 * rate * t
        return [rate, *[0.0] * 5], [0.0] * 6, [sin(half), 0.0, 0.0, cos(half)]

    carried = kt.simulate(pendulum(), [0.4], [0.0], 1.0, base_motion=turning, dt=5e-3)
    wheel = kt.Body("wheel", kt.Joint("axle", kt.joints.Revolute((1, 0, 0))), kt.Inertia(1.0, about_com=(heavy,) * 3))
    rod = kt.Body("rod", kt.Joint("hinge", kt.joints.Revolute((0, 1, 0))), ROD, "wheel")
    whole = kt.simulate(kt.Robot((wheel, rod)), [0.0, 0.4], [rate, 0.0], 1.0, dt=5e-3)
    assert np.abs(carried.q[:, 0] - whole.q[:, 1]).max() < ROUNDING
    still = kt.simulate(pendulum(), [0.4], [0.0], 1.0, dt=5e-3)
    assert np.abs(carried.q - still.q).max() > 0.1


# -- batches, parameters, controllers ---------------------------------------------------------------------------------


@cache
def loaded() -> kt.Robot:
    rod = {"a": 1.0, "com": (-0.5, 0, 0), "inertia": (1e-3, 0.1, 0.1)}
    rows = [kt.DH(mass=1.0, **rod), kt.DH(mass=kt.parameter("payload", default=1.0), **rod)]
    return kt.Robot.from_dh(rows, "standard", gravity=(0, -9.81, 0))


@pytest.mark.parametrize("method", ["rk4", "implicit_midpoint"])
def test_a_batch_is_its_runs_bit_for_bit(method):
    rng = np.random.default_rng(1)
    q0, qd0, masses = rng.normal(size=(13, 2)), rng.normal(size=(13, 2)), rng.uniform(0.5, 3.0, 13)
    options: dict[str, Any] = {"dt": 1e-2, "method": method}
    batch = kt.simulate(loaded(), q0, qd0, 0.5, payload=masses, **options).check()
    for k in (0, 7, 12):
        alone = kt.simulate(loaded(), q0[k], qd0[k], 0.5, payload=masses[k], **options)
        for name in ("q", "qd", "qdd", "tau"):
            assert (getattr(alone, name) == getattr(batch[k], name)).all(), name
    grid = kt.simulate(loaded(), q0[:2, None], qd0[0], 0.5, payload=masses[:3], **options)
    assert grid.q.shape == (2, 3, 51, 2)
    assert (grid.q[1, 2] == kt.simulate(loaded(), q0[1], qd0[0], 0.5, payload=masses[2], **options).q).all()


@dataclass(frozen=True)
class Damper(kt.control.Controller):
    """Forces against the velocities."""

    gain: Any

    def forces(self, robot: Any, t: Any, q: Any, qd: Any) -> list[Any]:
        return [-self.gain * v for v in qd]


def test_gains_of_a_controller_are_one_for_each_run():
    start: Any = (double_pendulum(), [0.3, 0.4], [1.0, 0.0], 0.2)
    gains = [0.0, 2.0]
    batch = kt.simulate(*start, Damper(kt.parameter("gain")), dt=1e-2, gain=gains)
    for k, gain in enumerate(gains):
        assert np.abs(kt.simulate(*start, Damper(gain), dt=1e-2).q - batch.q[k]).max() < ROUNDING
    assert np.abs(batch.q[0] - batch.q[1]).max() > 1e-2
    with pytest.raises(kt.errors.InputError, match="gain="):
        kt.simulate(*start, Damper(kt.parameter("gain")))


def test_a_law_in_native_code_and_in_python_are_one_controller():
    robot = double_pendulum()

    def law(robot: Any, t: Any, q: Any, qd: Any) -> list[Any]:
        return [3.0 * sin(4.0 * t) - 5.0 * q[0] - qd[0], -2.0 * qd[1]]

    def same(t: float, q: Any, qd: Any) -> Any:
        return np.stack([3.0 * np.sin(4.0 * t) - 5.0 * q[..., 0] - qd[..., 0], -2.0 * qd[..., 1]], axis=-1)

    options: dict[str, Any] = {"dt": 5e-3, "sample": 0.02}
    native = kt.simulate(robot, [[1.0, 0.5], [0.2, 0.1]], [0.0, 0.0], 0.4, kt.control.Law(law), **options)
    python = kt.simulate(robot, [[1.0, 0.5], [0.2, 0.1]], [0.0, 0.0], 0.4, same, **options)
    assert np.abs(native.q - python.q).max() < ROUNDING

    # by hand: four steps at a time under constant forces
    q, qd = np.array([1.0, 0.5]), np.zeros(2)
    for k in range(20):
        tau = same(0.02 * k, q, qd)
        held = kt.simulate(robot, q, qd, 0.02, lambda t, q, qd, tau=tau: tau, dt=5e-3)
        assert held.qd is not None
        q, qd = held.q[-1], held.qd[-1]
    assert np.abs(native.q[0, -1] - q).max() < ROUNDING
    assert native.tau is not None
    assert len(np.unique(native.tau[0, :20, 0])) == 5  # held for four steps
    free = kt.simulate(robot, [1.0, 0.5], [0.0, 0.0], 0.4, kt.control.Law(law), dt=5e-3)
    assert np.abs(free.q[-1] - q).max() > 1e-4  # without a sampling time it acts all the time


def test_noise_with_a_seed_comes_again():
    robot = double_pendulum()

    def brake(t: float, q: Any, qd: Any) -> Any:
        return -2.0 * qd - 5.0 * q

    def run(seed: int | None, noise: Any = (0.01, [0.1, 0.2])) -> Any:
        return kt.simulate(robot, [1.0, 0.5], [0.0, 0.0], 0.1, brake, dt=1e-2, noise=noise, seed=seed).q

    assert (run(3) == run(3)).all()
    assert (run(3) != run(4)).any()
    assert (run(3, (0.0, 0.0)) == run(None, None)).all()


def test_wrenches_and_loads_are_those_of_the_robot():
    robot = double_pendulum()
    loads = np.zeros((2, 2, 6))
    loads[1, 1, 3:] = 1.0, -2.0, 0.5
    kept = ("q", "qd", "qdd", "wrenches")
    motion = kt.simulate(robot, [0.3, 0.4], [1.0, 0.0], 0.05, external=loads, dt=1e-2, record=kept)
    for k in range(2):
        run = motion[k]
        expected = robot.joint_wrenches(run.q, run.qd, run.qdd, external=loads[k])
        assert np.abs(run.wrenches - expected).max() < ROUNDING
    assert np.abs(motion.q[0] - motion.q[1]).max() > 1e-3
