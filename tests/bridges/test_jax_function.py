"""Functions of robots in JAX: the robot's own numbers, under every transformation that JAX has."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import kinetree as kt

pytest.importorskip("jaxlib")
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

EXACT = 1e-12  # relative to the largest number: the same operations in another order
ARM = kt.robots.seven_link()
RNG = np.random.default_rng(5)
Q, QD, QDD = RNG.standard_normal((3, 6, ARM.nv))


def close(a: Any, b: Any, tolerance: float = EXACT) -> None:
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(b).max(initial=0.0)))


@pytest.fixture(scope="module")
def f() -> kt.jax.JaxFunction:
    return kt.jax.function(ARM, "inverse_dynamics")


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_those_of_numpy_to_the_last_bit(f: Any, dtype: Any) -> None:
    q, qd, qdd = (x.astype(dtype) for x in (Q, QD, QDD))
    want = ARM.inverse_dynamics(q, qd, qdd)
    for found in (f(q, qd, qdd), jax.jit(f)(q, qd, qdd), jax.vmap(f)(q, qd, qdd)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found), want)
    np.testing.assert_array_equal(np.asarray(f(q[0], qd[0], qdd[0])), ARM.inverse_dynamics(q[0], qd[0], qdd[0]))


@pytest.mark.parametrize(
    "shapes",
    [
        ((), (4,), ()),
        ((3, 1), (1, 4), ()),
        ((1,), (), (1,)),
        ((0,), (), (0,)),
        ((1, 1), (5,), (5,)),
        ((2, 1, 1), (3, 1), (4,)),
        ((2, 3, 4), (3, 1), (2, 1, 1)),
        ((2, 0), (2, 1), ()),
        ((3000, 1), (1, 7), ()),
    ],
)
def test_leading_dimensions_broadcast_as_in_numpy(f: Any, shapes: Any) -> None:
    args = [RNG.standard_normal((*s, ARM.nv)) for s in shapes]
    for g in (f, jax.jit(f)):
        np.testing.assert_array_equal(np.asarray(g(*args)), ARM.inverse_dynamics(*args))
    weights = RNG.standard_normal((*np.broadcast_shapes(*shapes), ARM.nv))
    slopes = jax.grad(lambda *x: jnp.sum(weights * f(*x)), (0, 1, 2))
    wanted = jax.grad(lambda *x: jnp.sum(weights * f(*(jnp.broadcast_to(a, weights.shape) for a in x))), (0, 1, 2))
    for found, want in zip(slopes(*args), wanted(*args)):
        close(found, want)


@pytest.mark.parametrize("count", [3, 50_000])
def test_small_numbers_are_not_flushed_to_zero(count: int) -> None:
    """As XLA's threads do."""
    twice = jax.jit(kt.jax.function(kt.compile(lambda x: 2.0 * x, signature="()->()")))
    smallest = jax.device_put(np.full(count, 5e-324))
    assert (np.asarray(twice(smallest)) == 1e-323).all()


def test_large_batches_go_to_several_threads(f: Any) -> None:
    q = RNG.standard_normal((20_011, ARM.nv))
    want = ARM.inverse_dynamics(q, q[0], q)
    np.testing.assert_array_equal(np.asarray(jax.jit(f)(q, q[0], q)), want)
    ten = jax.jit(lambda q: jax.lax.fori_loop(0, 10, lambda _, x: x + 1e-3 * f(q, q[0], x), q))
    want = q
    for _ in range(10):
        want = want + 1e-3 * ARM.inverse_dynamics(q, q[0], want)
    close(ten(q), want)


@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy"])
def test_any_algorithm(name: str) -> None:
    args = [Q, QD, QDD][: len(ARM.function(name).operands)]
    want = getattr(ARM, name)(*args)
    found = kt.jax.function(ARM, name)(*args)
    assert isinstance(found, tuple) == isinstance(want, tuple)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, want))):
        np.testing.assert_array_equal(np.asarray(a), b)


def test_frames_loads_and_moving_bases() -> None:
    tip = ARM.bodies[-1].name
    np.testing.assert_array_equal(np.asarray(kt.jax.function(ARM, "pose", frame=tip)(Q)), ARM.pose(Q, tip))
    external, velocity, acceleration = RNG.standard_normal((ARM.nbodies, 6)), *RNG.standard_normal((2, 6))
    given = {"external": external, "base_velocity": velocity, "base_acceleration": acceleration}
    loaded = kt.jax.function(ARM, "inverse_dynamics", external=True, base=True)
    np.testing.assert_array_equal(np.asarray(loaded(Q, QD, QDD, **given)), ARM.inverse_dynamics(Q, QD, QDD, **given))


def test_functions_of_the_user() -> None:
    made = kt.compile(lambda x, y: ([x[0] * y, x[1] / y], x[0] ** 2), signature="x(2), y() -> (2), ()")
    f = kt.jax.function(made)
    a, b = f(jnp.array([3.0, 4.0]), y=2.0)
    assert (a.tolist(), b.tolist()) == ([6.0, 2.0], 9.0)
    close(jax.jacrev(lambda x, y: f(x, y)[0], 1)(jnp.array([3.0, 4.0]), 2.0), [3.0, -1.0])
    assert jax.grad(lambda x, y: f(x, y)[1])(jnp.array([3.0, 4.0]), 2.0).tolist() == [6.0, 0.0]


def test_equal_robots_share_code_and_functions_are_pickled(f: Any) -> None:
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(np.asarray(again(Q, QD, QDD)), np.asarray(f(Q, QD, QDD)))
    assert str(jax.make_jaxpr(again)(Q, QD, QDD)) == str(jax.make_jaxpr(f)(Q, QD, QDD))


# -- derivatives -------------------------------------------------------------------------------------------------------


def test_jacobians_are_those_of_the_robot(f: Any) -> None:
    wanted = ARM.inverse_dynamics_derivatives(Q, QD, QDD)
    for k, d in enumerate(wanted):
        one = Q[0], QD[0], QDD[0]
        close(jax.jacfwd(f, k)(*one), d[0])
        close(jax.jit(jax.jacrev(f, k))(*one), d[0])
        close(jax.vmap(jax.jacrev(f, k))(Q, QD, QDD), d)
        close(jax.jit(jax.vmap(jax.jacfwd(f, k), (0, 0, 0)))(Q, QD, QDD), d)
        close(jax.vmap(jax.jacrev(f, k), (0, None, None))(Q, QD[0], QDD[0])[0], d[0])


def test_gradients_of_losses(f: Any) -> None:
    tau, wanted = ARM.inverse_dynamics(Q, QD, QDD), ARM.inverse_dynamics_derivatives(Q, QD, QDD)
    loss = jax.jit(jax.value_and_grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))
    value, found = loss(Q, QD, QDD)
    close(value, (tau**2).sum())
    for g, d in zip(found, wanted):
        close(g, np.einsum("bij,bi->bj", d, 2 * tau))
    shared = jax.grad(lambda qd: jnp.sum(f(Q, qd, QDD)))(QD[0])  # one velocity for all states
    close(shared, ARM.inverse_dynamics_derivatives(Q, QD[0], QDD)[1].sum(axis=(0, 1)))


def test_second_derivatives_and_third_ones(f: Any) -> None:
    one, weights = (Q[0], QD[0], QDD[0]), RNG.standard_normal(ARM.nv)
    want = ARM.inverse_dynamics_hessian_product(*one, weights)
    scalar = jax.jit(jax.hessian(lambda x: jnp.dot(weights, f(*jnp.split(x, 3)))))
    close(scalar(np.concatenate(one)), want)
    v = RNG.standard_normal(ARM.nv)

    def along(q: Any) -> Any:
        return jax.jvp(lambda q: f(q, *one[1:]), (q,), (v,))[1]

    reverse = jax.jit(jax.jacrev(along))(one[0])
    close(jax.jit(jax.jacfwd(along))(one[0]), reverse)
    close(jax.jvp(along, (one[0],), (v,))[1], np.asarray(reverse) @ v)


def test_third_derivatives() -> None:
    f, step = kt.jax.function(kt.robots.two_link(), "inverse_dynamics"), 1e-5
    q, v = Q[0, :2], QD[0, :2]

    def hessian(q: Any) -> Any:
        return jax.hessian(lambda q: jnp.dot(v, f(q, v, v)))(q)

    third = jax.jit(jax.grad(lambda q: v @ hessian(q) @ v))(q)
    close(v @ third, v @ (hessian(q + step * v) - hessian(q - step * v)) @ v / (2 * step), 1e-7)


def test_products_are_linear_in_their_directions(f: Any) -> None:
    d = ARM.inverse_dynamics_derivatives(Q[0], QD[0], QDD[0])[0]

    def product(v: Any) -> Any:
        return jax.jvp(lambda q: f(q, QD[0], QDD[0]), (jnp.asarray(Q[0]),), (v,))[1]

    close(jax.jacrev(product)(Q[1]), d)
    close(jax.jacfwd(product)(Q[1]), d)
    (transposed,) = jax.linear_transpose(product, jnp.asarray(Q[1]))(jnp.asarray(Q[2]))
    close(transposed, d.T @ Q[2])
    back = jax.vjp(lambda q: f(q, QD[0], QDD[0]), jnp.asarray(Q[0]))[1]
    close(jax.jacfwd(lambda w: back(w)[0])(Q[1]), d.T)
    close(jax.jacrev(lambda w: back(w)[0])(Q[1]), d.T)


def test_vmap_of_vmap_and_scan(f: Any) -> None:
    outer = jax.vmap(jax.vmap(f, (0, None, None)), (None, 0, None))
    np.testing.assert_array_equal(np.asarray(outer(Q, QD, QDD[0])), ARM.inverse_dynamics(Q, QD[:, None], QDD[0]))
    last = jax.vmap(lambda q, qd: f(q, qd, QDD), (-1, None), -1)(np.stack([Q, QD], axis=-1), QDD)
    np.testing.assert_array_equal(np.asarray(last[..., 1]), ARM.inverse_dynamics(QD, QDD, QDD))
    inner = jax.vmap(lambda qd: f(Q, qd, QDD[0]))(QD[:2])  # a mapped velocity that all states of the batch share
    np.testing.assert_array_equal(np.asarray(inner), ARM.inverse_dynamics(Q, QD[:2, None], QDD[0]))

    @jax.jit
    def total(q: Any) -> Any:
        return jax.lax.scan(lambda c, x: (c + jnp.sum(f(x, QD[0], c * x) ** 2), None), 0.1, q)[0]

    def by_hand(q: Any) -> Any:
        c = 0.1
        for x in q:
            c = c + np.sum(ARM.inverse_dynamics(x, QD[0], c * x) ** 2)
        return c

    q = 0.1 * Q[:3]
    close(total(q), by_hand(q))
    step, v = 1e-6, RNG.standard_normal(q.shape)
    slope = (by_hand(q + step * v) - by_hand(q - step * v)) / (2 * step)
    close(np.sum(jax.grad(total)(q) * v), slope, 1e-6)


DEVICES = """
import jax, numpy as np, kinetree as kt
from jax.sharding import AxisType, NamedSharding, PartitionSpec

jax.config.update("jax_enable_x64", True)
f = kt.jax.function(kt.robots.two_link(), "inverse_dynamics")
mesh = jax.make_mesh((2,), ("batch",), axis_types=(AxisType.Auto,))
split, whole = PartitionSpec("batch"), PartitionSpec()
q, qd, qdd = np.random.default_rng(0).standard_normal((3, 6, 2))
for check in (True, False):
    mapped = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(split, whole, split), out_specs=split, check_vma=check))
    np.testing.assert_array_equal(mapped(q, qd[0], qdd), f(q, qd[0], qdd))

def gradient(q, qd, qdd):
    return jax.grad(lambda qd: (f(q, qd, qdd) ** 2).sum())(qd)  # JAX adds what the devices found

mapped = jax.jit(jax.shard_map(gradient, mesh=mesh, in_specs=(split, whole, split), out_specs=whole))
np.testing.assert_allclose(mapped(q, qd[0], qdd), gradient(q, qd[0], qdd), rtol=1e-12)
arrays = [jax.device_put(x, NamedSharding(mesh, split)) for x in (q, qd, qdd)]
np.testing.assert_array_equal(jax.jit(f)(*arrays), f(q, qd, qdd))
"""


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="this version of JAX has no jax.shard_map")
def test_batches_over_devices() -> None:
    flags = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, "-c", DEVICES], env=flags, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_without_jit(f: Any) -> None:
    with jax.disable_jit():
        np.testing.assert_array_equal(np.asarray(f(Q, QD, QDD)), ARM.inverse_dynamics(Q, QD, QDD))


# -- named parameters, closed chains -----------------------------------------------------------------------------------


def open_arm(masses: int = 1) -> kt.Robot:
    """Two joints, with a length and some masses at the tip that stay open."""
    rows = [kt.DH(a=0.5, mass=4.0, com=(-0.25, 0.1, 0)), kt.DH(a=kt.parameter("length", 0.4), mass=1.0)]
    rows += [kt.DH(joint="fixed", mass=kt.parameter(f"m{k:02}", 0.1 + k), name=f"load{k}") for k in range(masses)]
    return kt.Robot.from_dh(rows, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("masses", [1, 34])  # one array of all of them beyond 32
def test_named_parameters_are_keywords_with_derivatives(masses: int) -> None:
    robot = open_arm(masses)
    f = kt.jax.function(robot, "inverse_dynamics")
    x = Q[:, :2], QD[:, :2], QDD[:, :2]
    np.testing.assert_array_equal(np.asarray(f(*x)), robot.inverse_dynamics(*x))
    given = {"length": 0.7, "m00": np.linspace(0.0, 1.0, 6)}
    np.testing.assert_array_equal(np.asarray(f(*x, **given)), robot.inverse_dynamics(*x, **given))
    found = jax.jit(jax.jacfwd(lambda p: f(*x, **p)))({"length": 0.7, "m00": 0.3})
    for name, d in found.items():
        want = robot.parameter_derivatives("inverse_dynamics", *x, wrt=name, length=0.7, m00=0.3)
        close(d, want[..., 0])
    gradient = jax.grad(lambda p: jnp.sum(f(*x, **p)))({"length": 0.7, "m00": 0.3})
    for name, d in gradient.items():
        close(d, found[name].sum())


def test_closed_chains() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    q = chain.close([0.1, -0.2]).check()
    f = kt.jax.function(chain, "inverse_dynamics")
    x = RNG.standard_normal((2, 5, 2))
    close(f(q, *x), chain.inverse_dynamics(q, *x))
    close(jax.vmap(jax.jacrev(f, 2), (None, 0, 0))(q, *x), chain.inverse_dynamics_derivatives(q, *x)[2])
    motion = kt.jax.function(chain, "velocities")  # derivatives along motions that keep the loops closed
    along = jax.vmap(jax.jacfwd(f), (None, 0, 0))(q, *x) @ jax.jacfwd(motion, 1)(q, np.zeros(2))
    close(along, chain.inverse_dynamics_derivatives(q, *x)[0])
    nowhere = np.full(q.shape, np.nan)
    assert np.isnan(f(nowhere, *x)).all()
    velocities = RNG.standard_normal(chain.robot.nv)
    tau = chain.forward_dynamics(q, velocities, [1.0, 2.0])
    close(kt.jax.function(chain, "forward_dynamics")(q, velocities, np.array([1.0, 2.0])), tau)
    loaded, wrenches = (
        kt.jax.function(chain, "forward_dynamics", external=True),
        RNG.standard_normal((chain.robot.nbodies, 6)),
    )
    want = chain.forward_dynamics(q, velocities, [1.0, 2.0], external=wrenches, stabilisation=3.0)
    close(loaded(q, velocities, np.array([1.0, 2.0]), wrenches, stabilisation=3.0), want)


def test_parallel_robots() -> None:
    robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
    pose = robot.robot.pose(robot.robot.neutral, "platform")
    q, x = robot.close(pose).check(), RNG.standard_normal((2, 6))
    f = kt.jax.function(robot, "inverse_dynamics")
    close(f(q, *x), robot.inverse_dynamics(pose, *x))
    inverse = jax.jacfwd(f, 2)(q, *x)
    close(robot.forward_dynamics(pose, x[0], inverse[:, 0] + f(q, x[0], np.zeros(6)))[1:], np.zeros(5), 1e-9)


def test_dry_friction_at_rest_has_one_of_its_slopes() -> None:
    joint = kt.Joint("joint", kt.joints.Revolute((0, 0, 1)), coulomb=2.0)
    robot = kt.Robot((kt.Body("link", joint, inertia=kt.Inertia(1.0, (0.1, 0, 0), np.eye(3) * 0.1)),))
    f = kt.jax.function(robot, "inverse_dynamics")
    still = np.zeros(1)
    assert jax.jacrev(f, 1)(still, still, still) == 0.0
