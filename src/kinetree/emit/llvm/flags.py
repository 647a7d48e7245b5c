"""How a processor's floating-point flags are kept, in LLVM IR.

A branch that `select` does not take may divide by zero; NumPy would warn of it if it saw the flag.
"""

from __future__ import annotations

from typing import NamedTuple


class Flags(NamedTuple):
    """Declarations, room for the flags in the first block, and how they are saved and restored."""

    declarations: str = ""
    room: str = ""
    save: str = ""
    restore: str = ""


_X86 = Flags(
    "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)",
    "  %flags = alloca i32",
    "  call void @llvm.x86.sse.stmxcsr(ptr %flags)",
    "  call void @llvm.x86.sse.ldmxcsr(ptr %flags)",
)
_ARM = Flags(
    "declare i64 @llvm.aarch64.get.fpsr()\ndeclare void @llvm.aarch64.set.fpsr(i64)",
    "",
    "  %flags = call i64 @llvm.aarch64.get.fpsr()",
    "  call void @llvm.aarch64.set.fpsr(i64 %flags)",
)
_OF = {"x86_64": _X86, "i686": _X86, "aarch64": _ARM, "arm64": _ARM}


def flags_of(triple: str) -> Flags:
    """Of a processor; nothing where its flags are not known."""
    return next((flags for name, flags in _OF.items() if triple.startswith(name)), Flags())
