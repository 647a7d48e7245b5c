"""The processor that code is made for: this one, or an older one whose instructions this one has too.

``KINETREE_CPU`` names the older one, by a level of x86-64: code in a shared cache or an image then runs on every
machine of that level. It is read once, when code is first needed.
"""

from __future__ import annotations

import os

from kinetree.errors import InputError

VARIABLE = "KINETREE_CPU"
# level -> the features that it has more than the one before, by LLVM's names
_LEVELS = {
    "x86-64": "",
    "x86-64-v2": "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3",
    "x86-64-v3": "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave",
    "x86-64-v4": "+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl",
}
_WIDEST = {"+avx512f", "+avx512dq", "+avx512vl"}


def chosen(triple: str, cpu: str, features: str) -> tuple[str, str]:
    """LLVM's name and the features of the processor to make code for, given those of this machine."""
    name = os.environ.get(VARIABLE)
    if not name:
        return cpu, features
    levels = levels_of(triple, features)
    if name not in levels:
        known = ", ".join(levels) if levels else "only be left out, as levels are those of x86-64"
        raise InputError(f"{VARIABLE} is {name!r}; on this machine ({cpu}) it may be {known}")
    return name, levels[name]


def levels_of(triple: str, features: str) -> dict[str, str]:
    """The levels that a machine has, from the lowest up, each with all its features."""
    found: dict[str, str] = {}
    if is_x86(triple):
        here, own = {*features.split(","), ""}, list[str]()
        for name, more in _LEVELS.items():
            own += filter(None, more.split(","))
            if here.issuperset(own):
                found[name] = ",".join(own)
    return found


def is_x86(triple: str) -> bool:
    return triple.startswith(("x86_64", "i686"))


def vector_bytes(features: str) -> int:
    """The width of vector registers; without a known feature it is that of SSE2 and NEON."""
    here = {*features.split(",")}
    return 64 if here >= _WIDEST else 32 if here & {"+avx", "+avx2"} else 16


def has_fma(triple: str, features: str) -> bool:
    """Whether there is an instruction for a product and a sum with one rounding; else the C library is called."""
    return not is_x86(triple) or "+fma" in features.split(",")
