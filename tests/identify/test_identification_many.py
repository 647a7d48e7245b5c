"""Fits to many data sets: those of one by one, whoever works on them."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, WorkerError
from kinetree.identify import Data, Samples, fit, fit_each

ARM = kt.robots.two_link()


def samples(seed: int) -> Samples:
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, 50, 2))
    return Samples(np.arange(50.0), q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd) + 0.1 * rng.normal(size=(50, 2)))


SETS = [samples(seed) for seed in range(3)]


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor(2)], ids=["processes", "executor"])
def test_each_data_set_has_the_fit_of_its_own(pool: Executor | None) -> None:
    found = fit_each(ARM, SETS, executor=pool, include=["inertia"], method="wls")
    for one, data in zip(found, SETS, strict=True):
        alone = fit(ARM, data, include=["inertia"], method="wls")
        assert np.array_equal(one.values, alone.values)
        assert str(one) == str(alone)
        assert one.model == ARM


def test_a_data_set_that_cannot_be_fitted_is_named() -> None:
    still = Samples(np.arange(50.0), *np.zeros((4, 50, 2)))
    with ThreadPoolExecutor(1) as pool, pytest.raises(WorkerError, match="data set 3 of 3 failed: InputError: ") as e:
        fit_each(ARM, [*SETS[:2], still], executor=pool)
    assert isinstance(e.value.__cause__, InputError)
    assert len([x for x in e.value.results if x is not None]) == 2
    with pytest.raises(WorkerError, match="data set 1 of 2 failed"):
        fit_each(ARM, [still, SETS[0]])


def test_one_data_set_is_not_many() -> None:
    for wrong in (SETS[0], Data(np.arange(50.0), SETS[0].q, SETS[0].forces), {"a": SETS[0]}):
        with pytest.raises(InputError, match="fit_each takes a list of data sets, got a "):
            fit_each(ARM, wrong)  # type: ignore[arg-type]
    assert fit_each(ARM, []) == []
