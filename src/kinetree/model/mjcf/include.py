"""An MJCF file with the files that it includes in their places.

`<include file="..."/>` stands for the children of the root of another file. Paths begin at the folder of the
main file and stay in it; a file is included once at most, so none includes itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinetree.model.text.file import MAX_BYTES, Source, located
from kinetree.model.text.xml import MAX_DEPTH, MAX_ELEMENTS, Element, is_text, read_xml
from kinetree.model.urdf.packages import resolve

ROOT = "mujoco"
MAX_INCLUDES = 20  # files inside files inside files


def read_mjcf(source: Source) -> Element:
    """The root element of an MJCF file or text, without <include> elements."""
    root = read_xml(source, ROOT)
    path = None if is_text(source) else Path(source).absolute()
    files = _Files(path.parent if path else None)
    if path:
        files.places[path.resolve()] = "the main file"
    return files.expanded(root, depth=1, includes=0)


@dataclass
class _Files:
    """The files that were read so far, and how much there was in them."""

    folder: Path | None
    places: dict[Path, str] = field(default_factory=dict)
    size: int = 0
    elements: int = 0

    def expanded(self, element: Element, depth: int, includes: int) -> Element:
        """The element with all files included below it."""
        self.elements += 1
        if depth > MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep")
        if self.elements > MAX_ELEMENTS:
            raise element.error(f"there are more than {MAX_ELEMENTS} elements, more than any model needs")
        return replace(element, children=tuple(self._children(element, depth, includes)))

    def _children(self, element: Element, depth: int, includes: int) -> Iterator[Element]:
        for child in element.children:
            if child.tag == "include":
                yield from self._children(self._included(child, includes), depth, includes + 1)
            else:
                yield self.expanded(child, depth + 1, includes)

    def _included(self, include: Element, includes: int) -> Element:
        name = include.string("file")
        if self.folder is None:
            raise include.error(f"text has no folder in which to look for {name!r}; pass the path of a file")
        if includes >= MAX_INCLUDES:
            raise include.error(f"files are included more than {MAX_INCLUDES} deep")
        with located(include.error, "; included files are in the folder of the main file or below"):
            path = resolve(name, (), self.folder)
        if path in self.places:
            raise include.error(f"{name!r} is included a second time, or includes itself; first: {self.places[path]}")
        self.places[path] = f"{include.file}, line {include.line}"
        self.size += path.stat().st_size
        if self.size > MAX_BYTES:
            raise include.error(f"the included files are larger than the {MAX_BYTES} bytes that they may have")
        return read_xml(path, ROOT, any_root=True)
