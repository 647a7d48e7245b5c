"""Default classes of MJCF: what holds for an element where it says nothing itself.

Classes are nested; an inner class begins with what the outer one says. The outermost is "main". An element is of
the class that it names, else of the nearest ``childclass`` around it, else of "main".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kinetree.model.text.xml import Element

Class = dict[str, tuple[Element, ...]]  # for each tag the elements that speak, the innermost first

MAIN = "main"
_TAGS = ("joint", "geom", "site", "mesh", "equality")  # those whose defaults matter
_MOST = 200  # sources of one element; classes are nested 100 deep at most


@dataclass(frozen=True)
class Defaults:
    """The classes of a file by their names."""

    classes: Mapping[str, Class]

    def of(self, element: Element, around: str = MAIN, tag: str | None = None) -> Element:
        """The element with the defaults of its class; ``around`` is the class where it names none."""
        name = element.attributes.get("class", around)
        element.check_name("default class", name, self.classes)
        return replace(element, defaults=self.classes[name].get(tag or element.tag, ()))

    def around(self, element: Element, around: str) -> str:
        """The class for what is in the element."""
        name = element.attributes.get("childclass", around)
        element.check_name("default class", name, self.classes)
        return name


def read_defaults(root: Element) -> Defaults:
    """The classes of a file."""
    classes: dict[str, Class] = {MAIN: {}}
    for section in root.all("default"):
        _read(section, classes[MAIN], classes)
        if name := section.attributes.get("class"):
            classes.setdefault(name, classes[MAIN])
    return Defaults(classes)


def _read(section: Element, own: Class, classes: dict[str, Class]) -> None:
    for child in section.children:
        if child.tag in _TAGS:
            own[child.tag] = (child, *own.get(child.tag, ()))
            if len(own[child.tag]) > _MOST:
                raise child.error(f"more than {_MOST} defaults for <{child.tag}> in one class and those around it")
    for child in section.all("default"):
        name = child.string("class")
        if name in classes:
            raise child.error(f"a second default class is called {name!r}; rename one")
        classes[name] = dict(own)
        _read(child, classes[name], classes)
