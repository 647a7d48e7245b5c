"""What can go wrong, as one tree.

KinetreeError
├── ModelError            the description of a mechanism makes no sense
│   ├── InertiaError      a mass or inertia that no body can have
│   ├── ModelFileError    a model file that can't be read or must not be
│   └── UnknownNameError  a name that the model does not have; lists those it has
├── InputError            the numbers given to a function don't fit it
├── TraceError            a function does something that can't be traced
├── CompileError          code could not be generated
└── SingularModelError    a quantity that this model does not have (a massless leaf has no acceleration)

A warning about the disk cache is a `CacheWarning`: the result is right, only the next start is slow.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KinetreeError(Exception):
    """The base of every error that Kinetree raises."""


class ModelError(KinetreeError, ValueError):
    """The description of a mechanism makes no sense."""


class InertiaError(ModelError):
    """A mass or inertia that no body can have."""


class ModelFileError(ModelError):
    """A model file that can't be read, or must not be."""


class UnknownNameError(ModelError, KeyError):
    """A name that does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(str(name), names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(map(repr, names)) or "none"
        super().__init__(f"there is no {kind} {name!r}{hint} Known: {listed}." if hint else
                         f"there is no {kind} {name!r}. Known: {listed}.")

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class InputError(KinetreeError, ValueError):
    """The numbers given to a function don't fit it."""


class TraceError(KinetreeError, TypeError):
    """A function does something that can't be traced."""


class CompileError(KinetreeError, RuntimeError):
    """Code could not be generated."""


class SingularModelError(ModelError):
    """The model does not determine the quantity asked for."""


class CacheWarning(UserWarning):
    """The disk cache could not be used; results are right, the next start is slow."""
