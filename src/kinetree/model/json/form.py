"""The JSON form of a mechanism: how each of its parts is written and read.

The form follows the dataclasses of the model. A dataclass is an object with its fields as keys, those at their default
left out; where a field may hold one of several classes, the key "type" says which. Vectors and matrices are lists, a
rotation is the list of its factors, named frames are an object. A new field of a new dataclass needs no line here.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, cached_property
from typing import Any, Protocol, Union, get_args, get_origin, get_type_hints

from kinetree.errors import ModelError, UnknownNameError
from kinetree.given import Given
from kinetree.joints import KINDS, JointKind
from kinetree.model.joint import PER_VELOCITY
from kinetree.model.json.location import Location, shown
from kinetree.model.json.number import Number, Numbers
from kinetree.scalar import Scalar
from kinetree.spatial import ElementaryRotation, Mat3, Rotation, Sym3, Vec3
from kinetree.spatial.rotation import Dense, Factor, is_rotation_matrix

# what fields of an open type may hold, by the name that stands under "type"
VARIANTS: Mapping[Any, Mapping[str, type]] = {JointKind: KINDS, Factor: {"turn": ElementaryRotation, "dense": Dense}}
UNWRITTEN = ("shapes",)  # fields that are for pictures
KEYS = {"named_frames": "frames"}  # fields that are called otherwise in the form
FIRST = ("name", "gravity", "parent")  # fields that stand before the others

_ROUNDING = 4 * 2.0**-52
_SKEW = 1e-6  # rotations of a model are orthonormal to 1e-9, products of them a little less


class Shape(Protocol):
    """How the values of one type are written and read."""

    def write(self, value: Any, location: Location) -> Any: ...
    def read(self, value: Any, location: Location) -> Any: ...


@cache
def shape_of(hint: Any) -> Shape:
    """The shape of the values of a type, as a field of a dataclass states it."""
    if hint in _KNOWN:
        return _KNOWN[hint]
    if hint in VARIANTS:
        return _Variant(VARIANTS[hint])
    arguments = get_args(hint)
    if get_origin(hint) is Given:
        return shape_of(arguments[0])
    if get_origin(hint) is tuple:
        pair = get_args(arguments[0]) if get_origin(arguments[0]) is tuple else None
        return _Named(shape_of(pair[1])) if pair else _List(shape_of(arguments[0]))
    if get_origin(hint) in (Union, types.UnionType):
        classes = [x for x in arguments if x is not type(None)]
        names = {x.__name__.lower(): x for x in classes}
        one = shape_of(classes[0]) if len(classes) == 1 else _Variant(names, default=classes[0])
        return one if len(classes) == len(arguments) else _Optional(one)
    return _Record(hint)


# -- words and lists -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Exactly:
    """A value of one of JSON's own types."""

    type: type
    what: str

    def write(self, value: Any, location: Location) -> Any:
        if not isinstance(value, self.type):
            raise location.error(f"{shown(value)} can't be written as JSON; expected {self.what}", ModelError)
        return value

    def read(self, value: Any, location: Location) -> Any:
        return location.checked(value, self.type, self.what)


@dataclass(frozen=True)
class _Optional:
    """A value, or null."""

    one: Shape

    def write(self, value: Any, location: Location) -> Any:
        return None if value is None else self.one.write(value, location)

    def read(self, value: Any, location: Location) -> Any:
        return None if value is None else self.one.read(value, location)


@dataclass(frozen=True)
class _List:
    """A list: of any length, or of so many for a vector or a matrix."""

    one: Shape
    type: Any = None
    count: int | None = None

    def write(self, value: Any, location: Location) -> Any:
        return [self.one.write(x, location.item(i)) for i, x in enumerate(value)]

    def read(self, value: Any, location: Location) -> Any:
        items = "numbers" if isinstance(self.one, Number) else "rows"
        what = "a list" if self.count is None else f"a list of {self.count} {items}"
        if len(location.checked(value, list, what)) != self.count and self.count is not None:
            raise location.error(f"expected {what}, got {len(value)}")
        found = tuple(self.one.read(x, location.item(i)) for i, x in enumerate(value))
        return self.type(*found) if self.type else found


@dataclass(frozen=True)
class _Named:
    """An object of values by name; in Python pairs of name and value."""

    one: Shape

    def write(self, value: Any, location: Location) -> Any:
        return {name: self.one.write(x, location.item(name)) for name, x in value}

    def read(self, value: Any, location: Location) -> Any:
        pairs = location.checked(value, dict, "an object").items()
        return tuple((name, self.one.read(x, location.item(name))) for name, x in pairs)


class _Factors:
    """A rotation, as the list of its factors."""

    def write(self, value: Any, location: Location) -> Any:
        return shape_of(tuple[Factor, ...]).write(value.factors, location)

    def read(self, value: Any, location: Location) -> Any:
        factors = shape_of(tuple[Factor, ...]).read(value, location)
        for i, factor in enumerate(factors):
            if isinstance(factor, ElementaryRotation) and factor.axis not in (0, 1, 2):
                raise location.item(i).error(f"a turn is about axis 0, 1 or 2, got {factor.axis}")
            is_open = any(isinstance(x, Scalar) for row in factor.matrix for x in row)
            with location.item(i).constructing():
                if not is_open and not is_rotation_matrix(factor.matrix, _SKEW):
                    raise ModelError("this is not a rotation; expected orthonormal rows, or a cosine and its sine")
        return Rotation(factors)


# -- classes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Record:
    """A dataclass, as an object with its fields."""

    type: Any

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        hints = get_type_hints(self.type)
        names = [x.name for x in fields(self.type) if x.name not in UNWRITTEN]
        names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        return {name: Numbers() if name in PER_VELOCITY else shape_of(hints[name]) for name in names}

    @cached_property
    def required(self) -> list[str]:
        return [x.name for x in fields(self.type) if x.default is x.default_factory is MISSING]

    def write(self, value: Any, location: Location) -> Any:
        # what is as the class makes it by itself is left out
        plain = self.type(**{name: getattr(value, name) for name in self.required})
        written = {}
        for name, shape in self.shapes.items():
            item = getattr(value, name)
            if name in self.required or repr(item) != repr(getattr(plain, name)):
                written[KEYS.get(name, name)] = shape.write(item, location.key(KEYS.get(name, name)))
        return written

    def read(self, value: Any, location: Location) -> Any:
        keys = {KEYS.get(name, name): name for name in self.shapes}
        location.check_keys(value, keys, self.required)
        values = {keys[key]: self.shapes[keys[key]].read(x, location.key(key)) for key, x in value.items()}
        with location.constructing():
            made = self.type(**values)
        for name, given in values.items():
            if isinstance(given, Vec3) and _is_rounding(given, getattr(made, name)):
                object.__setattr__(made, name, given)  # a unit vector; normalised again it may lose its last bit
        return made


def _is_rounding(a: Vec3, b: Vec3) -> bool:
    return all(type(x) is float and abs(x - y) <= _ROUNDING for x, y in zip(a, b))


@dataclass(frozen=True)
class _Variant:
    """One of several dataclasses, told by the key "type"; the default one needs none."""

    classes: Mapping[str, Any]
    default: Any = None

    def write(self, value: Any, location: Location) -> Any:
        name = next((name for name, kind in self.classes.items() if kind is type(value)), None)
        if name is None:
            given = f"{type(value).__name__} can't be written as JSON"
            raise location.error(f"{given}; the form has {', '.join(self.classes)}", ModelError)
        tag = {} if type(value) is self.default else {"type": name}
        return {**tag, **shape_of(type(value)).write(value, location)}

    def read(self, value: Any, location: Location) -> Any:
        rest = {key: x for key, x in location.checked(value, dict, "an object").items() if key != "type"}
        if "type" not in value and self.default:
            return shape_of(self.default).read(rest, location)
        if "type" not in value:
            raise location.error(f"there is no 'type', which must be one of {', '.join(self.classes)}")
        name = location.key("type").checked(value["type"], str, "a string")
        if name not in self.classes:
            raise location.error(str(UnknownNameError("type", name, self.classes)))
        return shape_of(self.classes[name]).read(rest, location)


_KNOWN: Mapping[Any, Shape] = {
    Any: Number(),
    float: Number(),
    int: _Exactly(int, "an integer"),
    str: _Exactly(str, "a string"),
    bool: _Exactly(bool, "true or false"),
    Vec3: _List(Number(), Vec3, 3),
    Sym3: _List(Number(), Sym3, 6),
    Mat3: _List(_List(Number(), Vec3, 3), Mat3, 3),
    Rotation: _Factors(),
}
