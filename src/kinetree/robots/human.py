"""A human body of 55 coordinates, for the prediction of gait. Its tables are loaded when it is built."""

from __future__ import annotations

import math

from kinetree.errors import ModelError, UnknownNameError
from kinetree.joints import Prismatic, Revolute
from kinetree.model import Body, Frame, Inertia, Joint
from kinetree.robot import Robot
from kinetree.spatial import Transform, Vec3


def human55(stature: float | None = None, mass: float | None = None, sex: str = "male") -> Robot:
    """A human body: 6 global coordinates, 7 for each leg, 12 for the spine, 9 for each arm, 5 for the neck.

    Masses, lengths and inertias are those of de Leva (1996), for men of 73.0 kg and 1.741 m or for women of 61.9 kg and
    1.735 m; lower and middle trunk are cut into uniform slices at the joints of the spine. Ankle height and neck are
    Winter's parts of the stature. Where the joints of hip, spine and clavicle lie, how the foot is divided, and that
    clavicles have no mass, are assumptions of our own, made for men. For women the widths of hips and shoulders, the
    depth of the shoulders below C7 and the heights in the foot are the same parts of the stature, though the hips of
    women are wider; the height of L5S1 is the same part of the lower trunk, and the foot is divided alike. Upright the
    man measures 1.777 m and the woman 1.733 m: the segments of the table are here one above the other, in the body they
    are not quite. Other bodies are that of their sex scaled.

    Joint angles are positive for flexion, adduction of hips, abduction of shoulders, internal rotation, pronation,
    dorsiflexion, inversion; the same angles left and right are a symmetric configuration. A joint of several axes is
    several joints; the last one's body is the segment, such as "R_thigh", those between are without mass and called
    like their joints. The soles have the frames "R_heel", which belongs to the foot, "R_ball" and "R_toe", which belong
    to the forefoot, and those of the left; the top of the head is "vertex".

    Source: de Leva (1996); Winter; assumptions of our own.

    Args:
        stature: body height [m]; that of the table if not given.
        mass: of the body [kg]; that of the table if not given.
        sex: "male" or "female": whose proportions it has.

    Example:
        >>> body = human55()
        >>> body.nv, round(sum(b.inertia.mass for b in body.bodies), 9)
        (55, 73.0)
        >>> round(float(body.pose(body.neutral, "R_heel")[1, 3]), 3)
        -0.93
        >>> round(sum(b.inertia.mass for b in human55(sex="female").bodies), 9)
        61.9
    """
    from kinetree.robots.human_body import BRANCHES, SLIDING, inertias, places, points
    from kinetree.robots.human_table import PROPORTIONS

    if not (isinstance(sex, str) and sex in PROPORTIONS):
        raise UnknownNameError("human body of the sex", sex, PROPORTIONS)
    proportions = PROPORTIONS[sex]
    stature = proportions.stature if stature is None else stature
    mass = proportions.mass if mass is None else mass
    for what, value in (("stature", stature), ("mass", mass)):
        if not (isinstance(value, int | float) and 0 < value < math.inf):
            raise ModelError(f"the {what} of a human is a positive number, got {value!r}")
    scale, heavier = stature / proportions.stature, mass / proportions.mass
    place, inertia = places(proportions), inertias(proportions)
    bodies: list[Body] = []
    at: dict[str | None, Vec3] = {None: Vec3.zero}
    for root, rows in BRANCHES:
        parent = root
        for name, axis, point, segment in rows:
            body = segment or name
            at[body] = Vec3(*place[point]) * scale
            kind = Prismatic if name in SLIDING else Revolute
            joint = Joint(name, kind(Vec3(*axis)), Transform(p=at[body] - at[parent]), actuated=root is not None)
            own = inertia[segment.removeprefix("L_").removeprefix("R_")] if segment else Inertia()
            bodies.append(Body(body, joint, _scaled(own, scale, heavier), parent))
            parent = body
    frames = tuple((name, Frame(body, Transform(p=Vec3(*p) * scale))) for name, body, p in points(proportions))
    return Robot(tuple(bodies), "human55", Vec3(0.0, -9.81, 0.0), frames)


def _scaled(inertia: Inertia, length: float, mass: float) -> Inertia:
    return Inertia(inertia.mass * mass, inertia.com * length, inertia.about_com * (mass * length**2))
