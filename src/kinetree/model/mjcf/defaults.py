"""Default classes of MJCF: what holds for an element where it says nothing itself.

Classes are nested; an inner class begins with what the outer one says. The outermost is "main". An element is of
the class that it names, else of the nearest ``childclass`` around it, else of "main".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kinetree.errors import ModelFileError
from kinetree.model.text.xml import Element, Numbers

MAIN = "main"
_TAGS = ("joint", "geom", "site", "equality")  # those whose defaults matter
_MOST = 200  # sources of one element; classes are nested 100 deep at most


@dataclass(frozen=True)
class Cascade:
    """An element and those that speak where it is silent, the nearest first. Errors name the one that spoke."""

    sources: tuple[Element, ...]

    @property
    def element(self) -> Element:
        return self.sources[0]

    def error(self, message: str) -> ModelFileError:
        """The error to raise for the element."""
        return self.element.error(message)

    def speaker(self, attribute: str) -> Element:
        """The nearest element that has the attribute, else the element itself."""
        return next((source for source in self.sources if attribute in source.attributes), self.element)

    def has(self, attribute: str) -> bool:
        return attribute in self.speaker(attribute).attributes

    def number(self, attribute: str, default: float | None = None) -> float:
        return self.speaker(attribute).number(attribute, default)

    def numbers(self, attribute: str, count: int, default: Numbers | None = None) -> Numbers:
        return self.speaker(attribute).numbers(attribute, count, default)

    def choice(self, attribute: str, choices: Collection[str], default: str) -> str:
        return self.speaker(attribute).choice(attribute, choices, default)

    def leading(self, attribute: str, default: Numbers) -> Numbers:
        """An attribute whose first numbers may be given alone; the others come from further out."""
        result: Numbers = ()
        for source in self.sources:
            result += source.numbers_up_to(attribute, len(default))[len(result) :]
        return result + default[len(result) :]


@dataclass(frozen=True)
class Defaults:
    """The classes: for each tag the elements that speak, the innermost first."""

    classes: Mapping[str, Mapping[str, tuple[Element, ...]]]

    def of(self, element: Element, around: str = MAIN, tag: str | None = None) -> Cascade:
        """The element with its class; ``around`` is the class where it names none."""
        name = element.attributes.get("class", around)
        element.check_name("default class", name, self.classes)
        return Cascade((element, *self.classes[name].get(tag or element.tag, ())))

    def around(self, element: Element, around: str) -> str:
        """The class for what is in the element."""
        name = element.attributes.get("childclass", around)
        element.check_name("default class", name, self.classes)
        return name


def read_defaults(root: Element) -> Defaults:
    """The classes of a file."""
    classes: dict[str, dict[str, tuple[Element, ...]]] = {MAIN: {}}
    for section in root.all("default"):
        _read(section, classes[MAIN], classes)
        if name := section.attributes.get("class"):
            classes.setdefault(name, classes[MAIN])
    return Defaults(classes)


def _read(
    section: Element, own: dict[str, tuple[Element, ...]], classes: dict[str, dict[str, tuple[Element, ...]]]
) -> None:
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
