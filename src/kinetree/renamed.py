"""Public names that have changed: who types an old one is told the new one. Everything here is removed at 1.0.

One table, by owner: a module (``kinetree``, ``kinetree.errors``), a class (``kinetree.ClosedChain``) for its
attributes, or a function (``kinetree.simulate``) for its keywords. Modules and classes look here when an attribute is
missing, functions when they are given a keyword that they do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

RENAMED: dict[str, dict[str, str]] = {
    "kinetree.errors": {"SingularPostureWarning": "SingularConfigurationWarning"},
    "kinetree.ClosedChain": {"drives": "actuation"},
    "kinetree.ClosureStatus": {"sentence": "message"},
}


def missing_attribute(owner: str, name: str, what: str | None = None) -> AttributeError:
    """The error for an attribute that there is not, with its new name if it had another one.

    Args:
        owner: in the table.
        name: that was asked for.
        what: the owner in words.

    Example:
        >>> from kinetree.renamed import missing_attribute
        >>> str(missing_attribute("kinetree.ClosedChain", "drives", "'ClosedChain' object"))
        "'ClosedChain' object has no attribute 'drives'; it is called 'actuation' now"
    """
    new = RENAMED.get(owner, {}).get(name)
    hint = f"; it is called {new!r} now" if new else ""
    return AttributeError(f"{what or f'module {owner!r}'} has no attribute {name!r}{hint}", name=name)


def module_getattr(module: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module with renamed names: ``__getattr__ = module_getattr(__name__)``."""

    def missing(name: str) -> Any:
        raise missing_attribute(module, name)

    return missing


def object_getattr(owner: str) -> Callable[[Any, str], Any]:
    """A ``__getattr__`` for a class with renamed attributes: ``__getattr__ = object_getattr("kinetree.Motion")``."""

    def missing(self: Any, name: str) -> Any:
        raise missing_attribute(owner, name, f"{type(self).__name__!r} object")

    return missing


def check_keywords(owner: str, given: Mapping[str, Any]) -> None:
    """Refuse keywords of a function that have other names now; for those that it takes as ``**options``.

    Example:
        >>> from kinetree.renamed import check_keywords
        >>> check_keywords("kinetree.simulate", {"dt": 0.1})
    """
    for name, new in RENAMED.get(owner, {}).items():
        if name in given:
            raise TypeError(f"{owner.removeprefix('kinetree.')}() has no keyword {name!r}; it is called {new!r} now")
