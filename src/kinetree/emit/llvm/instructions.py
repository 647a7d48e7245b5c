"""Operations of the graph as instructions of LLVM IR: on vectors, one state in each lane, or on one state's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kinetree.emit.llvm.layout import Types
from kinetree.graph.node import Node

# operation -> instruction; {t}: the type of the arguments, {v}: its suffix in intrinsics
INSTRUCTIONS = {
    "add": "fadd contract {t} {0}, {1}",
    "sub": "fsub contract {t} {0}, {1}",
    "mul": "fmul contract {t} {0}, {1}",
    "div": "fdiv {t} {0}, {1}",
    "neg": "fneg {t} {0}",
    "fma": "call {t} @llvm.fma.{v}({t} {0}, {t} {1}, {t} {2})",
    "sqrt": "call {t} @llvm.sqrt.{v}({t} {0})",
    "abs": "call {t} @llvm.fabs.{v}({t} {0})",
    "floor": "call {t} @llvm.floor.{v}({t} {0})",
    "rint": "call {t} @llvm.rint.{v}({t} {0})",
    "copysign": "call {t} @llvm.copysign.{v}({t} {0}, {t} {1})",
    "lt": "fcmp olt {t} {0}, {1}",
    "le": "fcmp ole {t} {0}, {1}",
    "eq": "fcmp oeq {t} {0}, {1}",
    "and": "and {b} {0}, {1}",
    "or": "or {b} {0}, {1}",
    "xor": "xor {b} {0}, {1}",
    "not": "xor {b} {0}, {true}",
    "select": "select {b} {0}, {t} {1}, {t} {2}",
    "widen": "fpext {n} {0} to {w}",
    "narrow": "fptrunc {w} {0} to {n}",
}
INTRINSICS = {"fma": 3, "sqrt": 1, "fabs": 1, "floor": 1, "rint": 1, "copysign": 2}


def intrinsics(types: Types) -> Iterator[str]:
    """Their declarations."""
    for name, arity in INTRINSICS.items():
        for t, suffix in dict.fromkeys([(types.narrow, types.suffix), (types.wide, types.wide_suffix)]):
            yield f"declare {t} @llvm.{name}.{suffix}({', '.join([t] * arity)})"


class Operations:
    """The instructions of operations, of which some are on wide values: their templates are filled in once."""

    def __init__(self, types: Types, wide: frozenset[Node]) -> None:
        self.types, self.wide = types, wide
        common = {"b": types.boolean, "n": types.narrow, "w": types.wide, "true": types.true}
        both = {"t": types.narrow, "v": types.suffix}, {"t": types.wide, "v": types.wide_suffix}
        self.templates = [
            {op: text.format("{0}", "{1}", "{2}", **common, **own) for op, text in INSTRUCTIONS.items()} for own in both
        ]
        self.constants: dict[tuple[Node, bool], str] = {}

    def lines(self, result: str, node: Node, name: Callable[[Node], str]) -> Iterator[str]:
        """An operation, given the names of its result and of the values that it takes."""
        if node.op in ("odd", "turned"):
            yield from self._on_bits(result, *map(name, reversed(node.args)))
        else:
            yield f"  {result} = {self._text(node, name)}"

    def _on_bits(self, result: str, turns: str, *number: str) -> Iterator[str]:
        """Whether an integer on top of a double is odd; or a number whose sign is turned by its last bit but one."""
        types, bits = self.types, 8 * self.types.item
        own, held = types.integer(bits), f"{result}.t"
        yield f"  {held} = bitcast {types.wide} {turns} to {types.integer(64)}"
        if not number:
            yield f"  {result} = trunc {types.integer(64)} {held} to {types.boolean}"
            return
        if bits < 64:
            yield f"  {result}.n = trunc {types.integer(64)} {held} to {own}"
            held = f"{result}.n"
        yield f"  {result}.u = shl {own} {held}, {types.literal(f'i{bits}', bits - 2)}"
        yield f"  {result}.s = and {own} {result}.u, {types.literal(f'i{bits}', -1 << (bits - 1))}"
        yield f"  {result}.x = bitcast {types.narrow} {number[0]} to {own}"
        yield f"  {result}.y = xor {own} {result}.x, {result}.s"
        yield f"  {result} = bitcast {own} {result}.y to {types.narrow}"

    def _text(self, node: Node, name: Callable[[Node], str]) -> str:
        is_wide = bool(self.wide) and (node in self.wide or any(arg in self.wide for arg in node.args))
        args = [self.constant(arg, is_wide) if arg.op == "const" else name(arg) for arg in node.args]
        return self.templates[is_wide][node.op].format(*args)

    def constant(self, node: Node, is_wide: bool) -> str:
        text = self.constants.get((node, is_wide))
        if text is None:
            text = self.constants[node, is_wide] = self.types.number(node.value, is_wide=is_wide)
        return text
