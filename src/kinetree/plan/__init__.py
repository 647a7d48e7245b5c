"""Optimal motions: splines, inverse dynamics with analytic derivatives, and an interior-point solver."""

from kinetree.plan.chain_plan import ChainPlan as ChainPlan
from kinetree.plan.frames import Distance as Distance
from kinetree.plan.frames import FramePosition as FramePosition
from kinetree.plan.frames import FrameTurn as FrameTurn
from kinetree.plan.frames import FrameVelocity as FrameVelocity
from kinetree.plan.path import Path as Path
from kinetree.plan.path_plan import PathPlan as PathPlan
from kinetree.plan.plan import Plan as Plan
from kinetree.plan.plan import PlanStatus as PlanStatus
from kinetree.plan.problem import Problem as Problem
from kinetree.plan.quantity import Custom as Custom
from kinetree.plan.quantity import Energy as Energy
from kinetree.plan.quantity import Quantity as Quantity
from kinetree.plan.quantity import Reaction as Reaction
from kinetree.plan.quantity import Reactions as Reactions
from kinetree.plan.squares import Squares as Squares
from kinetree.plan.tasks import minimum_effort as minimum_effort
from kinetree.plan.tasks import minimum_time as minimum_time
from kinetree.plan.tasks import time_optimal_path as time_optimal_path
from kinetree.plan.way_plan import WayPlan as WayPlan
