"""The view: ticks, plots, skeletons and reports, also of models with awkward names and numbers."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from strategies import states

import kinetree as kt
from kinetree.errors import InputError
from kinetree.view import Report, line_plot, nice_ticks, portrait, robot_table, skeleton
from kinetree.view.animation import animation_html
from kinetree.view.ticks import Axis

HOSTILE = "</script><script>alert(\"x\")</script><b title='&'>"


class Page(HTMLParser):
    """Reads a page, checks that its elements nest, and collects what it holds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


# -- ticks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-0.3, 1.1), (1e-12, 3e-12), (-1e250, 1e250), (99.9, 100.1), (-7, -6.99), (0, 9.99e-280)]
)
@pytest.mark.parametrize("count", [1, 3, 5, 10])
def test_ticks_are_round_even_and_inside(low, high, count):
    ticks = nice_ticks(low, high, count)
    assert 1 <= len(ticks) <= 2 * count + 2
    slack = 1e-9 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    steps = np.diff(ticks)
    assert np.allclose(steps, steps[:1], rtol=1e-9)
    for step in steps[:1]:
        mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
        assert min(abs(mantissa - m) for m in (1, 2, 2.5, 5)) < 1e-6


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (0, math.inf), (math.nan, 1)])
def test_ticks_of_no_range_are_refused(ends):
    with pytest.raises(InputError, match="low < high"):
        nice_ticks(*ends)


@pytest.mark.parametrize(
    ("low", "high", "labels", "factor"),
    [
        (0.0, 2.0, ["0.0", "0.5", "1.0", "1.5", "2.0"], ""),
        (-1.0, 1.0, ["\u22121.0", "\u22120.5", "0.0", "0.5", "1.0"], ""),
        (0.0, 4e-9, ["0", "1", "2", "3", "4"], "\u00d710\u207b\u2079"),
        (0.0, 4e7, ["0", "10", "20", "30", "40"], "\u00d710\u2076"),
        (5.0, 5.0, ["4.6", "4.8", "5.0", "5.2", "5.4"], ""),
        (0.0, 0.0, ["\u22121.0", "\u22120.5", "0.0", "0.5", "1.0"], ""),
    ],
)
def test_labels_are_short(low, high, labels, factor):
    axis = Axis.over(low, high, 0.0, 100.0)
    assert axis.labels == labels
    assert axis.factor == factor


# -- plots -----------------------------------------------------------------------------------------------------------


def _paths(text):
    return [p.get("d") or "" for p in ElementTree.fromstring(text).iter() if p.tag.endswith("path")]


def test_a_plot_is_svg_with_a_title_a_legend_and_units():
    x = np.linspace(0, 1, 50)
    text = line_plot("Sines", x, {"a": np.sin(x), "b & c": x}, xlabel="time [s]", ylabel="angle [rad]", dashed=["a"])
    root = ElementTree.fromstring(text)
    words = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert root[0].tag.endswith("title")
    assert root[0].text == "Sines"
    assert {"Sines", "a", "b & c", "time [s]", "angle [rad]"} <= set(words)
    assert len(_paths(text)) == 2
    assert text.count("stroke-dasharray") == 2  # the curve and its mark in the legend


def test_points_lie_where_the_axes_say():
    text = line_plot("Line", [0.0, 2.0], {"y": [0.0, 1.0]})
    svg = ElementTree.fromstring(text)
    left, right, top, bottom = (float(svg.get(f"data-{side}")) for side in ("left", "right", "top", "bottom"))
    (x0, y0), (x1, y1) = ([float(v) for v in point.split()] for point in re.split("[ML]", _paths(text)[0])[1:])
    assert (x0, x1) == (left, right)
    assert top < y1 < y0 < bottom


def test_gaps_are_left_out():
    y = [0.0, 1.0, math.nan, 1.0, math.inf, 2.0, 3.0]
    assert _paths(line_plot("Gaps", range(7), {"y": y}))[0].count("M") == 3


def test_a_long_curve_keeps_its_extremes():
    y = np.sin(np.linspace(0, 40, 100_000))
    y[54_321] = 30.0
    y[12_345] = np.nan
    path = _paths(line_plot("Long", np.arange(len(y)), {"y": y}))[0]
    heights = [float(point.split()[1]) for point in re.split("[ML]", path)[1:]]
    assert len(heights) < 1000
    assert min(heights) < np.median(heights) - 100
    assert path.count("M") == 2


@pytest.mark.parametrize(
    "values", [[], [math.nan], [5.0], [1e305, -1e305], [3.0, 3.0], [1e-300, 2e-300], [0.0, 5e-324]]
)
def test_degenerate_curves_give_a_plot(values):
    assert len(_paths(line_plot("Odd", np.arange(len(values)), {"y": values}))) == 1
    assert _paths(line_plot("No curve", np.arange(len(values)), {})) == []


def test_many_and_long_names_wrap():
    text = line_plot("Names", [0, 1], {f"{'very ' * 20}long name {k}": [0, k] for k in range(20)})
    svg = ElementTree.fromstring(text)
    width, height = map(float, svg.get("viewBox").split()[2:])
    places = [(float(e.get("x")), float(e.get("y"))) for e in svg.iter() if e.tag.endswith("text")]
    assert all(0 <= x < width and 0 < y < height for x, y in places)


def test_wrong_shapes_are_refused():
    with pytest.raises(InputError, match="'y' has the shape"):
        line_plot("Wrong", [0, 1, 2], {"y": [0, 1]})
    with pytest.raises(InputError, match="one dimension"):
        line_plot("Wrong", [[0, 1]], {})


# -- skeletons -------------------------------------------------------------------------------------------------------


def test_links_keep_their_lengths():
    q = np.random.default_rng(0).uniform(-3, 3, (7, 5, 2))
    shown = skeleton(kt.robots.two_link(), q)
    assert shown.points.shape == (7, 5, 3, 3)
    for a, b in shown.edges[1:]:
        assert np.allclose(np.linalg.norm(shown.points[..., a, :] - shown.points[..., b, :], axis=-1), 0.4)


def test_the_tree_is_the_robots():
    robot = kt.robots.random_tree(3, 12, ["revolute", "prismatic", "spherical", "free"])
    shown = skeleton(robot, robot.neutral)
    leaves = set(range(12)) - set(robot.parents)
    assert shown.points.shape == (12 + len(leaves), 3)
    parents = {b: a for a, b in shown.edges}
    for i, parent in enumerate(robot.parents):
        assert parents.get(i, -1) == parent
    assert {parents[k] for k in range(12, 12 + len(leaves))} == leaves


def test_a_floating_base_has_no_line_to_the_ground():
    link = kt.DH(a=0.3, mass=1.0, com=(-0.1, 0, 0))
    robot = kt.Robot.from_dh([link], "standard", base="floating", base_inertia=kt.Inertia(1.0))
    assert all(a >= 0 for a, _ in skeleton(robot, robot.neutral).edges)


def test_parameters_move_the_points():
    robot = kt.Robot.from_dh([kt.DH(), kt.DH(a=kt.parameter("length"))], "modified")
    assert skeleton(robot, np.zeros((4, 2)), length=0.7).points[0, 1, 0] == pytest.approx(0.7)


def test_one_configuration_is_shown_without_compiling_as_several_are():
    robot = kt.robots.random_tree(5, 8, ["revolute", "prismatic", "spherical", "free"])
    q = states(robot, 1).q[0]
    assert np.allclose(skeleton(robot, q).points, skeleton(robot, [q]).points[0], rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="not of length one"):
        skeleton(robot, np.ones(robot.nq))


def test_a_portrait_has_every_joint_inside_the_picture():
    for robot in (kt.robots.atlas(), kt.robots.two_link(), kt.Robot(())):
        picture = portrait(robot)
        paths = [e.get("d") or "" for e in ElementTree.fromstring(picture.svg) if e.tag.endswith("path")]
        assert len(paths) >= robot.nbodies
        points = [tuple(map(float, x.split())) for path in paths for x in path[1:].split("L")]
        assert all(0 < x < picture.width and 0 < y < picture.height for x, y in points)
    with pytest.raises(InputError, match="must end in 2 coordinates"):
        portrait(kt.robots.two_link(), np.zeros(3))
    with pytest.raises(InputError, match="one configuration"):
        portrait(kt.robots.two_link(), np.zeros((4, 2)))
    with pytest.raises(InputError, match="not finite"):
        portrait(kt.robots.two_link(), [np.nan, 0.0])


def test_a_wrong_number_of_coordinates_is_refused():
    with pytest.raises(InputError, match="must end in 2 coordinates"):
        skeleton(kt.robots.two_link(), np.zeros(3))


# -- reports ---------------------------------------------------------------------------------------------------------


def _swing(robot, n=300, duration=3.0):
    t = np.linspace(0, duration, n)
    return t, robot.neutral + np.sin(t)[:, None] * np.arange(1, robot.nq + 1)


def test_names_from_a_model_are_escaped():
    robot = kt.Robot.from_dh([kt.DH(a=0.4, mass=1.0, name=HOSTILE)], "standard", name=HOSTILE)
    report = Report(HOSTILE, HOSTILE)
    report.add_text(HOSTILE, heading=HOSTILE)
    report.add_facts({HOSTILE: HOSTILE})
    report.add_table([HOSTILE], [[HOSTILE]], caption=HOSTILE)
    report.add_robot(robot)
    t, q = _swing(robot)
    report.add_plot(HOSTILE, t, {HOSTILE: t}, xlabel=HOSTILE, ylabel=HOSTILE)
    report.add_animation(robot, t, q, caption=HOSTILE)
    html = report.html()
    page = Page(html)
    assert HOSTILE not in html
    assert page.tags.count("script") == 3  # the data of the animation, its arrays, and the players
    assert "b" not in page.tags
    data, *others = page.scripts
    assert "<" not in data
    assert json.loads(data)["tree"]["bodies"][0]["name"] == HOSTILE
    assert not any("alert" in script for script in others)


def test_nothing_is_fetched():
    robot = kt.robots.two_link()
    report = Report("Offline")
    report.add_animation(robot, *_swing(robot))
    html = report.html()
    assert not re.search(r"https?://", html.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    page = Page(html)
    assert not {"link", "img", "iframe", "object", "base"} & set(page.tags)
    assert not any(name in ("src", "href") for name, _ in page.attributes)
    assert "default-src 'none'" in html


def test_a_motion_is_thinned_and_keeps_its_ends():
    robot = kt.robots.two_link()
    report = Report("Thin")
    t, q = _swing(robot, n=20_000)
    report.add_animation(robot, t, q)
    data, block, _ = Page(report.html()).scripts
    arrays = gzip.decompress(base64.b64decode(block))
    where = json.loads(data)["motions"][0]
    times, rows = (np.frombuffer(arrays, where[x]["type"], where[x]["count"], where[x]["start"]) for x in ("t", "q"))
    assert len(times) < 200
    assert (times[0], times[-1]) == (0.0, 3.0)
    assert np.allclose(rows.reshape(len(times), -1)[[0, -1]], q[[0, -1]], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("t", "q", "message"),
    [
        ([0.0], np.zeros((1, 2)), "2 or more"),
        ([0.0, 1.0], np.zeros((2, 3)), r"q \(n, 2\)"),
        ([0.0, 0.0], np.zeros((2, 2)), "rise strictly"),
        ([0.0, math.inf], np.zeros((2, 2)), "finite"),
    ],
)
def test_an_impossible_motion_is_refused(t, q, message):
    with pytest.raises(InputError, match=message):
        Report("Wrong").add_animation(kt.robots.two_link(), t, q)


def test_a_gap_in_a_motion_is_said():
    report = Report("Gap")
    report.add_animation(kt.robots.two_link(), [0.0, 1.0, 2.0], [[0.0, 0.0], [0.0, math.nan], [1.0, 1.0]])
    assert json.loads(Page(report.html()).scripts[0])["notes"] == ["The motion has no positions from 1 to 1 s."]


def test_robots_without_bodies_or_with_loose_ones_can_be_shown():
    for robot in (kt.Robot(()), kt.robots.random_tree(5, 6, ["free", "spherical", "fixed"])):
        report = Report("Odd")
        report.add_robot(robot)
        report.add_animation(robot, [0.0, 1.0], [robot.neutral, robot.neutral])
        Page(report.html())


def test_tables_refuse_short_rows():
    with pytest.raises(InputError, match="2 columns"):
        Report("Wrong").add_table(["a", "b"], [[1]])


def test_masses_by_parameter_show_its_name():
    robot = kt.Robot.from_dh([kt.DH(mass=1.0 + kt.parameter("payload"))])
    assert robot_table(robot)[1][0][-1] == "f(payload)"


# -- notebooks -------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_a_robot_as_a_table():
    for robot in (kt.robots.stanford(), kt.Robot(()), kt.Robot.from_dh([kt.DH(mass=1.0)], name=HOSTILE)):
        page = Page(robot._repr_html_())
        assert page.tags.count("tr") == 1 + robot.nbodies
        assert page.scripts == []


def test_a_notebook_shows_a_motion_as_curves_where_they_are_few():
    robot = kt.robots.two_link()
    one = kt.simulate(robot, [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.01)
    assert Page(one._repr_html_()).tags.count("svg") == 1 + 3  # q, qd and tau
    many = kt.simulate(robot, np.zeros((13, 2)), np.zeros((13, 2)), 0.1, dt=0.01)
    assert Page(many._repr_html_()).tags == ["p"]
    assert Page(many[:3]._repr_html_()).tags.count("svg") == 1 + 3
    for q in (np.zeros((0, 2)), np.zeros((4, 0))):
        assert Page(kt.Motion(np.arange(len(q)) * 1.0, q)._repr_html_()).tags == ["p"]


def test_a_notebook_shows_a_page_in_a_frame_of_its_own():
    report = Report(HOSTILE)
    report.add_animation(kt.robots.two_link(), [0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]])
    frame = Page(report._repr_html_())
    assert frame.tags == ["iframe"]
    attributes = dict(frame.attributes)
    assert attributes["srcdoc"] == report.html()
    assert attributes["sandbox"] == "allow-scripts allow-downloads"  # it can't reach the notebook


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    report = Report("Old")
    path = report.write(tmp_path / "new" / "report.html")
    old = path.read_text("utf-8")
    report.add_text("more")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match="disk full"):
        report.write(path)
    assert path.read_text("utf-8") == old
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    with pytest.raises(InputError, match="is a folder"):
        report.write(path.parent)


def test_an_animation_stands_upright_whatever_axis_gravity_has():
    human = kt.robots.human55()  # its second axis points up
    text = animation_html(human, [0.0, 1.0], np.zeros((2, human.nq)))
    scene = json.loads(text.split('<script type="application/json">')[1].split("</script>")[0])
    assert scene["root"][8:] == [0.0, 1.0, 0.0, 0.0]
