"""Human gait, predicted by optimisation alone: one step of walking and the forces in it."""

from kinetree.gait.gait import Gait as Gait
from kinetree.gait.phases import Timing as Timing
from kinetree.gait.predict import predict as predict
from kinetree.gait.step import Step as Step
from kinetree.gait.walker import Walker as Walker
