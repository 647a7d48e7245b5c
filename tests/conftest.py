"""What every test shares: a cache folder of its own, Ctrl-C that arrives, examples that are the same on every run.

IPOPT has no wheels for some systems; there, what asks for it is skipped.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from importlib.util import find_spec

import hypothesis
import processors
import pytest

FOLDER = "KINETREE_CACHE_DIR"
_made: list[str] = []

# the examples are drawn from a fixed seed, so that a test that passes here passes in CI
hypothesis.settings.register_profile("stable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("stable")


def pytest_configure(config: pytest.Config) -> None:
    """Compiled code goes to a folder that ends with the run; the workers of xdist inherit it. Ctrl-C interrupts."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="kinetree-tests-")
        _made.append(os.environ[FOLDER])
    # what runs in the background of a shell ignores Ctrl-C, and so would every test that sends one to itself
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    for folder in _made:
        shutil.rmtree(folder, ignore_errors=True)
        os.environ.pop(FOLDER, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    except ImportError as error:
        if find_spec("ipyopt") is None and "kinetree[plan]" in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(params=processors.NAMES)
def processor(request: pytest.FixtureRequest) -> Iterator[str]:
    """Code for this processor, and for older ones that it can stand in for."""
    with processors.code_for(request.param):
        yield request.param


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function is compiled anew."""
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
