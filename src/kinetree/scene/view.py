"""`View`: a robot, and perhaps its motions, as a page that a notebook shows, a browser opens and a file takes."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, check_name, printable
from kinetree.files import Name, check_name as check_file, write
from kinetree.model import Mechanism
from kinetree.parameter import bound
from kinetree.runtime.arrays import Array
from kinetree.scene import html
from kinetree.scene.engine import Engine
from kinetree.scene.fixture import Fixture
from kinetree.scene.movement import Movement, checked, even, gaps, resampled, travelling
from kinetree.scene.packed import PackedArrays
from kinetree.scene.parts import Bodies
from kinetree.scene.shapes import Shapes
from kinetree.scene.still import still
from kinetree.scene.tree import Data, tree_data, unknown, upright

M = TypeVar("M", bound=Mechanism)
_EXACT = 40_000  # numbers of a motion that are kept with all digits
_GHOSTS = ("#7a8290", "#3577d4", "#d9603b", "#2a9d76", "#a259c4", "#c9930a", "#d1487f", "#1b98a8")
_UNIT = 1e-3  # how far the squared length of a quaternion may be from one


class View:
    """A picture of a robot that can be turned, moved and played, as one HTML page without a network.

    A notebook shows it as a cell, `open` shows it in the browser, `save` writes the page. It has a slider for each
    joint, keeps loops closed while one moves, and lets a part be dragged.

    Args:
        mechanism: what to show.
        q: the configuration (nq,) [rad, m]; by default the first of the motion, or the neutral one, inside the limits.
        movements: motions; the first is played, the others are shown with it as ghosts.
        names: of the motions; their own, or "run 0" and so on by default.
        beside: whether the others stand beside it instead, at first; the page has a switch for that.
        obstacles: what else there is in its world.
        parts: what is drawn instead of the bodies that joints and inertias tell of, from `kinetree.scene.parts.part`.
        plots: SVG texts of plots over the time of the motion.
        driving: the joints that lead where loops must close; the actuated ones by default.
        active: which limits are active when: pairs of a joint's name and intervals [s].
        title: of the page.
        parameters: values of the model's named parameters.
        engine: the robot's own code, which makes the page alive.

    Example:
        >>> import kinetree as kt
        >>> view = kt.robots.two_link().view()
        >>> view
        <View of two_link: .open() in a browser, .save("view.html"), or a cell of a notebook>
        >>> "<canvas" in view.html()
        True
    """

    def __init__(
        self,
        mechanism: Mechanism,
        q: ArrayLike | None = None,
        *,
        movements: Sequence[Movement] = (),
        names: Sequence[str] = (),
        beside: bool = False,
        obstacles: Sequence[Fixture] = (),
        parts: Sequence[Data] = (),
        plots: Sequence[str] = (),
        driving: Sequence[str] | None = None,
        active: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
        title: str = "",
        parameters: Mapping[str, Any] | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.mechanism = numeric(mechanism, dict(parameters or {}))
        self.title, self.plots = title or mechanism.name, tuple(plots)
        self._notes: list[str] = []
        self._block, self._own = PackedArrays(), tuple(parts)
        if names and len(names) != len(movements):
            raise InputError(f"{len(movements)} motions have as many names, got {len(names)}: {list(names)!r:.80}")
        tracks = [self._track(x, k, str(names[k]) if names else x.name) for k, x in enumerate(movements)]
        self.q = self._configuration(q, movements)
        self._data = self._everything(driving, active) | {"motions": tracks}
        times = np.asarray(movements[0].t, dtype=np.float64) if movements else np.zeros(0)
        self._data["obstacles"] = [x.data(self._bodies.size, times, self._block) for x in obstacles]
        self._data |= {"notes": self._notes, "beside": bool(beside)}
        self.engine = engine
        if engine is not None:
            module = np.frombuffer(engine.module, np.uint8)
            self._data["engine"] = {"module": self._block.add(module, "u1"), "facts": engine.facts}

    def __repr__(self) -> str:
        return f'<View of {printable(self.title)}: .open() in a browser, .save("view.html"), or a cell of a notebook>'

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks: its style and scripts touch nothing else."""
        frame = 'sandbox="allow-scripts allow-downloads" style="width: 100%; height: 34rem; border: 0"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html())}"></iframe>'

    def html(self) -> str:
        """The page as text."""
        plots = "\n".join(f'<figure class="plot" data-follow>{plot}</figure>' for plot in self.plots)
        return html.page(self.title, self.figure(whole=True), plots, self.engine.script if self.engine else "null")

    def figure(self, *, caption: str = "", whole: bool = False) -> str:
        """The ``<figure>`` alone, for pages that hold the script."""
        picture = still(self.mechanism, self.q.tolist(), self._own)
        return html.figure(self._data, self._block.text(), still=picture, caption=caption, whole=whole)

    def save(self, path: Name) -> Path:
        """Write the page to an .html file, the whole of it or nothing, and give its absolute path.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     kt.robots.panda().view().save(folder + "/panda.html").name
            'panda.html'
        """
        if Path(check_file(path, "written")).suffix.lower() not in (".html", ".htm"):
            raise InputError(f"a view is saved as .html, not as {Path(path).name!r}")
        return write(path, self.html().encode("utf-8"))

    def open(self) -> Path:
        """Show the page in the default browser: it is written to a new file among the temporary ones, whose path it is.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.panda().view().open()  # doctest: +SKIP
        """
        folder = tempfile.mkdtemp(prefix="kinetree-")
        name = "".join(c if c.isalnum() else "_" for c in self.title)[:40] or "view"
        path = self.save(Path(folder, f"{name}.html"))
        webbrowser.open(path.as_uri())
        return path

    # -- what the page holds ---------------------------------------------------------------------------------------

    def _everything(self, driving: Sequence[str] | None, active: Any) -> Data:
        mechanism, root = self.mechanism, upright(self.mechanism)
        self._bodies = bodies = Bodies(mechanism, self.q.tolist(), root)
        tree = tree_data(mechanism, driving)
        for i, body in enumerate(tree["bodies"]):
            body["joint"]["size"] = bodies.joint_size(i)
        if strange := unknown(mechanism):
            self._notes.append(f"Joints of types that the page does not know stand still: {', '.join(strange)}.")
        shapes = Shapes(mechanism, self._block)
        self._notes += shapes.notes
        light = {i for i, body in enumerate(mechanism.bodies) if shapes.bodies and not float(body.inertia.mass) > 0}
        plain = [one | {"plain": one["body"] in shapes.bodies | light} for one in bodies.parts()]
        number = {body.joint.name: i for i, body in enumerate(mechanism.bodies)}
        for name, _ in active:
            check_name("joint", name, number)
        return {
            "name": self.title,
            "root": root,
            "tree": tree,
            "q": self.q.tolist(),
            "parts": [*self._own] or [*plain, *shapes.parts],
            "meshes": shapes.meshes,
            "tips": [{"body": i, "point": offset.tolist()} for i, _, offset in bodies.tips if i >= 0][:8],
            "active": [{"joint": number[name], "intervals": [list(x) for x in when]} for name, when in active],
        }

    def _configuration(self, q: ArrayLike | None, movements: Sequence[Movement]) -> Array:
        if q is not None:
            place = np.asarray(q, dtype=np.float64)
        else:
            shown = [np.asarray(x.q, dtype=np.float64) for x in movements[:1]]
            whole = [row for rows in shown for row in rows if np.isfinite(row).all()]
            place = whole[0] if whole else resting(self.mechanism)
        robot = self.mechanism
        if place.shape != (robot.nq,) or not np.isfinite(place).all():
            raise InputError(f"a view of {robot.name} shows q ({robot.nq},) of finite numbers, got {place!r:.120}")
        for name, k in robot.quaternions:
            if abs(float(place[k : k + 4] @ place[k : k + 4]) - 1.0) > _UNIT:
                raise InputError(f"joint {name!r}: the quaternion q[{k}:{k + 4}] is not of length one")
        return place

    def _track(self, movement: Movement, k: int, name: str) -> Data:
        t, q = checked(self.mechanism, movement.t, movement.q)
        tau = None if movement.tau is None else np.asarray(movement.tau, dtype=np.float64)
        if tau is not None and tau.shape != (len(t), self.mechanism.nv):
            raise InputError(f"the forces of the motion are ({len(t)}, {self.mechanism.nv}), got {tau.shape}")
        if where := gaps(t, q):
            motion = f"The motion {name or f'run {k}'}" if k else "The motion"
            self._notes.append(f"{motion} has no positions {where}.")
        times = even(t)
        kind = "f8" if len(times) * q.shape[1] <= _EXACT else "f4"
        data: Data = {
            "name": name or f"run {k}",
            "colour": _GHOSTS[k % len(_GHOSTS)],
            "t": self._block.add(times, "f8"),
        }
        data["q"] = self._block.add(resampled(t, q, times), kind)
        if tau is not None:
            data["tau"] = self._block.add(resampled(t, tau, times), kind)
            limits = force_limits(self.mechanism) if movement.limits is None else np.asarray(movement.limits, float)
            if limits.shape != (self.mechanism.nv,) or not (limits > 0).all():
                raise InputError(f"limits of forces are ({self.mechanism.nv},) positive numbers, got {limits!r:.80}")
            largest = float(np.nanmax(np.abs(tau), initial=0.0, where=np.isfinite(tau))) or 1.0
            data["scale"] = np.where(np.isfinite(limits), limits, largest).tolist()
            data["limited"] = np.isfinite(limits).tolist()
        return data | travelling(movement, t, times, self._block)


def numeric(mechanism: M, values: dict[str, Any]) -> M:
    """The mechanism with numbers for its named parameters: given ones, else their defaults."""
    for name in values:
        check_name("parameter", name, mechanism.parameters)
    numbers = {name: values.get(name, p.default) for name, p in mechanism.parameters.items()}
    if missing := [name for name, x in numbers.items() if x is None]:
        given = ", ".join(f"{name}=..." for name in missing)
        raise InputError(f"the model has parameters without a default: a view needs numbers, {given}")
    return bound(mechanism, {name: float(x) for name, x in numbers.items()})


def resting(mechanism: Mechanism) -> Array:
    """The neutral configuration; where it is outside a joint's limits, or at one, the middle between them."""
    q = np.array(mechanism.neutral_coordinates, dtype=np.float64)
    for body, s in zip(mechanism.bodies, mechanism.q_slices):
        low, high = body.joint.limits.lower, body.joint.limits.upper
        if (
            body.joint.kind.quaternion is None
            and not body.joint.mimic
            and np.isfinite([low, high]).all()
            and low < high
        ):
            margin = 0.01 * (high - low)
            q[s] = np.where((q[s] > low + margin) & (q[s] < high - margin), q[s], (low + high) / 2)
    return q


def force_limits(mechanism: Mechanism) -> Array:
    """What the force of each joint may be at the most (nv,), infinite where the model says nothing."""
    limits = np.full(mechanism.nv, np.inf)
    for body, s in zip(mechanism.bodies, mechanism.v_slices):
        if body.joint.limits.effort > 0 and not body.joint.mimic:
            limits[s] = body.joint.limits.effort
    return limits
