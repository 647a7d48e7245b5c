"""Human gait, predicted by optimisation alone: one step of walking and the forces in it."""

from kinetree.gait.phases import Timing as Timing
from kinetree.gait.walker import Walker as Walker
