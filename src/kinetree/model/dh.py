"""Denavit-Hartenberg tables, standard and modified, serial and branched.

Standard ([Barman] (2.8)):   A = Rz(theta) Tz(d) Tx(a) Rx(alpha), frame i at the distal end of link i.
Modified ([Guarino] II):     A = Rx(alpha) Tx(a) Rz(theta) Tz(d), frame i at the proximal joint of link i.
Tree ([Khalil2010] 2.1):     A = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r); it is the modified convention with
                             two more parameters and an antecedent. Khalil's d and r are `a` and `d` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinetree.errors import ModelError
from kinetree.joints import Fixed, Free, Prismatic, Revolute
from kinetree.model import Body, Frame, Inertia, Joint, Limits, Mechanism, gravity_vector
from kinetree.scalar import Real, Vector, is_finite, is_zero
from kinetree.spatial import Rotation, Transform, Vec3

CONVENTIONS = ("standard", "modified")
JOINTS = ("revolute", "prismatic", "fixed")


@dataclass(frozen=True, kw_only=True)
class DH:
    """One row of a DH table and the link that it carries. Metres, radians, kilograms.

    The joint variable is added to ``theta`` (revolute) or ``d`` (prismatic); the number given there is its offset.
    Centre of mass and inertia are in frame i of the convention: distal for standard, proximal for modified tables.

    Args:
        a, alpha, d, theta: the four geometric parameters.
        gamma, b: the two more of Khalil's tree notation (modified tables only).
        joint: "revolute", "prismatic" or "fixed".
        parent: the antecedent, by its row number counted from 1 or its name; 0 is the base; None the row before.
        mass, com, inertia: of the link; the inertia about its centre of mass.
        damping, coulomb, rotor_inertia: of the joint, on the joint side.
        limits: of the joint.
        name: of the link; "link<i>" where left out. The joint is called "joint<i>" or, with a name, "<name>_joint".
    """

    a: Any = 0.0
    alpha: Any = 0.0
    d: Any = 0.0
    theta: Any = 0.0
    gamma: Any = 0.0
    b: Any = 0.0
    joint: str = "revolute"
    parent: int | str | None = None
    mass: Any = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    damping: Any = 0.0
    coulomb: Any = 0.0
    rotor_inertia: Any = 0.0
    limits: Limits = Limits()
    name: str | None = None


def mechanism_from_dh(
    rows: Sequence[DH],
    convention: str = "modified",
    *,
    name: str = "robot",
    gravity: Vector = (0.0, 0.0, -9.81),
    base: str = "fixed",
    base_inertia: Inertia | None = None,
    strict: bool = True,
) -> Mechanism:
    """The mechanism of a DH table; see `kinetree.Robot.from_dh`."""
    if convention not in CONVENTIONS:
        raise ModelError(f"convention {convention!r} is not one of {', '.join(map(repr, CONVENTIONS))}")
    if base not in ("fixed", "floating"):
        raise ModelError(f"base {base!r} is not one of 'fixed', 'floating'")
    rows = _checked(rows)
    bodies: list[Body] = []
    frames: list[tuple[str, Frame]] = []
    ends = {0: Frame(None)}  # the frame of each row, in the body that carries it
    if base == "floating":
        bodies.append(Body("base", Joint("base", Free()), base_inertia or Inertia()))
        ends[0] = Frame("base")
    numbers = {row.name or f"link{i}": i for i, row in enumerate(rows, 1)} | {"base": 0}
    for i, row in enumerate(rows, 1):
        joint, distal = _standard_joint(i, row) if convention == "standard" else (modified_joint(i, row), None)
        parent, link = ends[_antecedent(i, row, numbers)], row.name or f"link{i}"
        inertia = Inertia(row.mass, row.com, row.inertia)
        ends[i] = Frame(link, distal or Transform.identity)
        frames += [(f"dh{i}", ends[i])] if distal else []
        joint = replace(joint, placement=parent.pose @ joint.placement)
        bodies.append(Body(link, joint, inertia.moved(distal) if distal else inertia, parent.body))
    return Mechanism(tuple(bodies), name, gravity_vector(gravity), tuple(frames), strict=strict)


def _checked(rows: Sequence[DH]) -> list[DH]:
    rows = list(rows)
    for i, row in enumerate(rows, 1):
        if not isinstance(row, DH):
            raise ModelError(f"row {i} of the table is {row!r}; each row is a kinetree.DH(a=..., alpha=..., ...)")
        if row.name is not None and not isinstance(row.name, str):
            raise ModelError(f"row {i}: name = {row.name!r} is not a text")
        for name in ("a", "alpha", "d", "theta", "gamma", "b"):
            value = getattr(row, name)
            if not is_finite(value):
                raise ModelError(f"row {i}: {name} = {value!r} is not a finite number")
    return rows


def modified_joint(i: int, row: DH) -> Joint:
    """The joint of row i of a modified table: its type, and its placement in the frame of the antecedent."""
    return _joint(i, row, _rot_z(row.gamma, row.b) @ _rot_x(row.alpha, row.a))


def _standard_joint(i: int, row: DH) -> tuple[Joint, Transform]:
    """The joint of row i of a standard table, and the distal frame in the body."""
    if not (is_zero(row.gamma) and is_zero(row.b)):
        raise ModelError(f"row {i}: gamma and b belong to the modified (tree) convention")
    distal = Transform(p=Vec3(row.a, 0.0, 0.0)) @ _rot_x(row.alpha, 0.0)
    return _joint(i, row, Transform.identity), distal


def _joint(i: int, row: DH, before: Transform) -> Joint:
    """The joint about z behind ``before``: its frame is turned by theta and displaced by d."""
    if row.joint not in JOINTS:
        raise ModelError(f"row {i}: joint {row.joint!r} is not one of {', '.join(map(repr, JOINTS))}")
    turns = row.joint == "revolute"
    kind = Revolute(offset=row.theta) if turns else Prismatic() if row.joint == "prismatic" else Fixed()
    name = f"{row.name}_joint" if row.name else f"joint{i}"
    placement = before @ _rot_z(0.0 if turns else row.theta, row.d)
    return Joint(name, kind, placement, row.damping, row.coulomb, row.rotor_inertia, row.limits)


def _antecedent(i: int, row: DH, numbers: dict[str, int]) -> int:
    if row.parent is None:
        return i - 1
    number = numbers.get(row.parent, -1) if isinstance(row.parent, str) else row.parent
    if not isinstance(number, int) or not 0 <= number < i:
        earlier = f"by number (1 to {i - 1}) or name ({', '.join(n for n, k in numbers.items() if k < i)})"
        raise ModelError(f"row {i}: the antecedent {row.parent!r} must be 0 (the base) or an earlier row, {earlier}")
    return number


def _rot_z(angle: Real, distance: Real) -> Transform:
    return Transform(Rotation.about(2, angle), Vec3(0.0, 0.0, distance))


def _rot_x(angle: Real, distance: Real) -> Transform:
    return Transform(Rotation.about(0, angle), Vec3(distance, 0.0, 0.0))
