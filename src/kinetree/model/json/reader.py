"""A mechanism from the JSON text that `json_text` writes.

The text is untrusted: size, depth and the length of numbers are bounded; keys that nobody knows, keys that occur
twice, numbers that are not finite and values of the wrong type are refused with their location in the file.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from kinetree.errors import ModelFileError
from kinetree.model import Mechanism
from kinetree.model.json.form import shape_of
from kinetree.model.json.location import Location, Refused, shown
from kinetree.model.json.writer import FORMAT, VERSION
from kinetree.model.text.file import MAX_BYTES, MAX_DIGITS, TOO_SMALL, Source, read_text, vanishes

MAX_PARTS = 1_000_000  # objects and lists; a robot of a hundred bodies has 2,000


def mechanism_from_json(source: Source) -> Mechanism:
    """The mechanism that `json_text` wrote.

    Args:
        source: the path of a file, or the text itself (a str that begins with "{").
    """
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("{"):
        file, text = "text", source.lstrip("\ufeff")
    else:
        file, text = read_text(source, "the path of a file, or text that begins with {")
    location = Location(file)
    try:
        return _mechanism(_parsed(text, location), location)
    except RecursionError:
        raise location.error("values are nested too deep") from None


def _mechanism(value: Any, location: Location) -> Mechanism:
    if location.checked(value, dict, "an object").get("format") != FORMAT:
        given = shown(value["format"]) if "format" in value else "missing"
        raise location.error(f'the "format" is {given}; expected {FORMAT!r}, the form that `to_json` writes')
    if "version" not in value:
        raise location.error(f'there is no "version", which must be given; this Kinetree writes version {VERSION}')
    version = value["version"]
    if type(version) is not int or version < 1:
        raise location.key("version").expected(f"an integer from 1 to {VERSION}", version)
    if version > VERSION:
        remedy = f"this one reads up to version {VERSION}: update it"
        raise location.error(f"version {version} was written by a newer Kinetree; {remedy}")
    rest = {key: item for key, item in value.items() if key not in ("format", "version")}
    return shape_of(Mechanism).read(rest, location)


# -- text --------------------------------------------------------------------------------------------------------------


def _parsed(text: str, location: Location) -> Any:
    if len(text) > MAX_BYTES:
        raise location.error(f"there are {len(text)} characters; model files may have {MAX_BYTES}")
    if text.count("{") + text.count("[") > MAX_PARTS:
        raise location.error(f"there are more than {MAX_PARTS} objects and lists, more than any model needs")
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_number, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        message = f"not readable as JSON: {error.msg}"
        raise ModelFileError(f"{location.file}, line {error.lineno}: {message}") from None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        return Refused(f"the key {shown(twice)} occurs twice in one object; remove one of them")
    return found


def _number(text: str) -> Any:
    value = float(text) if len(text) <= MAX_DIGITS else math.nan
    if vanishes(text, value):
        return Refused(f"{text} {TOO_SMALL}")
    return value if math.isfinite(value) else _constant(text)


def _integer(text: str) -> Any:
    return int(text) if len(text) <= MAX_DIGITS else _constant(text)


def _constant(text: str) -> Any:
    short = text if len(text) <= 2 * MAX_DIGITS // 10 else f"{text[:20]}..."
    return Refused(f"{short} is not a finite number such as -1.5 or 2e-3 of at most {MAX_DIGITS} digits")
