"""The joint types; one file each."""

from kinetree.joints.cylindrical import Cylindrical as Cylindrical
from kinetree.joints.fixed import Fixed as Fixed
from kinetree.joints.free import Free as Free
from kinetree.joints.helical import Helical as Helical
from kinetree.joints.joint import JointKind as JointKind
from kinetree.joints.planar import Planar as Planar
from kinetree.joints.prismatic import Prismatic as Prismatic
from kinetree.joints.revolute import Revolute as Revolute
from kinetree.joints.rotor import Rotor as Rotor
from kinetree.joints.spherical import Spherical as Spherical
from kinetree.joints.universal import Universal as Universal

KINDS: dict[str, type[JointKind]] = {
    kind.__name__.lower(): kind
    for kind in (Revolute, Prismatic, Helical, Cylindrical, Universal, Spherical, Planar, Free, Fixed, Rotor)
}
