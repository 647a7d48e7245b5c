"""What the <worldbody> of an MJCF file says: bodies in the order of MuJoCo, each with its joints, mass and sites.

A <frame> moves what is in it and vanishes. Bodies and joints without names are called "body<i>" and "joint<i>",
with the number that MuJoCo gives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kinetree.joints import Free
from kinetree.model import Inertia
from kinetree.model.mjcf.defaults import MAIN
from kinetree.model.mjcf.expand import Scope
from kinetree.model.mjcf.inertia import body_inertia
from kinetree.model.mjcf.joint import MjcfJoint, read_joint
from kinetree.model.mjcf.orientation import pose_between, pose_of
from kinetree.model.mjcf.unread import Unread
from kinetree.model.mjcf.visuals import geom_shapes
from kinetree.model.shape import Visual
from kinetree.model.text.xml import Element, by_name
from kinetree.model.validation import free_name
from kinetree.spatial import Transform

WORLD = "world"
_SCALES = ("scale", "scaling", "massscale")
# what makes bodies when MuJoCo compiles the model
_MAKERS = ("composite", "flexcomp")
_REMEDY = "compile the model with MuJoCo and save it (mujoco.mj_saveLastXML); the saved file has plain bodies"
_SILENT = ("camera", "light")


@dataclass(frozen=True)
class MjcfBody:
    """One body; its parent is "world" or comes before it."""

    name: str
    parent: str
    pose: Transform
    joints: tuple[MjcfJoint, ...]
    inertia: Inertia
    element: Element


@dataclass(frozen=True)
class _Item:
    """An element in a body, with the frame and the class around it."""

    element: Element
    around: Transform
    class_: str


class MjcfTree:
    """The bodies of a file in order, its joints by name, and the sites by name with their bodies and poses."""

    def __init__(self, root: Element, scope: Scope, unread: Unread) -> None:
        self.main, self.unread = scope, unread
        self.bodies: list[MjcfBody] = []
        self.joints: dict[str, MjcfJoint] = {}
        self.moving: set[str] = set()  # bodies
        self.sites: dict[str, tuple[str, Transform]] = {}
        self.shapes: list[Visual] = []  # in the frames of MJCF bodies
        self.colliding: list[Visual] = []
        sections = (x for section in root.all("asset") for x in section.all("material"))
        self.materials = {x.attributes.get("name", ""): scope.defaults.of(x) for x in sections}
        worlds = [*root.all("worldbody")]
        self.names = {tag: _names(worlds, tags) for tag, tags in _NAMED.items()}
        self.counts = {"body": 1, "joint": 0}
        for world in worlds:
            self._contents(WORLD, [*self._items(world, Transform.identity, MAIN)])

    def scope(self, element: Element) -> Scope:
        """What holds for an element."""
        return element.scope or self.main

    def _items(self, element: Element, around: Transform, class_: str) -> Iterator[_Item]:
        """What is in a body, frames resolved."""
        for child in element.children:
            if child.tag in _MAKERS:
                raise child.error(f"<{child.tag}> is not read; {_REMEDY}")
            if child.tag == "frame":
                if scale := next((name for name in _SCALES if name in child.attributes), None):
                    raise child.error(f"<frame {scale}=...> is not read; {_REMEDY}")
                scope = self.scope(child)
                inner = around @ pose_of(child, scope.settings)
                yield from self._items(child, inner, scope.defaults.around(child, class_))
            else:
                yield _Item(child, around, class_)

    def _contents(self, body: str, items: Sequence[_Item]) -> None:
        """The sites, the shapes and the bodies in a body."""
        for item in (x for x in items if x.element.tag == "geom"):
            geom = self._given(item), item.around
            for found, colliding in ((self.shapes, False), (self.colliding, True)):
                found += geom_shapes(body, [geom], self.scope(item.element), self.materials, colliding)
        for item in items:
            tag = item.element.tag
            if tag == "site":
                self._site(item, body)
            elif tag == "plugin":
                self.unread.add("plugin", item.element.attributes.get("plugin", ""))
            elif body == WORLD and tag in ("joint", "freejoint", "inertial"):
                raise item.element.error(f"the world has no <{tag}>; put it into a <body>")
            elif tag not in ("body", "joint", "freejoint", "geom", "inertial", *_SILENT):
                raise item.element.error(f"there is no <{tag}> in a body; expected body, joint, geom, inertial, ...")
        for item in items:
            if item.element.tag == "body":
                self._body(item, body)

    def _body(self, item: _Item, parent: str) -> None:
        element, scope = item.element, self.scope(item.element)
        settings, defaults = scope.settings, scope.defaults
        name = self._name("body", element)
        own = pose_of(element, settings)
        pose = item.around @ own
        items = [*self._items(element, Transform.identity, defaults.around(element, item.class_))]
        joints = tuple(self._joint(x, pose) for x in items if x.element.tag in ("joint", "freejoint"))
        _check_joints(element, parent, joints)
        inertials = [(x.element, x.around) for x in items if x.element.tag == "inertial"]
        if len(inertials) > 1:
            raise inertials[1][0].error("a second <inertial> in the same <body>; remove one of them")
        geoms = [(self._given(x), x.around) for x in items if x.element.tag == "geom"]
        if joints or parent in self.moving:
            self.moving.add(name)
        # what is welded to the world needs no mass, unless all masses are scaled together
        meshes = scope.meshes if name in self.moving or self.main.settings.total_mass > 0 else None
        inertia, unknown = body_inertia(inertials[0] if inertials else None, geoms, own.p, settings, meshes)
        for geom in unknown:
            self.unread.add("mesh geom with mass", geom.attributes.get("name", name))
        if element.number("gravcomp", 0.0):
            self.unread.add("gravity compensation", name)
        self.bodies.append(MjcfBody(name, parent, pose, joints, inertia, element))
        self._contents(name, items)

    def _joint(self, item: _Item, body: Transform) -> MjcfJoint:
        element, scope = item.element, self.scope(item.element)
        name = self._name("joint", element)
        # a <freejoint> has no class
        given = element if element.tag == "freejoint" else self._given(item)
        joint = self.joints[name] = read_joint(name, given, item.around, body, scope.settings, self.unread)
        aligned = "true" if scope.settings.alignfree else "false"
        if isinstance(joint.joint.kind, Free) and element.attributes.get("align", aligned) == "true":
            self.unread.add("aligned free joint", name)
        return joint

    def _site(self, item: _Item, body: str) -> None:
        name = item.element.attributes.get("name")
        if name:
            scope = self.scope(item.element)
            given = self._given(item)
            pose = pose_between(given)[0] if given.has("fromto") else pose_of(given, scope.settings)
            self.sites[name] = (body, item.around @ pose)

    def _given(self, item: _Item) -> Element:
        """The element with its class."""
        return self.scope(item.element).defaults.of(item.element, item.class_)

    def _name(self, kind: str, element: Element) -> str:
        number = self.counts[kind]
        self.counts[kind] += 1
        return element.attributes.get("name") or free_name(f"{kind}{number}", self.names[kind])


# -- names ---------------------------------------------------------------------------------------------------

_NAMED: Mapping[str, tuple[str, ...]] = {"body": ("body",), "joint": ("joint", "freejoint"), "site": ("site",)}


def _names(worlds: Sequence[Element], tags: Sequence[str]) -> Mapping[str, Element]:
    """The elements with these tags by their names, which must be unique."""
    elements = (x for world in worlds for x in world.walk() if x.tag in tags and x.attributes.get("name"))
    found = by_name(elements, several_files=True)
    if WORLD in found and "body" in tags:
        raise found[WORLD].error("'world' is the world itself; rename the body")
    return found


def _check_joints(body: Element, parent: str, joints: Sequence[MjcfJoint]) -> None:
    for joint in joints:
        if not isinstance(joint.joint.kind, Free):
            continue
        if parent != WORLD:
            raise joint.element.error(f"a free joint belongs on a child of the world, not on one of {parent!r}")
        if len(joints) > 1:
            raise joint.element.error("a free joint leaves nothing for other joints of the body; remove one of them")
    if body.choice("mocap", ("true", "false"), "false") == "true" and (joints or parent != WORLD):
        raise body.error("a mocap body is a child of the world without joints")
