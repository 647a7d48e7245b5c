"""The human body: its joints, and where these, the soles and the masses are, from the proportions of a sex.

World: x left, y up, z forward. Configuration zero: standing, arms down, palms forward, the middle of the hips in the
origin. Every frame has the world's axes then, so a joint is just an axis and a point, and its placement a translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinetree.model import Inertia
from kinetree.robots.human_table import Proportions, Segment
from kinetree.robots.solids import box
from kinetree.spatial import RigidInertia, Sym3, Transform, Vec3

# -- joints ----------------------------------------------------------------------------------------------------------
# name, axis, where in the zero configuration, the segment that moves with it; limbs are those of the left side

Triple = tuple[float, float, float]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_NX, _NY, _NZ = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)

_Row = tuple[str, Triple, str, str]

_GLOBAL: tuple[_Row, ...] = (
    ("global_tx_lateral", _X, "origin", ""),
    ("global_ty_vertical", _Y, "origin", ""),
    ("global_tz_forward", _Z, "origin", ""),
    ("global_pelvis_tilt", _X, "origin", ""),
    ("global_pelvis_obliquity", _Z, "origin", ""),
    ("global_pelvis_rotation", _Y, "origin", "pelvis"),
)
SLIDING = ("global_tx_lateral", "global_ty_vertical", "global_tz_forward")
_LEG: tuple[_Row, ...] = (
    ("hip_flexion", _NX, "hip", ""),
    ("hip_adduction", _NZ, "hip", ""),
    ("hip_int_rotation", _NY, "hip", "thigh"),
    ("knee_flexion", _X, "knee", "shank"),
    ("ankle_dorsiflexion", _NX, "ankle", ""),
    ("ankle_inversion", _NZ, "ankle", "foot"),
    ("forefoot_extension", _NX, "ball", "forefoot"),
)
_VERTEBRAE = (
    ("spine1", "L5S1", "spine1"),
    ("spine2", "L3L4", "spine2"),
    ("spine3", "T12L1", "spine3"),
    ("spine4", "T8T9", "thorax"),
)
_SPINE: tuple[_Row, ...] = tuple(
    (f"{joint}_{vertebrae}_{angle}", axis, vertebrae, segment if angle == "axial" else "")
    for joint, vertebrae, segment in _VERTEBRAE
    for angle, axis in (("flexion", _X), ("lat_bend", _Z), ("axial", _Y))
)
_ARM: tuple[_Row, ...] = (
    ("clavicle_elevation", _Z, "clavicle", ""),
    ("clavicle_protraction", _NY, "clavicle", ""),
    ("shoulder_flexion", _NX, "shoulder", ""),
    ("shoulder_abduction", _Z, "shoulder", ""),
    ("shoulder_int_rotation", _NY, "shoulder", "upper_arm"),
    ("elbow_flexion", _NX, "elbow", ""),
    ("forearm_pronation", _NY, "elbow", "forearm"),
    ("wrist_flexion", _NX, "wrist", ""),
    ("wrist_radial_dev", _Z, "wrist", "hand"),
)
_HEAD: tuple[_Row, ...] = (
    ("neck_lower_flexion", _X, "C7", ""),
    ("neck_lower_lat_bend", _Z, "C7", ""),
    ("neck_lower_axial", _Y, "C7", ""),
    ("neck_upper_flexion", _X, "skull", ""),
    ("neck_upper_lat_bend", _Z, "skull", "head"),
)


def _sided(side: str, rows: Sequence[_Row]) -> Iterator[_Row]:
    """The rows of the left limb, or their mirror image: flexion stays flexion, all else turns the other way."""
    s = {"L": 1.0, "R": -1.0}[side]
    for name, (ax, ay, az), place, segment in rows:
        yield f"{side}_{name}", (ax, s * ay, s * az), f"{side}_{place}", segment and f"{side}_{segment}"


# the branches in the order of their coordinates, and the segments that they grow from
BRANCHES: tuple[tuple[str | None, tuple[_Row, ...]], ...] = (
    (None, _GLOBAL),
    ("pelvis", (*_sided("R", _LEG),)),
    ("pelvis", (*_sided("L", _LEG),)),
    ("pelvis", _SPINE),
    ("thorax", (*_sided("R", _ARM),)),
    ("thorax", (*_sided("L", _ARM),)),
    ("thorax", _HEAD),
)


# -- one body --------------------------------------------------------------------------------------------------------
# assumptions of our own, for men [m]: half widths of hips, clavicles and shoulders; depth of the shoulders
# below C7; the ball above the sole, heel, ball and toe ahead of the ankle; width and height of the toes
_HIPS, _CLAVICLES, _SHOULDERS, _SHOULDER_DEPTH = 0.0874, 0.028, 0.188, 0.060
_BALL_HEIGHT, _HEEL, _BALL, _TOE, _TOES = 0.022, -0.050, 0.130, 0.208, (0.09, 0.03)
_FOREFOOT = 0.13  # of the mass of the foot
_TRUNK = ("lower_trunk", "middle_trunk", "upper_trunk", "head")  # upwards from their joints
_LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shank")  # which hang from theirs


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
    return {
        "origin": (0.0, 0.0, 0.0),
        "L5S1": (0.0, body.sacrum, 0.0),
        "L3L4": (0.0, navel, 0.0),
        "T12L1": (0.0, middle, 0.0),
        "T8T9": (0.0, xiphoid, 0.0),
        "C7": (0.0, c7, 0.0),
        "skull": (0.0, c7 + body.neck, 0.0),
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
    lower, middle, trunk, head = (body.segments[name] for name in _TRUNK)
    foot, forefoot = _foot(body)
    return {
        "pelvis": _slab(body, lower, body.sacrum),
        "spine1": _slab(body, lower, round(lower.length - body.sacrum, 4)),
        "spine2": _slab(body, middle, middle.length / 2),
        "spine3": _slab(body, middle, middle.length / 2),
        "thorax": _along(body, "upper_trunk", (1 - trunk.com) * trunk.length),
        "head": _along(body, "head", (1 - head.com) * head.length - body.neck),
        **{name: _along(body, name, -body.segments[name].com * body.segments[name].length) for name in _LIMBS},
        "foot": foot,
        "forefoot": forefoot,
    }


def _along(body: Proportions, name: str, com: float) -> Inertia:
    """A segment with its centre of mass so much above its joint [m]."""
    segment = body.segments[name]
    mass = body.mass_of(segment)
    return Inertia(mass, Vec3(0.0, com, 0.0), Sym3.diagonal(*_moments(mass, segment)))


def _slab(body: Proportions, segment: Segment, height: float) -> Inertia:
    """A level slice of a segment of the trunk, as if the segment were uniform along its length."""
    mass = body.mass_of(segment) * height / segment.length
    flat = mass * (height**2 - segment.length**2) / 12  # what the slice lacks in length
    x, y, z = _moments(mass, segment)
    return Inertia(mass, Vec3(0.0, height / 2, 0.0), Sym3.diagonal(x + flat, y, z + flat))


def _moments(mass: float, segment: Segment) -> tuple[float, ...]:
    """About the axes sideways, along and forward, through the centre of mass [kg m^2]."""
    return tuple(mass * (radius * segment.length) ** 2 for radius in (segment.sideways, segment.along, segment.forward))


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
    rest = RigidInertia(whole.m - moved.m, whole.ms - moved.ms, whole.J - moved.J)
    return Inertia.of_rigid(rest), forefoot
