"""``python -m benchmarks [section ...]``: all sections by default; an unknown one lists them."""

from __future__ import annotations

import platform
import sys

import numpy as np

import kinetree as kt
from benchmarks import (
    calls,
    derivatives,
    export,
    gait,
    identification,
    planning,
    rbd,
    simulation,
    startup,
    structures,
    throughput,
)
from kinetree.runtime import native

SECTIONS = {
    "throughput": throughput.run,
    "rbd": rbd.run,
    "calls": calls.run,
    "derivatives": derivatives.run,
    "structures": structures.run,
    "simulation": simulation.run,
    "planning": planning.run,
    "gait": gait.run,
    "identification": identification.run,
    "export": export.run,
    "startup": startup.run,
    "operations": startup.operations,
}


def main() -> int:
    chosen = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        print(f"there is no section {unknown[0]!r}; choose from {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    version, _, cpu, _ = native.target()
    print(
        f"Kinetree {kt.__version__}, NumPy {np.__version__}, LLVM {version}, {platform.system()} {platform.machine()}, "
        f"{cpu}, vectors of {8 * native.vector_bytes()} bits"
    )
    for name in chosen:
        SECTIONS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
