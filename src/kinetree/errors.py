"""What can go wrong, as one tree.

KinetreeError
├── ModelError              the description of a mechanism makes no sense
│   ├── InertiaError        a mass or inertia that no body can have
│   ├── ModelFileError      a model file that can't be read or must not be
│   ├── SingularModelError  a quantity that this model does not have (a massless leaf has no acceleration)
│   └── UnknownNameError    a name that does not exist; lists those that do
│       └── UnknownRobotError   that of a built-in robot
├── InputError              the numbers given to a function don't fit it
├── ClosureError            loops that don't close
├── InverseKinematicsError  targets that no configuration was found for
├── MissingExtraError       something needs a package that is not installed
├── SimulationError         a controller failed, or a run did not go to its end
├── WorkerError             one of several tasks failed in an executor, or its worker died
├── TraceError              a function does something that can't be traced
├── CompileError            code could not be generated
└── DeviceError             a GPU that is not there, or a driver that refuses

Warnings: `ModelWarning`, something in a model file is not honoured; `CacheWarning`, the disk cache could not be used;
`SingularConfigurationWarning`, rows of a result are not numbers because the mechanism is singular there;
`SimulationWarning`, runs of a simulation did not go to their end; `PlanWarning`, a plan is not what one may expect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from kinetree.renamed import install

_LONG, _MANY = 500, 200  # characters of a name, and names, that a message shows


def printable(text: str, keep: str = "") -> str:
    """The text with all that does not print written out, such as the escape character, which moves the cursor.

    Names come from files that nobody has checked, and must do nothing to a terminal.

    Args:
        text: to be shown.
        keep: characters to leave as they are, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


class KinetreeError(Exception):
    """The base of every error that Kinetree raises."""

    def __str__(self) -> str:
        return printable(super().__str__(), keep="\n")


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
        super().__init__(kind, name, names)
        # the names may come from a file that nobody trusts
        given = _cut(name) if isinstance(name, str) else name
        import difflib  # needed here alone, and not at the start

        close = difflib.get_close_matches(str(given), map(_cut, names), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        more = [f"and {len(names) - _MANY} more"] if len(names) > _MANY else []
        listed = ", ".join([*(repr(_cut(x)) for x in names[:_MANY]), *more]) or "none"
        self.message = f"there is no {kind} {given!r}{hint} Known: {listed}."

    def __str__(self) -> str:  # KeyError would show the repr
        return self.message


class UnknownRobotError(UnknownNameError, AttributeError):
    """A built-in robot that does not exist; an `AttributeError`, for who asks whether it does."""


def check_name(
    kind: str, name: object, known: Collection[str], where: str = "", error: type[ModelError] = ModelError
) -> None:
    """Raise `UnknownNameError` where a name is not known; with ``where``, an ``error`` that begins with it."""
    if name not in known:
        unknown = UnknownNameError(kind, name, known)
        raise error(f"{where}: {unknown}") if where else unknown


def check_names(kind: str, names: Iterable[object], known: Collection[str]) -> None:
    """Each of several names as `check_name` does."""
    for name in names:
        check_name(kind, name, known)


def _cut(name: str) -> str:
    return name if len(name) <= _LONG else f"{name[:_LONG]}..."


class InputError(KinetreeError, ValueError):
    """The numbers given to a function don't fit it."""


class TraceError(KinetreeError, TypeError):
    """A function does something that can't be traced."""


class CompileError(KinetreeError, RuntimeError):
    """Code could not be generated."""


class DeviceError(KinetreeError, RuntimeError):
    """There is no GPU or no driver for it, or the driver refuses."""


class SingularModelError(ModelError):
    """The model does not determine the quantity asked for."""


class ClosureError(KinetreeError, RuntimeError):
    """Loops that don't close."""


class InverseKinematicsError(KinetreeError, RuntimeError):
    """Targets that no configuration was found for."""


class SimulationError(KinetreeError, RuntimeError):
    """A controller failed, or a run did not go to its end."""


class WorkerError(KinetreeError, RuntimeError):
    """One of several tasks failed where an executor worked on it; the message says which, ``__cause__`` is its error.

    ``index`` is the task's place among all, from 0 on, and ``results`` has what was done until then, None elsewhere.
    """

    index: int = -1
    results: Sequence[Any] = ()


class MissingExtraError(KinetreeError, ImportError):
    """Something needs a package that is not installed; the message says how to install it."""


class SingularConfigurationWarning(RuntimeWarning):
    """Rows of a result are not numbers, because the mechanism is singular there."""


class SimulationWarning(RuntimeWarning):
    """Runs of a simulation diverged, or ended for another reason than the time or an event."""


class PlanWarning(UserWarning):
    """A planned motion is not what one may expect: the robot can't rest at its start or goal, for example."""


class ModelWarning(UserWarning):
    """Something in a model file is not honoured."""


class CacheWarning(UserWarning):
    """The disk cache could not be used; results are right, the next start is slow."""


install(__name__)
