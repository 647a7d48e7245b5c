"""The sections of `make bench` that take no time to speak of run; tables find their places on the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt

pytest.importorskip("pinocchio")

FAKE = """\
import sys, time
sys.path.insert(0, {folder!r})
from protocol import INVERSE, MASS, FORWARD, Way, run
import numpy as np

def fail(*_):
    raise ValueError("can't")

def functions(urdf, names):
    own = names[::-1]  # another order of the joints
    scale = np.arange(len(names), 0.0, -1.0)
    return own, {{
        INVERSE: Way(lambda q, v, a: scale * a, lambda q, v, a: scale * a, "all at once"),
        MASS: Way(lambda q, v, a: np.diag(scale)),
        FORWARD: Way(fail),
    }}

run(functions, "numpy")
"""


def test_operations_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import startup

    startup.operations()
    assert "407 / 347" in capsys.readouterr().out


def test_the_robots_of_rbd_benchmarks_are_timed_on_equal_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import rbd

    monkeypatch.setattr(rbd, "ROBOTS", {"iiwa": rbd.ROBOTS["iiwa"]})
    monkeypatch.setattr(rbd, "best_pair", lambda a, b: (a(), b(), (1e-3, 2e-3))[2])
    monkeypatch.setattr(rbd, "best", lambda a: (a(), 1e-3)[1])
    rbd.run()
    assert capsys.readouterr().out.count("| iiwa (7) mass matrix ") == 2
    robot = kt.robots.hyq()
    rbd.check(robot, rbd.Peer.of(robot))
    with pytest.raises(AssertionError, match="inverse_dynamics differs"):
        rbd.check(robot.with_gravity((0.0, 0.0, -1.62)), rbd.Peer.of(robot))


def test_an_unknown_section_lists_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.__main__ import SECTIONS, main

    with pytest.raises(SystemExit) as ended:
        main(["nothing"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(name in said for name in SECTIONS)


def test_goals_are_on_the_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import table

    table.shown.clear()
    header = ["", "ratio", "goal", "time", "goal"]
    table.show(
        "A table", header, [["a", "80", ">= 45", "1,200 ms", "<= 900 ms"], ["b", "9", "", "-1.2 %", "within 1 %"]]
    )
    out, err = capsys.readouterr()
    assert table.shown == ["**A table**\n\n|   | ratio |     time |\n|---|------:|---------:|\n"
                           "| a |    80 | 1,200 ms |\n| b |     9 |   -1.2 % |"]  # fmt: skip
    assert "goal" not in out
    assert err.splitlines() == ["missed: a: time 1,200 ms, goal <= 900 ms", "missed: b: time -1.2 %, goal within 1 %"]


def test_a_section_takes_its_place_on_a_page(tmp_path: Path) -> None:
    from benchmarks import page

    place = tmp_path / "page.md"
    place.write_text("before\n\n<!-- a -->\nold\n<!-- end of a -->\n\nbetween\n\n<!-- b -->\nold\n<!-- end of b -->\n")
    for _ in range(2):  # the second time changes nothing
        page.write("a", ["| 1 |", "| \\2 |"], place)
    inside = "<!-- a -->\n\n| 1 |\n\n| \\2 |\n\n<!-- end of a -->"
    assert place.read_text() == f"before\n\n{inside}\n\nbetween\n\n<!-- b -->\nold\n<!-- end of b -->\n"
    with pytest.raises(ValueError, match="no place for 'c'"):
        page.write("c", [], place)


def test_every_section_has_a_place_on_its_page() -> None:
    from benchmarks.__main__ import SECTIONS
    from benchmarks.page import PAGE, filled
    from benchmarks.peers import __main__ as peers, page

    text = PAGE.read_text(encoding="utf-8")
    assert all(filled(text, name, []) for name in ("machine", *SECTIONS))
    assert "goal" not in text
    text = peers.PAGE.read_text(encoding="utf-8")
    assert all(filled(text, name, []) for name in page.sections({}))


@pytest.fixture
def fake(tmp_path: Path) -> Any:
    """A peer in this environment, whose worker is the script above."""
    from benchmarks.peers import environments, protocol

    script = tmp_path / "with_fake.py"
    script.write_text(FAKE.format(folder=str(Path(protocol.__file__).parent)))

    class Fake(environments.Kinetree):
        worker = script

    return Fake("Fake", (), "none")


def test_a_worker_writes_times_and_values(fake: Any, tmp_path: Path) -> None:
    from benchmarks.peers.__main__ import measure, prepare

    task = prepare(kt.robots.two_link(), tmp_path)
    found = measure(fake, task, 60.0)
    assert found["versions"] == {"numpy": np.__version__}
    assert "error" not in found
    assert found["functions"]["forward dynamics"] == {"error": "ValueError: can't"}
    inverse, mass = found["functions"]["inverse dynamics"], found["functions"]["mass matrix"]
    qdd = np.load(task[1])["qdd"][:4]
    assert np.array_equal(inverse["values"][0], qdd * [1.0, 2.0])  # in the order of the file
    assert np.array_equal(mass["values"][0][0], np.diag([1.0, 2.0]))
    assert inverse["how"] == "all at once"
    for low, median, high in (inverse["single"], inverse["batch"], mass["batch"]):
        assert 0.0 < low <= median <= high < 1.0


def test_a_peer_that_fails_says_why(fake: Any, tmp_path: Path) -> None:
    from benchmarks.peers.__main__ import measure, prepare

    task = prepare(kt.robots.two_link(), tmp_path)
    fake.worker.write_text("raise RuntimeError('no licence')")
    assert measure(fake, task, 60.0) == {"error": "RuntimeError: no licence"}
    fake.worker.write_text("import time; time.sleep(60)")
    assert measure(fake, task, 0.5) == {"error": "took more than 0.5 s"}


def test_the_page_of_a_comparison() -> None:
    from benchmarks.peers.page import sections

    def result(values: list[float], median: float) -> dict[str, Any]:
        time = [0.9 * median, median, 1.1 * median]
        one = {"single": time, "batch": time, "first": 0.25, "how": "a loop", "values": [[values]]}
        return {"versions": {"p": "1.2"}, "functions": {"inverse dynamics": one}}

    found = {
        "arm": {
            "kinetree": result([1.0, 4.0], 2.5e-8),
            "pinocchio": result([1.0, 4.0 + 4e-9], 1.2e-6),
            "mujoco": result([1.0, 5.0], 1.2e-6),
            "drake": {"error": "is not installed: no wheel"},
        }
    }
    parts = sections(found)
    assert "- Drake: is not installed: no wheel" in parts["libraries"][-1]
    values, times = "\n".join(parts["values"]), "\n".join(parts["times"])
    assert "1e-09, -" in values
    assert "25.0 (22.5-27.5)" in times
    assert "1,200 (1,080-1,320)" in times
    assert "other values" in times  # no time without the right result
