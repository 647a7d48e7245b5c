"""An MJCF model with plain bodies: <replicate> written out, other models attached in their places.

A copy of a <replicate> is a <frame> in which all names end in its number. An <attach> is a <frame> with the bodies of
another model, whose names begin with a prefix; each model keeps its own classes, settings and meshes, its scope.
Equalities are copied along with what they name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from kinetree.joints import quaternion
from kinetree.model.mjcf.defaults import MAIN, Defaults, read_defaults
from kinetree.model.mjcf.include import MAX_INCLUDES, check_sections, read_mjcf
from kinetree.model.mjcf.mesh import Meshes, read_meshes
from kinetree.model.mjcf.orientation import orientation_of
from kinetree.model.mjcf.settings import Settings, read_settings
from kinetree.model.mjcf.unread import Unread
from kinetree.model.text.file import located, shown
from kinetree.model.text.xml import MAX_ELEMENTS, MAX_NAME, Element
from kinetree.model.urdf.packages import Folders, resolve
from kinetree.spatial import Transform, Vec3

MAX_COPIES = 100_000
_ENDS = tuple(f"{kind}{k}" for kind in ("body", "joint", "site") for k in (1, 2))  # of an equality
_MADE = ("replicate", "attach")
_NAMED = {"body": "body", "joint": "joint", "freejoint": "joint", "site": "site"}


@dataclass(frozen=True)
class Scope:
    """What holds for the elements of one model."""

    defaults: Defaults
    meshes: Meshes

    @property
    def settings(self) -> Settings:
        return self.meshes.settings


@dataclass
class Model:
    """One model file, and its root element with all copies written out.

    Args:
        root: without <include> elements.
        folder: of the file; None for a text.
        folders: in which files may lie, too.
        strict: refuse meshes whose mass is not known.
        unread: is told what is not honoured.
        depth: of models in models.
    """

    root: Element
    folder: Path | None
    folders: Folders
    strict: bool
    unread: Unread
    depth: int = 0
    roots: list[Element] = field(default_factory=list)  # of the models that were attached
    counter: Iterator[int] = field(default_factory=count)  # of elements that were copied
    whole: Element | None = None

    def __post_init__(self) -> None:
        check_sections(self.root)
        defaults = read_defaults(self.root)
        assets = read_meshes(self.root, defaults)
        self.scope = Scope(defaults, Meshes(assets, read_settings(self.root), self.folder, self.folders, self.strict))
        self.equalities = [element for section in self.root.all("equality") for element in section.children]
        self.assets: dict[str, list[Element]] = {}  # other models, by their names
        for model in (model for section in self.root.all("asset") for model in section.all("model")):
            self.assets.setdefault(model.attributes.get("name", ""), []).append(model)
        self.models: dict[str, Model] = {}

    def expanded(self) -> Element:
        """The root element with plain bodies, and with one section for all equalities."""
        if not any(x.tag in _MADE for world in self.root.all("worldbody") for x in world.walk()):
            return self.root
        if self.whole is None:
            self.whole = self._expanded()
        return self.whole

    def _expanded(self) -> Element:
        worlds = [replace(world, children=tuple(self._children(world))) for world in self.root.all("worldbody")]
        others = [child for child in self.root.children if child.tag not in ("worldbody", "equality")]
        equality = replace(self.root, tag="equality", attributes={}, children=tuple(self.equalities))
        return replace(self.root, children=(*others, *worlds, equality))

    def _children(self, element: Element) -> Iterator[Element]:
        for child in element.children:
            if child.tag == "replicate":
                yield from self._copies(replace(child, children=tuple(self._children(child))))
            elif child.tag == "attach":
                yield self._attachment(child)
            else:
                yield replace(child, children=tuple(self._children(child)))

    # -- copies --------------------------------------------------------------------------------------------------

    def _copies(self, replicate: Element) -> Iterator[Element]:
        copies = replicate.number("count")
        if copies != int(copies) or not 0 < copies <= MAX_COPIES:
            raise replicate.error(f"<replicate count=...>: expected an integer from 1 to {MAX_COPIES}, got {copies:g}")
        if joint := next((x for x in replicate.children if x.tag in ("joint", "freejoint", "inertial")), None):
            raise joint.error(f"a <{joint.tag}> can't be copied into one body; put it into a <body>")
        offset = Vec3.of(replicate.numbers("offset", 3, (0.0, 0.0, 0.0)))
        angles, place = replicate.numbers("euler", 3, (0.0, 0.0, 0.0)), Vec3.zero
        inside, width = _names([replicate]), len(str(int(copies) - 1))
        concerned = self._taken_out(inside, replicate)
        for number in range(int(copies)):
            # the angles grow, the offset is in the frame before
            turned = {"euler": " ".join(repr(number * angle) for angle in angles)}
            pose = Transform(orientation_of(replace(replicate, attributes=turned), self.scope.settings), place)
            place = place + pose.R @ offset
            suffix = f"{replicate.attributes.get('sep', '')}{number:0{width}}"
            self.equalities += [self._renamed(x, "", suffix, inside) for x in concerned]
            children = tuple(self._renamed(child, "", suffix) for child in replicate.children)
            yield replace(replicate, tag="frame", attributes=_placed(pose), children=children)

    def _taken_out(self, inside: Mapping[str, set[str]], where: Element) -> list[Element]:
        """The equalities between what is copied, which are no more; those with one end elsewhere are lost."""
        ends = {id(x): _inside(x, inside) for x in self.equalities}
        for lost in (x for x in self.equalities if {*ends[id(x)]} == {True, False}):
            self.unread.add("equality with one end in a <replicate>", lost.attributes.get("name", ""))
        concerned = [x for x in self.equalities if {*ends[id(x)]} == {True}]
        self.equalities = [x for x in self.equalities if True not in ends[id(x)]]
        return concerned

    # -- other models --------------------------------------------------------------------------------------------

    def _attachment(self, attach: Element) -> Element:
        prefix = attach.attributes.get("prefix")
        if prefix is None:
            raise attach.error('<attach> has no prefix="...", which it must have')
        if self.scope.settings.conflict != "warning":
            raise attach.error(f'<compiler conflict="{self.scope.settings.conflict}"> with <attach> is not read')
        model = self._model(attach)
        parts, class_ = _part(self.root if model is self else model.expanded(), attach)
        if model is self and (made := next((x for top in parts for x in top.walk() if x.tag in _MADE), None)):
            raise made.error(f"<{made.tag}> in a part of the model that is attached to it again is not read")
        inside = _names(parts)
        for equality in [*model.equalities]:
            if (ends := _inside(equality, inside)) and all(ends):
                self.equalities.append(self._renamed(equality, prefix, "", inside, model.scope))
        children = tuple(self._renamed(child, prefix, "", scope=model.scope) for child in parts)
        return replace(attach, tag="frame", attributes={"childclass": class_}, children=children, scope=model.scope)

    def _model(self, attach: Element) -> Model:
        """The model that is attached: another one, or this one again."""
        if "model" not in attach.attributes:
            if not attach.attributes.keys() & {"body", "frame"}:
                raise attach.error("<attach> of the model itself needs a body or a frame")
            return self
        if self.depth >= MAX_INCLUDES:
            raise attach.error(f"models are attached more than {MAX_INCLUDES} deep; does one attach itself?")
        for model in map(self._read, self.assets.pop("", [])):  # the name is that of the model in the file
            self.models.setdefault(model.root.attributes.get("model", ""), model)
        name = attach.string("model")
        attach.check_name("model", name, {*self.models, *self.assets})
        if name not in self.models:
            self.models[name] = self._read(self.assets[name][0])
        return self.models[name]

    def _read(self, asset: Element) -> Model:
        with located(asset.error):
            path = resolve(asset.string("file"), self.folders, self.folder)
        root = read_mjcf(path, self.folders)
        self.roots.append(root)
        shared = {"depth": self.depth + 1, "roots": self.roots, "counter": self.counter}
        return Model(root, path.parent, self.folders, self.strict, self.unread, **shared)

    def _renamed(
        self, element: Element, prefix: str, suffix: str, ends: Mapping[str, set[str]] | None = None,
        scope: Scope | None = None,
    ) -> Element:  # fmt: skip
        """A copy with other names and, of an equality, with other ends."""
        if next(self.counter) > MAX_ELEMENTS:
            raise element.error(f"there are more than {MAX_ELEMENTS} elements with all copies")
        attributes = dict(element.attributes)
        keys = ("name", *_ENDS) if ends else ("name",)
        for key in keys:
            if attributes.get(key) and (key == "name" or attributes[key] in (ends or {})[key[:-1]]):
                attributes[key] = f"{prefix}{attributes[key]}{suffix}"
                if len(attributes[key]) > MAX_NAME:
                    raise element.error(f"the name {shown(attributes[key])} is longer than {MAX_NAME} characters")
        children = tuple(self._renamed(child, prefix, suffix, None, scope) for child in element.children)
        owner = (
            element.owner if attributes == element.attributes else f"{element.tag} {shown(attributes.get('name', ''))}"
        )
        changed = {"attributes": attributes, "children": children, "owner": owner}
        return replace(element, **changed, scope=element.scope or scope)


# -- parts of models -----------------------------------------------------------------------------------------------


def _part(root: Element, attach: Element) -> tuple[list[Element], str]:
    """What is attached of a model, and the class around it there."""
    worlds = [*root.all("worldbody")]
    tag = next((tag for tag in ("body", "frame") if tag in attach.attributes), None)
    if tag is None:
        return [child for world in worlds for child in world.children], MAIN
    name, waiting = attach.string(tag), [(world, MAIN) for world in worlds]
    names = {x.attributes.get("name", "") for world in worlds for x in world.walk() if x.tag == tag}
    attach.check_name(f"{tag} in the model", name, names)
    while waiting:
        element, class_ = waiting.pop()
        if element.tag == tag and element.attributes.get("name") == name:
            return [element], class_
        waiting += [(child, element.attributes.get("childclass", class_)) for child in element.children]
    return [], MAIN


def _names(elements: Iterable[Element]) -> dict[str, set[str]]:
    """The names of bodies, joints and sites; the world is everywhere."""
    found: dict[str, set[str]] = {"body": set(), "joint": set(), "site": set()}
    for element in (x for top in elements for x in top.walk()):
        if element.tag in _NAMED and element.attributes.get("name"):
            found[_NAMED[element.tag]].add(element.attributes["name"])
    return found


def _inside(equality: Element, names: Mapping[str, set[str]]) -> list[bool]:
    """For each end of an equality but the world: whether it is among the names."""
    ends = {key: equality.attributes[key] for key in _ENDS if key in equality.attributes}
    return [name in names[key[:-1]] for key, name in ends.items() if name != "world"]


def _placed(pose: Transform) -> dict[str, str]:
    x, y, z, w = quaternion.of_rotation(pose.R)
    return {"pos": " ".join(map(repr, map(float, pose.p))), "quat": " ".join(map(repr, (w, x, y, z)))}
