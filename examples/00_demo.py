"""What Kinetree does, in a few seconds: describe an arm, compute its dynamics, plan its fastest motion, simulate it.

    python examples/00_demo.py [--states N] [--out FILE]

The last line printed is the path of an HTML report to open in a browser.

Takes about 4 s, from the second run on 2 s.
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
from kinetree.plan.report import add_active, curves
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

HEAVIER = kt.DH(d=0.14, joint="fixed", mass=1.3, com=(0, 0, -0.03), inertia=(1.5e-3, 1.5e-3, 5e-4), name="tool")

# from a table on the right to a shelf on the left, as fast as the motors allow
TABLE, SHELF = np.array([-1.3, -0.35, 0.75, 0.0, 1.0, 0.0]), np.array([1.2, -1.45, 0.1, 0.6, 0.9, 1.6])
MOTORS = np.array([96.0, 192.0, 80.0, 16.0, 12.0, 5.6])  # N m that they can give
TORQUES = 0.75 * MOTORS  # N m that are planned with; the rest is for the controller
REST, GAINS = 0.4, {"kp": 900.0, "kd": 60.0}  # s; 1/s^2, 1/s
FRICTION = np.array([row[-1] for row in ARM])  # N m s/rad

# the same for you to type
LINES = """
import kinetree as kt

arm = kt.Robot.from_dh(rows)  # or kt.Robot.from_file("arm.urdf")
tau = arm.inverse_dynamics(q, qd, qdd)  # one state, or arrays of millions

plan = kt.plan.minimum_time(arm, q0=table, q1=shelf, force_limits=torques)
control = kt.control.ComputedTorque(plan.reference(), kp=900.0, kd=60.0)
motion = kt.simulate(arm, table, [0.0] * 6, plan.duration, control)
motion.report("motion.html")  # a page such as this one
"""
NEXT = (
    ("examples/01_first_robot.py", "a robot of your own from a DH table"),
    ("examples/07_zoo.py", "all built-in robots, with a picture"),
    ("examples/11_parallel_robot.py", "a hexapod: closed loops, leg forces, singular poses"),
    ("examples/21_identification.py", "inertias, friction and load from measurements"),
    ("examples/22_walking.py", "how a human walks, predicted"),
    ("kinetree info FILE", "what your URDF, MJCF or DH table contains"),
    ("make docs", "the documentation"),
)


def main() -> None:
    options = read_options()
    print("Takes about 4 s, from the second run on 2 s.", flush=True)
    arm = build_arm()
    heading("A robot from a DH table")
    show(*robot_table(arm))

    heading("Inverse and forward dynamics, checked against each other")
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

    heading("The fastest motion from the table to the shelf, and back")
    plans = plan_both_ways(arm)
    polynomial = quintic_time(arm)
    for plan, name in zip(plans, ("there", "back")):
        print(f"  {name:<6}  {plan.duration:.3f} s, found in {plan.seconds:.2f} s and {plan.iterations} iterations")
        check(plan.ok, f"{plan.message}; violation at 10,000 points {violation(plan):.1e}")
    print(f"  a polynomial of degree five needs {polynomial:.3f} s under the same limits")

    heading("Simulated under computed torque, with a tool that is half a kilogram heavier than planned")
    began = time.perf_counter()
    motion = simulate(arm, *plans)
    drift = np.abs(motion["energy"] - motion["work"]).max() / np.ptp(motion["energy"])
    error = np.abs(motion["error"]).max()
    print(f"  simulated {motion['t'][-1]:.1f} s in {time.perf_counter() - began:.2f} s, compiling included")
    print(f"  {error:.3f} rad is the largest tracking error, {np.abs(motion['error'][-1]).max():.4f} rad at the end")
    check(drift < 1e-3, f"energy gained = work done, to {drift:.1e} of {np.ptp(motion['energy']):.0f} J")

    facts = {
        "to trace and compile the dynamics, from nothing": f"{compiled:.2f} s",
        "states of inverse dynamics per second": f"{max(speeds.values()) / 1e6:.1f} million",
        "to find the fastest motion within the limits of all six motors": f"{plans[0].seconds:.2f} s",
        f"is what it takes; a polynomial of degree five needs {polynomial:.2f} s": f"{plans[0].duration:.2f} s",
    }
    report = make_report(arm, facts, counts, speeds, plans[0], motion)
    heading("Report: open it in a browser")
    print(report.write(options.out))


def build_arm(tool: kt.DH = TOOL) -> kt.Robot:
    """A six-joint arm with a tool fixed to its last link."""
    rows = [kt.DH(**dict(zip(COLUMNS, row))) for row in ARM]
    return kt.Robot.from_dh([*rows, tool], "modified", name="demo arm")


def time_to_ready() -> tuple[float, float]:
    """Seconds until both functions can be called: compiled from nothing, then loaded from the disk cache."""
    times = []
    with tempfile.TemporaryDirectory() as empty, mock.patch.dict(os.environ, KINETREE_CACHE_DIR=empty):
        for _ in range(2):
            fresh, began = build_arm(), time.perf_counter()
            fresh.precompile("inverse_dynamics", "forward_dynamics")
            times.append(time.perf_counter() - began)
    return times[0], times[1]


def round_trip(arm: kt.Robot, states: int) -> tuple[float, dict[str, float]]:
    """Accelerations to forces and back: the largest error, and the states per second of both."""
    q, qd, qdd = np.random.default_rng(0).uniform(-pi, pi, (3, states, arm.nv))
    tau = arm.inverse_dynamics(q, qd, qdd)
    error = np.abs(arm.forward_dynamics(q, qd, tau) - qdd).max() / np.abs(qdd).max()
    speeds, out, cores = {}, np.empty_like(tau), kt.threads()
    for threads in sorted({1, cores}):
        kt.threads(threads)
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        speeds[f"inverse dynamics, {label}"] = states / best(lambda: arm.inverse_dynamics(q, qd, qdd, out=out))
        speeds[f"forward dynamics, {label}"] = states / best(lambda: arm.forward_dynamics(q, qd, tau, out=out))
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


def plan_both_ways(arm: kt.Robot) -> list[kt.plan.Plan]:
    """The fastest motions between the two configurations under limits of the torques."""
    limits = {"force_limits": TORQUES, "control_points": 24}
    kt.plan.minimum_time(arm, q0=TABLE, q1=SHELF, **limits)  # compiles what is needed
    both = ((TABLE, SHELF), (SHELF, TABLE))
    return [kt.plan.minimum_time(arm, q0=start, q1=end, **limits) for start, end in both]


def violation(plan: kt.plan.Plan) -> float:
    """By how much torques exceed their limits at the most, relative to these."""
    t = np.linspace(0.0, plan.duration, 10_000)
    return max(0.0, np.abs(plan.forces(t) / TORQUES).max() - 1)


def quintic_time(arm: kt.Robot) -> float:
    """The shortest time of a polynomial of degree five under the same limits, to a millisecond."""
    for duration in np.arange(0.3, 5.0, 1e-3):
        motion = kt.control.Quintic(TABLE, SHELF, duration).sample(np.linspace(0.0, duration, 200))
        tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        if (np.abs(tau) <= TORQUES).all():
            return float(duration)
    return float("nan")


def simulate(arm: kt.Robot, there: kt.plan.Plan, back: kt.plan.Plan) -> dict[str, np.ndarray]:
    """An arm with a heavier tool under computed torque: there, a rest, back, a rest."""
    reference = there.reference().then(back.reference(), there.duration + REST)
    control = kt.control.Limited(kt.control.ComputedTorque(reference, **GAINS, model=arm), force=MOTORS)
    heavier, duration = build_arm(HEAVIER), reference.finish + REST
    run = kt.simulate(heavier, TABLE, np.zeros(arm.nv), duration, control, dt=5e-4).check()
    energy = heavier.kinetic_energy(run.q, run.qd) + heavier.potential_energy(run.q)
    power = ((run.tau - FRICTION * run.qd) * run.qd).sum(axis=-1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    error = reference.sample(run.t).q - run.q
    return {"t": run.t, "q": run.q, "tau": run.tau, "error": error, "energy": energy - energy[0], "work": work}


def make_report(arm: kt.Robot, facts: dict, counts: tuple, speeds: dict, plan: kt.plan.Plan, motion: dict) -> Report:
    """What was computed, as a page."""
    report = Report(
        "A robot arm and its fastest motion",
        "Described by a table of numbers; compiled, planned, simulated and drawn on this machine within seconds by "
        "Kinetree, robot dynamics for Python.",
    )
    report.add_facts(facts)
    caption = (
        "From a table to a shelf and back, as fast as the motors allow. The tool is half a kilogram heavier than "
        "planned, which the controller does not know. Joints have the colours of their curves."
    )
    report.add_animation(arm, motion["t"], motion["q"], caption=caption)
    report.add_code(LINES, heading="What to type")
    report.add_text("Simulated with a step of 0.5 ms; the lines follow the animation.", heading="The motion")

    def plot(title: str, series: dict, ylabel: str, **options) -> None:
        report.add_plot(title, motion["t"], series, xlabel="time [s]", ylabel=ylabel, follow=True, **options)

    def joints(values: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(arm.joint_names, values.T))

    plot("Joint angles", joints(motion["q"]), "angle [rad]")
    ones = np.ones(len(motion["t"]))
    bounds = {"upper limit": ones, "lower limit": -ones}
    plot("Motor torques", {**joints(motion["tau"] / MOTORS), **bounds}, "torque / limit", dashed=[*bounds])
    plot("Tracking error", joints(motion["error"]), "angle [rad]")
    balance = {"energy gained": motion["energy"], "work of motors and friction": motion["work"]}
    plot("Energy balance", balance, "energy [J]", dashed=["work of motors and friction"])
    text = (
        f"From the table to the shelf in {plan.duration:.3f} s: {plan.message}. That took {plan.iterations} iterations "
        "of an interior-point method with exact first and second derivatives. It may use three quarters of what the "
        "motors can give, and at most times several joints do. The rest is for the controller."
    )
    report.add_text(text, heading="The plan")
    t = np.linspace(0.0, plan.duration, 600)
    for what in ("force", "velocity"):
        report.add_curves(curves(plan, what, t))
    add_active(report, plan)
    report.add_text("The equations of motion were traced for the numbers below.", heading="The robot")
    report.add_robot(arm)
    text = "Operations with zeros and right angles are left out of the compiled code; a textbook counts them."
    report.add_text(text, heading="The compiled code")
    report.add_table(counts[0], counts[1], caption="Operations for one state of inverse dynamics")
    rows = [[name, f"{rate / 1e6:.1f}", f"{1e9 / rate:.0f}"] for name, rate in speeds.items()]
    report.add_table(["function", "million states/s", "ns/state"], rows, caption="Speed on this machine")
    report.add_text("Examples run from any folder, and say how long they take.", heading="What next")
    report.add_table(["run or type", "to see"], NEXT)
    return report


# -- terminal -------------------------------------------------------------------------------------


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What Kinetree does, in a few seconds.")
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
