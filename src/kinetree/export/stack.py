"""How much stack a call takes: the frames of functions, from their text in assembly language.

LLVM can't be asked through llvmlite, but whatever a function takes from the stack it takes in its first instructions,
which look alike in all functions of a processor. The tests compare with what a processor has really written to.
"""

from __future__ import annotations

import re

# instructions that move the stack pointer down, by how many bytes; or as many registers of so many bytes
_BYTES = (
    re.compile(r"\tsub(?:\.w|w)?\tsp, (?:sp, )?#(?P<n>\d+)(?P<page>, lsl #12)?$"),  # Arm, AArch64
    re.compile(r", \[sp, #-(?P<n>\d+)\]!$"),  # AArch64
    re.compile(r"\tsubq\t\$(?P<n>\d+), %rsp$|\tleaq\t-(?P<m>\d+)\(%rsp\), %rsp$"),  # x86-64
)
_REGISTERS = (
    (re.compile(r"\tpush(?:\.w)?\t\{(?P<list>.*)\}$"), 4),  # Arm
    (re.compile(r"\tvpush\t\{(?P<list>.*)\}$"), 8),
    (re.compile(r"\tpushq\t(?P<list>.*)$"), 8),  # x86-64
)
_PAGE = 4096
_RETURN = 8  # bytes that a call takes itself, on x86-64


def stack_bytes(assembly: str, name: str) -> int:
    """The stack of a call of this function: its own frame, and the largest of those that it calls one by one."""
    frames: dict[str, int] = {}
    label = ""
    for line in assembly.splitlines():
        if start := re.fullmatch(r"([\w.]+):.*", line):
            label = start[1] if not start[1].startswith(".L") else label
        frames[label] = frames.get(label, 0) + _taken(line)
    call = _RETURN if "%rsp" in assembly or "retq" in assembly else 0
    return frames[name] + call + max((x + call for part, x in frames.items() if part.startswith(f"{name}.")), default=0)


def _taken(line: str) -> int:
    """The bytes that an instruction takes."""
    for pattern in _BYTES:
        if found := pattern.search(line):
            groups = found.groupdict()
            return int(groups["n"] or groups["m"]) * (_PAGE if groups.get("page") else 1)
    for pattern, size in _REGISTERS:
        if found := pattern.search(line):
            return size * len(found["list"].split(","))
    return 0
