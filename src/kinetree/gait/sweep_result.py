"""`Sweep`: gaits at several speeds, as a table, plots over the speed, a page and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import check_names
from kinetree.files import Name, write_csv
from kinetree.gait import files
from kinetree.gait.gait import Gait
from kinetree.plan.files import JsonFormat
from kinetree.view import Curves, Picture, Report
from kinetree.view.curves import stacked

FORMAT = JsonFormat("Sweep.save", "kinetree gait sweep", 1, 2**28)
COLUMNS = ("speed [m/s]", "step [m]", "duration [s]", "effort", "vertical force [BW]", "knee [deg]",
           "cost of transport [J/kg/m]", "message")  # fmt: skip
# what can be plotted over the speed, by the columns
_TITLES = {
    "step": "Step length",
    "duration": "Duration of a step",
    "effort": "Dynamic effort",
    "vertical force": "Largest vertical ground force",
    "knee": "Largest knee flexion",
    "cost of transport": "Cost of transport, estimated",
}


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Sequence[Gait]):
    """Gaits at several speeds; print it for a table of effort, duration and peaks."""

    gaits: tuple[Gait, ...]

    def __getitem__(self, k: Any) -> Any:
        return self.gaits[k]

    def __len__(self) -> int:
        return len(self.gaits)

    @property
    def ok(self) -> bool:
        """Whether all constraints of all gaits are satisfied."""
        return all(gait.ok for gait in self.gaits)

    def rows(self) -> list[tuple[float, float, float, float, float, float, float, str]]:
        """For each gait: speed [m/s], step length [m] and duration [s], effort, the largest vertical force on a foot
        [body weights], the largest knee flexion [deg], the cost of transport [J/kg/m], and how the prediction ended."""
        found = []
        for gait in self.gaits:
            step, force, knee = gait.step, gait.ground_forces()["vertical"], gait.angles()["knee"]
            numbers = gait.effort, float(force.max()), float(knee.max()), gait.cost_of_transport
            found.append((step.speed, step.length, step.length / step.speed, *numbers, gait.message))
        return found

    def __repr__(self) -> str:
        speeds = ", ".join(f"{gait.step.speed:g}" for gait in self.gaits)
        satisfied = sum(gait.ok for gait in self.gaits)
        return f"Sweep of gaits at {speeds} m/s: {satisfied} of {len(self)} satisfy all constraints"

    def __str__(self) -> str:
        head = "  ".join(f"{name:>{max(8, len(name))}}" for name in COLUMNS[:-1])
        lines = [f"{head}  {COLUMNS[-1]}"]
        for *numbers, message in self.rows():
            cells = (f"{x:>{max(8, len(name))}.3f}" for x, name in zip(numbers, COLUMNS))
            lines.append(f"{'  '.join(cells)}  {message}")
        return "\n".join(lines)

    # -- pictures and files --------------------------------------------------------------------------------------------

    def _plots(self, names: Sequence[str]) -> list[Curves]:
        check_names("column of a sweep", names, _TITLES)
        rows = sorted(self.rows())
        columns = {label.partition(" [")[0]: (label, [row[k] for row in rows]) for k, label in enumerate(COLUMNS)}
        speed, x = columns["speed"]
        shown = [(name, *columns[name]) for name in names or _TITLES]
        return [Curves(_TITLES[name], x, {name: y}, xlabel=speed, ylabel=label) for name, label, y in shown]

    def plot(self, *names: str, title: str = "") -> Picture:
        """Columns of the table over the speed, as a picture that notebooks show and ``.save("sweep.svg")`` writes.

        Args:
            names: "step", "duration", "effort", "vertical force", "knee", "cost of transport"; all by default.
            title: of the picture.
        """
        return stacked(title or "Gaits at several speeds", self._plots(names))

    def report(self, path: Name) -> Path:
        """Write a self-contained HTML page with the table and its plots; gives the absolute path."""
        page = Report("Predicted gaits", repr(self))
        page.add_table(COLUMNS, [[*(f"{x:.4g}" for x in numbers), message] for *numbers, message in self.rows()])
        for curves in self._plots(()):
            page.add_curves(curves)
        return page.write(path)

    def to_csv(self, path: Name) -> Path:
        """Write the table, a row for each gait; gives the absolute path."""
        return write_csv(path, {name: np.array(column) for name, column in zip(COLUMNS, zip(*self.rows()))})

    def save(self, path: Name) -> Path:
        """Write all gaits to a JSON file, the whole of it or nothing, with all digits; gives the absolute path."""
        return FORMAT.write(path, {"gaits": [files.to_json(gait) for gait in self.gaits]})

    @staticmethod
    def load(path: Name) -> Sweep:
        """The gaits of a file that `save` wrote; nothing in the file is run."""
        return FORMAT.read(path, lambda content: Sweep(tuple(files.from_json(gait) for gait in content["gaits"])))
