"""The tests themselves: modules that they share are not test modules, and every module name is there once."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

FILES = sorted(Path(__file__).parent.rglob("*.py"))


def imported(file: Path) -> set[str]:
    """The first parts of the names of the modules that a file imports anywhere."""
    nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    whole = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    parts = [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in (*whole, *parts)}


def test_no_test_module_is_imported() -> None:
    found = {file.name: names for file in FILES if (names := {x for x in imported(file) if x.startswith("test_")})}
    assert found == {}


def test_what_a_file_imports_is_in_its_folder_or_shared() -> None:
    """So that each file runs alone."""
    root, homes = Path(__file__).parent, {file.stem: file.parent for file in FILES}
    found = {
        file.name: names
        for file in FILES
        if (names := {x for x in imported(file) & {*homes} if homes[x] not in (file.parent, root)})
    }
    assert found == {}


def test_module_names_are_unique() -> None:
    assert [name for name, count in Counter(file.name for file in FILES).items() if count > 1] == []
