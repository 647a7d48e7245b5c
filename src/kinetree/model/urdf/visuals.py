"""The <visual> elements of a URDF file. What can't be read is left out: pictures are no reason to refuse a robot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kinetree.errors import ModelError
from kinetree.model.frame import Frame
from kinetree.model.shape import MeshFile, Visual
from kinetree.model.text.xml import Element
from kinetree.model.urdf.packages import Folders
from kinetree.model.urdf.tree import origin_of

_ONES = (1.0, 1.0, 1.0)


class Visuals:
    """The shapes of links.

    Args:
        robot: the root element, with materials that have names.
        folder: of the file; None for text.
        packages: folders of packages.
    """

    def __init__(self, robot: Element, folder: Path | None, packages: Folders) -> None:
        self.folder, self.packages = folder, packages
        named = (x for x in robot.walk() if x.tag == "material" and x.child("color") is not None)
        self.materials = {x.attributes.get("name", ""): x for x in named}

    def of(self, link: Element, frame: Frame, tag: str = "visual", strict: bool = False) -> Iterator[Visual]:
        """The shapes of a link whose frame lies in a body; with all of them, or an error, where it is strict."""
        for visual in link.all(tag):
            try:
                geometry = visual.required("geometry")
                pose = frame.pose @ origin_of(visual).transform
                solids = [self._solid(x) for x in geometry.children]
                colour = self._colour(visual.child("material"))
            except (ModelError, ArithmeticError):
                if strict:
                    raise
                continue
            if strict and (None in solids or not solids):
                raise geometry.error("<geometry> has a box, cylinder, sphere, capsule or mesh")
            for kind, size, mesh in filter(None, solids):
                yield Visual(Frame(frame.body, pose), kind, size, colour, mesh)

    def _solid(self, x: Element) -> tuple[str, tuple[float, ...], MeshFile | None] | None:
        if x.tag == "box":
            return "box", tuple(s / 2 for s in x.numbers("size", 3)), None
        if x.tag in ("cylinder", "capsule"):
            return x.tag, (x.number("radius"), x.number("length") / 2), None
        if x.tag == "sphere":
            return "sphere", (x.number("radius"),), None
        if x.tag != "mesh":
            return None
        a, b, c = x.numbers("scale", 3, _ONES)
        matrix = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
        return "mesh", (), MeshFile(x.string("filename"), self.folder, self.packages, matrix)

    def _colour(self, material: Element | None) -> tuple[float, ...] | None:
        if material is None:
            return None
        spoken = (
            material if material.child("color") is not None else self.materials.get(material.attributes.get("name", ""))
        )
        colour = spoken.child("color") if spoken is not None else None
        return None if colour is None else colour.numbers("rgba", 4)
