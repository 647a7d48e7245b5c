"""``kinetree gait``: a step of walking, predicted from the body, the speed and the step length alone."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinetree.cli import arguments, terminal
from kinetree.cli.numbers import plain, short
from kinetree.cli.table import Column, table
from kinetree.errors import InputError
from kinetree.files import check_ending, check_place
from kinetree.status import StatusLine

DESCRIPTION = "Predict a step of walking: motion, ground forces, joint forces and moments of least effort."
EPILOG = (
    "The exit status is 1 where no motion that satisfies all constraints was found, and 130 after Ctrl-C. The best "
    "motion so far is written all the same, and says what it is."
)

VIOLATED = 1
# what can be written: the file, and what it is
OUTPUTS = {
    "report": ("REPORT.html", "a page with an animated walker and all curves"),
    "save": ("GAIT.json", "the gait, for Gait.load"),
    "csv": ("CURVES.csv", "the curves of a stride"),
    "mot": ("MOTION.mot", "the coordinates of a stride, for OpenSim (or .sto)"),
    "grf": ("FORCES.mot", "the ground forces of a stride, for OpenSim (or .sto)"),
    "trc": ("MARKERS.trc", "the markers of a stride, for OpenSim"),
}
_STEP = {"speed": "speed", "step": "length", "width": "width", "points": "control_points",
         "formulation": "formulation", "time_limit": "time_limit"}  # fmt: skip
LOADS = {"backpack": "on the back", "left hand": "in the left hand", "right hand": "in the right hand"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--speed", type=float, metavar="M/S", help="of walking (1.2)")
    parser.add_argument("--step", type=float, metavar="M", help="the length of a step (as usual at the speed)")
    parser.add_argument("--width", type=float, metavar="M", help="between the midlines of the feet (as usual)")
    parser.add_argument("--points", type=int, metavar="N", help="control points of a coordinate (15)")
    parser.add_argument(
        "--formulation", choices=("natural", "thesis"), help="what a walk costs and what limits it (natural)"
    )
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
    parser.add_argument("--time-limit", type=float, metavar="S", help="of the solver (240)")
    results = parser.add_argument_group("results")
    results.add_argument("--norms", metavar="NORMS.csv", help="normative curves: percent, NAME mean, NAME sd")
    for name, (file, what) in OUTPUTS.items():
        results.add_argument(f"--{name}", metavar=file, help=what)
    terminal.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Predict, write, print; 1 where constraints are violated, 130 where it was interrupted."""
    from kinetree import gait  # loaded when it is wanted
    from kinetree.nlp.interrupt import interruptions

    norms = gait.Norms.of(args.norms)  # before the search, in case it can't be read
    _check_outputs(args)
    walker = _walker(gait, args)
    if not args.asymmetric and _uneven(walker):
        terminal.remark(["the sides of the walker differ, so the second step is no mirror image; give --asymmetric"])
    given = {name: x for key, name in _STEP.items() if (x := getattr(args, key)) is not None}
    with interruptions() as interrupted, _Progress(interrupted) as progress:
        found = gait.predict(
            walker=walker, symmetric=not args.asymmetric, callback=progress.tell, progress=False, **given
        )
    stopped = "interrupted" if interrupted() else "time limit" if _stopped(found) else ""
    outputs = _written(found, norms, args)
    terminal.show(facts(found, norms, outputs) | {"stopped": stopped}, text, args.json)
    return terminal.STOPPED if interrupted() else 0 if found.ok else VIOLATED


class _Progress:
    """A line on the terminal while the search goes on: effort and worst violation."""

    def __init__(self, interrupted: Callable[[], bool]) -> None:
        self._line, self._interrupted, self._count, self._began = (
            StatusLine(None, 0.5),
            interrupted,
            0,
            time.perf_counter(),
        )

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__()

    def tell(self, _: int, effort: float, violation: float) -> bool:
        """Says whether to go on."""
        self._count += 1
        if self._line.is_due():
            seconds = time.perf_counter() - self._began
            worst = f"worst violation {violation:.1e} of its scale"
            self._line.write(f"{seconds:.0f} s, iteration {self._count}: effort {effort:.4g}, {worst} (Ctrl-C stops)")
        return not self._interrupted()


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse, before the search, files that can't be written, and one that two results would go to."""
    places: dict[Path, str] = {}
    for name in OUTPUTS:
        if (path := getattr(args, name)) is not None:
            place = check_place(path)
            if name in ("mot", "grf", "trc"):
                check_ending(path, (".trc",) if name == "trc" else (".mot", ".sto"))
            if place in places:
                raise InputError(f"--{places[place]} and --{name} would write the same file {path}; give two names")
            places[place] = name


def _walker(gait: Any, args: argparse.Namespace) -> Any:
    loads = {name: mass for name in LOADS if (mass := getattr(args, name.replace(" ", "_")))}
    body = {name: x for name in ("stature", "mass", "sex", "active") if (x := getattr(args, name)) is not None}
    return gait.Walker(**body, strength=dict(args.weaken), loads=loads)


def _stopped(found: Any) -> bool:
    """Whether the search was stopped before its end."""
    return found.plan.termination.name == "USER_STOP"


def _uneven(walker: Any) -> bool:
    """Whether left and right differ in load or strength."""
    hands = [walker.loads.get(f"{side} hand", 0.0) for side in ("left", "right")]
    return hands[0] != hands[1] or any(part[:2] in ("L_", "R_") for part in walker.strength)


def _written(found: Any, norms: Any, args: argparse.Namespace) -> dict[str, str]:
    """The files that were asked for, by what they are; none where the solver left no numbers."""
    writers = {
        "save": found.save,
        "csv": found.to_csv,
        "report": lambda path: found.report(path, norms=norms),
        "mot": found.to_mot,
        "grf": lambda path: found.to_mot(path, "ground_forces"),
        "trc": found.to_trc,
    }
    if found.status.name == "FAILED":
        return {}
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
            {"name": x.name, "value": plain(x.value), "here": x.text, "goal": x.goal, "met": x.met, "source": x.source}
            for x in measured
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
    why = {"interrupted": "by Ctrl-C", "time limit": "at the time limit"}.get(found["stopped"], "")
    so_far = {"stopped": f"{why}; this is the best motion so far"} if why else {}
    rows = {
        "status": found["message"],
        **so_far,
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
