"""The 55 joints of the human body twice: as axes through points, and as a standard Denavit-Hartenberg table.

World axes are x left, y up, z forward, from the middle of the hips of a standing man of 1.741 m. Lengths are those of
de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of Biomechanics 29. The
table follows from axes and points by the common normals, in seven branches; the first frame of a branch is on its first
joint, and its parent carries it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

Array = np.ndarray

# name, revolute or prismatic, number of the parent, axis, point [m]; theta [deg], d [m], a [m], alpha [deg]
_TABLE = """
    global_tx_lateral        P  0 +x 0,0,0                      90        0        0   90
    global_ty_vertical       P  1 +y 0,0,0                      90        0        0   90
    global_tz_forward        P  2 +z 0,0,0                      90        0        0   90
    global_pelvis_tilt       R  3 +x 0,0,0                     180        0        0   90
    global_pelvis_obliquity  R  4 +z 0,0,0                     -90        0        0   90
    global_pelvis_rotation   R  5 +y 0,0,0                       0        0        0    0
    R_hip_flexion            R  6 -x -0.0874,0,0                 0        0        0   90
    R_hip_adduction          R  7 +z -0.0874,0,0                90        0        0   90
    R_hip_int_rotation       R  8 +y -0.0874,0,0               -90  -0.4222        0   90
    R_knee_flexion           R  9 +x -0.0874,-0.4222,0         -90        0   0.4403  180
    R_ankle_dorsiflexion     R 10 -x -0.0874,-0.8625,0         180        0        0   90
    R_ankle_inversion        R 11 +z -0.0874,-0.8625,0         180     0.13 0.045899   90
    R_forefoot_extension     R 12 -x -0.0874,-0.908399,0.13      0        0        0    0
    L_hip_flexion            R  6 -x 0.0874,0,0                180        0        0   90
    L_hip_adduction          R 14 -z 0.0874,0,0                 90        0        0   90
    L_hip_int_rotation       R 15 -y 0.0874,0,0                -90   0.4222        0   90
    L_knee_flexion           R 16 +x 0.0874,-0.4222,0           90        0   0.4403  180
    L_ankle_dorsiflexion     R 17 -x 0.0874,-0.8625,0            0        0        0   90
    L_ankle_inversion        R 18 -z 0.0874,-0.8625,0            0    -0.13 0.045899  -90
    L_forefoot_extension     R 19 -x 0.0874,-0.908399,0.13       0        0        0    0
    spine1_L5S1_flexion      R  6 +x 0,0.1,0                   180        0        0   90
    spine1_L5S1_lat_bend     R 21 +z 0,0.1,0                   -90        0        0   90
    spine1_L5S1_axial        R 22 +y 0,0.1,0                   -90   0.0457        0   90
    spine2_L3L4_flexion      R 23 +x 0,0.1457,0                -90        0        0   90
    spine2_L3L4_lat_bend     R 24 +z 0,0.1457,0                -90        0        0   90
    spine2_L3L4_axial        R 25 +y 0,0.1457,0                -90   0.1078        0   90
    spine3_T12L1_flexion     R 26 +x 0,0.2535,0                -90        0        0   90 frozen
    spine3_T12L1_lat_bend    R 27 +z 0,0.2535,0                -90        0        0   90 frozen
    spine3_T12L1_axial       R 28 +y 0,0.2535,0                -90   0.1077        0   90 frozen
    spine4_T8T9_flexion      R 29 +x 0,0.3612,0                -90        0        0   90 frozen
    spine4_T8T9_lat_bend     R 30 +z 0,0.3612,0                -90        0        0   90 frozen
    spine4_T8T9_axial        R 31 +y 0,0.3612,0                  0        0        0    0 frozen
    R_clavicle_elevation     R 32 -z -0.028,0.5433,0             0        0        0   90 frozen
    R_clavicle_protraction   R 33 +y -0.028,0.5433,0           -90        0        0   90 frozen
    R_shoulder_flexion       R 34 -x -0.188,0.5433,0           -90     0.16        0   90
    R_shoulder_abduction     R 35 -z -0.188,0.5433,0           -90        0        0   90
    R_shoulder_int_rotation  R 36 +y -0.188,0.5433,0           -90  -0.2817        0   90
    R_elbow_flexion          R 37 -x -0.188,0.2616,0           180        0        0   90
    R_forearm_pronation      R 38 +y -0.188,0.2616,0           180  -0.2689        0   90
    R_wrist_flexion          R 39 -x -0.188,-0.0073,0          -90        0        0   90 frozen
    R_wrist_radial_dev       R 40 -z -0.188,-0.0073,0            0        0        0    0 frozen
    L_clavicle_elevation     R 32 +z 0.028,0.5433,0              0        0        0   90 frozen
    L_clavicle_protraction   R 42 -y 0.028,0.5433,0            -90        0        0   90 frozen
    L_shoulder_flexion       R 43 -x 0.188,0.5433,0            -90    -0.16        0   90
    L_shoulder_abduction     R 44 +z 0.188,0.5433,0            -90        0        0   90
    L_shoulder_int_rotation  R 45 -y 0.188,0.5433,0            -90   0.2817        0   90
    L_elbow_flexion          R 46 -x 0.188,0.2616,0            180        0        0   90
    L_forearm_pronation      R 47 -y 0.188,0.2616,0            180   0.2689        0   90
    L_wrist_flexion          R 48 -x 0.188,-0.0073,0           -90        0        0   90 frozen
    L_wrist_radial_dev       R 49 +z 0.188,-0.0073,0             0        0        0    0 frozen
    neck_lower_flexion       R 32 +x 0,0.6033,0                180        0        0   90 frozen
    neck_lower_lat_bend      R 51 +z 0,0.6033,0                -90        0        0   90 frozen
    neck_lower_axial         R 52 +y 0,0.6033,0                -90 0.090532        0   90 frozen
    neck_upper_flexion       R 53 +x 0,0.693832,0              -90        0        0   90 frozen
    neck_upper_lat_bend      R 54 +z 0,0.693832,0                0        0        0    0 frozen
"""
BRANCHES = (0, 6, 13, 20, 32, 41, 50)  # where the global joints, legs, spine, arms and neck begin


@dataclass(frozen=True)
class HumanJoint:
    """A row of the table; ``parent`` counts from 0, -1 is the world."""

    name: str
    revolute: bool
    parent: int
    axis: tuple[float, ...]
    point: tuple[float, ...]
    dh: tuple[float, ...]
    frozen: bool

    @property
    def base(self) -> Array:
        """The first frame of a branch that begins with this joint, standing."""
        z = np.array(self.axis)
        x = np.eye(3)[1 if z[0] else 0]
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = np.transpose([x, np.cross(z, x), z]), self.point
        return frame

    def step(self, q: float) -> Array:
        """From the frame before to the one behind the joint: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
        theta, d, a, alpha = self.dh
        theta, d = (theta + q, d) if self.revolute else (theta, d + q)
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def _read(line: str) -> HumanJoint:
    name, kind, parent, axis, point, theta, d, a, alpha, *frozen = line.split()
    sign = -1.0 if axis[0] == "-" else 1.0
    direction = tuple(sign * (letter == axis[1]) + 0.0 for letter in "xyz")
    dh = math.radians(float(theta)), float(d), float(a), math.radians(float(alpha))
    at = tuple(float(x) for x in point.split(","))
    return HumanJoint(name, kind == "R", int(parent) - 1, direction, at, dh, bool(frozen))


JOINTS = tuple(_read(line) for line in _TABLE.split("\n") if line)


def distal_frames(q: Array) -> list[Array]:
    """The frames behind the joints, by the table."""
    frames: list[Array] = []
    standing: list[Array] = []
    for i, joint in enumerate(JOINTS):
        if i not in BRANCHES:
            frame, frame0 = frames[joint.parent], standing[joint.parent]
        else:
            frame = frame0 = joint.base
            if joint.parent >= 0:
                frame = frames[joint.parent] @ np.linalg.inv(standing[joint.parent]) @ frame0
        frames.append(frame @ joint.step(q[i]))
        standing.append(frame0 @ joint.step(0.0))
    return frames
