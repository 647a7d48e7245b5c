"""Your own function, compiled: `kt.compile`, `kt.jacobian` and `kt.hessian`.

Write it over scalars, with the functions of `kinetree.scalar`; Kinetree traces it once and makes native code that NumPy
broadcasts. A function whose first argument is a robot may use the algorithms of the package.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt
from kinetree.algorithms.energy import kinetic_energy, potential_energy
from kinetree.scalar import cos, select, sin

print("Takes about 1 s.", flush=True)


def spiral(x):
    """A curve in space that turns back at the top: a scalar in, three out."""
    height = select(x < 3.0, x, 6.0 - x)
    return [cos(x), sin(x), 0.1 * height]


def lagrangian(robot, q, qd):
    """Kinetic minus potential energy."""
    return kinetic_energy(robot, q, qd) - potential_energy(robot, q)


curve = kt.compile(spiral, signature="()->(3)")
tangent = kt.jacobian(spiral, signature="()->(3)")
x = np.linspace(0.0, 6.0, 1001)
print("curve  ", curve, curve(x).shape)
slope = (curve(x + 1e-6) - curve(x - 1e-6)) / 2e-6
away = np.abs(x - 3.0) > 1e-3  # the turning point has no tangent
assert np.allclose(tangent(x)[away], slope[away], atol=1e-8)

# Lagrange's equations from the energies alone: tau = d/dt dL/dqd - dL/dq
robot = kt.robots.stanford()
signature = "q(nq), qd(nv) -> L()"
force = kt.jacobian(lagrangian, robot, signature=signature, wrt=0)
momentum = kt.jacobian(lagrangian, robot, signature=signature, wrt=1)
mass = kt.hessian(lagrangian, robot, signature=signature, wrt=1)
q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 500, 6))
assert np.allclose(mass(q, qd), robot.mass_matrix(q))

h = 1e-6  # the time derivative of the momentum along the motion, by a central difference
rate = (momentum(q + h * qd, qd + h * qdd) - momentum(q - h * qd, qd - h * qdd)) / (2 * h)
error = np.abs(rate - force(q, qd) - robot.inverse_dynamics(q, qd, qdd)).max()
print(f"Lagrange and Newton-Euler agree to {error:.1e} N m on 500 states")
assert error < 1e-6
