"""Mechanisms: what a robot consists of, the files that describe one, and the operations that make one of another."""

from kinetree.model.frame import Frame as Frame
from kinetree.model.inertia import Inertia as Inertia
from kinetree.model.joint import Joint as Joint, Limits as Limits, Mimic as Mimic, Transmission as Transmission
from kinetree.model.loops import Coupling as Coupling, Loop as Loop
from kinetree.model.mechanism import (
    WORLD as WORLD,
    Body as Body,
    Mechanism as Mechanism,
    gravity_vector as gravity_vector,
)
from kinetree.model.moments import Moments as Moments
from kinetree.renamed import install

install(__name__)
