"""Closed chains and parallel robots: mechanisms with loops, as functions of NumPy arrays."""

from kinetree.closed.chain import ClosedChain as ClosedChain
from kinetree.closed.closure import Closure as Closure, ClosureStatus as ClosureStatus
from kinetree.closed.legs import Leg as Leg
from kinetree.closed.parallel import ParallelRobot as ParallelRobot
from kinetree.renamed import install

install(__name__)
