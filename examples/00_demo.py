"""What Kinetree does, in a few seconds: describe an arm, compute its dynamics, simulate it, show it.

    python examples/00_demo.py [--states N] [--out FILE]

The last line printed is the path of an HTML report to open in a browser.
"""

import argparse
import os
import sys
import tempfile
import time
from math import pi
from unittest import mock

import numpy as np

import kinetree as kt
from kinetree.view import Report, robot_table

# modified DH: alpha, a, d, mass, centre of mass, inertia (xx, yy, zz), rotor inertia, damping; SI units
COLUMNS = ("alpha", "a", "d", "mass", "com", "inertia", "rotor_inertia", "damping")
ARM = (
    (0.0, 0.00, 0.40, 9.0, (0.00, -0.02, -0.12), (0.110, 0.100, 0.045), 0.90, 2.0),
    (-pi / 2, 0.06, 0.00, 8.5, (0.18, 0.00, 0.06), (0.035, 0.230, 0.220), 1.20, 2.0),
    (0.0, 0.42, 0.00, 4.0, (0.03, -0.03, -0.02), (0.030, 0.022, 0.026), 0.60, 1.2),
    (-pi / 2, 0.03, 0.38, 2.4, (0.00, 0.00, -0.14), (0.028, 0.028, 0.004), 0.15, 0.4),
    (pi / 2, 0.00, 0.00, 1.1, (0.00, -0.01, 0.00), (0.002, 0.002, 0.002), 0.12, 0.3),
    (-pi / 2, 0.00, 0.00, 0.4, (0.00, 0.00, 0.03), (0.0005, 0.0005, 0.0004), 0.08, 0.2),
)
TOOL = kt.DH(d=0.14, joint="fixed", mass=0.8, com=(0, 0, -0.04), inertia=(1e-3, 1e-3, 5e-4), name="tool")

# the reference motion is a sine for each joint; the feedback is a spring and a damper towards it
MIDDLE, SWING = np.array([0.0, -0.9, 0.1, 0.0, 0.7, 0.0]), np.array([0.9, 0.35, 0.4, 0.6, 0.5, 1.2])
SPEED, PHASE = 2 * pi / 3 * np.array([1, 2, 2, 1, 2, 1]), np.array([0.0, 0.5, 1.9, 0.0, 0.0, 0.0])
STIFFNESS = np.array([60.0, 90.0, 40.0, 6.0, 5.0, 3.0])  # N m/rad
DAMPER = np.array([16.0, 20.0, 9.0, 1.2, 1.0, 0.6])  # N m s/rad
FRICTION = np.array([row[-1] for row in ARM])  # N m s/rad


def main() -> None:
    options = read_options()
    arm = build_arm()
    heading("A robot from a DH table")
    show(*robot_table(arm))

    heading("Inverse and direct dynamics, checked against each other")
    compiled, loaded = time_to_ready()
    error, speeds = round_trip(arm, options.states)
    print(f"  ready in            {compiled:.2f} s from nothing (traced, compiled), {loaded:.3f} s from the disk cache")
    print(f"  batch               {options.states:,} random states")
    for name, rate in speeds.items():
        print(f"  {name:<27} {rate / 1e6:6.1f} million states per second")
    check(error < 1e-9, f"qdd -> forces -> qdd comes back, largest error {error:.1e} of the largest qdd")

    heading("Operations for one state of inverse dynamics")
    counts = operation_counts(arm)
    show(*counts)

    heading("Six seconds of motion under feedback, by Runge and Kutta at 1 kHz")
    began = time.perf_counter()
    motion = simulate(arm, duration=6.0, step=1e-3)
    drift = np.abs(motion["energy"] - motion["work"]).max()
    print(f"  simulated in {time.perf_counter() - began:.2f} s")
    check(drift < 1e-3, f"energy gained = work done, to {drift:.1e} J of {np.ptp(motion['energy']):.0f} J")

    facts = {
        "states of inverse dynamics per second": f"{max(speeds.values()) / 1e6:.1f} million",
        "largest error of inverse, then direct dynamics": f"{error:.1e}",
        "to trace and compile both from nothing": f"{compiled:.2f} s",
        "drift of the energy balance in the simulation": f"{drift:.1e} J",
    }
    report = make_report(arm, facts, counts, speeds, motion)
    heading("Report: open it in a browser")
    print(report.write(options.out))


def build_arm() -> kt.Robot:
    """A six-joint arm with a tool fixed to its last link."""
    rows = [kt.DH(**dict(zip(COLUMNS, row))) for row in ARM]
    return kt.Robot.from_dh([*rows, TOOL], "modified", name="demo arm")


def time_to_ready() -> tuple[float, float]:
    """Seconds until both functions can be called: compiled from nothing, then loaded from the disk cache."""
    times = []
    with (
        tempfile.TemporaryDirectory() as empty,
        mock.patch.dict(os.environ, KINETREE_CACHE_DIR=empty),
    ):
        for _ in range(2):
            fresh, began = build_arm(), time.perf_counter()
            fresh.precompile("inverse_dynamics", "forward_dynamics")
            times.append(time.perf_counter() - began)
    return times[0], times[1]


def round_trip(arm: kt.Robot, states: int) -> tuple[float, dict[str, float]]:
    """Accelerations to forces and back: the largest error, and the states per second of both ways."""
    q, qd, qdd = np.random.default_rng(0).uniform(-pi, pi, (3, states, arm.nv))
    tau = arm.inverse_dynamics(q, qd, qdd)
    error = np.abs(arm.forward_dynamics(q, qd, tau) - qdd).max() / np.abs(qdd).max()
    speeds, out, cores = {}, np.empty_like(tau), kt.threads()
    for threads in sorted({1, cores}):
        kt.threads(threads)
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        speeds[f"inverse dynamics, {label}"] = states / best(lambda: arm.inverse_dynamics(q, qd, qdd, out=out))
        speeds[f"direct dynamics, {label}"] = states / best(lambda: arm.forward_dynamics(q, qd, tau, out=out))
    return float(error), speeds


def best(call, repeats: int = 15) -> float:
    """The shortest of several times [s]."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def operation_counts(arm: kt.Robot) -> tuple[list[str], list[list[str]]]:
    """The compiled code beside recursive Newton-Euler for any arm of n joints (Luh, Walker and Paul, 1980)."""
    counts, n = arm.operations("inverse_dynamics"), arm.nv
    multiplications = counts.get("mul", 0) + counts.get("div", 0)
    additions = counts.get("add", 0) + counts.get("sub", 0)
    rows = [
        ["textbook (150n-48, 131n-48)", str(150 * n - 48), str(131 * n - 48)],
        ["compiled for this arm", str(multiplications), str(additions)],
    ]
    return ["", "multiplications", "additions"], rows


def reference(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the joints should be at a time, how fast, and with which acceleration."""
    angle = SPEED * t + PHASE
    return MIDDLE + SWING * np.sin(angle), SPEED * SWING * np.cos(angle), -(SPEED**2) * SWING * np.sin(angle)


def control(arm: kt.Robot, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The forces of the reference motion by inverse dynamics, plus a spring and a damper towards it."""
    wanted, speed, acceleration = reference(t)
    feedback = STIFFNESS * (wanted - q) + DAMPER * (speed - qd)
    return arm.inverse_dynamics(wanted, speed, acceleration) + feedback


def simulate(arm: kt.Robot, duration: float, step: float) -> dict[str, np.ndarray]:
    """The controlled arm from rest in its middle pose; the work of motors and friction is integrated beside it."""
    n = arm.nv

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        q, qd = x[:n], x[n : 2 * n]
        tau = control(arm, t, q, qd)
        power = (tau - FRICTION * qd) @ qd
        return np.concatenate([qd, arm.forward_dynamics(q, qd, tau), [power]])

    times = np.arange(round(duration / step) + 1) * step
    states = np.zeros((len(times), 2 * n + 1))
    states[0, :n] = MIDDLE
    for k, t in enumerate(times[:-1]):
        x = states[k]
        k1 = rate(t, x)
        k2 = rate(t + step / 2, x + step / 2 * k1)
        k3 = rate(t + step / 2, x + step / 2 * k2)
        k4 = rate(t + step, x + step * k3)
        states[k + 1] = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    q, qd = states[:, :n], states[:, n : 2 * n]
    tau = np.array([control(arm, *row) for row in zip(times, q, qd)])
    kinetic, potential = arm.kinetic_energy(q, qd), arm.potential_energy(q)
    energy = kinetic + potential - (kinetic + potential)[0]
    wanted = np.array([reference(t)[0] for t in times])
    return {"t": times, "q": q, "tau": tau, "error": wanted - q, "energy": energy, "work": states[:, -1]}


def make_report(arm: kt.Robot, facts: dict, counts: tuple, speeds: dict, motion: dict) -> Report:
    """What was computed, as a page."""
    report = Report(
        "An arm, its dynamics and its motion",
        "Six joints from a DH table: traced, compiled, simulated and drawn by Kinetree.",
    )
    report.add_facts(facts)
    told = "Starts at rest, is caught by the feedback and follows its path. Joints have the colours of their curves."
    report.add_animation(arm, motion["t"], motion["q"], caption=told)

    def plot(title: str, series: dict, ylabel: str, **options) -> None:
        report.add_plot(title, motion["t"], series, xlabel="time [s]", ylabel=ylabel, follow=True, **options)

    def joints(values: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(arm.joint_names, values.T))

    plot("Joint angles", joints(motion["q"]), "angle [rad]")
    plot("Motor torques", joints(motion["tau"]), "torque [N m]")
    plot("Tracking error", joints(motion["error"]), "angle [rad]")
    balance = {"energy gained": motion["energy"], "work of motors and friction": motion["work"]}
    plot("Energy balance", balance, "energy [J]", dashed=["work of motors and friction"])
    report.add_text("Kinetree traced the equations of motion for the numbers below.", heading="The robot")
    report.add_robot(arm)
    text = "Zeros, right angles and absent inertias are gone from the compiled code; a textbook counts them."
    report.add_text(text, heading="The code")
    report.add_table(counts[0], counts[1], caption="Operations for one state of inverse dynamics")
    rows = [[name, f"{rate / 1e6:.1f}", f"{1e9 / rate:.0f}"] for name, rate in speeds.items()]
    report.add_table(["function", "million states/s", "ns/state"], rows, caption="Speed on this machine")
    return report


# -- talking to the terminal -------------------------------------------------------------------------------------


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--states", type=int, default=100_000, help="size of the random batch (default: 100000)")
    parser.add_argument("--out", default="report/demo.html", help="where the report goes (default: report/demo.html)")
    options = parser.parse_args()
    if options.states < 1:
        parser.error(f"--states must be 1 or more, not {options.states}")
    return options


def heading(text: str) -> None:
    print(f"\n{coloured(text, '1')}", flush=True)


def check(holds: bool, claim: str) -> None:
    if not holds:
        sys.exit(f"  {coloured('FAILED', '31')}  {claim}")
    print(f"  {coloured('ok', '32')}  {claim}")


def show(header: list[str], rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    for k, row in enumerate([header, *rows]):
        line = "  " + "   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip()
        print(coloured(line, "2") if k == 0 else line)


def coloured(text: str, code: str) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"\033[{code}m{text}\033[0m"


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        sys.exit(130)
    except (OSError, kt.errors.InputError) as error:
        sys.exit(f"the report could not be written: {error}")
