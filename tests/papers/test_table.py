"""The table of ``python -m papers``: every paper is in it, and its figures are those of independent computations."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from papers.figure import Figure, section

REPOSITORY = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("table of the papers")  # computed once, not by every worker


@pytest.fixture(scope="module")
def figures() -> dict[str, list[str]]:
    """What ``python -m papers --markdown`` prints: for each figure its paper, the published value, ours, the proof."""
    command = [sys.executable, "-m", "papers", "--markdown"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=900)
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    return {what: [paper, *rest] for paper, what, *rest in lines[2:]}


def ours(figures: dict[str, list[str]], what: str) -> str:
    found = [row[2] for name, row in figures.items() if name.startswith(what)]
    assert len(found) == 1, f"{what}: {found} of {list(figures)}"
    return found[0]


def test_the_table_names_the_five_papers_and_its_proofs(figures: dict[str, list[str]]) -> None:
    assert {row[0] for row in figures.values()} == {"Nasser", "Barman", "Guarino", "Khalil2010", "Hua"}
    files = {name for row in figures.values() for name in re.findall(r"tests/\w+/\w+\.py", row[3])}
    assert files
    assert [name for name in files if not (REPOSITORY / name).is_file()] == []


def test_a_section_of_the_page_has_the_rows_of_one_paper_and_each_note_once() -> None:
    rows = [
        Figure("A", "time", "1", "2", "`call`", "misprint"),
        Figure("B", "other", "1", "1"),
        Figure("A", "mass", "3", "3", "`call`", "misprint"),
        Figure("A", "length", "4", "4", "`call`"),
    ]
    table, notes = section(rows, "A").split("\n\n")
    assert table.splitlines()[2:] == ["| time | 1 | 2 | 1 |", "| mass | 3 | 3 | 1 |", "| length | 4 | 4 | 2 |"]
    assert notes.splitlines() == ["1. Misprint. Shown by `call`.", "2. Shown by `call`."]


def test_every_plotted_curve_has_a_row(figures: dict[str, list[str]]) -> None:
    """Barman 4.2 to 4.7 and 5.3 to 5.5, Hua 3 to 8; the other figures of the papers are drawings."""
    names = {f"{row[0]} {number}" for what, row in figures.items() for number in re.findall(r"figure (\d[.\d]*)", what)}
    curves = [f"Barman 4.{k}" for k in range(2, 8)] + [f"Barman 5.{k}" for k in (3, 4, 5)]
    assert names == {*curves, *(f"Hua {k}" for k in range(3, 9))}


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("error of a backward difference of tau_1, Ts = 1e-4", "2.4022e-02"),
        ("error of a backward difference of tau_1, Ts = 1e-3", "2.4022e-01"),
        ("error of a backward difference of tau_1, Ts = 1e-2", "2.4020e+00"),
        ("such errors of joints 2 to 6, Ts = 1e-4", "5.073e-02, 1.660e-02, 4.466e-04, 3.766e-04, 9.050e-07"),
        ("their growth where Ts is ten times as long", "9.942 to 10.000"),
        ("the same on a septic", "4.599e-02"),
        ("shortest time of the 2R arm", "0.391854540"),
        ("first torque switches", "0.195927"),
        ("second torque switches", "0.045709, 0.235300"),
        ("inertia of link 2", "refused: 0.142 + 0.247 < 0.660"),
        ("inertia of link 3", "refused: 0.049 + 0.164 < 0.587"),
        ("gait, 55 joints: variables, constraints", "330 (216 not frozen), 2421"),
        ("PR arm, time and effort: T", "0.5858 (theta2 = q2), 0.6463 (the table)"),
        ("RMS errors without payload", "not reproducible"),
        ("figure 4.5: force f1", "9.75 to -9.74, 9.58 to -9.77"),
        ("figures 5 and 8: torques at 3 s", "2.08, 9.26, 2.36; 2.09, 7.58, 1.72; 2.08, 10.92, 3.00"),
    ],
)
def test_the_table_agrees_with_the_independent_computation(
    figures: dict[str, list[str]], what: str, value: str
) -> None:
    assert ours(figures, what) == value


PUBLISHED = {
    "operations of force and rate, 6R, modified DH": (309 * 6 - 162, 268 * 6 - 138),
    "operations of his recursion": (309 * 6 - 162, 268 * 6 - 138),
    "operations of force and rate, 6R, standard DH": (327 * 6 - 81, 274 * 6 - 72),
    "operations of forward dynamics, 6R": (258 * 6 - 119, 191 * 6 - 83),
}


@pytest.mark.parametrize("what", list(PUBLISHED))
def test_fewer_operations_than_published(figures: dict[str, list[str]], what: str) -> None:
    multiplications, additions = map(int, ours(figures, what).split(" / "))
    published = next(row[1] for name, row in figures.items() if name.startswith(what))
    assert published.endswith("{} / {}".format(*PUBLISHED[what]))
    assert 0 < multiplications < PUBLISHED[what][0]
    assert 0 < multiplications + additions < sum(PUBLISHED[what])
    if "direct" not in what:  # 1095 additions where Nasser has 1063, but 239 multiplications less
        assert 0 < additions < PUBLISHED[what][1]
