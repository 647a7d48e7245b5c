"""`kinetree.jax` on a real card: the numbers of the CPU, by kernels on XLA's stream."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

import numpy as np
import pytest

import kinetree as kt

pytest.importorskip("jaxlib")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other tests need memory too
import jax
import jax.numpy as jnp

try:
    DEVICES = jax.devices("cuda")
except RuntimeError:
    pytest.skip("JAX has no GPU", allow_module_level=True)
jax.config.update("jax_enable_x64", True)

pytestmark = pytest.mark.gpu
RNG = np.random.default_rng(3)
ROBOT = kt.robots.panda()
TOLERANCE = {"d": 1e-11, "f": 2e-3}  # of other orders of sums, relative to the largest number


def near(found: Any, want: Any, scale: float = 1.0) -> None:
    found, want = np.asarray(found), np.asarray(want)
    assert found.shape == want.shape
    limit = TOLERANCE[found.dtype.char] * scale * max(1.0, float(np.abs(want).max(initial=0.0)))
    np.testing.assert_allclose(found, want, rtol=0, atol=limit)


def states(*batch: int, kind: str = "d", robot: kt.Robot = ROBOT) -> list[np.ndarray]:
    return list(RNG.standard_normal((3, *batch, robot.nv)).astype(kind))


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy"])
def test_numbers_are_those_of_the_cpu(name: str, kind: str) -> None:
    function = ROBOT.function(name)
    f, args = kt.jax.function(ROBOT, name), states(1000, kind=kind)[: len(function.operands)]
    found, want = jax.jit(f)(*args), function(*args)
    for x, y in zip(found, want) if isinstance(want, tuple) else [(found, want)]:
        assert x.dtype == kind
        assert x.devices() <= {*DEVICES}
        near(x, y)


@pytest.mark.parametrize("count", [0, 1, 33, 100_003])
def test_any_number_of_states(count: int) -> None:
    f, args = kt.jax.function(ROBOT, "inverse_dynamics"), states(count)
    near(f(*args), ROBOT.inverse_dynamics(*args) if count else np.zeros((0, 7)))


def test_arrays_that_broadcast() -> None:
    f = kt.jax.function(ROBOT, "inverse_dynamics")
    q, qd, qdd = RNG.standard_normal((40, 1, 7)), RNG.standard_normal((1, 33, 7)), RNG.standard_normal(7)
    near(f(q, qd, qdd), ROBOT.inverse_dynamics(q, qd, qdd))
    near(f(q[:, 0], qd[0, 0], qdd), ROBOT.inverse_dynamics(q[:, 0], qd[0, 0], qdd))
    near(jax.vmap(f, (0, None, None))(q[:, 0], qd[0, 0], qdd), ROBOT.inverse_dynamics(q[:, 0], qd[0, 0], qdd))


@pytest.mark.parametrize("kind", ["d", "f"])
def test_gradients_and_products(kind: str) -> None:
    f, args = kt.jax.function(ROBOT, "inverse_dynamics"), states(500, kind=kind)
    slopes = jax.jit(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))(*args)
    doubles = [x.astype("d") for x in args]
    tau, matrices = ROBOT.inverse_dynamics(*doubles), ROBOT.inverse_dynamics_derivatives(*doubles)
    for slope, matrix in zip(slopes, matrices):
        assert slope.dtype == kind
        near(slope, 2 * np.einsum("ni,nij->nj", tau, matrix), 10.0)
    near(jax.vmap(jax.jacfwd(f, 2))(*args), ROBOT.mass_matrix(doubles[0]))
    near(jax.vmap(jax.jacrev(f, 0))(*args), matrices[0], 10.0)


def test_second_derivatives_and_parameters() -> None:
    payload = kt.parameter("payload", 0.5)
    rows = [kt.DH(a=0.5, mass=4.0, com=(-0.25, 0, 0)), kt.DH(a=0.4, mass=payload)]
    arm = kt.Robot.from_dh(rows, gravity=(0, -9.81, 0))
    energy, forces = kt.jax.function(arm, "potential_energy"), kt.jax.function(arm, "gravity_forces")
    q = RNG.standard_normal((20, 2))
    near(jax.vmap(jax.hessian(energy))(q), kt.hessian(arm.function("potential_energy"))(q, 0.5))
    want = arm.parameter_derivatives("gravity_forces", q, wrt="payload")[..., 0]
    near(jax.jacfwd(lambda m: forces(q, payload=m))(0.5), want)


@pytest.mark.parametrize("batch", [(), (2000,)])
def test_a_rollout_with_scan(batch: tuple[int, ...]) -> None:
    arm = kt.robots.two_link()
    acceleration = kt.jax.function(arm, "forward_dynamics")

    def end(tau: Any) -> Any:
        def step(state: Any, tau: Any) -> Any:
            qd = state[1] + 0.01 * acceleration(*state, tau)
            return (state[0] + 0.01 * qd, qd), None

        zero = jnp.zeros((*batch, 2))
        return jax.lax.scan(step, (zero, zero), tau)[0][0]

    tau = RNG.standard_normal((30, *batch, 2))
    q, qd = np.zeros((2, *batch, 2))
    for t in tau:
        qd = qd + 0.01 * arm.forward_dynamics(q, qd, t)
        q = q + 0.01 * qd
    program = jax.jit(end)
    for _ in range(3):  # graphs are captured after the first call
        near(program(tau), q)
    slope = jax.jit(jax.grad(lambda tau: jnp.sum(end(tau))))(tau)
    nudge = np.zeros_like(tau)
    nudge[3] = 1e-6
    difference = (np.sum(program(tau + nudge)) - np.sum(program(tau - nudge))) / 2e-6
    assert float(jnp.sum(slope[3])) == pytest.approx(float(difference), rel=1e-5)


def test_work_is_in_the_order_of_the_program() -> None:
    """Other kernels before and behind, and memory that is used again."""
    f = kt.jax.function(ROBOT, "inverse_dynamics")
    q, qd, qdd = states(200_000)

    @jax.jit
    def program(q: Any, qd: Any, qdd: Any) -> Any:
        for _ in range(5):
            q = jnp.tanh(f(jnp.sin(q), qd, qdd))
        return q

    want = q
    for _ in range(5):
        want = np.tanh(ROBOT.inverse_dynamics(np.sin(want), qd, qdd))
    for _ in range(3):
        near(program(q, qd, qdd), want, 100.0)


def test_shard_map_over_the_batch() -> None:
    if not hasattr(jax, "shard_map"):
        pytest.skip("this version of JAX has no jax.shard_map")
    f, spec = kt.jax.function(ROBOT, "inverse_dynamics"), jax.sharding.PartitionSpec("batch")
    mesh = jax.make_mesh((len(DEVICES),), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))
    args = states(64 * len(DEVICES))
    mapped = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec))
    near(mapped(*args), ROBOT.inverse_dynamics(*args))


def test_closed_chains() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    q = chain.close([0.1, -0.2]).check()
    x = RNG.standard_normal((2, 50, 2))
    near(kt.jax.function(chain, "inverse_dynamics")(q, *x), chain.inverse_dynamics(q, *x))


def test_several_threads_call_at_once() -> None:
    f = jax.jit(kt.jax.function(ROBOT, "gravity_forces"))
    inputs = RNG.standard_normal((8, 3000, 7))
    wanted, wrong = ROBOT.gravity_forces(inputs), list[int]()

    def work(k: int) -> None:
        for _ in range(20):
            if not np.allclose(np.asarray(f(inputs[k])), wanted[k], atol=1e-9):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_no_interpreter_lock_is_needed() -> None:
    """While this thread keeps the lock, unlike in time.sleep."""
    f = kt.jax.function(ROBOT, "gravity_forces")
    often = jax.jit(lambda q: jax.lax.fori_loop(0, 50, lambda _, q: q + jnp.sum(f(q)), q))
    q = jnp.ones((2000, 7))
    often(q).block_until_ready()
    result = often(q)
    ctypes.PyDLL(None).usleep(900_000)
    assert result.is_ready()


def test_the_cpu_is_still_there() -> None:
    f, args = kt.jax.function(ROBOT, "inverse_dynamics"), states(10)
    with jax.default_device(jax.devices("cpu")[0]):
        found = jax.jit(f)(*args)
    assert found.devices() == {jax.devices("cpu")[0]}
    np.testing.assert_array_equal(np.asarray(found), ROBOT.inverse_dynamics(*args))
