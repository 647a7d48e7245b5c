"""A mechanism as JSON text that loses nothing: see `kinetree.model.json.form`.

The text is ASCII and strict JSON. What fits is on one line, so that a body is a few lines that people can read.
"""

from __future__ import annotations

import json
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import Mechanism
from kinetree.model.json.form import shape_of
from kinetree.model.json.location import Location

FORMAT = "kinetree robot"
VERSION = 1

_WIDTH = 110  # characters of a line
_DEEPEST = 5  # beyond the parts of a joint nothing is broken into lines


def json_text(mechanism: Mechanism) -> str:
    """The whole description of a mechanism; `mechanism_from_json` gives back an equal one.

    Raises `ModelError` for what has no JSON form: joint types that are not of `kinetree.joints`, and numbers that
    are not finite. Limits that are infinite are left out.
    """
    location = Location(f"robot {mechanism.name!r}")
    try:
        written = shape_of(Mechanism).write(mechanism, location)
        return _layout({"format": FORMAT, "version": VERSION, **written}, 0) + "\n"
    except RecursionError:
        raise location.error("its operations on parameters are nested too deep for JSON", ModelError) from None


def _layout(value: Any, level: int) -> str:
    line = json.dumps(value, allow_nan=False)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    plain = isinstance(value, list) and not any(isinstance(item, dict | list) for item in items)
    if plain or not items or level >= _DEEPEST or (level and len(line) + 2 * level <= _WIDTH):
        return line
    indent = "\n" + "  " * (level + 1)
    keys = [json.dumps(key) + ": " for key in value] if isinstance(value, dict) else [""] * len(value)
    inner = ",".join(indent + key + _layout(item, level + 1) for key, item in zip(keys, items))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{inner}{indent[:-2]}{closing}"
