"""Barman: the exact optimum of the planar arm of chapter IV."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from papers.figure import Figure

START, END, LIMIT = (0.0, -2.0), (1.0, -1.0), 10.0  # rad, N m: example 4.1
# the bounds that the two torques take between one switch and the next
ARCS = LIMIT * np.array([(1, -1), (1, 1), (-1, 1), (-1, -1)])
STEPS = 240  # of an arc; twice as many change the time by 1e-13 s
_CALL = "`robot.forward_dynamics` in papers/barman.py"


def figures() -> list[Figure]:
    """Those of section 4.1; papers/barman_planning.py has the splines, papers/barman_gait.py chapter V."""
    second, first, third, duration = switches()
    splines = "splines of finitely many control points come close to the exact optimum, which has three switches"
    read = "what the thesis says of its graph"
    return [
        Figure("Barman", "shortest time of the 2R arm [s]", "0.392", f"{duration:.9f}", _CALL, splines),
        Figure("Barman", "first torque switches [s]", "just over 0.2", f"{first:.6f}", _CALL, read),
        Figure("Barman", "second torque switches [s]", "early, 0.25", f"{second:.6f}, {third:.6f}", _CALL, read),
    ]


def switches() -> np.ndarray:
    """The times of the three switches and of the end, by Newton's method on the state that is reached."""
    times = np.array([0.05, 0.2, 0.25, 0.4])
    goal = np.array([*END, 0.0, 0.0])
    for _ in range(20):
        step = 1e-6
        tried = np.concatenate([[times], times + step * np.eye(4), times - step * np.eye(4)])
        reached = _reached(tried)
        derivative = (reached[1:5] - reached[5:]).T / (2 * step)
        change = np.linalg.solve(derivative, goal - reached[0])
        times = times + change
        if np.abs(change).max() < 1e-12:
            break
    return times


def _reached(times: np.ndarray) -> np.ndarray:
    """Positions and velocities at the end, for a batch of switching times: Runge and Kutta's method on each arc."""
    robot = kt.robots.two_link()
    x = np.broadcast_to([*START, 0.0, 0.0], times.shape)
    begins = np.concatenate([np.zeros((len(times), 1)), times[:, :-1]], axis=1)
    for k, tau in enumerate(ARCS):
        h = (times[:, k] - begins[:, k])[:, None] / STEPS

        def rate(x: np.ndarray, tau: np.ndarray = tau) -> np.ndarray:
            return np.concatenate([x[:, 2:], robot.forward_dynamics(x[:, :2], x[:, 2:], tau)], axis=1)

        for _ in range(STEPS):
            a = rate(x)
            b = rate(x + h / 2 * a)
            c = rate(x + h / 2 * b)
            d = rate(x + h * c)
            x = x + h / 6 * (a + 2 * b + 2 * c + d)
    return x
