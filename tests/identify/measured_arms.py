"""Two arms, and what encoders and torque sensors measure while they move."""

from __future__ import annotations

from math import pi

import numpy as np

import kinetree as kt
from kinetree.identify import Data, Fit, Samples
from kinetree.identify.standard import geometry

NOISE = 0.01  # of the root of the mean square of a joint's force
COUNTS = 2**15  # of the encoders, a turn of the joint
RATE = 1000.0  # Hz
TWO_PERCENT = 0.02

# alpha, a, d, mass, centre, inertia about it, rotor inertia, viscous and Coulomb friction: an arm of the size of a UR5
TABLE = (
    (0.0, 0.0, 0.0892, 3.7, (0.0, -0.02, 0.0), (0.0103, 0.0103, 0.0067), 0.9, 6.0, 8.0),
    (pi / 2, 0.0, 0.0, 8.4, (0.21, 0.01, 0.11), (0.03, 0.23, 0.23), 0.9, 6.0, 8.0),
    (0.0, 0.425, 0.0, 2.3, (0.15, 0.0, 0.02), (0.006, 0.05, 0.05), 0.4, 4.0, 5.0),
    (0.0, 0.392, 0.1092, 1.2, (0.0, -0.018, 0.016), (0.0026, 0.0028, 0.0023), 0.1, 1.0, 1.5),
    (-pi / 2, 0.0, 0.0947, 1.2, (0.0, 0.018, 0.016), (0.0026, 0.0028, 0.0023), 0.1, 1.0, 1.5),
    (pi / 2, 0.0, 0.0823, 0.6, (0.005, 0.002, -0.03), (0.0006, 0.0006, 0.0005), 0.08, 0.8, 1.0),
)


def arm() -> kt.Robot:
    rows = [
        kt.DH(alpha=alpha, a=a, d=d, mass=m, com=c, inertia=i, rotor_inertia=ia, damping=fv, coulomb=fs)
        for alpha, a, d, m, c, i, ia, fv, fs in TABLE
    ]
    return kt.Robot.from_dh(rows, "modified", name="arm of the size of a UR5")


ARM = arm()
EMPTY = geometry(ARM)  # what the fits know: no inertia, no friction
LINK = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))


def swing(seed: int, t: np.ndarray, n: int = 6, fastest: float = 2.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fourier series of five harmonics of 0.1 Hz with random coefficients, scaled to a largest velocity."""
    rng = np.random.default_rng(seed)
    w = 2 * pi / 10.0 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, n)) / np.sqrt(np.arange(1, 6))[:, None]
    middle = rng.uniform(-0.5, 0.5, n)
    s, c = (f(np.outer(np.linspace(0, 10, 2001), w)) for f in (np.sin, np.cos))
    scale = fastest / np.abs((c * w) @ a - (s * w) @ b).max(axis=0)
    s, c = (f(np.outer(t, w)) for f in (np.sin, np.cos))
    a, b = a * scale, b * scale
    return middle + s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w * w) @ a - (c * w * w) @ b


def measured(robot: kt.Robot, motion: int, trial: int, counts: int = COUNTS, noise: float = NOISE) -> Data:
    """Ten seconds as encoders and torque sensors see them."""
    t = np.arange(int(10 * RATE)) / RATE
    rng = np.random.default_rng(trial)
    q, qd, qdd = swing(motion, t, robot.nv)
    tau = robot.inverse_dynamics(q, qd, qdd)
    step = 2 * pi / counts
    origin = rng.uniform(0, step, robot.nv)
    spread = noise * np.sqrt((tau**2).mean(axis=0))
    return Data(t, step * np.round((q + origin) / step) - origin, tau + spread * rng.normal(size=tau.shape))


def exact(robot: kt.Robot, motion: int = 6, count: int = 200) -> Samples:
    t = np.linspace(0.0, 10.0, count)
    q, qd, qdd = swing(motion, t, robot.nv)
    return Samples(t, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd))


def error_on_fresh_motions(found: Fit, robot: kt.Robot = ARM) -> np.ndarray:
    """Predicted less true forces over true ones, roots of mean squares of each joint over three other motions."""
    t = np.linspace(0.0, 10.0, 500)
    wrong, size = 0.0, 0.0
    for motion in (100, 101, 102):
        q, qd, qdd = swing(motion, t)
        tau = robot.inverse_dynamics(q, qd, qdd)
        wrong, size = wrong + ((found.forces(q, qd, qdd) - tau) ** 2).sum(axis=0), size + (tau**2).sum(axis=0)
    return np.sqrt(wrong / size)
