"""A program as one module of LLVM IR."""

from __future__ import annotations

from kinetree.emit.llvm import call, parts, rows, stream, sums
from kinetree.emit.llvm.entries import LOOP
from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.loop import InnerLoop
from kinetree.lower.program import Program


def module(program: Program, lanes: int, triple: str) -> str:
    """The whole module; its public functions are the inner loop of a generalized ufunc and the direct call."""
    types = Types(lanes, single=program.single)
    loop = (stream.Stream if stream.applies(program, types, triple) else InnerLoop)(program, types, triple)
    pieces = [
        f'target triple = "{triple}"',
        *parts.parts(program, lanes),
        *sums.parts(program, types),
        *rows.functions(types),
        "declare ptr @PyMem_RawMalloc(i64)",
        "declare void @PyMem_RawFree(ptr)",
        "declare i32 @PyGILState_Ensure()",
        "declare void @PyGILState_Release(i32)",
        "declare ptr @PyErr_NoMemory()",
        "declare ptr @PyErr_Occurred()",
        "declare void @Py_DecRef(ptr)",
        *loop.text(),
        *(call.function(program, LOOP, may_fail=loop.heap) if call.applies(program) else ()),
        f'attributes #0 = {{ nounwind "min-legal-vector-width"="{8 * types.bytes}" '
        f'"prefer-vector-width"="{8 * types.bytes}" "no-trapping-math"="true" }}',
    ]
    return "\n".join(pieces)
