"""Functions of a robot as object code for other processors, through LLVM, with a header and a self-test in C.

No compiler is needed to make it, and no library to link it: nothing is allocated, and sines and cosines are part of the
code. The header says how much stack a call takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.emit.llvm.object import module
from kinetree.emit.text.c import C
from kinetree.errors import CompileError, check_name
from kinetree.export.code import Code
from kinetree.export.elf import undefined_symbols
from kinetree.export.generate import exported_function, function_listing, is_single, named
from kinetree.export.stack import stack_bytes
from kinetree.lower.program import Program, lower
from kinetree.robot import Robot
from kinetree.runtime import native
from kinetree.runtime.function import Function

# what code can be made for: processors with fused multiply-add and float64 in hardware; the first one is the default
_AARCH64 = ("generic", "cortex-a53", "cortex-a72", "cortex-a76", "neoverse-n1")
_X86_64 = ("x86-64-v3", "x86-64-v4")
TRIPLES: Mapping[str, tuple[str, ...]] = {
    "thumbv7em-none-eabihf": ("cortex-m7",),
    "thumbv8.1m.main-none-eabihf": ("cortex-m55", "cortex-m85"),
    **dict.fromkeys(("aarch64-none-elf", "aarch64-linux-gnu", "aarch64-unknown-linux-gnu"), _AARCH64),
    **dict.fromkeys(("x86_64-none-elf", "x86_64-linux-gnu", "x86_64-unknown-linux-gnu"), _X86_64),
}


def object_file(
    robot: Robot | ClosedChain | ParallelRobot | Function,
    algorithm: str | None = None,
    triple: str = "thumbv7em-none-eabihf",
    *,
    cpu: str | None = None,
    dtype: Any = "float64",
    name: str | None = None,
    values: Mapping[str, float] | None = None,
    test: bool = True,
    **options: Any,
) -> Code:
    """A function of a robot as an object file in ELF for another processor.

    Args:
        robot, algorithm, dtype, name, values, test: as for `code`.
        triple: the processor, the system and the calling convention; one of `TRIPLES`.
        cpu: the processor more exactly, one of those of the triple.
        options: frame, external, base and known_forces, as for `code`.

    Returns:
        A `Code` with a header, the object and, in C, a self-test. Iterations are not made into objects.

    Example:
        >>> import kinetree as kt
        >>> code = kt.export.object_file(kt.robots.two_link(), "gravity_forces", dtype="float32", name="weight")
        >>> list(code.files)
        ['weight.h', 'weight.o', 'weight_test.c']
        >>> [line for line in code.header.splitlines() if "Stack" in line or line.startswith("void")]
        [' * Stack: 0 bytes. Nothing is allocated, no library is needed.', 'void weight(const float q[2], float g[2]);']
    """
    check_name("triple", triple, TRIPLES)
    processor = TRIPLES[triple][0] if cpu is None else cpu
    check_name(f"processor of {triple}", processor, TRIPLES[triple])
    single = is_single(dtype)
    function, owner = exported_function(robot, algorithm, options, single)
    listing = function_listing(function, owner, ObjectHeader, algorithm, single=single, values=values, test=test)
    listing = replace(listing, name=named(name, owner, listing.function, ObjectHeader))
    whole = triple if triple.count("-") == 3 else triple.replace("-", "-unknown-", 1)  # LLVM goes by their order
    text = module(listing.program, listing.name, whole)
    content, assembly = native.object_file(text, whole, processor)
    if missing := undefined_symbols(content):
        raise CompileError(f"the code for {processor} would need {', '.join(missing)} from a library; export C instead")
    stack = stack_bytes(assembly, listing.name)
    machine = f"Object code in ELF for {processor}, {triple}."
    takes = f"Stack: {stack} bytes. Nothing is allocated, no library is needed."
    files = ObjectHeader(replace(listing, title=(*listing.title, "", machine, takes))).files()
    header, *test_file = files.items()
    return Code(listing.name, "object", dict([header, (f"{listing.name}.o", content), *test_file]))


class ObjectHeader(C):
    """The declaration of a function in object code, and its self-test."""

    repeats = False

    @classmethod
    def lowered(cls, *shapes: Any, single: bool, repeats: bool) -> Program:
        return lower(*shapes, single=single, tables=False)

    def texts(self) -> dict[str, list[str]]:
        return {"h": self._header()}

    def comment(self) -> list[str]:
        lines = [
            *self.listing.title,
            "",
            *self.described(),
            "",
            "Arrays are row-major; results must not overlap the arguments.",
        ]
        return ["/*", *(f" * {line}".rstrip() for line in lines), " */"]
