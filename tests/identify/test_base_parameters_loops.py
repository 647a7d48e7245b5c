"""Base parameters of closed chains, counted twice more without Kinetree: by energies and by rules, in exact fractions.

Energy is linear in the inertial parameters, H = h(q, qd) pi, and a set of parameters acts on no joint force if and only
if its energy is constant [Gautier1990]. So the rank of energy differences at closed states is a lower bound for the
number of base parameters, and every combination whose energy is always the same lowers the upper one. Where both
bounds meet, no doubt is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from exact_loops import (
    SR400,
    TWO_LOOPS,
    ZERO,
    Loops,
    Turn,
    constant_energy,
    cross,
    cut_joints,
    dot,
    frames,
    loop_count,
    observed,
    rank,
)
from par_robots import par_text, physical_numbers

import kinetree as kt

GAP = 1e8  # between the singular values that count and those of rounding, which are 1e-15 of the largest
EXACT = 1e-8  # of parameters near one: rounding times the condition of the observation matrix, some thousand
ENERGIES = 1e-9  # the rank that regroups calls 1e-9 zero

# which loops are crossed, and the number of base parameters
CASES = [
    pytest.param(SR400, (False,), 39, id="SR400"),
    pytest.param(SR400, (True,), 47, id="SR400-crossed"),
    pytest.param(TWO_LOOPS, (False, False), 22, id="TwoLoops"),
    pytest.param(TWO_LOOPS, (True, False), 35, id="TwoLoops-first-crossed"),
    pytest.param(TWO_LOOPS, (False, True), 36, id="TwoLoops-second-crossed"),
    pytest.param(TWO_LOOPS, (True, True), 44, id="TwoLoops-both-crossed"),
]


@pytest.mark.parametrize(("robot", "crossed", "count"), CASES)
def test_the_states_are_closed(robot: Loops, crossed: tuple[bool, ...], count: int) -> None:
    """The two frames of a cut joint have one place, one velocity, one axis, and turn against each other about it."""
    for state in robot.states(crossed):
        at = frames(robot.par, state)
        for k in cut_joints(robot.par):
            one, other = at[k], at[k + loop_count(robot.par)]
            axis = [row[2] for row in one.R]
            assert (one.p, one.v, axis) == (other.p, other.v, [row[2] for row in other.R])
            assert cross(axis, [x - y for x, y in zip(one.w, other.w)]) == [ZERO] * 3


@pytest.mark.parametrize(("robot", "crossed", "count"), CASES)
def test_as_many_as_independent_energies(robot: Loops, crossed: tuple[bool, ...], count: int) -> None:
    """By fractions, by floats with a clear gap, and by the joint forces; and the relations keep the energy."""
    exact = observed(robot, crossed)
    assert rank(exact) == count
    plain = np.array(exact, float)
    lengths = np.linalg.norm(plain, axis=0)
    sizes = np.linalg.svd(plain / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    print(f"{robot.name}: {count} by energies; singular values {sizes[count - 1]:.1e}, {sizes[count]:.1e}")
    assert sizes[count - 1] > GAP * sizes[count]
    chain, configuration = _chain(robot, crossed)
    base = kt.identify.base_parameters(chain, configuration=configuration)
    assert len(base) == count
    follows = plain[:, list(base.columns)] @ base.matrix()[:, :80]
    assert np.abs(follows - plain).max() < ENERGIES * np.abs(plain).max()


@pytest.mark.parametrize(("robot", "count"), [(SR400, 39), (TWO_LOOPS, 22)], ids=["SR400", "TwoLoops"])
@pytest.mark.parametrize("cut", [True, False], ids=["cut", "closed"])
def test_rules_for_parallelograms_find_all_that_is_constant(robot: Loops, count: int, cut: bool) -> None:
    """What lies on an axis, links that turn alike, links that stay upright: with the rank above there are no others."""
    exact, par = observed(robot, (False, False)), robot.par
    constant = constant_energy(robot, frames(par, next(robot.states((False, False)))), cut)
    assert all(dot(row, x) == 0 for row in exact for x in constant)
    assert 80 - rank(constant) == (50 if cut else count)


def test_the_configuration_nearest_to_zero_may_be_crossed() -> None:
    """Of TwoLoops it is, in the first loop: the number without a configuration is that of this assembly."""
    chain, _ = _chain(TWO_LOOPS, (False, False))
    assert len(kt.identify.base_parameters(chain)) == 35


def test_a_fit_takes_the_assembly_that_was_measured() -> None:
    """Not that of the neutral configuration, in which other parameters act together."""
    chain, _ = _chain(TWO_LOOPS, (False, False))
    states = list(TWO_LOOPS.states((False, False)))
    q = np.array([[x.angle for x in state.angles] for state in states])
    qd = np.array([[float(state.rates[k]) for k in (0, 1, 2, 4)] for state in states])
    qdd = np.random.default_rng(0).normal(size=qd.shape)
    samples = kt.identify.Samples(np.arange(float(len(q))), q, qd, qdd, chain.inverse_dynamics(q, qd, qdd))
    found = kt.identify.fit(chain, samples, ["inertia"], drop=None)
    assert len(found.values) == 22
    assert found.values == pytest.approx(found.linear.nominal, abs=EXACT)


def _chain(robot: Loops, crossed: Sequence[bool]) -> tuple[kt.ClosedChain, Any]:
    """The robot as Kinetree reads it, and the configuration that is farthest from singular ones."""
    text = par_text(robot.name)
    symbolic = kt.Robot.from_par(text)
    known = {key: x.angle if isinstance(x, Turn) else float(x) for key, x in robot.numbers.items()}
    numbers = physical_numbers(symbolic)
    chain = kt.ClosedChain(kt.Robot.from_par(text, numbers={**numbers, **{k: known[k] for k in known if k in numbers}}))
    configurations = np.array([[x.angle for x in state.angles] for state in robot.states(crossed)])
    return chain, configurations[np.argmax(chain.margin(configurations))]
