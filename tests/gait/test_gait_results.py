"""Results of a gait: measures with known answers, norms, pictures, pages and files; none needs an optimal motion."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from published_norms import FALISSE, SCHWARTZ

from kinetree.errors import InputError, KinetreeError, UnknownNameError
from kinetree.gait import Gait, Step, Timing, Walker
from kinetree.gait.asymmetric import StrideGait
from kinetree.gait.figure import nodes, points, stick_figure
from kinetree.gait.norms import Norms, given
from kinetree.gait.realism import realism
from kinetree.gait.stride import Stride
from kinetree.plan.status import PlanStatus

CLOSE = 1e-9  # m, of two ways to the same point
PERCENT = np.linspace(0.0, 100.0, 201)
STANCE = PERCENT <= 60.0
ROUNDED = 0.15  # pixels: coordinates have one decimal
COUNTS = {"unknowns": 330, "free unknowns": 216, "symmetry": 72}


def made(step: Step, points: np.ndarray, cls: type[Gait] = Gait) -> Gait:
    return cls(step, points, PlanStatus.OPTIMAL, 0.25, 8e-4, "knee <flexion> at 0.1 s", 41, 12.5, COUNTS)


@pytest.fixture(scope="module")
def gait() -> Gait:
    """A synthetic motion: the body glides one step ahead while a few joints swing."""
    step = Step(Walker(loads={"backpack": 8.0}))
    names = step.walker.robot.joint_names
    control = np.zeros((6, len(names)))
    control[:, names.index("global_tz_forward")] = np.linspace(-0.3, 0.3, 6)
    control[:, names.index("L_hip_flexion")] = np.linspace(0.5, -0.3, 6)
    control[:, names.index("R_knee_flexion")] = [0.2, 0.9, 1.1, 1.0, 0.4, 0.1]
    control[:, names.index("global_tx_lateral")] = 0.02
    return made(step, control)


def norms(**curves: np.ndarray) -> Norms:
    return Norms("made", PERCENT, curves, {name: np.full(len(PERCENT), 2.0) for name in curves})


# -- realism -----------------------------------------------------------------------------------------------------------


def walking() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Curves that meet all goals: sines in stance."""
    u = np.clip(PERCENT / 60.0, 0.0, 1.0)
    ground = np.where(STANCE, 1.0, 0.0)
    vertical = ground * (1.2 * np.sin(np.pi * u) + 0.45 * np.sin(3.0 * np.pi * u))
    angles = {"hip": np.cos(2.0 * np.pi * PERCENT / 100.0), "knee": np.sin(2.0 * np.pi * PERCENT / 100.0),
              "ankle": np.sin(4.0 * np.pi * PERCENT / 100.0)}  # fmt: skip
    forces = {"vertical": vertical, "fore_aft": -0.2 * ground * np.sin(2.0 * np.pi * u), "lateral": 0.05 * ground}
    return {"percent": PERCENT, **angles}, {"percent": PERCENT, **forces}


def test_a_gait_that_is_its_own_norm_meets_every_goal():
    angles, forces = walking()
    found = realism(angles, forces, norms(**{k: 30.0 + 9.0 * angles[k] for k in ("hip", "knee", "ankle")}))
    assert found.met, str(found)
    assert [x.value for x in found.findings[:3]] == pytest.approx([1.0, 1.0, 1.0])
    # 1.2 sin - 0.45 at the middle of stance
    assert found["vertical valley"].value == pytest.approx(0.75)
    assert found["lateral force in stance, mean"].value == pytest.approx(0.05)
    assert found["fore-aft impulse of a stride"].value == pytest.approx(0.0, abs=1e-12)
    assert len(str(found).splitlines()) == 1 + len(found.findings)


def test_a_norm_turned_upside_down_correlates_with_minus_one():
    angles, forces = walking()
    found = realism(angles, forces, norms(hip=-angles["hip"]))
    assert found["correlation of hip angle"].value == pytest.approx(-1.0)
    assert not found["correlation of hip angle"].met
    assert not found.met
    assert "correlation of knee angle" not in {x.name for x in found.findings}


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({"vertical": lambda f: 0.5 * f}, {"first vertical peak", "second vertical peak"}),
        ({"vertical": lambda f: np.where(STANCE, 1.2 * np.sin(np.pi * PERCENT / 60.0), 0.0)},
         {"vertical valley", "second vertical peak"}),
        ({"vertical": lambda f: np.where(STANCE, 1.0 + 1e-3 * np.sin(PERCENT), 0.0)},
         {"vertical valley", "second vertical peak"}),  # ripples are no peaks
        ({"fore_aft": lambda f: -f}, {"fore-aft force"}),
        ({"fore_aft": lambda f: f + np.where(STANCE, 0.02, 0.0)}, {"fore-aft impulse of a stride"}),
        ({"fore_aft": lambda f: 0.0 * f}, {"fore-aft force", "fore-aft impulse of a stride"}),
        ({"lateral": lambda f: -f}, {"lateral force in stance, mean"}),
    ],
)  # fmt: skip
def test_each_goal_is_missed_by_the_curve_that_breaks_it(change, missed):
    angles, forces = walking()
    changed = forces | {name: f(forces[name]) for name, f in change.items()}
    assert {x.name for x in realism(angles, changed, None).findings if not x.met} == missed


def test_a_lateral_force_that_changes_sides_says_so():
    angles, forces = walking()
    forces["lateral"] = np.where(PERCENT <= 15.0, 0.5, np.where(STANCE, -0.1, 0.0))
    found = realism(angles, forces, None)["lateral force in stance, mean"]
    assert found.met
    assert "inward in 26% of stance" in found.said  # 31 of the places of stance, which ends just before 60 %


def test_an_impulse_is_measured_against_the_larger_side():
    angles, forces = walking()
    forces["fore_aft"] = np.where(PERCENT <= 20, -0.1, np.where(PERCENT <= 60, 0.1, 0.0))
    # braking over 20 %, propelling over 40 %: half of the larger is left; the steps between are rounded off
    assert realism(angles, forces, None)["fore-aft impulse of a stride"].value == pytest.approx(0.5, abs=0.01)


# -- norms -------------------------------------------------------------------------------------------------------------


def test_norms_of_own_names_and_units(tmp_path):
    path = tmp_path / "mine.csv"
    rows = [
        "percent,hip mean,hip sd,grf Lateral mean [%BW],grf Lateral sd [%BW],angle knee_angle mean,angle knee_angle sd"
    ]
    rows += [f"{p},{p / 10},1,-5,2,-30,3" for p in range(0, 101, 20)]
    path.write_text("\n".join(rows))
    found = given(path)
    assert found is not None
    assert found.name == "mine"
    assert found.at("hip", [50.0])[0] == pytest.approx([5.0])
    # a right foot is pushed to the left: toward the midline, in body weights
    assert found.mean["lateral"] == pytest.approx(0.05)
    assert found.sd["lateral"] == pytest.approx(0.02)
    assert found.mean["knee"] == pytest.approx(30.0)
    assert found.sd["knee"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("time,hip mean,hip sd\n0,1,1\n", "no column 'percent'"),
        ("percent,hip mean,hip sd\n0,1,1\n", "rises from row to row"),
        ("percent,hip mean,hip sd\n0,1,1\n9,1,1\n8,1,1\n9,1,1\n10,1,1\n", "rises from row to row"),
        ("percent,elbow mean,elbow sd\n0,1,1\n1,1,1\n2,1,1\n3,1,1\n4,1,1\n", "no curve that is known"),
        ("percent,hip mean,hip sd\n0,1,1\n1,x,1\n2,1,1\n3,1,1\n4,1,1\n", "'hip' is missing or not finite"),
        ("percent,hip mean,hip sd\n0,1\n", "row 2: 2 cells under a header of 3"),
    ],
)
def test_norms_that_are_none_are_refused(tmp_path, text, said):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)):
        Norms.read(path)


@pytest.mark.parametrize(("text", "peak"), [(SCHWARTZ, 59.1), (FALISSE, 66.2)], ids=["schwartz", "falisse"])
def test_published_norms_are_read_in_our_units_and_signs(tmp_path, text, peak):
    path = tmp_path / "norms.csv"
    path.write_text(text)
    found = Norms.read(path)
    assert found.mean["knee"].max() == pytest.approx(peak, abs=0.1)
    assert 1.0 < found.mean["vertical"].max() < 1.2
    half = found.percent < 30.0
    assert found.mean["fore_aft"][half].min() < -0.1 < 0.1 < found.mean["fore_aft"][~half].max()
    if text == FALISSE:
        assert found.mean["lateral"].mean() > 0.0
    else:
        assert found.mean["ankle moment"].max() == pytest.approx(1.23, abs=0.01)


# -- pictures and pages ------------------------------------------------------------------------------------------------


def test_a_stride_is_the_step_and_its_image_one_step_ahead(gait):
    t, q = gait.stride(21)
    names, half = gait.step.walker.robot.joint_names, 10
    forward, lateral = (names.index(f"global_{name}") for name in ("tz_forward", "tx_lateral"))
    assert t[-1] == pytest.approx(2.0 * gait.step.duration)
    assert q[half:, forward] == pytest.approx(q[: half + 1, forward] + gait.step.length)
    assert q[-1, lateral] == pytest.approx(-q[0, lateral])
    assert q[-1, names.index("R_hip_flexion")] == pytest.approx(gait.motion(1.0)[0][0, names.index("L_hip_flexion")])


def test_the_points_that_are_drawn_are_those_of_the_body_above_the_ground(gait):
    walker = gait.step.walker
    q = gait.stride(5)[1]
    where, drawn = points(walker, q), nodes(walker)
    number = {x.name: k for k, x in enumerate(drawn)}
    for name in ("L_heel", "R_toe", "vertex", "R_hand"):
        pose = walker.body.pose(walker.coordinates(q), name)[:, :3, 3]
        assert np.abs(where[:, number[name]] + [0.0, walker.ground, 0.0] - pose).max() < CLOSE
    assert where[0, number["backpack"], 2] < where[0, number["thorax"], 2]  # behind
    shown = stick_figure(walker, q)
    assert np.array_equal(shown.points, where)
    assert len(shown.edges) == len(drawn) - 1  # one tree, not tied to the origin


def test_a_plot_has_a_curve_for_each_quantity_and_a_band_for_each_norm(gait):
    svg = gait.plot(norms=norms(hip=30.0 * np.cos(PERCENT / 16.0), vertical=np.ones(201))).svg
    root = ET.fromstring(svg)
    inner = [x for x in root if x.tag.endswith("svg")]
    bands = [sum(p.get("class") == "norm" for p in x.iter()) for x in inner]
    titles = [next(t.text for t in x if t.tag.endswith("title")) for x in inner]
    assert len(inner) == 12
    assert {title for title, n in zip(titles, bands) if n} == {"Hip flexion", "Vertical ground force"}
    assert "nan" not in svg
    assert 'class="norm"' not in gait.plot().svg
    some = gait.plot("moments", "angles", title="Some & few").svg
    assert re.findall("<title>(.*?)</title>", some)[:2] == ["Some &amp; few", "Hip extension moment"]
    assert some.count("<svg") == 1 + 6
    with pytest.raises(UnknownNameError, match=r"'torques'.*'moments'"):
        gait.plot("torques")


def test_a_stride_of_two_steps_shows_both_legs(tmp_path):
    stride = Stride(Walker())
    names = stride.walker.robot.joint_names
    control = np.zeros((stride.points, len(names)))
    control[:, names.index("L_knee_flexion")] = 0.3
    control[:, names.index("R_knee_flexion")] = 0.7
    told = made(stride, control, StrideGait)
    root = ET.fromstring(told.plot().svg)
    knee = [x for x in root if x.tag.endswith("svg")][1]
    curves = {x.get("stroke"): float(x.get("d")[1:].split("L")[0].split()[1]) for x in knee if x.tag.endswith("path")}
    assert len(curves) == 2
    left, right = (next(y for colour, y in curves.items() if k in colour) for k in ("--kt-1", "--kt-2"))
    assert right < left  # bent further, so higher in the picture
    t, q = told.stride(9)
    assert t[-1] == pytest.approx(stride.duration)
    assert q == pytest.approx(told.motion(np.linspace(0.0, 1.0, 9))[0])
    page = told.report(tmp_path / "stride.html").read_text("utf-8")
    assert "Left leg" in page
    assert "Right leg" in page


def test_a_band_reaches_one_deviation_to_both_sides_of_its_mean(gait):
    root = ET.fromstring(gait.plot(norms=norms(hip=np.full(201, 100.0))).svg)
    panel = next(x for x in root if x.tag.endswith("svg"))
    band = next(p for p in panel.iter() if p.get("class") == "norm")
    heights = [float(pair.split()[1]) for pair in re.split("[MLZ]", str(band.get("d"))) if pair]
    ticks = [float(t.get("y1")) for t in panel if t.tag.endswith("line") and t.get("y1") == t.get("y2")]
    labels = [t.text for t in panel if t.tag.endswith("text") and t.get("text-anchor") == "end"][: len(ticks)]
    values = [float(x.replace("\u2212", "-")) for x in labels]
    per_unit = (ticks[-1] - ticks[0]) / (values[-1] - values[0])
    assert max(heights) - min(heights) == pytest.approx(abs(4.0 * per_unit), abs=ROUNDED)
    assert np.mean(heights) == pytest.approx(ticks[0] + (100.0 - values[0]) * per_unit, abs=ROUNDED)


def test_snapshots_stand_on_the_ground_beside_each_other(gait):
    root = ET.fromstring(gait.snapshots(5).svg)
    circles = [float(x.get("cx")) for x in root.iter() if x.tag.endswith("circle")]
    assert len(circles) == 5
    assert (np.diff(circles) > 0.0).all()
    assert sum(x.tag.endswith("rect") for x in root.iter()) == 5  # a backpack each
    with pytest.raises(InputError, match="two or more"):
        gait.snapshots(1)


def test_a_report_holds_everything_and_fetches_nothing(gait, tmp_path):
    page = gait.report(tmp_path / "new" / "gait.html", norms(hip=np.cos(PERCENT / 16.0))).read_text("utf-8")
    for wanted in ("data-kinetree-animation", "Vertical ground force", "Force in the knee", "A stride at 9 times",
                   "free unknowns", "216", "correlation of hip angle", "knee &lt;flexion&gt; at 0.1 s", "0.25",
                   "backpack 8 kg"):  # fmt: skip
        assert wanted in page, wanted
    assert not re.search(r"(src|href)=", page)
    assert page.count("data-follow>") == 12


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_saved_gait_comes_back_with_all_digits(tmp_path):
    walker = Walker(1.62, 58.5, "female", 38, strength={"knee": 0.5}, loads={"left hand": 3.0})
    step = Step(walker, 1.1, 0.55, 0.12, Timing(0.22, 0.58, 0.5, 0.4), 7)
    told = made(step, np.random.default_rng(3).normal(size=(7, walker.robot.nv)))
    again = Gait.load(told.save(tmp_path / "a" / "gait.json"))
    assert type(again) is Gait
    assert again.step == step
    assert np.array_equal(again.points, told.points)
    for name in ("status", "effort", "violation", "worst", "iterations", "seconds", "counts"):
        assert getattr(again, name) == getattr(told, name)
    assert [x.name for x in (tmp_path / "a").iterdir()] == ["gait.json"]


def test_a_saved_stride_comes_back_as_one(tmp_path):
    stride = Stride(Walker(frozen=()), control_points=5)
    told = made(stride, np.zeros((stride.points, 55)), StrideGait)
    again = Gait.load(told.save(tmp_path / "stride.json"))
    assert isinstance(again, StrideGait)
    assert again.step == stride


def test_a_prediction_that_failed_is_saved_too(gait, tmp_path):
    lost = Gait(gait.step, gait.points, PlanStatus.INFEASIBLE, float("nan"), float("inf"), "", 0, 0.0, {})
    again = Gait.load(lost.save(tmp_path / "lost.json"))
    assert not again.ok
    assert not np.isfinite(again.effort)
    assert not np.isfinite(again.violation)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "kinetree plan"},
        {"version": 2},
        {"kind": "hop"},
        {"status": "FINE"},
        {"points": [[0.0]]},
        {"points": None},
        {"walker": {"legs": 3}},
        {"walker": {"sex": "male", "mass": -1.0}},
        {"timing": {"lift": 2.0}},
        {"step": {"speed": 0.0}},
        {"step": {"speed": "fast"}},
        {"step": {"control_points": 10**9}},
        {"counts": []},
        {"iterations": None},
    ],
)
def test_files_that_are_no_gait_are_refused(gait, tmp_path, change):
    path = gait.save(tmp_path / "gait.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(KinetreeError, match=re.escape("gait.json")):
        Gait.load(path)
    path.write_text("{")
    with pytest.raises(InputError, match=re.escape("not a file of Gait.save")):
        Gait.load(path)


def test_the_table_of_a_stride_holds_its_curves(gait, tmp_path):
    with open(gait.write_csv(tmp_path / "stride.csv", 21), newline="") as file:
        header, *rows = csv.reader(file)
    table = np.array(rows, float)
    assert table.shape == (21, 13)
    curves = {
        "percent": np.linspace(0.0, 100.0, 21),
        "hip angle [deg]": gait.angles(21)["hip"],
        "vertical ground force [BW]": gait.ground_forces(21)["vertical"],
        "ankle joint force [BW]": gait.joint_forces(21)["ankle"],
        "knee moment [Nm/kg]": gait.moments(21)["knee"],
    }
    for name, curve in curves.items():
        assert np.array_equal(table[:, header.index(name)], curve)
