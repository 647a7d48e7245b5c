"""Mechanisms: what a robot consists of, the files that describe one, and the operations that make one of another."""

from kinetree.model.frame import Frame as Frame
from kinetree.model.inertia import Inertia as Inertia
from kinetree.model.joint import Joint as Joint
from kinetree.model.joint import Limits as Limits
from kinetree.model.joint import Mimic as Mimic
from kinetree.model.joint import Transmission as Transmission
from kinetree.model.loops import Coupling as Coupling
from kinetree.model.loops import Loop as Loop
from kinetree.model.mechanism import WORLD as WORLD
from kinetree.model.mechanism import Body as Body
from kinetree.model.mechanism import Mechanism as Mechanism
from kinetree.model.mechanism import gravity_vector as gravity_vector
from kinetree.model.moments import Moments as Moments
