"""The text of a SYMORO .par file: comments, single values and lists.

    (* Robotname = 'RX90' *)
    NL = 6
    alpha = {0, pi/2, 0, -pi/2, pi/2, -pi/2}

A list may go on over several lines. Names of values are read in any case (older files write Ant, Sigma, Alpha). What
a file leaves out is a list of zeros, unless the geometry needs it.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from kinetree.errors import ModelError, ModelFileError, UnknownNameError
from kinetree.model.text.file import max_bytes, read_text, shown, with_newlines
from kinetree.model.text.formula import formula

MAX_COUNT = 2000  # links and joints; that many are read in two seconds
MAX_TEXT = 2**22  # characters; 2000 links with all their values have half of that
SINGLE = ("NL", "NJ", "NF", "Type", "is_mobile", "is_floating")
INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
EXTERNAL = ("FX", "FY", "FZ", "CX", "CY", "CZ")
BASE_MOTION = ("W0", "WP0", "V0", "VP0")
# how many entries each list has: so many as there are frames, joints, links, or a number
LISTS: Mapping[str, str | int] = {
    **dict.fromkeys(("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta"), "NF"),
    **dict.fromkeys((*INERTIAL, "IA", "FV", "FS", *EXTERNAL), "NL"),
    **dict.fromkeys(("QP", "QDP", "GAM", "eta", "k"), "NJ"),
    **dict.fromkeys((*BASE_MOTION, "G"), 3),
    "Z": 16,
}
REQUIRED = ("NL", "NJ", "ant", "sigma", "d", "r", "alpha", "theta")
_LEFT_OUT = {"mu": "1"}
_KEYS = {key.lower(): key for key in (*SINGLE, *LISTS)}
_STATEMENT = re.compile(r"\s*(?P<key>[A-Za-z_]\w*)[ \t]*=[ \t]*(?P<value>\s*\{[^{}]*\}|[^\n{}]*)", re.ASCII)
_ROBOT = re.compile(r"\(\*\s*Robotname\s*=\s*'([^'\n]{1,200})'")
_TRUTH = {"0": False, "1": True, "false": False, "true": True}


@dataclass(frozen=True)
class Entry:
    """One value, and where it stands."""

    text: str
    file: str
    line: int
    name: str  # such as "alpha[3]"

    def error(self, message: str) -> ModelFileError:
        """The error to raise for this entry."""
        return ModelFileError(f"{self.file}, line {self.line}, {self.name}: {message}")

    def formula(self) -> Any:
        """The entry as a float or a scalar of parameters."""
        try:
            return formula(self.text)
        except ModelError as error:
            raise self.error(str(error)) from None

    def whole(self, low: int, high: int) -> int:
        """The entry as an integer."""
        number = int(self.text) if re.fullmatch(r"\d{1,9}", self.text, re.ASCII) else -1
        if not low <= number <= high:
            raise self.error(f"{shown(self.text)} is not an integer from {low} to {high}")
        return number


@dataclass(frozen=True)
class ParFile:
    """What a file says, by the names that SYMORO gives: single values, and lists of the right lengths."""

    file: str
    name: str
    links: int
    joints: int
    floating: bool
    lists: Mapping[str, tuple[Entry, ...]] = field(repr=False)

    @property
    def loops(self) -> int:
        """How many joints are cut."""
        return self.joints - self.links

    @property
    def frames(self) -> int:
        """Links, cut joints, and the second frame of each cut joint."""
        return self.joints + self.loops

    def entry(self, key: str, number: int) -> Entry:
        """The entry of a link, joint or frame by its number: from 1, or from 0 for links on a floating base."""
        if key not in self.lists:
            return Entry(_LEFT_OUT.get(key, "0"), self.file, 1, f"{key}[{number}]")
        first = 0 if self.floating and LISTS[key] == "NL" else 1
        return self.lists[key][number - first]


def read_par(source: str | os.PathLike[str]) -> ParFile:
    """The content of a file, or of a text: a str with a newline or a comment in it."""
    file, text = _text(source)
    if len(text) > MAX_TEXT:
        raise ModelFileError(f"{file} is larger than the {MAX_TEXT} characters that a .par file may have")
    statements = _statements(file, text)
    for key in REQUIRED:
        if key not in statements:
            raise ModelFileError(f"{file}: there is no {key}; a .par file must have {', '.join(REQUIRED)}")
    single = {key: _single(statements[key]) for key in SINGLE if key in statements}
    links = single["NL"].whole(1, MAX_COUNT)
    joints = single["NJ"].whole(links, MAX_COUNT)
    frames = 2 * joints - links
    if "NF" in single and single["NF"].whole(1, 2 * MAX_COUNT) != frames:
        raise single["NF"].error(
            f"{single['NF'].text} frames; with NL = {links} and NJ = {joints} there are 2 NJ - NL = {frames}: "
            "one for each joint, and a second one for each joint that is cut"
        )
    if "Type" in single:
        single["Type"].whole(0, 2)
    floating = any(_truth(single[key]) for key in ("is_mobile", "is_floating") if key in single)
    counts = {"NF": frames, "NJ": joints, "NL": links + floating}
    lists = {
        key: _entries(statements[key], counts, 0 if floating and size == "NL" else 1)
        for key, size in LISTS.items()
        if key in statements
    }
    robot = _ROBOT.search(text)
    name = robot[1].strip() if robot else ""
    return ParFile(file, name or (Path(file).stem if file != "text" else "robot"), links, joints, floating, lists)


def _text(source: Any) -> tuple[str, str]:
    """The name of the file for messages, and its text."""
    wanted = "the path of a .par file, or its text"
    if not isinstance(source, str | os.PathLike):
        raise ModelFileError(f"can't read a model from a {type(source).__name__}; expected {wanted}")
    if not isinstance(source, str) or not ("\n" in source or "(*" in source):
        return read_text(source, wanted)
    if len(source) > max_bytes():
        raise ModelFileError(f"the text has {len(source)} characters; model files may have {max_bytes()}")
    return "text", with_newlines(source)


# -- statements --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Statement:
    key: str
    value: str
    start: int  # where the value begins in the text
    source: _Source


@dataclass(frozen=True)
class _Source:
    file: str
    newlines: tuple[int, ...]  # where the lines end

    def entry(self, text: str, start: int, name: str) -> Entry:
        begin = start + len(text) - len(text.lstrip())
        return Entry(text.strip(), self.file, self.line(begin), name)

    def line(self, place: int) -> int:
        return 1 + bisect_left(self.newlines, place)

    def error(self, place: int, message: str) -> ModelFileError:
        return ModelFileError(f"{self.file}, line {self.line(place)}: {message}")


def _statements(file: str, text: str) -> dict[str, _Statement]:
    lengths = accumulate(len(line) + 1 for line in text.split("\n"))
    source = _Source(file, tuple(end - 1 for end in lengths))
    text = _without_comments(text, source)
    if not text.strip():
        raise ModelFileError(f"{file}: there is nothing in it; expected values such as NL = 6")
    found: dict[str, _Statement] = {}
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _STATEMENT.match(text, place)
        if match is None:
            place += len(text[place:end]) - len(text[place:end].lstrip())
            raise source.error(place, f"{shown(text[place:end].split(chr(10))[0])} is not of the form name = value")
        key = _KEYS.get(match["key"].lower())
        start = match.start("key")
        if key is None:
            raise source.error(start, str(UnknownNameError("value called", match["key"], _KEYS.values())))
        if key in found:
            raise source.error(start, f"{key} is there twice; remove one of them")
        place = match.end()
        if text[place : place + 1] in ("{", "}"):
            raise source.error(start, f"the braces of {key} are not balanced; expected {key} = {{..., ...}}")
        found[key] = _Statement(key, match["value"], match.start("value"), source)
    return found


def _without_comments(text: str, source: _Source) -> str:
    """The text with every comment replaced by spaces, so that all else keeps its place."""
    parts, place = [], 0
    while (start := text.find("(*", place)) >= 0:
        end = text.find("*)", start + 2)
        if end < 0:
            raise source.error(start, "a comment (* is never closed; expected *)")
        parts += [text[place:start], re.sub(r"[^\n]", " ", text[start : end + 2])]
        place = end + 2
    rest = "".join([*parts, text[place:]])
    if (stray := rest.find("*)")) >= 0:
        raise source.error(stray, "a comment is closed by *) but never opened by (*")
    return rest


def _single(statement: _Statement) -> Entry:
    entry = statement.source.entry(statement.value, statement.start, statement.key)
    if entry.text.startswith("{"):
        raise entry.error("is one value, not a list")
    return entry


def _truth(entry: Entry) -> bool:
    if entry.text.lower() not in _TRUTH:
        raise entry.error(f"{shown(entry.text)} is not one of {', '.join(_TRUTH)}")
    return _TRUTH[entry.text.lower()]


def _entries(statement: _Statement, counts: Mapping[str, int], first: int) -> tuple[Entry, ...]:
    """The entries of a list, numbered from ``first``."""
    key, source = statement.key, statement.source
    count = counts.get(str(LISTS[key]), LISTS[key])
    inner = statement.value.strip()[1:-1]
    if not statement.value.lstrip().startswith("{"):
        raise source.entry(statement.value, statement.start, key).error(f"expected a list {{...}} of {count}")
    start = statement.start + statement.value.index("{") + 1
    cuts, depth = [-1], 0
    for sign in re.finditer(r"[(),]", inner):
        depth += {"(": 1, ")": -1, ",": 0}[sign[0]]
        cuts += [sign.start()] if sign[0] == "," and depth == 0 else []
    ends = [*cuts[1:], len(inner)] if inner.strip() else []
    if depth or len(ends) != count:
        what = "the parentheses in the list are not balanced" if depth else f"{len(ends)} entries"
        last = first + int(count) - 1
        raise source.error(statement.start, f"{key}: {what}; expected {count}, {key}[{first}] to {key}[{last}]")
    spans = [(begin + 1, end) for begin, end in zip(cuts, ends)]
    return tuple(source.entry(inner[a:b], start + a, f"{key}[{i}]") for i, (a, b) in enumerate(spans, first))
