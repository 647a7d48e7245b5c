"""`Picture`: an SVG drawing that notebooks show and files take, and pictures put together into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kinetree.errors import InputError
from kinetree.files import Name, check_name, write
from kinetree.view import svg

_PAGE = '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n{svg}\n</html>\n'
_OPAQUE = '<rect width="100%" height="100%" fill="white"/>'
_NOTE = 28  # pixels, the height of a line below a picture


@dataclass(frozen=True)
class Picture:
    """A drawing that notebooks show and files take.

    Args:
        title: the accessible name, and the title of the page where it is saved as one.
        width, height: of the drawing [pixels].
        elements: SVG elements inside it.
        attributes: further attributes of its ``<svg>`` element.
    """

    title: str
    width: int
    height: int
    elements: tuple[str, ...] = ()
    attributes: str = ""

    @property
    def svg(self) -> str:
        """The text of an ``<svg>`` element."""
        return self._element()

    def at(self, x: float, y: float) -> str:
        """The same as an element of another picture, its upper left corner at (x, y)."""
        return self._element(f'x="{x:g}" y="{y:g}" width="{self.width}" height="{self.height}" ')

    def _element(self, position: str = "", attributes: str = "", background: str = "") -> str:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {position}viewBox="0 0 {self.width} {self.height}" role="img"'
        own = f"{head} {self.attributes}".rstrip() + f"{attributes}>{background}"
        return "\n".join([own, f"<title>{escape(self.title)}</title>", *self.elements, "</svg>"])

    def _repr_html_(self) -> str:
        return f'<div style="max-width: {self.width}px">{self.svg}</div>'

    def save(self, path: Name) -> Path:
        """Write an .svg, .html, .png or .pdf file, the whole of it or nothing, and give its absolute path.

        PNG and PDF need Matplotlib: ``pip install 'kinetree[plot]'``.
        """
        end = Path(check_name(path, "written")).suffix.lower()
        if end not in (".svg", ".html", ".png", ".pdf"):
            raise InputError(f"pictures are saved as .svg, .html, .png or .pdf, not as {Path(path).name!r}")
        if end in (".png", ".pdf"):
            from kinetree.view.raster import rendered

            return write(path, rendered(self.svg, self.width, self.height, end[1:]))
        if end == ".html":
            content = _PAGE.format(title=escape(self.title), svg=self._repr_html_())
        else:  # on its own it has no page behind it, and viewers may be dark
            content = self._element(attributes=' color="black"', background=_OPAQUE)
        return write(path, content.encode("utf-8"))


def arranged(title: str, rows: Sequence[Sequence[Picture]], note: str = "") -> Picture:
    """Pictures beside and below each other as one, perhaps with a line of text below all."""
    elements, width, below = [], 0, 0
    for row in rows:
        left = 0
        for picture in row:
            elements.append(picture.at(left, below))
            left += picture.width
        width, below = max(width, left), below + max(picture.height for picture in row)
    if not note:
        return Picture(title, width, below, tuple(elements))
    words = svg.text(8, below + 16, note, 'font-size="13" fill="currentColor"')
    return Picture(title, width, below + _NOTE, (*elements, words), svg.FONT)
