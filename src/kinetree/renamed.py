"""Public names that have changed: who types an old one is told the new one. Everything here is removed at 1.0.

One table, by owner: a module (``kinetree.errors``), a class (``kinetree.plan.Plan``) for its attributes, a function or
a class with brackets (``kinetree.plan.Problem()``) for its keywords. A package calls `install` at the end of its
``__init__``; nothing else in it knows of old names.
"""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_ASSEMBLY = {"posture": "configuration"}
RENAMED: dict[str, dict[str, str]] = {
    "kinetree.errors": {"SingularPostureWarning": "SingularConfigurationWarning"},
    "kinetree.closed.ClosedChain": {"drives": "actuation"},
    "kinetree.closed.ClosureStatus": {"sentence": "message"},
    "kinetree.simulation": {"Picture": "kinetree.view.Picture"},
    "kinetree.simulation.Motion": {"to_npz": "save", "from_npz": "load", "turns": "quaternions"},
    "kinetree.simulation.Outcome": {"sentence": "message"},
    "kinetree.plan": {"ChainPlan": "Plan", "PathPlan": "Plan", "WayPlan": "Plan", "FrameTurn": "FrameOrientation"},
    "kinetree.plan.Options()": {"yielding": "elastic", "places": "collocation", "tell": "callback"},
    "kinetree.plan.Plan": {
        "points": "control_points", "limits": "constraints", "sentence": "message", "loaded": "quantity",
        "independent": "coordinate_motion", "parameter": "coordinate_motion", "described": "coordinate_motion",
    },
    "kinetree.plan.PlanStatus": {
        "BETWEEN": "VIOLATED_BETWEEN", "STOPPED": "FEASIBLE", "INTERRUPTED": "FEASIBLE",
        "INTERRUPTED_EARLY": "NOT_FOUND",
    },
    "kinetree.plan.Problem": {"limits": "constraints", "conditions": "point_constraints"},
    "kinetree.plan.Problem()": _ASSEMBLY | {"known": "parameters", "second": "hessian"},
    "kinetree.identify.Excitation": _ASSEMBLY | {
        "points": "control_points", "limits": "constraints", "sentence": "message", "write": "to_csv",
    },
    "kinetree.identify": {"report": "kinetree.identify.Fit.report"},
    "kinetree.identify.Data": {"read": "from_csv", "write": "to_csv"},
    "kinetree.identify.Fit": {"unseen": "unidentifiable", "posture": "configuration"},
    "kinetree.identify.Samples": {"through": "evaluate", "fine": "measured"},
    "kinetree.identify.excite()": _ASSEMBLY | {"tell": "callback"},
    "kinetree.identify.base_parameters()": _ASSEMBLY,
    "kinetree.identify.fit()": _ASSEMBLY,
    "kinetree.identify.payload()": _ASSEMBLY,
    "kinetree.identify.prepare()": _ASSEMBLY,
    "kinetree.gait.Gait": {"write_csv": "to_csv", "points": "control_points"},
    "kinetree.gait.Timing": {"shares": "load_distribution"},
    "kinetree.gait.Realism": {"findings": "measures"},
    "kinetree.robot.Robot": {"place": "coordinate_index"},
    "kinetree.model.Joint": {
        "resistance": "passive_forces", "resistance_derivatives": "passive_force_derivatives",
        "lever": "mimic_multiplier",
    },
    "kinetree.spatial.Rotation": {"turn": "elementary"},
}  # fmt: skip


def missing_attribute(owner: str, name: str, what: str | None = None) -> AttributeError:
    """The error for an attribute that there is not, with its new name if it had another one.

    Args:
        owner: in the table.
        name: that was asked for.
        what: the owner in words.

    Example:
        >>> from kinetree.renamed import missing_attribute
        >>> str(missing_attribute("kinetree.closed.ClosedChain", "drives", "'ClosedChain'"))
        "'ClosedChain' has no attribute 'drives'; it is called 'actuation' now"
    """
    new = RENAMED.get(owner, {}).get(name)
    hint = f"; it is called {new!r} now" if new else ""
    return AttributeError(f"{what or f'module {owner!r}'} has no attribute {name!r}{hint}", name=name)


def check_keywords(owner: str, given: Mapping[str, Any]) -> None:
    """Refuse keywords that have other names now.

    Example:
        >>> from kinetree.renamed import check_keywords
        >>> check_keywords("kinetree.plan.Options", {"elastic": True})
    """
    for name, new in RENAMED.get(f"{owner}()", {}).items():
        if name in given:
            raise TypeError(f"{owner.removeprefix('kinetree.')}() has no keyword {name!r}; it is called {new!r} now")


def install(package: str) -> None:
    """Make a package, its classes and its functions answer old names with the new ones."""
    module = sys.modules[package]
    for owner, names in RENAMED.items():
        parent, _, name = owner.removesuffix("()").rpartition(".")
        if owner == package:
            setattr(module, "__getattr__", functools.partial(_missing_in_module, package))  # noqa: B010
        elif parent == package and owner.endswith("()"):
            _check_calls(getattr(module, name), f"{parent}.{name}")
        elif parent == package:
            for old in names:  # on an enumeration for its members
                setattr(getattr(module, name), old, _Renamed(owner, old))


class _Renamed:
    """An old attribute of a class, on it and on its objects."""

    def __init__(self, owner: str, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise missing_attribute(self.owner, self.name, f"{owner.__name__!r}")


class RenamedMembers(enum.EnumMeta):
    """Of an enumeration some of whose members have other names now."""

    def __getattr__(cls, name: str) -> Any:
        members = vars(cls)["_member_map_"]
        if name in members:  # before Python 3.12 they are found here
            return members[name]
        raise missing_attribute(f"{cls.__module__.rpartition('.')[0]}.{cls.__name__}", name, f"{cls.__name__!r}")


def _missing_in_module(package: str, name: str) -> NoReturn:
    raise missing_attribute(package, name)


def _check_calls(called: Any, owner: str) -> None:
    """Replace a function, or the initialiser of a class, by one that looks at its keywords first."""
    function: Callable[..., Any] = called.__init__ if isinstance(called, type) else called

    @functools.wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        check_keywords(owner, given)
        return function(*args, **given)

    if isinstance(called, type):
        called.__init__ = checked  # type: ignore[misc]
        return
    for module in (sys.modules[called.__module__], sys.modules[owner.rpartition(".")[0]]):
        setattr(module, called.__name__, checked)
