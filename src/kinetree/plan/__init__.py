"""Optimal motions: splines, inverse dynamics with analytic derivatives, and an interior-point solver."""

from kinetree.plan.coordinates.path import Path as Path
from kinetree.plan.forces import Energy as Energy, Reaction as Reaction, Reactions as Reactions
from kinetree.plan.frames import (
    Distance as Distance,
    FrameOrientation as FrameOrientation,
    FramePosition as FramePosition,
    FrameVelocity as FrameVelocity,
)
from kinetree.plan.goals import Goal as Goal
from kinetree.plan.many_tasks import Plans as Plans, many as many
from kinetree.plan.obstacles.bodies import link_shapes as link_shapes
from kinetree.plan.obstacles.fit import containing_capsule as containing_capsule, fitted_shapes as fitted_shapes
from kinetree.plan.obstacles.shapes import (
    Box as Box,
    Capsule as Capsule,
    HalfSpace as HalfSpace,
    MovingObstacle as MovingObstacle,
    Sphere as Sphere,
)
from kinetree.plan.options import Options as Options
from kinetree.plan.plan import Plan as Plan
from kinetree.plan.problem import Problem as Problem
from kinetree.plan.quantity import Custom as Custom, Quantity as Quantity
from kinetree.plan.squares import Squares as Squares
from kinetree.plan.status import PlanStatus as PlanStatus
from kinetree.plan.tasks import (
    minimum_effort as minimum_effort,
    minimum_time as minimum_time,
    time_optimal_path as time_optimal_path,
)
from kinetree.renamed import install

install(__name__)
