"""Mechanisms: what a robot consists of, the files that describe one, and the operations that make one of another."""

from kinetree.model.frame import Frame
from kinetree.model.inertia import Inertia
from kinetree.model.joint import Joint, Limits, Mimic, Transmission
from kinetree.model.loops import Coupling, Loop
from kinetree.model.mechanism import GRAVITY, WORLD, Body, Mechanism, gravity_vector
from kinetree.model.moments import Moments
from kinetree.renamed import install

__all__ = [
    "GRAVITY", "WORLD", "Body", "Coupling", "Frame", "Inertia", "Joint", "Limits", "Loop", "Mechanism", "Mimic",
    "Moments", "Transmission", "gravity_vector",
]  # fmt: skip

install(__name__)
