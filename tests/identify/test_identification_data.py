"""Measured series: filtered without delay, differentiated, averaged alike on both sides, kept in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from measured_arms import ARM, LINK, swing

import kinetree as kt
from kinetree.errors import InputError
from kinetree.identify import Data, Samples, fit, prepare
from kinetree.identify.filtering import best_cutoff, smooth
from kinetree.identify.series import FourierMotion

RATE = 500.0
T = np.arange(5000) / RATE
ROUNDING = 1e-9


def waves(f: float) -> np.ndarray:
    return np.sin(2 * np.pi * f * T)[:, None]


# -- filters -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("over", "gain"), [(0.1, 1.0), (0.5, 1 / (1 + 0.5**8)), (1.0, 0.5), (2.0, 1 / (1 + 2.0**8))])
def test_a_wave_is_damped_as_by_a_butterworth_filter_both_ways_and_not_delayed(over: float, gain: float) -> None:
    cutoff, f = 10.0, over * 10.0
    kept = smooth(waves(f), RATE, cutoff, 0)[0][1000:-1000, 0]
    t = T[1000:-1000]
    in_phase, across = (2 * np.mean(kept * g(2 * np.pi * f * t)) for g in (np.sin, np.cos))
    assert in_phase == pytest.approx(gain, abs=1e-4)  # what is left of the ends
    assert across == pytest.approx(0.0, abs=1e-4)


def test_derivatives_are_those_of_the_motion_right_up_to_the_ends() -> None:
    """Of 0.5 Hz behind a cutoff of 4 Hz, a twentieth of the largest acceleration at the very end."""
    q, qd, qdd = swing(3, T, 2)
    _, first, second = smooth(q, RATE, 4.0, 2)
    inner = slice(int(1.5 / 4.0 * RATE), -int(1.5 / 4.0 * RATE))
    assert np.abs(first - qd)[inner].max() < 1e-4 * np.abs(qd).max()
    assert np.abs(second - qdd)[inner].max() < 1e-4 * np.abs(qdd).max()
    assert np.abs(second - qdd).max() < 0.05 * np.abs(qdd).max()


def test_a_cubic_passes_unchanged() -> None:
    q = (0.3 - T + 0.2 * T**2 - 0.01 * T**3)[:, None]
    rates = [q[:, 0], -1 + 0.4 * T - 0.03 * T**2, 0.4 - 0.06 * T]
    for kept, true in zip(smooth(q, RATE, 5.0, 2), rates):
        assert np.abs(kept[:, 0] - true).max() < 1e-7  # curvatures from a tenth of a second of samples


def test_noise_above_the_cutoff_goes() -> None:
    noise = np.random.default_rng(0).normal(size=(5000, 1))
    left = smooth(noise, RATE, 5.0, 0)[0][250:-250].std()
    assert left == pytest.approx(np.sqrt(5.0 / 250.0), rel=0.3)


def worst_of(q: np.ndarray, true: np.ndarray, cutoff: float) -> float:
    """The root mean square error of accelerations behind a cutoff, without the ends."""
    inner = slice(750, -750)
    return float(np.sqrt(((smooth(q, RATE, cutoff, 2)[2] - true)[inner] ** 2).mean()))


def corners() -> tuple[np.ndarray, np.ndarray]:
    """Parabolas one after the other: an acceleration that jumps each second, as Coulomb friction makes it do."""
    within, sign = T % 1.0, np.where(np.floor(T) % 2 == 0, 1.0, -1.0)
    return (4 * sign * within * (within - 1))[:, None], (8 * sign)[:, None]


@pytest.mark.parametrize("counts", [2**12, 2**16, 2**20])
@pytest.mark.parametrize("f", [0.5, 3.0, 12.0, None])
def test_accelerations_behind_the_best_cutoff_are_nearly_as_good_as_behind_any(f: float | None, counts: int) -> None:
    """The error is known for each cutoff here; the rule sees the measured positions alone."""
    q, true = corners() if f is None else (waves(f), -((2 * np.pi * f) ** 2) * waves(f))
    step = 2 * np.pi / counts
    measured = step * np.round(q / step)
    smallest = min(worst_of(measured, true, c) for c in np.geomspace(2.0, 200.0, 30))
    assert worst_of(measured, true, best_cutoff(measured, RATE)) < 1.6 * smallest


@pytest.mark.parametrize("steps", [1.0, 2.0])
def test_the_steps_of_a_held_joint_s_encoder_do_not_raise_the_cutoff(steps: float) -> None:
    """It trembles by a step or two beside one that swings: harmonics that rise above any noise, and are no motion."""
    step = 2 * np.pi / 2**13
    swings = step * np.round(waves(0.5) / step)
    trembles = step * np.round(steps * waves(3.0))
    assert best_cutoff(trembles, RATE) > 10 * best_cutoff(swings, RATE)
    assert best_cutoff(np.hstack([swings, trembles]), RATE) == best_cutoff(swings, RATE)


def test_what_does_not_move_gets_the_lowest_cutoff() -> None:
    still = np.full((5000, 2), 0.3)
    assert best_cutoff(still, RATE) == pytest.approx(1.0)  # ten periods in ten seconds
    assert best_cutoff(still + 1e-6 * np.random.default_rng(0).normal(size=still.shape), RATE) == pytest.approx(1.0)
    assert best_cutoff(still[:12], RATE) == pytest.approx(0.4 * RATE)


def test_behind_a_controller_the_default_cutoff_leaves_hardly_more_than_the_best() -> None:
    """The controller knows nothing of the Coulomb friction: accelerations jump, and the spectrum has no clear end.

    With the coarse encoders, 40 Hz would leave four times as much.
    """
    model = replace(ARM, bodies=tuple(replace(b, joint=replace(b.joint, coulomb=0.0)) for b in ARM.bodies))
    a, b = 0.3 * np.random.default_rng(6).normal(size=(2, 5, 6))
    reference = FourierMotion((0.0,) * 6, tuple(map(tuple, a.tolist())), tuple(map(tuple, b.tolist())), 10.0)
    control = kt.control.ComputedTorque(reference, kp=400.0, kd=40.0, model=model)
    run = kt.simulate(ARM, reference.at(0.0).q, np.zeros(6), 10.0, control, dt=1e-3)
    tau = run.tau + 0.01 * np.sqrt((run.tau**2).mean(axis=0)) * np.random.default_rng(4).normal(size=run.tau.shape)
    for counts in (2**13, 2**17):
        step = 2 * np.pi / counts
        data = Data(run.t, step * np.round(run.q / step), tau)
        left = {c: fit(model, prepare(model, data, c)).validation.total for c in (None, 5.0, 10.0, 20.0, 40.0)}
        assert left[None] < 1.3 * min(left.values())


# -- samples -----------------------------------------------------------------------------------------------------------


def test_forces_and_predictions_are_averaged_alike() -> None:
    """However coarse the blocks are, the true model explains exact forces, Coulomb friction included."""
    t = np.arange(10000) / 1000.0
    q, qd, qdd = swing(3, t, 2)
    data = Data(t, q, np.sign(qd) + q, qd=qd, qdd=qdd)
    samples = prepare(LINK, data, cutoff=np.inf, decimate=250)
    assert len(samples) == 40
    assert samples.rate == pytest.approx(4.0)
    assert np.abs(samples.evaluate(lambda q, qd, qdd: np.sign(qd) + q) - samples.forces).max() < ROUNDING
    assert np.abs(np.sign(samples.qd) + samples.q - samples.forces).max() > 0.1


def test_exact_rates_are_left_as_they_are_without_a_cutoff() -> None:
    q, qd, qdd = swing(3, T, 2)
    samples = prepare(LINK, Data(T, q, q, qd=qd, qdd=qdd), cutoff=np.inf)
    assert np.array_equal([samples.qd, samples.qdd], [qd, qdd])


def test_ends_are_cut_off_and_blocks_are_six_in_a_period() -> None:
    q = swing(3, T, 2)[0]
    samples = prepare(LINK, Data(T, q, q), cutoff=5.0)
    assert samples.rate == pytest.approx(500 / 16)
    assert samples.t[0] == pytest.approx(0.3, abs=0.02)
    assert samples.t[-1] == pytest.approx(9.7, abs=0.05)


def test_uneven_times_are_made_even() -> None:
    rng = np.random.default_rng(0)
    t = T + rng.uniform(-0.2, 0.2, len(T)) / RATE
    q = swing(3, t, 2)[0]
    even = prepare(LINK, Data(t, q, q), cutoff=4.0)
    true = swing(3, even.t, 2)
    assert np.abs(even.qd - true[1]).max() < 1e-2  # jitter of a fifth of a step is noise


def test_measured_velocities_are_used() -> None:
    q, qd, _ = swing(3, T, 2)
    samples = prepare(LINK, Data(T, 0 * q, q, qd=qd), cutoff=5.0, decimate=1)
    true = swing(3, samples.t, 2)
    assert np.abs(samples.qd - true[1]).max() < 1e-3
    assert np.abs(samples.qdd - true[2]).max() < 1e-2


# -- data and files ----------------------------------------------------------------------------------------------------


def test_columns_are_put_into_the_robot_s_order() -> None:
    q = swing(3, T, 2)[0]
    straight = prepare(LINK, Data(T, q, 2 * q, joints=("joint1", "joint2")), cutoff=5.0)
    crossed = prepare(LINK, Data(T, q[:, ::-1], 2 * q[:, ::-1], joints=("joint2", "joint1")), cutoff=5.0)
    assert np.abs(straight.q - crossed.q).max() < ROUNDING
    assert np.abs(straight.forces - crossed.forces).max() < ROUNDING


@pytest.mark.parametrize("named", [True, False])
def test_files_keep_every_digit(tmp_path: Path, named: bool) -> None:
    q, qd, qdd = swing(3, T[:50], 2)
    data = Data(T[:50], q, qdd, qd=qd, joints=("joint1", "joint2") if named else None)
    again = Data.from_csv(data.to_csv(tmp_path / "a.csv"), LINK)
    assert np.array_equal(again.t, data.t)
    assert np.array_equal([again.q, again.qd, again.forces], [q, qd, qdd])
    assert again.qdd is None
    assert again.joints == ("joint1", "joint2")


def test_files_of_simulations_are_read(tmp_path: Path) -> None:
    motion = kt.simulate(LINK, [0.0, 0.5], [1.0, 0.0], 1.0, dt=0.01, record=("q", "qd", "tau"))
    data = Data.from_csv(motion.to_csv(tmp_path / "motion.csv"), LINK)
    assert np.array_equal([data.q, data.qd, data.forces], [motion.q, motion.qd, motion.tau])


def test_forces_of_joints_without_drives_may_be_left_out(tmp_path: Path) -> None:
    robot = LINK.with_motors([kt.Motor("joint1", gear_ratio=100, spin_inertia=2e-5, stiffness=300.0)])
    header = "t,q_joint1,q_joint2,q_joint1_motor,tau_joint2,tau_joint1_motor"
    (tmp_path / "a.csv").write_text("\n".join([header, *(f"{k},1,2,3,4,5" for k in range(20))]))
    data = Data.from_csv(tmp_path / "a.csv", robot)
    assert data.forces[0].tolist() == [0.0, 4.0, 5.0]
    free = LINK.with_base("floating", kt.Inertia(1.0, about_com=(1, 1, 1)))
    names = [f"q{k}" for k in range(1, 10)] + [f"qd{k}" for k in range(1, 9)]
    header = ",".join(["t", *names, "tau_joint1", "tau_joint2"])
    (tmp_path / "b.csv").write_text("\n".join([header, *(",".join(map(str, [k, *range(19)])) for k in range(20))]))
    assert Data.from_csv(tmp_path / "b.csv", free).forces[0].tolist() == [0.0] * 6 + [17.0, 18.0]


def test_gaps_are_filled_on_request() -> None:
    q = swing(3, T, 2)[0]
    lost = np.delete(np.arange(len(T)), slice(100, 120))
    torn = q[lost].copy()
    torn[7, 1] = np.nan
    with pytest.raises(InputError):
        Data(T[lost], torn, q[lost])
    data = Data(T[lost], torn, q[lost], fill=True)
    assert np.allclose(data.t, T)
    assert np.abs(data.q - q).max() < 1e-2  # straight lines over 40 ms


def test_parts_are_data_of_their_own() -> None:
    q = swing(3, T, 2)[0]
    part = Data(T, q, q, qd=q).part(2.0, 4.0)
    assert part.t[[0, -1]].tolist() == [2.0, 4.0]
    assert part.qd is not None
    assert len(part.qd) == len(part) == 1001


def test_samples_may_be_given_directly() -> None:
    q, qd, qdd = swing(3, T[:40], 2)
    samples = Samples(T[:40], q, qd, qdd, q)
    assert (samples.evaluate(lambda q, qd, qdd: q + qdd) == q + qdd).all()
