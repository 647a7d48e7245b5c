"""Where JAX is missing or too old; this runs with and without it."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

import kinetree as kt
from kinetree.errors import MissingExtraError


@pytest.mark.parametrize(("version", "message"), [(None, "JAX is not installed"), ("0.4.31", "JAX 0.4.31 is too old")])
def test_the_message_names_the_version_and_the_extra(
    version: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name == "kinetree.jax" or name.startswith("kinetree.jax.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(kt), "jax", raising=False)
    fake = None if version is None else ModuleType("jax")
    if fake is not None:
        fake.__dict__["__version__"] = version
    monkeypatch.setitem(sys.modules, "jax", fake)
    with pytest.raises(MissingExtraError, match=rf"{message}; .*needs JAX 0.5.0 or newer.*kinetree\[jax\]"):
        importlib.import_module("kinetree.jax")
    with pytest.raises(ImportError):
        _ = kt.jax
