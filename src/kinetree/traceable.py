"""What can be traced, and the key under which its compiled code is known.

A key is a text of everything that the code depends on: numbers, names, arrays and the package's own frozen dataclasses.
What holds anything else, such as a function or a class of the user's, has no key: it may change without notice. There
is one exception to the rule that every field counts: the name of a mechanism, which no code depends on.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
from functools import cache
from types import FunctionType, MappingProxyType
from typing import Any, Protocol

import numpy as np

from kinetree.model import Mechanism
from kinetree.signature import Signature

_PLAIN = frozenset((type(None), bool, int, float, str))


class Traceable(Protocol):
    """A function over scalars that says what it takes and gives; frozen, so that it can have a cache key."""

    @property
    def __name__(self) -> str: ...

    def signature(self, robot: Any) -> Signature:
        """Its operands and results for a robot."""
        ...

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The results, from the robot (if there is one) and a scalar, a list or a list of lists for each operand."""
        ...


def cache_key(x: Any) -> str | None:
    """The key of a function or a model, the same in every process; None where it holds anything of the user's.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.traceable import cache_key
        >>> cache_key(kt.robots.two_link()) == cache_key(kt.robots.two_link())
        True
        >>> cache_key(lambda q: q) is None
        True
    """
    foreign: list[Any] = []
    text = _text(x, foreign)
    return None if foreign else text


def identity(x: Any) -> str:
    """The same for this process only: what is the user's counts by identity, as long as it is kept alive."""
    return _text(x, [])


def _text(x: Any, foreign: list[Any]) -> str:
    """The text of a value; what is not made of the package's own types is added to a list."""
    kind: Any = type(x)
    if kind in _PLAIN:
        return repr(x)
    if kind is tuple or kind is list:
        return f"({','.join([_text(item, foreign) for item in x])})"
    if (names := _own_fields(kind)) is not None:
        if isinstance(x, Mechanism):
            return _of_mechanism(x, foreign)
        return f"{kind.__module__}.{kind.__qualname__}({','.join([_text(getattr(x, n), foreign) for n in names])})"
    if kind in (dict, MappingProxyType):
        return f"{{{','.join(f'{_text(k, foreign)}:{_text(v, foreign)}' for k, v in x.items())}}}"
    if kind is FunctionType and _is_of_the_package(x) and _found(x.__module__, x.__qualname__) is x:
        return f"{x.__module__}.{x.__qualname__}"
    if isinstance(x, np.ndarray | np.generic) and kind.__module__ == "numpy" and x.dtype.kind in "biuf":
        return repr(x.item()) if isinstance(x, np.generic) else f"{x.dtype.str}{x.shape}{_digest(x.tobytes())}"
    foreign.append(x)
    return f"<{id(x)}>"


@cache
def _own_fields(kind: Any) -> tuple[str, ...] | None:
    """What tells apart the values of a type of the package; None for all other types."""
    if not _is_of_the_package(kind):
        return None
    if issubclass(kind, enum.Enum):
        return ("name",)
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def _of_mechanism(x: Mechanism, foreign: list[Any]) -> str:
    """A hash of the description, taken once for a mechanism without anything of the user's."""
    known = vars(x).get("_cache_key")
    if known is None:
        own: list[Any] = []
        known = _text((x.bodies, x.gravity, x.named_frames, x.loops, x.couplings), own)
        foreign += own
        if not own:
            known = vars(x)["_cache_key"] = _digest(known.encode())
    return known


def _digest(content: bytes) -> str:
    import hashlib  # loads OpenSSL: not at the start

    return hashlib.sha256(content).hexdigest()


def _is_of_the_package(x: Any) -> bool:
    return str(x.__module__).startswith("kinetree.")


def _found(module: str, name: str) -> Any:
    """What a module has under a name; nothing for functions inside functions."""
    return getattr(sys.modules.get(module), name, None)
