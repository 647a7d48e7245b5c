"""What a robot is, in words and as a table."""

from __future__ import annotations

from html import escape
from typing import Any

from kinetree.model.mechanism import Mechanism
from kinetree.parameter import parameters_in
from kinetree.scalar import Scalar

_CELL = 'style="text-align: left; padding: 0.15em 1em 0.15em 0"'  # pages of documentation bring no style for tables


def robot_table(robot: Mechanism) -> tuple[list[str], list[list[str]]]:
    """The joints and bodies of a robot as a header and rows of text.

    Args:
        robot: what to describe.

    Returns:
        The header and one row for each body: joint, joint type, body, parent, mass [kg]. A mass that depends on
        named parameters is shown as a function of them.

    Example:
        >>> import kinetree as kt
        >>> header, rows = robot_table(kt.robots.two_link())
        >>> rows[1]
        ['joint2', 'revolute', 'link2', 'link1', '0.5']
    """
    rows: list[list[str]] = []
    for body in robot.bodies:
        joint = body.joint.name, type(body.joint.kind).__name__.lower()
        rows.append([*joint, body.name, body.parent or "base", _number(body.inertia.mass)])
    return ["joint", "type", "body", "parent", "mass [kg]"], rows


def robot_summary(robot: Mechanism) -> str:
    """One sentence about a robot.

    Example:
        >>> import kinetree as kt
        >>> robot_summary(kt.robots.stanford())
        'stanford: 6 degrees of freedom, 6 bodies, 20.77 kg; gravity (0, 0, -9.81) m/s².'
    """
    gravity = ", ".join(map(_number, robot.gravity))
    bodies = f"{robot.nbodies} bod{'y' if robot.nbodies == 1 else 'ies'}"
    freedom = f"{robot.nv} degree{'' if robot.nv == 1 else 's'} of freedom"
    mass = _number(sum((body.inertia.mass for body in robot.bodies), 0.0))
    return f"{robot.name}: {freedom}, {bodies}, {mass} kg; gravity ({gravity}) m/s²."


def robot_html(robot: Mechanism) -> str:
    """Both as a piece of HTML, for notebooks.

    Example:
        >>> import kinetree as kt
        >>> robot_html(kt.robots.two_link()).count("<tr>")
        3
    """
    header, rows = robot_table(robot)
    lines = [("th", header), *(("td", row) for row in rows)]
    cells = (f"<tr>{''.join(f'<{tag} {_CELL}>{escape(x)}</{tag}>' for x in line)}</tr>" for tag, line in lines)
    table = "\n".join(cells)
    return f"<p>{escape(robot_summary(robot))}</p>\n<table>\n{table}\n</table>"


def _number(value: Any) -> str:
    if isinstance(value, Scalar):
        return f"f({', '.join(parameters_in(value))})"
    return f"{value + 0.0:.4g}"
