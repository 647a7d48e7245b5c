"""The bodies of a mechanism at one configuration, each in its working frame: what the recursions run over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kinetree.joints import Rotor
from kinetree.model import WORLD, Mechanism
from kinetree.model.working_frames import WorkingFrame
from kinetree.scalar import Vector
from kinetree.spatial import ElementaryRotation, Force, Motion, RigidInertia, Rotation, Transform


@dataclass(frozen=True, slots=True)
class Link:
    """A body in its working frame, whose origin is that of the body frame.

    Args:
        X: the pose of the working frame in that of the parent.
        S: the columns of the joint's motion subspace.
        inertia: of the body.
        body_axes: the orientation of the body frame in the working frame.
    """

    X: Transform
    S: tuple[Motion, ...]
    inertia: RigidInertia
    body_axes: Rotation

    def in_body_axes(self, f: Force) -> Force:
        """A wrench on the body in body axes, from the working frame."""
        return Force(self.body_axes.T @ f.ang, self.body_axes.T @ f.lin)


def links(robot: Mechanism, q: Vector, frames: Sequence[WorkingFrame]) -> Iterator[Link]:
    """The links at the positions q in the given working frames, see `working_frames`."""
    axes = {WORLD: Rotation.identity}
    for i, (body, p, qs) in enumerate(zip(robot.bodies, robot.parents, robot.q_slices)):
        joint, rigid = body.joint, body.inertia.rigid
        placement, motion = joint.placement, joint.motion(q[qs])
        if frames[i] is WorkingFrame.PARENT:
            axes[i] = _added_up(axes[p].then(placement.R).then(motion.R))
            X = Transform(Rotation.identity, axes[p] @ placement.p)
        elif frames[i] is WorkingFrame.JOINT:
            axes[i] = motion.R
            X = Transform(axes[p]) @ placement
        else:
            axes[i] = Rotation.identity
            X = Transform(axes[p]) @ placement @ motion
        if not isinstance(joint.kind, Rotor):  # a rotor is round: its inertia is the same in these axes
            rigid = RigidInertia(rigid.m, axes[i] @ rigid.ms, axes[i].similar_symmetric(rigid.J))
        # a revolute joint leaves its own axis as it is: S is the same in the body frame and in the working frame
        yield Link(X, joint.subspace(q[qs]), rigid, axes[i])


def _added_up(R: Rotation) -> Rotation:
    """Rotations about one axis as a single one: cosine and sine of the sum of the angles."""
    turns = [factor for factor in R.factors if isinstance(factor, ElementaryRotation)]
    if not turns:
        return Rotation.identity
    first, *others = turns
    for other in others:
        c, s = first.c * other.c - first.s * other.s, first.s * other.c + first.c * other.s
        first = ElementaryRotation(first.axis, c, s)
    return Rotation((first,))
