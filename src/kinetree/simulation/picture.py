"""Pictures of motions: line plots below each other, as one SVG."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.files import check_name, write

_WIDTH = 560
_HEIGHT = re.compile(r'viewBox="0 0 \d+ (\d+)"')
_PAGE = '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n{svg}\n</html>\n'
_OPAQUE = '<rect width="100%" height="100%" fill="white"/>'


@dataclass(frozen=True)
class Picture:
    """A drawing that notebooks show and files take.

    Args:
        svg: the text of an ``<svg>`` element.
        title: of the page, where it is saved as one.
    """

    svg: str
    title: str = ""

    def _repr_html_(self) -> str:
        return f'<div style="max-width: {_WIDTH}px">{self.svg}</div>'

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write an .svg or .html file, the whole of it or nothing, and give its absolute path."""
        end = Path(check_name(path, "written")).suffix.lower()
        if end not in (".svg", ".html"):
            raise InputError(f"pictures are saved as .svg or .html, not as {Path(path).name!r}")
        # on its own it has no page behind it, and viewers may be dark
        svg = self.svg.replace(">", f' color="black">{_OPAQUE}', 1)
        text = svg if end == ".svg" else _PAGE.format(title=escape(self.title), svg=self._repr_html_())
        return write(path, text.encode("utf-8"))


def picture(
    title: str, t: NDArray[np.float64], plots: Sequence[tuple[str, str, Mapping[str, NDArray[np.float64]]]]
) -> Picture:
    """Plots over time below each other, each with its title, what its curves show, and the curves by name."""
    # drawing comes after simulating in the order of the package: it is fetched when it is wanted
    line_plot = importlib.import_module("kinetree.view.svg").line_plot
    parts, height = [], 0
    for heading, unit, series in plots:
        text: str = line_plot(heading, t, series, xlabel="time [s]", ylabel=unit)
        own = int(_HEIGHT.findall(text)[0])
        parts.append(text.replace("<svg ", f'<svg y="{height}" width="{_WIDTH}" height="{own}" ', 1))
        height += own
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    return Picture("\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]), title)
