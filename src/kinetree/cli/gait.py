"""``kinetree gait``: a step of walking, predicted from the body, the speed and the step length alone."""

from __future__ import annotations

import argparse
from typing import Any

from kinetree.cli import arguments, terminal
from kinetree.cli.numbers import plain, short
from kinetree.cli.table import Column, table
from kinetree.files import check_place

HELP = "a step of human walking, predicted"
DESCRIPTION = "Predict a step of walking: motion, ground forces, joint forces and moments of least effort."
EPILOG = "The exit status is 1 where no motion that satisfies all constraints was found; nothing is written."

VIOLATED = 1
OUTPUTS = ("save", "csv", "report")
LOADS = {"backpack": "on the back", "left hand": "in the left hand", "right hand": "in the right hand"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--speed", type=float, default=1.2, metavar="M/S", help="of walking (1.2)")
    parser.add_argument("--step", type=float, default=0.6, metavar="M", help="the length of a step (0.6)")
    parser.add_argument("--width", type=float, default=0.10, metavar="M", help="between the midlines of the feet (0.1)")
    parser.add_argument("--points", type=int, default=6, metavar="N", help="control points of a coordinate (6)")
    parser.add_argument(
        "--asymmetric", action="store_true", help="two different steps, for a walker whose sides differ"
    )
    body = parser.add_argument_group("who walks")
    body.add_argument("--mass", type=float, metavar="KG", help="of the body (as in the tables for the sex)")
    body.add_argument("--stature", type=float, metavar="M", help="the height of the body (likewise)")
    body.add_argument("--sex", choices=("male", "female"), default="male", help="whose proportions it has (male)")
    body.add_argument(
        "--active", type=int, choices=(36, 38), default=36, help="how many of the 55 coordinates move (36)"
    )
    for name, where in LOADS.items():
        option = f"--{name.replace(' ', '-')}"
        body.add_argument(option, type=float, default=0.0, metavar="KG", help=f"a load {where}")
    arguments.add_assignments(
        body, "--weaken", "JOINT=FACTOR", "knee=0.5", "scale the strength of joints by a part of their names: knee=0.5"
    )
    parser.add_argument("--time-limit", type=float, default=240.0, metavar="S", help="of the solver (240)")
    results = parser.add_argument_group("results")
    results.add_argument("--norms", metavar="NORMS.csv", help="normative curves: percent, NAME mean, NAME sd")
    results.add_argument("--report", metavar="REPORT.html", help="a page with an animated walker and all curves")
    results.add_argument("--save", metavar="GAIT.json", help="the gait, for Gait.load")
    results.add_argument("--csv", metavar="CURVES.csv", help="the curves of a stride")
    terminal.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Predict, write, print; 1 where constraints are violated."""
    from kinetree import gait  # loaded when it is wanted

    norms = gait.Norms.of(args.norms)  # before the search, in case it can't be read
    for output in OUTPUTS:
        if (path := getattr(args, output)) is not None:
            check_place(path)
    loads = {name: mass for name in LOADS if (mass := getattr(args, name.replace(" ", "_")))}
    body = {name: x for name in ("stature", "mass", "sex", "active") if (x := getattr(args, name)) is not None}
    walker = gait.Walker(**body, strength=dict(args.weaken), loads=loads)
    if not args.asymmetric and _uneven(walker):
        terminal.remark(["the sides of the walker differ, so the second step is no mirror image; give --asymmetric"])
    options = {"width": args.width, "control_points": args.points, "symmetric": not args.asymmetric}
    options |= {"time_limit": args.time_limit}
    found = gait.predict(args.speed, args.step, walker, **options)
    outputs = _written(found, norms, args) if found.ok else {}
    terminal.show(facts(found, norms, outputs), text, args.json)
    return 0 if found.ok else VIOLATED


def _uneven(walker: Any) -> bool:
    """Whether left and right differ in load or strength."""
    hands = [walker.loads.get(f"{side} hand", 0.0) for side in ("left", "right")]
    return hands[0] != hands[1] or any(part[:2] in ("L_", "R_") for part in walker.strength)


def _written(found: Any, norms: Any, args: argparse.Namespace) -> dict[str, str]:
    """The files that were asked for, by what they are."""
    writers = {"save": found.save, "csv": found.to_csv, "report": lambda path: found.report(path, norms=norms)}
    return {name: str(writers[name](path)) for name in OUTPUTS if (path := getattr(args, name)) is not None}


def facts(found: Any, norms: Any, outputs: dict[str, str]) -> dict[str, Any]:
    """The results, for JSON."""
    step, walker = found.step, found.step.walker
    measured = found.realism(norms).measures if found.ok else ()
    return {
        "status": found.status.name.lower(),
        **{name: getattr(found, name) for name in ("ok", "message", "worst", "iterations", "seconds", "counts")},
        "speed": step.speed,
        "step": step.length,
        "width": step.width,
        "symmetric": not hasattr(found, "side"),
        **{name: getattr(walker, name) for name in ("mass", "stature", "sex", "loads", "strength")},
        "effort": plain(found.effort),
        "violation": plain(found.violation),
        "realism": [
            {"name": x.name, "value": plain(x.value), "here": x.text, "goal": x.goal, "met": x.met} for x in measured
        ],
        "outputs": outputs,
    }


def text(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The results as text."""
    carried = "".join(f", {name} {mass:g} kg" for name, mass in found["loads"].items())
    strength = "".join(f", {name} at {factor:.0%}" for name, factor in found["strength"].items())
    counts = dict(found["counts"])
    also = "" if found["symmetric"] else ", two steps that may differ; below is the left leg"
    variables = f"{counts.pop('variables')}, of which {counts.pop('free variables')} are free"
    counts.pop("constraints", None)
    rows = {
        "status": found["message"],
        "walker": f"{found['sex']}, {found['mass']:g} kg, {found['stature']:g} m{carried}{strength}",
        "step": f"{found['step']:g} m at {found['speed']:g} m/s, {found['width']:g} m wide{also}",
        "effort": short(found["effort"]),
        "worst": f"{short(found['violation']) or 'NaN'} of its scale: {found['worst'] or 'no constraint'}",
        "search": f"{found['iterations']} iterations, {found['seconds']:.1f} s",
        "variables": variables,
        **found["outputs"],
    }
    lines = terminal.summary("A step of walking", rows)
    families = [Column("constraints", [*counts]), Column("count", [str(n) for n in counts.values()], right=True)]
    lines += ["", *table(families, width=width, marks=marks)]
    if measured := found["realism"]:
        keys = {"measure": "name", "here": "here", "goal": "goal"}
        cells = [Column(title, [x[key] for x in measured]) for title, key in keys.items()]
        cells.append(Column("met", ["yes" if x["met"] else "no" for x in measured]))
        lines += ["", *table(cells, width=width, marks=marks)]
    return "\n".join(lines)
