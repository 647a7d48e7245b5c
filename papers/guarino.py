"""Guarino Lo Bianco: force rates of the Stanford arm, operations and times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from math import pi
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

import kinetree as kt
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.recursions.guarino import Tip, guarino
from kinetree.spatial.vec3 import Vec3
from papers.chains import counted, evaluated, revolute_rows
from papers.figure import Figure

# section V, table III
START = np.array([pi / 2, 0, 0, pi / 2, pi / 4, pi / 2])
END = np.array([pi / 4, pi / 2, 2, pi / 4, pi / 2, 0])
DURATION = 2.0
QUINTIC = Polynomial([0, 0, 0, 10, -15, 6])  # zero velocities and accelerations at both ends
SEPTIC = Polynomial([0, 0, 0, 0, 35, -84, 70, -20])  # zero jerks too
JOINTS, BATCH, ROUNDS = 6, 4096, 30

_TEST = "tests/papers/test_guarino.py"


def figures() -> list[Figure]:
    """Those of section V."""
    return [*_differences(), *_operations(), _times(), _agreement()]


def motion(t: np.ndarray, law: Polynomial = QUINTIC) -> list[np.ndarray]:
    """q, qd, qdd, qddd at the times t."""
    s = t[:, None] / DURATION
    step = END - START
    return [START * (k == 0) + step * (law.deriv(k) if k else law)(s) / DURATION**k for k in range(4)]


def backward_errors(sampling: float, law: Polynomial = QUINTIC) -> np.ndarray:
    """For each joint the largest difference between d tau/dt and the backward difference (36) of tau [N m/s, N/s]."""
    robot = kt.robots.stanford()
    q, qd, qdd, qddd = motion(np.arange(round(DURATION / sampling) + 1) * sampling, law)
    tau, taud = robot.inverse_dynamics(q, qd, qdd), robot.force_rates(q, qd, qdd, qddd)
    return np.abs(taud[1:] - np.diff(tau, axis=0) / sampling).max(axis=0)


def _differences() -> list[Figure]:
    name = "error of a backward difference of tau_1, Ts = {} s [N m/s]"
    digit = "one digit differs; the data of the tables don't give the printed one by any reading that was tried"
    tenfold = "ten times the line before, as in the paper"
    printed = {"1e-4": ("2.462e-2", digit), "1e-3": ("ten times that", tenfold), "1e-2": ("ten times that", tenfold)}
    errors = {Ts: backward_errors(float(Ts)) for Ts in printed}
    rows = [
        Figure("Guarino", name.format(Ts), published, f"{errors[Ts][0]:.4e}", _TEST, why)
        for Ts, (published, why) in printed.items()
    ]
    others = ", ".join(f"{x:.3e}" for x in errors["1e-4"][1:])
    factors = np.concatenate([errors["1e-3"] / errors["1e-4"], errors["1e-2"] / errors["1e-3"]])
    ratios = f"{factors.min():.3f} to {factors.max():.3f}"
    similar, numbers = "similar figures hold for all the joints", "the paper prints no numbers of the other joints"
    septic = f"{backward_errors(1e-4, SEPTIC)[0]:.3e}"
    why = "the text says that jerks are zero at the ends; a quintic can't have that, and a septic is farther off"
    return [
        *rows,
        Figure("Guarino", "such errors of joints 2 to 6, Ts = 1e-4 s [N m/s, N/s]", similar, others, _TEST, numbers),
        Figure("Guarino", "their growth where Ts is ten times as long, all joints", similar, ratios, _TEST, numbers),
        Figure("Guarino", "the same on a septic, Ts = 1e-4 s [N m/s]", "-", septic, _TEST, why),
    ]


def _operations() -> list[Figure]:
    """Torque and torque rate of revolute arms with full inertias and a load on the last link, as the paper counts."""
    rows = revolute_rows(JOINTS)
    n = len(rows)
    modified = evaluated((309, 268), (162, 138), n)
    standard = evaluated((327, 274), (81, 72), n)
    shared = "common terms are shared and constants folded while tracing; the paper's rules are not given"
    unlike = "Kinetree turns the load from world axes, and converts standard tables to frames at the joint"
    what = "operations of force and rate, 6R, {} DH [mult / add]"
    diagonal = [replace(row, inertia=row.inertia[:3]) for row in rows]
    fewer = {"diagonal inertias, 6R, modified DH": diagonal, "the data of the Stanford arm": stanford_rows()}
    numbers = (
        "the paper prints no numbers; lines above: full inertias. The general recursion has moments about the joint, "
        "which are full unless centres of mass lie on the axes, too"
    )
    return [
        Figure("Guarino", what.format("modified"), modified, _count(rows), _TEST, f"{shared}; {unlike}"),
        Figure("Guarino", "operations of his recursion, traced [mult / add]", modified, _own(rows), _TEST, shared),
        Figure("Guarino", what.format("standard"), standard, _count(revolute_rows(n, "standard"), "standard"), _TEST,
               f"{shared}; {unlike}"),
        *(
            Figure("Guarino", f"operations with {case} [mult / add]", "fewer, \"dramatically\"",
                   f"{_count(table)}; his recursion {_own(table)}", _TEST, numbers)
            for case, table in fewer.items()
        ),
    ]  # fmt: skip


def _own(rows: list[kt.DH]) -> str:
    """The operations of his recursion."""
    n = len(rows)
    return counted(kt.trace(_with_tip(rows), signature=f"({n}),({n}),({n}),({n}),(12)->({n}),({n})").operations)


def _count(rows: list[kt.DH], convention: str = "modified") -> str:
    """The operations of the general recursion."""
    none = [[0.0] * 6] * (len(rows) - 1)

    def loaded(robot: kt.Robot, q: Any, qd: Any, qdd: Any, qddd: Any, load: Any, rate: Any) -> Any:
        return forces_and_rates(robot, q, qd, qdd, qddd, [*none, load], [*none, rate])

    robot = kt.Robot.from_dh(rows, convention)
    signature = "q(nq), qd(nv), qdd(nv), qddd(nv), load(6), rate(6) -> tau(nv), taud(nv)"
    return counted(kt.trace(loaded, robot, signature=signature).operations)


def _with_tip(rows: list[kt.DH]) -> Callable[..., Any]:
    def loaded(q: Any, qd: Any, qdd: Any, qddd: Any, tip: Any) -> Any:
        return guarino(rows, q, qd, qdd, qddd, Tip(*(Vec3(*tip[k : k + 3]) for k in range(0, 12, 3))))

    return loaded


def _times() -> Figure:
    """A state of a batch on one thread, both functions in turns."""
    robot = kt.robots.stanford()
    q, qd, qdd, qddd = motion(np.linspace(0.0, DURATION, BATCH))
    both, forces = robot.function("forces_and_rates"), robot.function("inverse_dynamics")
    shortest = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for k, work in enumerate((lambda: both(q, qd, qdd, qddd), lambda: forces(q, qd, qdd))):
            start = time.perf_counter()
            work()
            shortest[k] = min(shortest[k], time.perf_counter() - start)
    ours = [t / BATCH * 1e6 for t in shortest]
    return Figure(
        "Guarino",
        "time of force and rate, of force alone, Stanford arm [us]",
        f"52.55, 23.99: ratio {52.55 / 23.99:.2f}",
        f"{ours[0]:.4f}, {ours[1]:.4f}: ratio {ours[0] / ours[1]:.2f}",
        '`robot.function("forces_and_rates")`',
        f"Matlab on a Pentium of 1.4 GHz there; native code, a batch of {BATCH} states here",
    )


def _agreement() -> Figure:
    robot, rows = kt.robots.stanford(), stanford_rows()
    x = motion(np.linspace(0.0, DURATION, 41))
    general = np.stack(robot.function("forces_and_rates")(*x))
    own = np.array([guarino(rows, *(part.tolist() for part in state)) for state in zip(*x)]).swapaxes(0, 1)
    return Figure(
        "Guarino",
        "his recursion against the general one, Stanford arm",
        "-",
        f"{np.abs(own - general).max():.0e}",
        _TEST,
        "the largest difference; with (5), (8) and (17) corrected",
    )


def stanford_rows() -> list[kt.DH]:
    """The table of the Stanford arm, read back from the robot."""
    table = zip(kt.robots.stanford().bodies, (0, -pi / 2, pi / 2, 0, -pi / 2, pi / 2), (0.412, 0.154, 0, 0, 0, 0.263))
    rows = []
    for k, (body, alpha, d) in enumerate(table):
        joint, theta = ("prismatic", -pi / 2) if k == 2 else ("revolute", 0.0)
        links = {"mass": body.inertia.mass, "com": body.inertia.com, "inertia": body.inertia.about_com}
        rows.append(kt.DH(alpha=alpha, d=d, theta=theta, joint=joint, **links))
    return rows
