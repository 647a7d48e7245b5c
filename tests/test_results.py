"""Results have one vocabulary: whatever they are of, they are written, read, drawn and printed in the same way.

A new kind of result is one line in `RESULTS`.
"""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, KinetreeError
from kinetree.results import Result
from kinetree.view import Picture

ABSCISSA = {"run", "t", "percent"}  # what the first column of a table may be
LONGEST = 160  # characters of a repr


class Case(NamedTuple):
    """How to get a result, and the name of one of its quantities to plot."""

    make: Callable[[], Any]
    quantity: str


def motion(runs: int = 0) -> kt.Motion:
    q0 = [0.0, 0.5] if not runs else np.linspace(0.0, 1.0, 2 * runs).reshape(runs, 2)
    return kt.simulate(kt.robots.two_link(), q0, [1.0, -2.0], 0.2, dt=0.01)


def plan() -> kt.plan.Plan:
    return kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10, control_points=8)


def path_plan() -> kt.plan.Plan:
    path = [[0.0, -2.0], [0.8, -1.8], [1.0, -1.0]]
    return kt.plan.time_optimal_path(kt.robots.two_link(), path=path, force_limits=10, control_points=12, knots="even")


def chain_plan() -> kt.plan.Plan:
    return kt.plan.minimum_effort(kt.ClosedChain(kt.robots.five_bar()), q0=[0.1, -0.1], q1=[0.4, 0.1], duration=0.6)


@cache
def swing() -> kt.identify.Excitation:
    task = {"position_limits": 1.0, "velocity_limits": 4.0, "force_limits": [12.0, 5.0], "starts": 1}
    return kt.identify.excite(kt.robots.two_link(), 4.0, harmonics=3, **task)


@cache
def chain_swing() -> kt.identify.Excitation:
    task = {"position_limits": 0.6, "velocity_limits": 4.0, "force_limits": 20.0, "starts": 1}
    return kt.identify.excite(kt.ClosedChain(kt.robots.five_bar()), 4.0, 3, include=("inertia",), **task).repeat(2)


@cache
def fit(physical: bool = False) -> kt.identify.Fit:
    return kt.identify.fit(kt.robots.two_link(), swing().simulated(500.0), physical=physical)


def chain_fit() -> kt.identify.Fit:
    return kt.identify.fit(chain_swing().robot, chain_swing().simulated(200.0), include=["inertia"])


def payload() -> kt.identify.Payload:
    arm = kt.robots.two_link()
    loaded = swing().simulated(500.0, robot=arm.attach(kt.Inertia(0.5, (0.1, 0.0, 0.0)), "link2"), noise=0.001)
    return kt.identify.payload(arm, [loaded, loaded.part(1.0, 3.0)], known=fit())


RESULTS: dict[str, Case] = {
    "Motion": Case(motion, "q"),
    "Motion, a batch": Case(lambda: motion(3), "tau"),
    "Plan": Case(plan, "force"),
    "Plan along a path": Case(path_plan, "force"),
    "Plan of a closed chain": Case(chain_plan, "position"),
    "Excitation": Case(swing, "force"),
    "Excitation of a closed chain": Case(chain_swing, "velocity"),
    "Fit": Case(fit, "joint1"),
    "Fit, physical": Case(lambda: fit(True), "joint2"),
    "Fit of a closed chain": Case(chain_fit, "left_shoulder"),
    "Payload": Case(payload, "joint1"),
}


@cache
def result(name: str) -> Any:
    return RESULTS[name].make()


every = pytest.mark.parametrize("name", RESULTS)


@every
def test_a_result_offers_what_results_offer(name):
    assert isinstance(result(name), Result)


@every
def test_a_result_prints_as_one_line_with_the_name_of_its_class(name):
    text = repr(result(name))
    assert text.startswith(type(result(name)).__name__)
    assert "\n" not in text
    assert "array(" not in text
    assert len(text) <= LONGEST


@every
def test_a_table_has_a_header_and_all_digits(name, tmp_path):
    path = result(name).to_csv(tmp_path / "new" / "result.csv")
    assert path.is_absolute()
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header[0] in ABSCISSA
    assert len({*header}) == len(header)
    assert np.isfinite(np.array(rows, float)).all()
    assert all(repr(float(x)) == x for row in rows[:5] for x in row if not x.lstrip("-").isdigit())


@every
def test_what_is_saved_is_loaded_with_nothing_lost(name, tmp_path):
    path = result(name).save(tmp_path / "new" / "result")
    assert path.is_absolute()
    again = type(result(name)).load(path)
    assert type(again) is type(result(name))
    assert repr(again) == repr(result(name))
    tables = [x.to_csv(tmp_path / f"{k}.csv").read_bytes() for k, x in enumerate((result(name), again))]
    assert tables[0] == tables[1]
    assert again.save(tmp_path / "again").stat().st_size == path.stat().st_size


@every
def test_other_files_are_refused_by_the_name_of_what_writes_them(name, tmp_path):
    kind = type(result(name))
    content = result(name).save(tmp_path / "result").read_bytes()
    for wrong in (b"", b"hello", b"{}", b"null", content[: len(content) // 2]):
        (tmp_path / "wrong").write_bytes(wrong)
        with pytest.raises(InputError, match=rf"{kind.__name__}\.save"):
            kind.load(tmp_path / "wrong")


@every
def test_a_plot_is_a_picture_with_the_given_title(name):
    wanted = RESULTS[name].quantity
    for picture in (result(name).plot(), result(name).plot(wanted, title="A <title>")):
        assert isinstance(picture, Picture)
        assert ET.fromstring(picture.svg).findall(".//{*}path")
    assert "A &lt;title&gt;" in picture.svg
    with pytest.raises(KinetreeError, match=wanted):
        result(name).plot(f"{wanted}s")


@every
def test_a_report_is_one_page_that_needs_no_other(name, tmp_path):
    page = result(name).report(tmp_path / "new" / "result.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert "<canvas" in page
    assert not re.search(r"""(src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org/)""", page)
