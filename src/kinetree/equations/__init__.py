"""The customised model of a robot to read: its recursion step by step, as text, LaTeX or SymPy expressions."""

from kinetree.equations.listing import Assignment as Assignment
from kinetree.equations.listing import Equations as Equations
from kinetree.equations.listing import equations as equations
