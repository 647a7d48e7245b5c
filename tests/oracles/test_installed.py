"""The oracles may be missing on Windows only: elsewhere no comparison is skipped in silence."""

from __future__ import annotations

import importlib.metadata
import sys

import pytest

ORACLES = ("mujoco",) if sys.platform == "win32" else ("mujoco", "pin", "example-robot-data")


@pytest.mark.parametrize("name", ORACLES)
def test_the_oracle_is_installed(name: str) -> None:
    assert importlib.metadata.version(name)
