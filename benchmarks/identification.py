"""Identification of a UR5: how well parameters, torques and loads come out of simulated measurements."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from kinetree.identify import Excitation, Fit

TRIALS = 50
RATE = 1000.0  # Hz
NOISE = 0.01  # of the root mean square of each torque
WELL = 0.1  # relative standard deviation below which a parameter counts as well excited
LOAD = 3.0  # kg
# N m s/rad, N m, kg m^2 of each joint, and how much heavier the arm is than its model
DAMPING, COULOMB, ROTOR = (
    (8.0, 8.0, 6.0, 1.5, 1.5, 1.0),
    (7.0, 7.0, 5.0, 1.5, 1.2, 1.0),
    (1.2, 1.2, 0.8, 0.2, 0.2, 0.15),
)
COVERS = {"upper_arm_link": 0.8, "forearm_link": 0.5, "wrist_2_link": 0.1}
INCLUDED = ("damping", "coulomb", "rotor_inertia")


def run() -> None:
    """Two tables."""
    model = models.robot("UR5")
    real = _real(model)
    swings = _motions(model)
    _trials(model, real, swings)


def _real(model: kt.Robot) -> kt.Robot:
    """The arm that is measured: covers, friction and rotor inertias that the model does not have."""
    for body, mass in COVERS.items():
        model = model.attach(kt.Inertia(mass, (0.05, 0.02, 0.1), (0.01 * mass,) * 3), body)
    bodies = []
    for body, damping, coulomb, rotor in zip(model.bodies, DAMPING, COULOMB, ROTOR):
        joint = replace(body.joint, damping=damping, coulomb=coulomb, rotor_inertia=rotor)
        bodies.append(replace(body, joint=joint))
    return replace(model, bodies=tuple(bodies))


def _motions(model: kt.Robot) -> tuple[Excitation, Excitation]:
    """An exciting motion, and another one to try a fit on; what they take."""
    rows, found = [], []
    for duration, harmonics, seed in ((10.0, 5, 0), (8.0, 4, 11), (10.0, 5, 0)):
        motion = kt.identify.excite(model, duration, harmonics, seed=seed, progress=False)
        found.append(motion)
        rows.append([
            f"{duration:g} s, {harmonics} harmonics", len(motion.base), f"{motion.condition:.1f}",
            f"{motion.violation:.0e}", motion.iterations, f"{motion.seconds:.1f} s", "<= 30 s",
        ])  # fmt: skip
    header = ["exciting motion", "parameters", "condition", "violation", "iterations", "seconds", "goal"]
    show("Exciting motions of the UR5, three starts each; the first makes or loads its functions", header, rows)
    return found[0], found[1]


def _trials(model: kt.Robot, real: kt.Robot, swings: tuple[Excitation, Excitation]) -> None:
    """Measurements with other noise, each with its fit."""
    swing, other = swings
    known = kt.identify.base_parameters(real, INCLUDED)
    truth = dict(zip(known.names, known.values()))
    load = kt.Inertia(LOAD, (0.02, 0.01, 0.08), (0.01, 0.01, 0.008))
    loaded = real.attach(load, model.bodies[-1].name)
    fresh = other.simulated(RATE, robot=real, noise=0.0)
    held: dict[str, list[bool]] = {}
    errors, masses, times = [], [], []
    for k in range(TRIALS):
        data = swing.simulated(RATE, robot=real, noise=NOISE, seed=k)
        began = time.perf_counter()
        fit = kt.identify.fit(model, data)
        times.append(time.perf_counter() - began)
        _look(fit, truth, held)
        errors.append(fit.validate(fresh).total)
        carried = swing.simulated(RATE, robot=loaded, noise=NOISE, seed=1000 + k)
        masses.append(abs(kt.identify.payload(model, carried, known=fit).mass / LOAD - 1.0))
    shares = {name: float(np.mean(x)) for name, x in held.items() if len(x) == TRIALS}
    worst = min(shares, key=lambda name: shares[name])
    rows = [
        ["torques of another motion, largest RMS error", f"{max(errors):.3%}", "<= 2 %"],
        [f"least coverage of {len(shares)} well-excited parameters ({worst})", f"{shares[worst]:.0%}", ">= 90 %"],
        ["mean coverage of the 95 % intervals", f"{np.mean([*shares.values()]):.1%}", ">= 95 %"],
        [f"mass of a load of {LOAD:g} kg, largest error", f"{max(masses):.3%}", "<= 2 %"],
        ["one fit of 10 s at 1 kHz, median", f"{np.median(times):.2f} s", ""],
    ]
    how = "1 % torque noise, encoders of 17 bits at 1 kHz, exact tracking"
    title = f"Identification of a UR5: {TRIALS} simulated measurements, {how}"
    show(title, ["", "found", "goal"], rows)


def _look(fit: Fit, truth: dict[str, float], held: dict[str, list[bool]]) -> None:
    """Which well-excited parameters are inside their intervals."""
    for p in fit.parameters:
        if p.relative_std < WELL:
            held.setdefault(p.name, []).append(p.lower <= truth[p.name] <= p.upper)
