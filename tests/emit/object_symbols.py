"""The symbols of object files in the formats of Linux, Windows and macOS: those that they have, and those they need."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from kinetree.export.elf import shared_symbols


class Symbols(NamedTuple):
    """Names as in LLVM IR, without the underscore that macOS puts before them."""

    defined: set[str]
    undefined: set[str]


def symbols(content: bytes) -> Symbols:
    """Those of a relocatable object file of 64 bits, little-endian."""
    listed: Iterable[tuple[str, bool]]
    if content.startswith(b"\x7fELF"):
        listed = shared_symbols(content)
    elif content.startswith(b"\xcf\xfa\xed\xfe"):
        listed = _mach_o(content)
    else:
        listed = _coff(content)
    found = Symbols(set(), set())
    for name, is_defined in listed:
        (found.defined if is_defined else found.undefined).add(name)
    return found


def _text(content: bytes, first: int) -> str:
    return content[first : content.index(b"\0", first)].decode()


def _mach_o(content: bytes) -> list[tuple[str, bool]]:
    (commands,) = struct.unpack_from("<I", content, 16)
    listed, at = [], 32
    for _ in range(commands):
        kind, size, first, count, texts = struct.unpack_from("<5I", content, at)
        if kind == 2:  # LC_SYMTAB
            for k in range(count):
                name, flags = struct.unpack_from("<IB", content, first + 16 * k)
                if flags & 1:  # not local
                    assert _text(content, texts + name).startswith("_")
                    listed.append((_text(content, texts + name)[1:], flags & 0x0E != 0))
        at += size
    return listed


def _coff(content: bytes) -> list[tuple[str, bool]]:
    machine, _, _, first, count = struct.unpack_from("<HHIII", content)
    assert machine in (0x8664, 0xAA64), hex(machine)
    texts, listed, k = first + 18 * count, [], 0
    while k < count:
        entry = content[first + 18 * k : first + 18 * (k + 1)]
        zeros, offset = struct.unpack_from("<II", entry)
        name = entry[:8].rstrip(b"\0").decode() if zeros else _text(content, texts + offset)
        section, _, kind, more = struct.unpack_from("<hHBB", entry, 12)
        if kind == 2:  # not local
            listed.append((name, section != 0))
        k += 1 + more
    return listed
