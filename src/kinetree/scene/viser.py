"""A robot in a scene of viser, for those who run its server: ``pip install 'kinetree[viser]'``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.scene.packed import PackedArrays
from kinetree.scene.parts import Bodies
from kinetree.scene.shapes import Shapes
from kinetree.scene.tree import rows, upright
from kinetree.scene.view import numeric, resting

_COLOURS = {"link": (223, 228, 236), "joint": (61, 74, 92), "base": (124, 135, 151), "tip": (154, 165, 181)}
_SIDES = 24  # of what is round


def add_robot(
    server: Any, robot: Mechanism, name: str = "/robot", parameters: Mapping[str, Any] | None = None
) -> Callable[[ArrayLike], None]:
    """Put a robot into the scene of a viser server, and give the function that moves it.

    Args:
        server: a ``viser.ViserServer``, or anything with its ``scene``.
        robot: what to show; with the shapes of its file, or else drawn by its joints and inertias.
        name: of its node in the scene.
        parameters: values of the model's named parameters.

    Returns:
        A function of positions q (nq,) [rad, m].

    Example:
        >>> import kinetree as kt
        >>> import viser  # doctest: +SKIP
        >>> move = kt.scene.viser.add_robot(viser.ViserServer(), kt.robots.panda())  # doctest: +SKIP
        >>> move([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])  # doctest: +SKIP
    """
    shown = numeric(robot, dict(parameters or {}))
    root = upright(shown)
    place = np.array(root).reshape(3, 4)
    server.scene.add_frame(name, show_axes=False, wxyz=quaternion(place[:, :3]), position=place[:, 3])
    frames = [server.scene.add_frame(f"{name}/{body.name}", show_axes=False) for body in shown.bodies]
    shapes = Shapes(shown, PackedArrays())
    plain = [x for x in Bodies(shown, resting(shown).tolist(), root).parts() if x["body"] not in shapes.bodies]
    for k, part in enumerate([*plain, *shapes.parts]):
        owner = name if part["body"] < 0 else f"{name}/{shown.bodies[part['body']].name}"
        pose, colour = np.array(part["pose"]).reshape(3, 4), _COLOURS.get(part["role"], _COLOURS["link"])
        if "colour" in part:
            colour = tuple(round(255 * x) for x in part["colour"][:3])
        points, faces = _triangles(part["kind"], part["size"], shapes)
        options = {"color": colour, "wxyz": quaternion(pose[:, :3]), "position": pose[:, 3]}
        server.scene.add_mesh_simple(f"{owner}/part{k}", points, faces, **options)

    def move(q: ArrayLike) -> None:
        """Bring the robot to positions q (nq,)."""
        values = np.asarray(q, float)
        if values.shape != (shown.nq,) or not np.isfinite(values).all():
            raise InputError(f"{shown.name} is moved to q ({shown.nq},) of finite numbers, got {values!r:.120}")
        poses = world_poses(shown, values.tolist())
        for i, frame in enumerate(frames):
            X = np.array(rows(poses[i])).reshape(3, 4)
            frame.wxyz, frame.position = quaternion(X[:, :3]), X[:, 3]

    move(resting(shown))
    return move


def quaternion(R: np.ndarray) -> np.ndarray:
    """The unit quaternion w, x, y, z of a rotation matrix.

    Example:
        >>> quaternion(np.eye(3)).tolist()
        [1.0, 0.0, 0.0, 0.0]
    """
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    _, vectors = np.linalg.eigh(np.triu(K) + np.triu(K, 1).T)
    found = vectors[:, -1]
    return np.where(np.abs(found) < 1e-16, 0.0, found) * (1.0 if found[0] >= 0 else -1.0)


def _triangles(kind: str, size: Sequence[float], shapes: Shapes) -> tuple[np.ndarray, np.ndarray]:
    """The triangles of a part: what is round is turned about z from a line of (radius, height)."""
    if kind == "mesh":
        own = shapes.surfaces[int(size[0])]
        return own.points, np.asarray(own.faces)
    if kind == "ellipsoid":
        points, faces = _triangles("sphere", [1.0], shapes)
        return points * size, faces
    if kind in ("soft", "box"):
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * size
        square = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        return corners, np.array([t for a, b, c, d in square for t in ((a, b, c), (a, c, d))])
    turn = np.linspace(-np.pi / 2, np.pi / 2, 13)
    if kind == "capsule":
        low, high, far = size
        lower, upper = turn[turn <= 0], turn[turn >= 0]
        radii = np.concatenate([low * np.cos(lower), high * np.cos(upper)])
        heights = np.concatenate([low * np.sin(lower), far + high * np.sin(upper)])
    elif kind in ("drum", "cylinder"):
        radii, heights = np.array([0.0, size[0], size[0], 0.0]), np.array([-1.0, -1.0, 1.0, 1.0]) * size[1]
    else:
        radii, heights = size[0] * np.cos(turn), size[0] * np.sin(turn)
    angles = np.linspace(0.0, 2 * np.pi, _SIDES, endpoint=False)
    points = [[r * np.cos(a), r * np.sin(a), h] for a in angles for r, h in zip(radii, heights)]
    n, k = len(radii), np.arange(_SIDES)[:, None] * len(radii) + np.arange(len(radii) - 1)
    after = (k + n) % (n * _SIDES)
    faces = np.stack([k, after, k + 1, k + 1, after, after + 1], axis=-1).reshape(-1, 3)
    return np.array(points), faces
