"""Julia: one file with a function that fills arrays and one that makes them."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.emit.text.language import INFIX, NARROW, SCRATCH, Language, Piece, calls
from kinetree.emit.text.literals import indented, indices, number, words, wrapped
from kinetree.lower.program import Operand

_WORDS = words(
    "abstract baremodule begin break catch const continue do else elseif end export false finally for function global "
    "if import in isa let local macro module mutable outer primitive quote return struct true try type using where "
    "while Bool Float32 Float64 Inf NaN Inf32 NaN32 abs all atan copysign cos error exit fma floor ifelse isnan "
    "length maximum pi im permutedims println reshape round sign sin size sqrt xor zeros"
)
# an angle that is no number, and the root of a negative number, are errors in Julia and NaN here
_HELPERS = {
    "sin": "@inline nan_sin(x) = isinf(x) ? oftype(x, NaN) : sin(x)",
    "cos": "@inline nan_cos(x) = isinf(x) ? oftype(x, NaN) : cos(x)",
    "sqrt": "@inline nan_sqrt(x) = x < 0 ? oftype(x, NaN) : sqrt(x)",
}
_COMPARE = """\
function compare(state, name, found, expected)
    scale = maximum(x -> isfinite(x) ? abs(x) : 0.0, expected)
    same = [x == y || (isnan(x) && isnan(y)) || abs(x - y) <= {tolerance} * scale for (x, y) in zip(found, expected)]
    all(same) || println("state ", state, ": ", name, " is ", found, ", expected ", expected)
    return all(same)
end"""

_NAMES = {
    "sin": "nan_sin", "cos": "nan_cos", "sqrt": "nan_sqrt", "atan2": "atan", "rint": "round",
    "xor": "xor", "select": "ifelse", "widen": "Float64", "narrow": "{r}",
}  # fmt: skip
OPERATIONS = {**INFIX, **calls(_NAMES), "and": "{0} & {1}", "or": "{0} | {1}", "not": "!{0}"}


class Julia(Language):
    """Julia, one number at a time."""

    name, suffix, reals = "julia", "jl", ("Float64", "Float32")
    first, end = 1, ""
    reserved = _WORDS | {"nan_sin", "nan_cos", "nan_sqrt"}
    operations = OPERATIONS

    def constant(self, value: float, *, wide: bool = False) -> str:
        if wide or not self.single:
            return number(value, "Inf", "NaN")
        text = number(value, "Inf32", "NaN32", single=True)
        if "I" in text or "N" in text:
            return text
        exponent = text.replace("e+", "f").replace("e", "f")
        return exponent if "f" in exponent else f"{text[:-1]}f0)" if text.endswith(")") else f"{text}f0"

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        if not operand.shape:
            return f"{operand.name}[1]" if written else operand.name
        return f"{operand.name}[{', '.join(map(str, indices(operand.shape, position, first=1)))}]"

    def fetch(self, slot: int, value_type: str) -> str:
        value = super().fetch(slot, value_type)
        return f"{self.real}({value})" if value_type == NARROW and self.program.wide else value

    # -- files ---------------------------------------------------------------------------------------------------

    def texts(self) -> dict[str, list[str]]:
        name, pieces = self.listing.name, self.pieces()
        lines = [*(f"# {line}".rstrip() for line in self.listing.title), *self.described("#   "), ""]
        lines += [*(text for op, text in _HELPERS.items() if op in self.uses), ""]
        body = self._checks()
        if len(pieces) == 1:
            body += ["@inbounds begin", *indented(pieces[0].lines), "end"]
        else:
            body += [f"{SCRATCH} = zeros({self.memory}, {self.program.slots})"]
            for k, piece in enumerate(pieces):
                lines += [*self._part(k, piece), ""]
                body.append(f"{name}_part{k}!({', '.join(piece.arguments)})")
        return {"jl": [*lines, *self._functions(body)]}

    def _checks(self) -> list[str]:
        return [
            f'size({o.name}) == {_tuple(o)} || error("{self.listing.name}: the size of {o.name} must be {_tuple(o)}")'
            for o in (*self.operands, *self.results)
            if o.shape
        ]

    def _part(self, k: int, piece: Piece) -> list[str]:
        body = ["@inbounds begin", *indented(piece.lines), "end", "return nothing"]
        return [f"function {self.listing.name}_part{k}!({', '.join(piece.arguments)})", *indented(body), "end"]

    def _functions(self, body: Sequence[str]) -> list[str]:
        name, inputs = self.listing.name, ", ".join(o.name for o in self.operands)
        results = ", ".join(r.name for r in self.results)
        lines = [f"function {name}!({results}, {inputs})", *indented([*body, "return nothing"]), "end", ""]
        made = [f"{r.name} = zeros({self.real}, {', '.join(map(str, r.shape or (1,)))})" for r in self.results]
        given = ", ".join(r.name if r.shape else f"{r.name}[1]" for r in self.results)
        body = [*made, f"{name}!({results}, {inputs})", f"return {given}"]
        return [*lines, f"function {name}({inputs})", *indented(body), "end"]

    def self_test(self) -> list[str]:
        name = self.listing.name
        lines = [f"# {name}: states and the results that they should give. Exit status 0: all is well."]
        lines += [f'include("{name}.jl")', "", _COMPARE.format(tolerance=repr(self.listing.tolerance)), ""]
        arguments = ", ".join(o.name for o in self.operands)
        lines += ["function check()", "    good = true"]
        for k, state in enumerate(self.listing.states):
            for operand, values in zip(self.operands, state.inputs):
                lines += _array(operand.name, operand.shape, [self.constant(x) for x in values])
            results = ", ".join(r.name for r in self.results)
            lines += [f"    {results} = {name}({arguments})"]
            for result, values in zip(self.results, state.results):
                expected = [number(x, "Inf", "NaN") for x in values]
                lines += _array(f"expected_{result.name}", result.shape, expected)
                call = f'compare({k + 1}, "{result.name}", {result.name}, expected_{result.name})'
                lines += [f"    good = {call} && good"]
        message = f'println("{name}: ", good ? "{len(self.listing.states)} states as expected" : "WRONG")'
        return [*lines, "    return good", "end", "", "good = check()", message, "exit(good ? 0 : 1)"]


def _tuple(operand: Operand) -> str:
    return f"({', '.join(map(str, operand.shape))}{',' * (len(operand.shape) == 1)})"


def _array(name: str, shape: tuple[int, ...], values: Sequence[str]) -> list[str]:
    """A statement that makes an array from its numbers in row-major order."""
    if not shape:
        return [f"    {name} = {values[0]}"]
    text = f"[{', '.join(values)}]"
    if len(shape) > 1:
        axes = tuple(range(len(shape), 0, -1))
        text = f"permutedims(reshape({text}, {tuple(reversed(shape))}), {axes})"
    return wrapped(f"{name} = {text}", "    ")
