"""Code for other worlds: the functions of a robot in other languages, as object code, or as a package of ROS 2.

    >>> import kinetree as kt
    >>> robot = kt.robots.two_link()
    >>> code = kt.export.code(robot, "inverse_dynamics", target="c")
    >>> list(code.files)
    ['two_link_inverse_dynamics.h', 'two_link_inverse_dynamics.c', 'two_link_inverse_dynamics_test.c']

The code needs nothing of Kinetree. Every target brings a self-test: states, and the results that they should give.
"""

from __future__ import annotations

from kinetree.export import live as live, wasm as wasm
from kinetree.export.code import Code as Code
from kinetree.export.generate import TARGETS as TARGETS, code as code, write as write
from kinetree.export.object_file import TRIPLES as TRIPLES, object_file as object_file
from kinetree.export.ros2 import ros2 as ros2

__all__ = ["TARGETS", "TRIPLES", "Code", "code", "live", "object_file", "ros2", "wasm", "write"]
