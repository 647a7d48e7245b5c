"""Motions as pictures and pages: curves over time, an animation, how the runs ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import InputError, check_name, check_names
from kinetree.export.page import engine
from kinetree.scene import Movement, View
from kinetree.scene.view import numeric
from kinetree.view.curves import Curves, stacked
from kinetree.view.picture import Picture
from kinetree.view.report import Report

if TYPE_CHECKING:
    from kinetree.simulation.motion import Motion

UNITS = {
    "q": ("Positions", "rad, m"),
    "qd": ("Velocities", "rad/s, m/s"),
    "qdd": ("Accelerations", "rad/s\u00b2, m/s\u00b2"),
    "tau": ("Forces", "N m, N"),
}
DEFAULT = ("q", "qd", "tau")
MOST_CURVES = 24  # of a plot
_MOST_ROWS = 50  # of a table
_MOST_GHOSTS = 32  # motions in one picture


def plot(motion: Motion, names: Sequence[str], joints: Sequence[str] | None, title: str) -> Picture:
    """Plots below each other; see `Motion.plot`."""
    plots = [_curves(motion, name, joints) for name in names or recorded(motion, DEFAULT)]
    if title and plots:
        plots[0] = replace(plots[0], title=title)
    return stacked(title or motion.title, plots)


def recorded(motion: Motion, names: Sequence[str]) -> list[str]:
    """Those of the quantities that the motion has."""
    return [name for name in names if getattr(motion, name) is not None]


def _curves(motion: Motion, name: str, joints: Sequence[str] | None = None, most: float = MOST_CURVES) -> Curves:
    if not isinstance(name, str):
        raise InputError(f"quantities are given one by one, plot('q', 'tau'), and joints by joints=; got {name!r}")
    check_name("quantity to plot", name, UNITS)
    if (x := getattr(motion, name)) is None:
        raise InputError(f"{name} was not recorded; give simulate record=({name!r}, ...)")
    labels = motion.labels(name)
    check_names(f"curve of {name}", joints or (), labels)
    chosen = [k for k, label in enumerate(labels) if joints is None or label in joints]
    runs = x.reshape(-1, *x.shape[-2:])
    if len(runs) * len(chosen) > most:
        raise InputError(f"{len(runs) * len(chosen)} curves are too many; choose runs, motion[3], or joints=")
    series = {
        f"{labels[k]}, run {row}" if motion.batch else labels[k]: run[:, k]
        for row, run in enumerate(runs)
        for k in chosen
    }
    heading, unit = UNITS[name]
    return Curves(heading, motion.t, series, ylabel=f"{heading.lower()} [{unit}]")


def view(motion: Motion, *others: Motion, beside: bool = False, names: Sequence[str] = ()) -> View:
    """The motion in three dimensions, to be played, with plots that follow it.

    A notebook shows it as a cell; ``.open()`` shows it in the browser, ``.save("motion.html")`` writes one page that
    needs no network. Colours and arrows say how near the force of each joint is to its limit, or to the largest of all.

    Args:
        others: motions of the same robot, which are shown with it as ghosts. The runs of a batch are all shown.
        beside: whether they stand side by side instead.
        names: of all these motions; "run 0" and so on by default.

    Example:
        >>> import kinetree as kt
        >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, dt=0.01)
        >>> motion.view()
        <View of Motion of two_link: .open() in a browser, .save("view.html"), or a cell of a notebook>
    """
    robot = motion.robot
    if robot is None:
        raise InputError("this motion has no robot to draw; Motion(..., robot=...) has one")
    runs = [run for one in (motion, *others) for run in _runs(one.to_host())]
    if len(runs) > _MOST_GHOSTS:
        raise InputError(f"{len(runs)} motions are too many to show at once; choose runs, motion[:{_MOST_GHOSTS}]")
    first = runs[0]
    forces = [None if r.tau is None or r.tau.shape[-1] != robot.nv else r.tau for r in runs]
    movements = [Movement(r.t, r.q, tau) for r, tau in zip(runs, forces)]
    plots = [_curves(first, name, most=np.inf).picture().svg for name in recorded(first, DEFAULT)]
    values = {name: float(x) for name, x in first.parameters.items()}
    shown = numeric(robot, values)
    return View(
        shown, movements=movements, names=names, beside=beside, plots=plots, title=motion.title, engine=engine(shown)
    )


def _runs(motion: Motion) -> list[Motion]:
    return [motion[index] for index in np.ndindex(motion.batch)] if motion.batch else [motion]


def report(motion: Motion) -> Report:
    """A page on a motion; of a batch the first run is shown."""
    page = Report(motion.title, repr(motion).removeprefix(f"{motion.title}: "))
    run = motion[(0,) * len(motion.batch)] if motion.batch else motion
    page.add_facts({
        "simulated time": f"{motion.t[-1] - motion.t[0]:.4g} s" if len(motion) else "none",
        "recorded times": f"{len(motion)}",
        "runs": f"{math.prod(motion.batch)}",
        "events": f"{len(motion.events)}",
    })  # fmt: skip
    alive = np.isfinite(run.q).all(axis=1)
    robot = motion.robot
    if robot is not None and alive.sum() > 1:
        caption = "The motion of the first run." if motion.batch else "The motion."
        caption += " Its speed is chosen below on the right; the lines in the plots follow."
        values = {name: float(x) for name, x in run.parameters.items()}
        page.add_animation(robot, run.t[alive], run.q[alive], caption=caption, **values)
    for name in recorded(run, [*UNITS]) if len(motion) else ():
        page.add_curves(_curves(run, name, most=np.inf), follow=True)
    _add_runs(page, motion)
    if robot is not None:
        page.add_text("What was simulated.", heading="The robot")
        page.add_robot(robot)
    return page


def _add_runs(page: Report, motion: Motion) -> None:
    """How the runs ended, and the events."""
    if motion.batch:
        page.add_text("The first run is shown above.", heading="The runs")
        rows = zip(range(_MOST_ROWS), motion.end.ravel().tolist(), motion.reason)
        page.add_table(["run", "end [s]", "how it ended"], [[k, f"{end:.6g}", reason] for k, end, reason in rows])
    if motion.events:
        page.add_text("Zero crossings of what was watched.", heading="Events")
        rows = [[e.name, f"{e.t:.6f}", ", ".join(map(str, e.row)) or "-"] for e in motion.events[:_MOST_ROWS]]
        page.add_table(["event", "time [s]", "run"], rows)
