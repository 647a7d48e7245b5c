"""Optimal motions: splines, inverse dynamics with analytic derivatives, and an interior-point solver."""

from kinetree.plan.common import minimum_time as minimum_time
from kinetree.plan.plan import Plan as Plan
from kinetree.plan.plan import PlanStatus as PlanStatus
from kinetree.plan.problem import Problem as Problem
from kinetree.plan.quantity import Custom as Custom
from kinetree.plan.quantity import Distance as Distance
from kinetree.plan.quantity import FramePosition as FramePosition
from kinetree.plan.quantity import FrameVelocity as FrameVelocity
from kinetree.plan.quantity import Quantity as Quantity
from kinetree.plan.quantity import Reaction as Reaction
from kinetree.plan.quantity import Squares as Squares
