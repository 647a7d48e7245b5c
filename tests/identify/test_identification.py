"""Identification: exact data gives exact parameters, noisy data parameters within the intervals that are stated."""

from __future__ import annotations

import dataclasses
from math import pi
from typing import Any

import measured_arms
import numpy as np
import pytest
from measured_arms import (
    ARM,
    COUNTS,
    EMPTY,
    LINK,
    NOISE,
    RATE,
    TWO_PERCENT,
    error_on_fresh_motions,
    exact,
    measured,
    swing,
)

import kinetree as kt
from kinetree.errors import InputError
from kinetree.identify import Data, Samples, fit, payload
from kinetree.identify.quantiles import fisher, student

EXACT = 1e-8  # relative: the condition of the observation matrix times rounding is far below
WELL = 0.1  # relative standard deviation of a parameter that counts as well excited
INCLUDED = ("damping", "coulomb", "rotor_inertia")

BASE = kt.identify.base_parameters(ARM, INCLUDED)
TRUE = dict(zip(BASE.names, BASE.values()))


# -- exact data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["ls", "wls", "irls"])
@pytest.mark.parametrize("physical", [False, True])
def test_exact_data_gives_exact_parameters(method: str, physical: bool) -> None:
    """Without a word on masses and friction; a physical fit is held a little at its guess."""
    found = fit(EMPTY, exact(ARM), method=method, drop=None, physical=physical)
    wrong = max(abs(p.value - TRUE[p.name]) for p in found.parameters)
    assert wrong < EXACT * (10 if physical else 1) * max(TRUE.values())
    assert not found.unidentifiable


def test_friction_and_rotor_inertia_are_recovered() -> None:
    found = fit(EMPTY, exact(ARM), drop=None).parameters
    joints = [body.joint for body in ARM.bodies]
    for joint in joints:
        assert found[f"{joint.name}.FV"].value == pytest.approx(joint.damping[0], rel=EXACT)
        assert found[f"{joint.name}.FS"].value == pytest.approx(joint.coulomb[0], rel=EXACT)
    for joint in joints[2:]:  # those of the first two act together with inertias
        assert found[f"{joint.name}.IA"].value == pytest.approx(joint.rotor_inertia[0], rel=EXACT)


def test_what_is_not_included_is_taken_from_the_model() -> None:
    other = dataclasses.replace(
        ARM, bodies=tuple(dataclasses.replace(b, joint=dataclasses.replace(b.joint, damping=1.0)) for b in ARM.bodies)
    )
    found = fit(other, exact(ARM), include=["friction"], drop=None)
    assert len(found.parameters) == 12
    assert all(p.value == pytest.approx(TRUE[p.name], rel=EXACT) for p in found.parameters)
    assert np.abs(found.residuals).max() < EXACT


def test_several_motions_count_together() -> None:
    found = fit(EMPTY, [exact(ARM, 1, 60), exact(ARM, 2, 60)], drop=None)
    assert len(found.residuals) == 120
    assert all(p.value == pytest.approx(TRUE[p.name], abs=EXACT) for p in found.parameters)


def test_a_closed_chain_is_fitted_through_its_base_parameters() -> None:
    """From the positions of its actuated joints alone."""
    chain = kt.ClosedChain(kt.robots.five_bar(), actuated=["left_shoulder", "right_shoulder"])
    t = np.arange(4000) / 400.0
    q, qd, qdd = swing(3, t, 2, fastest=0.6)
    independent = [0, 2]
    q = 0.4 * (q - q.mean(axis=0)) + chain.neutral[independent]
    qd, qdd = 0.4 * qd, 0.4 * qdd
    closed = chain.close(q).check()
    tau = chain.inverse_dynamics(closed, qd, qdd)
    found = fit(chain, Samples(t[::40], closed[::40], qd[::40], qdd[::40], tau[::40]), ["inertia"], drop=None)
    assert np.abs(found.values - found.linear.nominal).max() < EXACT
    noisy = tau + NOISE * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    found = fit(chain, Data(t, q, noisy), ["inertia"], physical=True)
    again = found.robot.inverse_dynamics(closed[::40], qd[::40], qdd[::40])
    assert isinstance(found.robot, kt.ClosedChain)
    assert np.abs(again - tau[::40]).max() < TWO_PERCENT * np.abs(tau).max()


def test_a_closed_chain_is_fitted_in_the_assembly_that_was_measured() -> None:
    """Elbows the other way: given by all positions, or by a configuration besides those of the actuated joints."""
    chain = kt.ClosedChain(kt.robots.five_bar(), actuated=["left_shoulder", "right_shoulder"])
    independent = [0, 2]
    folded = chain.close([0.0, 0.0], [0.0, -1.8, 0.0, 1.8]).check()
    assert np.abs(folded - chain.neutral).max() > 1.0
    t = np.arange(2000) / 200.0
    q, qd, qdd = (0.2 * x for x in swing(3, t, 2, fastest=0.6))
    q = q - q.mean(axis=0) + folded[independent]
    closed = chain.close(q, folded).check()
    tau = chain.inverse_dynamics(closed, qd, qdd)
    for data, options in ((Data(t, closed, tau), {}), (Data(t, q, tau), {"configuration": folded})):
        found = fit(chain, data, ["inertia"], drop=None, **options)
        assert found.validation.total < TWO_PERCENT
        assert found.validate(Data(t, q, tau)).total < TWO_PERCENT
        assert found.configuration is not None
        assert np.abs(found.configuration - folded).max() < 1.0


def test_the_stiffness_of_elastic_joints_is_found_from_both_of_their_sides() -> None:
    """The motor's and the link's position are measured, and the force of the motor alone."""
    stiff = (300.0, 200.0)
    motors = [kt.Motor(f"joint{k + 1}", gear_ratio=100, spin_inertia=2e-5, stiffness=x) for k, x in enumerate(stiff)]
    robot = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0)).with_motors(motors)
    t = np.arange(int(10 * RATE)) / RATE
    link = swing(5, t, 2)
    stretch = np.zeros((3, len(t), 2))
    for _ in range(8):  # the spring carries the link, and the rotors on it
        full = [np.concatenate([x, x + s], axis=1) for x, s in zip(link, stretch)]
        stretch[0] += robot.inverse_dynamics(*full)[:, :2] / stiff
        stretch[1:] = np.gradient(stretch[0], t, axis=0), np.gradient(np.gradient(stretch[0], t, axis=0), t, axis=0)
    tau = robot.inverse_dynamics(*full)
    tau[:, :2] = 0.0
    noisy = tau + NOISE * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    step = 2 * pi / 2**17
    found = fit(robot, Data(t, step * np.round(full[0] / step), noisy), ("inertia", "friction", "stiffness"))
    for joint, x in zip(("joint1_motor", "joint2_motor"), stiff):
        assert found.parameters[f"{joint}.KT"].value == pytest.approx(x, rel=TWO_PERCENT)


# -- noisy data: the figures of the reach ------------------------------------------------------------------------------


def coverage(motion: int, trials: range, counts: int = COUNTS) -> tuple[dict[str, list[bool]], float]:
    """Whether each well-excited parameter lay in its interval, trial by trial; and the worst error on fresh motions."""
    inside: dict[str, list[bool]] = {}
    worst = 0.0
    for trial in trials:
        found = fit(EMPTY, measured(ARM, motion, trial, counts))
        for p in found.parameters:
            if p.relative_std < WELL:
                inside.setdefault(p.name, []).append(p.lower <= TRUE[p.name] <= p.upper)
        worst = max(worst, float(error_on_fresh_motions(found).max()))
    return {name: x for name, x in inside.items() if len(x) >= 0.8 * len(trials)}, worst


def test_noisy_data_gives_parameters_within_their_intervals_and_forces_within_two_percent() -> None:
    """A part of the long test below: single parameters say little in three trials, all of them together enough."""
    inside, worst = coverage(6, range(3))
    assert len(inside) >= 30
    assert np.mean([ok for x in inside.values() for ok in x]) >= 0.9
    assert worst < TWO_PERCENT


@pytest.mark.slow
@pytest.mark.parametrize(("motion", "counts"), [(6, 2**17), (6, 2**15), (2, 2**15), (7, 2**13)])
def test_every_well_excited_parameter_is_in_its_interval_in_nine_of_ten_trials(motion: int, counts: int) -> None:
    inside, worst = coverage(motion, range(50), counts)
    assert len(inside) >= 30
    assert {name: np.mean(x) for name, x in inside.items() if np.mean(x) < 0.9} == {}
    assert worst < TWO_PERCENT


@pytest.mark.slow
def test_an_optimised_motion_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 37 parameters that lie inside in 95 of 100 trials, one or the other does so in 44 of 50 by chance."""
    best = kt.identify.excite(ARM, 10.0, velocity_limits=2.5, acceleration_limits=10.0, starts=1, progress=False)
    random = swing
    monkeypatch.setattr(measured_arms, "swing", lambda k, t, n=6: best.motion(t)[:3] if k < 0 else random(k, t, n))
    inside, worst = coverage(-1, range(50))
    shares = [np.mean(x) for x in inside.values()]
    assert len(shares) >= 30
    assert min(shares) >= 0.86
    assert np.mean(shares) >= 0.95
    assert worst < 0.1 * TWO_PERCENT


def test_a_load_is_weighed_to_two_percent() -> None:
    load = kt.Inertia(2.0, (0.02, -0.03, 0.06), (0.004, 0.005, 0.003))
    known = fit(EMPTY, measured(ARM, 6, 0))
    found = payload(EMPTY, measured(ARM.attach(load, "link6"), 7, 1), known=known)
    assert found.mass == pytest.approx(2.0, rel=TWO_PERCENT)
    assert abs(found.mass - 2.0) < 4 * found.mass_std
    assert (np.abs(found.com - [0.02, -0.03, 0.06]) < 4 * found.com_std).all()
    assert found.about_com is not None
    assert found.about_com_std is not None
    assert (np.abs(found.about_com - [0.004, 0.005, 0.003, 0, 0, 0]) < 4 * found.about_com_std).all()
    loaded = ARM.attach(found.inertia, found.body)
    q, qd, qdd = swing(9, np.linspace(0, 10, 50))
    true = ARM.attach(load, "link6").inverse_dynamics(q, qd, qdd)
    assert np.abs(loaded.inverse_dynamics(q, qd, qdd) - true).max() < 1e-2 * np.abs(true).max()


def test_a_load_without_inertia_counts_as_a_point() -> None:
    found = payload(ARM, measured(ARM.attach(kt.Inertia(0.5, (0.0, 0.0, 0.03)), "link6"), 7, 1))
    assert found.about_com is None
    assert found.mass == pytest.approx(0.5, rel=TWO_PERCENT)


def test_validation_tells_a_good_fit_from_a_bad_one() -> None:
    good = fit(EMPTY, measured(ARM, 6, 0))
    other = measured(ARM, 8, 1)
    validation = good.validate(other)
    assert validation.rms.max() < 0.005  # of 1 percent the averaging leaves a tenth
    assert good.rms.max() < 0.005
    bad = dataclasses.replace(good, values=good.values * np.where(np.arange(len(good.values)) == 1, 1.2, 1.0))
    assert bad.validate(other).worst == "joint2"
    assert bad.validate(other).total > 5 * validation.total


# -- what makes intervals honest ---------------------------------------------------------------------------------------


def two_link_samples(seed: int, noise: np.ndarray) -> Samples:
    t = np.linspace(0.0, 10.0, len(noise), endpoint=False)
    q, qd, qdd = swing(seed, t, 2)
    return Samples(t, q, qd, qdd, LINK.inverse_dynamics(q, qd, qdd) + noise)


def related(rng: np.random.Generator, count: int, memory: float) -> np.ndarray:
    """Noise of unit variance, each value with some of the one before."""
    x = rng.normal(size=(count, 2))
    for k in range(1, count):
        x[k] = memory * x[k - 1] + np.sqrt(1 - memory**2) * x[k]
    return x


def test_related_residuals_make_intervals_wider() -> None:
    """With a memory of 0.7 the white formula is 2.4 times too narrow at low frequencies."""
    inside: list[bool] = []
    for trial in range(40):
        noise = 0.1 * related(np.random.default_rng(trial), 400, 0.7)
        found = fit(LINK, two_link_samples(1, noise), ["inertia"], drop=None)
        inside += [p.lower <= p.model <= p.upper for p in found.parameters]
    assert np.mean(inside) >= 0.88


def test_rows_that_are_far_off_count_less() -> None:
    rng = np.random.default_rng(0)
    noise = 0.01 * rng.normal(size=(400, 2))
    noise[rng.choice(400, 12, replace=False), 0] += 20.0
    samples = two_link_samples(1, noise)
    far = {
        m: np.abs(f.values - f.linear.nominal).max()
        for m in ("ls", "irls")
        if (f := fit(LINK, samples, ["inertia"], m))
    }
    assert far["irls"] < 0.05 * far["ls"]


def test_noise_of_each_joint_weighs_its_rows() -> None:
    """One joint with a hundred times the noise of the other: weighted least squares looks at the other."""
    noise = np.random.default_rng(1).normal(size=(400, 2)) * [1.0, 0.01]
    samples = two_link_samples(1, noise)
    wrong = {
        m: abs(fit(LINK, samples, ["inertia"], m, drop=None).parameters["link2.ZZ"].value - 0.12) for m in ("ls", "wls")
    }
    assert wrong["wls"] < 0.2 * wrong["ls"]


def test_parameters_that_do_not_differ_from_zero_are_dropped() -> None:
    noise = 0.02 * np.random.default_rng(0).normal(size=(400, 2))
    samples = two_link_samples(1, noise)
    found = fit(LINK, samples)
    full = fit(LINK, samples, drop=None)
    assert set(found.dropped) <= {
        "link1.MY",
        "link2.MY",
        *(n for n in full.parameters.names if n[-2:] in ("FV", "FS", "IA")),
    }
    assert len(found.dropped) >= 4
    assert {*found.parameters.names, *found.dropped} == {*full.parameters.names}
    assert all("taken as 0" in text for text in found.dropped.values())
    kept = [full.parameters[name] for name in found.parameters.names]
    assert all(a.std >= b.std * (1 - EXACT) for a, b in zip(found.parameters, kept))
    # a test does not notice: residuals hardly grow
    assert (found.residuals**2).sum() < 1.05 * (full.residuals**2).sum()


def test_a_parameter_that_matters_is_not_left_out_however_little_drop_asks_for() -> None:
    samples = two_link_samples(1, 0.02 * np.random.default_rng(0).normal(size=(400, 2)))
    assert {"link1.MXR", "link1.ZZR", "link2.MX", "link2.ZZ"} <= {*fit(LINK, samples, drop=1e-9).parameters.names}


def test_parameters_that_are_not_identifiable_are_named_and_keep_their_values() -> None:
    """Only the second joint moves: the friction of others is not identifiable, and the model's values stay."""
    t = np.arange(int(10 * RATE)) / RATE
    q, qd, qdd = (x * [0, 1, 0, 0, 0, 0] for x in swing(6, t))
    tau = ARM.inverse_dynamics(q, qd, qdd)
    found = fit(ARM, Data(t, q, tau))
    assert {f"joint{k}.FV" for k in (1, 3, 4, 5, 6)} <= {*found.unidentifiable}
    assert {"joint2.FV", "joint2.FS"} <= {*found.parameters.names}
    assert all(found.values[BASE.names.index(name)] == pytest.approx(TRUE[name]) for name in found.unidentifiable)
    assert any("not identifiable" in text for text in found.warnings)
    assert "not identifiable" in str(found)


def test_quantiles_are_those_of_the_tables() -> None:
    assert student(0.975, 10) == pytest.approx(2.2281, abs=1e-3)
    assert student(0.975, 1000) == pytest.approx(1.9623, abs=1e-4)
    assert fisher(0.95, 1, 10) == pytest.approx(4.9646, rel=1e-3)
    assert fisher(0.95, 3, 30) == pytest.approx(2.9223, rel=1e-2)
    assert fisher(0.99, 10, 100) == pytest.approx(2.5033, rel=1e-2)


# -- what looks wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "hint"), [(1000.0, "N mm"), (1e-3, "kN m"), (-1.0, "opposite sign")])
def test_wrong_units_of_forces_are_suspected(factor: float, hint: str) -> None:
    data = exact(ARM)
    messages = fit(ARM, dataclasses.replace(data, forces=factor * data.forces)).warnings
    assert len(messages) == 1
    assert hint in messages[0]
    assert fit(ARM, data).warnings == ()


@pytest.mark.parametrize(("factor", "hint"), [(1000.0, "N mm"), (1 / 9.81, "kgf m"), (5.0, "5 times")])
def test_wrong_units_are_suspected_with_a_model_that_knows_no_friction(factor: float, hint: str) -> None:
    """Of these torques friction is the larger part, and noise is on them."""
    drives = {"damping": 0.0, "coulomb": 0.0, "rotor_inertia": 0.0}
    bare = tuple(dataclasses.replace(b, joint=dataclasses.replace(b.joint, **drives)) for b in ARM.bodies)
    model, data = dataclasses.replace(ARM, bodies=bare), measured(ARM, 6, 0)
    messages = fit(model, Data(data.t, data.q, factor * data.forces)).warnings
    assert len(messages) == 1
    assert hint in messages[0]
    assert fit(model, data).warnings == ()


def test_wrong_units_of_some_joints_are_suspected_there() -> None:
    data = exact(ARM)
    for factors, message in (
        ([1, 1, 1, 1, 1000, 1], "1e+03 times those that the model predicts, at joint5: are they in N mm?"),
        ([1, 0.001, 1, 0.001, 1, 1], "0.001 times those that the model predicts, at joint2, joint4: are they in kN m?"),
    ):
        assert message in " ".join(fit(ARM, dataclasses.replace(data, forces=data.forces * factors)).warnings)


def test_forces_at_the_motors_are_suspected() -> None:
    ratios = np.array([100.0, 100.0, 80.0, 50.0, 50.0, 50.0])
    geared = dataclasses.replace(
        ARM,
        bodies=tuple(
            dataclasses.replace(b, joint=dataclasses.replace(b.joint, gear_ratio=float(r)))
            for b, r in zip(ARM.bodies, ratios)
        ),
    )
    data = exact(ARM)
    assert "gear ratio" in fit(geared, dataclasses.replace(data, forces=data.forces / ratios)).warnings[0]


def test_degrees_and_milliseconds_are_suspected() -> None:
    data = measured(LINK, 1, 0)
    messages = fit(LINK, Data(data.t, np.degrees(data.q), data.forces)).warnings
    assert any("degrees" in text for text in messages)
    messages = fit(LINK, Data(1000.0 * data.t, data.q, data.forces)).warnings
    assert any("milliseconds" in text for text in messages)


def test_a_model_without_inertias_is_not_compared_with() -> None:
    data = exact(ARM)
    assert fit(EMPTY, dataclasses.replace(data, forces=1000.0 * data.forces)).warnings == ()


# -- open parameters ---------------------------------------------------------------------------------------------------


def test_open_parameters_of_the_geometry_need_numbers_and_those_of_inertias_don_t() -> None:
    length, mass, reach = map(kt.parameter, ("length", "mass", "reach"))
    rows = [
        kt.DH(a=length, mass=mass, com=(-0.1, 0, 0)),
        kt.DH(a=reach, mass=1.0, com=(-0.1, 0, 0), inertia=(0.02, 0.02, 0.02)),
    ]
    robot = kt.Robot.from_dh(rows, gravity=(0.0, -9.81, 0.0))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 60, 2))
    samples = Samples(np.arange(60.0), q, qd, qdd, robot.inverse_dynamics(q, qd, qdd, length=0.5, mass=2.0, reach=0.4))
    for work in (fit, payload):
        with pytest.raises(InputError, match=r"length=.*, reach="):
            work(robot, samples)
        with pytest.raises(InputError, match=r"give reach=\.\.\.$"):
            work(robot, samples, length=0.5)
        for wrong in ("long", np.nan):
            with pytest.raises(InputError, match="parameter 'reach' must be a finite number"):
                work(robot, samples, length=0.5, reach=wrong)
    found = fit(robot, samples, ["inertia"], length=0.5, reach=0.4, drop=None)
    assert np.abs(found.residuals).max() < EXACT


def test_the_table_reads_well() -> None:
    text = str(fit(EMPTY, measured(ARM, 6, 0)))
    assert all(part in text for part in ("link2.ZZR", "condition number", "dropped: ", "joint6 0."))
    table: Any = fit(LINK, exact(LINK)).parameters
    assert [p.name for p in table] == [*table.names]
    assert table["link1.ZZR"].relation.startswith("link1.ZZ + ")
