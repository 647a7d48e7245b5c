"""A robot that shows itself: a page to turn and move it, and a picture with a table for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.model.description import robot_html
from kinetree.parameter import bound

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot
    from kinetree.scene import View


def view(robot: Robot, q: ArrayLike | None = None, **parameters: Any) -> View:
    """The robot in three dimensions, with a slider for each joint.

    A notebook shows it as a cell; ``.open()`` shows it in the browser, and ``.save("robot.html")`` writes one page that
    needs no network. Links can be dragged, and loops stay closed. Bodies have the shapes of the file that the robot is
    from; a robot without shapes is drawn by its joints and inertias.

    Args:
        q: the configuration (nq,) [rad, m]; the neutral one by default, inside the joints' limits.
        parameters: values of the model's named parameters.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.panda().view()
        <View of panda: .open() in a browser, .save("view.html"), or a cell of a notebook>
    """
    from kinetree.scene import View

    return View(robot, q, parameters=parameters)


def notebook_html(robot: Robot) -> str:
    """Name, picture and table of joints, for notebooks; no picture where a parameter has no default."""
    from kinetree.scene.still import still
    from kinetree.scene.view import resting

    text, numbers = robot_html(robot), {name: p.default for name, p in robot.parameters.items()}
    if not robot.bodies or None in numbers.values():
        return text
    shown = bound(robot, numbers)
    return f"{still(shown, resting(shown).tolist())}\n{text}"
