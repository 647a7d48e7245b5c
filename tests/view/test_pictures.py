"""Pictures: put together without losing any, curves with limits, snapshots, and stick figures that are no robots."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.view import Curves, Picture, line_plot
from kinetree.view.curves import stacked
from kinetree.view.limits import limit_scale, limited
from kinetree.view.picture import arranged
from kinetree.view.snapshots import snapshots

T = np.linspace(0.0, 1.0, 5)
INFINITE = np.inf


def inner(picture: Picture) -> list[ET.Element]:
    return [x for x in ET.fromstring(picture.svg) if x.tag.endswith("svg")]


def box(x: ET.Element) -> tuple[float, ...]:
    return tuple(float(x.get(name, "nan")) for name in ("x", "y", "width", "height"))


# -- pictures in pictures ----------------------------------------------------------------------------------------------


def test_pictures_stand_in_rows_without_overlap():
    wide, tall = Picture("wide", 30, 10), Picture("tall", 10, 20)
    whole = arranged("both <ways>", [[wide, tall], [wide]], "a note & more")
    assert [box(x) for x in inner(whole)] == [(0, 0, 30, 10), (30, 0, 10, 20), (0, 20, 30, 10)]
    assert whole.width == 40
    assert whole.height > 30  # the note is below
    assert "a note &amp; more" in whole.svg
    assert "<title>both &lt;ways&gt;</title>" in whole.svg
    assert arranged("both", [[wide, tall], [wide]]).height == 30


def test_stacked_plots_are_the_plots_themselves():
    plots = [Curves("one", T, {"a": T}), Curves("two", T, {f"curve {k}": k * T for k in range(20)}, ylabel="m")]
    heights = [plot.picture().height for plot in plots]
    whole = stacked("both", plots)
    assert [box(x)[1] for x in inner(whole)] == [0, heights[0]]
    assert whole.height == sum(heights)
    for plot, found in zip(plots, inner(whole)):
        alone = ET.fromstring(line_plot(plot.title, T, plot.series, xlabel="time [s]", ylabel=plot.ylabel))
        assert [ET.tostring(x) for x in found] == [ET.tostring(x) for x in alone]


def test_a_saved_picture_is_opaque_and_a_shown_one_follows_its_page(tmp_path):
    picture = Curves("plot", T, {"a": T}).picture()
    saved = picture.save(tmp_path / "plot.svg").read_text("utf-8")
    assert 'fill="white"' in saved
    assert 'fill="white"' not in picture.svg
    assert ET.fromstring(saved)[1].text == ET.fromstring(picture.svg)[0].text == "plot"


# -- limits ------------------------------------------------------------------------------------------------------------


def test_equal_limits_are_lines_and_values_stay():
    values = np.stack([T, 2.0 * T], axis=1)
    found = limited("Forces", T, ["a", "b"], values, -3.0, [4.0, 4.0], "forces [N m]")
    assert found.ylabel == "forces [N m]"
    assert [*found.series] == ["a", "b", "lower limit", "upper limit"]
    assert np.array_equal(found.series["b"], 2.0 * T)
    assert np.array_equal(found.series["lower limit"], np.full(5, -3.0))
    assert set(found.dashed) == {"lower limit", "upper limit"}


def test_different_limits_make_values_relative():
    values = np.stack([T, 2.0 * T], axis=1)
    found = limited("Forces", T, ["a", "b"], values, [-2.0, -8.0], [2.0, 8.0], "forces [N m]")
    assert found.ylabel == "forces / limit"
    assert np.array_equal(found.series["b"], T / 4.0)
    assert np.array_equal(found.series["upper limit"], np.ones(5))


def test_limits_that_hold_for_a_while_have_gaps_and_those_that_do_not_exist_no_lines():
    values = T[:, None]
    upper = np.where(T < 0.5, 2.0, INFINITE)[:, None]
    found = limited("Force", T, ["a"], values, -INFINITE, upper, "force [N]")
    assert found.dashed == ("upper limit",)
    assert np.isfinite(found.series["upper limit"]).tolist() == [True, True, False, False, False]
    assert limited("Force", T, ["a"], values, -INFINITE, INFINITE, "force [N]").dashed == ()


def test_the_scale_of_limits_is_their_larger_finite_side():
    low, high = np.array([-2.0, -INFINITE, 0.0, -INFINITE]), np.array([1.0, 3.0, 0.0, INFINITE])
    assert limit_scale(low, high).tolist() == [2.0, 3.0, 1.0, 1.0]


# -- figures -----------------------------------------------------------------------------------------------------------


def test_snapshots_are_figures_along_the_motion():
    arm = kt.robots.two_link()
    picture = snapshots(arm, lambda t: np.stack([t, -t], axis=1), 2.0, 3)
    assert picture.svg.count("<circle") == 3 * 4  # the base, both joints, the tip
    assert picture.title == "two_link at 3 times from 0 to 2 s"
    with pytest.raises(InputError, match="two or more"):
        snapshots(arm, lambda t: np.stack([t, -t], axis=1), 2.0, 1)
