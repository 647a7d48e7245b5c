"""The symbols of object files in the formats of Linux, Windows and macOS: those that they have, and those they need."""

from __future__ import annotations

import struct
from typing import NamedTuple


class Symbols(NamedTuple):
    """Names as in LLVM IR, without the underscore that macOS puts before them."""

    defined: set[str]
    undefined: set[str]


def symbols(content: bytes) -> Symbols:
    """Those of a relocatable object file of 64 bits, little-endian."""
    if content.startswith(b"\x7fELF"):
        listed = _elf(content)
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


def _elf(content: bytes) -> list[tuple[str, bool]]:
    (sections,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", content, sections + k * size) for k in range(count)]
    listed = []
    for _, kind, _, _, first, length, link, *_ in heads:
        if kind == 2:  # a table of symbols; the first one is empty
            for at in range(first + 24, first + length, 24):
                name, info, _, section = struct.unpack_from("<IBBH", content, at)
                if info >> 4:  # not local
                    listed.append((_text(content, heads[link][4] + name), section != 0))
    return listed


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
