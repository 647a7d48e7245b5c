"""What the curves of a plan describe: joints, a path parameter, independent joints, links, orientation parameters."""

from kinetree.plan.coordinates.choice import base_is_driven, coordinates_of
from kinetree.plan.coordinates.coordinates import PlanCoordinates
from kinetree.plan.coordinates.flat import FlatCoordinates
from kinetree.plan.coordinates.joint import JointCoordinates
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.coordinates.orientation import OrientationCharts, free_base
from kinetree.plan.coordinates.path import Path, PathCoordinate

__all__ = [
    "FlatCoordinates", "JointCoordinates", "LoopCoordinates", "OrientationCharts", "Path", "PathCoordinate",
    "PlanCoordinates", "base_is_driven", "coordinates_of", "free_base",
]  # fmt: skip
