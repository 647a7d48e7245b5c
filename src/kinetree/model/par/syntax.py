"""The text of a SYMORO .par file: comments, single values and lists.

    (* Robotname = 'RX90' *)
    NL = 6
    alpha = {0, pi/2, 0, -pi/2, pi/2, -pi/2}

A list may go on over several lines. Names of values are read in any case (older files write Ant, Sigma, Alpha). What
a file leaves out is a list of zeros, unless the geometry needs it. Files that are not UTF-8 are Latin-1: SYMORO+ writes
the address of its authors, "rue de la Noë", into each.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from kinetree.errors import ModelFileError, UnknownNameError
from kinetree.model.text.file import Source, check_length, located, read_text, shown, with_newlines
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
_SIGN = re.compile(r"[(),]")
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
        with located(self.error):
            return formula(self.text)

    def integer(self, low: int, high: int) -> int:
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


def read_par(source: Source) -> ParFile:
    """The content of a file, or of a text: a str with a newline or a comment in it."""
    file, text = _text(source)
    if len(text) > MAX_TEXT:
        raise ModelFileError(f"{file} is larger than the {MAX_TEXT} characters that a .par file may have")
    content, spans = _values(file, text)
    for key in REQUIRED:
        if key not in spans:
            raise ModelFileError(f"{file}: there is no {key}; a .par file must have {', '.join(REQUIRED)}")
    single = {key: content.single(key, *spans[key]) for key in SINGLE if key in spans}
    links = single["NL"].integer(1, MAX_COUNT)
    joints = single["NJ"].integer(links, MAX_COUNT)
    frames = 2 * joints - links
    if "NF" in single and single["NF"].integer(1, 2 * MAX_COUNT) != frames:
        raise single["NF"].error(
            f"{single['NF'].text} frames; with NL = {links} and NJ = {joints} there are 2 NJ - NL = {frames}: "
            "one for each joint, and a second one for each joint that is cut"
        )
    if "Type" in single:
        single["Type"].integer(0, 2)
    floating = any(_truth(single[key]) for key in ("is_mobile", "is_floating") if key in single)
    counts: Mapping[str, Any] = {"NF": frames, "NJ": joints, "NL": links + floating}
    lists = {
        key: content.entries(key, *spans[key], counts.get(str(size), size), 0 if floating and size == "NL" else 1)
        for key, size in LISTS.items()
        if key in spans
    }
    robot = _ROBOT.search(text)
    name = robot[1].strip() if robot else ""
    return ParFile(file, name or (Path(file).stem if file != "text" else "robot"), links, joints, floating, lists)


def _text(source: Source) -> tuple[str, str]:
    """The name of the file for messages, and its text."""
    if isinstance(source, str) and ("\n" in source or "(*" in source):
        check_length(source)
        return "text", with_newlines(source)
    return read_text(source, "the path of a .par file, or its text", otherwise="latin-1")


# -- values ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Text:
    """The text of a file without its comments, and where its lines end."""

    file: str
    text: str
    newlines: tuple[int, ...]

    def entry(self, start: int, end: int, name: str) -> Entry:
        value = self.text[start:end]
        begin = start + len(value) - len(value.lstrip())
        return Entry(value.strip(), self.file, self.line(begin), name)

    def line(self, offset: int) -> int:
        return 1 + bisect_left(self.newlines, offset)

    def error(self, offset: int, message: str) -> ModelFileError:
        return ModelFileError(f"{self.file}, line {self.line(offset)}: {message}")

    def single(self, key: str, start: int, end: int) -> Entry:
        """The value between start and end, which is no list."""
        entry = self.entry(start, end, key)
        if entry.text.startswith("{"):
            raise entry.error("is one value, not a list")
        return entry

    def entries(self, key: str, start: int, end: int, count: int, first: int) -> tuple[Entry, ...]:
        """The entries of the list of so many between start and end, numbered from ``first``."""
        whole = self.entry(start, end, key)
        if not whole.text.startswith("{"):
            raise whole.error(f"expected a list {{...}} of {count}")
        cuts, depth = [self.text.index("{", start)], 0
        for sign in _SIGN.finditer(self.text, cuts[0] + 1, end - 1):
            depth += {"(": 1, ")": -1, ",": 0}[sign[0]]
            cuts += [sign.start()] if sign[0] == "," and depth == 0 else []
        found = len(cuts) if whole.text[1:-1].strip() else 0
        if depth or found != count:
            what = "the parentheses in the list are not balanced" if depth else f"{found} entries"
            raise self.error(start, f"{key}: {what}; expected {count}, {key}[{first}] to {key}[{first + count - 1}]")
        spans = pairwise([*cuts, end - 1])
        return tuple(self.entry(a + 1, b, f"{key}[{i}]") for i, (a, b) in enumerate(spans, first))


def _values(file: str, text: str) -> tuple[_Text, dict[str, tuple[int, int]]]:
    """The text without its comments, and where in it the value behind each name begins and ends."""
    lengths = accumulate(len(line) + 1 for line in text.split("\n"))
    source = _without_comments(_Text(file, text, tuple(end - 1 for end in lengths)))
    text = source.text
    if not text.strip():
        raise ModelFileError(f"{file}: there is nothing in it; expected values such as NL = 6")
    found: dict[str, tuple[int, int]] = {}
    offset, end = 0, len(text.rstrip())
    while offset < end:
        match = _STATEMENT.match(text, offset)
        if match is None:
            wrong = source.entry(offset, end, "")
            first = shown(wrong.text.split("\n")[0])
            raise ModelFileError(f"{file}, line {wrong.line}: {first} is not of the form name = value")
        key = _KEYS.get(match["key"].lower())
        start, offset = match.start("key"), match.end()
        if key is None:
            raise source.error(start, str(UnknownNameError("value called", match["key"], _KEYS.values())))
        if key in found:
            raise source.error(start, f"{key} is there twice; remove one of them")
        if text[offset : offset + 1] in ("{", "}"):
            raise source.error(start, f"the braces of {key} are not balanced; expected {key} = {{..., ...}}")
        found[key] = match.span("value")
    return source, found


def _without_comments(source: _Text) -> _Text:
    """The text with every comment replaced by spaces, so that all else stays where it is."""
    parts, text, offset = [], source.text, 0
    while (start := text.find("(*", offset)) >= 0:
        end = text.find("*)", start + 2)
        if end < 0:
            raise source.error(start, "a comment (* is never closed; expected *)")
        parts += [text[offset:start], re.sub(r"[^\n]", " ", text[start : end + 2])]
        offset = end + 2
    rest = "".join([*parts, text[offset:]])
    if (stray := rest.find("*)")) >= 0:
        raise source.error(stray, "a comment is closed by *) but never opened by (*")
    return replace(source, text=rest)


def _truth(entry: Entry) -> bool:
    if entry.text.lower() not in _TRUTH:
        raise entry.error(f"{shown(entry.text)} is not one of {', '.join(_TRUTH)}")
    return _TRUTH[entry.text.lower()]
