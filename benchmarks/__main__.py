"""``python -m benchmarks``: all sections, written to docs/benchmarks.md one by one.

``python -m benchmarks SECTION ...`` prints these only; with ``--write`` they take their places on the page too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks import (
    calls,
    derivatives,
    export,
    gait,
    identification,
    inverse_kinematics,
    machine,
    obstacles,
    page,
    planning,
    rbd,
    replanning,
    simulation,
    startup,
    structures,
    sweep,
    table,
    throughput,
)

SECTIONS = {
    "throughput": throughput.run,
    "rbd": rbd.run,
    "calls": calls.run,
    "derivatives": derivatives.run,
    "structures": structures.run,
    "inverse_kinematics": inverse_kinematics.run,
    "simulation": simulation.run,
    "planning": planning.run,
    "obstacles": obstacles.run,
    "replanning": replanning.run,
    "sweep": sweep.run,
    "gait": gait.run,
    "identification": identification.run,
    "export": export.run,
    "startup": startup.run,
    "operations": startup.operations,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--write", action="store_true", help="write the sections to docs/benchmarks.md")
    given = parser.parse_args(arguments)
    for name in given.sections:
        if name not in SECTIONS:
            parser.error(f"there is no section {name!r}; choose from {', '.join(SECTIONS)}")
    write = given.write or not given.sections
    print(machine.line())
    if write:
        page.write("machine", [machine.line()])
    for name in given.sections or SECTIONS:
        table.shown.clear()
        SECTIONS[name]()
        if write:
            page.write(name, table.shown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
