"""Without PyTorch, or with one that is too old, the message says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORT = """
import sys, types
import kinetree as kt
assert "torch" not in sys.modules
{found}
try:
    kt.torch
except ImportError as error:
    assert isinstance(error, kt.errors.MissingExtraError)
    print(error)
"""
OLD = "sys.modules['torch'] = types.ModuleType('torch'); sys.modules['torch'].__version__ = '2.1.0+cpu'"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("sys.modules['torch'] = None", "needs PyTorch, which is not installed: pip install kinetree[torch]"),
        (OLD, "needs PyTorch 2.6 or later, and 2.1.0+cpu is installed: pip install --upgrade torch"),
    ],
)
def test_the_message_names_what_is_missing(found: str, message: str) -> None:
    script = [sys.executable, "-c", IMPORT.format(found=found)]
    assert message in subprocess.run(script, capture_output=True, text=True, check=True, timeout=60).stdout
