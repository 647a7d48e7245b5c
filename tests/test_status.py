"""The line on the terminal while something takes long."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree import status
from kinetree.runtime import cache
from kinetree.status import StatusLine, waiting
from kinetree.workers import counted


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr(status, "sys", SimpleNamespace(stderr=stream))  # pytest has its own
    return stream


def test_a_line_is_overwritten_and_gone_at_the_end(terminal: Terminal) -> None:
    with StatusLine() as line:
        assert line.is_due()
        line.write("one")
        assert not line.is_due()
        line.write("two")
    assert terminal.getvalue() == "\r\033[Kone\r\033[Ktwo\r\033[K"


def test_a_line_goes_when_ctrl_c_comes_while_it_is_written(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    def interrupted() -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "flush", interrupted)
    with pytest.raises(KeyboardInterrupt), StatusLine() as line:
        line.write("one")
    assert terminal.getvalue() == "\r\033[Kone\r\033[K"


def test_nothing_is_written_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(status, "sys", SimpleNamespace(stderr=stream))  # pytest has its own
        with StatusLine() as line, waiting("long"):
            assert not line.is_due()
            line.write("one")
        assert stream is None or not stream.getvalue()


def test_it_may_be_asked_for_and_refused(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    with StatusLine(shown=False) as line:
        line.write("one")
    assert not terminal.getvalue()
    plain = io.StringIO()
    monkeypatch.setattr(status, "sys", SimpleNamespace(stderr=plain))
    with StatusLine(shown=True, after=60.0) as line:
        assert not line.is_due()
        line.write("one")
    assert "one" in plain.getvalue()


def test_what_takes_long_says_so(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "COMPILING", 0.01)

    @waiting("long work")
    def work() -> None:
        end = time.perf_counter() + 10.0
        while "long work: 0 s" not in terminal.getvalue() and time.perf_counter() < end:
            time.sleep(0.005)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert "long work: 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")


def test_compilations_that_take_long_are_shown(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def square(x: Any) -> Any:
        time.sleep(0.2)
        return [x[0] * x[0]]

    monkeypatch.setattr(status, "COMPILING", 0.05)
    with cache.switched_off():
        function = kt.compile(square, signature="(1)->(1)")
        assert function(np.array([3.0])) == 9.0
    assert "compiling square: 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")
    shown = len(terminal.getvalue())
    function(np.array([3.0]))
    assert len(terminal.getvalue()) == shown


# -- notebooks ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a notebook has shown in one output, with a stand-in for IPython."""
    shown: list[dict[str, str]] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data)

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert not shown
        handle = Handle()
        handle.update(data, raw=raw and display_id)
        return handle

    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shown


def test_a_notebook_has_a_bar_that_is_updated_in_place(cell: list[dict[str, str]]) -> None:
    with StatusLine() as line:
        line.write("plans of <arm>", 0.25)
        line.write("searching")
    first, second, last = (data["text/html"] for data in cell)
    assert '<progress value="0.250"' in first
    assert "plans of &lt;arm&gt;" in first
    assert "<progress style" in second  # without an end in sight
    assert last == ""
    assert cell[0]["text/plain"] == "plans of <arm>"


def test_a_notebook_shows_counts_and_steps_with_their_shares(
    cell: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted("gaits: {} of {}", 4, None) as done:
        done()
    assert ['value="0.000"' in cell[0]["text/html"], 'value="0.250"' in cell[1]["text/html"]] == [True, True]
    cell.clear()
    monkeypatch.setattr(status, "PATIENCE", 0.0)
    kt.simulate(kt.robots.two_link(), [0.0, 0.5], [0.0, 0.0], 0.1, dt=0.001)
    assert "simulating: " in cell[0]["text/plain"]
    assert cell[-1]["text/html"] == ""
    cell.clear()
    kt.simulate(kt.robots.two_link(), [0.0, 0.5], [0.0, 0.0], 0.1, dt=0.001, progress=False)
    assert cell == []


def test_a_terminal_has_a_bar_of_letters(terminal: Terminal) -> None:
    with StatusLine() as line:
        line.write("two", 0.5)
    assert terminal.getvalue().startswith("\r\033[K[##########..........] two")
