"""Where a value stands in a JSON file, and what can be wrong with it there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InertiaError, ModelError, ModelFileError, UnknownNameError

_SHORT = 60  # characters of a value that a message shows
_WORDS = {dict: "an object", list: "a list", type(None): "null"}


@dataclass(frozen=True)
class Refused:
    """Stands for a value that must not be accepted, until its location is known."""

    reason: str


@dataclass(frozen=True)
class Location:
    """The location of a value in a file or robot, such as bodies[3].joint.damping."""

    file: str
    path: str = ""

    def key(self, name: str) -> Location:
        return Location(self.file, f"{self.path}.{name}" if self.path else name)

    def item(self, index: int | str) -> Location:
        return Location(self.file, f"{self.path}[{shown(index)}]")

    def error(self, message: str, kind: type[ModelError] = ModelFileError) -> ModelError:
        """The error to raise for what stands here."""
        return kind(f"{self.file}, {self.path}: {message}" if self.path else f"{self.file}: {message}")

    def expected(self, what: str, value: Any) -> ModelError:
        """The error where another value stands in the place of what is expected."""
        if isinstance(value, Refused):
            return self.error(value.reason)
        return self.error(f"expected {what}, got {shown(value)}")

    def checked(self, value: Any, kind: type, what: str) -> Any:
        """The value, which must be of one of JSON's own types."""
        if type(value) is not kind:
            raise self.expected(what, value)
        return value

    def check_keys(self, value: Any, known: Collection[str], required: Collection[str]) -> None:
        """Raise where the value is no object, has keys that nobody knows or lacks one that it must have."""
        for key in self.checked(value, dict, "an object"):
            if key not in known:
                raise self.error(str(UnknownNameError("key", key if len(key) <= _SHORT else key[:_SHORT], known)))
        for key in required:
            if key not in value:
                raise self.error(f"there is no {key!r}, which must be given")

    @contextmanager
    def constructing(self) -> Iterator[None]:
        """What the classes of the model refuse, with the location where it stands."""
        try:
            yield
        except InertiaError as error:
            raise self.error(str(error), InertiaError) from None
        except ArithmeticError:
            raise self.error("its numbers are too large to compute with") from None
        except (TypeError, ValueError) as error:
            raise self.error(str(error)) from None


def shown(value: Any) -> str:
    """A value for a message: short, as JSON or Python would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    text = _WORDS.get(type(value)) or repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."
