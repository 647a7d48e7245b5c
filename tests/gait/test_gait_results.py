"""Results of a gait: measures with known answers, norms, pictures, pages and files; none needs an optimal motion."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from kinetree.errors import InputError, KinetreeError, UnknownNameError
from kinetree.gait import Gait, Step, Stride, StrideGait, Timing, Walker
from kinetree.gait.figure import nodes, points, stick_figure
from kinetree.gait.norms import Norms
from kinetree.gait.realism import realism
from kinetree.plan.plan import Plan
from kinetree.plan.status import PlanStatus
from kinetree.transcribe.bspline import BSpline

CLOSE = 1e-9  # m, of two ways to the same point
PERCENT = np.linspace(0.0, 100.0, 201)
STANCE = PERCENT <= 60.0
ROUNDED = 0.15  # pixels: coordinates have one decimal


def made(step: Step, control_points: np.ndarray, **other: Any) -> Gait:
    """A gait that no search has found."""
    found = {"status": PlanStatus.OPTIMAL, "cost": 0.25, "violation": 8e-4, "worst": "knee <flexion> at 0.1 s"} | other
    plan = Plan(step.walker.robot, BSpline(len(control_points)), control_points, step.duration, iterations=41,
                seconds=12.5, constraints=tuple(step.problem().constraints), **found)  # fmt: skip
    return StrideGait(step, plan) if isinstance(step, Stride) else Gait(step, plan)


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
    assert [x.value for x in found.measures[:3]] == pytest.approx([1.0, 1.0, 1.0])
    # 1.2 sin - 0.45 at the middle of stance
    assert found["vertical valley"].value == pytest.approx(0.75)
    assert found["lateral force in stance, mean"].value == pytest.approx(0.05)
    assert found["fore-aft impulse of a stride"].value == pytest.approx(0.0, abs=1e-12)
    assert len(str(found).splitlines()) == 1 + len(found.measures)


def test_a_norm_turned_upside_down_correlates_with_minus_one():
    angles, forces = walking()
    found = realism(angles, forces, norms(hip=-angles["hip"]))
    assert found["correlation of hip angle"].value == pytest.approx(-1.0)
    assert not found["correlation of hip angle"].met
    assert not found.met
    assert "correlation of knee angle" not in {x.name for x in found.measures}


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
    assert {x.name for x in realism(angles, changed, None).measures if not x.met} == missed


def test_a_lateral_force_that_changes_sides_says_so():
    angles, forces = walking()
    forces["lateral"] = np.where(PERCENT <= 15.0, 0.5, np.where(STANCE, -0.1, 0.0))
    found = realism(angles, forces, None)["lateral force in stance, mean"]
    assert found.met
    assert "inward in 26% of stance" in found.text  # 31 of the samples of stance, which ends just before 60 %


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
    found = Norms.of(path)
    assert found is not None
    assert found.name == "mine"
    assert found.at("hip", [50.0])[0] == pytest.approx([5.0])
    # a right foot is pushed to the left: toward the midline, in body weights
    assert found.mean["lateral"] == pytest.approx(0.05)
    assert found.sd["lateral"] == pytest.approx(0.02)
    assert found.mean["knee"] == pytest.approx(30.0)
    assert found.sd["knee"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("time,hip mean,hip sd\n0,1,1\n", "no column 'percent'"),
        ("percent,hip mean,hip sd\n0,1,1\n", "rises from row to row"),
        ("percent,hip mean,hip sd\n0,1,1\n9,1,1\n8,1,1\n9,1,1\n10,1,1\n", "rises from row to row"),
        ("percent,elbow mean,elbow sd\n0,1,1\n1,1,1\n2,1,1\n3,1,1\n4,1,1\n", "no curve with a known name"),
        ("percent,hip mean,hip sd\n0,1,1\n1,x,1\n2,1,1\n3,1,1\n4,1,1\n", "'hip' is missing or not finite"),
        ("percent,hip mean,hip sd\n0,1\n", "row 2: 2 cells under a header of 3"),
    ],
)
def test_norms_that_are_none_are_refused(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        Norms.read(path)


def test_published_norms_are_read_in_our_units_and_signs(tmp_path):
    """Five rows of Schwartz and others, J Biomech 41 (2008), at free speed; other columns are ignored."""
    path = tmp_path / "schwartz.csv"
    path.write_text("""\
percent,Hip Ad/Abduction mean [deg],Knee Flex/Extension mean [deg],Knee Flex/Extension sd [deg],\
Ankle Dorsi/Plantarflexion mean [deg],Ankle Dorsi/Plantarflexion sd [deg],Anterior/Posterior mean [BW],\
Anterior/Posterior sd [BW],Vertical mean [BW],Vertical sd [BW],Ankle Dorsi/Plantarflexion mean [Nm/kg],\
Ankle Dorsi/Plantarflexion sd [Nm/kg]
0.0,-1.576,5.5537,5.6551,-2.0993,5.5613,-0.0029,0.0118,0.0111,0.0383,-0.0022,0.0098
12.0,4.4639,19.2943,6.3131,-0.1777,3.9905,-0.1513,0.0378,1.079,0.1458,0.0641,0.1634
48.0,1.4134,9.4658,5.6445,11.4516,5.1986,0.1523,0.0353,1.0745,0.1174,1.2261,0.239
72.0,-5.6064,59.1317,5.8779,-7.8656,6.7858,0.0004,0.0004,0.0008,0.0011,-0.0104,0.0042
100.0,-1.6061,5.3718,5.6133,-2.32,5.438,0.0002,0.0003,0.0004,0.0014,-0.0008,0.0082
""")
    found = Norms.read(path)
    assert {*found.mean} == {"knee", "ankle", "fore_aft", "vertical", "ankle moment"}
    assert found.mean["knee"].max() == pytest.approx(59.1317)
    assert found.mean["vertical"].max() == pytest.approx(1.079)
    assert found.mean["fore_aft"].min() < -0.1 < 0.1 < found.mean["fore_aft"].max()
    assert found.mean["ankle moment"].max() == pytest.approx(1.2261)


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


def test_a_plot_has_the_curves_that_are_asked_for(gait):
    titles = re.findall("<title>(.*?)</title>", gait.plot("knee angle", "moments", title="Mine").svg)
    assert titles == ["Mine", "Knee flexion", "Hip extension moment", "Knee extension moment", "Plantarflexion moment"]
    with pytest.raises(UnknownNameError, match="vertical ground force"):
        gait.plot("elbow angle")


def test_a_gait_says_in_one_line_what_it_is(gait):
    assert repr(gait).startswith("Gait at 1.2 m/s, steps of 0.6 m: effort 0.25; the motion is (locally) optimal")
    assert "\n" not in repr(gait)
    assert "knee <flexion>" in repr(made(gait.step, gait.control_points, status=PlanStatus.INFEASIBLE))


def test_constraints_are_counted_by_family(gait):
    counts = gait.counts
    assert (counts["variables"], counts["free variables"], counts["symmetry"]) == (330, 216, 72)
    assert counts["joint moments"] == 30 * 28  # at 25 collocation points, and where phases change
    assert counts["ground clearance"] == 1
    assert counts["constraints"] == sum(n for name, n in counts.items() if name not in [*counts][:3])


def test_a_stride_of_two_steps_shows_both_legs(tmp_path):
    stride = Stride(Walker())
    names = stride.walker.robot.joint_names
    control = np.zeros((stride.points, len(names)))
    control[:, names.index("L_knee_flexion")] = 0.3
    control[:, names.index("R_knee_flexion")] = 0.7
    gait = made(stride, control)
    root = ET.fromstring(gait.plot().svg)
    knee = [x for x in root if x.tag.endswith("svg")][1]
    curves = {x.get("stroke"): float(x.get("d")[1:].split("L")[0].split()[1]) for x in knee if x.tag.endswith("path")}
    assert len(curves) == 2
    left, right = (next(y for colour, y in curves.items() if k in colour) for k in ("--kt-1", "--kt-2"))
    assert right < left  # bent further, so higher in the picture
    t, q = gait.stride(9)
    assert t[-1] == pytest.approx(stride.duration)
    assert q == pytest.approx(gait.motion(np.linspace(0.0, 1.0, 9))[0])
    page = gait.report(tmp_path / "stride.html").read_text("utf-8")
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
    page = gait.report(tmp_path / "new" / "gait.html", norms=norms(hip=np.cos(PERCENT / 16.0))).read_text("utf-8")
    for wanted in ("data-kinetree>", "Vertical ground force", "Force in the knee", "A stride at 9 times",
                   "free variables", "216", "correlation of hip angle", "knee &lt;flexion&gt; at 0.1 s", "0.25",
                   "backpack 8 kg"):  # fmt: skip
        assert wanted in page, wanted
    assert not re.search(r"(src|href)=", page)
    assert page.count("data-follow>") == 12
    view = gait.view()
    assert len(view.plots) == 12
    assert view._data["motions"][0]["q"]["count"] % gait.step.walker.robot.nq == 0


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_saved_gait_comes_back_with_all_digits(tmp_path):
    walker = Walker(1.62, 58.5, "female", 38, strength={"knee": 0.5}, loads={"left hand": 3.0})
    step = Step(walker, 1.1, 0.55, 0.12, Timing(0.22, 0.58, 0.5, 0.4), 7)
    gait = made(step, np.random.default_rng(3).normal(size=(7, walker.robot.nv)))
    again = Gait.load(gait.save(tmp_path / "a" / "gait.json"))
    assert type(again) is Gait
    assert again.step == step
    assert np.array_equal(again.control_points, gait.control_points)
    for name in ("status", "effort", "violation", "worst", "iterations", "seconds", "counts"):
        assert getattr(again, name) == getattr(gait, name)
    assert [x.name for x in (tmp_path / "a").iterdir()] == ["gait.json"]


def test_a_saved_stride_comes_back_as_one(tmp_path):
    stride = Stride(Walker(frozen=()), control_points=5)
    gait = made(stride, np.zeros((stride.points, 55)))
    again = Gait.load(gait.save(tmp_path / "stride.json"))
    assert isinstance(again, StrideGait)
    assert again.step == stride


def test_a_prediction_that_failed_is_saved_too(gait, tmp_path):
    nothing = {"status": PlanStatus.INFEASIBLE, "cost": float("nan"), "violation": float("inf"), "worst": ""}
    lost = made(gait.step, gait.control_points, **nothing)
    again = Gait.load(lost.save(tmp_path / "lost.json"))
    assert not again.ok
    assert not np.isfinite(again.effort)
    assert not np.isfinite(again.violation)


def changed(content: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """With some values replaced, those of dictionaries one by one."""
    return content | {k: changed(content[k], x) if isinstance(x, dict) else x for k, x in change.items()}


@pytest.mark.parametrize(
    "change",
    [
        {"format": "kinetree plan"},
        {"version": 1},
        {"kind": "hop"},
        {"status": "FINE"},
        {"termination": "FINE"},
        {"control_points": [[0.0]]},
        {"control_points": None},
        {"step": None},
        {"step": {"walker": {"legs": 3}}},
        {"step": {"walker": {"mass": -1.0}}},
        {"step": {"walker": {"frozen": "no_joint"}}},
        {"step": {"timing": {"lift": 2.0}}},
        {"step": {"speed": 0.0}},
        {"step": {"speed": "fast"}},
        {"step": {"control_points": 10**9}},
        {"step": {"width": None}},
        {"iterations": None},
    ],
)
def test_files_that_are_no_gait_are_refused(gait, tmp_path, change):
    path = gait.save(tmp_path / "gait.json")
    path.write_text(json.dumps(changed(json.loads(path.read_text()), change)))
    with pytest.raises(KinetreeError, match=re.escape("gait.json")):
        Gait.load(path)
    path.write_text("{")
    with pytest.raises(InputError, match=re.escape("not a file of Gait.save")):
        Gait.load(path)


def test_the_table_of_a_stride_holds_its_curves(gait, tmp_path):
    with open(gait.to_csv(tmp_path / "stride.csv", 21), newline="") as file:
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
