"""The symbols of a .par file: joint variables, numbers that were given, and named parameters.

The symbol of a joint's variable stands in theta (revolute) or r (prismatic). It is the only symbol of that entry or,
where there are several, the one called th<j>, t<j>, theta<j> or q<j> (revolute), r<j> or q<j> (prismatic) with the
number j of the joint. It must have the factor one: the entry without it is the offset of the joint. A joint variable
can stand nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError, check_name
from kinetree.model.par.syntax import LISTS, Entry, ParFile
from kinetree.model.text.file import located
from kinetree.model.text.formula import check_names, finite, slope
from kinetree.parameter import Parameter, parameters_in, substitute
from kinetree.scalar import Scalar, is_finite

REVOLUTE, PRISMATIC, FIXED = 0, 1, 2
_INTEGERS = ("ant", "sigma", "mu", "eta")
_VARIABLE = {REVOLUTE: ("theta", ("th", "t", "theta", "q")), PRISMATIC: ("r", ("r", "q"))}


@dataclass(frozen=True)
class Symbols:
    """What the symbols of a file stand for."""

    par: ParFile
    numbers: Mapping[str, Any]
    variables: Mapping[str, int]  # the joint of which a symbol is the variable

    @staticmethod
    def of(par: ParFile, numbers: Mapping[str, Any]) -> Symbols:
        """The symbols of a file, of which some have numbers."""
        variables: dict[str, int] = {}
        for joint in range(1, par.joints + 1):
            sigma = par.entry("sigma", joint).integer(REVOLUTE, FIXED)
            if sigma in _VARIABLE:
                key, letters = _VARIABLE[sigma]
                entry = par.entry(key, joint)
                name = _variable(entry, [letter + str(joint) for letter in letters])
                if name is not None and variables.setdefault(name, joint) != joint:
                    raise entry.error(f"{name!r} is the variable of joint {variables[name]} already; use another name")
        _check_numbers(par, numbers, variables)
        plain = {name: x if isinstance(x, Scalar) else float(x) for name, x in numbers.items()}
        return Symbols(par, plain, variables)

    def value(self, key: str, number: int) -> Any:
        """An entry as a number or a scalar of parameters; without the joint's own variable, if it has one."""
        entry = self.par.entry(key, number)
        value = entry.formula()
        if not isinstance(value, Scalar):
            return value
        names = parameters_in(value)
        known: dict[str, Any] = {name: self.numbers.get(name, Parameter(name)) for name in names}
        known |= {name: self._coordinate(entry, name, key, number) for name in names if name in self.variables}
        try:
            with located(entry.error):
                value = finite(substitute(value, known), entry.text)
        except ArithmeticError:
            raise entry.error(f"{entry.text!r} has no value for the numbers given") from None
        with located(entry.error, "; rename it, or give it a number by numbers={...}"):
            check_names(value)
        return value

    def _coordinate(self, entry: Entry, name: str, key: str, number: int) -> float:
        sigma = self.par.entry("sigma", number).integer(REVOLUTE, FIXED) if LISTS[key] == "NF" else FIXED
        joint = self.variables[name]
        if joint == number and sigma in _VARIABLE and _VARIABLE[sigma][0] == key:
            return 0.0
        raise entry.error(f"{name!r} is the variable of joint {joint}; no number of the model can depend on it")


def _variable(entry: Entry, usual: list[str]) -> str | None:
    """The symbol of the joint's variable in an entry; None for a number."""
    value = entry.formula()
    names = [*parameters_in(value)]
    if not names:
        return None
    candidates = names if len(names) == 1 else [name for name in names if name.lower() in usual]
    if len(candidates) != 1:
        remedy = f"call the variable of the joint {' or '.join(usual)}, and no other symbol so"
        raise entry.error(f"{entry.text!r} has several symbols, {', '.join(names)}; {remedy}")
    factor = slope(value, candidates[0])
    if factor != 1.0:
        given = "is not linear in it" if factor is None else f"has it with the factor {factor:g}"
        raise entry.error(f"the variable of the joint is {candidates[0]!r}, and {entry.text!r} {given}; it must be one")
    return candidates[0]


def _check_numbers(par: ParFile, numbers: Mapping[str, Any], variables: Mapping[str, int]) -> None:
    if not numbers:
        return
    formulas = (x.formula() for key, entries in par.lists.items() if key not in _INTEGERS for x in entries)
    symbols = {name for value in formulas for name in parameters_in(value)}
    for name, value in numbers.items():
        check_name("symbol", name, symbols)
        if joint := variables.get(name):
            raise ModelError(f"numbers: {name!r} is the variable of joint {joint}, a coordinate; leave it out")
        if isinstance(value, bool) or not is_finite(value):
            raise ModelError(f"numbers: {name} = {value!r} is not a finite number")
