"""`Robot` in layers: compiled functions, the dynamic quantities, readers and writers."""

from kinetree.robot.robot import Robot as Robot
