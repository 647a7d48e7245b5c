"""The dimensions of what algorithms take and give: their names, the labels along them, and units."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.catalogue import Variant
from kinetree.closed.catalogue import ALGORITHMS, ChainVariant
from kinetree.errors import InputError, check_names
from kinetree.export.reference import QUANTITIES
from kinetree.identify.standard import parameter_names
from kinetree.joints import Prismatic, Revolute
from kinetree.runtime.function import Function
from kinetree.signature import TOGETHER

_SPATIAL = tuple(f"{part}_{axis}" for part in ("angular", "linear") for axis in "xyz")
_GROUP = re.compile(r"(\w+)\(([^()]*)\)")
_LOADS = {"external": ("nbodies", "6"), "external_rate": ("nbodies", "6")}  # and motions of the base, (6)


@dataclass(frozen=True)
class Named:
    """An argument or a result.

    Args:
        name: such as "q".
        dims: the names of its core dimensions.
        shape: of its core.
        labels: along each of them; none where they are only counted.
        attributes: ``long_name`` and ``units``, where they are known.
    """

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]
    attributes: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.dims)})"


def named_sides(function: Function, dims: Mapping[str, Sequence[str]] | None) -> tuple[list[Named], list[Named]]:
    """The arguments and the results of a compiled function.

    Args:
        function: of a robot or a closed chain; or one of the user's, whose dimensions are given.
        dims: the names of the core dimensions, by argument and result.
    """
    variant, robot = getattr(function.source, "function", None), getattr(function.source, "robot", None)
    known = isinstance(variant, Variant | ChainVariant)
    if dims is not None:
        check_names("argument or result", dims, [x.name for x in (*function.operands, *function.results)])
    labels = _labels(robot, variant)
    sides: list[list[Named]] = []
    for operands, sizes in zip((function.operands, function.results), _sizes(variant) if known else ({}, {})):
        side: list[Named] = []
        for o in operands:
            symbols = sizes.get(o.name) or _LOADS.get(o.name) or tuple(map(str, o.shape))
            names = dims[o.name] if dims is not None and o.name in dims else _names(o, symbols, labels, known)
            names = (names,) if isinstance(names, str) else tuple(names)
            if len(names) != len(o.shape) or len({*names}) != len(names):
                raise InputError(f"{function.name}: {o.name} has {len(o.shape)} core dimensions, got {names}")
            along = tuple(_along(name, n, labels) for name, n in zip(names, o.shape))
            side.append(Named(o.name, names, o.shape, along, _attributes(o.name, robot) if known else {}))
        sides.append(side)
    return sides[0], sides[1]


def _sizes(variant: Any) -> list[dict[str, tuple[str, ...]]]:
    """The sizes of arguments and results as the signature of an algorithm writes them: ("nv", "nv")."""
    text = variant.algorithm.text if isinstance(variant, Variant) else ALGORITHMS[variant.name][1]
    return [
        {name: tuple(s.strip() for s in sizes.split(",")) if sizes else () for name, sizes in _GROUP.findall(side)}
        for side in text.split("->")
    ]


def _labels(robot: Any, variant: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each size of a signature the name of the dimension, and the labels along it."""
    fixed = {"6": ("component", _SPATIAL), "3": ("axis", ("x", "y", "z")), "e": ("equation", ())}
    if robot is None:
        return fixed
    q, v = tuple(robot.position_names), tuple(robot.coordinate_names)
    known = {
        **fixed,
        "nq": ("joint" if q == v else "position", q),
        "nv": ("joint", v),
        "nbodies": ("body", tuple(body.name for body in robot.bodies)),
        "nparameters": ("parameter", tuple(parameter_names(robot))),
        "3*nv": ("motion", tuple(f"{name}.{x}" for name in ("q", "qd", "qdd") for x in v)),
        "nbase": ("base", v[: robot.nbase]),
        "nv-nbase": ("actuated_joint", v[robot.nbase :]),
        TOGETHER: ("named_parameter", tuple(robot.parameters)),
    }
    if isinstance(variant, ChainVariant):
        known["n"] = ("independent_joint", tuple(v[k] for k in variant.actuation.independent))
        known["a"] = ("actuated_joint", tuple(v[k] for k in variant.actuation.actuated))
        known["m"] = ("loop", tuple(loop.name for loop in robot.loops))
    return known


def _names(operand: Any, symbols: Sequence[str], labels: Mapping[str, Any], known: bool) -> tuple[str, ...]:
    if operand.name == TOGETHER:
        symbols = (TOGETHER,)
    if not known and operand.shape and operand.name != TOGETHER:
        raise InputError(
            f"the dimensions of a function of your own have no names yet: give dims={{{operand.name!r}: "
            f"({', '.join(repr(f'name{k}') for k in range(len(operand.shape)))},), ...}}"
        )
    if symbols == ("4", "4"):
        return "row", "column"
    names: list[str] = []
    for symbol in symbols:
        name = labels[symbol][0]
        names.append(name if name not in names else f"{name}_2")
    return tuple(names)


def _along(dim: str, size: int, labels: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels of a dimension, also where it is the second of its name."""
    found = [x for name, x in labels.values() if name == dim.removesuffix("_2") and len(x) == size]
    return found[0] if found else ()


def _attributes(name: str, robot: Any) -> dict[str, str]:
    """What a quantity is, and its units: of two, those of rotations and of translations, the one that occurs."""
    text, _, units = QUANTITIES.get(name, "").partition(" [")
    units = units.removesuffix("]")
    both = units.split(", ")
    kinds = {type(body.joint.kind) for body in robot.bodies if body.joint.kind.nv} if robot is not None else set()
    if len(both) == 2 and name in ("q", "qd", "qdd", "qddd", "tau", "taud", "h", "g", "v", "q0", "q1"):
        units = both[0] if kinds == {Revolute} else both[1] if kinds == {Prismatic} else units
    return {key: value for key, value in (("long_name", text), ("units", units)) if value}
