"""Results of a gait: measures with known answers, norms, pictures, pages and files; none needs an optimal motion."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kinetree.errors import InputError, KinetreeError, UnknownNameError
from kinetree.gait import Gait, Step, Stride, StrideGait, Timing, Walker
from kinetree.gait.figure import LEFT, RIGHT, parts, solids
from kinetree.gait.landmarks import ANGLES, SPEEDS
from kinetree.gait.metabolism import metabolic_power
from kinetree.gait.norms import Norms
from kinetree.gait.realism import Realism, measured
from kinetree.plan.plan import Plan
from kinetree.plan.status import PlanStatus

CLOSE = 1e-9  # m, of two ways to the same point
PERCENT = np.linspace(0.0, 100.0, 201)
STANCE = PERCENT <= 60.0
ROUNDED = 0.15  # pixels: coordinates have one decimal


def made(step: Step, control_points: np.ndarray, **other: Any) -> Gait:
    """A gait that no search has found."""
    found = {"status": PlanStatus.OPTIMAL, "cost": 0.25, "violation": 8e-4, "worst": "knee <flexion> at 0.1 s"} | other
    plan = Plan(step.walker.robot, step.spline, control_points, step.duration, iterations=41,
                seconds=12.5, constraints=tuple(step.problem().constraints), **found)  # fmt: skip
    return StrideGait(step, plan) if isinstance(step, Stride) else Gait(step, plan)


@pytest.fixture(scope="module")
def gait() -> Gait:
    """A synthetic motion: the body glides one step ahead while a few joints swing."""
    step = Step(Walker(loads={"backpack": 8.0}), formulation="thesis")
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


def walking() -> dict[str, np.ndarray]:
    """Curves that meet all goals: sines in stance, and angles of the norm."""
    u = np.clip(PERCENT / 60.0, 0.0, 1.0)
    ground = np.where(STANCE, 1.0, 0.0)
    norm = Norms.at_speed(1.28)
    return {
        "percent": PERCENT,
        **{f"{name} angle": norm.at(name, PERCENT)[0] for name in ANGLES},
        "vertical ground force": ground * (1.2 * np.sin(np.pi * u) + 0.45 * np.sin(3.0 * np.pi * u)),
        "fore_aft ground force": -0.2 * ground * np.sin(2.0 * np.pi * u),
        "lateral ground force": 0.05 * ground,
    }


def realism(curves: dict[str, np.ndarray], norm: Norms | None = None, **facts: float) -> Realism:
    return measured(curves, facts, 1.28, 0.91, norm)


def test_a_gait_that_is_its_own_norm_meets_every_goal():
    found = realism(walking())
    assert found.met, str(found)
    for name in ANGLES:
        assert found[f"correlation of {name} angle"].value == pytest.approx(1.0)
        assert found[f"RMS error of {name} angle"].value == pytest.approx(0.0, abs=1e-12)
    # 1.2 sin - 0.45 at the middle of stance
    assert found["vertical valley"].value == pytest.approx(0.75)
    assert found["lateral force in stance, mean"].value == pytest.approx(0.05)
    assert found["fore-aft impulse of a stride"].value == pytest.approx(0.0, abs=1e-10)
    assert len(str(found).splitlines()) == 2 + len(found.measures)
    assert all(x.source for x in found.measures)


def test_a_norm_turned_upside_down_correlates_with_minus_one():
    curves = walking()
    found = realism(curves, norms(hip=-curves["hip angle"]))
    assert found["correlation of hip angle"].value == pytest.approx(-1.0)
    assert not found["correlation of hip angle"].met
    assert not found.met
    assert "correlation of knee angle" not in {x.name for x in found.measures}


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({"vertical": lambda f: 0.5 * f}, {"first vertical peak", "vertical valley", "second vertical peak"}),
        ({"vertical": lambda f: np.where(STANCE, 1.2 * np.sin(np.pi * PERCENT / 60.0), 0.0)},
         {"vertical valley", "second vertical peak"}),
        ({"vertical": lambda f: np.where(STANCE, 1.0 + 1e-3 * np.sin(PERCENT), 0.0)},
         {"vertical valley", "second vertical peak"}),  # ripples are no peaks
        ({"fore_aft": lambda f: -f}, {"fore-aft force"}),
        ({"fore_aft": lambda f: f + np.where(STANCE, 0.02, 0.0)}, {"fore-aft impulse of a stride"}),
        ({"fore_aft": lambda f: 0.0 * f},
         {"fore-aft force", "fore-aft impulse of a stride", "braking force", "propelling force"}),
        ({"lateral": lambda f: -f}, {"lateral force in stance, mean", "lateral force, most", "lateral force inward"}),
    ],
)  # fmt: skip
def test_each_goal_is_missed_by_the_curve_that_breaks_it(change, missed):
    curves = walking()
    curves |= {f"{name} ground force": f(curves[f"{name} ground force"]) for name, f in change.items()}
    assert {x.name for x in realism(curves).measures if not x.met} == missed


def test_a_lateral_force_that_changes_sides_says_so():
    curves = walking()
    curves["lateral ground force"] = np.where(PERCENT <= 15.0, 0.5, np.where(STANCE, -0.1, 0.0))
    found = realism(curves)
    assert found["lateral force in stance, mean"].met
    # 31 of the samples of stance, which ends just before 60 %
    assert found["lateral force inward"].value == pytest.approx(100.0 * 31 / 120)
    assert not found["lateral force inward"].met


def test_an_impulse_is_measured_against_the_larger_side():
    curves = walking()
    curves["fore_aft ground force"] = np.where(PERCENT <= 20, -0.1, np.where(PERCENT <= 60, 0.1, 0.0))
    # braking over 20 %, propelling over 40 %: half of the larger is left; the steps between are rounded off
    assert realism(curves)["fore-aft impulse of a stride"].value == pytest.approx(50.0, abs=1.0)


def test_every_number_that_is_not_a_persons_is_said_to_be_none():
    """The faults that an independent check of a first prediction found: each is a no."""
    wrong = {"force jump at heel strike": 0.43, "cost of transport from work": 9.5, "positive work": 1.92}
    assert {name: realism(walking(), None, **wrong)[name].met for name in wrong} == dict.fromkeys(wrong, False)
    sway = np.sin(2.0 * np.pi * PERCENT / 100.0)
    paths = {
        "clearance": np.where(STANCE, 0.0, -0.5),
        "centre of mass sideways": 5.0 * sway,
        "centre of mass up": 7.0 * sway,
    }
    found = realism(walking() | paths)
    missed = ("toe clearance in mid-swing", "centre of mass sideways", "centre of mass up and down")
    assert [found[name].met for name in missed] == [False] * 3
    assert found["centre of mass sideways"].value == pytest.approx(10.0)


def test_a_whole_gait_is_measured(gait):
    found = gait.realism()
    names = [x.name for x in found.measures]
    assert len({*names}) == len(names) >= 50
    for part in (
        "hip adduction",
        "pelvis",
        "trunk",
        "shoulder",
        "elbow",
        "lateral",
        "moment",
        "power",
        "work",
        "width",
    ):
        assert any(part in name for name in names), part
    # the body glides: its mechanical energy is that of the joints that swing
    states = gait.states()
    plus, minus = states.work()
    energy = gait.walker.robot.kinetic_energy(states.q, states.qd) + gait.walker.robot.potential_energy(states.q)
    assert plus + minus < plus  # some of it is negative
    assert np.isfinite(energy).all()
    assert found["step width over leg length"].value * -gait.walker.ground == pytest.approx(states.width)


def test_the_forces_on_the_feet_are_the_whole_ground_reaction(gait):
    states, s = gait.states(41), np.linspace(0.0, 1.0, 21)
    reaction = gait.reaction(s)
    total = sum(foot.force for foot in states.feet.values())
    assert np.abs(total[:20] - reaction["force"][:20]).max() < 1e-9 * gait.walker.weight
    # at the zero-moment point the forces on both feet have no moment but about the vertical
    Z = np.stack([reaction["point"][:, 0], np.full(21, gait.walker.ground), reaction["point"][:, 1]], axis=-1)
    about = sum(foot.wrench(np.concatenate([Z, Z[1:]])) for foot in states.feet.values())
    assert np.abs(about[:20, [0, 2]]).max() < 1e-6 * gait.walker.weight
    base = [name.startswith("global") for name in gait.walker.robot.joint_names]
    assert np.abs(states.moments[:, base]).max() < 1e-6


# -- what it costs the body --------------------------------------------------------------------------------------------


def test_muscles_cost_heat_and_work_and_the_body_rests(gait):
    parts = gait.metabolic_power()
    assert parts["rest"] == 1.2
    assert min(parts.values()) > 0.0
    assert gait.cost_of_transport == pytest.approx(sum(parts.values()) / gait.step.speed)


def test_a_body_at_rest_does_no_work_and_its_muscles_are_active(gait):
    states = gait.states()
    still = replace(states, q=0.0 * states.q, qd=0.0 * states.q, qdd=0.0 * states.q)
    held = replace(still, moments=np.full_like(states.moments, 30.0))
    parts = metabolic_power(held)
    assert parts["work"] == pytest.approx(0.0, abs=1e-9)
    # all of the muscle fully active: half of it slow, half of it fast
    most = metabolic_power(replace(still, moments=np.full_like(states.moments, 1e4)))["activation and maintenance"]
    strongest = 0.384 * 0.5 * (40 + 74 + 133 + 111)
    assert parts["activation and maintenance"] < most < strongest  # one side of each joint only


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


def test_landmarks_are_on_the_curves_of_their_speed():
    for k, speed in enumerate(SPEEDS):
        norm = Norms.at_speed(speed)
        for name, (at, means, sds) in ANGLES.items():
            mean, sd = norm.at(name, np.array(at, float))
            assert mean == pytest.approx(np.array(means[k]), abs=0.05)
            assert sd == pytest.approx(np.array(sds), abs=1e-9)
    # a body of four times the size walks alike at twice the speed
    assert Norms.at_speed(2.56, 4 * 0.91).mean["knee"] == pytest.approx(Norms.at_speed(1.28).mean["knee"])
    assert Norms.at_speed(9.0).mean["hip"] == pytest.approx(Norms.at_speed(SPEEDS[-1]).mean["hip"])


# -- pictures and pages ------------------------------------------------------------------------------------------------


def test_a_stride_is_the_step_and_its_image_one_step_ahead(gait):
    t, q = gait.stride(21)
    names, half = gait.step.walker.robot.joint_names, 10
    forward, lateral = (names.index(f"global_{name}") for name in ("tz_forward", "tx_lateral"))
    assert t[-1] == pytest.approx(2.0 * gait.step.duration)
    assert q[half:, forward] == pytest.approx(q[: half + 1, forward] + gait.step.length)
    assert q[-1, lateral] == pytest.approx(-q[0, lateral])
    assert q[-1, names.index("R_hip_flexion")] == pytest.approx(gait.motion(1.0)[0][0, names.index("L_hip_flexion")])


def test_the_body_stands_on_the_ground_and_has_the_volume_of_its_mass(gait):
    walker = gait.step.walker
    lowest = min(walker.standing(x.frame)[1] + min(x.start[1] - x.size[0], x.end[1] - x.size[-1])
                 for x in solids(walker) if x.kind == "capsule" and "foot" in x.frame)  # fmt: skip
    assert lowest == pytest.approx(walker.ground, abs=CLOSE)
    colours = (
        {x.colour for x in solids(walker) if x.frame[:2] == "L_"},
        {x.colour for x in solids(walker) if x.frame[:2] == "R_"},
    )
    assert colours == ({LEFT}, {RIGHT})
    pack = next(x for x in solids(walker) if x.kind == "box")
    assert pack.start[2] < 0.0  # behind
    volume = sum(np.pi / 3 * np.linalg.norm(x.end - x.start) * (x.size[0] ** 2 + x.size[0] * x.size[1] + x.size[1] ** 2)
                 for x in solids(walker) if x.kind == "capsule" and x.frame == "L_thigh")  # fmt: skip
    thigh = next(float(b.inertia.mass) for b in walker.body.bodies if b.name == "L_thigh")
    assert volume == pytest.approx(thigh / 1050.0, rel=0.2)
    shown = parts(walker)
    assert len(shown) == len(solids(walker))
    big = parts(Walker(stature=1.9, mass=110.0))
    assert max(x["size"][0] for x in big) > max(x["size"][0] for x in shown)


def test_a_plot_has_a_curve_for_each_quantity_and_a_band_for_each_norm(gait):
    svg = gait.plot(norms=norms(hip=30.0 * np.cos(PERCENT / 16.0), vertical=np.ones(201))).svg
    root = ET.fromstring(svg)
    inner = [x for x in root if x.tag.endswith("svg")]
    bands = [sum(p.get("class") == "norm" for p in x.iter()) for x in inner]
    titles = [next(t.text for t in x if t.tag.endswith("title")) for x in inner]
    assert len(inner) == 13
    assert {title for title, n in zip(titles, bands) if n} == {"Hip flexion", "Vertical ground force"}
    assert "nan" not in svg
    assert 'class="norm"' not in gait.plot().svg


def test_a_plot_has_the_curves_that_are_asked_for(gait):
    titles = re.findall("<title>(.*?)</title>", gait.plot("knee angle", "moments", title="Mine").svg)
    assert titles == ["Mine", "Knee flexion", "Hip extension moment", "Knee extension moment", "Plantarflexion moment",
                      "Hip abduction moment"]  # fmt: skip
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
    svg = gait.snapshots(5).svg
    root = ET.fromstring(svg)
    spots = [(float(x.get("cx")), float(x.get("cy"))) for x in root.iter() if x.tag.endswith("circle")]
    assert len(spots) == 5  # a centre of pressure each: at these times one foot carries all
    labels = [float(x.get("x")) for x in root.iter() if x.tag.endswith("text") and "%" in str(x.text)]
    assert np.diff(labels) == pytest.approx(np.diff(labels)[0], abs=ROUNDED)
    ground = next(float(x.get("y1")) for x in root.iter() if x.tag.endswith("line"))
    assert {y for _, y in spots} == {ground}
    assert svg.count("#5f6b7c") == 2 * 5  # a backpack each, its edge and its surface
    for colour in (LEFT, RIGHT):
        assert svg.count(colour) == 2 * 5
    with pytest.raises(InputError, match="two or more"):
        gait.snapshots(1)


def test_a_report_holds_everything_and_fetches_nothing(gait, tmp_path):
    page = gait.report(tmp_path / "new" / "gait.html", norms=norms(hip=np.cos(PERCENT / 16.0))).read_text("utf-8")
    for wanted in ("data-kinetree>", "Vertical ground force", "Force in the knee", "A stride at 9 times",
                   "free variables", "216", "correlation of hip angle", "knee &lt;flexion&gt; at 0.1 s", "0.25",
                   "backpack 8 kg"):  # fmt: skip
        assert wanted in page, wanted
    assert not re.search(r"(src|href)=", page)
    assert page.count("data-follow>") == 29
    view = gait.view()
    assert len(view.plots) == 13
    motion = view._data["motions"][0]
    assert motion["travel"] == pytest.approx([0.0, 0.0, 2.0 * gait.step.length])
    assert len(motion["arrows"]) == 2
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


def test_the_table_of_what_is_no_prediction_says_so(gait, tmp_path):
    lost = made(gait.step, gait.control_points, status=PlanStatus.NOT_FOUND)
    rows = lost.to_csv(tmp_path / "lost.csv", 21).read_text().splitlines()
    assert rows[0].endswith(",status")
    assert all("no prediction" in row for row in rows[1:])
    assert "This is no prediction" in lost.report(tmp_path / "lost.html").read_text("utf-8")
    assert "no prediction" in lost.to_mot(tmp_path / "lost.mot").read_text().splitlines()[0]


def test_the_table_of_a_stride_holds_its_curves(gait, tmp_path):
    with open(gait.to_csv(tmp_path / "stride.csv", 21), newline="") as file:
        header, *rows = csv.reader(file)
    table = np.array(rows, float)
    assert table.shape == (21, 30)
    curves = {
        "percent": np.linspace(0.0, 100.0, 21),
        "hip angle [deg]": gait.angles(21)["hip"],
        "vertical ground force [BW]": gait.ground_forces(21)["vertical"],
        "ankle joint force [BW]": gait.joint_forces(21)["ankle"],
        "knee moment [Nm/kg]": gait.moments(21)["knee"],
    }
    for name, curve in curves.items():
        assert np.array_equal(table[:, header.index(name)], curve)
