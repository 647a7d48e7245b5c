"""Old public names are refused with the new ones, from one table."""

from __future__ import annotations

import copy
import enum
import functools
import importlib
import inspect
import pickle
from typing import Any

import pytest

import kinetree as kt
from kinetree import renamed

SET_BY_INIT = {"kinetree.closed.ClosedChain", "kinetree.plan.Problem"}  # whose attributes no class knows


def owner_of(path: str) -> Any:
    """The module, class or function that an entry of the table is about."""
    _, package, *names = path.removesuffix("()").split(".")
    return functools.reduce(getattr, names, importlib.import_module(f"kinetree.{package}"))


@pytest.mark.parametrize("path", renamed.RENAMED)
def test_old_names_are_refused_with_names_that_there_are(path: str) -> None:
    owner = owner_of(path)
    for old, new in renamed.RENAMED[path].items():
        hint = rf"has no (attribute|keyword) {old!r}; it is called {new!r} now"
        if path.endswith("()"):
            assert new in inspect.signature(owner).parameters
            with pytest.raises(TypeError, match=hint):
                owner.of({old: 1}) if path == "kinetree.plan.Options()" else owner(**{old: 1})
            continue
        members = inspect.isclass(owner) and issubclass(owner, enum.Enum) and not new.isupper()
        with pytest.raises(AttributeError, match=hint):
            getattr(next(iter(owner)) if members else owner, old)
        there = owner_of(new) if "." in new else getattr(owner, new, None)
        assert there is not None or new in getattr(owner, "__dataclass_fields__", {}) or path in SET_BY_INIT


def test_an_old_attribute_of_an_object_is_refused_with_its_new_name() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    with pytest.raises(AttributeError, match=r"'ClosedChain' has no attribute 'drives'; .* 'actuation' now"):
        _ = chain.drives  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"'ClosedChain' object has no attribute 'wheels'$"):
        _ = chain.wheels  # type: ignore[attr-defined]
    for other in (copy.copy(chain), copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
        assert other.actuation == chain.actuation
    with pytest.raises(TypeError, match=r"plan.Options\(\) has no keyword 'tell'; it is called 'callback' now"):
        kt.plan.minimum_time(kt.robots.two_link(), q0=[0, 0], q1=[1, 1], force_limits=1.0, tell=print)


def test_names_that_never_were_are_plainly_missing() -> None:
    with pytest.raises(AttributeError, match=r"module 'kinetree' has no attribute 'Robott'$"):
        _ = kt.Robott  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"module 'kinetree.plan' has no attribute 'Plann'$"):
        _ = kt.plan.Plann  # type: ignore[attr-defined]
    renamed.check_keywords("kinetree.plan.Problem", {"degree": 1.0})


def test_functions_that_check_their_keywords_keep_their_face() -> None:
    assert list(inspect.signature(kt.plan.Problem).parameters)[:3] == ["robot", "control_points", "degree"]
    assert (kt.plan.Problem.__init__.__doc__ or "") == (inspect.unwrap(kt.plan.Problem.__init__).__doc__ or "")
