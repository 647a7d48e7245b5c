"""Human gait, predicted by optimisation alone: one step of walking and the forces in it.

An application of planning to one robot, a human body of 55 coordinates; nothing else in the package needs it.
"""

from kinetree.gait.gait import Gait as Gait
from kinetree.gait.measured import MeasuredWalk as MeasuredWalk
from kinetree.gait.norms import Norms as Norms
from kinetree.gait.phases import Timing as Timing
from kinetree.gait.predict import predict as predict
from kinetree.gait.realism import Realism as Realism
from kinetree.gait.recordings import from_angles as from_angles, from_markers as from_markers
from kinetree.gait.states import FootForce as FootForce, StrideStates as StrideStates
from kinetree.gait.step import Step as Step, Stride as Stride
from kinetree.gait.stride import StrideGait as StrideGait
from kinetree.gait.sweep import sweep as sweep
from kinetree.gait.sweep_result import Sweep as Sweep
from kinetree.gait.usual import usual_length as usual_length
from kinetree.gait.walk import Walk as Walk
from kinetree.gait.walker import Walker as Walker
from kinetree.renamed import install

install(__name__)
