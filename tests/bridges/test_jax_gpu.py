"""What XLA calls on a GPU, run on the CPU: the handler launches on a fake driver, in programs of JAX.

The handler's frame is XLA's own; only the functions that ask for the stream and for memory are others.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import CONTEXT, FakeDriver

import kinetree as kt
from kinetree.errors import CompileError, InputError

pytest.importorskip("jaxlib")
import jax
import jax.numpy as jnp
from jax.interpreters import mlir

from kinetree.emit.llvm import xla_cuda
from kinetree.jax import gpu as gpu_module, header, primitive
from kinetree.runtime.cuda import code, driver as driver_module

jax.config.update("jax_enable_x64", True)

STREAM = 48
ERRORS = (jax.errors.JaxRuntimeError, ValueError)  # the first call of a program and later ones
RNG = np.random.default_rng(2)
numbers = itertools.count()
HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
forever: list[Any] = []  # XLA forgets no handler


class FakeXla:
    """XLA's functions for a GPU, and the memory that they gave."""

    def __init__(self) -> None:
        self.layout = header.layout()
        self.has_stream, self.memory, self.freed = True, dict[int, Any](), list[tuple[int, int]]()
        made = {
            "Stream_Get": HANDLER(self._stream),
            "DeviceMemory_Allocate": HANDLER(self._allocate),
            "DeviceMemory_Free": HANDLER(self._free),
        }
        self.functions = {name: ctypes.cast(f, ctypes.c_void_p).value for name, f in made.items()}
        forever.append(made)

    def word(self, struct: int, field: str) -> Any:
        return ctypes.c_uint64.from_address(struct + self.layout[field])

    def _stream(self, args: int) -> None:
        self.word(args, "Stream_Get_Args.stream").value = STREAM

    def _allocate(self, args: int) -> None:
        size = self.word(args, "DeviceMemory_Allocate_Args.size").value
        made = ctypes.create_string_buffer(size)
        self.memory[ctypes.addressof(made)] = made
        self.word(args, "DeviceMemory_Allocate_Args.data").value = ctypes.addressof(made)

    def _free(self, args: int) -> None:
        fields = ("data", "size")
        data, size = (self.word(args, f"DeviceMemory_Free_Args.{name}").value for name in fields)
        self.freed.append((data, size))

    def around(self, handler: int) -> Any:
        """A handler for the CPU that gives the handler for a GPU these functions."""
        native = HANDLER(handler)

        def call(frame: int) -> Any:
            api = self.word(frame, "CallFrame.api").value
            if not api or self.word(frame, "CallFrame.extension_start").value or not self.has_stream:
                return native(frame)
            size = max(place for name, place in self.layout.items() if name.startswith("Api.")) + 8
            own = ctypes.create_string_buffer(ctypes.string_at(api, size))
            for name, address in self.functions.items():
                self.word(ctypes.addressof(own), f"Api.{name}").value = address
            other = ctypes.create_string_buffer(ctypes.string_at(frame, self.layout["CallFrame"]))
            self.word(ctypes.addressof(other), "CallFrame.api").value = ctypes.addressof(own)
            return native(ctypes.addressof(other))

        forever.append(HANDLER(call))
        return ctypes.c_void_p(ctypes.cast(forever[-1], ctypes.c_void_p).value)


@pytest.fixture
def xla() -> FakeXla:
    return FakeXla()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, xla: FakeXla) -> Iterator[FakeDriver]:
    """A driver with two devices; programs for the CPU are those for a GPU."""
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    monkeypatch.setattr(driver_module, "_found", [FakeDriver()])
    monkeypatch.setattr(gpu_module, "ordinals", lambda: [0, 1])
    code._unused.clear()  # of the driver before
    capsule, register = jax.ffi.pycapsule, jax.ffi.register_ffi_target
    monkeypatch.setattr(jax.ffi, "pycapsule", lambda pointer: capsule(xla.around(pointer.value)))

    def registered(name: str, target: Any, platform: str) -> None:
        assert platform == "CUDA"
        register(name, target, platform="cpu")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", registered)
    mlir.register_lowering(primitive.call, primitive._on_a_gpu, platform="cpu")
    jax.clear_caches()
    primitive._jitted.cache_clear()
    yield driver_module._found[0]  # type: ignore[misc]
    mlir.register_lowering(primitive.call, primitive._on_the_processor, platform="cpu")
    jax.clear_caches()
    primitive._jitted.cache_clear()


def new_arm() -> kt.Robot:
    """One that no other test has: XLA keeps each function, with the driver it was registered for."""
    mass = 1.0 + 0.01 * next(numbers)
    rows = [
        kt.DH(a=0.5, mass=mass, com=(-0.25, 0, 0)),
        kt.DH(alpha=0.7, a=0.4, mass=kt.parameter("load", 0.5), com=(0.1, 0, 0.2)),
    ]
    return kt.Robot.from_dh(rows, gravity=(0, -9.81, 0))


def states(*batch: int) -> list[np.ndarray]:
    return list(RNG.standard_normal((3, *batch, 2)))


def near(found: Any, want: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(found), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["d", "f"])
def test_a_call_is_one_launch_on_the_stream_of_xla(gpu: FakeDriver, kind: str) -> None:
    arm = new_arm()
    f = jax.jit(kt.jax.function(arm, "inverse_dynamics"))
    q, qd, qdd = (x.astype(kind) for x in states(70))
    found = f(q, qd[0], qdd, load=np.dtype(kind).type(0.8))
    assert found.dtype == kind
    near(found, arm.inverse_dynamics(q, qd[0], qdd, load=0.8), 1e-12 if kind == "d" else 1e-5)
    assert gpu.launches == [(0, STREAM, 70, True)]
    assert gpu.contexts == []


def test_derivatives_vmap_and_scan(gpu: FakeDriver) -> None:
    arm = new_arm()
    f, g = kt.jax.function(arm, "inverse_dynamics"), kt.jax.function(arm, "forward_dynamics")
    q, qd, qdd = states(5)
    near(jax.vmap(jax.jacfwd(f, 2))(q, qd, qdd), arm.mass_matrix(q))
    slopes = jax.jit(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))(q, qd, qdd)
    tau = arm.inverse_dynamics(q, qd, qdd)
    for slope, matrix in zip(slopes, arm.inverse_dynamics_derivatives(q, qd, qdd)):
        near(slope, 2 * np.einsum("ni,nij->nj", tau, matrix), 1e-11)
    energy = kt.jax.function(arm, "potential_energy")
    near(jax.hessian(energy)(q[0]), kt.hessian(arm.function("potential_energy"))(q[0], 0.5))
    near(jax.grad(lambda m: f(q[0], qd[0], qdd[0], load=m)[0])(0.5), arm_slope(arm, q[0], qd[0], qdd[0]), 1e-6)

    def end(tau: Any) -> Any:
        step = lambda s, t: ((s[0] + 0.1 * s[1], s[1] + 0.1 * g(*s, t)), None)  # noqa: E731
        return jax.lax.scan(step, (jnp.zeros(2), jnp.zeros(2)), tau)[0][0]

    tau = RNG.standard_normal((4, 2))
    x, v = np.zeros(2), np.zeros(2)
    for t in tau:
        x, v = x + 0.1 * v, v + 0.1 * arm.forward_dynamics(x, v, t)
    near(jax.jit(end)(tau), x, 1e-11)
    assert jax.jacrev(end)(tau).shape == (2, 4, 2)


def arm_slope(arm: kt.Robot, *args: np.ndarray) -> float:
    above, below = (arm.inverse_dynamics(*args, load=0.5 + h)[0] for h in (1e-6, -1e-6))
    return (above - below) / 2e-6


def test_arrays_that_broadcast_between_are_spread_first(gpu: FakeDriver) -> None:
    arm = new_arm()
    f = kt.jax.function(arm, "inverse_dynamics")
    q, qd, qdd = RNG.standard_normal((4, 1, 2)), RNG.standard_normal((1, 5, 2)), RNG.standard_normal((1, 1, 2))
    near(f(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
    near(jax.vmap(jax.vmap(f, (None, 0, None)), (0, None, None))(q[:, 0], qd[0], qdd[0, 0]), f(q, qd, qdd))
    assert {count for _, _, count, _ in gpu.launches} == {20}


def test_no_states_no_launch(gpu: FakeDriver) -> None:
    arm = new_arm()
    f = kt.jax.function(arm, "inverse_dynamics")
    assert f(*states(0)).shape == (0, 2)
    hollow = kt.jax.function(kt.compile(lambda x: [], signature="(2)->(0)"))
    assert hollow(states(3)[0]).shape == (3, 0)
    assert gpu.launches == []


def test_scratch_memory_is_of_xla_and_large_batches_go_in_pieces(
    gpu: FakeDriver, xla: FakeXla, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", lambda *args: fake_gpu.kernels(*args, scratch=100))
    monkeypatch.setattr(xla_cuda, "SCRATCH", 4_050)
    arm = new_arm()
    q, qd, qdd = states(90)
    near(kt.jax.function(arm, "inverse_dynamics")(q, qd[0], qdd), arm.inverse_dynamics(q, qd[0], qdd))
    assert [count for _, _, count, _ in gpu.launches] == [40, 40, 10]
    assert xla.freed == [(address, 4_000) for address in xla.memory]
    near(kt.jax.function(new_arm(), "gravity_forces")(q[:3]).shape, (3, 2))
    assert [size for _, size in xla.freed] == [4_000, 300]


def test_kernels_are_those_of_the_device_of_the_stream(gpu: FakeDriver) -> None:
    arm = new_arm()
    f, q = jax.jit(kt.jax.function(arm, "gravity_forces")), states(3)[0]
    gpu.context_of[STREAM] = CONTEXT + 1
    near(f(q), arm.gravity_forces(q))
    gpu.context_of[STREAM] = CONTEXT
    near(f(q), arm.gravity_forces(q))
    assert [device for device, *_ in gpu.launches] == [1, 0]
    gpu.context_of[STREAM] = CONTEXT + 2
    with pytest.raises(ERRORS, match=r"INTERNAL.*kinetree: the code was not loaded on this device"):
        f(q).block_until_ready()


def test_errors_of_the_driver_are_errors_of_xla(gpu: FakeDriver, xla: FakeXla) -> None:
    f, q = jax.jit(kt.jax.function(new_arm(), "gravity_forces")), states(3)[0]
    gpu.error = 701
    with pytest.raises(ERRORS, match=r"INTERNAL.*refused a launch with its error 701\."):
        f(q).block_until_ready()
    assert gpu.contexts == []
    xla.has_stream = False  # that of the CPU refuses
    with pytest.raises(ERRORS, match="GPU context is not available"):
        f(q).block_until_ready()


def test_without_a_layout_python_is_called_back(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> None:
        raise CompileError("no header")

    monkeypatch.setattr(header, "layout", unknown)
    arm, q = new_arm(), states(3)[0]
    with pytest.warns(UserWarning, match="calls back into Python"):
        near(kt.jax.function(arm, "gravity_forces")(q), arm.gravity_forces(q))


def test_other_devices_are_refused(gpu: FakeDriver) -> None:
    mlir.register_lowering(primitive.call, primitive._elsewhere, platform="cpu")
    with pytest.raises(InputError, match="for the CPU and for NVIDIA GPUs; put the arrays there"):
        kt.jax.function(new_arm(), "gravity_forces")(np.zeros(2))
