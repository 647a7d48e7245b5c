"""A page on a gait: an animated walker, curves of a stride with norms, and what the prediction kept."""

from __future__ import annotations

from kinetree.gait.asymmetric import StrideGait
from kinetree.gait.figure import snapshots, stick_figure
from kinetree.gait.gait import Gait
from kinetree.gait.norms import Norms
from kinetree.gait.pictures import BOTH_LEGS, drawn, panels, toe_off
from kinetree.view import Report
from kinetree.view.animation import figure_html

_SNAPSHOTS = 9  # figures in the picture of them
_FRAMES = 101  # of the animation
_UP = 1  # the axis y of the body is vertical
_FAMILIES = (
    ("Joint angles", "Over a stride of one leg, from heel strike to heel strike. The dotted line is toe off."),
    ("Ground forces", "On one foot, in units of body weight (of the body with what it carries)."),
    ("Joint forces", "Norms of the forces that the joints pass on between the segments. Muscles are not in the "
     "model: real joints carry their pull as well."),
    ("Joint moments", "Net moments of the joints; positive ones extend hip and knee and push the foot down."),
)  # fmt: skip
_GRID = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1.25rem"


def report(gait: Gait, norms: Norms | None) -> Report:
    """A page on a gait; see `Gait.report`."""
    page = Report("A predicted gait", sentence(gait))
    page.add_facts(facts(gait))
    times, q = gait.stride(_FRAMES)
    two = isinstance(gait, StrideGait)
    what = "two predicted steps" if two else "the predicted step and its mirror image"
    caption = f"A stride: {what}. Slow it down with the button on the right."
    figure = stick_figure(gait.step.walker, q)
    page.add_figure(figure_html("walker", times, figure, range(len(figure.names)), _UP, caption))
    page.add_pictures([snapshots(gait, _SNAPSHOTS)])
    for family, (heading, text) in zip(panels(gait, norms), _FAMILIES):
        behind = any(panel.norm is not None for panel in family)
        band = f" The band is mean and standard deviation of {norms.name}." if norms is not None and behind else ""
        page.add_text(text + f" {BOTH_LEGS}" * two + band, heading=heading)
        page.add_pictures([drawn(x, toe_off(gait), seconds=float(times[-1])) for x in family], follow=True, style=_GRID)
    page.add_text("What all walking has in common, and how near this one is to it.", heading="Realism")
    legs = {"Left leg": gait.left, "Right leg": gait.right} if isinstance(gait, StrideGait) else {"": gait}
    for side, one in legs.items():
        page.add_table(["measure", "here", "goal", "met"], one.realism(norms).rows, caption=side)
    page.add_text("What was asked for, and what it came to.", heading="The task")
    page.add_table(["walker and step", ""], described(gait))
    page.add_table(["unknowns, and limits by kind", "count"], [[name, str(n)] for name, n in gait.counts.items()])
    return page


def sentence(gait: Gait) -> str:
    """How the prediction ended."""
    text = gait.status.value
    ended = text[0].upper() + text[1:]
    return f"{ended}." if gait.ok else f"{ended}: {gait.worst}. This is no prediction."


def facts(gait: Gait) -> dict[str, str]:
    """Figures to see at a glance."""
    return {
        "speed": f"{gait.step.speed:g} m/s",
        "step length": f"{gait.step.length:g} m",
        "dynamic effort": f"{gait.effort:.4g}",
        "time of the search": f"{gait.seconds:.1f} s",
        "worst violation, of its scale": f"{gait.violation:.1e}",
    }


def described(gait: Gait) -> list[list[str]]:
    """The task in words."""
    step, walker = gait.step, gait.step.walker
    rows = [
        ["stature, mass, proportions", f"{walker.stature:g} m, {walker.mass:g} kg, {walker.sex}"],
        ["coordinates that move", f"{walker.robot.nv} of {walker.body.nv}"],
        ["carried", ", ".join(f"{name} {mass:g} kg" for name, mass in walker.loads.items()) or "nothing"],
        ["strength", ", ".join(f"{name} times {x:g}" for name, x in walker.strength.items()) or "as in the tables"],
        ["width between the feet", f"{step.width:g} m"],
        ["toe off, heel rise", f"{step.timing.lift:g}, {step.timing.rise:g} of a step"],
        ["steps per minute", f"{60.0 * step.speed / step.length:.0f}"],
        ["iterations of the search", f"{gait.iterations}"],
        ["control points", f"{step.control_points} for each coordinate"],
    ]
    return [*rows, ["worst limit", gait.worst or "none"]]
