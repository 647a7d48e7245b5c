"""A scene in the file of a plan: obstacles, the shapes of the robot, and which pairs keep a distance."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from kinetree.errors import InputError, check_name
from kinetree.plan.obstacles.bodies import BodyShape
from kinetree.plan.obstacles.scene import Scene
from kinetree.plan.obstacles.shapes import Box, Capsule, HalfSpace, MovingObstacle, Solid, Sphere
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Sphere, Capsule, Box, HalfSpace, MovingObstacle)}


def written_scene(scene: Scene) -> dict[str, Any] | None:
    """For a file; None where an obstacle moves along a function of the user's own."""
    obstacles = [_written(obstacle) for obstacle in scene.obstacles]
    if None in obstacles:
        return None
    return {
        "obstacles": obstacles, "shapes": scene.shapes, "clearance": scene.clearance,
        "self_collision": scene.self_collision, "begin": scene.begin,
    }  # fmt: skip


def _written(solid: Solid) -> dict[str, Any] | None:
    found: dict[str, Any] = {"kind": type(solid).__name__}
    for field in (field for field in fields(solid) if field.init):
        value = getattr(solid, field.name)
        if callable(value):
            return None
        found[field.name] = _written(value) if isinstance(value, Solid) else value
    return found


def read_scene(robot: Robot, given: dict[str, Any], neutral: Array | None = None) -> Scene:
    """The scene of a file; it is untrusted."""
    shapes = tuple(_shape(robot, x) for x in given["shapes"])
    wanted = given["self_collision"]
    pairs = wanted if isinstance(wanted, bool) else [(str(a), str(b)) for a, b in wanted]
    scene = Scene(robot, shapes, [_read(x) for x in given["obstacles"]], given["clearance"], pairs, neutral)
    scene.begin = float(given["begin"])
    return scene


def _read(given: dict[str, Any]) -> Solid:
    check_name("kind of obstacle", given["kind"], _KINDS)
    own = {name: _read(x) if isinstance(x, dict) else x for name, x in given.items() if name != "kind"}
    return _KINDS[given["kind"]](**own)


def _shape(robot: Robot, given: dict[str, Any]) -> BodyShape:
    body, capsule = int(given["body"]), Capsule(given["start"], given["end"], given["radius"], name=str(given["name"]))
    if not -1 <= body < robot.nbodies:
        raise InputError(f"the robot has {robot.nbodies} bodies, a shape is on number {body}")
    start, end = (tuple(map(float, side)) for side in (given["start"], given["end"]))
    return BodyShape(capsule.name, body, start, end, capsule.radius)
