"""A program as one module of LLVM IR."""

from __future__ import annotations

from kinetree.emit import llvm, llvm_call, llvm_rows, llvm_stream, llvm_sums
from kinetree.emit.entries import LOOP
from kinetree.emit.llvm import Types
from kinetree.emit.llvm_loop import Loop
from kinetree.lower.program import Program


def module(program: Program, lanes: int, triple: str) -> str:
    """The whole module; its public functions are the inner loop of a generalized ufunc and the direct call."""
    types = Types(program.single, lanes)
    loop = llvm_stream.Stream if llvm_stream.applies(program, types, triple) else Loop
    pieces = [
        f'target triple = "{triple}"',
        *llvm.parts(program, lanes),
        *llvm_sums.parts(program, types),
        *llvm_rows.functions(types),
        "declare ptr @PyMem_RawMalloc(i64)",
        "declare void @PyMem_RawFree(ptr)",
        "declare void @llvm.trap()",
        *loop(program, types, triple).text(),
        *(llvm_call.function(program, LOOP) if llvm_call.applies(program) else ()),
        f'attributes #0 = {{ nounwind "min-legal-vector-width"="{8 * types.bytes}" '
        f'"prefer-vector-width"="{8 * types.bytes}" "no-trapping-math"="true" }}',
    ]
    return "\n".join(pieces)
