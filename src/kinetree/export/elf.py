"""What a linker would look for: the undefined symbols of an object file in ELF."""

from __future__ import annotations

import struct

_SYMTAB = 2  # type of a section


def undefined_symbols(content: bytes) -> list[str]:
    """The names that other files must define, of a little-endian object of 32 or 64 bits."""
    wide = content[4] == 2
    at, size, count = (40, 58, 60) if wide else (32, 46, 48)  # of the section headers, in the file's header
    (first,) = struct.unpack_from("<Q" if wide else "<I", content, at)
    (size,), (count,) = (struct.unpack_from("<H", content, x) for x in (size, count))
    form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    sections = [struct.unpack_from(form, content, first + k * size) for k in range(count)]
    found: list[str] = []
    for _, kind, _, _, offset, length, link, _, _, each in sections:
        if kind != _SYMTAB:
            continue
        names = sections[link][4]
        for k in range(1, length // each):  # the first is none
            name, section = _symbol(content, offset + k * each, wide)
            if section == 0:
                start = names + name
                found.append(content[start : content.index(b"\0", start)].decode())
    return found


def _symbol(content: bytes, at: int, wide: bool) -> tuple[int, int]:
    """Where the name of a symbol is in the table of strings, and the section that defines it."""
    if wide:
        name, _, _, section = struct.unpack_from("<IBBH", content, at)
    else:
        name, _, _, _, _, section = struct.unpack_from("<IIIBBH", content, at)
    return name, section
