"""The customised model of a robot to read: its recursion step by step, as text, LaTeX or SymPy expressions."""

from kinetree.equations.listing import Assignment as Assignment, Equations as Equations, equations as equations
