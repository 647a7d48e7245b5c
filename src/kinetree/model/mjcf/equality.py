"""The <equality> section of MJCF: points pinned together, bodies welded, joints that follow others.

A pin (connect) and a weld become loops, a relation of joints a coupling. What the file leaves out of a pin or a
weld holds in the reference position, in which no joint has moved its body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.joints import Fixed, Spherical
from kinetree.model import Coupling, Frame, Loop
from kinetree.model.locked_joint import coordinates
from kinetree.model.mjcf.joint import MjcfJoint
from kinetree.model.mjcf.orientation import rotation_of_quat
from kinetree.model.mjcf.settings import Settings
from kinetree.model.mjcf.tree import WORLD, MjcfTree
from kinetree.model.mjcf.unread import Unread
from kinetree.model.text.xml import Element
from kinetree.model.validation import free_name
from kinetree.spatial import Transform, Vec3

_KINDS = ("connect", "weld", "joint")  # those that are read
_NOTHING = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # the relpose that says nothing: its quaternion is zero


@dataclass
class Equalities:
    """Reads the section for a tree whose bodies have found their places.

    Args:
        tree: the bodies and sites of the file.
        places: the Kinetree body of each body of the file, and its pose there.
        held: the positions of locked joints.
        unread: is told what is not honoured.
    """

    tree: MjcfTree
    places: Mapping[str, Frame]
    held: Mapping[str, Any]
    unread: Unread
    loops: list[Loop] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reference = {WORLD: Transform.identity}
        for body in self.tree.bodies:
            self.reference[body.name] = self.reference[body.parent] @ body.pose

    def read(self, root: Element, settings: Settings) -> None:
        """All equalities of a file."""
        elements = [element for section in root.all("equality") for element in section.children]
        given_names = {element.attributes.get("name") for element in elements}
        found: dict[str, Element] = {}
        for number, element in enumerate(elements):
            given = self.tree.scope(element).defaults.of(element, tag="equality")
            name = element.attributes.get("name") or free_name(f"equality{number}", given_names)
            if name in found:
                raise element.error(f"a second equality is called {name!r}, the first is in line {found[name].line}")
            found[name] = element
            if not settings.equalities or given.choice("active", ("true", "false"), "true") == "false":
                self.unread.add("inactive equality", name)
            elif element.tag in _KINDS:
                getattr(self, element.tag)(name, element)
            else:
                self.unread.add("equality of another kind", name)

    # -- the kinds -----------------------------------------------------------------------------------------------

    def connect(self, name: str, element: Element) -> None:
        ends = self._sites(element)
        if ends is None:
            body1, body2 = self._bodies(element)
            point = Transform(p=Vec3.of(element.numbers("anchor", 3)))
            ends = (body1, point), (body2, self.reference[body2].inverse @ self.reference[body1] @ point)
        self.loops.append(Loop(name, Spherical(), *(self._frame(*end) for end in ends)))

    def weld(self, name: str, element: Element) -> None:
        ends = self._sites(element)
        if ends is None:
            body1, body2 = self._bodies(element)
            x, y, z, *quat = element.numbers("relpose", 7, _NOTHING)
            anchor = Transform(p=Vec3.of(element.numbers("anchor", 3, (0.0, 0.0, 0.0))))
            pose = self.reference[body1].inverse @ self.reference[body2] @ anchor
            if any(quat):
                pose = Transform(rotation_of_quat(quat, element, "relpose"), Vec3(x, y, z))
            ends = (body1, pose), (body2, anchor)
        kind = Fixed() if element.number("torquescale", 1.0) else Spherical()  # without torque it is a pin
        self.loops.append(Loop(name, kind, *(self._frame(*end) for end in ends)))

    def joint(self, name: str, element: Element) -> None:
        follower = self._joint(element, "joint1")
        leader = self._joint(element, "joint2") if "joint2" in element.attributes else None
        if leader is follower:
            raise element.error(f"joint {follower.name!r} can't follow itself; joint2 must be another one")
        coefficients = element.leading("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
        if follower.name in self.held:
            self.unread.add("equality of a locked joint", name)
            return
        # q - q0 = a0 + a1 (x - x0) + ...
        polynomial = [coefficients[0]] if leader is None else shifted(coefficients, leader.ref[0])
        polynomial[0] += follower.ref[0]
        if not all(map(math.isfinite, polynomial)):
            raise element.error("the polynomial is not finite; use smaller coefficients and refs")
        if leader and leader.name in self.held:
            x = coordinates(leader.joint.kind, self.held[leader.name], leader.name)[0]
            leader, polynomial = None, [_value(polynomial, x)]
        self.couplings.append(Coupling(follower.name, leader and leader.name, tuple(polynomial)))

    # -- what they name ------------------------------------------------------------------------------------------

    def _frame(self, body: str, pose: Transform) -> Frame:
        return Frame(self.places[body].body, self.places[body].pose @ pose)

    def _bodies(self, element: Element) -> tuple[str, str]:
        body1, body2 = element.string("body1"), element.attributes.get("body2", WORLD)
        for name in (body1, body2):
            element.check_name("body", name, self.reference)
        return body1, body2

    def _sites(self, element: Element) -> tuple[tuple[str, Transform], tuple[str, Transform]] | None:
        if not element.attributes.keys() & {"site1", "site2"}:
            return None
        names = element.string("site1"), element.string("site2")
        for name in names:
            element.check_name("site", name, self.tree.sites)
        return self.tree.sites[names[0]], self.tree.sites[names[1]]

    def _joint(self, element: Element, attribute: str) -> MjcfJoint:
        name = element.string(attribute)
        element.check_name("joint", name, self.tree.joints)
        if self.tree.joints[name].joint.kind.nv != 1:
            raise element.error(f"{attribute} {name!r} is a ball or a free joint; expected a hinge or a slide")
        return self.tree.joints[name]


def _value(polynomial: Sequence[Any], x: Any) -> Any:
    result = 0.0
    for c in reversed(polynomial):
        result = result * x + c
    return result


def shifted(coefficients: tuple[float, ...], x0: float) -> list[float]:
    """The coefficients in x of a0 + a1 (x - x0) + a2 (x - x0)^2 + ..., without zeros at the end."""
    result: list[float] = []
    for a in reversed(coefficients):
        # Horner's scheme: result <- result (x - x0) + a
        result = [low - x0 * high for low, high in zip([0.0, *result], [*result, 0.0])]
        result[0] += a
    while len(result) > 1 and result[-1] == 0:
        result.pop()
    return result
