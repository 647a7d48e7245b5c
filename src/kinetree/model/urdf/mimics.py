"""Which joints of a URDF file follow which: `<mimic joint="..." multiplier="..." offset="..."/>`.

A joint may mimic one that mimics another; composed, each follows a joint with a coordinate of its own. On a
fixed joint, <mimic> is what somebody forgot to remove: it has no meaning and is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

from kinetree.errors import UnknownNameError
from kinetree.model import Mimic
from kinetree.model.urdf.tree import UrdfJoint, UrdfTree

ONE_COORDINATE = ("revolute", "continuous", "prismatic")


def composed_mimics(tree: UrdfTree, strict: bool, notes: list[str]) -> dict[str, Mimic]:
    """The joints that follow others, by name, each with its final leader.

    Args:
        tree: what the file says.
        strict: refuse leaders that do not exist; else the joint is one of its own, and a note says so.
        notes: where that is said.
    """
    mimics = {name: joint.mimic for name, joint in tree.joints.items() if joint.mimic and joint.type != "fixed"}
    orphans = [name for name, mimic in mimics.items() if not _has_leader(tree.joints[name], mimic, tree.joints, strict)]
    if orphans:
        listed = ", ".join(map(repr, orphans))
        notes.append(f"the joints that {listed} should mimic do not exist; they are joints of their own")
    given = {name: mimic for name, mimic in mimics.items() if name not in orphans}
    composed: dict[str, Mimic] = {}
    for start in given:
        # up to a leader that is known, then back down
        path: dict[str, Mimic] = {}
        name = start
        while name in given and name not in composed:
            if name in path:
                circle = " -> ".join([*[*path][[*path].index(name) :], name])
                element = tree.joints[name].element
                raise element.error(f"the joints mimic each other in a circle: {circle}; one must lead")
            path[name] = given[name]
            name = path[name].joint
        for follower, mimic in reversed(path.items()):
            composed[follower] = _through(composed.get(mimic.joint), mimic)
    return composed


def _through(leader: Mimic | None, mimic: Mimic) -> Mimic:
    """The follower of a follower: m (m' q + o') + o."""
    if leader is None:
        return mimic
    m, o = mimic.multiplier, mimic.offset
    return Mimic(leader.joint, m * leader.multiplier, m * leader.offset + o)


def _has_leader(joint: UrdfJoint, mimic: Mimic, joints: Mapping[str, UrdfJoint], strict: bool) -> bool:
    """Whether the leader exists; raises where it can't be one."""
    leader, element = mimic.joint, joint.element.required("mimic")
    kinds = "revolute, continuous and prismatic joints"
    if joint.type not in ONE_COORDINATE:
        raise element.error(f"a {joint.type} joint can't mimic: it has more than one coordinate; only {kinds} can")
    if leader == joint.name:
        raise element.error("the joint mimics itself; name another one, or remove <mimic>")
    if leader not in joints:
        if strict:
            unknown = UnknownNameError("joint to mimic", leader, joints)
            raise element.error(f"{unknown} Pass strict=False to read it as a joint of its own")
        return False
    if joints[leader].type not in ONE_COORDINATE:
        given = f"joint {leader!r} can't be mimicked: it is {joints[leader].type} and has not just one coordinate"
        raise element.error(f"{given}; only {kinds} have")
    return True
