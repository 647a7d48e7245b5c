"""Plans as pictures and pages: curves with their limits, an animation, what is active when."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.active import kept, sizes
from kinetree.plan.conditions import Limit
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Derivative, Force, ForceRate, Power, Quantity
from kinetree.simulation import Motion, Picture

Array = NDArray[np.float64]
SAMPLES = 600  # times of a curve
DEFAULT = (Derivative(0), Derivative(1), Force())
_DERIVATIVES = ("rad, m", "rad/s, m/s", "rad/s\u00b2, m/s\u00b2", "rad/s\u00b3, m/s\u00b3")
# the heading and the unit of each kind; the joints' own are named by their titles
_KINDS = {
    "Force": ("Forces", "N m, N"),
    "ForceRate": ("Force rates", "N m/s, N/s"),
    "Power": ("Power", "W"),
    "Energy": ("Absolute power", "W"),
    "Reaction": ("Reaction", "N, N m"),
    "Reactions": ("Reactions", "N"),
    "FramePosition": ("Position of a frame", "m"),
    "FrameVelocity": ("Velocity of a frame", "m/s"),
    "FrameTurn": ("Turn of a frame", "rad"),
    "Distance": ("Distance", "m"),
}
_LOWER, _UPPER = "lower limit", "upper limit"
_ROUND = 1e-12  # two limits that differ by less are one
_GAP = 0.02  # of the duration: intervals that are nearer are told as one
_WIDTH = 560  # pixels of a plot
_HEIGHT = re.compile(r'viewBox="0 0 \d+ (\d+)"')


@dataclass(frozen=True)
class Curves:
    """What one plot shows."""

    title: str
    unit: str
    series: dict[str, Array]
    dashed: tuple[str, ...]


def shown(plan: Plan) -> list[Quantity]:
    """Positions, velocities, forces, and all that has a limit; each once."""
    return [*dict.fromkeys([*map(plan.loaded, DEFAULT), *(limit.quantity for limit in kept(plan))])]


def curves(plan: Plan, what: str | Quantity, t: Array) -> Curves:
    """A quantity over time with its limits; as parts of them where they differ from number to number."""
    wanted = plan.loaded(what)
    values = plan.values(wanted, t)
    own = [limit for limit in plan.limits if limit.quantity == wanted]
    title, unit = _heading(wanted)
    labels = _labels(plan, wanted)
    if not own:
        return Curves(title, unit, dict(zip(labels, values.T)), ())
    low, high = np.max([x.lower for x in own], axis=0), np.min([x.upper for x in own], axis=0)
    by = np.ones_like(low)
    if not (_equal(low) and _equal(high)):
        by, unit = sizes(low, high), f"{title.lower()} / limit"
    series = dict(zip(labels, (values / by).T))
    sides = [x.sides(t / plan.duration, x.lower / by, x.upper / by) for x in own]
    bounds = {_LOWER: np.max([a for a, _ in sides], axis=0), _UPPER: np.min([b for _, b in sides], axis=0)}
    lines = {name: line for name, x in bounds.items() if (line := _line(x)) is not None}
    return Curves(title, unit, {**series, **lines}, tuple(lines))


def _line(bounds: Array) -> Array | None:
    """The one curve of bounds (times, numbers) that are the same for all numbers, with gaps where there is none."""
    line = bounds[:, 0]
    finite = np.isfinite(line)
    if not finite.any() or not all(map(_equal, bounds)):
        return None
    return np.where(finite, line, np.nan)


def plot(plan: Plan, what: Sequence[str | Quantity], title: str) -> Picture:
    """Plots below each other as one picture."""
    # drawing comes after planning in the order of the package: it is fetched when it is wanted
    line_plot = importlib.import_module("kinetree.view.svg").line_plot
    t = np.linspace(0.0, plan.duration, SAMPLES)
    parts, height = [], 0
    for k, wanted in enumerate(what or shown(plan)):
        c = curves(plan, wanted, t)
        heading = title if title and k == 0 else c.title
        text: str = line_plot(heading, t, c.series, xlabel="time [s]", ylabel=c.unit, dashed=c.dashed)
        own = int(_HEIGHT.search(text)[1])  # type: ignore[index]
        parts.append(text.replace("<svg ", f'<svg y="{height}" width="{_WIDTH}" height="{own}" ', 1))
        height += own
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    name = title or f"Plan of {plan.robot.name}"
    return Picture("\n".join([head, f"<title>{escape(name)}</title>", *parts, "</svg>"]), name)


# -- pages -------------------------------------------------------------------------------------------------------------


def report(plan: Plan, motion: Motion | None = None) -> Any:
    """A page on a plan, and on a simulation of it: a `kinetree.view.Report`."""
    page = importlib.import_module("kinetree.view").Report(f"A planned motion of {plan.robot.name}", _sentence(plan))
    page.add_facts(facts(plan, motion))
    add_motion(page, plan)
    add_active(page, plan)
    if motion is not None:
        add_tracking(page, plan, motion)
    page.add_text("What was planned for.", heading="The robot")
    page.add_robot(plan.robot)
    return page


def facts(plan: Plan, motion: Motion | None = None) -> dict[str, str]:
    """Figures to see at a glance."""
    found = {
        "duration of the motion": f"{plan.duration:.4g} s",
        "time of the search": f"{plan.seconds:.2g} s",
        "iterations of the solver": f"{plan.iterations}",
        "largest violation of a limit, of itself": f"{plan.violation:.1e}" if plan.violation else "none",
    }
    if motion is not None:
        found["largest error of the simulated motion"] = f"{np.nanmax(np.abs(errors(plan, motion))):.1e}"
    return found


def add_motion(page: Any, plan: Plan) -> None:
    """An animation, and the curves of all that has a limit."""
    t = np.linspace(0.0, plan.duration, SAMPLES)
    caption = "The planned motion. Slow it down with the button on the right; the lines in the plots follow."
    page.add_animation(plan.robot, t, plan.motion(t)[0], caption=caption)
    for wanted in shown(plan):
        c = curves(plan, wanted, t)
        page.add_plot(c.title, t, c.series, xlabel="time [s]", ylabel=c.unit, dashed=c.dashed, follow=True)


def add_active(page: Any, plan: Plan) -> None:
    """Which limits the motion touches when."""
    if not kept(plan):
        return
    rows = [
        [x.name, x.side, f"{x.bound:.6g}", _times(x.intervals, _GAP * plan.duration), f"{x.share:.0%}"]
        for x in plan.active()
    ]
    page.add_text("A limit is active where the motion is within 1 % of it.", heading="Active limits")
    page.add_table(["limit", "side", "value", "active at [s]", "of the time"], rows or [["none", "", "", "", ""]])


def add_tracking(page: Any, plan: Plan, motion: Motion) -> None:
    """A simulation beside the plan: errors of the positions, and forces with their limits."""
    text = "The same motion under computed torque: the robot is simulated, and the controller follows the plan."
    page.add_text(text, heading="Simulated")
    joints = list(motion.joints)
    wanted = dict(zip(joints, errors(plan, motion).T))
    page.add_plot("Tracking error", motion.t, wanted, xlabel="time [s]", ylabel="error [rad, m]")
    if motion.tau is not None:
        whole = (x for x in plan.limits if isinstance(x.quantity, Force) and x.during == (0.0, 1.0))
        limit = next(whole, None)
        by, lines = _force_limit(limit)
        bounds = {name: np.full(len(motion.t), x) for name, x in lines.items()}
        series = {**dict(zip(joints, (motion.tau / by).T)), **bounds}
        unit = "forces [N m, N]" if np.all(by == 1.0) else "forces / limit"
        page.add_plot("Forces in the simulation", motion.t, series, xlabel="time [s]", ylabel=unit, dashed=[*bounds])


def errors(plan: Plan, motion: Motion) -> Array:
    """How far the positions of a simulation are from those of the plan (n, nv) [rad, m]."""
    return plan.motion(motion.t)[0] - motion.q


def _force_limit(limit: Limit | None) -> tuple[Any, dict[str, float]]:
    """What forces are divided by, and the lines to draw."""
    if limit is None:
        return 1.0, {}
    low, high = limit.lower, limit.upper
    by: Any = 1.0
    if not (_equal(low) and _equal(high)):
        by = sizes(low, high)
        low, high = low / by, high / by
    return by, {n: float(x[0]) for n, x in ((_LOWER, low), (_UPPER, high)) if _equal(x) and np.isfinite(x[0])}


def _sentence(plan: Plan) -> str:
    text = plan.sentence
    return text[0].upper() + text[1:] + "."


def _heading(wanted: Quantity) -> tuple[str, str]:
    """What stands above a plot, and at its axis."""
    if isinstance(wanted, Derivative):
        title, unit = _plural(wanted.title.capitalize()), _DERIVATIVES[wanted.degree]
    else:
        kinds = (_KINDS[kind.__name__] for kind in type(wanted).__mro__ if kind.__name__ in _KINDS)
        title, unit = next(kinds, (wanted.title.capitalize(), ""))
    return title, f"{title.lower()} [{unit}]" if unit else title.lower()


def _labels(plan: Plan, wanted: Quantity) -> list[str]:
    """Names for the curves: the joints where there is one number for each."""
    start = f"{wanted.title} of "
    own = wanted.names(plan.robot)
    joints = isinstance(wanted, Derivative | Force | ForceRate | Power)
    return [name.removeprefix(start) for name in own] if joints else own


def _equal(x: Array) -> bool:
    """Whether all numbers are one, to rounding; infinite ones are."""
    return bool((x == x[0]).all() or np.ptp(x) <= _ROUND * np.abs(x).max())


def _times(intervals: Sequence[tuple[float, float]], gap: float) -> str:
    """Intervals as text, those with a short gap between them as one."""
    merged: list[tuple[float, float]] = []
    for start, end in intervals:
        if merged and start - merged[-1][1] < gap:
            start = merged.pop()[0]
        merged.append((start, end))
    return ", ".join(f"{a:.3f}" if a == b else f"{a:.3f} to {b:.3f}" for a, b in merged)


def _plural(heading: str) -> str:
    return heading[:-1] + "ies" if heading.endswith("y") else heading + "s"
