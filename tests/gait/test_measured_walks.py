"""Measured walks: files of OpenSim out and in, markers to motions, and inverse dynamics with known answers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.ground_reaction import OF_GROUND, ground_reaction
from kinetree.errors import InputError, KinetreeError
from kinetree.gait import FootForce, MeasuredWalk, StrideStates, Walker
from kinetree.gait.markers import MARKERS, marker_positions, markers_of, nearest_motion
from kinetree.gait.opensim import COORDINATES, forces_of, read_mot, read_trc
from kinetree.gait.phases import CONTACTS
from kinetree.gait.step import Stride
from kinetree.gait.walk import Walk

PERIOD, SPEED, RATE = 1.0, 1.2, 200.0  # s, m/s, Hz
WRITTEN = 1e-6  # of numbers in a file: they have ten digits, markers a hundredth of a micrometre
NEAR = 1e-3  # rad, m: staying near the frame before weighs a little
INTERPOLATED = 6e-3  # N m/kg: sines of 1 and 2 Hz between 200 samples a second


def motion(walker: Walker, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A body that glides while its joints swing as sines of one and two periods: positions and derivatives."""
    rng = np.random.default_rng(5)
    nv = walker.robot.nv
    phase, size = rng.uniform(0.0, 2.0 * np.pi, (2, nv)), rng.uniform(0.01, 0.08, (2, nv))
    names = walker.robot.joint_names
    size[:, [k for k, name in enumerate(names) if name.startswith("global_t")]] = 0.004
    q, qd, qdd = np.zeros((3, len(t), nv))
    for k, (a, p) in enumerate(zip(size, phase), 1):
        w = 2.0 * np.pi * k / PERIOD
        x = w * t[:, None] + p
        q, qd, qdd = q + a * np.sin(x), qd + a * w * np.cos(x), qdd - a * w**2 * np.sin(x)
    forward = names.index("global_tz_forward")
    q[:, forward] += SPEED * t
    qd[:, forward] += SPEED
    return q, qd, qdd


class Synthetic(Walk):
    """A walk with exact velocities, accelerations and ground forces."""

    def __init__(self, walker: Walker) -> None:
        self.who = walker
        ground = walker.ground

        def reaction(robot: Any, q: Any, qd: Any, qdd: Any, load: Any) -> Any:
            found = ground_reaction(robot, q, qd, qdd, CONTACTS, load, ground)
            return found.numbers(), found.loads

        n, m = walker.robot.nv, walker.robot.nbodies
        signature = f"q({n}), qd({n}), qdd({n}), load(6) -> numbers({n + OF_GROUND}), loads({m},6)"
        self.reaction = kt.compile(reaction, walker.robot, signature=signature)

    walker = property(lambda self: self.who)
    described = property(lambda self: "A synthetic stride")

    def states(self, count: int = 201) -> StrideStates:
        return self.at(np.linspace(0.0, PERIOD, count))

    def at(self, t: np.ndarray) -> StrideStates:
        q, qd, qdd = motion(self.who, t)
        load = Stride(self.who).load_distribution(t / PERIOD % 1.0)
        numbers, loads = self.reaction(q, qd, qdd, load)
        return StrideStates(self.who, SPEED, t, q, qd, qdd, numbers[:, OF_GROUND:], loads)


@pytest.fixture(scope="module")
def walk() -> Synthetic:
    return Synthetic(Walker())


@pytest.fixture(scope="module")
def recorded(walk) -> StrideStates:
    return walk.at(np.arange(0.0, 3.0 * PERIOD, 1.0 / RATE))


def angles_of(states: StrideStates) -> dict[str, np.ndarray]:
    names = states.walker.robot.joint_names
    units = {name: 1.0 if name.startswith("global_t") else 180.0 / np.pi for name in names}
    return {"time": states.t, **{name: units[name] * states.q[:, k] for k, name in enumerate(names)}}


def forces_on(states: StrideStates) -> dict[str, Any]:
    up = np.array([0.0, states.walker.ground, 0.0])
    above = {s: FootForce(f.force, (f.point - up) * (f.force[:, 1:2] > 0.0), f.moment) for s, f in states.feet.items()}
    return {"time": states.t, **above}


def errors(found: MeasuredWalk, walk: Synthetic, side: str) -> float:
    """Of joint moments over a stride, the root of the mean square of the largest [N m/kg]."""
    seen = getattr(found, side)
    now, truth = seen.states(), walk.at(seen.states().t + seen.interval[0])
    driven = [not n.startswith("global") and "forefoot" not in n for n in found.walker.robot.joint_names]
    return float(np.sqrt(np.mean((now.moments - truth.moments)[:, driven] ** 2, axis=0)).max()) / found.walker.mass


# -- inverse dynamics --------------------------------------------------------------------------------------------------


def test_moments_of_a_measured_walk_are_those_of_its_motion(walk, recorded):
    found = kt.gait.from_angles(angles_of(recorded), forces_on(recorded), recorded.walker)
    assert found.states().speed == pytest.approx(SPEED, rel=1e-3)
    for side in ("left", "right"):
        assert errors(found, walk, side) < INTERPOLATED
    left = found.residuals()
    assert left["force rms"] < 1e-3
    assert left["moment rms"] < 1e-2
    truth = walk.at(found.states().t + found.interval[0])
    wrenches = truth.walker.robot.joint_wrenches(truth.q, truth.qd, truth.qdd, external=truth.loads)
    bodies = [body.name for body in truth.walker.robot.bodies]
    hip = np.linalg.norm(wrenches[:, bodies.index("L_thigh"), 3:], axis=1) / truth.walker.weight
    assert found.joint_forces()["hip"] == pytest.approx(hip, abs=INTERPOLATED)


def test_files_of_opensim_carry_a_walk(walk, tmp_path):
    """Out as coordinates, forces and markers, in again both ways."""
    forces = walk.to_mot(tmp_path / "grf.mot", "ground_forces", strides=3)
    by_angles = kt.gait.from_angles(walk.to_mot(tmp_path / "ik.sto", strides=3), forces, walk.walker)
    by_markers = kt.gait.from_markers(walk.to_trc(tmp_path / "m.trc", strides=3), forces, walk.walker)
    assert by_markers.fit < 1e-4
    for found in (by_angles, by_markers):
        assert [len(at) for at in found.strikes.values()] == [3, 3]
        legs = [k for k, name in enumerate(walk.walker.robot.joint_names) if "hip" in name or "knee" in name]
        truth = walk.at(found.states().t + found.interval[0])
        assert np.abs(found.states().q[:, legs] - truth.q[:, legs]).max() < 3e-3


def test_noise_on_markers_changes_moments_little(walk, recorded):
    places = marker_positions(walk.walker, recorded.q)[0] - [0.0, walk.walker.ground, 0.0]
    noise = 1e-3 * np.random.default_rng(0).normal(size=places.shape)
    markers = {"time": recorded.t, **dict(zip(MARKERS, (places + noise).swapaxes(0, 1)))}
    found = kt.gait.from_markers(markers, forces_on(recorded), walk.walker)
    assert found.fit == pytest.approx(np.sqrt(3.0) * 1e-3, rel=0.2)  # what is left after 36 coordinates have moved
    assert errors(found, walk, "left") < 0.05


def test_a_treadmill_adds_its_speed(walk, recorded):
    table = angles_of(recorded)
    table["global_tz_forward"] = table["global_tz_forward"] - SPEED * recorded.t
    forces = forces_on(recorded)
    moved = {s: FootForce(forces[s].force, forces[s].point - np.outer(SPEED * recorded.t, [0, 0, 1]) *
                          (forces[s].force[:, 1:2] > 0.0), forces[s].moment) for s in "LR"}  # fmt: skip
    found = kt.gait.from_angles(table, {"time": recorded.t, **moved}, walk.walker, belt=SPEED)
    assert found.states().speed == pytest.approx(SPEED, rel=1e-3)
    assert errors(found, walk, "left") < INTERPOLATED  # a frame that moves evenly changes no force


def test_a_measured_walk_has_pages_and_tables(walk, recorded, tmp_path):
    found = kt.gait.from_angles(angles_of(recorded), forces_on(recorded), walk.walker)
    page = found.report(tmp_path / "walk.html").read_text("utf-8")
    assert "A measured walk" in page
    assert page.count("Left leg") == 1
    assert found.to_csv(tmp_path / "walk.csv").read_text().startswith("percent,hip angle [deg]")
    assert repr(found).startswith("MeasuredWalk of 2.995 s at 1.2 m/s; strides: 2 of the left leg")
    assert "force jump at heel strike" not in {x.name for x in found.realism().measures}  # it is not known


# -- files -------------------------------------------------------------------------------------------------------------


def test_tables_have_the_layout_of_opensims_documentation(walk, tmp_path):
    lines = walk.to_mot(tmp_path / "ik.mot", count=11).read_text().splitlines()
    end = lines.index("endheader")
    head = dict(line.split("=") for line in lines[1:end])
    assert head == {"version": "1", "nRows": "11", "nColumns": str(1 + len(COORDINATES)), "inDegrees": "yes"}
    assert lines[end + 1].split("\t") == ["time", *COORDINATES]
    assert len(lines) == end + 2 + 11
    columns, degrees = read_mot(tmp_path / "ik.mot")
    states = walk.states(11)
    assert degrees
    assert columns["knee_angle_l"] == pytest.approx(np.degrees(states.column(states.q, "L_knee_flexion")), rel=WRITTEN)
    assert columns["pelvis_tilt"] == pytest.approx(
        -np.degrees(states.column(states.q, "global_pelvis_tilt")), rel=WRITTEN
    )
    assert columns["pelvis_ty"] == pytest.approx(
        states.column(states.q, "global_ty_vertical") - walk.walker.ground, rel=WRITTEN
    )
    moments, degrees = read_mot(walk.to_mot(tmp_path / "id.sto", "moments", count=11))
    assert not degrees
    assert moments["arm_add_r_moment"] == pytest.approx(
        -states.column(states.moments, "R_shoulder_abduction"), rel=WRITTEN
    )
    assert np.abs(moments["pelvis_ty_force"]).max() < 1e-6


def test_forces_and_markers_come_back_from_their_files(walk, tmp_path):
    states = walk.states(21)
    t, feet = forces_of(walk.to_mot(tmp_path / "grf.mot", "ground_forces", count=21))
    assert t == pytest.approx(states.t)
    for side, foot in states.feet.items():
        assert feet[side].force == pytest.approx(foot.force, rel=1e-8, abs=1e-6)
        loaded = foot.force[:, 1] > 0.0
        assert feet[side].point[loaded] == pytest.approx(foot.point[loaded] - [0.0, walk.walker.ground, 0.0], abs=1e-8)
    path = walk.to_trc(tmp_path / "m.trc", count=21)
    lines = path.read_text().splitlines()
    assert lines[0] == "PathFileType\t4\t(X/Y/Z)\tm.trc"
    facts = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    assert (facts["NumFrames"], facts["NumMarkers"], facts["Units"]) == ("21", str(len(MARKERS)), "mm")
    assert float(facts["DataRate"]) == pytest.approx(20.0 / PERIOD)
    assert lines[3].split("\t")[2::3] == [*MARKERS]
    assert lines[4].split("\t")[2:5] == ["X1", "Y1", "Z1"]
    assert lines[5] == ""
    t, markers = read_trc(path)
    places = marker_positions(walk.walker, states.q)[0] - [0.0, walk.walker.ground, 0.0]
    assert np.stack([*markers.values()], axis=1) == pytest.approx(places, abs=1e-7)


def test_a_stride_that_is_repeated_goes_on_where_it_ended(walk):
    one, three = walk.states(51), walk.states(51).repeated(3)
    assert len(three.t) == 151
    names = walk.walker.robot.joint_names
    forward = names.index("global_tz_forward")
    assert three.q[-1, forward] - three.q[0, forward] == pytest.approx(3.0 * SPEED * PERIOD)
    assert np.diff(three.t) == pytest.approx(PERIOD / 50)
    assert three.distance == pytest.approx(3.0 * one.distance)
    exact = walk.at(three.t)
    assert three.q == pytest.approx(exact.q, abs=1e-9)
    loaded = exact.feet["R"].force[:, 1] > 1.0
    assert three.feet["R"].point[loaded] == pytest.approx(exact.feet["R"].point[loaded], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.mot", "time\tx\n0\t1\n", "no line 'endheader'"),
        ("a.mot", "a\nendheader\nx\ty\n0\t1\n1\t1\n", "no column 'time'"),
        ("a.mot", "a\nendheader\ntime\ty\n0\t1\n1\n", "row 2 of the data: 1 numbers under 2 labels"),
        ("a.mot", "a\nendheader\ntime\ty\n0\tone\n1\t1\n", "could not convert"),
        ("a.mot", "a\nendheader\ntime\ty\n0\t1\n", "has 1 rows"),
        ("a.trc", "time,x\n", "is no .trc file"),
        ("a.trc", "PathFileType\t4\nUnits\nfeet\nFrame#\tTime\tA\t\t\n\tX1\n\n1\t0\t1\t1\t1\n", "one of m, cm, mm"),
    ],
)
def test_files_that_are_none_are_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        (read_trc if name.endswith("trc") else read_mot)(path)


def test_names_of_files_are_checked(walk, tmp_path):
    for write, name in ((walk.to_mot, "a.csv"), (walk.to_trc, "a.mot")):
        with pytest.raises(InputError, match="ends in"):
            write(tmp_path / name)
    with pytest.raises(KinetreeError, match="ground_forces"):
        walk.to_mot(tmp_path / "a.mot", "forces")
    assert list(tmp_path.iterdir()) == []


# -- markers and bad recordings ----------------------------------------------------------------------------------------


def test_the_motion_of_markers_is_found_again_with_some_missing(walk):
    q = motion(walk.walker, np.linspace(0.0, 0.2, 9))[0]
    places = marker_positions(walk.walker, q)[0] - [0.0, walk.walker.ground, 0.0]
    markers = dict(zip(MARKERS, places.swapaxes(0, 1)))
    found, fit = nearest_motion(walk.walker, markers)
    names = walk.walker.robot.joint_names
    one = [k for k, name in enumerate(names) if "spine" not in name]  # markers tell only the sum of two in the spine
    assert np.abs(found - q)[:, one].max() < NEAR
    for part in ("flexion", "lat_bend", "axial"):
        spine = [k for k, name in enumerate(names) if "spine" in name and part in name]
        assert np.abs((found - q)[:, spine].sum(axis=1)).max() < 5.0 * NEAR  # small rotations nearly add
    assert fit < 1e-5
    markers["LKNE"] = np.full_like(markers["LKNE"], np.nan)
    del markers["RTHI"]
    again = nearest_motion(walk.walker, markers)[0]
    assert np.abs(again - q)[:, one].max() < 3.0 * NEAR
    own = {name: place for name, place in markers_of(walk.walker).items() if name[0] == "L"}
    assert nearest_motion(walk.walker, markers, own)[1] < 1e-4
    with pytest.raises(InputError, match="six markers or more"):
        nearest_motion(walk.walker, {"LKNE": markers["LANK"]})
    blind = {name: np.where(np.arange(9)[:, None] == 4, np.nan, x) for name, x in markers.items()}
    with pytest.raises(InputError, match="in frame 5 fewer than three"):
        nearest_motion(walk.walker, blind)


def test_derivatives_of_markers_are_those_of_their_positions(walk):
    q = motion(walk.walker, np.array([0.3]))[0]
    J = marker_positions(walk.walker, q)[1][0]
    step, numeric = 1e-6, []
    for k in range(q.shape[1]):
        moved = np.eye(q.shape[1])[k] * step
        a, b = (marker_positions(walk.walker, q + sign * moved)[0].ravel() for sign in (1.0, -1.0))
        numeric.append((a - b) / (2.0 * step))
    assert np.abs(J - np.array(numeric).T).max() < 1e-8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": None}, "no 'time'"),
        ({"time": np.zeros(600)}, "times rise"),
        ({"L_knee_flexion": np.zeros(3)}, "'L_knee_flexion' has 3 samples"),
        ({"L_knee_flexion": np.full(600, np.nan)}, "missing or not finite"),
        ({"global_ty_vertical": None}, "pelvis_ty"),
    ],
)
def test_tables_that_are_no_recording_are_refused(walk, recorded, change, message):
    table = {name: x for name, x in (angles_of(recorded) | change).items() if x is not None}
    with pytest.raises(KinetreeError, match=re.escape(message)):
        kt.gait.from_angles(table, forces_on(recorded), walk.walker)


def test_a_recording_without_a_stride_says_so(walk, recorded):
    short = walk.at(np.arange(0.0, 0.9, 1.0 / RATE))
    found = kt.gait.from_angles(angles_of(short), forces_on(short), walk.walker)
    with pytest.raises(InputError, match=r"the left foot comes down \d times in this recording"):
        found.states()
    with pytest.raises(InputError, match="cutoff"):
        kt.gait.from_angles(angles_of(recorded), forces_on(recorded), walk.walker, cutoff=90.0)
    late = forces_on(recorded)
    late["time"] = late["time"] + 100.0
    with pytest.raises(InputError, match="the forces go from 100"):
        kt.gait.from_angles(angles_of(recorded), late, walk.walker)
