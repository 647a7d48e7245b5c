"""Inverse kinematics: configurations at which tasks are fulfilled, and the velocities that follow moving ones."""

from kinetree.robot.inverse.inverse_kinematics import InverseKinematics as InverseKinematics
from kinetree.robot.inverse.solution import KinematicsSolution as KinematicsSolution
