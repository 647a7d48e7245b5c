"""``kinetree plan FILE.toml``: the optimal motion for a task, simulated under computed torque, with a report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from kinetree.cli import terminal
from kinetree.cli.numbers import plain, short
from kinetree.cli.table import Column, table
from kinetree.files import check_place

DESCRIPTION = "Plan a motion: read a task in TOML, find the optimal motion, simulate it under computed torque."
EPILOG = "The exit status is 1 where no motion was found that satisfies all limits; nothing is written then."

VIOLATED = 1
_ACTIVE = ("name", "side", "bound", "intervals", "share")  # of an active limit, what is shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help="a task file (.toml)")
    parser.add_argument("--plan", metavar="PLAN.json", help="where to save the plan (as the task says)")
    parser.add_argument("--report", metavar="REPORT.html", help="where to write the report (as the task says)")
    terminal.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, simulate, write, print; 1 where limits are violated."""
    from kinetree.cli.task import read  # planning is loaded when it is wanted

    task = read(args.file)
    terminal.remark(task.notes)
    wanted = {**task.outputs, **{k: p for k in ("plan", "report") if (p := getattr(args, k)) is not None}}
    outputs = {name: check_place(path) for name, path in wanted.items()}  # before the search
    plan = task.problem.solve()
    motion = plan.simulate(**task.gains).check() if plan.ok and task.gains is not None else None
    outputs = outputs if plan.ok else {}
    if "plan" in outputs:
        plan.save(outputs["plan"])
    if "report" in outputs:
        plan.report(outputs["report"], motion)
    terminal.show(facts(plan, motion, outputs), text, args.json)
    return 0 if plan.ok else VIOLATED


def facts(plan: Any, motion: Any, outputs: dict[str, Path]) -> dict[str, Any]:
    """The results, for JSON."""
    from kinetree.plan.report import errors

    return {
        "robot": plan.robot.name,
        "status": plan.status.name.lower(),
        **{name: getattr(plan, name) for name in ("ok", "message", "duration", "cost", "iterations", "seconds")},
        "violation": plain(plan.violation),
        "active": [{name: getattr(x, name) for name in _ACTIVE} for x in plan.active()],
        "tracking_error": None if motion is None else float(abs(errors(plan, motion)).max()),
        "outputs": {key: str(path) for key, path in outputs.items()},
    }


def text(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The results as text."""
    rows = {"status": found["message"], "duration": f"{found['duration']:.6g} s", "cost": f"{found['cost']:.6g}"}
    violation = found["violation"]
    rows["violation"] = "none" if violation == 0 else f"at most {short(violation) or 'NaN'} of a limit"
    rows["search"] = f"{found['iterations']} iterations, {found['seconds']:.3f} s"
    if found["tracking_error"] is not None:
        rows["simulated"] = f"under computed torque, largest error {short(found['tracking_error'])}"
    rows.update(found["outputs"])
    lines = terminal.summary(found["robot"], rows)
    if active := found["active"]:
        cells = [
            Column("limit", [x["name"] for x in active]),
            Column("side", [x["side"] for x in active]),
            Column("value", [short(x["bound"]) for x in active], right=True),
            Column("of the time", [f"{x['share']:.0%}" for x in active], right=True),
        ]
        lines += ["", "Active limits", *table(cells, width=width, marks=marks)]
    return "\n".join(lines)
