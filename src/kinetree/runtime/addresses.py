"""How code in memory addresses its constants, and what is elsewhere.

LLVM's own choice is that all may be anywhere, so that a constant takes an instruction more, for its address. On x86-64
the constants of a module are put beside its code here, so that the instruction that takes one says where it is.
Functions elsewhere may be far: they are called by addresses in a table of the module.
"""

from __future__ import annotations

import re

# llvmlite's memory manager puts all sections of a module together, but counts no room for the jumps by which LLVM
# reaches what it declares, and functions of C that it calls by itself, unless they are asked for from that table
_DECLARED = re.compile(r"^declare (?!.*@llvm\.).*\)", re.MULTILINE)
_LIBRARY = '\n!llvm.module.flags = !{!99}\n!99 = !{i32 7, !"RtLibUseGOT", i32 1}\n'


def are_nearby(triple: str) -> bool:
    """Whether constants are beside the code; elsewhere it was not tried, or stacks are probed by a function."""
    return triple.startswith("x86_64") and "linux" in triple


def options(triple: str) -> dict[str, str]:
    """Of a target machine."""
    return {"codemodel": "small", "reloc": "pic"} if are_nearby(triple) else {}


def with_far_calls(ir: str, triple: str) -> str:
    """A module whose calls reach everywhere."""
    return _DECLARED.sub(r"\g<0> nonlazybind", ir) + _LIBRARY if are_nearby(triple) else ir
