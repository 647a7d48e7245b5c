"""The page on a fit shows what was measured, what is predicted and how sure it is, and needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.identify import Samples, excite, fit
from kinetree.identify.pages import facts
from kinetree.identify.validation import running


@pytest.fixture(scope="module")
def arm():
    return kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))


@pytest.fixture(scope="module")
def swing(arm):
    return excite(arm, 4.0, harmonics=3, velocity_limits=4.0, starts=1)


@pytest.fixture(scope="module")
def found(arm, swing):
    return fit(arm, swing.simulated(500.0, noise=0.02))


@pytest.fixture(scope="module")
def other(arm):
    return excite(arm, 3.0, harmonics=3, velocity_limits=3.0, seed=5, starts=1).simulated(500.0, seed=8)


def test_the_page_has_every_parameter_and_joint(found, other, tmp_path):
    path = found.report(tmp_path / "new" / "arm.html", other)
    html = path.read_text("utf-8")
    for name in (*found.parameters.names, *found.dropped, *found.validation.joints):
        assert name in html
    # two joints and the residuals, of two motions
    assert html.count("<svg") == 1 + 2 * (2 + 1)  # and the still picture of the animation
    for text in ("Another motion", "Intervals".lower(), f"{found.condition:.3g}", "stands for"):
        assert text in html
    parser = HTMLParser()
    parser.feed(html)
    parser.close()


def test_the_page_needs_nothing_else(found, tmp_path):
    html = found.report(tmp_path / "arm.html").read_text("utf-8")
    assert not re.search(r"https?://", html.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert not re.search(r"""<(link|img|iframe)|\bsrc\s*=|@import|url\(""", html)
    assert "Another motion" not in html


def test_values_and_intervals_are_those_of_the_fit(found, tmp_path):
    html = found.report(tmp_path / "arm.html").read_text("utf-8")
    for p in found.parameters:
        row = re.search(rf"<td>{re.escape(p.name)}</td>(.*?)</tr>", html)
        assert row is not None
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", row[1])
        assert cells[0] == f"{p.value:.5g}"
        assert float(cells[3]) == pytest.approx(p.lower, rel=1e-4)
        assert float(cells[4]) == pytest.approx(p.upper, rel=1e-4)


def test_diagnostics_and_unidentifiable_parameters_are_on_the_page(arm, tmp_path):
    """Only the second joint moves, and the forces are in N mm."""
    t = np.arange(400) / 100.0
    q = np.stack([np.full(400, 0.3), np.sin(2.0 * t) + 0.5 * np.sin(5.0 * t)], axis=1)
    qd = np.stack([np.zeros(400), 2.0 * np.cos(2.0 * t) + 2.5 * np.cos(5.0 * t)], axis=1)
    qdd = np.stack([np.zeros(400), -4.0 * np.sin(2.0 * t) - 12.5 * np.sin(5.0 * t)], axis=1)
    noise = 1e-3 * np.random.default_rng(0).normal(size=(400, 2))
    forces = 1000.0 * (arm.inverse_dynamics(q, qd, qdd) + noise)
    poor = fit(arm, Samples(t, q, qd, qdd, forces))
    assert poor.unidentifiable
    html = poor.report(tmp_path / "poor.html").read_text("utf-8")
    assert "Not identifiable" in html
    assert "Diagnostics" in html
    for name in poor.unidentifiable:
        assert name in html


def test_facts_are_those_of_the_fit(found, other):
    shown = facts(found, found.validate(other))
    assert shown["base parameters"] == str(len(found.linear.base))
    assert shown["residuals of another motion"] == f"{100 * found.validate(other).total:.2g} %"
    assert "residuals of another motion" not in facts(found)


def test_measurements_stand_one_after_the_other():
    t = running(np.array([0.0, 0.1, 0.2, 0.0, 0.1, 0.2]))
    assert t == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])


def test_pictures_show_the_joints_asked_for(found):
    assert found.plot("joint2").svg.count("joint2: residuals") >= 1
    assert "joint1" not in found.plot("joint2").svg
    assert "measured" in found.validation.plot().svg
    with pytest.raises(UnknownNameError, match="'elbow'"):
        found.plot("elbow")


def test_a_page_that_can_not_be_written_leaves_nothing(found, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        found.report(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"file/page\.html can't be written: "):
        found.report(tmp_path / "file" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
