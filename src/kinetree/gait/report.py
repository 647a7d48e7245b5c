"""A page on a gait: an animated walker, curves of a stride with norms, and how well constraints are satisfied."""

from __future__ import annotations

import numpy as np

from kinetree.gait import figure
from kinetree.gait.curves import FAMILIES
from kinetree.gait.gait import Gait
from kinetree.gait.norms import Norms
from kinetree.gait.pictures import BOTH_LEGS, panels
from kinetree.gait.realism import HEADER
from kinetree.gait.snapshots import FORCE, snapshots
from kinetree.gait.states import StrideStates
from kinetree.gait.walk import Walk
from kinetree.scene import Arrow, Movement, View
from kinetree.view import Picture, Report

_SNAPSHOTS = 9  # figures in the picture of them
_FRAMES = 101  # of the animation
_TEXTS = {
    "angles": ("Joint angles", "Over a stride of one leg, from heel strike to heel strike. Dotted: toe-off."),
    "posture": ("Pelvis, trunk and arms", "Of the side of the leg; trunk bend and turn are against the pelvis."),
    "ground_forces": ("Ground forces", "On one foot, in units of body weight (of the body with what it carries)."),
    "joint_forces": ("Joint forces", "Norms of the forces that the joints transmit between the segments. Muscles are "
                     "not in the model: real joints carry their pull as well."),
    "moments": ("Joint moments", "Net moments of the joints, positive for hip extension and abduction, knee extension "
                "and plantarflexion."),
    "powers": ("Joint powers", "Of the moments in the sagittal plane."),
    "paths": ("Foot and centre of mass", "The height of the foot's lowest point above the ground, and the movement of "
              "the centre of mass about its mean."),
}  # fmt: skip
_GRID = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1.25rem"


def report(gait: Gait, norms: Norms | None) -> Report:
    """A page on a gait; see `Gait.report`."""
    ended = f"{gait.message[0].upper()}{gait.message[1:]}."
    page = Report("A predicted gait", ended if gait.ok else f"{ended} This is no prediction.")
    page.add_facts(facts(gait))
    add_stride(page, gait, norms)
    page.add_text("What was asked for, and how the search ended.", heading="The task")
    page.add_table(["walker and step", ""], described(gait))
    rows = [[name, str(count)] for name, count in gait.counts.items()]
    page.add_table(["variables, and constraints by family", "count"], rows)
    return page


def add_stride(page: Report, walk: Walk, norms: Norms | None) -> None:
    """The walker, its curves and how near they are to how people walk."""
    states, two = walk.states(_FRAMES), len(walk.legs) > 1
    norms = Norms.at_speed(states.speed, -walk.walker.ground) if norms is None else norms
    caption = f"{walk.described}. Arrows are the ground forces, from the centre of pressure of each foot."
    page.add_figure(_view(walk, states, ()).figure(caption=caption))
    page.add_pictures([snapshots(walk, _SNAPSHOTS)])
    page.add_text(_REALISM, heading="Realism")
    for name, leg in walk.legs.items():
        page.add_table(HEADER, leg.realism(norms).rows, caption=name)
    for family in panels(walk, FAMILIES, norms):
        heading, text = _TEXTS[family[0].curve.family]
        behind = any(panel.norm is not None for panel in family)
        band = f" The band is mean and standard deviation of {norms.name}." if behind else ""
        page.add_text(text + f" {BOTH_LEGS}" * two + band, heading=heading)
        pictures = [panel.picture(walk.toe_off, float(states.t[-1])) for panel in family]
        page.add_pictures(pictures, follow=True, style=_GRID)


_REALISM = "What was measured of this walk, and the band that people are in; kinetree.gait.bands has the sources."


def view(walk: Walk) -> View:
    """The walker to be played; see `Walk.view`."""
    states = walk.states(_FRAMES)
    pictures: list[Picture] = []
    for family in panels(walk, (), None):
        pictures += [panel.picture(walk.toe_off, float(states.t[-1])) for panel in family]
    return _view(walk, states, [picture.svg for picture in pictures])


def _view(walk: Walk, states: StrideStates, plots: list[str] | tuple[()]) -> View:
    """The body on its way, with the forces on its feet; it goes on where a stride ends."""
    walker = walk.walker
    scale = FORCE * walker.stature / walker.weight
    arrows = [Arrow(foot.point, scale * foot.force, figure.FORCE) for foot in states.feet.values()]
    travel = (0.0, 0.0, float(np.ptp(states.column(states.q, "global_tz_forward"))))
    motion = Movement(states.t, states.q, arrows=arrows, travel=travel)
    return View(walker.robot, movements=[motion], parts=figure.parts(walker), plots=plots, title=walk.described)


def facts(gait: Gait) -> dict[str, str]:
    """Figures to see at a glance."""
    met = [leg.realism().measures for leg in gait.legs.values()]
    return {
        "speed": f"{gait.step.speed:g} m/s",
        "step length": f"{gait.step.length:.3g} m",
        "dynamic effort": f"{gait.effort:.4g}",
        "goals of realism met": f"{sum(x.met for some in met for x in some)} of {sum(map(len, met))}",
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
        ["toe-off, heel rise", f"{step.timing.lift:.3g}, {step.timing.rise:g} of a step"],
        ["cadence", f"{60.0 * step.speed / step.length:.0f} steps per minute"],
        ["iterations of the solver", f"{gait.iterations}"],
        ["control points", f"{step.control_points} for each coordinate and step"],
        ["worst constraint", gait.worst or "none"],
    ]
