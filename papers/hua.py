"""Hua, Poursina, Sanfilippo: inertias of table I, cost of algorithm 2, tracking errors of section V.

The errors can't be reproduced, because too much is not given. `tracking` simulates the same task with an arm of our
own, `kt.robots.mixed_elastic`; `ASSUMED` lists all that the paper leaves open and what was taken for it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.control.elastic import ElasticTracking
from kinetree.control.sinusoid import Sinusoid
from kinetree.recursions.hua import hua_forward, hua_inverse
from papers.chains import counted
from papers.figure import Figure

# table I: mass [kg], inertia [kg m^2]
LINKS = {
    "link 1": (2.5, [[0.4, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.4]]),
    "link 2": (1.5, [[0.35, 0.15, 0.1], [0.15, 0.4, 0.2], [0.1, 0.2, 0.3]]),
    "link 3": (1.0, [[0.3, 0.15, 0.13], [0.15, 0.25, 0.2], [0.13, 0.2, 0.25]]),
}
ERRORS = {"without payload": "0.0026819, 0.003619, 0.052678", "with payload": "0.0026903, 0.0061066, 0.052422"}
ASSUMED = {
    "geometry": "joint 1 vertical, 2 and 3 horizontal, a shoulder 0.3 m high, links of 0.4 m",
    "centres of mass": "in the middle of the links; table I is of links without motors, about their centres of mass",
    "inertias": "products 0.4 of those printed, with which no link would be possible",
    "motors": "on the axes of joint 1 and, for joints 2 and 3, of joint 2; gear ratio 10",
    "gains": "K_P 450, K_D 47, K_Ptheta 100, K_Dtheta 10, chosen so that the errors are of the size of those printed",
    "start": "at rest, the spring of joint 3 not stretched",
    "derivatives of theta_d": "by a filter of 300 rad/s, or exact; qdd is that of (40)",
    "payload": "a force of 3 N at the tip that the controller does not know",
    "integration": "Runge and Kutta of order 4 and a sample of the filtered controller every 1 ms",
    "errors": "root of the mean square over all milliseconds of 10 s",
}
GAINS = 450.0, 47.0, 100.0, 10.0
# on the tip, in z of the world [N]; (20) as printed takes f_e = (0, 0, -3) for what the arm exerts
PAYLOADS = {"without payload": 0.0, "with payload as (20) is printed, which lifts": 3.0, "with payload as a load": -3.0}
NOT_REPRODUCIBLE = "not reproducible"
FILTERS: dict[str, float | None] = {"filtered": 300.0, "exact": None}
REFERENCE = Sinusoid((0.5,) * 3, omega=0.5 * math.pi)
_TEST = "tests/papers/test_hua.py"
STATES = 50


def figures() -> list[Figure]:
    """Three inertias and what became of two of them, operations, agreement, errors of two laws under three loads."""
    return [
        *(_inertia(name, *data) for name, data in LINKS.items()),
        *(_possible(k) for k in (2, 3)),
        *_operations(),
        _agreement(),
        *(
            Figure("Hua", f"RMS errors {name} [rad]", printed, NOT_REPRODUCIBLE, why=f"not given: {', '.join(ASSUMED)}")
            for name, printed in ERRORS.items()
        ),
        *(figure for name in FILTERS for figure in _errors(name)),
    ]


def tracking(bandwidth: float | None) -> kt.Motion:
    """Section V with our own arm, one run for each payload, by exact or by filtered derivatives of theta_d."""
    arm = kt.robots.mixed_elastic()
    wrist = kt.Joint("wrist", kt.joints.Fixed(), arm.frames["tip"].pose)
    arm = dataclasses.replace(arm, bodies=(*arm.bodies, kt.Body("hand", wrist, kt.Inertia(), "link3")))
    loads = np.zeros((len(PAYLOADS), arm.nbodies, 6))
    loads[:, -1, 5] = [*PAYLOADS.values()]
    law = ElasticTracking(REFERENCE, *GAINS, bandwidth)
    return kt.simulate(arm, [0.0, 0.0, -0.4363, -0.4363], np.zeros(4), 10.0, law, external=loads, dt=1e-3)


def _errors(name: str) -> list[Figure]:
    motion = tracking(FILTERS[name])
    rms = np.sqrt(np.square(REFERENCE.sample(motion.t).q - motion.q[..., :3]).mean(axis=-2))
    why = "NOT a reproduction, our own are " + "; ".join(f"{k}: {x}" for k, x in ASSUMED.items())
    printed = [ERRORS["without payload"], ERRORS["with payload"], ERRORS["with payload"]]
    return [
        Figure("Hua", f"our own arm, {case}, {name}: RMS errors [rad]", there, ", ".join(f"{x:.5f}" for x in here),
               "`kt.control.ElasticTracking`", why)
        for case, there, here in zip(PAYLOADS, printed, rms)
    ]  # fmt: skip


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
    """Forward dynamics of the arm with three joints and four coordinates."""
    arm = kt.robots.mixed_elastic()
    columns = counted(kt.trace(hua_forward, arm, signature="q(nq), qd(nv), tau(nv) -> qdd(nv)").operations)
    engine = counted(arm.operations("forward_dynamics"))
    why = "not given; counted after folding, for the arm of the zoo"
    return [
        Figure("Hua", "operations of algorithm 2, three joints", "-", columns, "`hua_forward`", why),
        Figure("Hua", "the same by the engine", "-", engine, '`robot.operations("forward_dynamics")`', why),
    ]


def _agreement() -> Figure:
    """Both algorithms against the engine, on random states of the arm."""
    arm = kt.robots.mixed_elastic()
    q, qd, x = np.random.default_rng(0).normal(size=(3, STATES, arm.nv))
    inverse = np.array([hua_inverse(arm, *row) for row in zip(q.tolist(), qd.tolist(), x.tolist())])
    direct = np.array([hua_forward(arm, *row) for row in zip(q.tolist(), qd.tolist(), x.tolist())])
    pairs = ((inverse, arm.inverse_dynamics(q, qd, x)), (direct, arm.forward_dynamics(q, qd, x)))
    error = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)
    why = "no numbers are printed"
    return Figure("Hua", "algorithms 1 and 2 against the engine", "-", f"differ by {error:.0e}", _TEST, why)
