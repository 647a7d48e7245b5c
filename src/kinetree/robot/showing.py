"""A robot that shows itself: a page to turn and move it, and a picture with a table for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.model.description import robot_html
from kinetree.parameter import bound

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot
    from kinetree.scene import Engine, View


def engine(robot: Any) -> Engine | None:
    """The engine of a page; the package sets another, as code for pages is written in a later layer."""


def view(robot: Robot, q: ArrayLike | None = None, **parameters: Any) -> View:
    """The robot in three dimensions, with a slider for each joint.

    A notebook shows it as a cell; ``.open()`` shows it in the browser, and ``.save("robot.html")`` writes one page that
    needs no network. Links can be dragged, loops stay closed, gravity loads the joints, and the robot can be let go:
    the page runs the robot's own code. Bodies have the shapes of the file that the robot is from; a robot without
    shapes is drawn by its joints and inertias.

    Args:
        q: the configuration (nq,) [rad, m]; the neutral one by default, inside the joints' limits.
        parameters: values of the model's named parameters.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.panda().view()
        <View of panda: .open() in a browser, .save("view.html"), or a cell of a notebook>
    """
    from kinetree.scene import View
    from kinetree.scene.view import numeric

    shown = numeric(robot, parameters)
    return View(shown, q, engine=engine(shown))


def notebook_html(robot: Robot) -> str:
    """Name, picture and table of joints, for notebooks; no picture where a parameter has no default."""
    from kinetree.scene.still import still
    from kinetree.scene.view import resting

    text, numbers = robot_html(robot), {name: p.default for name, p in robot.parameters.items()}
    if not robot.bodies or None in numbers.values():
        return text
    shown = bound(robot, numbers)
    return f"{still(shown, resting(shown).tolist())}\n{text}"
