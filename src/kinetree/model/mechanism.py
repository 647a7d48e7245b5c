"""The frozen description of a mechanism: a tree of bodies joined by joints.

Bodies stand in the order of their coordinates, parents before children. Nothing here computes dynamics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import Any, NamedTuple

from kinetree.errors import ModelError, check_name
from kinetree.given import Given, default
from kinetree.joints import Free
from kinetree.model.frame import Frame as Frame
from kinetree.model.inertia import Inertia
from kinetree.model.joint import Joint, Transmission
from kinetree.model.loops import Coupling, Loop
from kinetree.model.moments import Moments
from kinetree.model.validation import check_mimics, check_rotors, check_transmissions, check_tree, check_unique
from kinetree.parameter import Parameter, parameters_in
from kinetree.scalar import Scalar, is_finite, is_scalar
from kinetree.spatial import Transform, Vec3

WORLD = -1
GRAVITY = Vec3(0.0, 0.0, -9.81)


class CoordinateIndex(NamedTuple):
    """The index of a joint with one coordinate in q and in qd."""

    q: int
    v: int


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that carries it.

    Args:
        name: unique in the mechanism; also the name of the body's frame.
        joint: how it moves relative to the parent.
        inertia: its mass properties in the body frame: an `Inertia`, or the `Moments` about the frame's origin.
        parent: the name of the parent body, None for the world.
    """

    name: str
    joint: Joint
    inertia: Inertia | Moments = Inertia()
    parent: str | None = None


@dataclass(frozen=True, repr=False)
class Mechanism:
    """A tree of bodies with named frames, under gravity.

    Args:
        bodies: parents before children.
        name: for titles and messages.
        gravity: the acceleration of free fall in world axes [m/s^2].
        named_frames: frames besides those of the bodies, as pairs of name and `Frame` or a mapping.
        loops: joints that close loops; functions of the tree ignore them.
        couplings: relations between coordinates, likewise.
        strict: refuse what is physically impossible, such as a negative mass; `check` lists it otherwise.
        shapes: solids that bodies carry, for pictures; equal robots may differ in them.
    """

    bodies: Given[tuple[Body, ...], Sequence[Body]] = default(())
    name: str = "robot"
    gravity: Given[Vec3, Iterable[Any]] = default(GRAVITY)
    named_frames: Given[tuple[tuple[str, Frame], ...], Mapping[str, Frame]] = default(())
    loops: Given[tuple[Loop, ...], Sequence[Loop]] = default(())
    couplings: Given[tuple[Coupling, ...], Sequence[Coupling]] = default(())
    strict: bool = field(default=True, repr=False, compare=False)
    shapes: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("bodies", "loops", "couplings"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "gravity", gravity_vector(self.gravity))
        frames = self.named_frames
        object.__setattr__(self, "named_frames", tuple(frames.items() if isinstance(frames, Mapping) else frames))
        for body in self.bodies:
            if not isinstance(body, Body):
                raise ModelError(f"the bodies of a mechanism are of kinetree.Body, got {body!r}")
        check_tree(self.bodies, self.name)
        check_unique("joint", [body.joint.name for body in self.bodies])
        check_unique("frame", [body.name for body in self.bodies] + [name for name, _ in self.named_frames])
        check_mimics(self._joints)
        check_transmissions(self._joints)
        check_rotors(self.bodies)
        check_unique("loop", [loop.name for loop in self.loops])
        ends = [(f"loop {x.name!r}", frame) for x in self.loops for frame in (x.predecessor, x.successor)]
        for owner, frame in [*((f"frame {name!r}", frame) for name, frame in self.named_frames), *ends]:
            if frame.body is not None:
                check_name("body", frame.body, self._index, owner)
        for name in (n for x in self.couplings for n in (x.joint, x.leader) if n is not None):
            check_name("joint", name, self._joints, "coupling")
        if self.strict:
            from kinetree.model.check import refuse_errors  # with the first mechanism, not with the package

            refuse_errors(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.nbodies} bodies, nq={self.nq}, nv={self.nv}>"

    # -- the tree ------------------------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The index of each body's parent; -1 for the world."""
        return tuple(WORLD if b.parent is None else self._index[b.parent] for b in self.bodies)

    def path(self, body: int) -> tuple[int, ...]:
        """The bodies from the one that stands on the world to this one, itself included; none for the world."""
        path: list[int] = []
        while body != WORLD:
            path.append(body)
            body = self.parents[body]
        return tuple(reversed(path))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the dynamics depend on."""
        import hashlib  # loads OpenSSL: not at the start

        text = repr((self.bodies, self.gravity, self.named_frames, self.loops, self.couplings))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The named parameters that the functions of this mechanism take as keywords."""
        described = (self.bodies, self.gravity, self.named_frames, self.loops, self.couplings)
        return MappingProxyType(parameters_in(described))

    # -- coordinates ---------------------------------------------------------------------------------------------

    @cached_property
    def _joints(self) -> dict[str, Joint]:
        return {body.joint.name: body.joint for body in self.bodies}

    @cached_property
    def nq(self) -> int:
        """The number of position coordinates."""
        return sum(joint.kind.nq for joint in self._joints.values() if joint.mimic is None)

    @cached_property
    def nv(self) -> int:
        """The number of velocity coordinates: the degrees of freedom."""
        return sum(joint.kind.nv for joint in self._joints.values() if joint.mimic is None)

    @cached_property
    def nparameters(self) -> int:
        """How many numbers the joint forces are linear in: ten a body, four a velocity, two an elastic transmission."""
        joints = self._joints.values()
        return 10 * self.nbodies + 4 * sum(joint.kind.nv for joint in joints) + 2 * len(self.transmissions)

    @property
    def nbodies(self) -> int:
        """The number of bodies."""
        return len(self.bodies)

    @cached_property
    def q_slices(self) -> tuple[slice, ...]:
        """The slice of q of each body's joint; a joint that mimics another has that of its leader."""
        return self._shared([joint.kind.nq for joint in self._joints.values()])

    @cached_property
    def v_slices(self) -> tuple[slice, ...]:
        """The slice of qd, qdd and tau of each body's joint; likewise."""
        return self._shared([joint.kind.nv for joint in self._joints.values()])

    def _shared(self, sizes: Sequence[int]) -> tuple[slice, ...]:
        joints = self._joints.values()
        ends = accumulate(0 if joint.mimic else size for joint, size in zip(joints, sizes))
        own = {joint.name: slice(end - size, end) for joint, size, end in zip(joints, sizes, ends)}
        return tuple(own[joint.mimic.joint if joint.mimic else joint.name] for joint in joints)

    @cached_property
    def shares_coordinates(self) -> bool:
        """Whether joints mimic others."""
        return any(joint.mimic for joint in self._joints.values())

    @cached_property
    def base_joints(self) -> tuple[str, ...]:
        """The joints of a floating base: a free one, or the unactuated ones from the world on."""
        names: list[str] = []
        below = [i for i, p in enumerate(self.parents) if p == WORLD]
        while len(below) == 1:
            joint = self.bodies[below[0]].joint
            if joint.mimic or (joint.actuated and joint.kind.nv and not isinstance(joint.kind, Free)):
                break
            names += [joint.name] * bool(joint.kind.nv)
            if isinstance(joint.kind, Free):
                break
            below = [i for i, p in enumerate(self.parents) if p == below[0]]
        return tuple(names)

    @cached_property
    def nbase(self) -> int:
        """The degrees of freedom of a floating base; 0 for a fixed one."""
        return sum(self._joints[name].kind.nv for name in self.base_joints)

    def velocities_of(self, joint: str) -> range:
        """The indices of a joint in qd, qdd and tau."""
        check_name("joint with coordinates of its own", joint, self.joint_names)
        return range(self.nv)[self.v_slices[list(self._joints).index(joint)]]

    def coordinate_index(self, joint: str) -> CoordinateIndex:
        """The indices of a joint with one coordinate; those of its leader where it mimics one."""
        i = list(self._joints).index(joint)
        return CoordinateIndex(self.q_slices[i].start, self.v_slices[i].start)

    @cached_property
    def transmissions(self) -> tuple[tuple[Transmission, CoordinateIndex, CoordinateIndex], ...]:
        """The elastic transmissions, each with the indices of its motor and of the joint that it drives."""
        elastic = ((joint.name, joint.transmission) for joint in self._joints.values())
        index = self.coordinate_index
        return tuple((spring, index(name), index(spring.joint)) for name, spring in elastic if spring)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The moving joints in the order of their coordinates; those that mimic others have none."""
        return tuple(joint.name for joint in self._joints.values() if joint.kind.nv and not joint.mimic)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each of the nv coordinates of qd, qdd and tau: the joint's, numbered where it has several."""
        return self._numbered([(joint.name, joint.kind.nv) for joint in self._joints.values()])

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """A name for each of the nq numbers of q, likewise."""
        return self._numbered([(joint.name, joint.kind.nq) for joint in self._joints.values()])

    def _numbered(self, sizes: Sequence[tuple[str, int]]) -> tuple[str, ...]:
        own = [(name, size) for name, size in sizes if not self._joints[name].mimic]
        return tuple(name if size == 1 else f"{name}[{k}]" for name, size in own for k in range(size))

    @cached_property
    def neutral_coordinates(self) -> tuple[float, ...]:
        """The nq positions at which each body frame coincides with its joint frame: zeros, identity quaternions."""
        return tuple(x for joint in self._joints.values() if not joint.mimic for x in joint.kind.neutral)

    @cached_property
    def quaternions(self) -> tuple[tuple[str, int], ...]:
        """The joints that have a unit quaternion among their coordinates, and where it starts in q."""
        own = [(joint.name, s.start, joint.kind.quaternion) for joint, s in zip(self._joints.values(), self.q_slices)]
        return tuple((name, start + k) for name, start, k in own if k is not None)

    # -- frames --------------------------------------------------------------------------------------------------

    @cached_property
    def frames(self) -> Mapping[str, Frame]:
        """Every named frame: "world", the bodies', and those fixed in them."""
        bodies = {body.name: Frame(body.name) for body in self.bodies}
        return MappingProxyType({"world": Frame(None), **bodies, **dict(self.named_frames)})

    def index_of(self, body: str | None) -> int:
        """The index of a body; -1 for None, the world."""
        return WORLD if body is None else self._index[body]

    def frame(self, name: str) -> tuple[int, Transform]:
        """The index of the body that carries a frame (-1: world), and the frame's pose in it."""
        check_name("frame", name, self.frames)
        frame = self.frames[name]
        return self.index_of(frame.body), frame.pose


def gravity_vector(value: Any) -> Vec3:
    """Gravity as a vector; refuses what is not three finite numbers."""
    values = tuple(value) if hasattr(value, "__iter__") else (value,)
    if len(values) != 3 or not all(map(is_scalar, values)):
        raise ModelError(f"gravity is three numbers in world axes such as (0, 0, -9.81), got {values}")
    if not all(map(is_finite, values)):
        raise ModelError(f"gravity must be finite, got {values}")
    return Vec3(*(x if isinstance(x, Scalar) else float(x) for x in values))
