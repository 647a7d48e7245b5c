"""The numbers of the human body: joints, segments and points of the soles.

World: x left, y up, z forward. Posture zero: standing, arms down, palms forward, the middle of the hips in the origin.
Every frame has the world's axes then, so a joint is just an axis and a point, and its placement a translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinetree.model.inertia import Inertia
from kinetree.robots.solids import box
from kinetree.spatial.inertia import RigidInertia
from kinetree.spatial.matrix3 import Sym3
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

STATURE, MASS = 1.741, 73.0  # m, kg: the body that the numbers below are for

# -- joints ----------------------------------------------------------------------------------------------------------
# name, axis, point [m] in posture zero, the segment that moves with it; limbs are those of the left side

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_NX, _NY, _NZ = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)

_ANKLE_HEIGHT, _BALL_HEIGHT, _NECK = 0.039 * STATURE, 0.022, 0.052 * STATURE
_HIP, _KNEE, _ANKLE = (0.0874, 0.0, 0.0), (0.0874, -0.4222, 0.0), (0.0874, -0.8625, 0.0)
_BALL = (0.0874, -0.8625 - _ANKLE_HEIGHT + _BALL_HEIGHT, 0.130)
_L5S1, _L3L4, _T12L1, _T8T9 = (0.0, 0.100, 0.0), (0.0, 0.1457, 0.0), (0.0, 0.2535, 0.0), (0.0, 0.3612, 0.0)
_C7, _SKULL = (0.0, 0.6033, 0.0), (0.0, 0.6033 + _NECK, 0.0)
_CLAVICLE, _SHOULDER = (0.028, 0.5433, 0.0), (0.188, 0.5433, 0.0)
_ELBOW, _WRIST = (0.188, 0.2616, 0.0), (0.188, -0.0073, 0.0)
_ORIGIN = (0.0, 0.0, 0.0)

_Row = tuple[str, tuple[float, float, float], tuple[float, float, float], str]

_GLOBAL: tuple[_Row, ...] = (
    ("global_tx_lateral", _X, _ORIGIN, ""),
    ("global_ty_vertical", _Y, _ORIGIN, ""),
    ("global_tz_forward", _Z, _ORIGIN, ""),
    ("global_pelvis_tilt", _X, _ORIGIN, ""),
    ("global_pelvis_obliquity", _Z, _ORIGIN, ""),
    ("global_pelvis_rotation", _Y, _ORIGIN, "pelvis"),
)
SLIDING = ("global_tx_lateral", "global_ty_vertical", "global_tz_forward")
_LEG: tuple[_Row, ...] = (
    ("hip_flexion", _NX, _HIP, ""),
    ("hip_adduction", _NZ, _HIP, ""),
    ("hip_int_rotation", _NY, _HIP, "thigh"),
    ("knee_flexion", _X, _KNEE, "shank"),
    ("ankle_dorsiflexion", _NX, _ANKLE, ""),
    ("ankle_inversion", _NZ, _ANKLE, "foot"),
    ("forefoot_extension", _NX, _BALL, "forefoot"),
)
_SPINE: tuple[_Row, ...] = (
    ("spine1_L5S1_flexion", _X, _L5S1, ""),
    ("spine1_L5S1_lat_bend", _Z, _L5S1, ""),
    ("spine1_L5S1_axial", _Y, _L5S1, "spine1"),
    ("spine2_L3L4_flexion", _X, _L3L4, ""),
    ("spine2_L3L4_lat_bend", _Z, _L3L4, ""),
    ("spine2_L3L4_axial", _Y, _L3L4, "spine2"),
    ("spine3_T12L1_flexion", _X, _T12L1, ""),
    ("spine3_T12L1_lat_bend", _Z, _T12L1, ""),
    ("spine3_T12L1_axial", _Y, _T12L1, "spine3"),
    ("spine4_T8T9_flexion", _X, _T8T9, ""),
    ("spine4_T8T9_lat_bend", _Z, _T8T9, ""),
    ("spine4_T8T9_axial", _Y, _T8T9, "thorax"),
)
_ARM: tuple[_Row, ...] = (
    ("clavicle_elevation", _Z, _CLAVICLE, ""),
    ("clavicle_protraction", _NY, _CLAVICLE, ""),
    ("shoulder_flexion", _NX, _SHOULDER, ""),
    ("shoulder_abduction", _Z, _SHOULDER, ""),
    ("shoulder_int_rotation", _NY, _SHOULDER, "upper_arm"),
    ("elbow_flexion", _NX, _ELBOW, ""),
    ("forearm_pronation", _NY, _ELBOW, "forearm"),
    ("wrist_flexion", _NX, _WRIST, ""),
    ("wrist_radial_dev", _Z, _WRIST, "hand"),
)
_HEAD: tuple[_Row, ...] = (
    ("neck_lower_flexion", _X, _C7, ""),
    ("neck_lower_lat_bend", _Z, _C7, ""),
    ("neck_lower_axial", _Y, _C7, ""),
    ("neck_upper_flexion", _X, _SKULL, ""),
    ("neck_upper_lat_bend", _Z, _SKULL, "head"),
)


def _sided(side: str, rows: Sequence[_Row]) -> Iterator[_Row]:
    """The rows of the left limb, or their mirror image: flexion stays flexion, all else turns the other way."""
    s = {"L": 1.0, "R": -1.0}[side]
    for name, (ax, ay, az), (x, y, z), segment in rows:
        yield f"{side}_{name}", (ax, s * ay, s * az), (s * x, y, z), segment and f"{side}_{segment}"


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

# the joints that studies of gait hold at zero: clavicles, wrists, neck and the upper half of the spine
FROZEN = tuple(
    name
    for _, rows in BRANCHES
    for name, *_ in rows
    if any(part in name for part in ("clavicle", "wrist", "neck", "spine3", "spine4"))
)

# -- segments --------------------------------------------------------------------------------------------------------
# mass as part of the body's, length, centre of mass and radii of gyration as parts of the length; the radii are about
# the axes forward, sideways and along


def segments() -> dict[str, Inertia]:
    lower, middle = (0.1117, 0.1457, 0.615, 0.551, 0.587), (0.1633, 0.2155, 0.482, 0.383, 0.468)
    foot, forefoot = _foot()
    return {
        "pelvis": _slab(0.1000, *lower),
        "spine1": _slab(0.0457, *lower),
        "spine2": _slab(0.10775, *middle),
        "spine3": _slab(0.10775, *middle),
        "thorax": _bone(0.1596, 0.2421, 1 - 0.5066, 0.505, 0.320, 0.465),
        "head": _bone(0.0694, 0.2429, 1 - 0.5002, 0.303, 0.315, 0.261, from_start=_NECK),
        "upper_arm": _bone(0.0271, -0.2817, 0.5772, 0.285, 0.269, 0.158),
        "forearm": _bone(0.0162, -0.2689, 0.4574, 0.276, 0.265, 0.121),
        "hand": _bone(0.0061, -0.0862, 0.7900, 0.628, 0.513, 0.401),
        "thigh": _bone(0.1416, -0.4222, 0.4095, 0.329, 0.329, 0.149),
        "shank": _bone(0.0433, -0.4403, 0.4395, 0.251, 0.246, 0.102),
        "foot": foot,
        "forefoot": forefoot,
    }


def _bone(
    part: float, length: float, com: float, forward: float, sideways: float, along: float, from_start: float = 0.0
) -> Inertia:
    """A segment upwards from its joint, downwards with a negative length; ``from_start``: of the joint in it [m]."""
    mass = MASS * part
    x, y, z = (mass * (radius * length) ** 2 for radius in (sideways, along, forward))
    return Inertia(mass, Vec3(0.0, com * length - from_start, 0.0), Sym3.diagonal(x, y, z))


def _slab(height: float, part: float, length: float, forward: float, sideways: float, along: float) -> Inertia:
    """A level slice of a segment of the trunk, as if the segment were uniform along its length."""
    mass = MASS * part * height / length
    flat = mass * (height**2 - length**2) / 12  # what the slice lacks in length
    x, y, z = (mass * (radius * length) ** 2 for radius in (sideways, along, forward))
    return Inertia(mass, Vec3(0.0, height / 2, 0.0), Sym3.diagonal(x + flat, y, z + flat))


_HEEL, _TOE = -0.050, 0.208  # m, ahead of the ankle; the ball is 0.130 ahead
_FOREFOOT = 0.13  # of the mass of the foot


def _foot() -> tuple[Inertia, Inertia]:
    """Foot and forefoot: a box from ball to toe, and the rest; together they are the foot of the table.

    The foot's axis along is from heel to toe, so its axis forward of the table is upright. Its centre of mass is taken
    half as high as the ankle, that of the forefoot as high as the ball.
    """
    mass, length, toes = MASS * 0.0137, 0.2581, _TOE - _BALL[2]
    x, y, z = (mass * (radius * length) ** 2 for radius in (0.245, 0.257, 0.124))
    whole = Inertia(mass, Vec3(0.0, -_ANKLE_HEIGHT / 2, _HEEL + 0.4415 * length), Sym3.diagonal(x, y, z)).rigid
    forefoot = box(_FOREFOOT * mass, Vec3(0.0, 0.0, toes / 2), Vec3(0.09, 0.03, toes))
    ball = Transform(p=Vec3(0.0, _BALL[1] - _ANKLE[1], _BALL[2]))
    moved = forefoot.moved(ball).rigid
    rest = RigidInertia(whole.m - moved.m, whole.ms - moved.ms, whole.J - moved.J)
    return Inertia.of_rigid(rest), forefoot


# frames besides those of the joints: name, segment, place in it [m]
_SIDE_POINTS = (
    ("heel", "foot", (0.0, -_ANKLE_HEIGHT, _HEEL)),
    ("ball", "foot", (0.0, -_ANKLE_HEIGHT, _BALL[2])),
    ("toe", "forefoot", (0.0, -_BALL_HEIGHT, _TOE - _BALL[2])),
)
POINTS = (
    *((f"{side}_{name}", f"{side}_{body}", place) for side in "RL" for name, body, place in _SIDE_POINTS),
    ("vertex", "head", (0.0, 0.2429 - _NECK, 0.0)),
)
