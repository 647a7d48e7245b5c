"""A program as modules of LLVM IR, so that threads compile them: its loop, the parts of a large program, the rest.

The rest is the same for all programs, and compiled once: moving rows, and the direct call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial

from kinetree.emit.llvm import call, lines, parts, repeat, rows, stream, sums
from kinetree.emit.llvm.instructions import intrinsics
from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.loop import InnerLoop
from kinetree.lower.program import Program

LARGE = 500  # operations of a program of several modules
EACH, FEW = 800, 4  # operations of a module, about; and so many modules, if they are smaller then


def modules(program: Program, lanes: int, triple: str) -> list[Callable[[], str]]:
    """Functions that give the texts of the modules: the parts of a large program, and last what is around them.

    The public function is the inner loop of a generalized ufunc. `shared` belongs to them.
    """
    groups = _groups(program)
    texts = [partial(_parts, program, lanes, triple, group) for group in groups]
    return [*texts, partial(module, program, lanes, triple, elsewhere={k for group in groups for k in group})]


@cache
def shared(lanes: int, single: bool, triple: str) -> str:
    """The module that all programs need; its public function is the direct call, of float64 alone."""
    types = Types(lanes, single=single)
    direct = "" if single else call.FUNCTION
    return "\n".join([_target(triple), *rows.functions(types), direct, _attributes(types, triple)])


def module(program: Program, lanes: int, triple: str, elsewhere: Iterable[int] = ()) -> str:
    """The module of the loop, without the parts that are elsewhere."""
    types, elsewhere = Types(lanes, single=program.single), {*elsewhere}
    loop = kind_of_loop(program, types, triple)(program, types, triple)
    here = [k for k, part in enumerate(program.parts) if not part.is_table and k not in elsewhere]
    return "\n".join([
        _target(triple),
        *intrinsics(types),
        *parts.functions(program, types, here),
        *(f"declare void @part{k}(ptr)" for k in sorted(elsewhere)),
        *sums.parts(program, types),
        rows.DECLARATIONS,
        "declare ptr @PyMem_RawMalloc(i64)",
        "declare void @PyMem_RawFree(ptr)",
        "declare i32 @PyGILState_Ensure()",
        "declare void @PyGILState_Release(i32)",
        "declare ptr @PyErr_NoMemory()",
        *loop.text(),
        _attributes(types, triple),
    ])  # fmt: skip


def kind_of_loop(program: Program, types: Types, triple: str) -> type[InnerLoop]:
    """By the way in which results that are larger than the cache are best written."""
    if program.repeats:
        return repeat.Repeat
    if stream.applies(program, types, triple):
        return stream.Stream
    return lines.Lines if lines.applies(program, types, triple) else InnerLoop


def _groups(program: Program) -> list[list[int]]:
    """The parts of a large program that go into modules of their own, by their numbers."""
    sizes = {k: len(part.operations) for k, part in enumerate(program.parts) if not part.is_table}
    total = sum(sizes.values())
    if total < LARGE:
        return []
    groups: list[list[int]] = [[]]
    size = 0
    for k in sizes:
        if size >= min(EACH, total // FEW):
            groups.append([])
            size = 0
        groups[-1].append(k)
        size += sizes[k]
    return groups


def _parts(program: Program, lanes: int, triple: str, numbers: Iterable[int]) -> str:
    """A module of some parts."""
    types = Types(lanes, single=program.single)
    head = [_target(triple), *intrinsics(types)]
    return "\n".join([*head, *parts.functions(program, types, numbers, "hidden"), _attributes(types, triple)])


def _target(triple: str) -> str:
    return f'target triple = "{triple}"'


def _attributes(types: Types, triple: str) -> str:
    """Of all functions. A large frame touches its pages in order: the page that guards a stack is not jumped over."""
    width = 8 * types.bytes
    probes = "" if "windows" in triple else '"probe-stack"="inline-asm" '  # Windows has a function for it, __chkstk
    return (
        f'attributes #0 = {{ nounwind "min-legal-vector-width"="{width}" '
        f'"prefer-vector-width"="{width}" {probes}"no-trapping-math"="true" }}'
    )
