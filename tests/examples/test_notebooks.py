"""The notebooks run, have no outputs of their own, and show what they say."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def shown(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; what its last line gives."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


LONG = {"closed_loops"}  # a hexapod's code takes some seconds
MARKED = [pytest.param(x, id=x.stem, marks=[pytest.mark.slow] if x.stem in LONG else []) for x in NOTEBOOKS]


@pytest.mark.parametrize("path", MARKED)
def test_a_notebook_runs(path: Path) -> None:
    book, names, pages = json.loads(path.read_text(encoding="utf-8")), {}, 0
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            result = shown("".join(cell["source"]), names)
            pages += "<iframe" in result._repr_html_() if hasattr(result, "_repr_html_") else 0
    assert pages >= 1
