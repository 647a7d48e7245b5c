"""Simulation: robots in time, thousands of runs at once."""

from kinetree.renamed import install
from kinetree.simulation.controller import Controller as Controller
from kinetree.simulation.events import Event as Event
from kinetree.simulation.motion import Motion as Motion
from kinetree.simulation.options import Options as Options
from kinetree.simulation.outcome import Occurrence as Occurrence, Outcome as Outcome
from kinetree.simulation.simulate import simulate as simulate

install(__name__)
