"""A mechanism of another size and weight; times stay what they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kinetree import joints
from kinetree.errors import ModelError
from kinetree.model import Coupling, Frame, Inertia, Joint, Limits, Mechanism, Mimic, Moments
from kinetree.model.surgery.frames import moved, rule_for
from kinetree.scalar import Scalar, is_scalar
from kinetree.spatial import Transform

ANGLE, LENGTH = False, True
# whether the coordinates, and the velocities, of a kind are lengths
Lengths = tuple[tuple[bool, ...], tuple[bool, ...]]
LENGTHS: Mapping[type[joints.JointKind], Lengths] = {
    joints.Revolute: ((ANGLE,), (ANGLE,)),
    joints.Prismatic: ((LENGTH,), (LENGTH,)),
    joints.Helical: ((ANGLE,), (ANGLE,)),
    joints.Cylindrical: ((ANGLE, LENGTH), (ANGLE, LENGTH)),
    joints.Universal: ((ANGLE,) * 2, (ANGLE,) * 2),
    joints.Spherical: ((ANGLE,) * 4, (ANGLE,) * 3),
    joints.Planar: ((LENGTH, LENGTH, ANGLE), (LENGTH, LENGTH, ANGLE)),
    joints.Free: ((LENGTH,) * 3 + (ANGLE,) * 4, (ANGLE,) * 3 + (LENGTH,) * 3),
    joints.Fixed: ((), ()),
    joints.Rotor: ((ANGLE,), (ANGLE,)),
}


def scale(mechanism: Mechanism, length: Any = 1.0, mass: Any = 1.0) -> Mechanism:
    """The mechanism with all lengths and all masses multiplied.

    - by length: places of joints and frames, centres of mass, pitches; of coordinates that are lengths the limits of
      position and velocity, rest positions, mimics and couplings. The image of a motion has these coordinates times
      ``length``, and the same angles;
    - by mass: masses, and rotor inertias of coordinates that are lengths [kg];
    - by mass * length^2: inertias, and rotor inertias of angles [kg m^2];
    - by 1 / length: gear ratios of motors whose coordinate is a length because that of their joint is [1/m];
    - not at all: gravity, and what the drives are bought with: damping, Coulomb friction, springs, limits of effort.

    Args:
        mechanism: to be scaled.
        length, mass: the factors, above 0; named parameters are possible.
    """
    size = _Size(_factor("length", length), _factor("mass", mass))
    lengths = _lengths(mechanism)
    units = {name: size.length if positions == (LENGTH,) else 1.0 for name, (positions, _) in lengths.items()}

    def move(frame: Frame) -> Frame:
        return Frame(frame.body, size.transform(frame.pose))

    bodies = (
        replace(body, joint=size.joint(body.joint, lengths[body.joint.name], units), inertia=size.inertia(body.inertia))
        for body in mechanism.bodies
    )
    couplings = tuple(size.coupling(coupling, units) for coupling in mechanism.couplings)
    known = not isinstance(size.length, Scalar)
    whole = replace(mechanism, shapes=tuple(x.times(size.length) for x in mechanism.shapes) if known else ())
    return replace(moved(whole, bodies, move, size.kind), couplings=couplings)


@dataclass(frozen=True)
class _Size:
    """The factors, and what they make of things."""

    length: Any
    mass: Any

    def transform(self, X: Transform) -> Transform:
        return Transform(X.R, X.p * self.length)

    def inertia(self, inertia: Inertia | Moments) -> Inertia | Moments:
        mass, second = inertia.mass * self.mass, self.mass * self.length * self.length
        if isinstance(inertia, Moments):
            return Moments(mass, inertia.first * (self.mass * self.length), inertia.second * second)
        return Inertia(mass, inertia.com * self.length, inertia.about_com * second)

    def kind(self, kind: joints.JointKind) -> joints.JointKind:
        return replace(kind, pitch=kind.pitch * self.length) if isinstance(kind, joints.Helical) else kind

    def joint(self, joint: Joint, lengths: Lengths, units: Mapping[str, Any]) -> Joint:
        positions, velocities = lengths
        angular = self.mass * self.length * self.length
        masses = [self.mass if is_length else angular for is_length in velocities]
        mimic, kind, gear = joint.mimic, self.kind(joint.kind), joint.gear_ratio
        if isinstance(kind, joints.Rotor) and positions == (LENGTH,):  # the rotor turns by gear_ratio * q, as it did
            kind, gear = replace(kind, gear_ratio=kind.gear_ratio / self.length), gear / self.length
        return replace(
            joint,
            kind=kind,
            gear_ratio=gear,
            placement=self.transform(joint.placement),
            rotor_inertia=tuple(x * m for x, m in zip(joint.rotor_inertia, masses)),
            rest=tuple(x * self.length if is_length else x for x, is_length in zip(joint.rest, positions)),
            limits=self.limits(joint, {*positions}),
            mimic=mimic and self.mimic(mimic, units[joint.name], units[mimic.joint]),
        )

    def limits(self, joint: Joint, units: set[bool]) -> Limits:
        old = joint.limits
        if units <= {ANGLE} or old == Limits(effort=old.effort):
            return old
        if units == {ANGLE, LENGTH}:
            given = f"joint {joint.name!r}: its limits {old} hold for angles and lengths alike and can't be scaled"
            raise ModelError(f"{given}; take them away first")
        given = {x: getattr(old, x) for x in ("lower", "upper", "velocity")}
        return replace(old, **{name: x if math.isinf(x) else x * self.length for name, x in given.items()})

    def mimic(self, mimic: Mimic, own: Any, leader: Any) -> Mimic:
        # own q = multiplier * q + offset, where both q may be lengths
        multiplier = mimic.multiplier if own is leader else mimic.multiplier * own / leader
        return replace(mimic, multiplier=multiplier, offset=mimic.offset * own)

    def coupling(self, coupling: Coupling, units: Mapping[str, Any]) -> Coupling:
        own, leader = units[coupling.joint], 1.0 if coupling.leader is None else units[coupling.leader]
        return replace(coupling, coefficients=tuple(c * own / leader**k for k, c in enumerate(coupling.coefficients)))


def _lengths(mechanism: Mechanism) -> dict[str, Lengths]:
    """Which coordinates are lengths, for each joint; that of an elastic motor is where that of its joint is."""
    all_joints = [body.joint for body in mechanism.bodies]
    found = {joint.name: rule_for(LENGTHS, joint.kind, f"joint {joint.name!r}", "scaled") for joint in all_joints}
    for motor in all_joints:
        if motor.transmission is None:
            continue
        driven = motor.transmission.joint
        if found[motor.name] != found[driven] and not isinstance(motor.kind, joints.Rotor):
            reason = "one has an angle and the other a length, so the spring can't be scaled"
            remedy = "make the motor a Rotor, whose coordinate is that of its joint"
            raise ModelError(f"joint {motor.name!r} drives {driven!r} through a spring; {reason}; {remedy}")
        found[motor.name] = found[driven]
    return found


def _factor(what: str, value: Any) -> Any:
    if isinstance(value, Scalar):
        return value
    if not is_scalar(value) or not (value > 0 and math.isfinite(value)):
        raise ModelError(f"scale: {what} must be a number above 0, got {value!r}")
    return float(value)
