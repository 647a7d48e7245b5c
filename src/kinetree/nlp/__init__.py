"""Nonlinear programs and their solvers: interior point, elastic mode, IPOPT. Nothing here knows of robots."""

from kinetree.nlp.dense import DenseProblem
from kinetree.nlp.elastic import Elastic
from kinetree.nlp.fallback import Fallback
from kinetree.nlp.interior import Interior
from kinetree.nlp.ipopt import Ipopt
from kinetree.nlp.problem import Bounds, Jacobian, Linearisation, Problem
from kinetree.nlp.solution import Multipliers, Solution, Solver, Start, Termination

__all__ = [
    "Bounds", "DenseProblem", "Elastic", "Fallback", "Interior", "Ipopt", "Jacobian", "Linearisation", "Multipliers",
    "Problem", "Solution", "Solver", "Start", "Termination",
]  # fmt: skip
