"""`Robot`: a mechanism with its dynamic quantities as functions of NumPy arrays."""

from kinetree.robot.robot import Robot as Robot
