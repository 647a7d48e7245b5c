"""Fits, payloads and exciting trajectories as pages: measured and predicted forces, residuals, tables of parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetree.identify.chains import all_positions, tree_of
from kinetree.identify.excitation import QUANTITIES, Excitation
from kinetree.identify.fit import Fit
from kinetree.identify.payload import Payload
from kinetree.identify.samples import Samples
from kinetree.identify.validation import Validation, percent, running
from kinetree.robot import Robot
from kinetree.view import Curves, Report

_PRECISE = 0.1  # relative standard deviation below which a parameter is well identified
_FRAMES = 600  # of an animation


def fit_report(fit: Fit, other: Validation | None = None, title: str = "") -> Report:
    """A page on a fit; ``other`` is its validation on another motion."""
    count, total, tree = len(fit.parameters), percent(fit.validation.total), fit.linear.base.tree
    summary = f"{count} parameters from {len(fit.residuals)} samples leave {total} of the forces unexplained."
    page = Report(title or f"Identified parameters of {tree.name}", summary)
    page.add_facts(facts(fit, other))
    if fit.warnings:
        page.add_text("\n\n".join(text[0].upper() + text[1:] for text in fit.warnings), heading="Diagnostics")
    _add_motion(page, tree, fit.samples[0])
    _add_forces(page, "Fitted motion", "The motion that the parameters were fitted to.", fit.validation)
    if other is not None:
        _add_forces(page, "Another motion", "A motion that is not in the fit: cross-validation.", other)
    _add_parameters(page, fit)
    if fit.dropped:
        page.add_text("Parameters that are not significantly different from zero with this data.", heading="Dropped")
        page.add_table(["parameter", "why"], [[name, text] for name, text in fit.dropped.items()])
    if fit.unidentifiable:
        text = "Parameters that this motion does not identify; they keep the values of the model."
        page.add_text(text, heading="Not identifiable")
        page.add_table(["parameter"], [[name] for name in fit.unidentifiable])
    page.add_text("The robot as it was given.", heading="The model")
    page.add_robot(tree)
    return page


def facts(fit: Fit, other: Validation | None = None) -> dict[str, str]:
    """Figures to see at a glance."""
    found = {
        "base parameters": f"{len(fit.linear.base)}",
        f"known to {percent(_PRECISE)} or better": f"{int((fit.parameters.relative_std < _PRECISE).sum())}",
        "condition number": f"{fit.condition:.3g}",
        "residuals of the fitted motion": percent(fit.validation.total),
    }
    return found if other is None else {**found, "residuals of another motion": percent(other.total)}


def payload_report(load: Payload) -> Report:
    """A page on a payload."""
    page = Report(f"A load on {load.body} of {tree_of(load.model).name}", repr(load).partition(": ")[2] + ".")
    rows = [["mass [kg]", load.mass, load.mass_std]]
    rows += [[f"centre of mass {axis} [m]", *pair] for axis, *pair in zip("xyz", load.com, load.com_std)]
    if load.about_com is not None and load.about_com_std is not None:
        names = ("XX", "YY", "ZZ", "XY", "XZ", "YZ")
        moments = zip(names, load.about_com, load.about_com_std)
        rows += [[f"inertia {name} about it [kg m\u00b2]", *pair] for name, *pair in moments]
    _add_motion(page, tree_of(load.model), load.samples[0])
    page.add_table(["load", "value", "std"], [[name, f"{value:.5g}", f"{std:.2g}"] for name, value, std in rows])
    _add_forces(page, "Motion with the load", "Predictions are those of the model with the load.", load.validation)
    page.add_text("The robot with the load.", heading="The robot")
    page.add_robot(tree_of(load.robot))
    return page


def excitation_report(swing: Excitation) -> Report:
    """A page on an exciting trajectory."""
    tree, t = swing.base.tree, np.linspace(0.0, swing.duration, _FRAMES)
    page = Report(f"An exciting motion of {tree.name}", swing.message[0].upper() + swing.message[1:] + ".")
    page.add_facts({
        "base parameters": f"{len(swing.base)}",
        "condition number": f"{swing.condition:.3g}",
        "duration of a period": f"{swing.duration:.4g} s",
        "largest violation, relative to the bound": f"{swing.violation:.1e}" if swing.violation else "none",
    })  # fmt: skip
    if np.isfinite(swing.condition):  # the loops can be closed along it
        page.add_animation(tree, t, all_positions(swing.robot, swing.motion(t)[0], swing.configuration))
        for name in QUANTITIES:
            page.add_curves(swing.curves(name, t), follow=True)
    page.add_text("What the motion identifies, in the parameters of the robot.", heading="Base parameters")
    page.add_table(["base parameter", "stands for"], [*swing.base.relations.items()])
    page.add_text("What is excited.", heading="The robot")
    page.add_robot(tree)
    return page


def _add_motion(page: Report, tree: Robot, samples: Samples) -> None:
    """An animation of the samples, evenly spaced."""
    shown = np.linspace(0, len(samples) - 1, min(len(samples), _FRAMES)).astype(int)
    page.add_animation(tree, samples.t[shown], samples.q[shown], caption="The motion that was measured.")


def _add_forces(page: Report, heading: str, text: str, validation: Validation) -> None:
    page.add_text(f"{text} Residuals are measured less predicted forces.", heading=heading)
    joints = list(zip(validation.joints, validation.absolute, validation.rms))
    rows = [[name, f"{absolute:.3g}", percent(relative)] for name, absolute, relative in joints]
    rows.append(["all", "-", percent(validation.total)])
    page.add_table(["joint", "residual [N m, N]", "of the measured force"], rows)
    for k, name in enumerate(validation.joints):
        page.add_curves(replace(validation.curves(k), title=name, dashed=["predicted"]))
    parts = 100.0 * validation.residuals * validation.rms / np.fmax(validation.absolute, 1e-300)
    series = dict(zip(validation.joints, parts.T))
    page.add_curves(Curves("Residuals", running(validation.t), series, ylabel="of the joint's force [%]"))


def _add_parameters(page: Report, fit: Fit) -> None:
    text = (
        f"Base parameters in SI units, with standard deviations and intervals of {100 * fit.confidence:g} %. "
        "M is a mass, MX to MZ first moments, XX to YZ second moments about the origin of a body's frame, FV viscous "
        "and FS Coulomb friction, IA a rotor inertia, K and KT a stiffness. R at the end: regrouped with others."
    )
    page.add_text(text, heading="Parameters")
    header = ["parameter", "value", "std", "std [%]", "lower", "upper", "model", "stands for"]
    rows = [
        [
            p.name, f"{p.value:.5g}", f"{p.std:.2g}", f"{100 * p.relative_std:.2g}" if p.relative_std < 10 else "-",
            f"{p.lower:.5g}", f"{p.upper:.5g}", f"{p.model:.5g}", "" if p.relation == p.name else p.relation,
        ]
        for p in fit.parameters
    ]  # fmt: skip
    page.add_table(header, rows)
