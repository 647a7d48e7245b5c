"""Identified parameters as a page: measured against predicted forces, residuals, the table of parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import UnknownNameError
from kinetree.identify.fit import Fit, Measured
from kinetree.identify.validation import Validation
from kinetree.view import Curves, Picture, Report
from kinetree.view.curves import stacked

Array = NDArray[np.float64]
_SURE = 0.1  # relative standard deviation below which a parameter is called well known


def report(
    fit: Fit, path: str | os.PathLike[str], validation: Validation | Measured | None = None, title: str = ""
) -> Path:
    """Write a self-contained HTML page on a fit; gives the absolute path.

    It has the forces that were measured beside those that the fit predicts, of the fitted motion and of another one
    if there is one, the residuals, all parameters with their intervals, what was left out and what is not identifiable.

    Args:
        fit: what `fit` gave.
        path: of the file; missing folders are made, an existing file is replaced.
        validation: measurements of another motion, or what `Fit.validate` made of them.
        title: of the page.

    Example:
        >>> import tempfile
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> swing = kt.identify.excite(arm, 4.0, harmonics=3, velocity_limits=3.0, starts=1)
        >>> found = kt.identify.fit(arm, swing.simulated(200.0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report(found, folder + "/arm.html").name
        'arm.html'
    """
    other = (
        fit.validate(validation) if validation is not None and not isinstance(validation, Validation) else validation
    )
    name = fit.linear.base.tree.name
    page = Report(title or f"Identified parameters of {name}", _sentence(fit))
    page.add_facts(facts(fit, other))
    if fit.warnings:
        page.add_text("\n\n".join(text[0].upper() + text[1:] for text in fit.warnings), heading="Diagnostics")
    _add_forces(page, "Fitted motion", "The motion that the parameters were fitted to.", fit.validation)
    if other is not None:
        _add_forces(page, "Another motion", "A motion that is not in the fit: cross-validation.", other)
    _add_parameters(page, fit)
    _add_left_out(page, fit)
    page.add_text("The robot as it was given.", heading="The model")
    page.add_robot(fit.linear.base.tree)
    return page.write(path)


def plot(validation: Validation, joints: Sequence[str] | None = None, title: str = "") -> Picture:
    """Measured and predicted forces over time, a plot for each joint, as a picture for notebooks and files.

    Args:
        validation: ``fit.validation``, or what `Fit.validate` gave.
        joints: whose; all by default.
        title: of the picture.
    """
    for name in joints or ():
        if name not in validation.joints:
            raise UnknownNameError("joint", name, validation.joints)
    t = running(validation.t)
    plots = []
    for k, name in enumerate(validation.joints):
        if joints is None or name in joints:
            series = {"measured": validation.measured[:, k], "predicted": validation.predicted[:, k]}
            heading = f"{name}: residuals {_percent(validation.rms[k])}"
            plots.append(Curves(heading, t, series, ylabel="force [N m, N]"))
    return stacked(title or "Measured and predicted forces", plots)


def facts(fit: Fit, other: Validation | None = None) -> dict[str, str]:
    """Figures to see at a glance."""
    sure = int((fit.parameters.relative_std < _SURE).sum())
    found = {
        "base parameters": f"{len(fit.linear.base)}",
        f"known to {_percent(_SURE)} or better": f"{sure}",
        "condition number": f"{fit.condition:.3g}",
        "residuals of the fitted motion": _percent(fit.validation.total),
    }
    if other is not None:
        found["residuals of another motion"] = _percent(other.total)
    return found


def running(t: Array) -> Array:
    """Times that always rise: measurements one after the other."""
    steps = np.diff(t)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    return np.r_[t[0], t[0] + np.cumsum(np.where(steps > 0, steps, usual))]


def _add_forces(page: Report, heading: str, text: str, validation: Validation) -> None:
    page.add_text(f"{text} Residuals are measured less predicted forces.", heading=heading)
    rows = [
        [name, f"{absolute:.3g}", _percent(relative)]
        for name, absolute, relative in zip(validation.joints, validation.absolute, validation.rms)
    ]
    page.add_table(["joint", "residual [N m, N]", "of the measured force"], [*rows, _total(validation)])
    t = running(validation.t)
    for k, name in enumerate(validation.joints):
        series = {"measured": validation.measured[:, k], "predicted": validation.predicted[:, k]}
        page.add_curves(Curves(name, t, series, ylabel="force [N m, N]", dashed=["predicted"]))
    series = {
        name: residual / size * relative
        for name, residual, size, relative in zip(
            validation.joints, validation.residuals.T, np.fmax(validation.absolute, 1e-300), 100.0 * validation.rms
        )
    }
    page.add_curves(Curves("Residuals", t, series, ylabel="of the joint's force [%]"))


def _total(validation: Validation) -> list[str]:
    return ["all", "-", _percent(validation.total)]


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


def _add_left_out(page: Report, fit: Fit) -> None:
    if fit.dropped:
        page.add_text("Parameters that are not significantly different from zero with this data.", heading="Left out")
        page.add_table(["parameter", "why"], [[name, text] for name, text in fit.dropped.items()])
    if fit.unseen:
        text = "Parameters that this motion does not identify; they keep the values of the model."
        page.add_text(text, heading="Not identifiable")
        page.add_table(["parameter"], [[name] for name in fit.unseen])


def _sentence(fit: Fit) -> str:
    count, total = len(fit.parameters), _percent(fit.validation.total)
    return f"{count} parameters from {len(fit.residuals)} samples leave {total} of the forces unexplained."


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %"
