"""``kinetree identify ROBOT DATA.csv``: the parameters of a robot from measured motions and forces."""

from __future__ import annotations

import argparse
import math
import textwrap
from pathlib import Path
from typing import Any

from kinetree.cli import arguments, source, terminal
from kinetree.cli.convert import WRITERS, robot_file
from kinetree.cli.numbers import plain, short
from kinetree.cli.table import Column, table
from kinetree.files import check_place, write
from kinetree.parameter import bound

DESCRIPTION = (
    "Fit inertias, friction and rotor inertias to measured motions and forces, or find an exciting "
    "trajectory to measure."
)
EPILOG = (
    "A data file has a header with t, q.JOINT and tau.JOINT of each joint, in s, rad or m, and N m or N. "
    "The exit status is 1 where the data does not identify all parameters, or no trajectory satisfies the limits."
)

NOT_IDENTIFIABLE = 1
OF_DATA = ("validate", "payload", "report", "save")  # options that need measurements
METHODS = ("ls", "wls", "irls")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("robot", metavar="ROBOT", help=source.FILE)
    parser.add_argument("data", metavar="DATA.csv", nargs="*", help="measurements; several files are fitted together")
    parser.add_argument("--validate", metavar="OTHER.csv", help="measurements of another motion, to validate the fit")
    parser.add_argument("--payload", metavar="LOADED.csv", help="measurements with a load: its mass and centre of mass")
    parser.add_argument("--body", metavar="NAME", help="the body that carries the load (the last one)")
    parser.add_argument("--include", type=arguments.names, default=("inertia", "friction", "rotor"), metavar="NAME,...",
                        help="of inertia, friction, rotor, stiffness (the first three)")  # fmt: skip
    parser.add_argument(
        "--method", choices=METHODS, default="irls", help="of least squares (irls: iteratively reweighted)"
    )
    parser.add_argument("--physical", action="store_true", help="physically consistent inertial parameters only")
    parser.add_argument("--cutoff", type=float, metavar="HZ", help="cutoff of the position filter (from the data)")
    parser.add_argument("--fill", action="store_true", help="interpolate missing samples linearly")
    arguments.add_assignments(parser, "--set", "NAME=NUMBER", "length=1.5", "the value of a named parameter")
    parser.add_argument("--report", metavar="REPORT.html", help="a page with plots and all parameters")
    parser.add_argument("--save", metavar="ROBOT.json", help="the robot with the identified parameters (.json, .urdf)")
    parser.add_argument("--force", action="store_true", help="replace a robot file that exists")
    terminal.add_json(parser)
    exciting = parser.add_argument_group("an exciting trajectory, instead of data")
    exciting.add_argument("--excite", metavar="OUT.csv", help="write the most informative trajectory")
    exciting.add_argument("--duration", type=float, default=10.0, metavar="S", help="of one period (10)")
    exciting.add_argument("--harmonics", type=int, default=5, metavar="N", help="of the Fourier series (5)")
    exciting.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="sampling rate of the table (100)")
    exciting.add_argument("--seed", type=int, default=0, help="of the random starts (0)")
    for name in ("velocity", "acceleration", "force"):
        exciting.add_argument(f"--{name}-limits", type=arguments.numbers, metavar="X,...",
                              help=f"the largest {name}, one number or one for each joint")  # fmt: skip
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Fit, or find an exciting trajectory; write, print."""
    if (args.excite is None) == (not args.data):
        args.refuse("give the measurements DATA.csv to fit to, or --excite OUT.csv for a trajectory to measure")
    if args.body is not None and args.payload is None:
        args.refuse("--body is the body that carries a load; give --payload LOADED.csv too, measurements with the load")
    unused = [f"--{name}" for name in OF_DATA if args.excite is not None and getattr(args, name) is not None]
    if unused:
        args.refuse(f"{', '.join(unused)}: for measurements DATA.csv, which --excite has none of")
    target = None if args.save is None else _target(args.save, args.force, args.refuse)
    for path in (args.report, args.excite):
        if path is not None:
            check_place(path)
    read = source.read(args.robot, args.base, args.strict)
    terminal.remark(read.notes)
    robot = _with_values(read.robot, dict(args.set))
    return _identify(args, robot, target) if args.excite is None else _excite(args, robot)


def _with_values(robot: Any, values: dict[str, float]) -> Any:
    """The robot with numbers for some of its named parameters, its loops closed."""
    from kinetree.closed import ClosedChain  # loaded when it is wanted
    from kinetree.identify.standard import check_values

    check_values(robot, values)
    robot = bound(robot, {**robot.parameters, **values}) if values else robot
    return ClosedChain(robot) if robot.loops or robot.couplings else robot


# -- from measurements -------------------------------------------------------------------------------------------------


def _identify(args: argparse.Namespace, robot: Any, target: Path | None) -> int:
    from kinetree import identify  # loaded when it is wanted
    from kinetree.identify.chains import tree_of

    def samples(path: str) -> Any:
        return identify.prepare(robot, identify.Data.from_csv(path, robot, fill=args.fill), args.cutoff)

    given = [samples(path) for path in args.data]
    fresh, loaded = (None if path is None else samples(path) for path in (args.validate, args.payload))
    found = identify.fit(robot, given, args.include, args.method, physical=args.physical)
    other = None if fresh is None else found.validate(fresh)
    load = None if loaded is None else identify.payload(robot, loaded, args.body, found, args.method)
    outputs: dict[str, str] = {}
    if args.report is not None:
        outputs["report"] = str(found.report(args.report, other))
    if target is not None:
        fitted = tree_of(found.robot)
        outputs["robot"] = str(write(target, WRITERS[_form(target)](fitted).encode("utf-8")))
        if not args.physical and fitted.check():
            terminal.remark(["some of the saved inertias are physically impossible; give --physical to avoid that"])
    terminal.remark(found.warnings)
    terminal.show(facts(found, other, load, outputs), text, args.json)
    return NOT_IDENTIFIABLE if found.unidentifiable else 0


def facts(found: Any, other: Any, load: Any, outputs: dict[str, str]) -> dict[str, Any]:
    """The results, for JSON."""
    keys = ("value", "std", "relative_std", "lower", "upper", "model")
    return {
        "robot": found.linear.base.tree.name,
        "samples": len(found.residuals),
        **{name: getattr(found, name) for name in ("confidence", "dropped", "unidentifiable", "warnings")},
        "condition": plain(found.condition),
        "parameters": [
            {"name": p.name, **{k: plain(getattr(p, k)) for k in keys}, "relation": p.relation}
            for p in found.parameters
        ],
        "residuals": _residuals(found.validation),
        "validation": None if other is None else _residuals(other),
        "payload": None if load is None else _payload(load),
        "outputs": outputs,
    }


def _residuals(validation: Any) -> dict[str, Any]:
    rows = zip(validation.joints, validation.absolute.tolist(), validation.rms.tolist())
    joints = [{"name": name, "absolute": a, "relative": r} for name, a, r in rows]
    return {"relative": validation.total, "joints": joints}


def _payload(load: Any) -> dict[str, Any]:
    arrays = {k: None if (x := getattr(load, k)) is None else x.tolist() for k in ("com", "com_std", "about_com")}
    return {"body": load.body, "mass": load.mass, "mass_std": load.mass_std, **arrays}


def text(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The results as text."""
    rows = {
        "fitted": f"{len(found['parameters'])} parameters to {found['samples']} samples",
        "condition": short(found["condition"]) or "infinite",
        "residuals": f"{_percent(found['residuals']['relative'])} of the forces",
    }
    if found["validation"] is not None:
        rows["validated"] = f"{_percent(found['validation']['relative'])} of the forces of another motion"
    if (load := found["payload"]) is not None:
        com = ", ".join(f"{x:.4f}" for x in load["com"])
        mass = f"{load['mass']:.4g} kg, standard deviation {load['mass_std']:.2g} kg"
        rows["load"] = f"{mass}, centre of mass ({com}) m on {load['body']}"
    lines = terminal.summary(found["robot"], {**rows, **found["outputs"]})
    fitted = found["parameters"]

    def numbers(*keys: str) -> list[Column]:
        return [Column(key, [short(p[key]) for p in fitted], right=True) for key in keys]

    names = Column("parameter", [p["name"] for p in fitted])
    relative = Column("std [%]", [_parts(p["relative_std"]) for p in fitted], right=True)
    cells = [names, *numbers("value", "std"), relative, *numbers("lower", "upper", "model")]
    heading = f"Parameters, intervals of {100 * found['confidence']:g} %"
    lines += ["", heading, *table(cells, width=width, marks=marks), *_joints(found, width, marks)]
    for heading, listing in (("Dropped", [*found["dropped"]]), ("Not identifiable", found["unidentifiable"])):
        if listing:
            listed = terminal.printable(", ".join(listing))
            lines += ["", heading, *textwrap.wrap(listed, width - 2, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join(lines)


def _joints(found: dict[str, Any], width: int, marks: terminal.Marks) -> list[str]:
    """Residuals of each joint."""
    own, other = found["residuals"]["joints"], (found["validation"] or {"joints": []})["joints"]
    cells = [
        Column("joint", [x["name"] for x in own]),
        Column("residual [N m, N]", [short(x["absolute"]) for x in own], right=True),
        Column("of the force", [_percent(x["relative"]) for x in own], right=True),
        Column("another motion", [_percent(x["relative"]) for x in other] or [""] * len(own), right=True),
    ]
    return ["", "Residuals", *table(cells, width=width, marks=marks)]


# -- an exciting trajectory --------------------------------------------------------------------------------------------


def _excite(args: argparse.Namespace, robot: Any) -> int:
    from kinetree import identify

    names = ("velocity_limits", "acceleration_limits", "force_limits")
    limits = {name: value for name in names if (value := getattr(args, name)) is not None}
    found = identify.excite(robot, args.duration, args.harmonics, include=args.include, seed=args.seed, **limits)
    outputs = {"motion": str(found.to_csv(args.excite, args.rate))} if found.ok else {}
    results = {
        "robot": found.base.tree.name,
        "status": found.status.name.lower(),
        **{name: getattr(found, name) for name in ("ok", "message", "duration", "iterations", "seconds")},
        "harmonics": found.basis.harmonics,
        "parameters": len(found.base),
        "condition": plain(found.condition),
        "violation": plain(found.violation),
        "outputs": outputs,
    }
    terminal.show(results, excitation_text, args.json)
    return 0 if found.ok else NOT_IDENTIFIABLE


def excitation_text(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """An exciting trajectory as text."""
    rows = {
        "status": found["message"],
        "motion": f"{found['duration']:g} s, {found['harmonics']} harmonics",
        "condition": f"{short(found['condition'])} for {found['parameters']} base parameters",
        "search": f"{found['iterations']} iterations, {found['seconds']:.1f} s",
    }
    if written := found["outputs"]:
        rows["written"] = written["motion"]
    return "\n".join(terminal.summary(found["robot"], rows))


# -- options -----------------------------------------------------------------------------------------------------------


def _target(name: str, force: bool, refuse: Any) -> Path:
    if _form(Path(name)) not in WRITERS:
        refuse(f"--save is {name!r}: end it in {' or '.join(f'.{form}' for form in WRITERS)}")
    return robot_file(name, force)


def _form(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %" if math.isfinite(part) else "-"


def _parts(relative: float | None) -> str:
    return "-" if relative is None or relative > 10 else f"{100 * relative:.2g}"
