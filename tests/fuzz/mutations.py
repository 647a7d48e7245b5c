"""Files that nobody would write: real ones with something changed, drawn from a seeded generator.

Some mutations know nothing of the format (bytes, spans), some know words and numbers, some know elements and objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

# what stands in place of a number or a word
NASTY = (
    "", " ", "0", "-0", "-1", "1", "1e308", "-1e308", "1e999", "1e-320", "1e-999", "nan", "NaN", "inf", "-Infinity",
    "0x10", "1_0", "1,5", "1e", "٣", "½", "9" * 30, "9" * 400, "0." + "3" * 200, "1e-7", "1e200", "-1e200", "3e160",
    "true", "null", "pi", "pi/0", "9**9**9**9", "x" * 1000, "((((" * 30, "-" * 100, "a.b", "%s", "{0}", "\x00",
    "world", "base", "self", "main", "class", "free", "ball", "floating", "planar", "fixed", "mesh", "parameter",
)  # fmt: skip
ADDRESSES = (
    "../secret.xml", "../../secret.xml", "common/../../secret.xml", "/etc/passwd", "file:///etc/passwd", "link.xml",
    "package://../../etc/passwd", "package://own/../../secret.xml", "package://other/mesh.stl", "http://localhost/x",
    "model.xml", "model.urdf", "part.xml", "common/more.xml", ".", "..", "", "\x00", "x" * 5000,
)  # fmt: skip
PROLOGUES = (
    '<?xml version="1.0" encoding="{}"?>',
    '<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;&a;">]>',
    '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE r SYSTEM "../secret.xml">',
    '<?xml-stylesheet href="../secret.xml"?>',
    "<!-- -->",
    "\ufeff",
)
ENCODINGS = (
    "utf-8", "utf-16", "utf-32", "utf-7", "latin-1", "ascii", "cp037", "idna", "punycode", "undefined", "rot13", "zip",
    "unicode_escape", "raw_unicode_escape", "nonsense", "../secret", "os.path", "shift_jis", "gb18030", "mbcs", "",
)  # fmt: skip
WORD = re.compile(r"[^\s<>\"'=,{}\[\]()/:;]+")
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
ADDRESS = re.compile(r"(?<=file=\")[^\"]*|(?<=filename=\")[^\"]*")
TAG = re.compile(r"<([A-Za-z_][\w.:-]*)[^<>]*?(/?)>")

Mutation = Callable[[Random, str], str]


def mutated(random: Random, content: bytes, suffix: str) -> bytes:
    """The content of a file with one to four mutations."""
    text = content.decode("utf-8", errors="replace")
    choices = [*ON_TEXT, *([on_elements, on_elements, beyond] * 3 if suffix in (".urdf", ".xml") else [])]
    choices += [on_objects] * 12 if suffix == ".json" else []
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = random.choice(choices)(random, text)
    content = text.encode(random.choice(("utf-16", "latin-1")) if random.random() < 0.01 else "utf-8", errors="replace")
    return on_bytes(random, content) if random.random() < 0.15 else content


# -- bytes and spans ---------------------------------------------------------------------------------------------------


def on_bytes(random: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def span(random: Random, text: str) -> tuple[int, int]:
    start = random.randrange(len(text) + 1)
    return start, min(len(text), start + random.choice((1, 2, 5, 20, 100, 1000)))


def without_span(random: Random, text: str) -> str:
    start, end = span(random, text)
    return text[:start] + text[end:]


def with_span_again(random: Random, text: str) -> str:
    start, end = span(random, text)
    return text[:end] + text[start:end] * random.choice((1, 1, 1, 2, 50)) + text[end:]


def with_span_elsewhere(random: Random, text: str) -> str:
    (start, end), place = span(random, text), random.randrange(len(text) + 1)
    return text[:place] + text[start:end] + text[place:]


def cut_off(random: Random, text: str) -> str:
    return text[: random.randrange(len(text) + 1)]


def with_line_moved(random: Random, text: str) -> str:
    lines = text.split("\n")
    lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
    return "\n".join(lines)


def without_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    del lines[random.randrange(len(lines))]
    return "\n".join(lines)


# -- words and numbers -------------------------------------------------------------------------------------------------


def _replaced(text: str, found: re.Match[str] | None, new: str) -> str:
    return text if found is None else text[: found.start()] + new + text[found.end() :]


def _some(random: Random, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """A match from a random place on."""
    return pattern.search(text, random.randrange(len(text) + 1)) or pattern.search(text)


def nasty_number(random: Random, text: str) -> str:
    return _replaced(text, _some(random, NUMBER, text), random.choice(NASTY))


def nasty_word(random: Random, text: str) -> str:
    return _replaced(text, _some(random, WORD, text), random.choice(NASTY))


def word_for_word(random: Random, text: str) -> str:
    """Another word of the file in place of one: names that exist, elsewhere."""
    found, other = _some(random, WORD, text), _some(random, WORD, text)
    return _replaced(text, found, other[0]) if other else text


def number_for_number(random: Random, text: str) -> str:
    found, other = _some(random, NUMBER, text), _some(random, NUMBER, text)
    return _replaced(text, found, other[0]) if other else text


def word_everywhere(random: Random, text: str) -> str:
    """A word, and all that contains it, under another name."""
    found, other = _some(random, WORD, text), _some(random, WORD, text)
    return text.replace(found[0], other[0]) if found and other and len(found[0]) > 2 else text


def huge_numbers(random: Random, text: str) -> str:
    """Every number scaled: products of them overflow or vanish."""
    scale = random.choice(("e150", "e300", "e-160", "e-310"))
    return NUMBER.sub(lambda found: found[0] + scale if "e" not in found[0].lower() else found[0], text)


def deep(random: Random, text: str) -> str:
    """A number inside of many brackets or behind many signs."""
    opening, closing = random.choice(("[]", "{}", "()", ("[\n", "]"), ("-", ""), ('{"a":', "}"), ("sin(", ")")))
    depth = random.choice((2, 40, 150, 700, 5000))
    found = _some(random, NUMBER, text)
    return _replaced(text, found, opening * depth + found[0] + closing * depth) if found else text


ON_TEXT: tuple[Mutation, ...] = (
    without_span, with_span_again, with_span_elsewhere, cut_off, with_line_moved, without_line,
    nasty_number, nasty_number, nasty_number, nasty_number, nasty_word, nasty_word, nasty_word, word_for_word,
    word_for_word, word_for_word, number_for_number, word_everywhere, huge_numbers, deep,
)  # fmt: skip

# -- XML ---------------------------------------------------------------------------------------------------------------


def element_span(random: Random, text: str) -> tuple[int, int]:
    """Where an element begins and ends; about so where it has children of its own kind."""
    tag = _some(random, TAG, text)
    if tag is None:
        return 0, 0
    end = text.find(f"</{tag[1]}>", tag.end())
    return tag.start(), tag.end() if tag[2] or end < 0 else end + len(tag[1]) + 3


def on_elements(random: Random, text: str) -> str:
    start, end = element_span(random, text)
    element, tag = text[start:end], TAG.match(text, start)
    way = random.randrange(7)
    if tag is None or way == 0:
        return text[:start] + text[end:]
    if way == 1:
        return text[:end] + element + text[end:]
    if way == 2:  # inside itself
        return text[: tag.end()] + element + text[tag.end() :] if not tag[2] else text
    if way == 3:  # inside another
        place = _some(random, TAG, text)
        return text[: place.end()] + element + text[place.end() :] if place else text
    if way == 4:  # very deep
        depth = random.choice((3, 90, 120, 3000))
        return text[:start] + f"<{tag[1]}>" * depth + element + f"</{tag[1]}>" * depth + text[end:]
    if way == 5:  # without one attribute
        return text[:start] + re.sub(r"\s[\w:]+=(\"[^\"]*\"|'[^']*')", "", element, count=1) + text[end:]
    other = element_span(random, text)
    return text[:start] + text[slice(*other)] + text[end:]


def beyond(random: Random, text: str) -> str:
    """Another address, an include, or something before the root element; the last is seldom read at all."""
    if random.random() < 0.4:
        return _replaced(text, _some(random, ADDRESS, text), random.choice(ADDRESSES))
    if random.random() < 0.5:
        tag = _some(random, TAG, text)
        return text[: tag.end()] + f'<include file="{random.choice(ADDRESSES)}"/>' + text[tag.end() :] if tag else text
    return random.choice(PROLOGUES).format(random.choice(ENCODINGS)) + re.sub(r"^\s*<\?xml[^>]*\?>", "", text)


# -- JSON --------------------------------------------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 1.5, -0.0, 1e308, -1e308, 1e-320, float("nan"), float("inf"), 10**30, 2**63, "", "x", [], {},
    [[]], [1.0], {"parameter": "m"}, {"parameter": "m", "default": 2}, {"parameter": "class"}, {"parameter": 3},
    {"op": "div", "args": [1, 0]}, {"op": "sqrt", "args": [-1]}, {"op": "select", "args": [{"parameter": "m"}, 1, 2]},
    {"op": "mul", "args": [{"parameter": "m"}, {"parameter": "n", "default": 1e308}]}, {"type": "free"}, {"op": "x"},
)  # fmt: skip


DEEP = "[" * 300  # how far one can go in depends on how deep a process is in calls already


def on_objects(random: Random, text: str) -> str:
    try:
        return nasty_number(random, text) if DEEP in text else _changed(random, json.loads(text))
    except ValueError:  # earlier mutations made it unreadable
        return nasty_number(random, text)


def _changed(random: Random, whole: Any) -> str:
    places = [*_places(whole)]
    if not places:
        return json.dumps(whole)
    container, key = random.choice(places)
    way = random.randrange(6)
    if way == 0:
        del container[key]
    elif way == 1:
        other, name = random.choice(places)
        container[key] = json.loads(json.dumps(other[name]))
    elif way == 2 and isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), json.loads(json.dumps(container[key])))
    elif way == 3 and isinstance(container, dict):
        container[random.choice((*NASTY, "name", "type", "mimic", "rest"))] = container.pop(key)
    elif way == 4:
        deep = random.choice((1, 2, 250, 900))
        return json.dumps(whole).replace(json.dumps(container[key]), "[" * deep + "1" + "]" * deep, 1)
    else:
        container[key] = random.choice((*VALUES, *NASTY))
    return json.dumps(whole)


def _places(value: Any) -> Any:
    for key in [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])
