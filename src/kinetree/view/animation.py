"""A motion as a piece of HTML: the numbers as JSON, drawn on a canvas by ``scene.js``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.scalar import is_zero
from kinetree.view.skeleton import Skeleton, skeleton

_RATE = 50.0  # frames per second; the script interpolates between them
_FRAMES = 3000  # the most that one animation holds
_DECIMALS = 4  # a tenth of a millimetre


def animation_html(robot: Robot, t: ArrayLike, q: ArrayLike, caption: str = "", **parameters: Any) -> str:
    """A ``<figure>`` that shows a motion; ``Report`` adds the script and the style that it needs.

    Args:
        robot: what moves.
        t: times (n,) [s], rising.
        q: positions (n, nq) [rad, m].
        caption: stands below.
        parameters: values of the model's named parameters.

    Example:
        >>> import kinetree as kt
        >>> "<canvas" in animation_html(kt.robots.two_link(), [0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]])
        True
    """
    times, positions = _checked(robot, t, q)
    joints = {name: k for k, name in enumerate(robot.joint_names)}
    colours = [joints.get(body.joint.name, -1) for body in robot.bodies]
    axes = [k for k, g in enumerate(robot.gravity) if not is_zero(g)]
    shown = skeleton(robot, positions, **parameters)
    return figure_html(robot.name, times, shown, colours, axes[0] if len(axes) == 1 else 2, caption)


def figure_html(
    name: str, times: Array, shown: Skeleton, colours: Sequence[int], vertical: int = 2, caption: str = ""
) -> str:
    """A ``<figure>`` that shows points and lines in motion.

    Args:
        name: of what moves.
        times: (n,) [s], rising.
        shown: the points (n, k, 3) [m] and the lines between them.
        colours: the number of a colour for each point, -1 for the tip of a branch.
        vertical: which axis of the world is vertical, along gravity.
        caption: stands below.
    """
    scene = _scene(times, shown, colours, vertical)
    text = json.dumps(scene, separators=(",", ":")).replace("<", "\\u003c")  # no name may end the script element
    label = escape(f"Animation of {name}")
    below = f"<figcaption>{escape(caption)}</figcaption>\n" if caption else ""
    page = resources.files("kinetree.view").joinpath("animation.html").read_text("utf-8").rstrip()
    return page.format(label=label, caption=below, data=text)


def _checked(robot: Robot, t: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    times, positions = np.asarray(t, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if times.ndim != 1 or len(times) < 2 or positions.shape != (len(times), robot.nq):
        raise InputError(
            f"a motion of {robot.name} is t (n,) with n of 2 or more and q (n, {robot.nq}), "
            f"got t {times.shape} and q {positions.shape}"
        )
    if not (np.isfinite(times).all() and (np.diff(times) > 0).all()):
        raise InputError("the times of a motion must be finite and rise strictly")
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    if bad.size:
        raise InputError(f"the motion has a coordinate that is not finite in row {bad[0]} (t = {times[bad[0]]:g} s)")
    return times, positions


def _scene(times: Array, shown: Skeleton, colours: Sequence[int], vertical: int) -> dict[str, Any]:
    """Everything that the script draws, in axes of which the third is vertical."""
    times, points = _resampled(times, np.roll(shown.points, 2 - vertical, axis=-1))
    fixed = any(a < 0 for a, _ in shown.edges)
    everything = np.concatenate([points.reshape(-1, 3), np.zeros((1 if fixed else 0, 3))])
    low, high = everything.min(axis=0, initial=np.inf), everything.max(axis=0, initial=-np.inf)
    if not everything.size:
        low = high = np.zeros(3)
    size = max(float(np.linalg.norm(high - low)), 1e-6)
    floor = 0.0 if low[2] >= -0.02 * size else float(low[2]) - 0.06 * size
    return {
        "t": [round(float(x), 5) for x in times],
        "frames": [[round(float(x), _DECIMALS) for x in frame.ravel()] for frame in points],
        "joints": list(colours),
        "edges": [list(edge) for edge in shown.edges],
        "low": low.tolist(),
        "high": high.tolist(),
        "floor": floor,
        "fixed": fixed,
    }


def _resampled(times: Array, points: Array) -> tuple[Array, Array]:
    """Frames at an even rate where there are more than the eye can see."""
    count = min(int((times[-1] - times[0]) * _RATE) + 2, _FRAMES)
    if len(times) <= count:
        return times, points
    even = np.linspace(times[0], times[-1], count)
    right = np.clip(np.searchsorted(times, even), 1, len(times) - 1)
    weight = ((even - times[right - 1]) / (times[right] - times[right - 1]))[:, None, None]
    return even, points[right - 1] * (1 - weight) + points[right] * weight
