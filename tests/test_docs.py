"""The pages agree with the code: files and lines that they show exist, and calls take the paths of the architecture."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import kinetree.plan.attempts
from kinetree.cli import task
from kinetree.gait import files as gait_files, opensim
from kinetree.model.mesh import file as mesh_file
from kinetree.model.mjcf import include, mesh
from kinetree.model.par import syntax
from kinetree.model.table import file as table
from kinetree.model.text import file, xml
from kinetree.plan import files as plan_files
from kinetree.runtime import cache, native

ROOT = Path(kt.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST = 12  # files from a call to machine code


PAGES = sorted((REPOSITORY / "docs").rglob("*.md"))


def walk(title: str) -> list[str]:
    """The files of a numbered list of the page."""
    section = PAGE.split(f"### {title}\n")[1].split("\n#")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section, re.MULTILINE)


def files_of_the_stack() -> list[str]:
    """The files of the package that are being executed, the outermost first."""
    found, frame = list[str](), sys._getframe(1)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        found += [path.relative_to(ROOT).as_posix()] if path.is_relative_to(ROOT) else []
        frame = frame.f_back
    return [*dict.fromkeys(reversed(found))]


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """The chains of calls that lead to machine code from now on."""
    found: list[list[str]] = []
    compile_object = native.compile_object

    def recorded(*modules: Any) -> bytes:
        found.append([*files_of_the_stack(), "runtime/native.py"])
        return compile_object(*modules)

    monkeypatch.setattr(native, "compile_object", recorded)
    # what plans need is compiled beforehand; left out, it is compiled where it is called
    monkeypatch.setattr(kinetree.plan.attempts, "compile_for", lambda transcriber: 0.0)
    with cache.switched_off():
        yield found


def minimum_time() -> Any:
    return kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10.0, control_points=8)


@pytest.mark.parametrize(
    ("title", "call"),
    [
        ("Inverse dynamics", lambda: kt.robots.two_link().inverse_dynamics(*np.zeros((3, 2)))),
        ("The fastest motion", minimum_time),
    ],
)
def test_calls_take_the_path_of_the_page(title: str, call: Callable[[], Any], chains: list[list[str]]) -> None:
    call()
    assert max(chains, key=len) == walk(title)


@pytest.mark.parametrize("title", ["Inverse dynamics", "The fastest motion", "A predicted step of walking"])
def test_machine_code_is_near(title: str) -> None:
    assert 0 < len(walk(title)) <= MOST


def test_the_files_of_the_page_exist() -> None:
    named = {*re.findall(r"`([\w/]+(?:\.py|/))`", PAGE)}
    assert {name for name in named if not ((ROOT / name).exists() or (REPOSITORY / name).exists())} == set()
    assert len(named) > 60


def beside(page: Path) -> list[tuple[str, str]]:
    """The files of a page with equations beside code, and the beginnings of the lines that it shows."""
    blocks = re.findall(r"^```\{beside\} (\S+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [(file, line[1:].strip()) for file, text in blocks for line in text.splitlines() if line.startswith(":")]


@pytest.mark.parametrize("page", [page for page in PAGES if beside(page)], ids=lambda page: page.stem)
def test_every_line_beside_an_equation_is_there_once(page: Path) -> None:
    lines = {file: [x.strip() for x in (ROOT / file).read_text("utf-8").splitlines()] for file, _ in beside(page)}
    found = {(file, start): sum(x.startswith(start) for x in lines[file]) for file, start in beside(page)}
    assert {key: n for key, n in found.items() if n != 1} == {}


def test_the_limits_of_the_page_on_security_are_those_of_the_code() -> None:
    text = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
    limits = [
        rf"a model file .*\| {file.MAX_BYTES // 2**20} MiB",
        rf"a number in it \| {file.MAX_DIGITS} digits",
        rf"`\.par` \| {syntax.MAX_COUNT:,} links",
        rf"a DH table \| {table.MAX_ROWS:,} rows",
        rf"a task .*\| {task.MOST[0] // 2**20} MiB",
        rf"`Plan\.load`, `Sweep\.load` \| {plan_files.FORMAT.largest // 2**20} MiB",
        rf"`Gait\.load`, .*\| {gait_files.FORMAT.largest // 2**20} MiB",
        rf"`\.mot`, .*\| {opensim.LARGEST // 2**20} MiB",
        rf"deeper than {xml.MAX_DEPTH}; more than {xml.MAX_ELEMENTS:,} elements",
        rf"more than {include.MAX_INCLUDES} files",
        rf"more than {mesh_file.MAX_POINTS:,} points",
        rf"a mesh; .*\| {file.MAX_BYTES // 2**20} MiB; {mesh.MAX_MESH_BYTES // 2**30} GiB",
        rf"a plain one of at most {cache._LARGEST // 2**20} MiB",
        rf"larger than {cache._LIMIT // 2**20} MiB",
    ]
    assert [pattern for pattern in limits if not re.search(pattern, text)] == []
