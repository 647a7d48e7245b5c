"""The mechanism of a URDF file.

Every link that moves is a body in its own URDF link frame. Coordinates stand depth first, the joints of one
link in alphabetical order: the order of urdfdom, hence of Pinocchio. Links on fixed (or locked) joints are
welded to the body that carries them; their frames keep the links' names. The name "world" is the world's:
a root link of that name on a fixed base *is* the world, any other is called "world_link".
A joint that mimics another has no coordinate; with a locked leader it is held where that puts it.
Safety controllers, calibration, sensors and what simulators add are not looked at; shapes are for pictures.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kinetree.errors import InertiaError, ModelError, ModelWarning, check_name
from kinetree.joints import Fixed, Free
from kinetree.model import Body, Frame, Inertia, Joint, Mechanism, Mimic, gravity_vector
from kinetree.model.check import check_each, check_order
from kinetree.model.locked_joint import coordinates, pose_at
from kinetree.model.text.file import Source, in_file, located
from kinetree.model.text.xml import Element, is_text
from kinetree.model.urdf.joints import placed_kind
from kinetree.model.urdf.mimics import composed_mimics
from kinetree.model.urdf.packages import Packages, package_folders, resolve
from kinetree.model.urdf.transmissions import Actuator, actuators
from kinetree.model.urdf.tree import UrdfJoint, UrdfLink, UrdfTree, read_urdf
from kinetree.model.urdf.visuals import Visuals
from kinetree.model.validation import free_name
from kinetree.scalar import Vector

BASE_JOINT = "base"


def mechanism_from_urdf(
    source: Source,
    *,
    base: str = "fixed",
    name: str | None = None,
    gravity: Vector = (0.0, 0.0, -9.81),
    lock: Mapping[str, Any] | None = None,
    attach: Mapping[str, Inertia] | None = None,
    packages: Packages = (),
    strict: bool = True,
) -> Mechanism:
    """The mechanism of a URDF file.

    Args:
        source: the path of the file, or URDF text (a str that begins with "<").
        base: "fixed": the root link is the world; "floating": it is the first body, on the free joint "base".
        name: of the robot; the file's own where left out.
        gravity: the acceleration of free fall in world axes [m/s^2].
        lock: joints to be held at a value, by name: {"finger_joint": 0.04}. One number for each coordinate.
        attach: payloads, by the link that carries them: inertias in the link's frame.
        packages: folders of packages. Where given, every mesh and texture must be a file in them or beside the
            model; nothing of it is opened.
        strict: refuse inertias that no body can have, an inertial without mass or inertia, limits that leave no
            room, mimics of joints that do not exist, and the slips that `read_urdf` lists.
    """
    if base not in ("fixed", "floating"):
        raise ModelError(f"base {base!r} is not one of 'fixed', 'floating'")
    notes: list[str] = []
    tree = read_urdf(source, strict, notes)
    mimics = composed_mimics(tree, strict, notes)
    held = _held(tree, mimics, dict(lock or {}))
    _check_joints(tree, base, held, strict)
    if strict:  # each link, because a negative mass may hide in the body that it is welded to
        check_each("links", tree.links, lambda name: _check_mass(tree.links[name]))
    folder = None if is_text(source) else Path(source).parent
    if packages:
        _check_addresses(tree.element, packages, folder)
    parts = _Parts(tree, mimics, actuators(tree, notes, strict))
    root = tree.links[tree.root]
    if base == "fixed":
        parts.weld(root, Frame(None))
    else:
        parts.hang(root, Joint(BASE_JOINT, Free()), None)
    for joint in tree.outward():
        parts.attach(joint, held)
    for link, payload in dict(attach or {}).items():
        parts.load(link, payload, strict)
    if notes:
        warnings.warn(f"{tree.element.file}: {'; '.join(notes)}", ModelWarning, stacklevel=3)
    bodies = tuple(parts.bodies.values())
    if strict:  # each body with all links that are welded to it

        def check(name: str) -> None:
            with located(tree.links.get(name, root).element.error):
                parts.bodies[name].inertia.check(name)

        check_each("bodies", parts.bodies, check)
    free_fall, frames = gravity_vector(gravity), tuple(parts.frames)
    visuals = Visuals(tree.element, folder and folder.absolute(), package_folders(packages))
    shapes = tuple(x for name, frame in parts.links.items() for x in visuals.of(tree.links[name].element, frame))
    with located(in_file(tree.element.file)):
        whole = name or tree.name or "robot"
        return Mechanism(bodies, whole, free_fall, frames, strict=strict, shapes=shapes)


@dataclass
class _Parts:
    """The mechanism as it grows from the root outward."""

    tree: UrdfTree
    mimics: Mapping[str, Mimic]
    actuators: Mapping[str, Actuator]
    links: dict[str, Frame] = field(default_factory=dict)  # each in the body that it is part of
    bodies: dict[str, Body] = field(default_factory=dict)
    frames: list[tuple[str, Frame]] = field(default_factory=list)

    def attach(self, joint: UrdfJoint, held: Mapping[str, Any]) -> None:
        """Add a joint and its child link to the parent link, which is there already."""
        link = self.tree.links[joint.child]
        parent, (placement, kind) = self.links[joint.parent], placed_kind(joint)
        if joint.name in held:
            placement = placement @ pose_at(kind, held[joint.name], joint.name)
            kind = Fixed()
        if isinstance(kind, Fixed):
            self.weld(link, Frame(parent.body, parent.pose @ placement))
            return
        actuator, mimic = self.actuators.get(joint.name, Actuator()), self.mimics.get(joint.name)
        losses = joint.damping, joint.friction, actuator.rotor_inertia
        drive: dict[str, Any] = {"gear_ratio": actuator.gear_ratio, "actuated": mimic is None}
        made = Joint(joint.name, kind, parent.pose @ placement, *losses, joint.limits, mimic=mimic, **drive)
        self.hang(link, made, parent.body)

    def weld(self, link: UrdfLink, frame: Frame) -> None:
        """The link becomes a part of a body, at this frame (of the world, where its inertia does not matter)."""
        self.links[link.name] = frame
        if link.inertia != Inertia():
            self.add(link.inertia, frame)
        if not (link.name == "world" and link.name == self.tree.root):
            self.frames.append((self.frame_name(link), frame))

    def hang(self, link: UrdfLink, joint: Joint, parent: str | None) -> None:
        """The link becomes a body of its own."""
        body = self.frame_name(link)
        self.links[link.name] = Frame(body)
        self.bodies[body] = Body(body, joint, link.inertia, parent)

    def load(self, link: str, payload: Inertia, strict: bool) -> None:
        """The payload becomes a part of the body that the link is part of."""
        check_name("link to attach to", link, self.links)
        if not isinstance(payload, Inertia):
            raise ModelError(f"attach: the payload of link {link!r} must be an Inertia, got {payload!r}")
        if strict:
            payload.check(f"payload of {link}")
        self.add(payload, self.links[link])

    def add(self, inertia: Inertia, frame: Frame) -> None:
        if frame.body is not None:
            body = self.bodies[frame.body]
            self.bodies[frame.body] = replace(body, inertia=body.inertia + inertia.moved(frame.pose))

    def frame_name(self, link: UrdfLink) -> str:
        return free_name("world_link", self.tree.links) if link.name == "world" else link.name


def _check_mass(link: UrdfLink) -> None:
    if link.inertia.mass < 0:
        raise InertiaError(str(link.element.error(f"the mass {link.inertia.mass:g} kg is below 0")))


# -- options ------------------------------------------------------------------------------------------------


def _held(tree: UrdfTree, mimics: Mapping[str, Mimic], lock: Mapping[str, Any]) -> dict[str, Any]:
    """The joints that are held at a value: those locked, and those that follow them."""
    moving = [name for name, joint in tree.joints.items() if joint.type != "fixed"]
    held: dict[str, Any] = {}
    for name, value in lock.items():
        check_name("moving joint", name, moving)
        if name in mimics:
            leader = mimics[name].joint
            raise ModelError(f"lock: joint {name!r} mimics {leader!r} and can't be locked itself; lock {leader!r}")
        held[name] = value
    for name, mimic in mimics.items():
        if mimic.joint in lock:
            _, kind = placed_kind(tree.joints[mimic.joint])
            (q,) = coordinates(kind, lock[mimic.joint], mimic.joint)
            held[name] = mimic.multiplier * q + mimic.offset
    return held


def _check_joints(tree: UrdfTree, base: str, held: Mapping[str, Any], strict: bool) -> None:
    for name, joint in tree.joints.items():
        if joint.type == "fixed":
            continue
        if base == "floating" and name == BASE_JOINT and name not in held:
            raise joint.element.error(f"{BASE_JOINT!r} is the joint of the floating base; rename this one")
        if strict:
            check_order(joint.limits, joint.element.error)


def _check_addresses(robot: Element, packages: Packages, folder: Path | None) -> None:
    """Every mesh and texture of the file is a file in one of the folders."""
    folders = package_folders(packages)
    for element in (x for part in (*robot.all("material"), *robot.all("link")) for x in part.walk()):
        named = element.attributes.get("filename", "").strip() != ""
        if element.tag == "mesh" or (element.tag == "texture" and named):  # <texture filename=""/> is in use
            address = element.string("filename")
            with located(element.error):
                resolve(address, folders, folder)
