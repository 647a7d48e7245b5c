"""How an expression is written: in one line of plain text, or in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kinetree.graph.node import Node

Label = Callable[[Node], str | None]  # the name under which a value is known already
_Part = tuple[str, int]  # a text and how tightly it binds

_SUM, _PRODUCT, _POWER = 1, 2, 3  # how tightly an operation binds
_COMPARED = {"lt": "<", "le": "<=", "eq": "=="}


def plain(node: Node, label: Label) -> str:
    """The expression in the notation of Python."""
    return _plain(node, label)[0]


def _plain(node: Node, label: Label) -> _Part:
    if name := label(node):
        return name, _POWER
    if node.op == "const":
        return repr(node.value), _POWER if node.value >= 0 else _SUM
    args = [_plain(arg, label) for arg in node.args]
    if node.op in ("add", "sub", "neg"):
        return _sum(node, args, _wrapped)
    if node.op in ("mul", "div"):
        sign, tight = ("*", _PRODUCT) if node.op == "mul" else ("/", _POWER)
        return f"{_wrapped(args[0], _PRODUCT)}{sign}{_wrapped(args[1], tight)}", _PRODUCT
    texts = [text for text, _ in args]
    if node.op in _COMPARED:
        return f"({texts[0]} {_COMPARED[node.op]} {texts[1]})", _POWER
    return f"{node.op}({', '.join(texts)})", _POWER


def latex(node: Node, label: Label) -> str:
    """The expression in LaTeX."""
    return _latex(node, label)[0]


def _latex(node: Node, label: Label) -> _Part:
    if name := label(node):
        return symbol(name), _POWER
    if node.op == "const":
        return _number(node.value), _POWER if node.value >= 0 else _SUM
    args = [_latex(arg, label) for arg in node.args]
    if node.op in ("add", "sub", "neg"):
        return _sum(node, args, _bracketed)
    if node.op == "mul":
        if node.args[0] is node.args[1]:
            return f"{_bracketed(args[0], _POWER)}^2", _PRODUCT
        if node.args[1].op == "const":  # numbers first
            args.reverse()
        return rf"{_bracketed(args[0], _PRODUCT)} \, {_bracketed(args[1], _PRODUCT)}", _PRODUCT
    if node.op == "div":
        return rf"\frac{{{args[0][0]}}}{{{args[1][0]}}}", _POWER
    if node.op == "sqrt":
        return rf"\sqrt{{{args[0][0]}}}", _POWER
    name = {"sin": r"\sin", "cos": r"\cos"}.get(node.op, rf"\operatorname{{{node.op}}}")
    return rf"{name}\left({', '.join(text for text, _ in args)}\right)", _POWER


def _sum(node: Node, args: Sequence[_Part], bracket: Callable[[_Part, int], str]) -> _Part:
    """A sum, a difference or a negated value."""
    if node.op == "neg":
        return f"-{bracket(args[0], _PRODUCT)}", _SUM
    if node.op == "add" and args[1][0].startswith("-") and node.args[1].op == "const":
        return f"{args[0][0]} - {args[1][0][1:]}", _SUM
    return f"{args[0][0]} {'+' if node.op == 'add' else '-'} {bracket(args[1], _PRODUCT)}", _SUM


def _wrapped(part: _Part, tight: int) -> str:
    return part[0] if part[1] >= tight else f"({part[0]})"


def _bracketed(part: _Part, tight: int) -> str:
    return part[0] if part[1] >= tight else rf"\left({part[0]}\right)"


def _number(x: float) -> str:
    text = repr(x).removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else text


_LETTERS = {
    "w": r"\omega", "ww": r"\omega\omega", "wd": r"\dot{\omega}", "qd": r"\dot{q}", "qdd": r"\ddot{q}",
    "qddd": r"\dddot{q}", "tau": r"\tau", "taud": r"\dot{\tau}", "S": "s", "C": "c",
}  # fmt: skip


def symbol(name: str) -> str:
    """A name of a listing in LaTeX: w2_x as omega with the indices 2, x."""
    if name.endswith("_m"):
        return rf"(-{symbol(name[:-2])})"
    match = re.fullmatch(r"([A-Za-z]+)(\d*)(?:_(\w+))?", name)
    if match is None:
        return rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}"
    letters, number, rest = match.groups()
    index = ",".join(part.replace("_", ",") for part in (number, rest) if part)
    head = _LETTERS.get(letters) or (letters if len(letters) == 1 else rf"\mathrm{{{letters}}}")
    return f"{head}_{{{index}}}" if index else head
