"""Random trees: mechanisms for tests, with every joint type."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from kinetree.errors import check_names
from kinetree.joints import KINDS, Cylindrical, Helical, JointKind, Prismatic, Revolute, Rotor, Universal
from kinetree.joints.axis import unit
from kinetree.joints.quaternion import rotation
from kinetree.model import Body, Inertia, Joint
from kinetree.robot import Robot
from kinetree.spatial import Rotation, Sym3, Transform, Vec3


def random_tree(
    seed: int, joints: int, kinds: Sequence[str] = ("revolute", "prismatic"), friction: bool = False
) -> Robot:
    """A random branching mechanism.

    Source: random numbers.

    Args:
        seed: the same seed gives the same robot on every system.
        joints: how many.
        kinds: names of `kinetree.joints.KINDS` to draw from.
        friction: whether joints get friction and rotor inertia.

    Example:
        >>> random_tree(1, 4, ["revolute", "spherical"]).nbodies
        4
    """
    check_names("joint type", kinds, KINDS)
    rng = random.Random(seed)
    bodies: list[Body] = []
    for i in range(joints):
        carriers = (b.name for b in bodies[-3:] if not isinstance(b.joint.kind, Rotor))
        parent = rng.choice([None, *carriers]) if bodies else None
        damping, coulomb, rotor = (rng.uniform(0.1, 1.0) * friction for _ in range(3))
        kind = _kind(rng, rng.choice(list(kinds)))
        joint = Joint(f"joint{i + 1}", kind, _pose(rng), damping, coulomb, rotor)
        inertia = _round(rng) if isinstance(kind, Rotor) else _inertia(rng)
        bodies.append(Body(f"body{i + 1}", joint, inertia, parent))
    return Robot(tuple(bodies), f"random_tree({seed}, {joints})", Vec3(*_box(rng, 3, 9.81)))


def _box(rng: random.Random, n: int, size: float) -> list[float]:
    return [rng.uniform(-size, size) for _ in range(n)]


def _axis(rng: random.Random) -> Vec3:
    if rng.random() < 0.5:  # half of them coordinate axes, as in real robots
        axis = [0.0, 0.0, 0.0]
        axis[rng.randrange(3)] = rng.choice((-1.0, 1.0))
        return Vec3.of(axis)
    x, y, z = _box(rng, 3, 1.0)
    length = math.sqrt(x * x + y * y + z * z)
    return unit((x / length, y / length, z / length))


def _kind(rng: random.Random, name: str) -> JointKind:
    kind: Any = KINDS[name]
    if kind in (Revolute, Prismatic, Cylindrical):
        return kind(_axis(rng))
    if kind is Rotor:
        return Rotor(gear_ratio=rng.choice((-1.0, 1.0)) * rng.uniform(1.0, 20.0))
    if kind is Helical:
        return Helical(_axis(rng), rng.uniform(-0.2, 0.2))
    if kind is Universal:
        first = _axis(rng)
        second = next(a for a in iter(lambda: _axis(rng), None) if abs(a.dot(first)) < 0.7)
        return Universal(first, second)
    return kind()


def _pose(rng: random.Random) -> Transform:
    R = Rotation.identity if rng.random() < 0.3 else rotation(_box(rng, 4, 1.0))
    return Transform(R, Vec3(*_box(rng, 3, 0.5)))


def _inertia(rng: random.Random) -> Inertia:
    """A cloud of points has an inertia that a body can have."""
    points = [Vec3(*_box(rng, 3, 0.2)) for _ in range(6)]
    J = sum((Sym3.of_point(p) * rng.uniform(0.1, 1.0) for p in points), Sym3.zero)
    return Inertia(rng.uniform(0.5, 3.0), Vec3(*_box(rng, 3, 0.2)), J)


def _round(rng: random.Random) -> Inertia:
    """That of a rotor about z."""
    spin = rng.uniform(0.001, 0.01)
    return Inertia(rng.uniform(0.1, 1.0), Vec3(0.0, 0.0, rng.uniform(-0.1, 0.1)), Sym3.diagonal(spin, spin, spin))
