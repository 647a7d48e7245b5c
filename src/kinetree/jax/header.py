"""Where the fields of XLA's structs are: read from the C header that comes with JAX.

XLA promises the layout of a struct within a version of its interface only; with the header of the installed version
nothing is guessed. A header that can't be read this way, or that lacks a field, is a `CompileError`.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import re
import struct
from functools import cache
from pathlib import Path

import jax

from kinetree.errors import CompileError

_PREFIX = "XLA_FFI_"
_SIZES = {"size_t": 8, "int64_t": 8, "int": 4, "int32_t": 4, "uint32_t": 4}
_STRUCTS = (
    "Extension_Base", "Api_Version", "Args", "Rets", "Attrs", "Buffer", "CallFrame", "Metadata", "Metadata_Extension",
    "Error_Create_Args", "Error_Destroy_Args", "Future_Create_Args", "Future_SetAvailable_Args", "Future_SetError_Args",
    "ThreadPool_NumThreads_Args", "ThreadPool_Schedule_Args", "Stream_Get_Args", "DeviceMemory_Allocate_Args",
    "DeviceMemory_Free_Args", "Api",
)  # fmt: skip


@cache
def layout() -> dict[str, int]:
    """Offsets such as "CallFrame.api", sizes ("CallFrame"), enumerations ("DataType_F64") and the version."""
    path = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    try:
        return parsed(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise CompileError(f"the layout of XLA's structs can't be read from {path}: {error!r}") from error


def parsed(text: str) -> dict[str, int]:
    """The layout that the text of a header says."""
    if struct.calcsize("P") != 8:
        raise CompileError("XLA's structs are known for 64-bit machines only")
    text = re.sub(r"//[^\n]*", "", text)
    text = text.replace("XLA_FFI_InternalExtension", "XLA_FFI_Extension_Base")  # its name since version 0.4
    text = re.sub(r"_XLA_FFI_API_STRUCT_FIELD\((\w+)\)", r"\1* \1", text)
    found = {name: int(value) for name, value in re.findall(r"\bXLA_FFI_(\w+)\s*=\s*(\d+)\b", text)}
    for name in ("API_MAJOR", "API_MINOR"):
        found[name] = int(re.findall(rf"#define XLA_FFI_{name} (\d+)", text)[0])
    if found["API_MAJOR"] != 0:
        raise CompileError(f"version {found['API_MAJOR']} of XLA's foreign function interface is not known")
    header = _Header(text)
    for name in _STRUCTS:
        fields, end = header.fields(_PREFIX + name)
        found |= {f"{name}.{field.removeprefix(_PREFIX)}": offset for field, (offset, _) in fields.items()}
        # the size that a struct says of itself ends with a field that the header names, if it does
        last = re.search(rf"XLA_FFI_DEFINE_STRUCT_TRAITS\({_PREFIX}{name},\s*(\w+)\)", text)
        found[name] = sum(fields[last[1]]) if last else end
    return found


class _Header:
    """The structs of a header, without comments."""

    def __init__(self, text: str) -> None:
        self.bodies = dict(re.findall(r"struct (\w+) \{(.*?)\n\}", text, re.DOTALL))
        enums = re.findall(r"typedef enum \{[^}]*\} (\w+);", text)
        named = re.findall(r"typedef (\w+) (\w+);", text)
        self.sizes = {**_SIZES, **dict.fromkeys(enums, 4), **{new: _SIZES[old] for old, new in named if old in _SIZES}}

    def fields(self, name: str) -> tuple[dict[str, tuple[int, int]], int]:
        """Offset and size of each field in order, and the size of the whole [bytes]."""
        places: dict[str, tuple[int, int]] = {}
        end, widest = 0, 1
        for declared in self.bodies[name].split(";")[:-1]:
            kind, field = declared.rsplit(None, 1)
            kind = kind.removeprefix("const ").strip()
            size = align = 8
            pointer = "*" in declared
            if "(" in declared:  # a pointer to a function
                field = declared.split("(*")[1].split(")")[0]
            elif not pointer and kind in self.bodies:
                size = self.fields(kind)[1]
            elif not pointer:
                size = align = self.sizes[kind]
            end += -end % align
            places[field.strip("* ")] = end, size
            end, widest = end + size, max(widest, align)
        return places, end + -end % widest
