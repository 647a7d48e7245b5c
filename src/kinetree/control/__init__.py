"""Controllers and reference motions, written over scalars: they run in native code with the robot."""

from kinetree.simulation.controller import Controller as Controller
from kinetree.simulation.controller import Law as Law
