"""What a linker sees of an object file in ELF: the names that it shares with others."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_SYMTAB = 2  # type of a section


def undefined_symbols(content: bytes) -> list[str]:
    """The names that other files must define."""
    return [name for name, is_defined in shared_symbols(content) if not is_defined]


def shared_symbols(content: bytes) -> Iterator[tuple[str, bool]]:
    """Names that are not local, each with whether it is defined here; of little-endian objects of 32 or 64 bits."""
    wide = content[4] == 2
    at, size, count = (40, 58, 60) if wide else (32, 46, 48)  # of the section headers, in the file's header
    (first,) = struct.unpack_from("<Q" if wide else "<I", content, at)
    (size,), (count,) = (struct.unpack_from("<H", content, x) for x in (size, count))
    form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    sections = [struct.unpack_from(form, content, first + k * size) for k in range(count)]
    for _, kind, _, _, offset, length, link, _, _, each in sections:
        if kind == _SYMTAB:
            names = sections[link][4]
            for symbol in range(offset, offset + length, each):
                name, info, section = _symbol(content, symbol, wide)
                if info >> 4:  # not local
                    yield content[names + name : content.index(b"\0", names + name)].decode(), section != 0


def _symbol(content: bytes, at: int, wide: bool) -> tuple[int, int, int]:
    """Where the name of a symbol is in the table of strings, who sees it, and the section that defines it."""
    if wide:
        name, info, _, section = struct.unpack_from("<IBBH", content, at)
    else:
        name, _, _, info, _, section = struct.unpack_from("<IIIBBH", content, at)
    return name, info, section
