"""The collector of garbage rests while graphs grow, and goes on afterwards as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import kinetree as kt
from kinetree.runtime import cache
from kinetree.runtime.collector import collector_paused


@pytest.fixture(autouse=True, params=[True, False])
def enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_afterwards_it_is_as_it_was(enabled: bool) -> None:
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_after_an_error_too(enabled: bool) -> None:
    with pytest.raises(ZeroDivisionError), collector_paused():
        raise ZeroDivisionError
    assert gc.isenabled() is enabled


def test_it_rests_while_a_function_is_traced(enabled: bool) -> None:
    seen = []

    def double(x: list[float]) -> list[float]:
        seen.append(gc.isenabled())
        return [2.0 * x[0]]

    with cache.switched_off():
        kt.compile(double, signature="(1)->(1)")([1.0])
    assert seen == [False]
    assert gc.isenabled() is enabled
