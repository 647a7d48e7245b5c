"""The emitted text of one function that uses every operation, kept in git.

A refactoring must leave it as it is, to the letter. Where a change is meant, ``KINETREE_UPDATE_GOLDEN=1 pytest
tests/emit/test_golden.py`` writes it anew, and its diff is part of the review.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sample_functions import every_operation

import kinetree as kt
from kinetree.emit.llvm.instructions import intrinsics
from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.parts import functions
from kinetree.graph.operations import OPERATIONS
from kinetree.lower.program import lower

FOLDER = Path(__file__).parent / "golden"
LANES = 4


def test_the_function_uses_every_operation() -> None:
    assert set(kt.trace(every_operation, signature="x(3)->y(9)").operations) == set(OPERATIONS)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_emitted_text_is_as_it_was(precision: str) -> None:
    traced = kt.trace(every_operation, signature="x(3)->y(9)")
    program = lower(traced.operands, traced.results, traced.outputs, single=precision == "single")
    types = Types(LANES, single=program.single)
    text = "\n".join([*intrinsics(types), *functions(program, types, range(len(program.parts)))]) + "\n"
    file = FOLDER / f"{precision}.ll"
    if os.environ.get("KINETREE_UPDATE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()
