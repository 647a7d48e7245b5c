"""Data on the joints of a human: which are locked in studies of gait, their ranges of motion and their strengths.

Ranges are those of clinical tables, rounded; strengths of hip, knee and ankle are the means of young men of
[Anderson2007] for the body of the model (the ankle one standard deviation above, or walking would need all of it), the
others are estimates. A number for flexion is an upper bound, one for extension a lower bound.
"""

from __future__ import annotations

import math

import numpy as np

from kinetree.robot import Robot
from kinetree.robots.human_table import MASS, STATURE
from kinetree.runtime.arrays import Array

_MOTIONS = ("flexion", "lat_bend", "axial")  # in which a joint of the trunk bends and turns
# joints that are locked at zero, by where they are
LOCKED: dict[str, tuple[str, ...]] = {
    "upper spine": tuple(f"{joint}_{motion}" for joint in ("spine3_T12L1", "spine4_T8T9") for motion in _MOTIONS),
    "clavicles": tuple(f"{side}_clavicle_{motion}" for side in "RL" for motion in ("elevation", "protraction")),
    "wrists": ("R_wrist_flexion", "R_wrist_radial_dev", "L_wrist_flexion", "L_wrist_radial_dev"),
    "lower neck": tuple(f"neck_lower_{motion}" for motion in _MOTIONS),
    "upper neck": ("neck_upper_flexion", "neck_upper_lat_bend"),
}
# which of these are, by how many of the 55 coordinates then move: the joints that [Barman] names leave 36, his count
# of 38 leaves the upper neck free
LOCKED_SETS = {36: tuple(LOCKED), 38: tuple(where for where in LOCKED if where != "upper neck")}

Table = dict[str, tuple[float, float, float, float]]
# a part of a joint's name: its range from and to [deg], its lowest and highest moment [N m] for a man of 73 kg
CLINICAL: Table = {
    "hip_flexion": (-30, 120, -201, 141),
    "hip_adduction": (-45, 30, -120, 120),
    "hip_int_rotation": (-45, 40, -60, 60),
    "knee_flexion": (0, 135, -203, 109),
    "ankle_dorsiflexion": (-50, 30, -150, 41),
    "ankle_inversion": (-20, 35, -40, 40),
    "forefoot_extension": (-10, 60, -30, 10),
    "shoulder_flexion": (-60, 180, -127, 91),
    "shoulder_abduction": (-20, 135, -128, 95),
    "shoulder_int_rotation": (-90, 70, -50, 44),
    "elbow_flexion": (0, 145, -50, 70),
    "forearm_pronation": (-80, 80, -13, 13),
    "wrist_flexion": (-70, 80, -15, 15),
    "wrist_radial_dev": (-30, 20, -15, 15),
    "clavicle_elevation": (-5, 45, -50, 50),
    "clavicle_protraction": (-15, 15, -50, 50),
    "neck_lower_flexion": (-55, 70, -30, 30),
    "neck_lower_lat_bend": (-35, 35, -30, 30),
    "neck_lower_axial": (-70, 70, -30, 30),
    "neck_upper_flexion": (-25, 10, -30, 30),
    "neck_upper_lat_bend": (-35, 35, -30, 30),
    "_flexion": (-8, 20, -300, 150),  # of one joint of the spine
    "_lat_bend": (-10, 10, -150, 150),
    "_axial": (-10, 10, -100, 100),
    "pelvis_tilt": (-5, 5, -math.inf, math.inf),
    "pelvis_obliquity": (-8, 8, -math.inf, math.inf),
    "pelvis_rotation": (-10, 10, -math.inf, math.inf),
}
_EVERYTHING = (-math.inf, math.inf, -math.inf, math.inf)
# the ranges in which people walk, well outside of the norms, and ankles that can push off. The pelvis is tilted forward
# as its markers are, by 12 +- 5 deg, the norm of [Schwartz2008]: hip angles are counted from there
WALKING: Table = {
    "ankle_dorsiflexion": (-40, 25, -220, 41),
    "ankle_inversion": (-6, 6, -40, 40),
    "shoulder_flexion": (-40, 40, -127, 91),
    "shoulder_abduction": (0, 30, -128, 95),
    "shoulder_int_rotation": (-30, 30, -50, 44),
    "elbow_flexion": (5, 70, -50, 70),
    "forearm_pronation": (-30, 30, -13, 13),
    "pelvis_tilt": (7, 17, -math.inf, math.inf),
}
WALKING |= {part: row for part, row in CLINICAL.items() if part not in WALKING}
# moments that are much for joints that need hardly any in walking [N m], by a part of their names
SMALL = {"shoulder": 15.0, "elbow": 10.0, "pronation": 3.0}


def locked(active: int) -> list[str]:
    """The joints that are locked where so many coordinates move."""
    return [joint for where in LOCKED_SETS[active] for joint in LOCKED[where]]


def _row(joint: str, table: Table) -> tuple[float, float, float, float]:
    return next((row for part, row in table.items() if part in joint), _EVERYTHING)


def ranges(robot: Robot, table: Table = CLINICAL) -> tuple[Array, Array]:
    """The lowest and highest position of each coordinate [rad, m]; infinite for the three translations."""
    low, high = np.array([_row(name, table)[:2] for name in robot.joint_names]).T
    return np.radians(low), np.radians(high)


def strengths(robot: Robot, mass: float, stature: float, table: Table = CLINICAL) -> tuple[Array, Array]:
    """The lowest and highest moment of each joint [N m], in proportion to mass times stature; infinite at the base."""
    low, high = np.array([_row(name, table)[2:] for name in robot.joint_names]).T
    scale = mass * stature / (MASS * STATURE)
    return low * scale, high * scale
