"""A page on a gait: an animated walker, curves of a stride with norms, and how well constraints are satisfied."""

from __future__ import annotations

from kinetree.gait.figure import snapshots, stick_figure
from kinetree.gait.gait import Gait
from kinetree.gait.norms import Norms
from kinetree.gait.pictures import BOTH_LEGS, panels, toe_off
from kinetree.scene import Movement, View
from kinetree.view import Report
from kinetree.view.animation import figure_html

_SNAPSHOTS = 9  # figures in the picture of them
_FRAMES = 101  # of the animation
_UP = 1  # the axis y of the body is vertical
_FAMILIES = (
    ("Joint angles", "Over a stride of one leg, from heel strike to heel strike. The dotted line is toe-off."),
    ("Ground forces", "On one foot, in units of body weight (of the body with what it carries)."),
    ("Joint forces", "Norms of the forces that the joints transmit between the segments. Muscles are not in the "
     "model: real joints carry their pull as well."),
    ("Joint moments", "Net moments of the joints, positive for hip extension, knee extension and plantarflexion."),
)  # fmt: skip
_GRID = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1.25rem"


def report(gait: Gait, norms: Norms | None) -> Report:
    """A page on a gait; see `Gait.report`."""
    ended = f"{gait.message[0].upper()}{gait.message[1:]}."
    page = Report("A predicted gait", ended if gait.ok else f"{ended} This is no prediction.")
    page.add_facts(facts(gait))
    times, q = gait.stride(_FRAMES)
    two = len(gait.legs) > 1
    what = "two predicted steps" if two else "the predicted step and its mirror image"
    caption = f"A stride: {what}. Its speed is chosen below on the right."
    figure = stick_figure(gait.step.walker, q)
    page.add_figure(figure_html("walker", times, figure, _UP, caption))
    page.add_pictures([snapshots(gait, _SNAPSHOTS)])
    for family, (heading, text) in zip(panels(gait, (), norms), _FAMILIES):
        behind = any(panel.norm is not None for panel in family)
        band = f" The band is mean and standard deviation of {norms.name}." if norms is not None and behind else ""
        page.add_text(text + f" {BOTH_LEGS}" * two + band, heading=heading)
        pictures = [panel.picture(toe_off(gait), float(times[-1])) for panel in family]
        page.add_pictures(pictures, follow=True, style=_GRID)
    page.add_text("What all walking has in common, and how near this gait is to it.", heading="Realism")
    for name, leg in gait.legs.items():
        page.add_table(["measure", "here", "goal", "met"], leg.realism(norms).rows, caption=name)
    page.add_text("What was asked for, and how the search ended.", heading="The task")
    page.add_table(["walker and step", ""], described(gait))
    rows = [[name, str(count)] for name, count in gait.counts.items()]
    page.add_table(["variables, and constraints by family", "count"], rows)
    return page


def view(gait: Gait) -> View:
    """The walker to be played; see `Gait.view`."""
    times, q = gait.stride(_FRAMES)
    families = panels(gait, (), None)
    plots = [panel.picture(toe_off(gait), float(times[-1])).svg for family in families for panel in family]
    title = f"A stride at {gait.step.speed:g} m/s"
    return View(gait.step.walker.robot, movements=[Movement(times, q)], plots=plots, title=title)


def facts(gait: Gait) -> dict[str, str]:
    """Figures to see at a glance."""
    return {
        "speed": f"{gait.step.speed:g} m/s",
        "step length": f"{gait.step.length:g} m",
        "dynamic effort": f"{gait.effort:.4g}",
        "time of the search": f"{gait.seconds:.1f} s",
        "largest violation, of its scale": f"{gait.violation:.1e}",
    }


def described(gait: Gait) -> list[list[str]]:
    """The task in words."""
    step, walker = gait.step, gait.step.walker
    return [
        ["stature, mass, proportions", f"{walker.stature:g} m, {walker.mass:g} kg, {walker.sex}"],
        ["coordinates that move", f"{walker.robot.nv} of {walker.body.nv}"],
        ["loads", ", ".join(f"{name} {mass:g} kg" for name, mass in walker.loads.items()) or "none"],
        ["strength", ", ".join(f"{name} times {x:g}" for name, x in walker.strength.items()) or "as in the tables"],
        ["step width", f"{step.width:g} m"],
        ["toe-off, heel rise", f"{step.timing.lift:g}, {step.timing.rise:g} of a step"],
        ["cadence", f"{60.0 * step.speed / step.length:.0f} steps per minute"],
        ["iterations of the solver", f"{gait.iterations}"],
        ["control points", f"{step.control_points} for each coordinate and step"],
        ["worst constraint", gait.worst or "none"],
    ]
