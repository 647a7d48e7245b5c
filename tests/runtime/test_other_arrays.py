"""Arrays of other libraries in this process's memory: read where they are, by whichever protocol they have."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.runtime.arrays import plain

ARM = kt.robots.two_link()
X = np.random.default_rng(0).normal(size=(5, 2))


class OnlyDLPack:
    """What the array API standard asks of every library."""

    def __init__(self, x: np.ndarray) -> None:
        self.x = x

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class FarAway(OnlyDLPack):
    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("it is on another machine")


class OnlyArray:
    def __init__(self, x: np.ndarray) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        assert copy is not True
        return self.x


class WithFunctions(OnlyArray):
    """A library that wants NumPy's functions for itself; a compiled function reads its numbers all the same."""

    def __array_function__(self, *_: Any) -> Any:
        raise AssertionError

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize("kind", [OnlyDLPack, OnlyArray, WithFunctions])
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x[::-1], lambda x: x[:, ::-1]], ids=["whole", "rows", "columns"]
)
def test_other_arrays_are_read_where_they_are(kind: Any, view: Any) -> None:
    x = view(X)
    assert np.shares_memory(plain(kind(x), "x"), X)
    for f in (ARM.gravity_forces, ARM.function("gravity_forces"), ARM.function("gravity_forces").direct()):
        found = f(kind(x))
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, ARM.gravity_forces(np.array(x)))


def test_precision_is_that_of_the_array() -> None:
    assert ARM.gravity_forces(OnlyDLPack(X.astype(np.float32))).dtype == np.float32
    mixed = ARM.inverse_dynamics(OnlyDLPack(X), OnlyArray(X.astype(np.float32)), [0, 1])
    np.testing.assert_array_equal(mixed, ARM.inverse_dynamics(X, X.astype(np.float32), [0.0, 1.0]))
    integers = np.arange(2)
    np.testing.assert_array_equal(ARM.gravity_forces(OnlyDLPack(integers)), ARM.gravity_forces([0.0, 1.0]))


def test_buffers_are_read_too() -> None:
    numbers = array.array("d", [0.5, -1.0])
    assert np.shares_memory(plain(numbers, "q"), np.asarray(numbers))
    np.testing.assert_array_equal(ARM.gravity_forces(memoryview(numbers)), ARM.gravity_forces([0.5, -1.0]))


def test_robots_with_quaternions_and_simulations_take_them() -> None:
    free = ARM.with_base("floating", kt.Inertia(5.0, about_com=(0.1, 0.1, 0.1)))
    np.testing.assert_array_equal(free.gravity_forces(OnlyDLPack(free.neutral)), free.gravity_forces(free.neutral))
    with pytest.raises(InputError, match="not of length one"):
        free.gravity_forces(OnlyDLPack(2.0 * free.neutral))
    one, other = (kt.simulate(ARM, q, [0.0, 0.0], 0.1, dt=0.01).q for q in (X, OnlyDLPack(X)))
    np.testing.assert_array_equal(one, other)


def test_lazy_positions_are_not_computed_to_check_their_quaternions() -> None:
    da = pytest.importorskip("dask.array")

    def fails(*_: Any) -> Any:
        raise AssertionError

    free = ARM.with_base("floating", kt.Inertia(5.0, about_com=(0.1, 0.1, 0.1)))
    lazy = da.map_blocks(fails, dtype=float, chunks=((10,), (9,)), meta=np.zeros((0, 0)))
    assert free.gravity_forces(lazy).shape == (10, 8)
    assert free.forward_dynamics(lazy, np.zeros(8), np.zeros(8)).shape == (10, 8)


@pytest.mark.parametrize(("name", "count"), [("inverse_dynamics", 3), ("kinetic_energy", 2), ("mass_matrix", 1)])
def test_the_blocks_of_lazy_arguments_are_made_in_the_tasks_that_use_them(name: str, count: int) -> None:
    """Otherwise clusters send them from worker to worker."""
    da, dask = pytest.importorskip("dask.array"), pytest.importorskip("dask")

    def made(seed: int, block_id: tuple[int, int]) -> Any:
        return np.random.default_rng((seed, *block_id)).normal(size=(10, 2))

    kinds = [
        2.0 * da.map_blocks(made, k, chunks=((10,) * 4, (2,)), dtype=float, meta=np.zeros((0, 2))) for k in range(count)
    ]
    found = getattr(ARM, name)(*kinds)
    (optimised,) = dask.optimize(found)
    tasks = [task for task in dict(optimised.__dask_graph__()).values() if type(task).__name__ != "Alias"]
    assert len(tasks) == 4
    np.testing.assert_array_equal(found, getattr(ARM, name)(*(x.compute() for x in kinds)))


def test_lazy_arguments_of_several_shapes_and_blocks() -> None:
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(6, 1, 2)), rng.normal(size=(5, 2)), rng.normal(size=(1, 1, 2))
    lazy = da.from_array(q, chunks=(4, 1, 1)), da.from_array(qd, chunks=(3, 2)), da.from_array(qdd)
    np.testing.assert_array_equal(ARM.inverse_dynamics(*lazy), ARM.inverse_dynamics(q, qd, qdd))
    np.testing.assert_array_equal(ARM.inverse_dynamics(lazy[0], qd, qdd[0, 0]), ARM.inverse_dynamics(q, qd, qdd[0, 0]))
    external = rng.normal(size=(6, 1, len(ARM.bodies), 6))
    loads = da.from_array(external, chunks=(2, 1, 1, 3))
    for found, known in zip(
        ARM.inverse_dynamics_derivatives(*lazy, external=loads),
        ARM.inverse_dynamics_derivatives(q, qd, qdd, external=external),
    ):
        assert found.shape == known.shape
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(
        ARM.inverse_dynamics(*lazy, external=loads), ARM.inverse_dynamics(q, qd, qdd, external=external)
    )


def test_memory_that_cannot_be_read_is_a_sentence() -> None:
    with pytest.raises(InputError, match=r"gravity_forces: q is a .*FarAway whose memory NumPy can't read \(it is on"):
        ARM.gravity_forces(FarAway(X))
    with pytest.raises(InputError, match=r"q must end in 2 \(joint1, joint2\); got \(2, 5\): transposed"):
        ARM.gravity_forces(OnlyDLPack(X.T))


def test_arrays_of_the_standard() -> None:
    strict = pytest.importorskip("array_api_strict")
    x = strict.asarray(X)
    assert np.shares_memory(plain(x, "x"), np.from_dlpack(x))
    np.testing.assert_array_equal(ARM.gravity_forces(x), ARM.gravity_forces(X))


def test_tensors_of_pytorch_on_the_cpu() -> None:
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X.copy())
    assert np.shares_memory(plain(x, "x"), x.numpy())
    found = ARM.gravity_forces(x)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, ARM.gravity_forces(X))


def test_arrays_of_jax_on_the_cpu() -> None:
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.asarray(X)
    assert np.shares_memory(plain(x, "x"), np.asarray(x))
    np.testing.assert_array_equal(ARM.gravity_forces(x), ARM.gravity_forces(np.asarray(x)))
