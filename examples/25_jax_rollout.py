"""Derivatives through a simulation in JAX: torques that swing an arm to a goal, found by gradient descent.

A step of the simulation is compiled code; `jax.lax.scan` repeats it, and `jax.grad` goes back through all steps by
compiled products of derivatives. Eight starts are improved at once by `jax.vmap`. Needs the extra: pip install
"kinetree[jax]".

Takes about 4 s.
"""

import jax
import jax.numpy as jnp
import numpy as np

import kinetree as kt

print("Takes about 4 s.", flush=True)
jax.config.update("jax_enable_x64", True)

arm = kt.robots.two_link()
acceleration = kt.jax.function(arm, "forward_dynamics")
steps, dt = 50, 0.02
goal = jnp.array([1.2, -0.6])


def rollout(q, tau):
    """The positions and velocities at the end of a motion that begins at rest, for torques (steps, 2)."""

    def step(state, tau):
        q, qd = state
        qd = qd + dt * acceleration(q, qd, tau)
        return (q + dt * qd, qd), None

    return jax.lax.scan(step, (q, jnp.zeros_like(q)), tau)[0]


def cost(tau, q):
    """To be at rest at the goal, with little torque."""
    end, speed = rollout(q, tau)
    return jnp.sum((end - goal) ** 2) + 0.1 * jnp.sum(speed**2) + 1e-5 * jnp.sum(tau**2)


# the gradient is that of the difference quotient
rng = np.random.default_rng(0)
q, tau, along = np.array([-1.5, 0.3]), rng.standard_normal((steps, 2)), rng.standard_normal((steps, 2))
exact = jnp.sum(jax.grad(cost)(tau, q) * along)
quotient = (cost(tau + 1e-6 * along, q) - cost(tau - 1e-6 * along, q)) / 2e-6
print(f"slope along a random direction: {exact:.8f}, by differences {quotient:.8f}")
assert abs(exact - quotient) < 1e-6 * abs(exact)

# gradient descent with momentum, for eight starts at once
starts = jnp.asarray(rng.uniform(-2.0, 2.0, size=(8, 2)))
improved = jax.vmap(jax.value_and_grad(cost))


@jax.jit
def search(tau):
    def better(state, _):
        tau, momentum = state
        value, slope = improved(tau, starts)
        momentum = 0.9 * momentum - 0.5 * slope
        return (tau + momentum, momentum), value

    (tau, _), costs = jax.lax.scan(better, (tau, jnp.zeros_like(tau)), length=1000)
    return tau, costs


tau, costs = search(jnp.zeros((8, steps, 2)))
ends, speeds = jax.vmap(rollout)(starts, tau)
print(f"cost of the eight starts: {costs[0].mean():.3f} in the mean, {costs[-1].mean():.4f} after 1000 steps")
print(f"farthest from the goal: {abs(ends - goal).max():.3f} rad, {abs(speeds).max():.3f} rad/s")
assert costs[-1].max() < 0.1
assert abs(ends - goal).max() < 0.1
