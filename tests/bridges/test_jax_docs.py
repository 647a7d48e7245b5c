"""The page on JAX: its examples run and give what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

pytest.importorskip("jaxlib")

PAGE = Path(__file__).parents[2] / "docs" / "jax.md"


def test_the_examples_of_the_page() -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    assert test.examples
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0
