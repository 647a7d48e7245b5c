"""Measurements that make no sense are refused, with what is wrong and where."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.identify import Data, Samples, fit, payload, prepare
from kinetree.identify.weights import triangle

ARM = kt.robots.two_link()
T = np.arange(200) / 100.0
SENTENCE = 5  # words at the least
Q = np.stack([np.sin(3 * T), np.cos(2 * T)], axis=1)


def nan_at(row: int, column: int) -> np.ndarray:
    x = Q.copy()
    x[row, column] = np.nan
    return x


@pytest.mark.parametrize(
    ("t", "q", "forces", "more", "message"),
    [
        (T[:5], Q[:5], Q[:5], {}, "5 samples are too few, at least 10"),
        (T, Q[:-1], Q, {}, "q has 199 rows and t has 200"),
        (T, Q[:, 0], Q, {}, r"q has the shape \(200,\), expected \(samples, columns\)"),
        (T, Q, "abc", {}, "forces must be an array of numbers"),
        (T[::-1], Q, Q, {}, r"times must rise: row 1 is at 1.98 s, after 1.99 s \(199 such rows\)"),
        (np.r_[T[:-1], np.nan], Q, Q, {}, "t is not a number in row 199"),
        (
            T,
            nan_at(17, 1),
            Q,
            {},
            r"samples of q are missing or not numbers: row 17 \(t = 0.17 s\) column 1; .*fill=True",
        ),
        (T, Q, nan_at(3, 0), {}, "samples of forces are missing"),
        (np.r_[T[:50], T[50:] + 0.2], Q, Q, {}, "samples are missing between 0.49 and 0.7 s: the usual step is 0.01 s"),
        (T, Q, Q, {"qd": Q[:, :1]}, "qd has 1 columns and forces 2"),
        (T, Q, Q, {"joints": ["a"]}, "joints names each of the 2 columns"),
        (T, Q, Q, {"joints": ["a", "a"]}, "joints names each of the 2 columns"),
        (T, np.full_like(Q, np.nan), Q, {"fill": True}, "nothing to fill it from"),
    ],
)
def test_bad_series_are_refused(t, q, forces, more, message) -> None:
    with pytest.raises(InputError, match=message):
        Data(t, q, forces, **more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("t,q_joint1,q_joint2,tau_joint1\n1,2,3,4\n", "tau.joint2 .*there are t, q_joint1, q_joint2, tau_joint1"),
        ("time,q1,q2,tau1,tau2\n1,2,3,4,5\n", "the columns t,"),
        ("t,q1,q2,tau1,tau2\n1,2,3,4\n", "line 2: 4 numbers under 5 names"),
        ("# made by hand\nt,q1,q2,tau1,tau2\n1,2,x,4,5\n", "line 3: 'x' in column 'q2' is not a number"),
        ("t,q1,q1,q2,tau1,tau2\n1,2,3,4,5,6\n", "names q1 more than once"),
        ("t,q1,q2,tau1,tau2\n1,2,3,4,5\n", "1 samples are too few"),
        ("t q1 q2 tau1 tau2\n1 2 3 4 5\n", "the only column; columns are separated by commas"),
        ("t,q1,q2,tau1,tau2\n1,2,3,4," + 200_000 * "5", "is not a table: field larger"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "measured.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        Data.from_csv(path, ARM)


def test_files_that_can_t_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv can't be read: No such file"):
        Data.from_csv(tmp_path / "nowhere.csv", ARM)
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="not a text file"):
        Data.from_csv(tmp_path / "binary.csv", ARM)
    with pytest.raises(InputError, match="is a folder"):
        Data(T, Q, Q).to_csv(tmp_path)
    with pytest.raises(InputError, match=r"can't be written: .*binary\.csv is not a folder"):
        Data(T, Q, Q).to_csv(tmp_path / "binary.csv" / "below.csv")
    with pytest.raises(InputError, match="can't be written: its name"):
        Data(T, Q, Q).to_csv(str(tmp_path / "a\0b"))
    with pytest.raises(InputError, match="can't be read: its name"):
        Data.from_csv(str(tmp_path / "a\0b"), ARM)


def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path) -> None:
    """Files take their place by a new name: a pipe, or a device, would be gone."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is not a plain file, and is not replaced"):
        Data(T, Q, Q).to_csv(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_missing_cells_are_named_with_their_time(tmp_path: Path) -> None:
    rows = [f"{k / 100},1,2,3,4" for k in range(30)]
    rows[7] = "0.07,1,,3,4"
    (tmp_path / "a.csv").write_text("\n".join(["t,q1,q2,tau1,tau2", *rows]))
    with pytest.raises(InputError, match=r"row 7 \(t = 0.07 s\) column 1"):
        Data.from_csv(tmp_path / "a.csv", ARM)
    assert Data.from_csv(tmp_path / "a.csv", ARM, fill=True).q[7, 1] == 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cutoff": -1.0}, "cutoff is a number above 0"),
        ({"cutoff": "low"}, "cutoff is a number above 0"),
        ({"cutoff": 80.0}, "above half of the sampling rate"),
        ({"decimate": 0}, "decimate is an integer"),
        ({"decimate": 2.5}, "decimate is an integer"),
        ({"trim": -1.0}, "trim is a time of 0 s or more"),
        ({"trim": 0.99}, "of 200 samples at 100 Hz 2 are left"),
    ],
)
def test_bad_filters_are_refused(options, message) -> None:
    with pytest.raises(InputError, match=message):
        prepare(ARM, Data(T, Q, Q), **options)


def test_data_of_another_robot_is_refused() -> None:
    data = Data(T, Q, Q)
    with pytest.raises(InputError, match=r"6 positions \(.*\) and 6 forces .*2 columns of q"):
        fit(kt.robots.puma560(), data)
    with pytest.raises(InputError, match="those of the robot are joint1, joint2"):
        fit(ARM, Data(T, Q, Q, joints=("elbow", "wrist")))
    with pytest.raises(InputError, match="6 positions and 6 forces; the samples have 2 and 2"):
        fit(kt.robots.puma560(), Samples(T, Q, Q, Q, Q))
    free = ARM.with_base("floating", kt.Inertia(1.0, about_com=(1, 1, 1)))
    data = Data(T, np.tile(free.neutral, (200, 1)), np.zeros((200, 8)))
    with pytest.raises(InputError, match="whose rate is no velocity"):
        prepare(free, data)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "best"}, UnknownNameError, "'best'.*'irls', 'ls', 'wls'"),
        ({"include": ["mass"]}, UnknownNameError, "'mass'.*'friction'"),
        ({"include": []}, InputError, "include is empty"),
        ({"confidence": 95}, InputError, "confidence is between 0.5 and 1"),
        ({"confidence": "high"}, InputError, "confidence is between 0.5 and 1"),
        ({"drop": -1}, InputError, "drop is a relative standard deviation"),
        ({"drop": "none"}, InputError, "drop is a relative standard deviation"),
        ({"lengt": 1.0}, UnknownNameError, "'lengt'"),
    ],
)
def test_bad_options_are_refused(options, error, message) -> None:
    with pytest.raises(error, match=message):
        fit(ARM, Samples(T, Q, Q, Q, Q), **options)


def test_a_robot_that_does_not_move_tells_nothing() -> None:
    still = np.zeros_like(Q)
    with pytest.raises(InputError, match="does not move"):
        fit(ARM, Samples(T, Q, still, still, still), ["friction"])


def test_what_is_no_measurement_is_refused() -> None:
    for wrong in ([], [1.0], "measured.csv", None):
        with pytest.raises(InputError, match="the measurements are"):
            fit(ARM, wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a row for each of the 200 times"):
        Samples(T, Q[:-1], Q, Q, Q)
    with pytest.raises(InputError, match="as many columns"):
        Samples(T, Q, Q[:, :1], Q, Q)
    with pytest.raises(InputError, match="not a number in row 17"):
        Samples(T, nan_at(17, 1), Q, Q, Q)


def test_what_is_prepared_are_measurements() -> None:
    with pytest.raises(InputError, match=r"kinetree\.identify\.Data, got 'measured\.csv'"):
        prepare(ARM, "measured.csv")  # type: ignore[arg-type]


def test_values_of_open_parameters_are_numbers() -> None:
    robot = kt.Robot.from_dh([kt.DH(mass=1.0), kt.DH(a=kt.parameter("reach"), mass=1.0)], "modified")
    for wrong in ("long", np.nan):
        with pytest.raises(InputError, match="the value of the parameter 'reach' must be a finite number"):
            kt.identify.base_parameters(robot, method="rank", reach=wrong)  # type: ignore[arg-type]


def test_configurations_of_closed_chains_are_closed() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    for wrong, message in (
        ([0.3] * 4, r"open at this configuration: the next closed one is 0\.\d+ rad or m away"),
        ([0.0] * 3, r"all 4 coordinates, finite; got shape \(3,\)"),
        ([np.nan] * 4, "all 4 coordinates, finite"),
        ("folded", "configuration is an array of numbers"),
    ):
        with pytest.raises(InputError, match=message):
            kt.identify.base_parameters(chain, configuration=wrong)


def test_too_few_samples_for_the_parameters() -> None:
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 3, 2))
    with pytest.raises(InputError, match="too few for"):
        fit(ARM, Samples(np.arange(3.0), q, qd, qdd, q), drop=None)


def test_a_load_that_no_force_depends_on_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'gripper'"):
        payload(ARM, Samples(T, Q, Q, Q, Q), body="gripper")
    still = np.zeros_like(Q)
    with pytest.raises(InputError, match=r"mass of a load on .link2. is not identifiable"):  # gravity is along its axes
        payload(ARM, Samples(T, Q, still, still, still))
    with pytest.raises(InputError, match="known is a fit of the same robot"):
        payload(ARM, Samples(T, Q, Q, Q, Q), known=1.0)  # type: ignore[arg-type]
    loaded = ARM.attach(kt.Inertia(1.0), "dh2")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    with pytest.raises(InputError, match=r"comes out as -0\.99|comes out as -1"):
        payload(loaded, Samples(np.arange(50.0), q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd)))


# -- data that does not identify everything ----------------------------------------------------------------------------

HANGING = ARM.with_gravity((0.0, -9.81, 0.0))


def first_joint_still() -> Data:
    """Gravity alone, without noise: the second joint's forces are met exactly, the first one's not at all."""
    t = np.arange(600) / 200.0
    q = np.stack([0.3 + 0.0 * t, np.sin(2 * t) + 0.5 * np.sin(5 * t)], axis=1)
    return Data(t, q, HANGING.gravity_forces(q))


@pytest.mark.parametrize(
    "options", [{}, {"method": "ls"}, {"method": "wls"}, {"drop": None}, {"physical": True}, {"include": "all"}]
)
def test_joints_of_very_different_noise_leave_numbers_and_names_of_what_is_not_identifiable(options) -> None:
    found = fit(HANGING, first_joint_still(), **options)
    assert {"link1.ZZR", "joint1.FV"} <= {*found.unidentifiable}
    assert np.isfinite(found.values).all()
    assert np.isfinite(found.covariance).all()
    assert (found.parameters.std >= 0.0).all()
    assert found.parameters["link2.MX"].value == pytest.approx(0.1, rel=0.1)
    if "physical" in options:  # though no body has such forces
        assert isinstance(found.robot, kt.Robot)
        assert not found.robot.check()


@pytest.mark.parametrize("robot", [ARM, HANGING, kt.robots.stanford()], ids=["level", "hanging", "stanford"])
@pytest.mark.parametrize("moving", ["nothing", "the last", "all alike", "hardly"])
@pytest.mark.parametrize("physical", [False, True])
def test_poor_motions_give_numbers_or_a_message(robot: kt.Robot, moving: str, physical: bool) -> None:
    """Whatever the forces are: no bare error of the linear algebra, no warning of NumPy, nothing that is no number."""
    t, n = np.arange(300) / 100.0, robot.nv
    one = np.sin(2 * t) + 0.5 * np.sin(5 * t)
    part = {"nothing": np.zeros(n), "the last": np.eye(n)[-1], "all alike": np.ones(n), "hardly": np.full(n, 1e-9)}
    q = 0.3 + np.outer(one, part[moving])
    qd, qdd = np.outer(np.gradient(one, t), part[moving]), np.outer(np.gradient(np.gradient(one, t), t), part[moving])
    tau, noise = robot.inverse_dynamics(q, qd, qdd), np.random.default_rng(0).normal(size=q.shape)
    messages: list[str] = []
    for forces in (tau, robot.gravity_forces(q), 1e-12 * tau, tau + 0.01 * noise, tau + np.eye(n)[0] * noise, 0 * tau):
        for work in (lambda x: fit(robot, x, physical=physical).covariance, lambda x: payload(robot, x).com):
            try:
                with np.errstate(all="raise", under="ignore"):
                    assert np.isfinite(work(Data(t, q, forces))).all()
            except InputError as error:
                messages.append(str(error))
    assert all(len(text.split()) > SENTENCE for text in messages)


def test_forces_that_are_all_zero_are_doubted() -> None:
    with pytest.raises(InputError, match="all forces are 0"):
        fit(ARM, Samples(T, Q, Q, Q, 0 * Q))


def test_forces_that_no_load_explains_are_refused() -> None:
    with pytest.raises(InputError, match="no load explains these forces"):
        payload(HANGING, first_joint_still())


def test_columns_that_hardly_differ_are_independent_and_equal_ones_are_not() -> None:
    """By their squares, which lose twice as many digits, the first two would be one and the same."""
    rows = np.linalg.qr(np.random.default_rng(0).normal(size=(50, 3)))[0]
    rows[:, 1] = rows[:, 0] + 1e-9 * rows[:, 1]
    assert abs(triangle(rows)[1, 1]) == pytest.approx(1e-9, rel=1e-3)
    rows[:, 1] = rows[:, 0]
    with pytest.raises(InputError, match="some parameters are not identifiable"):
        triangle(rows)
