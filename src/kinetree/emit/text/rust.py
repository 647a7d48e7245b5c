"""Rust without the standard library: one module file; the mathematics are those of a C library, linked.

``mod math`` is all that touches the outside. Where there is no C library, its functions are replaced by those of the
crate libm. Rust 1.82 or later.
"""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.emit.text.language import BOOLEAN, INFIX, NARROW, SCRATCH, WIDE, Language, Piece, calls
from kinetree.emit.text.literals import indented, indices, nested, number, words, wrapped
from kinetree.lower.program import Operand

_WORDS = words(
    "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if "
    "impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try "
    "type typeof union unsafe unsized use virtual where while yield f32 f64 u8 i32 math Self"
)
# how many arguments a function of the C library takes
_ARITY = {"sin": 1, "cos": 1, "atan2": 2, "sqrt": 1, "floor": 1, "rint": 1, "fma": 3}
_BITS = {
    "abs": "pub fn abs{f}(x: {t}) -> {t} {{ {t}::from_bits(x.to_bits() & !(1 << {b})) }}",
    "copysign": "pub fn copysign{f}(x: {t}, y: {t}) -> {t} {{\n"
    "        {t}::from_bits((x.to_bits() & !(1 << {b})) | (y.to_bits() & (1 << {b})))\n    }}",
}
_COMPARE = """\
fn compare(state: usize, name: &str, found: &[{real}], expected: &[f64]) -> bool {{
    let scale = expected.iter().filter(|x| x.is_finite()).fold(0.0_f64, |a, x| a.max(x.abs()));
    let mut good = true;
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {{
        let (x, y) = (f64::from(*x), *y);
        if !(x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= {tolerance} * scale) {{
            println!("state {{state}}: {{name}}[{{k}}] is {{x}}, expected {{y}}");
            good = false;
        }}
    }}
    good
}}"""

OPERATIONS = {
    **INFIX,
    **calls({}, "math::", "{f}"),
    "sign": "if {0} > 0.0 {{ 1.0 }} else if {0} < 0.0 {{ -1.0 }} else {{ {0} }}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "not": "!{0}",
    "select": "if {0} {{ {1} }} else {{ {2} }}",
    "widen": "f64::from({0})",
    "narrow": "{0} as {r}",
}


class Rust(Language):
    """Rust with f32 or f64."""

    name, suffix, reals = "rust", "rs", ("f64", "f32")
    reserved = _WORDS
    operations = OPERATIONS

    def constant(self, value: float, *, wide: bool = False) -> str:
        real = "f64" if wide else self.real
        return number(value, f"{real}::INFINITY", f"{real}::NAN", f"_{real}", single=real == "f32")

    def define(self, name: str, value_type: str, value: str) -> str:
        return f"let {name}: { {BOOLEAN: 'bool', NARROW: self.real, WIDE: 'f64'}[value_type] } = {value};"

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        if not operand.shape:
            return f"*{operand.name}" if written else operand.name
        return operand.name + "".join(f"[{k}]" for k in indices(operand.shape, position))

    def result(self, element: str, value: str, value_type: str) -> str:
        return f"{element} = {f'u8::from({value}) as {self.real}' if value_type == BOOLEAN else value};"

    def keep(self, slot: int, value: str, value_type: str) -> str:
        if value_type == BOOLEAN:
            value = f"u8::from({value}) as {self.memory}"
        elif value_type == NARROW and self.memory != self.real:
            value = f"f64::from({value})"
        return super().keep(slot, value, value_type)

    def fetch(self, slot: int, value_type: str) -> str:
        cast = f" as {self.real}" if value_type == NARROW and self.memory != self.real else ""
        return f"{SCRATCH}[{slot}]{' != 0.0' if value_type == BOOLEAN else cast}"

    # -- files ---------------------------------------------------------------------------------------------------

    def texts(self) -> dict[str, list[str]]:
        pieces = self.pieces()
        lines = [*(f"// {line}".rstrip() for line in self.listing.title), *self.described("//   ")]
        lines += ["// Needs core alone, and the functions of math from a C library (or from the crate libm).", ""]
        lines += self._math()
        if len(pieces) == 1:
            body = list(pieces[0].lines)
        else:
            body = [f"let {SCRATCH} = &mut [0.0_{self.memory}; {self.slots}];"]
            for k, piece in enumerate(pieces):
                lines += [*self._declared(f"fn part{k}", piece, piece.lines), ""]
                body.append(f"part{k}({', '.join(piece.arguments)});")
        whole = Piece((), self.operands, self.results)
        return {"rs": [*lines, *self._declared(f"pub fn {self.listing.name}", whole, body)]}

    def _declared(self, head: str, piece: Piece, body: Sequence[str]) -> list[str]:
        arguments = [f"{o.name}: {'&' if o.shape else ''}{self._type(o)}" for o in piece.operands]
        arguments += [f"{r.name}: &mut {self._type(r)}" for r in piece.results]
        arguments += [f"{SCRATCH}: &mut [{self.memory}; {self.slots}]"] * piece.scratch
        allowed = "#[allow(non_snake_case, unused_variables, clippy::all)]"
        return [allowed, f"{head}({', '.join(arguments)}) {{", *indented(body), "}"]

    def _type(self, operand: Operand) -> str:
        return _array(self.real, operand.shape)

    def _math(self) -> list[str]:
        """Declarations of the functions that are used, in the precisions that they are used in."""
        wanted: set[tuple[str, str]] = set()
        for part in self.program.parts:
            for node in part.operations:
                wide = not self.single or any(arg in self.program.wide for arg in node.args)
                wanted.add((node.op, "f64" if wide else "f32"))
        linked, own = [], []
        for op, real in sorted(wanted):
            f, bit = ("f", 31) if real == "f32" else ("", 63)
            if op in _ARITY:
                arguments = ", ".join(f"{letter}: {real}" for letter in "xyz"[: _ARITY[op]])
                linked.append(f"pub safe fn {op}{f}({arguments}) -> {real};")
            elif op in _BITS:
                own += ["#[inline]", *_BITS[op].format(f=f, t=real, b=bit).splitlines()]
        block = ['unsafe extern "C" {', *indented(linked), "}"] if linked else []
        return ["mod math {", *indented([*block, *own]), "}", ""] if block or own else []

    def self_test(self) -> list[str]:
        name = self.listing.name
        lines = [f"// {name}: states and the results that they should give. Exit status 0: all is well."]
        lines += [f"mod {name};", ""]
        lines += [_COMPARE.format(real=self.real, tolerance=repr(self.listing.tolerance))]
        lines += ["", "#[allow(non_snake_case, clippy::all)]", "fn main() {", "    let mut good = true;"]
        for k, state in enumerate(self.listing.states):
            for operand, values in zip(self.operands, state.inputs):
                text = nested([self.constant(x).strip("()") for x in values], operand.shape)
                lines += wrapped(f"let {operand.name}: {self._type(operand)} = {text};", "    ")
            lines += [f"    let mut {r.name}: {self._type(r)} = {_array('0.0', r.shape)};" for r in self.results]
            given = [f"{'&' if o.shape else ''}{o.name}" for o in self.operands]
            lines += [f"    {name}::{name}({', '.join([*given, *(f'&mut {r.name}' for r in self.results)])});"]
            for result, values in zip(self.results, state.results):
                expected = ", ".join(number(x, "f64::INFINITY", "f64::NAN").strip("()") for x in values)
                found = {0: f"&[{result.name}]", 1: f"&{result.name}"}.get(
                    len(result.shape), f"{result.name}{'.as_flattened()' * (len(result.shape) - 1)}"
                )
                lines += wrapped(f'good &= compare({k + 1}, "{result.name}", {found}, &[{expected}]);', "    ")
        told = f'if good {{ "{len(self.listing.states)} states as expected" }} else {{ "WRONG" }}'
        message = f'println!("{name}: {{}}", {told});'
        return [*lines, f"    {message}", "    std::process::exit(!good as i32);", "}"]


def _array(text: str, shape: tuple[int, ...]) -> str:
    """A type, or an array of equal numbers."""
    for size in reversed(shape):
        text = f"[{text}; {size}]"
    return text
