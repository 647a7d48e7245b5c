"""LLVM has a deep stack, whichever thread asks for code. What it really takes is seen on ARM: `test_platform`."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import kinetree as kt
from kinetree.runtime import native
from kinetree.runtime.deep_stack import STACK, with_deep_stack

SMALL = 128 << 10  # what threads have on musl


@pytest.fixture(autouse=True)
def small_stacks() -> Iterator[None]:
    before = threading.stack_size(SMALL)
    yield
    assert threading.stack_size(before) == SMALL  # it was put back


def in_another_thread(work: Callable[[], Any]) -> Any:
    found = list[Any]()
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def stack() -> int:
    """The size of this thread's stack, from glibc."""
    attributes, size = ctypes.create_string_buffer(64), ctypes.c_size_t()
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    assert library.pthread_getattr_np(ctypes.c_void_p(library.pthread_self()), attributes) == 0
    assert library.pthread_attr_getstacksize(attributes, ctypes.byref(size)) == 0
    library.pthread_attr_destroy(attributes)
    return size.value


@pytest.mark.skipif(sys.platform != "linux", reason="asks glibc")
@pytest.mark.usefixtures("no_cache")
def test_code_is_made_and_loaded_on_a_deep_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, int] = {}

    def noted(name: str, original: Callable[..., Any], *args: Any) -> Any:
        found[name] = stack()
        return original(*args)

    for name in ("_emit", "_loaded"):
        monkeypatch.setattr(native, name, partial(noted, name, getattr(native, name)))
    function = kt.compile(lambda x: [3.5 * x[0]], signature="(1)->(1)")
    assert in_another_thread(lambda: (stack() <= SMALL, *function([2.0]))) == (True, 7.0)
    assert {*found} == {"_emit", "_loaded"}
    assert min(found.values()) >= STACK


def test_the_main_thread_does_it_itself() -> None:
    assert with_deep_stack(threading.current_thread) is threading.main_thread()
    assert in_another_thread(lambda: with_deep_stack(threading.current_thread).name) == "kinetree_llvm"


def test_an_error_is_that_of_the_caller() -> None:
    def caller() -> str:
        with pytest.raises(ZeroDivisionError) as caught:
            with_deep_stack(lambda: 1 / 0)
        return str(caught.value)

    assert in_another_thread(caller) == "division by zero"


def test_where_no_thread_can_start_the_caller_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def caller() -> tuple[int, int]:
        def start(self: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", start)
            return with_deep_stack(threading.get_ident), threading.get_ident()

    here, there = in_another_thread(caller)
    assert here == there
