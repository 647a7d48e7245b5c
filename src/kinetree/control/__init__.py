"""Controllers and reference motions, written over scalars: they run in native code with the robot."""

from kinetree.control.reference import Hold as Hold
from kinetree.control.reference import Reference as Reference
from kinetree.control.reference import Target as Target
from kinetree.simulation.controller import Controller as Controller
from kinetree.simulation.controller import Law as Law
