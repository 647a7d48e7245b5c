"""A mechanism as URDF text.

Bodies are links, named frames are links on fixed joints. A floating base is the root link: read the text with
``base="floating"``. On a fixed base the root is the first frame that is the world's own, else it is called "world".
The readers of URDF put coordinates in depth-first order, the joints of one link alphabetically; joints in another
order hang on extra links "<body>_branch1", ... that keep it.

What the format has no word for is refused, with two exceptions: gravity and which joints are actuated are left out.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kinetree.errors import ModelError, ModelWarning
from kinetree.joints import Fixed, Free, Planar, Rotor
from kinetree.model import Body, Frame, Joint, Mechanism, Moments
from kinetree.model.text.xml import MAX_NAME
from kinetree.model.urdf.elements import TYPES, Lines, element, fixed_joint, joint, link, transmission
from kinetree.model.urdf.reader import BASE_JOINT
from kinetree.model.validation import free_name
from kinetree.spatial import Transform, Vec3

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def urdf_text(mechanism: Mechanism) -> str:
    """The mechanism as URDF text that `mechanism_from_urdf` reads back.

    Bodies on fixed joints are links of their own in the text, and frames of the body below when it is read. Limits
    that URDF demands but that are infinite are written as the largest number.
    """
    if problems := [*_problems(mechanism)]:
        given = f"robot {mechanism.name!r} has what a URDF can't say: {'; '.join(problems)}"
        raise ModelError(f"{given}. `to_json` says everything")
    writer = _Writer(mechanism)
    if writer.order != [body.name for body in mechanism.bodies]:
        given = f"the coordinates of robot {mechanism.name!r} are not in depth-first order; read from URDF they are"
        read = ", ".join(x.joint.name for name in writer.order if (x := writer.bodies[name]).joint.kind.nv)
        warnings.warn(f"{given}: {read}", ModelWarning, stacklevel=3)
    lines = element("robot", [*writer.elements()], name=mechanism.name)
    return '<?xml version="1.0"?>\n' + "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Writer:
    mechanism: Mechanism

    @cached_property
    def bodies(self) -> dict[str, Body]:
        return {body.name: body for body in self.mechanism.bodies}

    @cached_property
    def children(self) -> dict[str | None, list[Body]]:
        found: dict[str | None, list[Body]] = {None: [], **{name: [] for name in self.bodies}}
        for body in self.mechanism.bodies:
            found[body.parent].append(body)
        return found

    @cached_property
    def frames(self) -> dict[str | None, dict[str, Transform]]:
        """The frames of each body by name, extra ones for branches included."""
        found: dict[str | None, dict[str, Transform]] = {parent: {} for parent in self.children}
        for name, frame in [*self.mechanism.named_frames, *((x, Frame(up)) for up in found for x in self.branches(up))]:
            found[frame.body][name] = frame.pose
        return found

    @cached_property
    def floats(self) -> bool:
        """Whether the first body is a floating base that carries everything."""
        first, *_ = [*self.children[None], None]
        on_world = [frame for _, frame in self.mechanism.named_frames if frame.body is None]
        plain = first is not None and first.joint == Joint(BASE_JOINT, Free(), actuated=first.joint.actuated)
        return plain and len(self.children[None]) == 1 and not on_world

    @cached_property
    def root(self) -> str:
        """The root link of a fixed base."""
        return next((name for name, frame in self.mechanism.named_frames if frame == Frame(None)), "world")

    @cached_property
    def order(self) -> list[str]:
        """The bodies as a reader meets them."""
        found, waiting = [], self.children[None][::-1]
        while waiting:
            found.append(waiting.pop().name)
            waiting += self.children[found[-1]][::-1]
        return found

    def runs(self, parent: str | None) -> list[list[Body]]:
        """The bodies on a body, cut where the names of their joints are not in alphabetical order."""
        runs: list[list[Body]] = []
        for body in self.children[parent]:
            if not runs or body.joint.name < runs[-1][-1].joint.name:
                runs.append([])
            runs[-1].append(body)
        return runs

    def branches(self, parent: str | None) -> list[str]:
        """The extra links of a body, one for each run; none where one would do."""
        count = len(self.runs(parent))
        width = len(str(count))
        names = [f"{parent or 'world'}_branch{k:0{width}}" for k in range(1, count + 1)] if count > 1 else []
        taken = {name for name, frame in self.mechanism.frames.items() if frame != Frame(parent)}
        return [free_name(name, taken) for name in names]

    def elements(self) -> Iterator[Lines]:
        if not self.floats:
            yield link(self.root)
            yield from self.carried(None, self.root)
        for name in self.order:
            yield link(name, self.bodies[name])
            yield from self.carried(name, name)
        for moving in (self.bodies[name].joint for name in self.order):
            if moving.kind.nv == 1 and (moving.gear_ratio != 1 or any(moving.rotor_inertia)):
                yield transmission(moving)

    def carried(self, parent: str | None, parent_link: str) -> Iterator[Lines]:
        """The links of a body's frames, the joints that hold them, and the joints of the bodies on it."""
        taken = {body.joint.name for body in self.mechanism.bodies}
        for name, pose in sorted(self.frames[parent].items()):
            if name != parent_link:
                yield link(name)
                yield fixed_joint(free_name(f"{name}_joint", taken), parent_link, name, pose)
        for carrier, run in zip(self.branches(parent) or [parent_link], self.runs(parent)):
            for body in run:
                if not (parent is None and self.floats):
                    yield joint(body.joint, carrier, body.name)


# -- what a URDF can't say ---------------------------------------------------------------------------------------------


def _problems(mechanism: Mechanism) -> Iterator[str]:
    if mechanism.parameters:
        yield f"parameters ({_listed(mechanism.parameters)}; give them numbers first)"
        return
    if mechanism.loops:
        yield f"loops ({_listed(x.name for x in mechanism.loops)})"
    if mechanism.couplings:
        yield f"couplings (of {_listed(x.joint for x in mechanism.couplings)})"
    if _NOT_XML.search(mechanism.name):
        yield "characters in its name that XML refuses"
    frames = [name for name, _ in mechanism.named_frames]
    for name in [*(x for body in mechanism.bodies for x in (body.name, body.joint.name)), *frames]:
        if _NOT_XML.search(name) or len(name) > MAX_NAME or not name.strip():
            yield f"the name {name[:60]!r} (blank, too long, or with characters that XML refuses)"
    for body in mechanism.bodies:
        yield from (f"joint {body.joint.name!r} {problem}" for problem in _problems_of_joint(body.joint))
        inertia = body.inertia
        if isinstance(inertia, Moments) and not inertia.mass and inertia.first != Vec3.zero:
            yield f"body {body.name!r} has first moments without a mass"
        elif not all(map(math.isfinite, (inertia.mass, *inertia.com, *inertia.about_com))):
            yield f"body {body.name!r} has an inertia that is not finite"


def _problems_of_joint(joint: Joint) -> Iterator[str]:
    kind, limits = joint.kind, joint.limits
    if type(kind) not in TYPES:
        yield "is a rotor" if isinstance(kind, Rotor) else f"is {type(kind).__name__.lower()}"
    if joint.transmission:
        yield f"drives {joint.transmission.joint!r} through a spring"
    if any(joint.stiffness):
        yield "has a spring"
    for what, values in (("damping", joint.damping), ("Coulomb friction", joint.coulomb)):
        if len({*values}) > 1:
            yield f"has another {what} for each of its coordinates"
    if isinstance(kind, Free | Planar):
        if any(joint.rotor_inertia):
            yield "has a rotor inertia and not just one coordinate"
        if (limits.lower, limits.upper) != (-math.inf, math.inf):
            yield "has limits of position and not just one coordinate"
    if any(map(math.isnan, (limits.lower, limits.upper, limits.velocity, limits.effort))):
        yield "has a limit that is not a number"
    square = joint.gear_ratio * joint.gear_ratio  # the rotor inertia is divided by it
    good = 0 < square < math.inf and all(x / square < math.inf for x in joint.rotor_inertia)
    if not isinstance(kind, Fixed) and not good:
        yield f"has the gear ratio {joint.gear_ratio!r}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
