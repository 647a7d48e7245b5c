"""Batches: every function is a NumPy generalized ufunc.

Leading dimensions broadcast, ``out=`` writes into your array, float32 in gives float32 out, and a large batch is
spread over the cores. Nothing needs a loop in Python.

Takes about 1 s.
"""

import time

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

arm = kt.robots.puma560()
rng = np.random.default_rng(1)

# one state, a thousand, a grid: the same call
q = rng.uniform(-3, 3, (1000, 6))
zero = np.zeros(6)
print("one state      ", arm.gravity_forces(q[0]).shape)
print("a thousand     ", arm.gravity_forces(q).shape)
tau = arm.inverse_dynamics(q[:, None, :], zero, np.eye(6))  # 1000 configurations x 6 unit accelerations
print("a grid         ", tau.shape)
columns = tau - arm.gravity_forces(q)[:, None, :]  # the mass matrix, column by column
assert np.allclose(columns.swapaxes(1, 2), arm.mass_matrix(q))

# single precision: half the memory, twice the SIMD lanes
single = arm.gravity_forces(q.astype(np.float32))
print("float32        ", single.dtype, f"error {np.abs(single - arm.gravity_forces(q)).max():.1e} N m")
assert single.dtype == np.float32
assert np.allclose(single, arm.gravity_forces(q), rtol=1e-4, atol=1e-3)

# out=: no new memory, and views with any strides
wide = np.full((1000, 12), np.nan)
arm.gravity_forces(q, out=wide[:, ::2])
assert np.array_equal(wide[:, ::2], arm.gravity_forces(q))
assert np.isnan(wide[:, 1::2]).all()

# threads: the result does not depend on them
q, qd, qdd = rng.uniform(-3, 3, (3, 200_000, 6))
results = []
for count in sorted({1, kt.threads()}):
    kt.threads(count)
    results.append(arm.inverse_dynamics(q, qd, qdd))
    began = time.perf_counter()
    arm.inverse_dynamics(q, qd, qdd, out=results[-1])
    print(f"{count} thread(s)     {len(q) / (time.perf_counter() - began) / 1e6:.0f} million states per second")
assert np.array_equal(results[0], results[-1])
