"""Arms that are sold, by the numbers of their public descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, radians

from kinetree.robot import Robot
from kinetree.robots.described import ZERO, BodyRow, JointRow, Triple, described

_90, _180, _360 = pi / 2, pi, 2 * pi

_UR5_BODIES: dict[str, BodyRow] = {
    "shoulder_link": (3.7, ZERO, (0.010267495893, 0.010267495893, 0.00666)),
    "upper_arm_link": (8.393, (0.0, 0.0, 0.28), (0.22689067591, 0.22689067591, 0.0151074)),
    "forearm_link": (2.275, (0.0, 0.0, 0.25), (0.049443313556, 0.049443313556, 0.004095)),
    "wrist_1_link": (1.219, ZERO, (0.111172755531, 0.111172755531, 0.21942)),
    "wrist_2_link": (1.219, ZERO, (0.111172755531, 0.111172755531, 0.21942)),
    "wrist_3_link": (0.1879, ZERO, (0.0171364731454, 0.0171364731454, 0.033822)),
}
_UR10_BODIES: dict[str, BodyRow] = {
    "shoulder_link": (7.778, ZERO, (0.0314743125769, 0.0314743125769, 0.021875625)),
    "upper_arm_link": (12.93, (0.0, 0.0, 0.306), (0.421753803798, 0.421753803798, 0.036365625)),
    "forearm_link": (3.87, (0.0, 0.0, 0.28615), (0.111069694097, 0.111069694097, 0.010884375)),
    "wrist_1_link": (1.96, ZERO, (0.0051082479567, 0.0051082479567, 0.0055125)),
    "wrist_2_link": (1.96, ZERO, (0.0051082479567, 0.0051082479567, 0.0055125)),
    "wrist_3_link": (0.202, ZERO, (0.000526462289415, 0.000526462289415, 0.000568125)),
}

_PANDA_LARGE, _PANDA_SMALL = (2.175, 87.0), (2.61, 12.0)  # velocity, effort of the two sizes of drives
_PANDA_JOINTS: tuple[JointRow, ...] = (
    ("panda_joint1", None, "panda_link1", (0.0, 0.0, 0.333), ZERO, "z", (-2.8973, 2.8973, *_PANDA_LARGE)),
    ("panda_joint2", "panda_link1", "panda_link2", ZERO, (-_90, 0.0, 0.0), "z", (-1.7628, 1.7628, *_PANDA_LARGE)),
    ("panda_joint3", "panda_link2", "panda_link3", (0.0, -0.316, 0.0), (_90, 0.0, 0.0), "z",
     (-2.8973, 2.8973, *_PANDA_LARGE)),
    ("panda_joint4", "panda_link3", "panda_link4", (0.0825, 0.0, 0.0), (_90, 0.0, 0.0), "z",
     (-3.0718, -0.0698, *_PANDA_LARGE)),
    ("panda_joint5", "panda_link4", "panda_link5", (-0.0825, 0.384, 0.0), (-_90, 0.0, 0.0), "z",
     (-2.8973, 2.8973, *_PANDA_SMALL)),
    ("panda_joint6", "panda_link5", "panda_link6", ZERO, (_90, 0.0, 0.0), "z", (-0.0175, 3.7525, *_PANDA_SMALL)),
    ("panda_joint7", "panda_link6", "panda_link7", (0.088, 0.0, 0.0), (_90, 0.0, 0.0), "z",
     (-2.8973, 2.8973, *_PANDA_SMALL)),
)  # fmt: skip
_PANDA_BODIES: dict[str, BodyRow] = {
    "panda_link1": (4.970684, (0.003875, 0.002081, -0.04762),
                    (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169)),
    "panda_link2": (0.646926, (-0.003141, -0.02872, 0.003495),
                    (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704)),
    "panda_link3": (3.228604, (0.027518, 0.039252, -0.066502),
                    (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805)),
    "panda_link4": (3.587895, (-0.05317, 0.104419, 0.027454),
                    (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641)),
    "panda_link5": (1.225946, (-0.011953, 0.041065, -0.038437),
                    (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229)),
    "panda_link6": (1.666555, (0.060149, -0.014117, -0.010517),
                    (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341)),
    "panda_link7": (0.735522, (0.010517, -0.004252, 0.061597),
                    (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741)),
}  # fmt: skip
_PANDA_HAND: dict[str, BodyRow] = {
    "hand": (0.73, (-0.01, 0.0, 0.03), (0.001, 0.0025, 0.0017)),
    "fingers": (0.03, ZERO, (4.75e-06, 4.75e-06, 1.5e-06)),
}

_IIWA_JOINTS = (  # xyz, rpy, and upper limit, velocity [degrees, degrees/s], effort
    ((0.0, 0.0, 0.1575), ZERO, 170.0, 85.0, 320.0),
    ((0.0, 0.0, 0.2025), (_90, 0.0, _180), 120.0, 85.0, 320.0),
    ((0.0, 0.2045, 0.0), (_90, 0.0, _180), 170.0, 100.0, 176.0),
    ((0.0, 0.0, 0.2155), (_90, 0.0, 0.0), 120.0, 75.0, 176.0),
    ((0.0, 0.1845, 0.0), (_90, 0.0, _180), 170.0, 130.0, 110.0),
    ((0.0, 0.0, 0.2155), (_90, 0.0, 0.0), 120.0, 135.0, 40.0),
    ((0.0, 0.081, 0.0), (_90, 0.0, _180), 175.0, 135.0, 40.0),
)
_IIWA_BODIES: tuple[BodyRow, ...] = (
    (4.0, (0.0, -0.03, 0.12), (0.1, 0.09, 0.02)),
    (4.0, (0.0003, 0.059, 0.042), (0.05, 0.018, 0.044)),
    (3.0, (0.0, 0.03, 0.13), (0.08, 0.075, 0.01)),
    (2.7, (0.0, 0.067, 0.034), (0.03, 0.01, 0.029)),
    (1.7, (0.0001, 0.021, 0.076), (0.02, 0.018, 0.005)),
    (1.8, (0.0, 0.0006, 0.0004), (0.005, 0.0036, 0.0047)),
    (0.3, (0.0, 0.0, 0.02), (0.001, 0.001, 0.001)),
)


def ur5() -> Robot:
    """The UR5 of Universal Robots: six revolute joints, 0.85 m of reach, 5 kg of payload; its tool frame is "tool0".

    Lengths and masses are the manufacturer's, inertias those of cylinders, limits -360 to 360 degrees but for the
    elbow. The inertias of the wrist are as published there, and far larger than those of bodies of 1.2 kg and this
    size: later releases of the description have others.

    Source: the public description of the manufacturer, ROS package ur_description (2018).

    Example:
        >>> ur5().joint_names[:3]
        ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint')
        >>> ur5().pose([0.0] * 6, "tool0")[:3, 3].round(4)
        array([ 0.8172,  0.1914, -0.0055])
    """
    places = (0.0, 0.0, 0.089159), (0.0, 0.13585, 0.0), (0.0, -0.1197, 0.425), (0.0, 0.0, 0.39225)
    wrist = (0.0, 0.093, 0.0), (0.0, 0.0, 0.09465), (0.0, 0.0823, 0.0)
    return _universal("ur5", (*places, *wrist), _UR5_BODIES, [(3.15, 150.0)] * 3 + [(3.2, 28.0)] * 3)


def ur10() -> Robot:
    """The UR10 of Universal Robots: six revolute joints, 1.3 m of reach, 10 kg of payload; its tool frame is "tool0".

    Lengths and masses are the manufacturer's, inertias those of cylinders, limits -360 to 360 degrees but for the
    elbow.

    Source: the public description of the manufacturer, ROS package ur_description (2018).

    Example:
        >>> ur10().nv, round(ur10().total_mass, 3)
        (6, 28.7)
    """
    places = (0.0, 0.0, 0.1273), (0.0, 0.220941, 0.0), (0.0, -0.1719, 0.612), (0.0, 0.0, 0.5723)
    wrist = (0.0, 0.1149, 0.0), (0.0, 0.0, 0.1157), (0.0, 0.0922, 0.0)
    drives = [(2.16, 330.0)] * 2 + [(3.15, 150.0)] + [(3.2, 54.0)] * 3
    return _universal("ur10", (*places, *wrist), _UR10_BODIES, drives)


def panda(hand: bool = True) -> Robot:
    """The Panda of Franka Emika (FER): seven revolute joints with the limits of its data sheet.

    Frames are "flange", and with the hand "hand", "fingers" and "tcp", the point between the tips of the fingers. The
    hand is fixed to the last link, and so are its fingers, closed. ``robot.neutral`` is outside the limits: joint 4
    can't be stretched. [0, -pi/4, 0, -3 pi/4, 0, pi/2, pi/4] is where the arm is ready to work.

    Source: the public description of the manufacturer, franka_description, whose masses and inertias were identified.

    Args:
        hand: whether it has the hand.

    Example:
        >>> arm = panda()
        >>> arm.joint_names[0], arm.effort_limits
        ('panda_joint1', array([87., 87., 87., 87., 12., 12., 12.]))
        >>> arm.pose([0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4], "tcp")[:3, 3].round(4)
        array([0.3069, 0.    , 0.4869])
    """
    name, at, turned = "panda_link7", (0.0, 0.0, 0.107), (0.0, 0.0, -pi / 4)
    frames = {"flange": (name, at, ZERO)}
    if hand:
        frames |= {"hand": (name, at, turned)}
        frames |= {"fingers": (name, (0.0, 0.0, 0.107 + 0.0584), turned)}
        frames |= {"tcp": (name, (0.0, 0.0, 0.107 + 0.1034), turned)}
    return described("panda", _PANDA_JOINTS, _PANDA_BODIES, frames, _PANDA_HAND if hand else {})


def iiwa14() -> Robot:
    """The LBR iiwa 14 R820 of KUKA: seven revolute joints, 0.82 m of reach, 14 kg of payload; its frame is "flange".

    Masses and inertias are estimates in round numbers, those of the iiwa of rbd-benchmarks. Limits of velocity and
    torque are KUKA's data sheet's.

    Source: the public description lbr_iiwa of Krug and Stoyanov (2015); the data sheet for the limits.

    Example:
        >>> iiwa14().pose([0.0] * 7, "flange")[:3, 3].round(3)
        array([0.   , 0.   , 1.306])
    """
    names = [f"iiwa_link_{k}" for k in range(1, 8)]
    joints = tuple(
        (f"iiwa_joint_{k}", parent, body, xyz, rpy, "z", (-radians(upper), radians(upper), radians(velocity), effort))
        for k, (parent, body, (xyz, rpy, upper, velocity, effort)) in enumerate(
            zip([None, *names], names, _IIWA_JOINTS), 1
        )
    )
    return described("iiwa14", joints, dict(zip(names, _IIWA_BODIES)), {"flange": (names[-1], (0.0, 0.0, 0.045), ZERO)})


def _universal(
    name: str, places: Sequence[Triple], bodies: dict[str, BodyRow], drives: Sequence[tuple[float, float]]
) -> Robot:
    """An arm of Universal Robots, by where its joints and its tool are [m], and velocity and effort of its drives."""
    kinds = (("shoulder_pan", "z"), ("shoulder_lift", "y"), ("elbow", "y"), ("wrist_1", "y"), ("wrist_2", "z"),
             ("wrist_3", "y"))  # fmt: skip
    pitched = {"shoulder_lift", "wrist_1"}
    joints = tuple(
        (f"{joint}_joint", parent, body, xyz, (0.0, _90, 0.0) if joint in pitched else ZERO, axis,
         (-_180, _180, *drive) if joint == "elbow" else (-_360, _360, *drive))
        for (joint, axis), parent, body, xyz, drive in zip(kinds, [None, *bodies], bodies, places, drives)
    )  # fmt: skip
    return described(name, joints, bodies, {"tool0": ("wrist_3_link", places[-1], (-_90, 0.0, 0.0))})
