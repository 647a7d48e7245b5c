"""The mechanism of an MJCF file, the format of MuJoCo.

Coordinates stand in MuJoCo's order and have its values, quaternions apart, which are x, y, z, w here. A body with
several joints is a chain of bodies, all massless but the last. A Kinetree body sits at the anchor of its joint: it
has the name of the MJCF body where that frame is the body's own, else the name "<body>/<joint>". Bodies without
joints are part of the body that carries them. The name of every MJCF body, and of every site, is that of a frame;
a site with the name of a body is called "<name>_site".
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kinetree.errors import ModelWarning, check_names
from kinetree.joints import Free
from kinetree.model import Body, Frame, Inertia, Joint, Mechanism, gravity_vector
from kinetree.model.check import check_each, check_order
from kinetree.model.locked_joint import pose_at
from kinetree.model.mjcf.equality import Equalities
from kinetree.model.mjcf.expand import Model
from kinetree.model.mjcf.include import read_mjcf
from kinetree.model.mjcf.spring import springs_of
from kinetree.model.mjcf.tree import WORLD, MjcfBody, MjcfTree
from kinetree.model.mjcf.unread import Unread, listed, note_sections
from kinetree.model.shape import Visual
from kinetree.model.text.file import Source, in_file, located
from kinetree.model.text.xml import is_text
from kinetree.model.urdf.packages import Packages, package_folders
from kinetree.model.validation import free_name
from kinetree.scalar import Vector
from kinetree.spatial import Transform


def mechanism_from_mjcf(
    source: Source,
    *,
    name: str | None = None,
    gravity: Vector | None = None,
    lock: Mapping[str, Any] | None = None,
    packages: Packages = (),
    strict: bool = True,
) -> Mechanism:
    """The mechanism of an MJCF file; see `kinetree.Robot.from_mjcf`."""
    folders, held, unread = package_folders(packages), dict(lock or {}), Unread()
    model = Model(read_mjcf(source, folders), None if is_text(source) else Path(source).parent, folders, strict, unread)
    root, settings = model.expanded(), model.scope.settings
    tree = MjcfTree(root, model.scope, unread)
    _check(tree, held, strict)
    note_sections((root, *model.roots), settings, unread)
    total = sum(body.inertia.mass for body in tree.bodies)
    scale = settings.total_mass / total if settings.total_mass > 0 and total > 0 else 1.0
    parts = _Parts(tree, held, scale, _springs(tree, scale))
    parts.add_sites()
    equalities = Equalities(tree, parts.places, held, unread)
    equalities.read(root, settings)
    free_fall = settings.gravity if gravity is None else gravity_vector(gravity)
    frames, loops, couplings = tuple(parts.frames), tuple(equalities.loops), tuple(equalities.couplings)
    with located(in_file(root.file)):
        whole = name or root.attributes.get("model") or "robot"
        bodies, more = tuple(parts.bodies.values()), {"strict": strict, "shapes": parts.shapes()}
        mechanism = Mechanism(bodies, whole, free_fall, frames, loops, couplings, **more)
    notes = [f"not read: {unread}"] if unread.found else []
    if ignored := listed({"loop": equalities.loops, "coupling": equalities.couplings}):
        notes.append(f"functions of the robot ignore its {ignored}; those of kt.ClosedChain(robot) satisfy them")
    if notes:
        warnings.warn(f"{root.file}: {'. '.join(notes)}", ModelWarning, stacklevel=3)
    return mechanism


def shapes_of_mjcf(source: Source, packages: Packages = (), colliding: bool = True) -> list[Visual]:
    """The shapes of a file in the frames of its bodies, by their names: of geoms that collide, or that MuJoCo draws."""
    folders, unread = package_folders(packages), Unread()
    model = Model(read_mjcf(source, folders), None if is_text(source) else Path(source).parent, folders, False, unread)
    root = model.expanded()
    tree = MjcfTree(root, model.scope, unread)
    return [x for x in (tree.colliding if colliding else tree.shapes) if x.frame.body not in (None, WORLD)]


@dataclass
class _Parts:
    """The mechanism as it grows from the world outward."""

    tree: MjcfTree
    held: Mapping[str, Any]
    scale: float  # of all masses
    springs: Mapping[str, Mapping[str, float]]
    # the frames of MJCF bodies, each in the body that it is part of
    places: dict[str, Frame] = field(default_factory=lambda: {WORLD: Frame(None)})
    bodies: dict[str, Body] = field(default_factory=dict)
    frames: list[tuple[str, Frame]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken = {WORLD, *(body.name for body in self.tree.bodies)}
        for body in self.tree.bodies:
            self.add(body)

    def add(self, body: MjcfBody) -> None:
        """Add a body to its parent, which is there already."""
        carrier, X = self.places[body.parent].body, self.places[body.parent].pose @ body.pose
        chain: list[Joint] = []
        for joint in body.joints:
            if isinstance(joint.joint.kind, Free):  # its coordinates are the pose in the world
                X = Transform.identity
            if joint.name in self.held:
                X = X @ joint.before @ pose_at(joint.joint.kind, self.held[joint.name], joint.name) @ joint.after
            else:
                chain.append(replace(joint.joint, placement=X @ joint.before, **self.springs.get(joint.name, {})))
                X = joint.after
        for k, joint in enumerate(chain, 1):
            is_body = k == len(chain) and Transform.identity == X
            made = body.name if is_body else self._free_name(f"{body.name}/{joint.name}")
            self.bodies[made] = Body(made, joint, Inertia(), carrier)
            carrier = made
        self.places[body.name] = Frame(carrier, X)
        if carrier != body.name:
            self.frames.append((body.name, Frame(carrier, X)))
        if carrier is not None and body.inertia.mass * self.scale != 0:
            own = Inertia(body.inertia.mass * self.scale, body.inertia.com, body.inertia.about_com * self.scale)
            inertia = self.bodies[carrier].inertia + own.moved(X)
            self.bodies[carrier] = replace(self.bodies[carrier], inertia=inertia)

    def add_sites(self) -> None:
        for name, (body, pose) in self.tree.sites.items():
            place = self.places[body]
            free = self._free_name(f"{name}_site" if name in self.places else name)
            self.frames.append((free, Frame(place.body, place.pose @ pose)))

    def shapes(self) -> tuple[Visual, ...]:
        """What the bodies look like."""
        placed = ((x, self.places[x.frame.body or WORLD]) for x in self.tree.shapes)
        return tuple(x.moved(Frame(at.body, at.pose @ x.frame.pose)) for x, at in placed)

    def _free_name(self, name: str) -> str:
        self.taken.add(name := free_name(name, self.taken))
        return name


# -- springs -------------------------------------------------------------------------------------------------


def _springs(tree: MjcfTree, scale: float) -> Mapping[str, Mapping[str, float]]:
    """The springs that are given by a time constant: they depend on the masses of the whole, nothing locked."""
    wanted = {name: joint.springdamper for name, joint in tree.joints.items() if any(joint.springdamper)}
    if not wanted:
        return {}
    bodies = _Parts(tree, {}, scale, {}).bodies.values()
    return springs_of(Mechanism(tuple(bodies), strict=False), {n: j.ref for n, j in tree.joints.items()}, wanted)


# -- checks --------------------------------------------------------------------------------------------------


def _check(tree: MjcfTree, held: Mapping[str, Any], strict: bool) -> None:
    check_names("moving joint", held, tree.joints)
    if not strict:
        return
    for joint in tree.joints.values():
        check_order(joint.joint.limits, joint.element.error)
    bodies = {body.name: body for body in tree.bodies}

    def check(name: str) -> None:
        with located(bodies[name].element.error):
            bodies[name].inertia.check(name)

    check_each("bodies", bodies, check)
