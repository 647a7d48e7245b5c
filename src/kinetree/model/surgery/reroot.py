"""Another body as the floating base: the joints between the old one and it are reversed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from kinetree.errors import ModelError, check_name
from kinetree.model import Body, Frame, Mechanism
from kinetree.model.surgery.base import floating_root
from kinetree.model.surgery.frames import moved
from kinetree.model.surgery.reverse import check_bare, reversed_joint
from kinetree.model.validation import free_name
from kinetree.spatial import Transform


def reroot(mechanism: Mechanism, body: str) -> Mechanism:
    """The same floating mechanism with another body as its base.

    Bodies. A body frame is at the body's own joint, and a body between the old base and the new one has another joint
    of its own now: it gets a frame at the joint towards the new base and the name "<body>_at_<joint>". Its old frame
    stays, by its old name. ``external`` and `joint_wrenches` are about the new frames. The new base keeps its frame.
    The bodies on the way come first, from the new base to the old one; the others follow in their old order.

    Coordinates. The free joint keeps its name and has the pose and the velocity of the new base. All joints keep
    their names, and their coordinates but for those on the way between the two bases:

    - revolute, prismatic, helical, cylindrical: the same q, qd and forces; the axis points the other way;
    - universal: the two coordinates are swapped;
    - spherical, planar, free: those of the inverse motion. With the pose (R, p) of the body in the joint frame, the
      pose is (R^T, -R^T p), the angular velocity -R w and the linear one -(R v + p x R w). Such joints must have
      neither friction nor springs, rotors or limits.

    Args:
        mechanism: one whose only body on the world is free.
        body: the name of the new base.
    """
    check_name("body", body, [x.name for x in mechanism.bodies])
    root = floating_root(mechanism)
    if root is None:
        remedy = f'make {mechanism.name!r} float with with_base("floating") first'
        raise ModelError(f"only a robot on a floating base can get another one; {remedy}")
    way = [mechanism.bodies[i] for i in reversed(mechanism.path(mechanism.index_of(body)))]  # new base to old one
    if len(way) == 1:
        return mechanism
    check_bare(root.joint, "the free joint has the coordinates of another body now")
    # the new body frames in the old ones: at the joint that leads to the new base
    places = {x.name: Frame(x.name) for x in mechanism.bodies}
    for outer, inner in pairwise(way):
        if outer.joint.placement != Transform.identity:
            name = free_name(f"{inner.name}_at_{outer.joint.name}", mechanism.frames)
            places[inner.name] = Frame(name, outer.joint.placement.inverse)

    def move(frame: Frame) -> Frame:
        return frame if frame.body is None else Frame(places[frame.body].body, _seen(places[frame.body], frame.pose))

    kept = [(old, place) for old, place in places.items() if place.body != old]
    whole = moved(mechanism, (*_turned(way, root, places), *_carried(mechanism, way, places)), move)
    return replace(whole, named_frames=(*kept, *whole.named_frames))


def _turned(way: list[Body], root: Body, places: dict[str, Frame]) -> list[Body]:
    """The bodies on the way, each on the one that it has carried."""
    turned = [replace(way[0], joint=root.joint, parent=None)]
    for outer, inner in pairwise(way):
        up, own = places[outer.name], places[inner.name]
        joint = replace(reversed_joint(outer.joint), placement=up.pose)
        inertia = inner.inertia if own.body == inner.name else inner.inertia.moved(own.pose)
        turned.append(replace(inner, name=str(own.body), joint=joint, inertia=inertia, parent=up.body))
    return turned


def _carried(mechanism: Mechanism, way: list[Body], places: dict[str, Frame]) -> list[Body]:
    """The other bodies, at the same places on their parents."""
    carried = []
    for x in mechanism.bodies:
        if x not in way and x.parent is not None:
            up = places[x.parent]
            joint = replace(x.joint, placement=_seen(up, x.joint.placement))
            carried.append(replace(x, joint=joint, parent=up.body))
    return carried


def _seen(place: Frame, pose: Transform) -> Transform:
    return pose if place.pose == Transform.identity else place.pose @ pose
