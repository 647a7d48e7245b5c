"""Python that needs NumPy alone: a module with one function, vectorised over leading dimensions."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from kinetree.emit.text.language import INFIX, SCRATCH, Language, calls
from kinetree.emit.text.literals import indented, indices, nested, number, wrapped
from kinetree.lower.program import Operand

_CORE = '''\
def _core(x, name, shape):
    """The argument as an array whose last dimensions are those of the core."""
    x = np.asarray(x, F)
    if x.shape[max(x.ndim - len(shape), 0) :] != shape:
        raise ValueError(f"{name} has the shape {x.shape}; its last dimensions must be {shape}")
    return x
'''
# Boldo and Melquiond: the error terms are added rounded to odd, so that the last rounding is the only one
_FMA = '''\
def _two_sum(a, b):
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


def _two_product(a, b):
    p = a * b
    x, y = 134217729.0 * a, 134217729.0 * b
    x, y = x - (x - a), y - (y - b)
    return p, (a - x) * (b - y) - (((p - x * y) - (a - x) * y) - x * (b - y))


def _odd_sum(a, b):
    s, e = _two_sum(a, b)
    s = np.asarray(s)
    even = s.view(np.int64) % 2 == 0
    return np.where((e != 0) & even & np.isfinite(s), np.nextafter(s, np.where(e > 0, np.inf, -np.inf)), s)


def _fma(a, b, c):
    """a * b + c, rounded once; twice where a product is near overflow or underflow."""
    kind = np.result_type(a, b, c)
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    if kind == np.float32:  # the product of two floats is exact in double precision
        return np.float32(np.where(np.isfinite(a * b + c), _odd_sum(a * b, c), a * b + c))
    high, low = _two_product(a, b)
    mid, least = _two_sum(c, low)
    top, rest = _two_sum(high, mid)
    exact = top + _odd_sum(least, rest)
    return np.where(np.isfinite(exact) & np.isfinite(low), exact, a * b + c)
'''
_TEST = '''\
def compare(state, name, found, expected):
    """Whether a result is what it should be."""
    expected = np.array(expected)
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
        same |= abs(found - expected) <= TOLERANCE * scale
    if not same.all():
        print(f"state {state}: {name} is {found}, expected {expected}")
    return bool(same.all())
'''

_NAMES = {
    "and": "logical_and", "or": "logical_or", "xor": "logical_xor", "not": "logical_not",
    "atan2": "arctan2", "select": "where", "widen": "float64",
}  # fmt: skip
OPERATIONS = {**INFIX, **calls(_NAMES, "np."), "fma": "_fma({0}, {1}, {2})", "narrow": "F({0})"}


class Python(Language):
    """NumPy, one array operation at a time."""

    name, suffix, reals, end = "python", "py", ("float64", "float32"), ""
    reserved = frozenset({*keyword.kwlist, *dir(builtins), "np", "F", "sys", "STATES", "TOLERANCE"})
    operations = OPERATIONS

    def constant(self, value: float, *, wide: bool = False) -> str:
        single = self.single and not wide
        text = number(value, "np.inf", "np.nan", single=single)
        return f"F({text})" if single else text

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        inside = ["...", *map(str, indices(operand.shape, position))]
        return f"{operand.name}[{', '.join(inside)}]" if operand.shape or written else operand.name

    def fetch(self, slot: int, value_type: str) -> str:
        return f"{SCRATCH}[{slot}]"

    # -- files ---------------------------------------------------------------------------------------------------

    def texts(self) -> dict[str, list[str]]:
        *title, last = self.listing.title
        lines = [*title, f'{last}"""', "", "import numpy as np", ""]
        lines[0] = f'"""{lines[0]}'
        lines += [f"F = np.{self.real}", "", "", *_CORE.splitlines(), ""]
        if "fma" in self.uses:
            lines += ["", *_FMA.splitlines(), ""]
        steps: list[str] = []
        for k, piece in enumerate(self.pieces()):
            lines += ["", f"def _part{k}({', '.join(piece.arguments)}):", *indented(piece.lines or ["pass"]), ""]
            steps.append(f"_part{k}({', '.join(piece.arguments)})")
        return {"py": [*lines, "", *self._function(steps)]}

    def _function(self, steps: Sequence[str]) -> list[str]:
        body = ['"""Leading dimensions broadcast.', "", "Args:", *indented(self._notes(self.program.operands))]
        body += ["", "Returns:", *indented(self._notes(self.program.results)), '"""']
        body += [f'{o.name} = _core({o.name}, "{o.name}", {o.shape})' for o in self.operands]
        shapes = [f"{o.name}.shape[: {o.name}.ndim - {len(o.shape)}]" for o in self.operands]
        body += [f"batch = np.broadcast_shapes({', '.join(shapes)})"]
        body += [f"{r.name} = np.empty({_shape(r)}, F)" for r in self.results]
        body += [f"{SCRATCH} = [None] * {self.program.slots}"] * bool(self.program.slots)
        body += ['with np.errstate(all="ignore"):', *indented(steps)]
        body += [f"return {', '.join(r.name if r.shape else f'{r.name}[()]' for r in self.results)}"]
        return [f"def {self.listing.name}({', '.join(o.name for o in self.operands)}):", *indented(body)]

    def _notes(self, operands: Sequence[Operand]) -> list[str]:
        new = dict(zip((*self.program.operands, *self.program.results), self._all))
        return [
            f"{new[o].name}: ({', '.join(['...', *map(str, o.shape)])}) {self.listing.notes.get(o.name, '')}".rstrip()
            for o in operands
        ]

    @property
    def _all(self) -> tuple[Operand, ...]:
        return *self.operands, *self.results

    def self_test(self) -> list[str]:
        name = self.listing.name
        lines = [f'"""{name}: states and the results that they should give. Exit status 0: all is well."""', ""]
        lines += ["import sys", "", "import numpy as np", "", f"from {name} import {name}", ""]
        lines += [f"TOLERANCE = {self.listing.tolerance!r}", "STATES = ["]
        for state in self.listing.states:
            pairs = zip(self._all, (*state.inputs, *state.results))
            lines += ["    ("]
            for operand, values in pairs:
                text = nested([number(x, "np.inf", "np.nan").strip("()") for x in values], operand.shape)
                lines += wrapped(f"{text},", "        ")
            lines += ["    ),"]
        lines += ["]", "", "", *_TEST.splitlines(), "", "", "good = True"]
        arguments, results = ([o.name for o in some] for some in (self.operands, self.results))
        expected = [f"expected_{result}" for result in results]
        lines += [f"for state, ({', '.join([*arguments, *expected])}) in enumerate(STATES, 1):"]
        lines += [f"    found = {name}({', '.join(arguments)})"]
        lines += ["    found = found if isinstance(found, tuple) else (found,)"]
        for k, result in enumerate(results):
            lines += [f'    good &= compare(state, "{result}", found[{k}], expected_{result})']
        message = f'print("{name}:", f"{{len(STATES)}} states as expected" if good else "WRONG")'
        return [*lines, message, "sys.exit(not good)"]


def _shape(result: Operand) -> str:
    return f"(*batch, {', '.join(map(str, result.shape))})" if result.shape else "batch"
