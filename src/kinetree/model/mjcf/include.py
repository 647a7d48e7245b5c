"""An MJCF file with the files that it includes in their places.

`<include file="..."/>` stands for the children of the root of another file. Paths begin at the folder of the
main file or, where there is no such file, at that of the file that includes it, as in MuJoCo. They stay in the folder
of the main file and in those that the caller named; a file is included once at most, so none includes itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinetree.model.text.file import MAX_BYTES, Source, located
from kinetree.model.text.xml import MAX_DEPTH, MAX_ELEMENTS, Element, is_text, read_xml
from kinetree.model.urdf.packages import Folders, resolve

ROOT, PART = "mujoco", "mujocoinclude"
SECTIONS = (
    "compiler", "option", "size", "statistic", "visual", "asset", "default", "custom", "extension", "worldbody",
    "deformable", "contact", "tendon", "equality", "actuator", "sensor", "keyframe",
)  # fmt: skip
_IN_BODIES = ("body", "geom", "site", "joint", "freejoint", "inertial", "frame", "camera", "light")
_FOLDERS = "; included files are in the folder of the main file or below, or in one of packages=[...]"
_PART = "the file is a part of a model, meant to be included by another"
MAX_INCLUDES = 20  # files inside files inside files


def read_mjcf(source: Source, folders: Folders = ()) -> Element:
    """The root element of an MJCF file or text, without <include> elements.

    Args:
        source: the path, or the text.
        folders: in which included files may lie, besides the folder of the file.
    """
    root = read_xml(source, ROOT, any_root=True)
    if root.tag == PART:
        raise root.error(f"{_PART}; read the file that includes it")
    if root.tag != ROOT:
        raise root.error(f"the root element is <{root.tag}>; expected <{ROOT}>")
    path = None if is_text(source) else Path(source).absolute()
    files = _Files(path.parent if path else None, folders)
    if path:
        files.places[path.resolve()] = "the main file"
    return files.expanded(root, depth=1, beside=())


def check_sections(root: Element) -> None:
    """Refuse what is no section of a model, and say where it is a part of one."""
    for section in root.children:
        if section.tag in _IN_BODIES:
            raise section.error(
                f"<{section.tag}> stands outside of <worldbody>: {_PART}; read the file that includes it"
            )
        section.check_name("section", section.tag, SECTIONS)


@dataclass
class _Files:
    """The files that were read so far, and how much there was in them."""

    folder: Path | None
    folders: Folders
    places: dict[Path, str] = field(default_factory=dict)
    size: int = 0
    elements: int = 0

    def expanded(self, element: Element, depth: int, beside: tuple[Path, ...]) -> Element:
        """The element with all files included below it; ``beside`` are the folders of the files around it."""
        self.elements += 1
        if depth > MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep")
        if self.elements > MAX_ELEMENTS:
            raise element.error(f"there are more than {MAX_ELEMENTS} elements, more than any model needs")
        return replace(element, children=tuple(self._children(element, depth, beside)))

    def _children(self, element: Element, depth: int, beside: tuple[Path, ...]) -> Iterator[Element]:
        for child in element.children:
            if child.tag == "include":
                path = self._path(child, beside)
                yield from self._children(read_xml(path, ROOT, any_root=True), depth, (*beside, path.parent))
            else:
                yield self.expanded(child, depth + 1, beside)

    def _path(self, include: Element, beside: tuple[Path, ...]) -> Path:
        name = include.string("file")
        if self.folder is None:
            raise include.error(f"text has no folder in which to look for {name!r}; pass the path of a file")
        if len(beside) >= MAX_INCLUDES:
            raise include.error(f"files are included more than {MAX_INCLUDES} deep")
        near = beside[-1] if beside and not _is_there(self.folder / name) and _is_there(beside[-1] / name) else None
        with located(include.error, _FOLDERS):
            path = resolve(str(near / name) if near else name, self.folders, self.folder)
        if path in self.places:
            raise include.error(f"{name!r} is included a second time, or includes itself; first: {self.places[path]}")
        self.places[path] = f"{include.file}, line {include.line}"
        self.size += path.stat().st_size
        if self.size > MAX_BYTES:
            raise include.error(f"the included files are larger than the {MAX_BYTES} bytes that they may have")
        return path


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
