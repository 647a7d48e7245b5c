"""A large program is several modules, which threads compile: the same numbers as from one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.emit.llvm import module
from kinetree.errors import CompileError
from kinetree.lower import cut
from kinetree.runtime import cache, native

EMPTY = 'target triple = "x86_64-unknown-linux-gnu"'


@pytest.fixture
def small_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Programs of 200 operations are large ones, and have modules of about 100. Gives what was compiled."""
    monkeypatch.setattr(module, "LARGE", 200)
    monkeypatch.setattr(module, "EACH", 100)
    monkeypatch.setattr(cut, "PART", 40)
    seen: list[Any] = []
    original = native.compile_object

    def compile_object(modules: list[Any], shared: str = "") -> bytes:
        seen.append(modules)
        return original(modules, shared)

    monkeypatch.setattr(native, "compile_object", compile_object)
    threads = kt.threads()
    with cache.switched_off():
        yield seen
    kt.threads(threads)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("algorithm", [inverse_dynamics, forward_dynamics])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_several_modules_give_the_numbers_of_one(
    algorithm: Callable[..., Any], kind: Any, count: int, small_modules: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = kt.robots.puma560()
    x = np.random.default_rng(4).uniform(-1.0, 1.0, (3, 100, robot.nv)).astype(kind)
    kt.threads(count)
    several = kt.compile(algorithm, robot)(*x)
    assert len(small_modules[0]) > 2
    assert all("define hidden void @part" in text() for text in small_modules[0][:-1])
    monkeypatch.setattr(module, "LARGE", 10**9)
    one = kt.compile(algorithm, robot)(*x)
    assert len(small_modules[-1]) == 1
    assert np.array_equal(several, one)


def test_single_calls_of_several_modules(small_modules: list[Any]) -> None:
    robot = kt.robots.puma560()
    q = np.linspace(-1.0, 1.0, 6)
    function = kt.compile(inverse_dynamics, robot)
    assert np.array_equal(function.direct()(q, q, q), function(q[None], q, q)[0])
    assert len(small_modules[0]) > 2


def test_an_error_in_one_module_is_raised(small_modules: list[Any]) -> None:
    def broken() -> str:
        raise ZeroDivisionError

    with pytest.raises(CompileError, match="LLVM refused"):
        native.compile_object([lambda: EMPTY, lambda: "define nonsense", lambda: EMPTY])
    with pytest.raises(ZeroDivisionError):
        native.compile_object([broken, lambda: EMPTY])


def test_what_all_programs_share_is_compiled_once(small_modules: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    original = native._object
    monkeypatch.setattr(native, "_object", lambda ir, effort: made.append(ir) or original(ir, effort))
    monkeypatch.setattr(native, "_shared", {})
    for k in range(3):
        double = kt.compile(lambda x, k=k: [k * x[0]], signature="(1)->(1)")
        assert double(np.array([[4.0]])) == 4.0 * k
    assert len(made) == 4
    assert sum("define hidden void @pack" in text for text in made) == 1


def test_what_all_programs_share_comes_from_the_cache_in_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    original = native._object
    monkeypatch.setattr(native, "_object", lambda ir, effort: made.append(ir) or original(ir, effort))
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path / "cache"))
    for k in range(3):
        monkeypatch.setattr(native, "_shared", {})  # as in a new process
        double = kt.compile(lambda x, k=k: [k * x[0]], signature="(1)->(1)")
        assert double(np.array([[4.0]])) == 4.0 * k
    assert ["define hidden void @pack" in text for text in made].count(True) == 1
    assert len(made) == 4


def test_code_is_packed_and_unpacked() -> None:
    for objects in ([b"one"], [b"", b"two", b"three"], []):
        assert [*native._unpacked(native._packed(objects))] == objects
