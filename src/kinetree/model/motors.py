"""Motors on any link: geared rotors, rigidly or elastically coupled to the joint that they drive.

A motor becomes a body of the mechanism, its rotor, on a joint of type `Rotor` at the link that carries it. A rigid
transmission makes that joint mimic the driven one; an elastic one gives it a coordinate of its own, the angle of the
motor referred to the joint side. So every algorithm and every derivative includes rotors without special cases.
Reference: [Hua] section II.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinetree.errors import ModelError, check_name
from kinetree.joints import Rotor
from kinetree.joints.axis import Z_AXIS, across, unit
from kinetree.model import Body, Inertia, Joint, Mechanism, Mimic, Transmission
from kinetree.model.text.file import located
from kinetree.scalar import Scalar, is_finite, is_scalar, is_zero
from kinetree.spatial import Mat3, Rotation, Sym3, Transform, Vec3


@dataclass(frozen=True)
class Motor:
    """A motor whose rotor spins with the joint that it drives, wherever it stands.

    The rotor is round: its centre of mass is on its axis, and it has the same inertia about all axes across. Where the
    joint has a ``rotor_inertia`` that stands for the same motor, remove that: it would count twice.

    Args:
        joint: the name of the driven joint, which has one coordinate of its own.
        mounted_on: the body that carries the motor, "world" for the base; it comes before the joint. The body right
            before the joint by default.
        axis: of the rotor, a unit vector in the frame of the carrying body.
        gear_ratio: revolutions of the rotor for one of the joint, [1/m] for a prismatic one. Negative: backwards.
        spin_inertia: of the rotor about its axis [kg m^2].
        mass: of the rotor [kg]; 0 where the carrying body has it already.
        com: the rotor's centre, in the frame of the carrying body [m].
        transverse_inertia: about the axes across, one number [kg m^2]; that of a thin disc by default.
        stiffness: of an elastic transmission on the joint side [N m/rad or N/m]; None if it is rigid.
        damping: of the elastic transmission [N m s/rad or N s/m]; of the motor itself where it is rigid.
        name: of the rotor and its joint; "<joint>_motor" by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link().with_motors([kt.Motor("joint2", "world", gear_ratio=50, spin_inertia=1e-4)])
        >>> arm.nbodies, arm.joint_names
        (3, ('joint1', 'joint2'))
    """

    joint: str
    mounted_on: str | None = None
    axis: Any = Z_AXIS
    gear_ratio: Any = 1.0
    spin_inertia: Any = 0.0
    mass: Any = 0.0
    com: Any = Vec3.zero
    transverse_inertia: Any = None
    stiffness: Any = None
    damping: Any = 0.0
    name: str | None = None


def with_motors(mechanism: Mechanism, motors: Sequence[Motor]) -> Mechanism:
    """The mechanism with the rotors of motors as further bodies; coordinates of elastic ones come last."""
    if isinstance(motors, Motor):
        raise ModelError("with_motors takes a list of motors, such as [kt.Motor(...)]")
    joints = {body.joint.name: body for body in mechanism.bodies}
    bodies = list(mechanism.bodies)
    taken = {*mechanism.frames, *joints}
    for motor in motors:
        if not isinstance(motor, Motor):
            raise ModelError(f"motors are of kinetree.Motor, got {motor!r}")
        check_name("joint", motor.joint, joints, "motor")
        where = f"the motor of joint {motor.joint!r}"
        driven = joints[motor.joint].joint
        if driven.mimic or driven.kind.nv != 1:
            has = f"mimics {driven.mimic.joint!r}" if driven.mimic else f"has {driven.kind.nv} coordinates"
            raise ModelError(f"{where}: the joint {has}; a motor drives a joint with one coordinate of its own")
        rotor = _rotor(motor, _carrier(mechanism, motor, where), where)
        if rotor.name in taken:
            raise ModelError(f"{where}: the name {rotor.name!r} is taken; give the motor another one with name=")
        taken.add(rotor.name)
        bodies.append(rotor)
        if motor.stiffness is not None:  # the force on the joint is that of the spring now
            i = next(k for k, body in enumerate(bodies) if body.joint.name == motor.joint)
            bodies[i] = replace(bodies[i], joint=replace(bodies[i].joint, actuated=False))
    return replace(mechanism, bodies=tuple(bodies))


def _rotor(motor: Motor, parent: str | None, where: str) -> Body:
    _check(motor, where)
    name = f"{motor.joint}_motor" if motor.name is None else motor.name
    spin = motor.spin_inertia
    across_axis = 0.5 * spin if motor.transverse_inertia is None else motor.transverse_inertia
    place = Transform(_along(_vector(motor, "axis", where)), _vector(motor, "com", where))
    link: dict[str, Any] = {"damping": motor.damping, "mimic": Mimic(motor.joint)}
    if motor.stiffness is not None:
        link = {"transmission": Transmission(motor.joint, motor.stiffness, motor.damping)}
    joint = Joint(name, Rotor(Z_AXIS, motor.gear_ratio), place, gear_ratio=motor.gear_ratio, **link)
    return Body(name, joint, Inertia(motor.mass, about_com=Sym3.diagonal(across_axis, across_axis, spin)), parent)


def _along(axis: Vec3) -> Rotation:
    """An orientation with z along the axis."""
    x, y = across(axis)
    if axis.dot(x.cross(y)) < 0:
        x, y = y, x
    return Rotation.of(Mat3(x, y, axis).T)


def _vector(motor: Motor, what: str, where: str) -> Vec3:
    """The axis or the centre of a motor; refuses what is not three numbers, and an axis that is no unit vector."""
    value = getattr(motor, what)
    values = tuple(value) if hasattr(value, "__iter__") else (value,)
    if len(values) != 3 or not all(map(is_finite, values)):
        raise ModelError(f"{where}: {what} {value!r} must be three finite numbers")
    if what == "com":
        return Vec3(*(x if isinstance(x, Scalar) else float(x) for x in values))
    if any(isinstance(x, Scalar) for x in values):
        raise ModelError(f"{where}: the axis must be known as numbers; it can't have named parameters")
    with located(lambda message: ModelError(f"{where}: {message}")):
        return unit(values)


def without_transmissions(mechanism: Mechanism) -> Mechanism:
    """The bodies of a mechanism with its elastic transmissions cut: motors and joints move independently."""
    cut = tuple(replace(body, joint=replace(body.joint, transmission=None)) for body in mechanism.bodies)
    return Mechanism(cut, mechanism.name, mechanism.gravity, strict=False)


def _carrier(mechanism: Mechanism, motor: Motor, where: str) -> str | None:
    """The name of the body that carries a motor; None for the world."""
    before = next(body.parent for body in mechanism.bodies if body.joint.name == motor.joint)
    if motor.mounted_on is None:
        return before
    if motor.mounted_on == "world":
        return None
    names = [body.name for body in mechanism.bodies]
    check_name("body", motor.mounted_on, [*names, "world"], where)
    path = [names[i] for i in mechanism.path(mechanism.index_of(before))]
    if motor.mounted_on not in path:
        possible = ", ".join(map(repr, ["world", *path]))
        remedy = f"it may be on {possible}"
        raise ModelError(f"{where} is mounted on {motor.mounted_on!r}, which does not come before the joint; {remedy}")
    return motor.mounted_on


def _check(motor: Motor, where: str) -> None:
    if motor.transverse_inertia is not None and not is_scalar(motor.transverse_inertia):
        raise ModelError(
            f"{where}: transverse_inertia {motor.transverse_inertia!r} must be one number: a rotor with unequal "
            "inertia about the axes across would change the inertia of its link as it turns; put it on a revolute joint"
        )
    names = ("gear_ratio", "spin_inertia", "mass", "damping", "stiffness", "transverse_inertia")
    values = {name: x for name in names if (x := getattr(motor, name)) is not None}
    for name, value in values.items():
        if not is_finite(value):
            raise ModelError(f"{where}: {name} {value!r} must be a finite number")
        if name != "gear_ratio" and not isinstance(value, Scalar) and value < 0:
            raise ModelError(f"{where}: {name} {value!r} must not be below 0")
    for name, remedy in (
        ("gear_ratio", "the rotor would never turn; weld it to its link"),
        ("spin_inertia", "nothing would resist the rotor; leave the motor away"),
        ("stiffness", "nothing would drive the joint; give a stiffness above 0, or None for a rigid transmission"),
    ):
        if is_zero(values.get(name, 1.0)):
            raise ModelError(f"{where}: {name} 0 is not possible: {remedy}")
