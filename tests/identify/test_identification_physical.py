"""Physical fits: a robot that can exist, the one next to the measured forces, whatever the guess."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from measured_arms import ARM, EMPTY, LINK, TWO_PERCENT, error_on_fresh_motions, exact, measured, swing

import kinetree as kt
from kinetree.errors import InertiaError
from kinetree.identify import fit
from kinetree.identify.physical import Penalised, pseudo_inertia
from kinetree.identify.standard import geometry, with_standard

SAME = 1e-9  # of forces: the same robot by another recursion


def rough(seed: int) -> kt.Robot:
    """The arm with masses wrong by a factor of about e, centres by 5 cm."""
    rng = np.random.default_rng(seed)
    bodies = []
    for body in ARM.bodies:
        com = np.array([*body.inertia.com]) + 0.05 * rng.normal(size=3)
        about = np.array([*body.inertia.about_com][:3]) * np.exp(0.3 * rng.normal())
        wrong = kt.Inertia(body.inertia.mass * np.exp(rng.normal()), tuple(com), tuple(about))
        bodies.append(dataclasses.replace(body, inertia=wrong))
    return dataclasses.replace(ARM, bodies=tuple(bodies))


DATA = measured(ARM, 6, 0, noise=0.1)  # ten times the noise of the other tests


def test_a_pseudo_inertia_is_positive_definite_where_a_body_can_exist() -> None:
    """Points make bodies; a principal moment above the sum of the others makes none."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        points, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, 6)
        full = np.concatenate([points, np.ones((6, 1))], axis=1)
        m = masses.sum()
        com = tuple(masses @ points / m)
        about = np.einsum("k,ki,kj->ij", masses, points - com, points - com)
        body = kt.Inertia(m, com, (np.trace(about) * np.eye(3) - about).tolist())
        rigid = body.rigid
        matrix = pseudo_inertia(np.array([rigid.m, *rigid.ms, *rigid.J]))
        assert np.allclose(matrix, np.einsum("k,ki,kj->ij", masses, full, full))
        assert np.linalg.eigvalsh(matrix)[0] > 0
    impossible = kt.Inertia(1.0, (0.1, 0.2, 0.3), (1.0, 1.0, 2.1))
    rigid = impossible.rigid
    assert np.linalg.eigvalsh(pseudo_inertia(np.array([rigid.m, *rigid.ms, *rigid.J])))[0] < 0
    with pytest.raises(InertiaError):
        impossible.check("body")


def test_a_physical_fit_of_noisy_data_is_a_robot_where_the_plain_one_is_none() -> None:
    plain = fit(rough(1), DATA)
    assert any(finding.severity == "error" for finding in plain.robot.check())
    found = fit(rough(1), DATA, physical=True)
    assert found.robot.check() == ()
    for body in found.robot.bodies:
        rigid = body.inertia.rigid
        assert np.linalg.eigvalsh(pseudo_inertia(np.array([rigid.m, *rigid.ms, *rigid.J])))[0] > 0
        assert min(body.joint.damping + body.joint.coulomb + body.joint.rotor_inertia) > 0
    assert error_on_fresh_motions(found).max() < TWO_PERCENT


def test_the_robot_has_the_forces_of_the_fit() -> None:
    found = fit(rough(1), DATA, physical=True)
    q, qd, qdd = swing(11, np.linspace(0, 10, 50))
    forces = found.forces(q, qd, qdd)
    assert np.abs(found.robot.inverse_dynamics(q, qd, qdd) - forces).max() < SAME * np.abs(forces).max()
    back = found.robot.forward_dynamics(q, qd, forces)
    assert np.abs(back - qdd).max() < 1e-6 * np.abs(qdd).max()


def test_a_plain_fit_has_a_robot_too_with_the_same_forces() -> None:
    found = fit(rough(1), measured(ARM, 6, 0))
    q, qd, qdd = swing(11, np.linspace(0, 10, 50))
    forces = found.forces(q, qd, qdd)
    assert np.abs(found.robot.inverse_dynamics(q, qd, qdd) - forces).max() < SAME * np.abs(forces).max()


def test_every_guess_leads_to_the_same_forces() -> None:
    """From the true robot, rough ones, and one without inertias."""
    q, qd, qdd = swing(12, np.linspace(0, 10, 50))
    forces = [fit(model, DATA, physical=True).forces(q, qd, qdd) for model in (ARM, rough(1), rough(2), EMPTY)]
    size = np.sqrt((forces[0] ** 2).mean(axis=0))
    for other in forces[1:]:
        assert (np.sqrt(((other - forces[0]) ** 2).mean(axis=0)) < 0.003 * size).all()  # noise moves them by 0.5 %


def test_what_the_data_does_not_show_stays_at_the_guess() -> None:
    found = fit(rough(3), DATA, physical=True).robot
    first = rough(3).bodies[0].inertia  # its mass has no effect on any force
    assert found.bodies[0].inertia.mass == pytest.approx(first.mass, rel=0.01)


def test_no_neighbour_is_better() -> None:
    """The search ends at the least cost: each step away from it costs more."""
    rng = np.random.default_rng(0)
    system, x0 = rng.normal(size=(30, 14)), np.array([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    right = system @ (x0 + 0.5 * rng.normal(size=14)) + rng.normal(size=30)
    pairs = [(i, j) for i in range(4) for j in range(i, 4)]

    def cost(x: np.ndarray) -> float:
        p = np.zeros((4, 4))
        for (i, j), value in zip(pairs, x):
            p[i, j] = p[j, i] = value
        sign, logarithm = np.linalg.slogdet(p)
        if sign <= 0 or (x[10:] <= 0).any() or np.linalg.eigvalsh(p)[0] <= 0:
            return np.inf
        return 0.5 * ((system @ x - right) ** 2).sum() + 0.1 * (x0 @ x - logarithm - np.log(x[10:]).sum())

    found = Penalised(system, right, 1).minimum()
    assert np.isfinite(cost(found))
    for _ in range(200):
        assert cost(found + 1e-3 * rng.normal(size=14)) > cost(found)


def test_standard_parameters_go_into_a_robot_and_come_out_again() -> None:
    motors = [kt.Motor("joint1", gear_ratio=100, spin_inertia=2e-5, stiffness=300.0, damping=0.3)]
    for robot in (ARM, kt.robots.two_link().with_motors(motors), kt.robots.human55()):
        values = robot.dynamic_parameters * 1.01
        assert np.allclose(with_standard(robot, values, strict=True).dynamic_parameters, values, atol=1e-12)


@pytest.mark.parametrize("known", [True, False])
def test_rotors_keep_their_shape(known: bool) -> None:
    """Those of the model, or thin discs where it has none."""
    motors = [kt.Motor(f"joint{k}", gear_ratio=100.0, spin_inertia=1e-4, axis=(0.0, 0.6, 0.8)) for k in (1, 2)]
    robot = LINK.with_motors(motors)
    found = fit(robot if known else geometry(robot), exact(robot), ["inertia"], physical=True)
    q, qd, qdd = swing(11, np.linspace(0, 10, 50), 2)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(found.robot.inverse_dynamics(q, qd, qdd) - tau).max() < 1e-4 * np.abs(tau).max()
    for body in found.robot.bodies[2:]:
        xx, yy, zz, *products = body.inertia.about_com
        assert xx == pytest.approx(yy) == pytest.approx(0.5 * zz)
        assert products == [0.0, 0.0, 0.0]


def test_intervals_hold_the_way_to_what_is_possible() -> None:
    found, plain = fit(rough(1), DATA, physical=True), fit(rough(1), DATA, drop=None)
    moved = np.abs(found.parameters.values - plain.parameters.values)
    assert (found.parameters.std >= np.maximum(plain.parameters.std * (1 - SAME), moved * (1 - SAME))).all()
    assert found.dropped == {}


def test_exact_forces_of_a_known_robot_change_nothing() -> None:
    found = fit(ARM, exact(ARM), physical=True)
    assert np.allclose(found.standard, ARM.dynamic_parameters, rtol=SAME, atol=SAME)
