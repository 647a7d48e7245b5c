"""DH tables from wherever they are: rows of `DH`, mappings with the same names, CSV and TOML files.

A row may leave out whatever `DH` has a default for. Numbers may be formulas such as ``pi/2``; names in them become
named parameters. A table may be in degrees; everything else is in SI units.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kinetree.errors import InertiaError, ModelError, UnknownNameError
from kinetree.model import Inertia, Limits, Mechanism
from kinetree.model.dh import DH, mechanism_from_dh
from kinetree.model.table.file import Table, read_table
from kinetree.model.text.file import located, shown
from kinetree.model.text.formula import check_names, formula
from kinetree.scalar import Scalar, Vector, is_finite, is_scalar

NUMBERS = ("a", "alpha", "d", "theta", "gamma", "b", "mass", "damping", "coulomb", "rotor_inertia")
WORDS = ("name", "joint", "parent")
PARTS = {"com": ("com_x", "com_y", "com_z"), "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
LIMITS = tuple(field.name for field in dataclasses.fields(Limits))
COLUMNS = (*WORDS, *NUMBERS, *PARTS["com"], *PARTS["inertia"], *LIMITS)
KEYS = (*COLUMNS, *PARTS, "limits")
MAX_WORD = 500  # characters of a name


def mechanism_from_table(
    rows: Sequence[DH] | Sequence[Mapping[str, Any]] | str | os.PathLike[str],
    convention: str | None = None,
    *,
    degrees: bool | None = None,
    name: str | None = None,
    gravity: Vector | None = None,
    base: str | None = None,
    base_inertia: Inertia | None = None,
    strict: bool = True,
) -> Mechanism:
    """The mechanism of a DH table; see `kinetree.Robot.from_dh`. Keywords win over the settings of a file."""
    table = read_table(rows, COLUMNS) if isinstance(rows, str | os.PathLike) else Table(tuple(rows))
    given = {"convention": convention, "degrees": degrees, "name": name, "gravity": gravity, "base": base}
    settings = {**table.settings, **{key: value for key, value in given.items() if value is not None}}
    in_degrees = settings.pop("degrees", False)
    if not isinstance(in_degrees, bool):
        raise table.error(f"degrees is true or false, got {in_degrees!r}")
    if table.file and "gravity" in table.settings and gravity is None:
        settings["gravity"] = _gravity(table, in_degrees)
    links = [_link(table, i, row, in_degrees) for i, row in enumerate(table.rows, 1)]
    with located(table.error):
        return mechanism_from_dh(links, **settings, base_inertia=base_inertia, strict=strict)


def _gravity(table: Table, degrees: bool) -> tuple[Any, ...]:
    values = table.settings["gravity"]
    try:
        return tuple(_number(x, degrees) for x in (values.split() if isinstance(values, str) else values))
    except (ModelError, TypeError, OverflowError) as error:
        raise table.error(f"gravity is three numbers such as 0, 0, -9.81, got {values!r:.200}: {error}") from None


def _link(table: Table, i: int, row: Any, degrees: bool) -> Any:
    """A row of the table as a DH; what is neither a DH nor a mapping is left to be refused with the others."""
    if isinstance(row, Mapping):
        row = _Row(table, i, {key: value for key, value in row.items() if value is not None}, degrees).link()
    return _in_radians(row) if degrees and isinstance(row, DH) else row


def _number(value: Any, degrees: bool) -> Any:
    """A number, a scalar, or the text of a formula."""
    if isinstance(value, str):
        value = formula(value, degrees=degrees)
        check_names(value)
        return value
    if isinstance(value, bool) or not is_finite(value):
        raise ModelError(f"{value!r} is not a finite number")
    return value if isinstance(value, Scalar) else float(value)


def _limit(value: Any, degrees: bool) -> float:
    if not isinstance(value, str | bool) and is_scalar(value) and not isinstance(value, Scalar) and value == value:
        return float(value)  # may be infinite
    value = _number(value, degrees)
    if isinstance(value, Scalar):
        raise ModelError("a limit must be a number, not a named parameter")
    return value


@dataclasses.dataclass(frozen=True)
class _Row:
    """A row given as a mapping, and its place in the table."""

    table: Table
    i: int
    values: Mapping[str, Any]
    degrees: bool

    def link(self) -> DH:
        for key in self.values:
            if key not in KEYS:
                raise self.table.unknown(self.i, UnknownNameError("key", key, KEYS))
        fields: dict[str, Any] = {key: self.number(key) for key in NUMBERS if key in self.values}
        fields |= {key: self.word(key) for key in WORDS if key in self.values}
        fields |= {key: self.array(key) for key in PARTS if key in self.values}
        for whole, parts in PARTS.items():
            if met := [part for part in parts if part in self.values]:
                if whole in fields:
                    raise self.error(met[0], f"{whole!r} is there as well; leave one of them out")
                fields[whole] = [self.number(part) if part in met else 0.0 for part in parts]
        link = DH(**fields, limits=self.limits())
        try:
            Inertia(link.mass, link.com, link.inertia)
        except InertiaError as error:
            raise self.error(None, str(error)) from None
        return link

    def error(self, key: str | None, message: str) -> ModelError:
        return self.table.error(message, self.i, key)

    def word(self, key: str) -> Any:
        value = self.values[key]
        if isinstance(value, str) and len(value) > MAX_WORD:
            raise self.error(key, f"{shown(value)} is longer than {MAX_WORD} characters")
        return value

    def number(self, key: str) -> Any:
        return self.converted(key, self.values[key])

    def array(self, key: str) -> Any:
        """The centre of mass or the inertia: numbers in a sequence, or in a sequence of sequences."""

        def visit(value: Any, depth: int = 0) -> Any:
            if isinstance(value, str) or not hasattr(value, "__iter__"):
                return self.converted(key, value)
            if depth > 1:
                raise self.error(key, "the numbers are nested too deep; expected a list of them, or rows")
            return [visit(x, depth + 1) for x in value]

        if isinstance(self.values[key], str) or not hasattr(self.values[key], "__iter__"):
            raise self.error(key, f"{self.values[key]!r} is not a sequence of numbers")
        return visit(self.values[key])

    def limits(self) -> Limits:
        given = self.values.get("limits", {})
        if isinstance(given, Limits):
            given = dataclasses.asdict(given)
        if not isinstance(given, Mapping):
            raise self.error("limits", f"{given!r} is not a mapping with {', '.join(LIMITS)}")
        for key in given:
            if key not in LIMITS:
                raise self.table.unknown(self.i, UnknownNameError("limit", key, LIMITS))
        values = {key: x for key, x in given.items() if x is not None}
        values |= {key: self.values[key] for key in LIMITS if key in self.values}
        return Limits(**{key: self.converted(key, x, _limit) for key, x in values.items()})

    def converted(self, key: str, value: Any, convert: Callable[[Any, bool], Any] = _number) -> Any:
        with located(lambda message: self.error(key, message)):
            try:
                return convert(value, self.degrees)
            except OverflowError:
                raise ModelError("the integer is too large to compute with") from None


def _in_radians(row: DH) -> DH:
    angles = {key: _radians(getattr(row, key)) for key in ("alpha", "theta", "gamma")}
    if row.joint == "revolute":
        turned = {key: _radians(getattr(row.limits, key)) for key in ("lower", "upper", "velocity")}
        angles["limits"] = dataclasses.replace(row.limits, **turned)
    return dataclasses.replace(row, **angles)


def _radians(angle: Any) -> Any:
    """The angle in radians; whole quarter turns are those of pi / 2."""
    if isinstance(angle, Scalar):
        return angle * (math.pi / 180)
    if not is_scalar(angle) or not math.isfinite(angle):
        return angle
    quarters = angle / 90
    return quarters * (math.pi / 2) if quarters == round(quarters) else math.radians(angle)
