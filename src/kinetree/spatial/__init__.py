"""Spatial algebra over scalars: vectors, matrices, rotations, poses, motions, forces and inertias."""

from kinetree.spatial.inertia import ArticulatedInertia as ArticulatedInertia
from kinetree.spatial.inertia import RigidInertia as RigidInertia
from kinetree.spatial.matrix3 import Mat3 as Mat3
from kinetree.spatial.matrix3 import Sym3 as Sym3
from kinetree.spatial.matrix3 import skew as skew
from kinetree.spatial.motion import Force as Force
from kinetree.spatial.motion import Motion as Motion
from kinetree.spatial.rotation import ElementaryRotation as ElementaryRotation
from kinetree.spatial.rotation import Rotation as Rotation
from kinetree.spatial.transform import Transform as Transform
from kinetree.spatial.vec3 import Vec3 as Vec3
