"""Consistency of a mechanism: names, parents, mimic joints, transmissions, rotors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.errors import ModelError, check_name
from kinetree.joints import Rotor
from kinetree.model.joint import Joint
from kinetree.scalar import Scalar, is_zero

if TYPE_CHECKING:
    from kinetree.model.mechanism import Body


def check_tree(bodies: Sequence[Body], name: str) -> None:
    """Parents are there and come first."""
    _check_characters("mechanism", str(name))
    check_unique("body", [body.name for body in bodies])
    parents = {body.name: body.parent for body in bodies}
    seen: set[str | None] = {None}
    for name, parent in parents.items():
        if parent == name:
            raise ModelError(f"body {name!r} is its own parent")
        if parent is not None:
            check_name("parent body", parent, parents, f"body {name!r}")
        if parent not in seen:
            if cycle := cycle_above(name, parents, set()):
                raise ModelError("the bodies form a cycle: " + " -> ".join([*reversed(cycle), cycle[-1]]))
            raise ModelError(f"body {name!r} comes before its parent {parent!r}; list parents first")
        seen.add(name)


def cycle_above(start: Any, up: Mapping[Any, Any], sound: set[Any]) -> list[Any]:
    """The cycle that a walk upwards runs into; empty where it ends, and what it met is ``sound`` from now on."""
    walk: dict[Any, None] = {}
    while start in up and start not in sound:
        if start in walk:
            return [*walk][[*walk].index(start) :]
        walk[start] = None
        start = up[start]
    sound.update(walk)
    return []


def check_mimics(joints: Mapping[str, Joint]) -> None:
    for joint in joints.values():
        if joint.mimic is None:
            continue
        check_name("joint to mimic", joint.mimic.joint, joints, f"joint {joint.name!r}")
        leader = joints[joint.mimic.joint]
        if leader.mimic or leader.kind.nv != 1:
            what = "mimics another" if leader.mimic else f"has {leader.kind.nv} coordinates"
            remedy = "the leader must have one coordinate of its own"
            raise ModelError(f"joint {joint.name!r} mimics {leader.name!r}, which {what}; {remedy}")


def check_transmissions(joints: Mapping[str, Joint]) -> None:
    for motor in joints.values():
        if motor.transmission is None:
            continue
        driven = motor.transmission.joint
        check_name("joint to drive", driven, joints, f"joint {motor.name!r}")
        if joints[driven].mimic or joints[driven].kind.nv != 1 or driven == motor.name:
            raise ModelError(f"joint {motor.name!r} drives {driven!r}, which must have one coordinate of its own")


def check_rotors(bodies: Sequence[Body]) -> None:
    """Rotors are expressed in axes that don't turn with them (`working_frames`), so they must be round."""
    for body in bodies:
        if not isinstance(body.joint.kind, Rotor):
            continue
        axis, rigid = [*body.joint.kind.axis], body.inertia.rigid
        k = next((k for k, x in enumerate(axis) if not isinstance(x, Scalar) and abs(x) == 1.0), None)
        if k is None:
            raise ModelError(f"rotor {body.name!r}: its axis must be x, y or z of its own frame, not {tuple(axis)}")
        i, j = (m for m in range(3) if m != k)
        J, ms = [[*row] for row in rigid.J.full], [*rigid.ms]
        if J[i][i] != J[j][j] or not all(map(is_zero, (J[i][j], J[i][k], J[j][k], ms[i], ms[j]))):
            raise ModelError(
                f"rotor {body.name!r} must be round: centre of mass on its axis, equal inertias about the axes across, "
                f"no products; it has the first moments {tuple(ms)} and the inertia {tuple(rigid.J)} "
                "(xx, yy, zz, xy, xz, yz). An uneven rotor would change the inertia of its link as it turns; put such "
                "a body on a revolute joint"
            )
        if carried := next((x.name for x in bodies if x.parent == body.name), None):
            raise ModelError(f"rotor {body.name!r} carries {carried!r}; put what carries others on a revolute joint")


def free_name(wish: str, taken: Collection[str | None]) -> str:
    """The wish, with underscores behind it where that name is taken."""
    while wish in taken:
        wish += "_"
    return wish


def _check_characters(kind: str, name: str) -> None:
    """Refuse half of a character (a lone surrogate), which no file and no terminal can take."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        half = name[error.start]
        raise ModelError(f"the name of a {kind}, {name!r}, has {half!r}, half of a character; leave it out") from None


def check_unique(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a {kind} must be a non-empty string, got {name!r}")
        _check_characters(kind, name)
        if name in seen or (kind != "joint" and name == "world"):
            plural = {"body": "bodies"}.get(kind, f"{kind}s")
            raise ModelError(f"two {plural} are called {name!r}; names must be unique ('world' is taken)")
        seen.add(name)
