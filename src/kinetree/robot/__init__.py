"""`Robot`: a mechanism with its dynamic quantities as functions of NumPy arrays."""

from kinetree.renamed import install
from kinetree.robot.robot import Robot as Robot

install(__name__)
