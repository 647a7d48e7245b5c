"""Model files as trees of elements that know their line.

Model files are untrusted: document types, entities and external references are refused, nothing but the given
file is opened, and size, depth and the number of elements are bounded. Whatever is wrong with a file becomes
a `ModelFileError` that begins with the file, the line and the named element around it.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException

from kinetree.errors import ModelFileError, UnknownNameError
from kinetree.model.text.file import MAX_DIGITS, TOO_SMALL, Source, check_length, read_bytes, shown, vanishes

MAX_DEPTH = 100
MAX_ELEMENTS = 100_000  # the largest robot of example-robot-data has 4,000
MAX_NAME = 500
_BLANK = "\ufeff \t\r\n"  # what may stand before the first "<"
_CHUNK = 2**20  # bytes; a word that is longer is looked at again with every chunk
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

Numbers: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One XML element: what it says, and where it stands in which file."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Element, ...]
    text: str
    file: str
    line: int
    owner: str  # the nearest named element, such as "joint 'elbow'"
    defaults: tuple[Element, ...] = ()  # those that speak where it is silent, the nearest first
    scope: Any = None  # what holds for it, where that is not what holds for the file

    def error(self, message: str) -> ModelFileError:
        """The error to raise for this element."""
        return ModelFileError(f"{self.file}, line {self.line}, {self.owner}: {message}")

    def check_name(self, kind: str, name: str, known: Collection[str]) -> None:
        """Refuse a name that is not known."""
        if name not in known:
            raise self.error(str(UnknownNameError(kind, name, known)))

    def walk(self) -> Iterator[Element]:
        """The element and all below it, depth first."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children[::-1]

    def all(self, tag: str) -> Iterator[Element]:
        """The children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def child(self, tag: str) -> Element | None:
        """The only child with this tag, None where there is none."""
        found = [*self.all(tag)]
        if len(found) > 1:
            raise found[1].error(f"a second <{tag}> in the same <{self.tag}>; remove one of them")
        return found[0] if found else None

    def required(self, tag: str) -> Element:
        """The only child with this tag."""
        child = self.child(tag)
        if child is None:
            raise self.error(f"<{self.tag}> has no <{tag}>, which it must have")
        return child

    def speaker(self, attribute: str) -> Element:
        """The element if it has the attribute, else the nearest default that has; errors name the one that spoke."""
        if not self.defaults or attribute in self.attributes:
            return self
        return next((source for source in self.defaults if attribute in source.attributes), self)

    def has(self, attribute: str) -> bool:
        return attribute in self.speaker(attribute).attributes

    def string(self, attribute: str) -> str:
        """An attribute that must be there and say something."""
        value = self.attributes.get(attribute, "")
        if not value.strip():
            raise self.error(f'<{self.tag}> has no {attribute}="...", which it must have')
        if len(value) > MAX_NAME:
            raise self.error(f"{attribute}={shown(value)} is longer than {MAX_NAME} characters")
        return value

    def numbers(self, attribute: str, count: int, default: Numbers | None = None) -> Numbers:
        """An attribute of so many finite numbers; must be there unless there is a default."""
        speaker = self.speaker(attribute)
        text = speaker.attributes.get(attribute)
        if text is not None:
            return speaker._finite(text, count, f"<{speaker.tag} {attribute}={shown(text)}>")
        if default is None:
            raise self.error(f'<{self.tag}> has no {attribute}="...", which it must have')
        return default

    def leading(self, attribute: str, default: Numbers) -> Numbers:
        """An attribute whose first numbers may be given alone; the others come from further out."""
        result: Numbers = ()
        for source in (self, *self.defaults):
            count = min(len(source.attributes.get(attribute, "").split()), len(default))
            result += source.numbers(attribute, count)[len(result) :] if count else ()
        return result + default[len(result) :]

    def choice(self, attribute: str, choices: Collection[str], default: str) -> str:
        """An attribute that must be one of these words."""
        speaker = self.speaker(attribute)
        value = speaker.attributes.get(attribute, default)
        if value not in choices:
            listed = ", ".join(map(repr, choices))
            raise speaker.error(f"<{speaker.tag} {attribute}={shown(value)}>: expected one of {listed}")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """An attribute of one finite number; must be there unless there is a default."""
        return self.numbers(attribute, 1, None if default is None else (default,))[0]

    def nonnegative(self, attribute: str) -> float:
        """The damping, friction or inertia of a joint, one number not below 0; 0 where it is left out."""
        return self.check_nonnegative(attribute, self.number(attribute, 0.0))

    def check_nonnegative(self, attribute: str, value: float) -> float:
        if value < 0:
            raise self.speaker(attribute).error(f"{attribute} {value:g} drives the joint; expected 0 or more")
        return value

    def text_number(self) -> float:
        """The one finite number between the tags."""
        return self._finite(self.text, 1, f"<{self.tag}>{shown(self.text)}")[0]

    def _finite(self, text: str, count: int, given: str) -> Numbers:
        words = text.split()
        if len(words) != count:
            expected = "one number" if count == 1 else f"{count} numbers separated by spaces"
            raise self.error(f"{given}: expected {expected}, got {len(words)}")
        values = [float(x) if len(x) <= MAX_DIGITS and _NUMBER.fullmatch(x) else math.nan for x in words]
        for word, value in zip(words, values):
            if not math.isfinite(value):
                raise self.error(f"{given}: {shown(word)} is not a finite number such as -1.5 or 2e-3")
            if vanishes(word, value):
                raise self.error(f"{given}: {shown(word)} {TOO_SMALL}")
        return tuple(x + 0.0 for x in values)  # -0.0 becomes 0.0


def by_name(elements: Iterable[Element], *, several_files: bool = False) -> dict[str, Element]:
    """Elements by their names, which must be unique; they may stand in several files."""
    found: dict[str, Element] = {}
    for element in elements:
        first = found.setdefault(name := element.string("name"), element)
        if first is not element:
            where = f"{first.file}, line {first.line}" if several_files else f"line {first.line}"
            raise element.error(f"a second {element.tag} is called {name!r}, the first is in {where}; rename one")
    return found


def read_xml(source: Source, root: str, *, any_root: bool = False) -> Element:
    """The root element of a file or of a text that begins with "<".

    Args:
        source: a path, or the text itself.
        root: the tag that the root element must have.
        any_root: whether it may have another one.
    """
    file, content, first_line = _content(source, root)
    from defusedxml.expatreader import DefusedExpatParser  # loads half of Python's network library

    parser = DefusedExpatParser(forbid_dtd=True)
    tree = _Tree(file, lambda: first_line - 1 + parser.getLineNumber())
    parser.setContentHandler(tree)
    try:
        for start in range(0, len(content), _CHUNK):
            parser.feed(content[start : start + _CHUNK])
        parser.close()
    except ModelFileError:
        raise
    except DefusedXmlException:
        given = "document types and entities (<!DOCTYPE>, <!ENTITY>) are refused in model files"
        raise tree.error(f"{given}; remove them") from None
    except SAXParseException as error:
        line = first_line - 1 + (error.getLineNumber() or 1)
        raise ModelFileError(f"{file}, line {line}: not readable as XML: {_reason(error, content)}") from None
    except (ValueError, LookupError, Warning) as error:  # an encoding that is unknown or not that of the bytes
        reason = str(error).partition(";")[0]
        raise tree.error(f"the characters can't be read: {reason}; save the file as UTF-8") from None
    if tree.root is None:
        raise tree.error(f"there is nothing in it; expected a <{root}> element")
    if tree.root.tag != root and not any_root:
        raise tree.root.error(f"the root element is <{tree.root.tag}>; expected <{root}>")
    return tree.root


def _reason(error: SAXParseException, content: str | bytes) -> str:
    """What the parser says and, where a byte is at fault or there is no XML at all, what the file is like."""
    reason, line, column = error.getMessage(), error.getLineNumber(), error.getColumnNumber()
    if isinstance(content, str):
        return reason
    if (line, column) == (1, 0) and content[:1] != b"<":
        beginning = content[:20].decode("latin-1")
        return f"{reason}; it begins with {beginning!r}, not with <"
    at_fault = b"".join(content.split(b"\n")[(line or 1) - 1 : line])
    try:
        at_fault.decode()
    except UnicodeDecodeError as wrong:
        if len(at_fault[: wrong.start].decode()) == column:
            return f"{reason}: the byte 0x{at_fault[wrong.start]:02x} is not UTF-8; save the file as UTF-8"
    return reason


def is_text(source: Source) -> bool:
    """Whether a source is the text of a model, not the path of a file."""
    return isinstance(source, str) and source.lstrip(_BLANK).startswith("<")


def _content(source: Any, root: str) -> tuple[str, str | bytes, int]:
    """The name of the file for messages, what it holds, and the number of its first line."""
    if not is_text(source):
        file, content = read_bytes(source, f"the path of a file, or text that begins with <{root}")
        # blank lines before <?xml are common, but no XML
        whole = content.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
        if whole.startswith(b"<"):
            return file, whole, 1 + content[: len(content) - len(whole)].count(b"\n")
        return file, content, 1
    text = source.lstrip(_BLANK)
    check_length(text)
    return "text", text, 1 + source[: len(source) - len(text)].count("\n")


class _Tree(ContentHandler):
    """Builds the elements as the parser meets them."""

    def __init__(self, file: str, line: Callable[[], int]) -> None:
        super().__init__()
        self.file, self.line = file, line
        self.root: Element | None = None
        self.count = 0
        self.open: list[dict[str, Any]] = []

    def error(self, message: str) -> ModelFileError:
        return ModelFileError(f"{self.file}, line {self.line()}: {message}")

    def startElement(self, name: str, attrs: Any) -> None:
        self.count += 1
        if len(self.open) >= MAX_DEPTH:
            raise self.error(f"elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise self.error(f"there are more than {MAX_ELEMENTS} elements, more than any model needs")
        if len(name) > MAX_NAME:
            raise self.error(f"the element {shown(name)} has a name longer than {MAX_NAME} characters")
        attributes = dict(attrs.items())
        owner = self.open[-1]["owner"] if len(self.open) > 1 else f"<{name}>"
        if "name" in attributes and self.open:
            owner = f"{name} {shown(attributes['name'])}"
        parts: dict[str, Any] = {"tag": name, "attributes": attributes, "line": self.line(), "owner": owner}
        self.open.append(parts | {"children": [], "text": []})

    def characters(self, content: str) -> None:
        self.open[-1]["text"].append(content)

    def endElement(self, name: str) -> None:
        parts = self.open.pop()
        parts["children"] = tuple(parts["children"])
        parts["text"] = "".join(parts["text"]).strip()
        element = Element(file=self.file, **parts)
        if self.open:
            self.open[-1]["children"].append(element)
        else:
            self.root = element
