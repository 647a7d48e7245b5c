"""The binary format of WebAssembly: integers of variable length, sections, and modules without imports.

Reference: WebAssembly Core Specification 2.0, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HEAD = b"\0asm\1\0\0\0"
PAGE = 65536  # bytes
TYPE, FUNCTION, MEMORY, EXPORT, CODE, DATA = 1, 3, 5, 7, 10, 11  # the numbers of sections; 0: one of our own
I32, I64, F64 = 0x7F, 0x7E, 0x7C
END = b"\x0b"


@dataclass(frozen=True)
class FunctionBody:
    """A function: how many numbers it takes and gives, its locals beside them by type, and its instructions."""

    takes: int
    gives: int
    local_counts: tuple[tuple[int, int], ...]  # how many, of which type
    code: bytes


def unsigned(n: int) -> bytes:
    """An integer in groups of seven bits (LEB128)."""
    groups = bytearray()
    while n > 0x7F:
        groups.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes((*groups, n))


def signed(n: int) -> bytes:
    """The same, with a sign."""
    groups = bytearray()
    while not -0x40 <= n < 0x40:
        groups.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes((*groups, n & 0x7F))


def sized(content: bytes) -> bytes:
    """With its length before it."""
    return unsigned(len(content)) + content


def vector(items: Sequence[bytes]) -> bytes:
    """With their number before them."""
    return unsigned(len(items)) + b"".join(items)


def module(
    bodies: Sequence[FunctionBody],
    exports: Mapping[str, int],
    size: int,
    data: Mapping[int, bytes],
    notes: Mapping[str, bytes],
) -> bytes:
    """A module.

    Args:
        bodies: of all functions, in the order of their numbers.
        exports: the numbers of functions by the names that others call them by.
        size: of the memory [bytes]; it is exported as "memory".
        data: what memory holds at the start, by address.
        notes: sections of our own, which no engine reads.
    """
    shapes = [*dict.fromkeys((body.takes, body.gives) for body in bodies)]
    types = [b"\x60" + vector([bytes([F64])] * takes) + vector([bytes([F64])] * gives) for takes, gives in shapes]
    numbers = [unsigned(shapes.index((body.takes, body.gives))) for body in bodies]
    pages = unsigned(-(-size // PAGE))
    named = [sized(name.encode()) + b"\0" + unsigned(number) for name, number in exports.items()]
    named.append(sized(b"memory") + b"\2\0")
    segments = [b"\0\x41" + signed(address) + END + sized(content) for address, content in data.items()]
    sections = [
        (TYPE, vector(types)),
        (FUNCTION, vector(numbers)),
        (MEMORY, vector([b"\1" + pages + pages])),  # it never grows
        (EXPORT, vector(named)),
        (CODE, vector([sized(_locals(body) + body.code + END) for body in bodies])),
        (DATA, vector(segments)),
        *((0, sized(name.encode()) + content) for name, content in notes.items()),
    ]
    return HEAD + b"".join(bytes([number]) + sized(content) for number, content in sections)


def _locals(body: FunctionBody) -> bytes:
    return vector([unsigned(count) + bytes([kind]) for count, kind in body.local_counts if count])


def sections(content: bytes) -> Iterable[tuple[int, bytes]]:
    """The sections of a module, by number."""
    position = len(HEAD)
    while position < len(content):
        number, position = content[position], position + 1
        size, position = read_unsigned(content, position)
        yield number, content[position : position + size]
        position += size


def read_unsigned(content: bytes, position: int) -> tuple[int, int]:
    """An integer, and where it ends."""
    n = shift = 0
    while True:
        group, position = content[position], position + 1
        n |= (group & 0x7F) << shift
        shift += 7
        if not group & 0x80:
            return n, position
