"""What every result of this package offers: a motion, a plan, a gait, an excitation, a fit.

Wherever a result comes from, it is written, read, drawn and printed in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from kinetree.files import Name
from kinetree.view.picture import Picture


@runtime_checkable
class Result(Protocol):
    """A result. Paths are those of plain files: missing folders are made, and a file is written whole or not at all."""

    def to_csv(self, path: Name, /) -> Path:
        """Write a table: a header, then a row for each time, which is the first column; all digits."""
        ...

    def save(self, path: Name, /) -> Path:
        """Write a file that loses nothing of the result."""
        ...

    @staticmethod
    def load(path: Name, /) -> Any:
        """The result of a file that `save` wrote. Files are not trusted: nothing in them is executed."""
        ...

    def plot(self, *names: Any, title: str = "") -> Picture:
        """Curves by the names of quantities; the most telling ones by default."""
        ...

    def report(self, path: Name, /) -> Path:
        """Write one HTML page with everything, which needs nothing but a browser."""
        ...

    def __repr__(self) -> str:
        """One line: what it is, of which robot, and how it ended."""
        ...
