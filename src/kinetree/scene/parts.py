"""Bodies for a robot without shapes: links as tapered bars between joints, joints as drums along their axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import world_poses
from kinetree.joints import Cylindrical, Fixed, Free, Helical, JointKind, Prismatic, Revolute, Spherical, Universal
from kinetree.joints.rotor import Rotor
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.scalar import Scalar
from kinetree.scene.tree import Data, ellipsoid
from kinetree.spatial import Vec3

_NEAR = 1e-9  # metres; a frame nearer than this to its body's origin is no tip
_THICK, _LEAST, _MOST = 0.19, 0.011, 0.042  # the radius of a link: of its length, and of the size of the robot
_TAPER, _THINNEST = 0.93, 0.55  # of the radius, from a body to the next; and at the least


def ends(mechanism: Mechanism) -> Iterator[tuple[int, str, Array]]:
    """Where lines end besides at bodies: the body (-1: the base), a name and the position in body axes [m].

    The tip of a branch is the frame fixed in its last body that lies farthest out; without one it is as far behind the
    centre of mass as that is behind the joint. A body that a loop ends at has its ends there.
    """
    pairs = [(loop, side, getattr(loop, side)) for loop in mechanism.loops for side in ("predecessor", "successor")]
    sides = [(mechanism.index_of(frame.body), f"{loop.name} {side}", frame.pose.p) for loop, side, frame in pairs]
    for i in sorted(set(range(mechanism.nbodies)) - {*mechanism.parents} - {i for i, _, _ in sides}):
        if (tip := _tip(mechanism, i)) is not None:
            yield i, *tip
    for i, name, offset in sides:
        if _length(offset) > _NEAR:
            yield i, name, np.array(list(offset), dtype=np.float64)


def _tip(mechanism: Mechanism, i: int) -> tuple[str, Array] | None:
    """The name and the position in body axes of the tip of body i, if it has one."""
    body = mechanism.bodies[i]
    frames = [(name, frame.pose.p) for name, frame in mechanism.named_frames if frame.body == body.name]
    name, offset = max(frames, key=lambda item: _length(item[1]), default=("", Vec3.zero))
    if _length(offset) <= _NEAR and not isinstance(body.joint.kind, Fixed):
        name, offset = f"{body.name} tip", body.inertia.com * 2.0
    return (name, np.array(list(offset), dtype=np.float64)) if _length(offset) > _NEAR else None


def _length(p: Vec3) -> float:
    """The length of a vector of numbers; zero where a named parameter makes it unknown."""
    return 0.0 if any(isinstance(x, Scalar) for x in p) else math.hypot(*p)


class Bodies:
    """The parts of a mechanism, sized by its links.

    Args:
        mechanism: without open parameters.
        q: the configuration (nq,) in which its size is measured.
        root: the pose of the world in the picture.
    """

    def __init__(self, mechanism: Mechanism, q: Sequence[float], root: Sequence[float]) -> None:
        self.mechanism, self.up = mechanism, np.array(root).reshape(3, 4)[2, :3]
        self.tips = [*ends(mechanism)]
        self.joints: list[list[Array]] = [[] for _ in range(mechanism.nbodies)]  # where others hang on each body
        poses = world_poses(mechanism, list(q))
        places = [np.zeros(3)] + [np.array([*map(float, poses[i].p)]) for i in range(mechanism.nbodies)]
        lengths: list[float] = []
        for i, parent in enumerate(mechanism.parents):
            offset = np.array([*map(float, mechanism.bodies[i].joint.placement.p)])
            free = isinstance(mechanism.bodies[i].joint.kind, Free | Rotor)
            if not free and parent >= 0:
                self.joints[parent].append(offset)
            lengths += [] if free else [float(np.linalg.norm(offset))]
        for i, _, offset in self.tips:
            if i >= 0:
                self.joints[i].append(offset)
                place = poses[i].p + poses[i].R @ Vec3.of(offset.tolist())
                places.append(np.array([*map(float, place)]))
                lengths.append(float(np.linalg.norm(offset)))
        spread = np.ptp(places, axis=0) if len(places) > 1 else np.zeros(3)
        self.size = float(np.linalg.norm(spread)) or self._largest_ellipsoid() or 0.5
        real = [x for x in lengths if x > 1e-3 * self.size] or [0.25 * self.size]
        self.radius = float(np.clip(_THICK * np.mean(real), _LEAST * self.size, _MOST * self.size))
        if mechanism.loops:  # legs that stand beside each other leave room between them
            legs = sum(up < 0 for up in mechanism.parents)
            self.radius *= min(1.0, math.sqrt(2.0 / legs))

    def _largest_ellipsoid(self) -> float:
        found = (ellipsoid(body.inertia) for body in self.mechanism.bodies)
        return max((2.0 * max(x["size"]) for x in found if x), default=0.0)

    def radius_of(self, i: int) -> float:
        """The radius of a body: the farther out, the thinner; the heavier, the thicker."""
        if i < 0:
            return 1.1 * self.radius
        depth, masses = len(self.mechanism.path(i)), [float(b.inertia.mass) for b in self.mechanism.bodies]
        mean = sum(masses) / max(sum(m > 0 for m in masses), 1)
        heavy = float(np.clip((masses[i] / mean) ** (1 / 3), 0.85, 1.15)) if masses[i] > 0 and mean > 0 else 1.0
        return self.radius * max(_TAPER ** (depth - 1), _THINNEST) * heavy

    def joint_size(self, i: int) -> float:
        """The radius of a joint's drum."""
        return 1.32 * self.radius_of(i)

    def parts(self) -> list[Data]:
        """All of them."""
        found = [*self._base()]
        floating = {*self.mechanism.base_joints}
        for i, body in enumerate(self.mechanism.bodies):
            if body.joint.name in floating and not float(body.inertia.mass) > 0:
                continue
            found += self._links(i)
            found += [] if body.joint.name in floating else self._joint(i, body.joint.kind)
        return found

    def _base(self) -> Iterator[Data]:
        """The foot of a robot that stands, and bars to its first joints."""
        roots = [b.joint for b, up in zip(self.mechanism.bodies, self.mechanism.parents) if up < 0]
        free = {*self.mechanism.base_joints}
        roots = [joint for joint in roots if joint.name not in free and not isinstance(joint.kind, Free)]
        r = self.radius_of(-1)
        if roots:
            foot = part("drum", -1, [1.75 * r, 0.32 * r], pose_along(np.zeros(3), self.up), "base")
            yield foot
        sides = [np.array([*map(float, joint.placement.p)]) for joint in roots]
        for offset in [*sides, *(offset for i, _, offset in self.tips if i < 0)]:
            yield from bar(-1, np.zeros(3), offset, r, 0.92 * r, "base")

    def _links(self, i: int) -> Iterator[Data]:
        """Bars from the body's origin to what hangs on it; from its middle where it is a trunk."""
        body, r = self.mechanism.bodies[i], self.radius_of(i)
        if isinstance(body.joint.kind, Rotor):
            return
        hung = self.joints[i]
        shape, free = ellipsoid(body.inertia), isinstance(body.joint.kind, Free)
        trunk = len(hung) + (not free) > 2 or (free and shape is not None)
        start = np.zeros(3)
        if trunk and shape is not None:
            middle = np.array(shape["pose"]).reshape(3, 4)[:, 3]
            reach = max((float(np.linalg.norm(x)) for x in hung), default=math.inf)
            half = np.minimum(np.array(shape["size"]) * math.sqrt(3 / 5), 0.9 * reach)
            if free or np.linalg.norm(middle) < reach:
                yield part("soft", i, np.maximum(half, 0.5 * r).tolist(), shape["pose"], "link")
                start = middle
                yield from bar(i, np.zeros(3), start, 0.9 * r, 0.9 * r, "link") if not free else ()
        elif not hung and shape is not None:
            half = np.minimum(np.array(shape["size"]) * math.sqrt(3 / 5), 0.2 * self.size)
            yield part("soft", i, np.maximum(half, 0.35 * r).tolist(), shape["pose"], "link")
        for offset in hung:
            yield from bar(i, start, offset, r, 0.84 * r, "link")
        for j, _, offset in self.tips:
            if j == i:
                yield part("sphere", i, [0.95 * r], pose_along(offset, self.up), "tip")
        if isinstance(body.joint.kind, Prismatic) and body.joint.name not in self.mechanism.base_joints:
            limits = body.joint.limits
            travel = limits.upper - limits.lower if math.isfinite(limits.upper - limits.lower) else 0.35 * self.size
            axis = np.array([*map(float, body.joint.kind.axis)])
            yield from bar(i, -min(travel, 0.8 * self.size) * axis, np.zeros(3), 0.6 * r, 0.6 * r, "tip")

    def _joint(self, i: int, kind: JointKind) -> Iterator[Data]:
        r, origin = self.joint_size(i), np.zeros(3)
        if isinstance(kind, Revolute | Cylindrical | Helical | Rotor):
            half = {Revolute: 1.12, Rotor: 0.5}.get(type(kind), 1.9)
            size = [0.7 * r, half * r] if isinstance(kind, Rotor) else [r, half * r]
            yield part("drum", i, size, pose_along(self._beside(i, kind, r), kind.axis), "joint", i)
        elif isinstance(kind, Prismatic):
            up, place = self.mechanism.parents[i], self.mechanism.bodies[i].joint.placement
            axis = [*map(float, place.R @ kind.axis)]
            yield part("soft", up, [0.95 * r, 0.95 * r, 1.7 * r], pose_along([*map(float, place.p)], axis), "joint", i)
        elif isinstance(kind, Spherical):
            yield part("sphere", i, [1.12 * r], pose_along(origin, self.up), "joint", i)
        elif isinstance(kind, Universal):
            for axis in (kind.first, kind.second):
                yield part("drum", i, [0.6 * r, 1.3 * r], pose_along(origin, axis), "joint", i)

    def _beside(self, i: int, kind: Any, r: float) -> Array:
        """Where a drum is along its axis: at the origin; nearer to the parent where the next joint is there, too."""
        axis, place = np.array([*map(float, kind.axis)]), self.mechanism.bodies[i].joint.placement
        next_ones = [b.joint for b in self.mechanism.bodies if b.parent == self.mechanism.bodies[i].name]
        if not any(_length(joint.placement.p) < 0.5 * r and joint.kind.nv for joint in next_ones):
            return np.zeros(3)
        way = float((place.R @ Vec3.of(axis.tolist())).dot(place.p))
        return axis * (-2.1 * r if way >= -_NEAR else 2.1 * r)


def bar(body: int, start: Any, end: Any, first: float, last: float, role: str) -> Iterator[Data]:
    """A round bar between two places of a body that tapers; none where they coincide."""
    way = np.asarray(end, float) - start
    far = float(np.linalg.norm(way))
    if far > 0.2 * first:
        yield part("capsule", body, [first, last, far], pose_along(start, way / far), role)


def part(kind: str, body: int, size: Sequence[float], pose: Sequence[float], role: str, joint: int = -1) -> Data:
    """A part as data: its shape, the body that carries it (-1: the world), and its pose there."""
    sizes = [float(f"{x:.5g}") for x in size]
    return {"kind": kind, "body": body, "size": sizes, "pose": [*pose], "role": role, "joint": joint}


def pose_along(place: Any, axis: Any) -> list[float]:
    """The twelve numbers of a pose at a place whose third axis is along a direction."""
    z = np.array([*map(float, axis)])
    z = z / (np.linalg.norm(z) or 1.0)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x = x / np.linalg.norm(x)
    columns = np.stack([x, np.cross(z, x), z], axis=1)
    return [float(v) for row, p in zip(columns, place) for v in (*row, p)]
