"""Khalil, section 4: closed loops through the Jacobian of the passive joints, and the transpose that (57) lacks.

(55)-(57)   Gamma_c = G^T Gamma_tr = Gamma_a + (d qd_p / d qd_a)^T Gamma_p,      G = d qd_tr / d qd_a
(58)        Gamma_c = A_c qdd_a + H_c,      A_c = G^T A_tr G
The paper has no numbers. The judge is the mechanism in maximal coordinates: forces that are right cause the motion.
"""

from __future__ import annotations

import numpy as np
import pytest
from maximal import Array, Maximal
from strategies import on_floats, relative_error

import kinetree as kt

AGREEMENT = 1e-10  # double precision, two ways
WRONG = 1e-3  # N m: a misprint shows, passive forces here are about 0.05 N m


def five_bar_jacobian(q: Array) -> Array:
    """d qd_p / d qd_a of the five-bar linkage: elbows by shoulders, from its bars in the complex plane.

    The tip is the same from both sides:  i a1 w1 + i b1 (w1 + p1) = i a2 w2 + i b2 (w2 + p2).
    """
    bars = ((-0.18 + 0.24j, 0.24 + 0.32j), (0.18 + 0.24j, -0.24 + 0.32j))
    (a1, b1), (a2, b2) = (
        (a * np.exp(1j * shoulder), b * np.exp(1j * (shoulder + elbow)))
        for (a, b), (shoulder, elbow) in zip(bars, (q[:2], q[2:]))
    )

    def two(x: complex, y: complex) -> Array:
        return np.array([[x.real, y.real], [x.imag, y.imag]])

    return -np.linalg.solve(two(1j * b1, -1j * b2), two(1j * (a1 + b1), -1j * (a2 + b2)))


STATES = [([0.2, 0.9], [1.0, -0.7], [0.5, 2.0]), ([-0.9, -0.2], [-2.0, 0.4], [1.5, -1.0])]


@pytest.mark.parametrize(("x", "xd", "xdd"), STATES)
def test_57_is_right_with_the_transpose_and_wrong_without(x: list[float], xd: list[float], xdd: list[float]) -> None:
    robot = kt.robots.five_bar()
    chain, active, passive = kt.ClosedChain(robot), [0, 2], [1, 3]
    q = chain.close(x).check()
    J = five_bar_jacobian(q)
    qd, qdd = chain.velocities(q, xd), chain.accelerations(q, xd, xdd)
    assert relative_error(qd[passive], J @ xd) < AGREEMENT
    assert np.abs(J - J.T).max() > 0.1  # otherwise nobody would see it
    tree = on_floats(robot)("inverse_dynamics", q[None], qd[None], qdd[None])[0]
    right, printed = tree[active] + J.T @ tree[passive], tree[active] + J @ tree[passive]

    def caused(forces: Array) -> Array:
        driven = np.zeros(4)
        driven[active] = forces
        return Maximal(robot, q, qd).forward(driven).qdd[active]

    assert relative_error(caused(right), xdd) < AGREEMENT
    assert relative_error(chain.inverse_dynamics(q, xd, xdd), right) < AGREEMENT
    assert np.abs(printed - right).max() > WRONG
    assert np.abs(caused(printed) - xdd).max() > WRONG


def test_57_without_the_transpose_has_no_meaning_for_one_crank() -> None:
    """Two passive joints, one driven: the Jacobian is (2, 1), and only its transpose fits the passive forces."""
    robot = kt.robots.four_bar()
    chain = kt.ClosedChain(robot)
    q = chain.close([0.8]).check()
    qd, qdd = chain.velocities(q, [1.5]), chain.accelerations(q, [1.5], [-2.0])
    J = chain.velocities(q, [1.0])[1:, None]
    tree = on_floats(robot)("inverse_dynamics", q[None], qd[None], qdd[None])[0]
    with pytest.raises(ValueError, match="mismatch"):
        J @ tree[1:]
    assert relative_error(chain.inverse_dynamics(q, [1.5], [-2.0]), tree[:1] + J.T @ tree[1:]) < AGREEMENT


@pytest.mark.parametrize(("x", "xd", "xdd"), STATES)
def test_58_is_linear_in_the_accelerations_with_the_projected_mass_matrix(
    x: list[float], xd: list[float], xdd: list[float]
) -> None:
    robot = kt.robots.five_bar()
    chain = kt.ClosedChain(robot)
    q = chain.close(x).check()
    J = five_bar_jacobian(q)
    G = np.array([[1, 0], J[0], [0, 1], J[1]])
    A = G.T @ on_floats(robot)("mass_matrix", q[None])[0] @ G
    H = chain.inverse_dynamics(q, xd, [0.0, 0.0])
    assert relative_error(chain.inverse_dynamics(q, xd, xdd), A @ xdd + H) < AGREEMENT
    assert relative_error(chain.inverse_dynamics_derivatives(q, xd, xdd)[2], A) < AGREEMENT
    caused = chain.forward_dynamics(q, chain.velocities(q, xd), A @ xdd + H)
    assert relative_error(caused[[0, 2]], xdd) < AGREEMENT
