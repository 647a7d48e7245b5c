"""Linear combinations of parameters whose coefficients are numbers and products of open parameters.

They are scalars, so that the rules of regrouping run on them as they run on numbers: what comes out are the relations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kinetree.errors import TraceError
from kinetree.parameter import Expression, Parameter, substitute
from kinetree.scalar import Scalar

Monomial = tuple[Scalar, ...]  # a product of open numbers
Terms = dict[tuple[int, Monomial], float]

NONE = -1  # in the place of a parameter's column: the term is a plain coefficient
ROUNDING = 1e-14  # of the terms that cancel; what is left of them is not a term


class Combination(Scalar):
    """The sum of coefficient * monomial * parameter, by the column of the parameter and the monomial."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[tuple[int, Monomial], float]) -> None:
        self.terms: Terms = dict(terms)

    @staticmethod
    def of(column: int) -> Combination:
        """One parameter."""
        return Combination({(column, ()): 1.0})

    @staticmethod
    def open(atom: Scalar) -> Combination:
        """A coefficient that is an open number."""
        return Combination({(NONE, (atom,)): 1.0})

    def apply(self, op: str, *args: Any) -> Any:
        terms = [_terms(x) for x in args]
        if op == "neg":
            return _reduced(_sum({}, terms[0], -1.0))
        if op in ("add", "sub"):
            return _reduced(_sum(terms[0], terms[1], 1.0 if op == "add" else -1.0))
        if op == "mul":
            return _reduced(_product(*terms))
        if any(column != NONE for x in terms for column, _ in x):
            raise TraceError(f"{op!r} does not keep a combination of parameters linear")
        if op in ("sin", "cos") and next(iter(terms[0].values())) < 0:  # of -x
            turned = self.apply(op, Combination(_sum({}, terms[0], -1.0)))
            return turned if op == "cos" else -turned
        return Combination.open(Expression(op, tuple(_expression(x) for x in terms)))

    @property
    def columns(self) -> tuple[int, ...]:
        """The parameters that it holds."""
        return tuple(sorted({column for column, _ in self.terms}))

    def coefficient(self, column: int, numbers: Mapping[str, float]) -> float:
        """The factor of a parameter for these values of the open ones."""
        own = ((monomial, k) for (c, monomial), k in self.terms.items() if c == column)
        return sum((math.prod((substitute(x, numbers) for x in monomial), start=k) for monomial, k in own), 0.0)

    def text(self, names: Sequence[str]) -> str:
        """The combination to read, such as "link1.ZZ + 0.25*link2.M"."""
        parts: list[str] = []
        for (column, monomial), k in sorted(self.terms.items(), key=lambda term: (term[0][0], _powers(term[0][1]))):
            number = f"{abs(k):.10g}"
            factors = [*([] if number == "1" else [number]), *_powers(monomial), names[column]]
            parts += ["-" if k < 0 else "+", "*".join(factors)]
        return " ".join(parts).removeprefix("+ ")


def _terms(x: Any) -> Terms:
    if isinstance(x, Combination):
        return x.terms
    if isinstance(x, Scalar):
        return {(NONE, (x,)): 1.0}
    return {(NONE, ()): float(x)} if x else {}


def _sum(a: Terms, b: Terms, sign: float) -> Terms:
    total = dict(a)
    for key, y in b.items():
        x = total.pop(key, 0.0)
        z = x + sign * y
        if abs(z) > ROUNDING * max(abs(x), abs(y)):
            total[key] = z
    return total


def _product(a: Terms, b: Terms) -> Terms:
    total: Terms = {}
    for (column, monomial), x in a.items():
        part: Terms = {}
        for (other, factor), y in b.items():
            if NONE not in (column, other):
                raise TraceError("a product of two parameters is not linear in them")
            part[max(column, other), tuple(sorted((*monomial, *factor), key=written))] = x * y
        total = _sum(total, part, 1.0)
    return total


def _reduced(terms: Terms) -> Any:
    """The combination, or a number where that is all."""
    if all(key == (NONE, ()) for key in terms):
        return terms.get((NONE, ()), 0.0)
    return Combination(terms)


# -- open numbers ------------------------------------------------------------------------------------------------------


def _expression(terms: Terms) -> Any:
    """A coefficient as an expression of open parameters."""
    parts: list[Any] = [math.prod(monomial, start=k) for (_, monomial), k in terms.items()]  # type: ignore[arg-type]
    return sum(parts, 0.0)


def _powers(monomial: Monomial) -> list[str]:
    counts = {atom: monomial.count(atom) for atom in monomial}
    return [written(atom) + (f"^{n}" if n > 1 else "") for atom, n in counts.items()]


_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def written(x: Any) -> str:
    """An open number as a formula."""
    if isinstance(x, Parameter):
        return x.name
    if isinstance(x, Expression):
        args = [written(arg) for arg in x.args]
        if x.op in _OPERATORS:
            return f"({args[0]} {_OPERATORS[x.op]} {args[1]})"
        return f"-{args[0]}" if x.op == "neg" else f"{x.op}({', '.join(args)})"
    return f"{x:.10g}"
