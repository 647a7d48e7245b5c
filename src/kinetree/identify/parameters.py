"""The table of identified parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinetree.errors import check_name, printable
from kinetree.files import Name, write_csv
from kinetree.identify.linear import Linear
from kinetree.runtime.arrays import Array


class Parameter(NamedTuple):
    """One identified parameter: see `Parameters`."""

    name: str
    value: float
    std: float
    relative_std: float
    lower: float
    upper: float
    model: float
    relation: str


@dataclass(frozen=True, repr=False)
class Parameters:
    """Identified parameters, in the units of their standard parameters; a loop gives them one by one.

    Args:
        names: of base parameters, such as "link2.ZZR" and "joint1.FV".
        values: what the fit gives (k,).
        std: standard deviations (k,).
        lower, upper: the ends of the intervals (k,).
        model: what the model has (k,).
        relations: what each stands for, in the standard parameters.
    """

    names: tuple[str, ...]
    values: Array
    std: Array
    lower: Array
    upper: Array
    model: Array
    relations: tuple[str, ...]

    @property
    def relative_std(self) -> Array:
        """Standard deviations over the sizes of the values (k,); infinite for a value of zero."""
        sizes = np.abs(self.values)
        return np.divide(self.std, sizes, out=np.full(len(sizes), np.inf), where=sizes > 0)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Parameter]:
        columns = (self.values, self.std, self.relative_std, self.lower, self.upper, self.model)
        return (Parameter(*row) for row in zip(self.names, *(x.tolist() for x in columns), self.relations))

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of this name."""
        check_name("identified parameter", name, self.names)
        return list(self)[self.names.index(name)]

    def to_csv(self, path: Name) -> Path:
        """Write a table with a row for each parameter; gives the absolute path."""
        return write_csv(path, {name: np.array(x) for name, x in zip(Parameter._fields, zip(*self))})

    def __repr__(self) -> str:
        return f"Parameters: {printable(', '.join(self.names[:3]))}{', ...' * (len(self) > 3)}, {len(self)} in all"

    def __str__(self) -> str:
        width = max(map(len, (*self.names, "parameter")))
        head = (
            f"{'parameter':<{width}}  {'value':>11}  {'std':>9}  {'%':>6}  {'lower':>11}  {'upper':>11}  {'model':>11}"
        )
        rows = [
            f"{p.name:<{width}}  {p.value:>11.5g}  {p.std:>9.2g}  {_percent(p.relative_std):>6}  {p.lower:>11.5g}  "
            f"{p.upper:>11.5g}  {p.model:>11.5g}"
            for p in self
        ]
        return "\n".join(map(printable, [head, *rows]))


def _percent(relative: float) -> str:
    return f"{100 * relative:.2g}" if relative < 1 else ">100"


def table(linear: Linear, columns: list[int], values: Array, std: Array, width: float) -> Parameters:
    """The parameters of these columns; intervals reach ``width`` standard deviations to both sides."""
    relations, own = [*linear.base.relations.items()], values[columns]
    names, meanings = zip(*(relations[c] for c in columns))
    return Parameters(names, own, std, own - width * std, own + width * std, linear.nominal[columns], meanings)
