"""``kinetree plan FILE.toml``: the best motion for a task, simulated under computed torque, with a report."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from kinetree.cli import terminal
from kinetree.cli.numbers import short
from kinetree.cli.table import Column, table
from kinetree.files import check_place

NOT_KEPT = 1


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "plan",
        help="the best motion for a task",
        description="Plan a motion: read a task in TOML, find the best motion, simulate it under computed torque.",
        epilog="The exit status is 1 where no motion was found that keeps all limits; nothing is written then.",
    )
    parser.add_argument("file", metavar="FILE", help="a task file (.toml)")
    parser.add_argument("--plan", metavar="PLAN.json", help="where the plan goes; as the task says by default")
    parser.add_argument("--report", metavar="REPORT.html", help="where the report goes; as the task says by default")
    parser.add_argument("--json", action="store_true", help="everything as one JSON object, with all digits")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plan, simulate, write, print; 1 where limits are broken."""
    from kinetree.cli.task import read  # planning is loaded when it is wanted

    task = read(args.file)
    terminal.remark(task.notes)
    wanted = {**task.outputs, **{k: p for k in ("plan", "report") if (p := getattr(args, k)) is not None}}
    places = {name: check_place(path) for name, path in wanted.items()}  # before the search
    plan = task.problem.solve()
    motion, outputs = None, {}
    if plan.ok:
        motion = None if task.gains is None else plan.simulate(**task.gains).check()
        outputs = places
        if "plan" in outputs:
            outputs["plan"] = plan.save(outputs["plan"])
        if "report" in outputs:
            outputs["report"] = plan.report(outputs["report"], motion)
    found = facts(plan, motion, outputs)
    if args.json:
        terminal.say(json.dumps(found, allow_nan=False))
    else:
        terminal.say(text(found, terminal.width(), terminal.marks(sys.stdout)))
    return 0 if plan.ok else NOT_KEPT


def facts(plan: Any, motion: Any, outputs: dict[str, Path]) -> dict[str, Any]:
    """What was found, for JSON."""
    from kinetree import __version__
    from kinetree.plan.report import errors

    return {
        "kinetree": __version__,
        "robot": plan.robot.name,
        "ok": plan.ok,
        "status": plan.status.name.lower(),
        "sentence": plan.sentence,
        "duration": plan.duration,
        "cost": plan.cost,
        "violation": plan.violation if math.isfinite(plan.violation) else None,
        "iterations": plan.iterations,
        "seconds": plan.seconds,
        "active": [
            {"name": x.name, "side": x.side, "bound": x.bound, "intervals": x.intervals, "share": x.share}
            for x in plan.active()
        ],
        "tracking_error": None if motion is None else float(abs(errors(plan, motion)).max()),
        "outputs": {key: str(path) for key, path in outputs.items()},
    }


def text(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The same for people."""
    rows = {"status": found["sentence"], "duration": f"{found['duration']:.6g} s", "cost": f"{found['cost']:.6g}"}
    violation = found["violation"]
    rows["violation"] = "none" if violation == 0 else f"{short(violation) or 'not a number'} of a limit, at the most"
    rows["search"] = f"{found['iterations']} iterations, {found['seconds']:.3f} s"
    if found["tracking_error"] is not None:
        rows["simulated"] = f"under computed torque, largest error {short(found['tracking_error'])}"
    rows.update(found["outputs"])
    lines = [terminal.printable(found["robot"])]
    for name, value in rows.items():
        lines.append(f"  {name:<9}  {terminal.printable(value)}")
    if found["active"]:
        active = found["active"]
        cells = [
            Column("limit", [x["name"] for x in active]),
            Column("side", [x["side"] for x in active]),
            Column("value", [short(x["bound"]) for x in active], right=True),
            Column("of the time", [f"{x['share']:.0%}" for x in active], right=True),
        ]
        lines += ["", "Active limits", *table(cells, width=width, marks=marks)]
    return "\n".join(lines)
