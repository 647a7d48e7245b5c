"""Old public names are refused with the new ones, from one table."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from typing import Any

import pytest

import kinetree as kt
from kinetree import renamed


def owner_of(path: str) -> Any:
    """The module, class or function that an entry of the table is about."""
    if path == "kinetree":
        return kt
    parent, _, name = path.rpartition(".")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        return getattr(owner_of(parent), name)


@pytest.mark.parametrize("path", renamed.RENAMED)
def test_the_new_names_are_there_and_the_old_ones_are_not(path: str) -> None:
    owner = owner_of(path)
    for old, new in renamed.RENAMED[path].items():
        if inspect.isfunction(owner):
            assert new.split(".")[0] in inspect.signature(owner).parameters
            with pytest.raises(TypeError, match=rf"no keyword {old!r}; it is called {new!r} now"):
                renamed.check_keywords(path, {old: 1.0})
        elif inspect.ismodule(owner):
            assert hasattr(owner, new)
            with pytest.raises(AttributeError, match=rf"no attribute {old!r}; it is called {new!r} now"):
                getattr(owner, old)
        else:
            assert not hasattr(owner, old)
            assert inspect.isfunction(inspect.getattr_static(owner, "__getattr__"))


def test_an_old_attribute_of_an_object_is_told_its_new_name() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    with pytest.raises(AttributeError, match=r"'ClosedChain' object has no attribute 'drives'; .* 'actuation' now"):
        _ = chain.drives  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"'ClosedChain' object has no attribute 'wheels'$"):
        _ = chain.wheels  # type: ignore[attr-defined]
    for other in (copy.copy(chain), copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
        assert other.actuation == chain.actuation


def test_names_that_never_were_are_plainly_missing() -> None:
    with pytest.raises(AttributeError, match=r"module 'kinetree' has no attribute 'Robott'$"):
        _ = kt.Robott  # type: ignore[attr-defined]
    renamed.check_keywords("kinetree.simulate", {"duration": 1.0})


def test_keywords_and_names_come_from_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(renamed.RENAMED, "kinetree.simulate", {"step": "dt"})
    monkeypatch.setitem(renamed.RENAMED, "kinetree", {"Machine": "Robot"})
    with pytest.raises(TypeError, match=r"simulate\(\) has no keyword 'step'; it is called 'dt' now"):
        renamed.check_keywords("kinetree.simulate", {"step": 0.1})
    with pytest.raises(AttributeError, match="no attribute 'Machine'; it is called 'Robot' now"):
        _ = kt.Machine  # type: ignore[attr-defined]
