"""A handler of XLA's foreign function interface around an inner loop, or around kernels for GPUs, in LLVM IR.

XLA calls ``XLA_FFI_Error *handler(XLA_FFI_CallFrame *)``. The handler takes the buffers out of the frame and runs the
loop that NumPy runs too, or launches kernels on XLA's stream of a GPU: no copy, no interpreter lock. On the processor,
large batches are cut into pieces that XLA's threads take one after the other; who does the last one completes the
future that XLA waits for, and nobody else waits.

The text is the same for all functions: each has a copy of the code of its own, which is told about the function by its
`description`. Where the fields of XLA's structs are is not known here; `module` is given that. The text has three words
that LLVM has not: ``get`` and ``put`` a field, and ``ask`` a function of XLA's, whose arguments are a struct; names
after a $ are numbers of the layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod

from kinetree.emit.llvm import xla_arrays, xla_cuda, xla_handler, xla_rows, xla_threads
from kinetree.emit.llvm.entries import HANDLER_BIND
from kinetree.emit.llvm.xla_arrays import FIRST
from kinetree.emit.llvm.xla_threads import JOB

PIECE = 1 << 14  # numbers that a piece of a batch reads and writes at least: some ten microseconds of a small robot
ROWS = 64  # pieces are multiples of so many states: no two write to one cache line

# XLA's threads flush small numbers to zero: declarations, how a processor computes as in NumPy, and back
_X86 = (
    "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)",
    "  store i32 8064, ptr %plain\n  call void @llvm.x86.sse.stmxcsr(ptr %mode)\n"
    "  call void @llvm.x86.sse.ldmxcsr(ptr %plain)",
    "  call void @llvm.x86.sse.ldmxcsr(ptr %mode)",
)
_ARM = (
    "declare i64 @llvm.aarch64.get.fpcr()\ndeclare void @llvm.aarch64.set.fpcr(i64)",
    "  %saved = call i64 @llvm.aarch64.get.fpcr()\n  call void @llvm.aarch64.set.fpcr(i64 0)",
    "  call void @llvm.aarch64.set.fpcr(i64 %saved)",
)
_MODES = {"x86_64": _X86, "aarch64": _ARM, "arm64": _ARM}


def description(
    code: int,
    operands: Sequence[tuple[int, ...]],
    results: Sequence[tuple[int, ...]],
    item: int,
    kind: int,
    traits: int = 0,
) -> list[int]:
    """What a handler must know of its function, as 64-bit words.

    Args:
        code: the address of the inner loop, or of the table of `xla_cuda`.
        operands, results: core shapes.
        item: the size of a number [bytes].
        kind: XLA's number of its type.
        traits: of the handler, as XLA numbers them.
    """
    shapes = [*operands, *results]
    strides = [item * prod(shape[d + 1 :]) for shape in shapes for d in range(len(shape))]
    rows = max(ROWS, PIECE // max(1, sum(map(prod, shapes))))
    head = [code, len(operands), len(results), kind, rows, item, len(strides), traits]
    return [*head, *(x for shape in shapes for x in (len(shape), prod(shape))), *strides]


def module(layout: Mapping[str, int], triple: str, *, gpu: bool = False) -> str:
    """The handler, and a function that takes the address of its description.

    Args:
        layout: the offsets of the fields of XLA's structs [bytes], such as "CallFrame.api", their sizes ("CallFrame")
            and the values of enumerations ("DataType_F64"), all without the prefix XLA_FFI_.
        triple: of the machine.
        gpu: whether it launches kernels, instead of running a loop.
    """
    numbers = {**layout, **JOB, "FIRST": 8 * FIRST, "ROWS": ROWS, "MASK": -ROWS, "SCRATCH": xla_cuda.SCRATCH}
    declarations, begin, end = next((mode for name, mode in _MODES.items() if triple.startswith(name)), ("", "", ""))
    rows = xla_rows.TEXT.replace("; plain numbers", begin).replace("; as before", end)
    messages = "".join(_text(*message) + "\n" for message in xla_cuda.MESSAGES.items())
    own = messages + xla_cuda.TEXT if gpu else rows + xla_threads.TEXT
    text = _GLOBALS + xla_arrays.TEXT + own + xla_handler.TEXT
    lines = [line for k, written in enumerate(text.splitlines()) for line in _expanded(written, k, layout)]
    known = re.sub(r"\$([\w.]+)", lambda name: str(numbers[name[1]]), "\n".join(lines))
    return f'target triple = "{triple}"\n{declarations}\n{known}'


_GET = re.compile(r"  (%[\w.]+) = get (\w+) (%[\w.]+) (.+)")
_PUT = re.compile(r"  put (\w+ [^ ]+) (%[\w.]+) (.+)")
_ASK = re.compile(r"  (%[\w.]+) = ask (\w+) ?(.*)")


def _expanded(line: str, k: int, layout: Mapping[str, int]) -> list[str]:
    """A line in the words of LLVM."""
    if match := _GET.fullmatch(line):
        to, kind, pointer, place = match.groups()
        return [f"  %at.{k} = getelementptr i8, ptr {pointer}, i64 {place}", f"  {to} = load {kind}, ptr %at.{k}"]
    if match := _PUT.fullmatch(line):
        value, pointer, place = match.groups()
        return [f"  %at.{k} = getelementptr i8, ptr {pointer}, i64 {place}", f"  store {value}, ptr %at.{k}"]
    if match := _ASK.fullmatch(line):
        to, name, given = match.groups()
        fields = dict(field.split("=") for field in given.split(", ")) if given else {}
        fields = {"struct_size": f"i64 {layout[f'{name}_Args']}", "extension_start": "ptr null", **fields}
        puts = [f"  put {value} %call ${name}_Args.{field}" for field, value in fields.items()]
        puts.append(f"  {to}.f = get ptr %api $Api.{name}")
        inner = [x for j, put in enumerate(puts) for x in _expanded(put, 1000 * (k + 1) + j, layout)]
        return [*inner, f"  {to} = call ptr {to}.f(ptr %call)"]
    return [line]


def _text(name: str, content: str) -> str:
    return f'@{name} = internal constant [{len(content) + 1} x i8] c"{content}\\00"'


_GLOBALS = f"""
@description = internal global ptr null
@one = internal constant i64 1
{_text("no_memory", "kinetree: no memory for the scratch numbers of a function")}
{_text("wrong", "kinetree: structs, number, type or shapes of the arrays are not those that the code was made for")}
declare ptr @PyMem_RawMalloc(i64)
declare void @PyMem_RawFree(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

define void @{HANDLER_BIND}(ptr %description) {{
  store ptr %description, ptr @description
  ret void
}}
"""
