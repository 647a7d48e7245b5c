"""What goes in and where results go: subclasses of arrays, results that land in inputs, shapes that don't fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.runtime.threads import LARGE


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    count = kt.threads()
    kt.threads(2)
    yield
    kt.threads(count)


def doubled(x: Any) -> Any:
    return [2.0 * v for v in x]


F = kt.compile(doubled, signature="x(3)->y(3)", name="doubled")
ROWS = [1, 11, LARGE]

# -- subclasses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", ROWS)
def test_masked_arrays_and_matrices_are_refused(rows: int) -> None:
    x = np.ones((rows, 3))
    masked: Any = np.ma.array(x, mask=x > 2)
    for function in (F, F.direct()):
        with pytest.raises(InputError, match=r"doubled: x is a MaskedArray, .*: give x\.filled\(value\)"):
            function(masked)
        with pytest.raises(InputError, match=r"doubled: x is a matrix, .*: give np.asarray\(x\)"):
            function(x.view(np.matrix))
        with pytest.raises(InputError, match="out= is a MaskedArray"):
            function(x, out=masked)
    with pytest.raises(InputError, match="q is a MaskedArray"):
        kt.robots.two_link().mass_matrix(np.ma.masked_all(2))


class Labelled(np.ndarray):
    """An array with a meaning of its own."""


def test_other_subclasses_are_what_they_were(tmp_path: Path) -> None:
    x = np.arange(6.0).reshape(2, 3)
    y = F(x.view(Labelled))
    assert type(y) is Labelled
    np.testing.assert_array_equal(y, 2 * x)
    mapped = np.memmap(tmp_path / "x", np.float64, "w+", shape=(2, 3))
    mapped[:] = x
    np.testing.assert_array_equal(F(mapped), 2 * x)
    out = np.zeros((2, 3)).view(Labelled)
    assert F(x, out=out) is out
    np.testing.assert_array_equal(out, 2 * x)


# -- out= --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [20, 363])  # the latter in threads
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[:], lambda x: x[::-1]], ids=["itself", "a view", "reversed"])
def test_out_may_be_an_input_of_another_rank(n: int, view: Any, processor: str) -> None:
    """A row of the input is read for many states, also for some whose results come after it is overwritten."""
    f = kt.compile(lambda x, y: x[0] + 2.0 * x[-1] + y, signature=f"({n}),()->()")
    x, y = np.random.default_rng(0).normal(size=(2, n, n))
    assert n < 100 or x.size >= LARGE
    expected = view(x)[:, 0] + 2.0 * view(x)[:, -1] + y
    for _ in range(2):  # the first call compiles
        out = x.copy()
        assert f(view(out), y, out=out) is out
        np.testing.assert_allclose(out, expected)


@pytest.mark.parametrize("rows", ROWS)
def test_two_results_in_one_array_are_refused(rows: int) -> None:
    f = kt.compile(lambda x: (doubled(x), [-v for v in x]), signature="(3)->(3),(3)", name="both")
    x, buffer = np.random.default_rng(0).normal(size=(rows, 3)), np.zeros((rows + 1, 6))
    a, b = buffer[:-1, :3], buffer[:-1, 3:]
    for _ in range(2):
        with pytest.raises(InputError, match="both: two arrays of out= share memory"):
            f(x, out=(a, a))
        with pytest.raises(InputError, match="share memory"):
            f(x, out=(a, buffer[:-1, 2:5]))
        f(x, out=(a, b))  # beside each other in one buffer
        np.testing.assert_array_equal(a, 2 * x)
        np.testing.assert_array_equal(b, -x)


# -- shapes ------------------------------------------------------------------------------------------------------------


def test_a_wrong_shape_is_said_with_the_names_of_the_joints() -> None:
    arm, z = kt.robots.puma560(), np.zeros(6)
    names = rf"\({arm.joint_names[0]}\.\.{arm.joint_names[-1]}\)"
    for _ in range(2):
        with pytest.raises(
            InputError, match=rf"^inverse_dynamics: q must end in 6 {names}; got \(6, 10\): transposed\?$"
        ):
            arm.inverse_dynamics(np.zeros((6, 10)), z, z)
        with pytest.raises(InputError, match=rf"^inverse_dynamics: qdd must end in 6 {names}; got \(7,\)$"):
            arm.inverse_dynamics(z, z, np.zeros(7))
        with pytest.raises(InputError, match=r"external must end in \(6, 6\); got \(6,\)$"):
            arm.inverse_dynamics(z, z, z, external=z)
    f = kt.compile(lambda m: m[0][1], signature="m(2,3)->()")
    with pytest.raises(InputError, match=r"m must end in \(2, 3\); got \(5, 3, 2\): transposed\?$"):
        f(np.zeros((5, 3, 2)))


def test_an_error_of_the_traced_function_stays_what_it_is() -> None:
    def wrong(x: Any) -> Any:
        raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user"):
        kt.compile(wrong, signature="(3)->(3)")(np.zeros(3))
