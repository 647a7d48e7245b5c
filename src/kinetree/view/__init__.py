"""Showing a robot and its motion: plots as SVG, an animation and a report, each as text without dependencies."""

from kinetree.model.description import robot_table as robot_table
from kinetree.view.curves import Curves as Curves, line_plot as line_plot
from kinetree.view.picture import Picture as Picture
from kinetree.view.portrait import portrait as portrait
from kinetree.view.report import Report as Report
from kinetree.view.skeleton import Skeleton as Skeleton, skeleton as skeleton
from kinetree.view.ticks import nice_ticks as nice_ticks
