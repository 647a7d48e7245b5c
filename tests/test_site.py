"""The documentation as a site: equations as browsers need them, code that parses and fits, links, and the search."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WIDEST = 125  # characters of a line of code; what is wider than the page has a scroll bar


def code(page: Path, kind: str) -> list[str]:
    """The blocks of a page that begin so, without the options of cells."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [re.sub(r"^:.*\n", "", block, flags=re.MULTILINE) for block in blocks]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_code_is_python_and_fits(page: Path) -> None:
    blocks = [*code(page, "python"), *code(page, r"\{code-cell\}")]
    for block in blocks:
        ast.parse(re.sub(r"^[%!].*$", "", block, flags=re.MULTILINE))
    assert [line for block in blocks for line in block.splitlines() if len(line) > WIDEST and "<" not in line] == []


def test_every_layer_of_the_package_has_a_line_in_the_picture() -> None:
    tree = ast.parse((DOCS.parent / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    groups = next(n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "GROUPS")
    (block,) = code(DOCS / "architecture.md", r"\{layers\}")
    layers = {layer for group in ast.literal_eval(groups.value).values() for layer in group}
    assert {line.partition(":")[0] for line in block.splitlines()} == layers


def test_questions_of_every_peer_have_pages() -> None:
    from_docs = sys.path.copy()
    sys.path.insert(0, str(DOCS))
    import check

    sys.path[:] = from_docs
    asked = check.questions()
    packages = [package for package, _ in asked.values()]
    assert {package: packages.count(package) >= 10 for package in packages} == dict.fromkeys(packages, True)
    assert len({*packages}) == 6
    exist = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES}
    assert [text for text, (_, pages) in asked.items() if not exist & {*pages}] == []


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\dddot q", '<mo stretchy="false" class="several">\u02d9\u02d9\u02d9</mo>'),
        (
            r"x = \begin{bmatrix}a\\b\end{bmatrix} y",
            '<mrow><mo form="prefix" fence="true" stretchy="true">[</mo><mtable>',
        ),
        (r"f^{\mathrm{ext}}", '<mi mathvariant="normal">ext</mi>'),
        (r"a \sin q", '<mi>a</mi><mspace width="0.167em" /><mi>sin</mi><mspace width="0.167em" /><mi>q</mi>'),
        (r"\min_{P} c", "<munder><mo>min</mo>"),
        (r"\begin{aligned} a &= b\end{aligned}", 'class="align"'),
    ],
)
def test_equations(latex: str, expected: str) -> None:
    pytest.importorskip("latex2mathml")
    sys.path.insert(0, str(DOCS / "_ext"))
    import mathml

    sys.path.remove(str(DOCS / "_ext"))
    assert expected in mathml.mathml(latex, "block")


@pytest.mark.slow
def test_links_and_search_of_the_built_site(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_nb", "furo", "sphinxcontrib.bibtex"):
        pytest.importorskip(package)
    options = ["-q", "-D", "nb_execution_mode=off"]
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path)]
    package = str(DOCS.parent / "src")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
    for step in (command, [sys.executable, str(DOCS / "check.py"), str(tmp_path)]):
        run = subprocess.run(step, capture_output=True, text=True, timeout=1200, env=environment)
        assert run.returncode == 0, run.stdout + run.stderr
