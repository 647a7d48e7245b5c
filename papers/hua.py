"""Hua, Poursina, Sanfilippo: inertias of table I, cost of algorithm 2, tracking errors of section V."""

from __future__ import annotations

from typing import Any

import numpy as np

import kinetree as kt
from kinetree.algorithms.hua import hua_direct, hua_inverse
from papers.chains import counted
from papers.figure import Figure

# table I: mass [kg], inertia [kg m^2]
LINKS = {
    "link 1": (2.5, [[0.4, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.4]]),
    "link 2": (1.5, [[0.35, 0.15, 0.1], [0.15, 0.4, 0.2], [0.1, 0.2, 0.3]]),
    "link 3": (1.0, [[0.3, 0.15, 0.13], [0.15, 0.25, 0.2], [0.13, 0.2, 0.25]]),
}
ERRORS = {
    "without payload": "0.0026819, 0.003619, 0.052678",
    "with payload": "0.0026903, 0.0061066, 0.052422",
}
NOT_REPRODUCIBLE = "not reproducible"
_TEST = "tests/papers/test_hua.py"
STATES = 50


def figures() -> list[Figure]:
    """Three inertias and what became of two of them, operations, agreement, six errors."""
    missing = (
        "geometry, centres of mass, places and gear ratios of the motors, gains, theta(0) and step are not given; "
        "other choices give other errors"
    )
    return [
        *(_inertia(name, *data) for name, data in LINKS.items()),
        *(_possible(k) for k in (2, 3)),
        *_operations(),
        _agreement(),
        *(
            Figure("Hua", f"RMS errors {name} [rad]", printed, NOT_REPRODUCIBLE, why=missing)
            for name, printed in ERRORS.items()
        ),
    ]


def _inertia(name: str, mass: float, matrix: Any) -> Figure:
    try:
        kt.Inertia(mass, about_com=matrix).check(name)
        found, why = "taken", ""
    except kt.errors.InertiaError:
        found, why = "refused", "no rigid body has principal moments of which two add up to less than the third"
    return Figure("Hua", f"inertia of {name}", "table I", f"{found}: {_moments(matrix)}", "`kt.Inertia`", why)


def _possible(link: int) -> Figure:
    inertia = kt.robots.mixed_elastic().bodies[link - 1].inertia.about_com
    why = "our own: the moments as printed, the products times 0.4, so that both links are possible"
    matrix = [[*row] for row in inertia.full]
    return Figure("Hua", f"link {link} in the zoo", "-", _moments(matrix), "`kt.robots.mixed_elastic`", why)


def _moments(matrix: Any) -> str:
    a, b, c = np.linalg.eigvalsh(matrix)
    return f"{a:.3f} + {b:.3f} {'<' if a + b < c else '>='} {c:.3f}"


def _operations() -> list[Figure]:
    """Direct dynamics of the arm with three joints and four coordinates."""
    arm = kt.robots.mixed_elastic()
    columns = counted(kt.trace(hua_direct, arm, signature="q(nq), qd(nv), tau(nv) -> qdd(nv)").operations)
    engine = counted(arm.operations("forward_dynamics"))
    why = "not given; counted after folding, for the arm of the zoo"
    return [
        Figure("Hua", "operations of algorithm 2, three joints", "-", columns, "`hua_direct`", why),
        Figure("Hua", "the same by the engine", "-", engine, '`robot.operations("forward_dynamics")`', why),
    ]


def _agreement() -> Figure:
    """Both algorithms against the engine, on random states of the arm."""
    arm = kt.robots.mixed_elastic()
    q, qd, x = np.random.default_rng(0).normal(size=(3, STATES, arm.nv))
    inverse = np.array([hua_inverse(arm, *row) for row in zip(q.tolist(), qd.tolist(), x.tolist())])
    direct = np.array([hua_direct(arm, *row) for row in zip(q.tolist(), qd.tolist(), x.tolist())])
    pairs = ((inverse, arm.inverse_dynamics(q, qd, x)), (direct, arm.forward_dynamics(q, qd, x)))
    error = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)
    why = "no numbers are printed"
    return Figure("Hua", "algorithms 1 and 2 against the engine", "-", f"differ by {error:.0e}", _TEST, why)
