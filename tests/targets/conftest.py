"""Fixtures for the tests of the generated code."""

from __future__ import annotations

from collections.abc import Iterator

import processors
import pytest


@pytest.fixture(params=processors.NAMES)
def processor(request: pytest.FixtureRequest) -> Iterator[str]:
    """Code for this processor, and for older ones that it can stand in for."""
    with processors.code_for(request.param):
        yield request.param


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function is compiled anew."""
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
