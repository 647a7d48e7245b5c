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

    def text(self, node: Node, name: Callable[[Node], str]) -> str:
        """The instruction of an operation, given the names of the values that it takes."""
        is_wide = bool(self.wide) and (node in self.wide or any(arg in self.wide for arg in node.args))
        args = [self.constant(arg, is_wide) if arg.op == "const" else name(arg) for arg in node.args]
        return self.templates[is_wide][node.op].format(*args)

    def constant(self, node: Node, is_wide: bool) -> str:
        text = self.constants.get((node, is_wide))
        if text is None:
            text = self.constants[node, is_wide] = self.types.number(node.value, is_wide=is_wide)
        return text
