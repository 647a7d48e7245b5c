"""The human body: its joints, and where these, the soles and the masses are, from the proportions of a sex.

World: x left, y up, z forward. Configuration zero: standing, arms down, palms forward, the origin between the hips.
Every frame has the world's axes then, so a joint is just an axis and a point, and its placement a translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinetree.model import Inertia
from kinetree.robots.human_table import MASS as MASS, STATURE as STATURE, Proportions, Segment
from kinetree.robots.solids import box
from kinetree.spatial import RigidInertia, Sym3, Transform, Vec3

# -- joints ----------------------------------------------------------------------------------------------------------
# where in the zero configuration, the segment that moves with the last axis, the axes by their names; limbs are left

Triple = tuple[float, float, float]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_NX, _NY, _NZ = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)

_Joint = tuple[str, str, dict[str, Triple]]
_Row = tuple[str, Triple, str, str]

SLIDING = ("global_tx_lateral", "global_ty_vertical", "global_tz_forward")
_GLOBAL: tuple[_Joint, ...] = (
    ("origin", "", dict(zip(SLIDING, (_X, _Y, _Z)))),
    ("origin", "pelvis", {"global_pelvis_tilt": _X, "global_pelvis_obliquity": _Z, "global_pelvis_rotation": _Y}),
)
_LEG = (
    ("hip", "thigh", {"hip_flexion": _NX, "hip_adduction": _NZ, "hip_int_rotation": _NY}),
    ("knee", "shank", {"knee_flexion": _X}),
    ("ankle", "foot", {"ankle_dorsiflexion": _NX, "ankle_inversion": _NZ}),
    ("ball", "forefoot", {"forefoot_extension": _NX}),
)
_SPINE = (
    ("L5S1", "spine1", {"spine1_L5S1_flexion": _X, "spine1_L5S1_lat_bend": _Z, "spine1_L5S1_axial": _Y}),
    ("L3L4", "spine2", {"spine2_L3L4_flexion": _X, "spine2_L3L4_lat_bend": _Z, "spine2_L3L4_axial": _Y}),
    ("T12L1", "spine3", {"spine3_T12L1_flexion": _X, "spine3_T12L1_lat_bend": _Z, "spine3_T12L1_axial": _Y}),
    ("T8T9", "thorax", {"spine4_T8T9_flexion": _X, "spine4_T8T9_lat_bend": _Z, "spine4_T8T9_axial": _Y}),
)
_ARM = (
    ("clavicle", "", {"clavicle_elevation": _Z, "clavicle_protraction": _NY}),
    ("shoulder", "upper_arm", {"shoulder_flexion": _NX, "shoulder_abduction": _Z, "shoulder_int_rotation": _NY}),
    ("elbow", "forearm", {"elbow_flexion": _NX, "forearm_pronation": _NY}),
    ("wrist", "hand", {"wrist_flexion": _NX, "wrist_radial_dev": _Z}),
)
_HEAD = (
    ("C7", "", {"neck_lower_flexion": _X, "neck_lower_lat_bend": _Z, "neck_lower_axial": _Y}),
    ("skull", "head", {"neck_upper_flexion": _X, "neck_upper_lat_bend": _Z}),
)


def _rows(joints: Sequence[_Joint], side: str = "") -> Iterator[_Row]:
    """Name, direction, place and segment of each axis, of one side: flexion is alike, all else turns the other way."""
    s = -1.0 if side == "R_" else 1.0
    for place, segment, axes in joints:
        for name, (x, y, z) in axes.items():
            moved = segment if name == [*axes][-1] else ""
            yield side + name, (x, s * y, s * z), side + place, moved and side + moved


# the branches in the order of their coordinates, and the segments that they grow from
BRANCHES: tuple[tuple[str | None, tuple[_Row, ...]], ...] = (
    (None, (*_rows(_GLOBAL),)),
    ("pelvis", (*_rows(_LEG, "R_"),)),
    ("pelvis", (*_rows(_LEG, "L_"),)),
    ("pelvis", (*_rows(_SPINE),)),
    ("thorax", (*_rows(_ARM, "R_"),)),
    ("thorax", (*_rows(_ARM, "L_"),)),
    ("thorax", (*_rows(_HEAD),)),
)


# -- one body --------------------------------------------------------------------------------------------------------
# assumptions of our own, for men [m]: half widths of hips, clavicles and shoulders; depth of the shoulders
# below C7; the ball above the sole, heel, ball and toe ahead of the ankle; width and height of the toes
_HIPS, _CLAVICLES, _SHOULDERS, _SHOULDER_DEPTH = 0.0874, 0.028, 0.188, 0.060
_BALL_HEIGHT, _HEEL, _BALL, _TOE, _TOES = 0.022, -0.050, 0.130, 0.208, (0.09, 0.03)
_FOREFOOT = 0.13  # of the mass of the foot


def places(body: Proportions) -> dict[str, Triple]:
    """Where the joints are in the zero configuration [m].

    What lies along the limbs and the trunk adds up from the segments. Widths, the depth of the shoulders below the
    neck, and heights in the foot scale with the stature, lengths in the foot with the foot.
    """
    length = {name: segment.length for name, segment in body.segments.items()}
    half = length["middle_trunk"] / 2
    hips, clavicles, shoulders = (round(width * body.taller, 4) for width in (_HIPS, _CLAVICLES, _SHOULDERS))
    knee, ankle = _heights(0.0, -length["thigh"], -length["shank"])
    navel, middle, xiphoid, c7 = _heights(0.0, length["lower_trunk"], half, half, length["upper_trunk"])
    shoulder, elbow, wrist = _heights(c7, -_SHOULDER_DEPTH * body.taller, -length["upper_arm"], -length["forearm"])
    ball = ankle - body.ankle_height + _BALL_HEIGHT * body.taller
    left = {
        "hip": (hips, 0.0, 0.0),
        "knee": (hips, knee, 0.0),
        "ankle": (hips, ankle, 0.0),
        "ball": (hips, ball, _BALL * body.longer_foot),
        "clavicle": (clavicles, shoulder, 0.0),
        "shoulder": (shoulders, shoulder, 0.0),
        "elbow": (shoulders, elbow, 0.0),
        "wrist": (shoulders, wrist, 0.0),
    }
    trunk = {"origin": 0.0, "L5S1": body.sacrum, "L3L4": navel, "T12L1": middle, "T8T9": xiphoid, "C7": c7}
    trunk["skull"] = c7 + body.neck
    return {
        **{name: (0.0, height, 0.0) for name, height in trunk.items()},
        **{f"L_{name}": place for name, place in left.items()},
        **{f"R_{name}": (-x, y, z) for name, (x, y, z) in left.items()},
    }


def _heights(start: float, *steps: float) -> Iterator[float]:
    """Where each step ends, to the tenths of a millimetre of the table [m]."""
    for step in steps:
        start += step
        yield round(start, 4)


def points(body: Proportions) -> tuple[tuple[str, str, Triple], ...]:
    """Frames besides those of the joints: name, segment, place in it [m]."""
    depth, longer = _BALL_HEIGHT * body.taller, body.longer_foot
    soles = (
        ("heel", "foot", (0.0, -body.ankle_height, _HEEL * longer)),
        ("ball", "forefoot", (0.0, -depth, 0.0)),
        ("toe", "forefoot", (0.0, -depth, (_TOE - _BALL) * longer)),
    )
    return (
        *((f"{side}_{name}", f"{side}_{segment}", place) for side in "RL" for name, segment, place in soles),
        ("vertex", "head", (0.0, body.segments["head"].length - body.neck, 0.0)),
    )


def inertias(body: Proportions) -> dict[str, Inertia]:
    """The inertias of the segments, in frames at their joints."""
    table = body.segments
    lower, middle, upper, head = (table[name] for name in ("lower_trunk", "middle_trunk", "upper_trunk", "head"))
    foot, forefoot = _foot(body)
    hanging = {name: table[name] for name in ("upper_arm", "forearm", "hand", "thigh", "shank")}
    return {
        "pelvis": _slab(body, lower, body.sacrum),
        "spine1": _slab(body, lower, round(lower.length - body.sacrum, 4)),
        "spine2": _slab(body, middle, middle.length / 2),
        "spine3": _slab(body, middle, middle.length / 2),
        "thorax": _whole(body, upper, (1 - upper.com) * upper.length),
        "head": _whole(body, head, (1 - head.com) * head.length - body.neck),
        **{name: _whole(body, segment, -segment.com * segment.length) for name, segment in hanging.items()},
        "foot": foot,
        "forefoot": forefoot,
    }


def _whole(body: Proportions, segment: Segment, centre: float) -> Inertia:
    """A segment whose centre of mass is so much above its joint [m]."""
    mass = body.mass_of(segment)
    return Inertia(mass, Vec3(0.0, centre, 0.0), Sym3.diagonal(*_moments(mass, segment)))


def _slab(body: Proportions, segment: Segment, height: float) -> Inertia:
    """A level slice of a segment of the trunk, as if the segment were uniform along its length."""
    mass = body.mass_of(segment) * height / segment.length
    flat = mass * (height**2 - segment.length**2) / 12  # what the slice lacks in length
    x, y, z = _moments(mass, segment)
    return Inertia(mass, Vec3(0.0, height / 2, 0.0), Sym3.diagonal(x + flat, y, z + flat))


def _moments(mass: float, segment: Segment) -> tuple[float, float, float]:
    """About the axes sideways, along and forward, through the centre of mass [kg m^2]."""
    x, y, z = (mass * (radius * segment.length) ** 2 for radius in (segment.sideways, segment.along, segment.forward))
    return x, y, z


def _foot(body: Proportions) -> tuple[Inertia, Inertia]:
    """Foot and forefoot: a box from ball to toe, and the rest; together they are the foot of the table.

    The foot's axis along is from heel to toe, so its axis forward of the table is upright. Its centre of mass is taken
    half as high as the ankle, that of the forefoot as high as the ball.
    """
    segment, longer = body.segments["foot"], body.longer_foot
    mass = body.mass_of(segment)
    x, z, y = _moments(mass, segment)
    com = Vec3(0.0, -body.ankle_height / 2, _HEEL * longer + segment.com * segment.length)
    whole = Inertia(mass, com, Sym3.diagonal(x, y, z)).rigid
    joints, toes, (wide, high) = places(body), (_TOE - _BALL) * longer, _TOES
    forefoot = box(_FOREFOOT * mass, Vec3(0.0, 0.0, toes / 2), Vec3(wide * longer, high * body.taller, toes))
    ball = Vec3(*joints["L_ball"]) - Vec3(*joints["L_ankle"])
    moved = forefoot.moved(Transform(p=ball)).rigid
    return Inertia.of_rigid(RigidInertia(whole.m - moved.m, whole.ms - moved.ms, whole.J - moved.J)), forefoot
