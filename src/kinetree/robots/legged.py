"""Robots that walk, by the numbers of their public descriptions: a quadruped and a biped, both on floating bases."""

from __future__ import annotations

from math import pi, radians

from kinetree.robot import Robot
from kinetree.robots.described import ZERO, BodyRow, FrameRow, JointRow, described

_90, _180 = pi / 2, pi


def hyq() -> Robot:
    """HyQ of the Istituto Italiano di Tecnologia: a hydraulic quadruped of 87 kg with three joints in each leg.

    x is forward, y left, z up. The legs are lf, rf, lh, rh: left, right, fore, hind; each has the joints haa (hip
    abduction), hfe (hip flexion), kfe (knee) and ends in a frame such as "lf_foot". ``robot.neutral`` is outside the
    limits: knees can't be stretched. It stands with haa 0, hfe 0.75 and kfe -1.5 in front, hfe -0.75 and kfe 1.5
    behind, the trunk 0.59 m above the ground.

    Source: the public description of its makers, hyq-description, which rbd-benchmarks uses.

    Example:
        >>> dog = hyq()
        >>> dog.nq, dog.nv, round(dog.total_mass, 3)
        (19, 18, 86.774)
        >>> dog.joint_names[:4]
        ('base', 'lf_haa_joint', 'lf_hfe_joint', 'lf_kfe_joint')
    """
    joints: list[JointRow] = []
    bodies: dict[str, BodyRow] = {
        "trunk": (60.96, (0.056, 0.0215, 0.00358), (1.5725937, 8.5015928, 9.1954911, 0.028375, -0.203139, -0.004462))
    }
    frames: dict[str, FrameRow] = {"trunk_imu": ("trunk", (0.290, 0.0, 0.0999214), (0.0, _180, 0.0))}
    for leg, left, fore in (("lf", 1, 1), ("rf", -1, 1), ("lh", 1, -1), ("rh", -1, -1)):
        hip, upper, lower, side = f"{leg}_hipassembly", f"{leg}_upperleg", f"{leg}_lowerleg", left * fore
        place, turn = (fore * 0.3735, left * 0.207, 0.0), (0.0, _90, _180 if left > 0 else 0.0)
        joints += [
            (f"{leg}_haa_joint", "trunk", hip, place, turn, "z", _degrees(-70, 25)),
            (f"{leg}_hfe_joint", hip, upper, (0.08, 0.0, 0.0), (left * _90, 0.0, 0.0), "z", _degrees(-50, 70, fore)),
            (f"{leg}_kfe_joint", upper, lower, (0.35, 0.0, 0.0), ZERO, "z", _degrees(-140, -20, fore)),
        ]
        bodies |= {
            hip: (2.93, (0.04263, 0.0, side * 0.16931),
                  (0.05071, 0.05486, 0.00571, -side * 4e-5, -side * 0.00159, -5e-5)),
            upper: (2.638, (0.15074, -fore * 0.02625, 0.0),
                    (0.00368, 0.02719, 0.02811, -fore * 0.00302, fore * 1e-4, 2e-5)),
            lower: (0.881, (0.1254, fore * 4e-5, -fore * 1e-4),
                    (0.00047, 0.01256, 0.01233, fore * 6e-5, -fore * 1e-5, 0.0)),
        }  # fmt: skip
        frames[f"{leg}_foot"] = (lower, (0.346, 0.0, 0.0), (_90, 0.0, -_90))
    imu: BodyRow = (0.018, (-0.0002, 0.0001, 0.0011), (0.0, 0.0, 0.0))
    return described("hyq", joints, bodies, frames, {"trunk_imu": imu}, floating="trunk")


def _degrees(lower: float, upper: float, fore: int = 1) -> tuple[float, float, float, float]:
    """The limits of a joint of HyQ; a hind leg bends the other way."""
    lower, upper = sorted((fore * radians(lower), fore * radians(upper)))
    return lower, upper, 12.0, 150.0


def atlas() -> Robot:
    """Atlas of Boston Dynamics as of 2015: a hydraulic biped of 175 kg with 30 joints on a floating pelvis.

    x is forward, y left, z up. Joints are named by limb, direction and axis, such as "l_leg_kny", the left knee; the
    order is back, left arm, neck, right arm, left leg, right leg. Frames are "l_sole" and "r_sole" below the feet,
    "l_hand_mount" and "r_hand_mount" at the hands. At ``robot.neutral`` the legs are straight with the pelvis 0.94 m
    above the soles, and the arms reach to the sides. Inertias are rounded to six digits.

    Source: the description of the DARPA Robotics Challenge's simulation (OSRF) as Drake and rbd-benchmarks have it.

    Example:
        >>> biped = atlas()
        >>> biped.nq, biped.nv
        (37, 36)
        >>> round(float(biped.pose(biped.neutral, "l_sole")[2, 3]), 3)
        -0.938
    """
    joints = (*_BACK, *_arm("l"), _NECK, *_arm("r"), *_leg("l"), *_leg("r"))
    bodies = _TRUNK | {f"{side}_{name}": row for side in "lr" for name, row in _ARM.items()}
    frames: dict[str, FrameRow] = {}
    for side, sign in (("l", 1), ("r", -1)):
        bodies |= {f"{side}_{name}": _mirrored(row, sign) for name, row in _LEG.items()}
        frames[f"{side}_sole"] = (f"{side}_foot", (0.0426, 0.0, -0.07645), ZERO)
        frames[f"{side}_hand_mount"] = (f"{side}_hand", (0.0, -0.195, 0.0), (0.0, -_90, _180))
    return described("atlas", joints, bodies, frames, floating="pelvis")


_BACK: tuple[JointRow, ...] = (
    ("back_bkz", "pelvis", "ltorso", (-0.0125, 0.0, 0.0), ZERO, "z", (-0.663225, 0.663225, 12.0, 106.0)),
    ("back_bky", "ltorso", "mtorso", (0.0, 0.0, 0.162), ZERO, "y", (-0.219388, 0.538783, 9.0, 445.0)),
    ("back_bkx", "mtorso", "utorso", (0.0, 0.0, 0.05), ZERO, "x", (-0.523599, 0.523599, 12.0, 300.0)),
)
_NECK: JointRow = ("neck_ay", "utorso", "head", (0.2546, 0.0, 0.6215), ZERO, "y", (-0.602139, 1.14319, 6.28, 25.0))
_TRUNK: dict[str, BodyRow] = {
    "pelvis": (9.509, (0.0111, 0.0, 0.0271), (0.1244, 0.0958, 0.1167, 0.0008, -0.0007, -0.0005)),
    "ltorso": (2.27, (-0.0112984, -3.15366e-6, 0.0746835),
               (0.0039092, 0.00341694, 0.00174492, -5.04491e-8, -0.000342157, 4.87119e-7)),
    "mtorso": (0.799, (-0.00816266, -0.0131245, 0.0305974),
               (0.000454181, 0.000483282, 0.000444215, -6.10764e-5, 3.94009e-5, 5.27463e-5)),
    "utorso": (84.609, (-0.0616866, 0.00229456, 0.316809),
               (1.62389, 1.65538, 0.577362, -0.0319003, 0.0816618, 0.0472154)),
    "head": (2.087564, (-0.0526114, 3.39872e-5, 0.0260689),
             (0.0120996, 0.0133409, 0.0133744, -9.26521e-7, -0.000450074, -2.13313e-6)),
}  # fmt: skip
_LEG: dict[str, BodyRow] = {  # the left one
    "uglut": (1.959, (0.00529262, -0.00344732, 0.00313046),
              (0.00074276, 0.000688179, 0.00041242, -3.79607e-8, -2.79549e-5, -3.2735e-8)),
    "lglut": (0.898, (0.0133341, 0.0170484, -0.0312052),
              (0.000691326, 0.00126856, 0.00106487, -2.24344e-5, 2.50508e-6, 0.000137862)),
    "uleg": (8.204, (0.0, 0.0, -0.21), (0.09, 0.09, 0.02)),
    "lleg": (4.515, (0.001, 0.0, -0.187), (0.077, 0.076, 0.01, 0.0, -0.003, 0.0)),
    "talus": (0.125, ZERO, (1.01674e-5, 8.42775e-6, 1.30101e-5)),
    "foot": (2.41, (0.027, 0.0, -0.067), (0.002, 0.007, 0.008)),
}  # fmt: skip
_ARM: dict[str, BodyRow] = {  # both; the left one is turned, not mirrored
    "clav": (4.466, (0.0, 0.0, -0.084), (0.011, 0.009, 0.004, 0.0, 0.0, 0.004)),
    "scap": (3.899, ZERO, (0.00319, 0.00583, 0.00583)),
    "uarm": (4.386, (0.0, 0.065, 0.0), (0.00656, 0.00358, 0.00656)),
    "larm": (3.248, ZERO, (0.00265, 0.00446, 0.00446)),
    "ufarm": (2.4798, (0.00015, 0.08296, 0.00037), (0.012731, 0.002857, 0.011948)),
    "lfarm": (0.648, (0.00017, -0.02515, 0.00163), (0.000764, 0.000429, 0.000825)),
    "hand": (0.6839, (0.000136605, -0.0878643, 1.70756e-5),
             (0.000555204, 0.000487002, 0.000546206, -5.86171e-7, -2.7321e-10, -7.32714e-8)),
}  # fmt: skip


def _leg(side: str) -> tuple[JointRow, ...]:
    """The joints of a leg of Atlas."""
    left = 1 if side == "l" else -1
    rows: tuple[JointRow, ...] = (
        ("leg_hpz", "pelvis", "uglut", (0.0, left * 0.089, 0.0), ZERO, "z", (-0.174358, 0.786794, 12.0, 275.0)),
        ("leg_hpx", "uglut", "lglut", ZERO, ZERO, "x", (-0.523599, 0.523599, 12.0, 530.0)),
        ("leg_hpy", "lglut", "uleg", (0.05, left * 0.0225, -0.066), ZERO, "y", (-1.61234, 0.65764, 12.0, 840.0)),
        ("leg_kny", "uleg", "lleg", (-0.05, 0.0, -0.374), ZERO, "y", (0.0, 2.35637, 12.0, 890.0)),
        ("leg_aky", "lleg", "talus", (0.0, 0.0, -0.422), ZERO, "y", (-1.0, 0.7, 12.0, 740.0)),
        ("leg_akx", "talus", "foot", ZERO, ZERO, "x", (-0.8, 0.8, 12.0, 360.0)),
    )
    return _of_side(side, rows)


def _arm(side: str) -> tuple[JointRow, ...]:
    """The joints of an arm of Atlas; the axes of the left one point the other way."""
    left, sign, turn = (1, "-", (0.0, _180, 0.0)) if side == "l" else (-1, "", ZERO)
    shoulder = (0.1406, left * 0.2256, 0.4776), (0.0, 0.0, _180 if left > 0 else 0.0)
    rows: tuple[JointRow, ...] = (
        ("arm_shz", "utorso", "clav", *shoulder, "z", (-1.5708, 0.785398, 12.0, 87.0)),
        ("arm_shx", "clav", "scap", (0.0, -0.11, -0.245), ZERO, f"{sign}x", (-1.5708, 1.5708, 12.0, 99.0)),
        ("arm_ely", "scap", "uarm", (0.0, -0.187, -0.016), ZERO, f"{sign}y", (0.0, 3.14159, 12.0, 63.0)),
        ("arm_elx", "uarm", "larm", (0.0, -0.119, 0.0092), ZERO, f"{sign}x", (0.0, 2.35619, 12.0, 112.0)),
        ("arm_uwy", "larm", "ufarm", (0.0, -0.29955, -0.00921), turn, f"{sign}y", (-3.011, 3.011, 10.0, 25.0)),
        ("arm_mwx", "ufarm", "lfarm", ZERO, ZERO, "x", (-1.7628, 1.7628, 10.0, 25.0)),
        ("arm_lwy", "lfarm", "hand", ZERO, turn, f"{sign}y", (-2.9671, 2.9671, 10.0, 25.0)),
    )
    return _of_side(side, rows)


def _of_side(side: str, rows: tuple[JointRow, ...]) -> tuple[JointRow, ...]:
    """Rows with the names of a side; yaw, roll and the elbow's x are limited the other way on the right one."""
    made: list[JointRow] = []
    for joint, parent, body, xyz, rpy, axis, (lower, upper, velocity, effort) in rows:
        if side == "r" and joint[-1] in "zx":
            lower, upper = -upper, -lower
        on = parent if parent in _TRUNK else f"{side}_{parent}"
        made.append((f"{side}_{joint}", on, f"{side}_{body}", xyz, rpy, axis, (lower, upper, velocity, effort)))
    return tuple(made)


def _mirrored(row: BodyRow, left: int) -> BodyRow:
    """A body of the left leg, or with -1 its mirror image."""
    mass, (x, y, z), inertia = row
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    return mass, (x, left * y, z), (xx, yy, zz, left * xy, xz, left * yz)
