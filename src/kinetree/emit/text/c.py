"""C99: a header, a source and a self-test; nothing is allocated, and nothing but the mathematics of libm is called."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.emit.text.language import BOOLEAN, INFIX, NARROW, SCRATCH, WIDE, Language, Piece, calls
from kinetree.emit.text.literals import indented, number, words, wrapped
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
    **calls({"abs": "fabs"}, suffix="{f}"),
    "sign": "{0} > 0 ? 1 : {0} < 0 ? -1 : {0}",
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

    name = suffix = "c"
    repeats = True
    reals = ("double", "float")
    reserved = KEYWORDS | FUNCTIONS | {f"{name}f" for name in FUNCTIONS}
    operations = OPERATIONS

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
        return number(value, f"({C.reals[single]})INFINITY", "NAN", "f" * single, single=single)

    def define(self, name: str, value_type: str, value: str) -> str:
        return f"const { {BOOLEAN: 'int', NARROW: self.real, WIDE: 'double'}[value_type] } {name} = {value};"

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        return f"{operand.name}[{position}]" if operand.shape or written else operand.name

    def fetch(self, slot: int, value_type: str) -> str:
        cast = f"({self.real})" if value_type == NARROW and self.memory != self.real else ""
        return cast + super().fetch(slot, value_type)

    # -- files ---------------------------------------------------------------------------------------------------

    def texts(self) -> dict[str, list[str]]:
        return {"h": self._header(), "c": self._source()}

    def comment(self) -> list[str]:
        """What the function does and takes."""
        last = "Arrays are row-major; results must not overlap the arguments."
        text = [*self.listing.title, "", *self.described(), "", last]
        if self.program.slots and len(self.program.parts) > 1:
            item = 4 if self.memory == "float" else 8
            text += [f"Stack: about {item * self.program.slots} bytes of scratch memory, and the frame of one part."]
        return ["/*", *(f" * {line}".rstrip() for line in text), " */"]

    def _signature(self, name: str, operands: Sequence[Operand], results: Sequence[Operand], restrict: str = "") -> str:
        inputs = [
            f"const {self.real} {o.name}[{restrict}{o.size}]" if o.shape else f"{self.real} {o.name}" for o in operands
        ]
        outputs = [f"{self.real} {r.name}[{restrict}{r.size}]" for r in results]
        return f"void {name}({', '.join([*inputs, *outputs])})"

    def _header(self) -> list[str]:
        guard = f"{self.listing.name.upper()}_H"
        opening, closing = (["#ifdef __cplusplus", text, "#endif", ""] for text in ('extern "C" {', "}"))
        lines = [*self.comment(), f"#ifndef {guard}", f"#define {guard}", "", *opening]
        lines += [f"{self._signature(self.listing.name, self.arguments, self.written)};", ""]
        return [*lines, *closing, "#endif"]

    def _source(self) -> list[str]:
        lines = [*self.comment(), f'#include "{self.listing.name}.h"', "", "#include <math.h>", ""]
        pieces = self.pieces()
        if len(pieces) == 1:
            body = list(pieces[0].lines)
        else:
            body = [f"{self.memory} {SCRATCH}[{self.slots}];"]
            for k, piece in enumerate(pieces):
                lines += [*self._part(k, piece), ""]
                body.append(f"part{k}({', '.join(piece.arguments)});")
        unused = [f"(void){name};" for name in self.unread(pieces)]
        body = [*unused, *body]
        whole = self._signature(self.listing.name, self.arguments, self.written, "restrict ")
        if self.program.repeats:
            step = f"static {self._signature('step', self.operands, self.results, 'restrict ')}"
            lines += [step, "{", *indented(body), "}", ""]
            body = self._repeated()
        return [*lines, whole, "{", *indented(body), "}"]

    def _repeated(self) -> list[str]:
        """Steps from a copy of the arguments, until there is none again."""
        named = dict(zip((r.name for r in self.program.results), self.results))
        states = {o: named[old.name] for old, o in zip(self.program.operands, self.operands) if old.name in named}
        again, now = self.results[-1].name, {o: f"{o.name}_now" for o in states}

        def copied(o: Operand, source: str, first: str = "") -> str:
            each = f"for (int k = 0; k < {o.size}; ++k) {now[o]}[k] = {source}[k];"
            return each if o.shape else f"{now[o]} = {source}{first};"

        zeros = {o: " = {0}" for o in states if o not in self.arguments}
        lines = [f"{self.real} {now[o]}{f'[{o.size}]' * bool(o.shape)}{zeros.get(o, '')};" for o in states]
        lines += [f"{self.real} {r.name}[{r.size}];" for r in self.results if r not in self.written]
        lines += [copied(o, o.name) for o in states if o not in zeros]
        call = f"step({', '.join([*(now.get(o, o.name) for o in self.operands), *(r.name for r in self.results)])});"
        after = [copied(o, r.name, "[0]") for o, r in states.items()]
        return [*lines, "do {", *indented([call, *after]), f"}} while ({again}[0] > 0);"]

    def _part(self, k: int, piece: Piece) -> list[str]:
        arguments = [f"const {self.real} *{o.name}" if o.shape else f"{self.real} {o.name}" for o in piece.operands]
        arguments += [f"{self.real} *{r.name}" for r in piece.results]
        arguments += [f"{self.memory} *{SCRATCH}"] * piece.scratch
        head = f"static void part{k}({', '.join(arguments).replace(' *', ' *restrict ')})"
        return [head, "{", *indented(piece.lines), "}"]

    def self_test(self) -> list[str]:
        listing = self.listing
        lines = [f"/* {listing.name}: states and the results that they should give. Exit status 0: all is well. */"]
        lines += ["#include <math.h>", "#include <stdio.h>", "", f'#include "{self.included}"', ""]
        lines += [COMPARE.format(real=self.real, tolerance=repr(listing.tolerance)), ""]
        for k, state in enumerate(listing.states):
            lines += [f"static void state{k + 1}(void)", "{"]
            for operand, values in zip(self.operands, state.inputs):
                if operand in self.arguments:
                    lines += self._values(operand, self.real, [C.constant(self, x) for x in values])
            for result, values in zip(self.results, state.results):
                if result not in self.written:
                    continue
                expected = Operand(f"expected_{result.name}", (result.size,))
                lines += [f"    {self.real} {result.name}[{result.size}];"]
                lines += self._values(expected, "double", [number(x, "INFINITY", "NAN") for x in values])
            lines += [f"    {self.called}({', '.join(o.name for o in (*self.arguments, *self.written))});"]
            for result in self.written:
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
