"""Controllers and reference motions, written over scalars: they run in native code with the robot."""

from kinetree.control.bspline import BSpline as BSpline
from kinetree.control.computed_torque import ComputedTorque as ComputedTorque
from kinetree.control.elastic import ElasticTracking as ElasticTracking
from kinetree.control.limited import Limited as Limited
from kinetree.control.operational_space import OperationalSpace as OperationalSpace
from kinetree.control.pd import PD as PD
from kinetree.control.point_to_point import Quintic as Quintic, Septic as Septic
from kinetree.control.reference import Hold as Hold, Reference as Reference, Target as Target, Then as Then
from kinetree.control.sinusoid import Sinusoid as Sinusoid
from kinetree.control.tracker import Tracker as Tracker
from kinetree.simulation.controller import Controller as Controller, Law as Law
