"""The languages that programs can be written in."""

from __future__ import annotations

from kinetree.emit.text.c import C
from kinetree.emit.text.cpp import Cpp
from kinetree.emit.text.julia import Julia
from kinetree.emit.text.language import Language
from kinetree.emit.text.matlab import Matlab
from kinetree.emit.text.python import Python
from kinetree.emit.text.rust import Rust

LANGUAGES: dict[str, type[Language]] = {each.name: each for each in (C, Cpp, Python, Matlab, Julia, Rust)}
