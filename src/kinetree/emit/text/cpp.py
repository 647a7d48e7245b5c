"""C++11: one header with a function template in a namespace of its own.

Float, double, and any other type that has the operators and the functions of <cmath> are template arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.emit.text.c import C
from kinetree.emit.text.language import BOOLEAN, NARROW, SCRATCH, WIDE, Piece
from kinetree.emit.text.literals import indented, number
from kinetree.graph.node import Node

_FUNCTIONS = ("fma", "sin", "cos", "atan2", "sqrt", "fabs", "copysign", "floor", "rint")  # of <cmath>
_WIDTHS = """\
// values that are held in double precision, whatever the scalar is
template <class Scalar> struct widened { typedef Scalar type; };
template <> struct widened<float> { typedef double type; };
"""
OPERATIONS = {
    **C.operations,
    "sign": "{0} > Scalar(0) ? {r}(1) : {0} < Scalar(0) ? {r}(-1) : {0}",
    "widen": "Wide({0})",
    "narrow": "Scalar({0})",
}


class Cpp(C):
    """C++ over any scalar."""

    name = suffix = "cpp"
    repeats = False
    reserved = C.reserved | {"std", "detail", "Scalar", "Wide", "widened"}
    operations = OPERATIONS

    def constant(self, value: float, *, wide: bool = False) -> str:
        scalar = "Wide" if wide else "Scalar"
        text = number(value, "std::numeric_limits<double>::infinity()", "std::numeric_limits<double>::quiet_NaN()")
        return f"{scalar}({text.removeprefix('(').removesuffix(')') if text.startswith('(') else text})"

    def define(self, name: str, value_type: str, value: str) -> str:
        return f"const { {BOOLEAN: 'bool', NARROW: 'Scalar', WIDE: 'Wide'}[value_type] } {name} = {value};"

    def expression(self, node: Node, args: Sequence[str], *, wide: bool) -> str:
        return self.operations[node.op].format(*args, f="", r="Wide" if wide else "Scalar")

    def keep(self, slot: int, value: str, value_type: str) -> str:
        return f"{SCRATCH}[{slot}] = {self._scratch}({value});"

    def fetch(self, slot: int, value_type: str) -> str:
        if value_type == BOOLEAN:
            return f"{SCRATCH}[{slot}] != {self._scratch}(0)"
        return f"{'Wide' if value_type == WIDE else 'Scalar'}({SCRATCH}[{slot}])"

    def result(self, element: str, value: str, value_type: str) -> str:
        return f"{element} = Scalar({value});" if value_type == BOOLEAN else f"{element} = {value};"

    @property
    def included(self) -> str:
        return f"{self.listing.name}.hpp"

    @property
    def called(self) -> str:
        return f"{self.listing.name}::{self.listing.function}"

    @property
    def _scratch(self) -> str:
        return "Wide" if self.program.wide else "Scalar"

    def texts(self) -> dict[str, list[str]]:
        name, pieces = self.listing.name, self.pieces()
        guard = f"{name.upper()}_HPP"
        lines = [*self.comment(), f"#ifndef {guard}", f"#define {guard}", "", "#include <cmath>", "#include <limits>"]
        lines += ["", f"namespace {name} {{", "", "namespace detail {", "", _WIDTHS]
        if len(pieces) == 1:
            body = [*self._using(pieces[0]), *pieces[0].lines]
        else:
            wide = ["typedef typename detail::widened<Scalar>::type Wide;"] if self.program.wide else []
            body = [*wide, f"{self._scratch} {SCRATCH}[{self.slots}];"]
            for k, piece in enumerate(pieces):
                lines += [*self._template(f"part{k}", piece, [*self._using(piece), *piece.lines]), ""]
                body.append(f"detail::part{k}<Scalar>({', '.join(piece.arguments)});")
        unused = [f"(void){name};" for name in self.unread(pieces)]
        whole = Piece((), self.operands, self.results)
        lines += ["}  // namespace detail", "", *self._template(self.listing.function, whole, [*unused, *body])]
        return {"hpp": [*lines, "", f"}}  // namespace {name}", "", "#endif"]}

    def _template(self, name: str, piece: Piece, body: Sequence[str]) -> list[str]:
        arguments = [f"const Scalar {'*' if o.shape else '&'}{o.name}" for o in piece.operands]
        arguments += [f"Scalar *{r.name}" for r in piece.results]
        if piece.scratch:
            scalar = "typename widened<Scalar>::type" if self.program.wide else "Scalar"
            arguments += [f"{scalar} *{SCRATCH}"]
        return ["template <class Scalar>", f"void {name}({', '.join(arguments)})", "{", *indented(body), "}"]

    def _using(self, piece: Piece) -> list[str]:
        """The names that the lines need."""
        text = "\n".join(piece.lines)
        used = [f"using std::{function};" for function in _FUNCTIONS if f" {function}(" in text]
        return [*used, *["typedef typename detail::widened<Scalar>::type Wide;"] * ("Wide" in text)]
