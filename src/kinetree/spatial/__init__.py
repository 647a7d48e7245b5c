"""Vectors, rotations, motions, forces and inertias over scalars: the values that the algorithms work with.

Coriolis matrices and loads fixed in space, which derivatives alone need, are in `coriolis` and `load`.
"""

from kinetree.renamed import install
from kinetree.spatial.angular_motion import AngularMotion
from kinetree.spatial.inertia import ArticulatedInertia, RigidInertia
from kinetree.spatial.matrix3 import Mat3, Sym3, skew
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.rotation import ElementaryRotation, Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

__all__ = [
    "AngularMotion", "ArticulatedInertia", "ElementaryRotation", "Force", "Mat3", "Motion", "RigidInertia", "Rotation",
    "Sym3", "Transform", "Vec3", "skew",
]  # fmt: skip

install(__name__)
