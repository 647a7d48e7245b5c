"""Plans as pictures and pages: curves with their bounds, an animation, what is active when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinetree.export.page import engine
from kinetree.plan.active import shown_constraints
from kinetree.plan.constraints import ALWAYS
from kinetree.plan.forces import Force, ForceRate, Power
from kinetree.plan.obstacles.picture import fixtures
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.runtime.arrays import Array
from kinetree.scene import Movement, View
from kinetree.scene.view import numeric
from kinetree.simulation import Motion
from kinetree.view import Curves, Picture, Report
from kinetree.view.curves import stacked
from kinetree.view.limits import limited

SAMPLES = 600  # times of a curve
DEFAULT = (Derivative(0), Derivative(1), Force())
_PLURALS = ("Positions", "Velocities", "Accelerations", "Jerks")
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
    "FrameOrientation": ("Orientation error of a frame", "rad"),
    "Distance": ("Distance", "m"),
}
_GAP = 0.02  # of the duration: intervals that are nearer are told as one


def shown(plan: Plan) -> list[Quantity]:
    """Positions, velocities, forces, and all that is bounded; each once."""
    return [*dict.fromkeys([*map(plan.quantity, DEFAULT), *(c.quantity for c in shown_constraints(plan))])]


def curves(plan: Plan, what: str | Quantity, t: Array) -> Curves:
    """A quantity over time with its bounds; relative to them where they differ from number to number."""
    wanted = plan.quantity(what)
    values, names = plan.values(wanted, t), _labels(plan, wanted)
    title, unit = _heading(wanted)
    own = [c.bounds_at(t / plan.duration, c.lower, c.upper) for c in plan.constraints if c.quantity == wanted]
    if not own:
        return Curves(title, t, dict(zip(names, values.T)), ylabel=unit)
    lower, upper = np.max([low for low, _ in own], axis=0), np.min([high for _, high in own], axis=0)
    return limited(title, t, names, values, lower, upper, unit)


def plot(plan: Plan, what: Sequence[str | Quantity], title: str) -> Picture:
    """Plots below each other as one picture."""
    t = np.linspace(0.0, plan.duration, SAMPLES)
    plots = [curves(plan, wanted, t) for wanted in what or shown(plan)]
    if title:
        plots[0] = replace(plots[0], title=title)
    return stacked(title or f"Plan of {plan.robot.name}", plots)


def view(plan: Plan, *others: Plan, beside: bool = False, names: Sequence[str] = ()) -> View:
    """The motion to be played, with its curves; see `Plan.view`."""
    t, robot = np.linspace(0.0, plan.duration, SAMPLES), plan.robot
    plots = [curves(plan, wanted, t).picture().svg for wanted in shown(plan)]
    return View(
        robot,
        movements=[_movement(one) for one in (plan, *others)],
        names=names,
        beside=beside,
        obstacles=[] if plan.scene is None else fixtures(plan.scene, t),
        plots=plots,
        active=_active(plan),
        title=f"Plan of {robot.name}",
        engine=engine(numeric(robot, {})),
    )


def _movement(plan: Plan) -> Movement:
    t = np.linspace(0.0, plan.duration, SAMPLES)
    tau = plan.values(plan.quantity(Force()), t)
    own = tau.shape[1] == plan.robot.nv
    return Movement(t, plan.motion(t)[0], tau if own else None, limits=_force_limits(plan) if own else None)


def _force_limits(plan: Plan) -> Array | None:
    """The forces that the plan may need at the most, where it says so for the whole motion."""
    wanted = plan.quantity(Force())
    own = [c for c in plan.constraints if c.quantity == wanted and c.during == ALWAYS]
    most = [np.maximum(np.abs(c.lower), np.abs(c.upper)) for c in own]
    return np.min(most, axis=0) if most and np.shape(most[0]) == (plan.robot.nv,) else None


def _active(plan: Plan) -> list[tuple[str, Sequence[tuple[float, float]]]]:
    """Joints with limits that are active, and when."""
    names = sorted(plan.robot.joint_names, key=len, reverse=True)
    return [(name, x.intervals) for x in plan.active() if (name := next((n for n in names if n in x.name), None))]


# -- pages -------------------------------------------------------------------------------------------------------------


def report(plan: Plan, motion: Motion | None = None) -> Report:
    """A page on a plan, and on a simulation of it."""
    page = Report(f"A planned motion of {plan.robot.name}", plan.message[0].upper() + plan.message[1:] + ".")
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
        "largest violation, relative to the bound": f"{plan.violation:.1e}" if plan.violation else "none",
    }
    if motion is not None:
        found["largest error of the simulated motion"] = f"{np.nanmax(np.abs(errors(plan, motion))):.1e}"
    return found


def add_motion(page: Report, plan: Plan) -> None:
    """An animation, and the curves of all that is bounded."""
    t = np.linspace(0.0, plan.duration, SAMPLES)
    caption = "The planned motion. Its speed is chosen below on the right; the lines in the plots follow."
    world = [] if plan.scene is None else fixtures(plan.scene, t)
    page.add_figure(View(plan.robot, movements=[_movement(plan)], obstacles=world).figure(caption=caption))
    for wanted in shown(plan):
        page.add_curves(curves(plan, wanted, t), follow=True)


def add_active(page: Report, plan: Plan) -> None:
    """Which constraints are active when."""
    if not shown_constraints(plan):
        return
    rows = [
        [x.name, x.side, f"{x.bound:.6g}", _times(x.intervals, _GAP * plan.duration), f"{x.share:.0%}"]
        for x in plan.active()
    ]
    page.add_text("A constraint is active where the motion is within 1 % of its bound.", heading="Active constraints")
    page.add_table(["constraint", "side", "bound", "active at [s]", "of the time"], rows or [["none", "", "", "", ""]])


def add_tracking(page: Report, plan: Plan, motion: Motion) -> None:
    """A simulation beside the plan: errors of the positions, and forces with their bounds."""
    text = "The same motion under computed torque: the robot is simulated, and the controller follows the plan."
    page.add_text(text, heading="Simulated")
    joints = list(motion.joints)
    tracking = dict(zip(joints, errors(plan, motion).T))
    page.add_curves(Curves("Tracking error", motion.t, tracking, ylabel="error [rad, m]"))
    if motion.tau is not None:
        whole = (c for c in plan.constraints if isinstance(c.quantity, Force) and c.during == ALWAYS)
        lower, upper = next(((c.lower, c.upper) for c in whole), (-np.inf, np.inf))
        title, unit = "Forces in the simulation", "forces [N m, N]"
        page.add_curves(limited(title, motion.t, joints, motion.tau, lower, upper, unit))


def errors(plan: Plan, motion: Motion) -> Array:
    """How far the positions of a simulation are from those of the plan (n, nv) [rad, m]."""
    return plan.motion(motion.t)[0] - motion.q


def _heading(wanted: Quantity) -> tuple[str, str]:
    """What stands above a plot, and at its axis."""
    if isinstance(wanted, Derivative):
        title, unit = _PLURALS[wanted.degree], _DERIVATIVES[wanted.degree]
    else:
        kinds = (_KINDS[kind.__name__] for kind in type(wanted).__mro__ if kind.__name__ in _KINDS)
        title, unit = next(kinds, (wanted.title.capitalize(), ""))
    return title, f"{title.lower()} [{unit}]" if unit else title.lower()


def _labels(plan: Plan, wanted: Quantity) -> list[str]:
    """Names for the curves: the joints where there is one number for each."""
    start = f"{wanted.title} of " if isinstance(wanted, Derivative | Force | ForceRate | Power) else ""
    return [name.removeprefix(start) for name in wanted.names(plan.robot)]


def _times(intervals: Sequence[tuple[float, float]], gap: float) -> str:
    """Intervals as text, those with a short gap between them as one."""
    merged: list[tuple[float, float]] = []
    for start, end in intervals:
        if merged and start - merged[-1][1] < gap:
            start = merged.pop()[0]
        merged.append((start, end))
    return ", ".join(f"{a:.3f}" if a == b else f"{a:.3f} to {b:.3f}" for a, b in merged)
