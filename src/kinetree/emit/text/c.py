"""C99: a header, a source and a self-test; nothing is allocated, and nothing but the mathematics of libm is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinetree.emit.text.language import BOOLEAN, INFIX, NARROW, SCRATCH, WIDE, Language, Piece
from kinetree.emit.text.literals import indented, joined, number, words, wrapped
from kinetree.graph.node import Node
from kinetree.lower.program import Operand

KEYWORDS = words(
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof and and_eq asm bitand bitor bool catch class compl concept consteval constexpr constinit "
    "const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires "
    "static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor "
    "xor_eq main INFINITY NAN linux unix"
)
FUNCTIONS = words(
    "fma sin cos atan2 sqrt fabs copysign floor rint acos asin atan cosh sinh tanh exp exp2 expm1 log log10 log1p log2 "
    "logb pow cbrt hypot erf erfc lgamma tgamma gamma ceil trunc round lround lrint fmod modf remainder nan fdim fmax "
    "fmin frexp ldexp ilogb scalb nextafter tan isnan isfinite signbit printf puts remove rename"
)

COMPARE = """\
static int wrong = 0;

static void compare(int state, const char *name, int size, const {real} *found, const double *expected)
{{
    double scale = 0.0;
    int k;
    for (k = 0; k < size; ++k)
        if (isfinite(expected[k]) && fabs(expected[k]) > scale)
            scale = fabs(expected[k]);
    for (k = 0; k < size; ++k) {{
        const double x = (double)found[k], y = expected[k];
        const int same = x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= {tolerance} * scale;
        if (!same) {{
            printf("state %d: %s[%d] is %.17g, expected %.17g\\n", state, name, k, x, y);
            wrong = 1;
        }}
    }}
}}"""

OPERATIONS = {
    **INFIX,
    "fma": "fma{f}({0}, {1}, {2})",
    "sin": "sin{f}({0})",
    "cos": "cos{f}({0})",
    "atan2": "atan2{f}({0}, {1})",
    "sqrt": "sqrt{f}({0})",
    "abs": "fabs{f}({0})",
    "sign": "{0} > 0 ? 1 : {0} < 0 ? -1 : {0}",
    "copysign": "copysign{f}({0}, {1})",
    "floor": "floor{f}({0})",
    "rint": "rint{f}({0})",
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "xor": "{0} != {1}",
    "not": "!{0}",
    "select": "{0} ? {1} : {2}",
    "widen": "(double){0}",
    "narrow": "({r}){0}",
}


class C(Language):
    """C99 with float or double."""

    name = "c"
    reserved = KEYWORDS | FUNCTIONS | {f"{name}f" for name in FUNCTIONS}
    operations = OPERATIONS

    @property
    def real(self) -> str:
        """The type of the arguments and results."""
        return "float" if self.single else "double"

    @property
    def included(self) -> str:
        """The file that declares the function."""
        return f"{self.listing.name}.h"

    @property
    def called(self) -> str:
        """The function as others call it."""
        return self.listing.name

    def constant(self, value: float, *, wide: bool = False) -> str:
        single = self.single and not wide
        return number(value, f"({'float' if single else 'double'})INFINITY", "NAN", "f" * single, single=single)

    def define(self, name: str, value_type: str, value: str) -> str:
        return f"const { {BOOLEAN: 'int', NARROW: self.real, WIDE: 'double'}[value_type] } {name} = {value};"

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        return f"{operand.name}[{position}]" if operand.shape or written else operand.name

    def expression(self, node: Node, args: Sequence[str], *, wide: bool) -> str:
        return self.operations[node.op].format(*args, f="f" * (self.single and not wide), r=self.real)

    def fetch(self, slot: int, value_type: str) -> str:
        if value_type == NARROW and self._memory != self.real:
            return f"({self.real}){SCRATCH}[{slot}]"
        return super().fetch(slot, value_type)

    # -- files ---------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, str]:
        name = self.listing.name
        files = {f"{name}.h": joined(self._header()), f"{name}.c": joined(self._source())}
        return {**files, f"{name}_test.c": joined(self.self_test())} if self.listing.states else files

    def comment(self) -> list[str]:
        """What the function does and takes."""
        notes = [f"{o.name}: {_what(o)}{self._note(old)}" for old, o in self._documented()]
        text = [*self.listing.title, "", *notes, "", "Arrays are row-major; results must not overlap the arguments."]
        if self.program.slots and len(self.program.parts) > 1:
            item = 4 if self._memory == "float" else 8
            text += [f"Stack: about {item * self.program.slots} bytes of scratch memory, and the frame of one part."]
        return ["/*", *(f" * {line}".rstrip() for line in text), " */"]

    def _documented(self) -> Iterator[tuple[Operand, Operand]]:
        yield from zip(self.program.operands, self.operands)
        yield from zip(self.program.results, self.results)

    def _note(self, operand: Operand) -> str:
        note = self.listing.notes.get(operand.name)
        return f", {note}" if note else ""

    @property
    def _memory(self) -> str:
        """The type of scratch memory."""
        return "double" if self.program.wide else self.real

    def _signature(self, restrict: str = "") -> str:
        inputs = [
            f"const {self.real} {o.name}[{restrict}{o.size}]" if o.shape else f"{self.real} {o.name}"
            for o in self.operands
        ]
        results = [f"{self.real} {r.name}[{restrict}{r.size}]" for r in self.results]
        return f"void {self.listing.name}({', '.join([*inputs, *results])})"

    def _header(self) -> list[str]:
        guard = f"{self.listing.name.upper()}_H"
        cplusplus = ["#ifdef __cplusplus", 'extern "C" {', "#endif"], ["#ifdef __cplusplus", "}", "#endif"]
        return [
            *self.comment(),
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *cplusplus[0],
            "",
            f"{self._signature()};",
            "",
            *cplusplus[1],
            "",
            "#endif",
        ]

    def _source(self) -> list[str]:
        lines = [*self.comment(), f'#include "{self.listing.name}.h"', "", "#include <math.h>", ""]
        pieces = self.pieces()
        if len(pieces) == 1:
            body = list(pieces[0].lines)
        else:
            body = [f"{self._memory} {SCRATCH}[{max(self.program.slots, 1)}];"]
            for k, piece in enumerate(pieces):
                lines += [*self._part(k, piece), ""]
                body.append(f"part{k}({', '.join(piece.arguments)});")
        read = {o.name for piece in pieces for o in piece.operands}
        unused = [f"(void){o.name};" for o in self.operands if o.name not in read]
        return [*lines, self._signature("restrict "), "{", *indented([*unused, *body]), "}"]

    def _part(self, k: int, piece: Piece) -> list[str]:
        arguments = [f"const {self.real} *{o.name}" if o.shape else f"{self.real} {o.name}" for o in piece.operands]
        arguments += [f"{self.real} *{r.name}" for r in piece.results]
        arguments += [f"{self._memory} *{SCRATCH}"] * piece.scratch
        head = f"static void part{k}({', '.join(arguments).replace(' *', ' *restrict ')})"
        return [head, "{", *indented(piece.lines), "}"]

    def self_test(self) -> list[str]:
        """A program that compares results with what they should be."""
        listing = self.listing
        lines = [f"/* {listing.name}: states and the results that they should give. Exit status 0: all is well. */"]
        lines += ["#include <math.h>", "#include <stdio.h>", "", f'#include "{self.included}"', ""]
        lines += [COMPARE.format(real=self.real, tolerance=repr(listing.tolerance)), ""]
        for k, state in enumerate(listing.states):
            lines += [f"static void state{k + 1}(void)", "{"]
            for operand, values in zip(self.operands, state.inputs):
                lines += self._values(operand, self.real, [C.constant(self, x) for x in values])
            for result, values in zip(self.results, state.results):
                expected = Operand(f"expected_{result.name}", (result.size,))
                lines += [f"    {self.real} {result.name}[{result.size}];"]
                lines += self._values(expected, "double", [number(x, "INFINITY", "NAN") for x in values])
            lines += [f"    {self.called}({', '.join(o.name for o in (*self.operands, *self.results))});"]
            for result in self.results:
                lines += [
                    f'    compare({k + 1}, "{result.name}", {result.size}, {result.name}, expected_{result.name});'
                ]
            lines += ["}", ""]
        calls = [f"    state{k + 1}();" for k in range(len(listing.states))]
        message = f'    printf("{listing.name}: %s\\n", wrong ? "WRONG" : "{len(listing.states)} states as expected");'
        return [*lines, "int main(void)", "{", *calls, message, "    return wrong;", "}"]

    @staticmethod
    def _values(operand: Operand, real: str, values: list[str]) -> list[str]:
        if not operand.shape:
            return [f"    const {real} {operand.name} = {values[0]};"]
        return wrapped(f"const {real} {operand.name}[{operand.size}] = {{{', '.join(values)}}};", "    ")


def _what(operand: Operand) -> str:
    return " x ".join(map(str, operand.shape)) or "a number"
