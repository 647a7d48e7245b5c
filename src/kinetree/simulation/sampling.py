"""Sampled controllers: forces from measured states, noise included, held until the next sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.errors import InputError, KinetreeError, SimulationError
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.runtime.function import Function
from kinetree.simulation.batch import Batch
from kinetree.simulation.interpolation import QuaternionCoordinates, normalised

Measurement = Callable[[Array, Array], tuple[Array, Array]]
Sampler = Callable[[float, Array, Array], Array]


def measurement(noise: Any, seed: int | None, robot: Robot) -> Measurement:
    """From a state to the measured one, with the noise of `simulate`."""
    if noise is None:
        return lambda q, qd: (q, qd)
    try:
        of_q, of_qd = (
            np.broadcast_to(np.asarray(x, float), (n,)) for x, n in zip(noise, (robot.nq, robot.nv), strict=True)
        )
    except (TypeError, ValueError):
        raise InputError(
            f"noise is a pair, for positions and velocities: each a number, or {robot.nq} and {robot.nv} of them; "
            f"got {noise!r}"
        ) from None
    if not (np.isfinite([*of_q, *of_qd]).all() and min(of_q.min(initial=0.0), of_qd.min(initial=0.0)) >= 0):
        raise InputError(f"noise is two standard deviations, of positions and velocities, not below 0; got {noise!r}")
    rng, quaternions = np.random.default_rng(seed), QuaternionCoordinates.of(robot)

    def measure(q: Array, qd: Array) -> tuple[Array, Array]:
        q = q + of_q * rng.standard_normal(q.shape)
        return normalised(q, quaternions), qd + of_qd * rng.standard_normal(qd.shape)

    return measure


def native_sampler(function: Function, memory: Array, batch: Batch, measure: Measurement) -> Sampler:
    """A compiled controller, with its memory (runs, n) from sample to sample."""
    values = batch.parameter_inputs

    def sample(t: float, q: Array, qd: Array) -> Array:
        nonlocal memory
        tau, memory = function(np.array(t), *measure(q, qd), memory, *values)
        return tau

    return sample


def python_sampler(
    controller: Callable[..., Any], shape: tuple[int, ...], forces: int, measure: Measurement
) -> Sampler:
    """A Python function of the user; an exception in it is raised again with the time."""

    def sample(t: float, q: Array, qd: Array) -> Array:
        q, qd = measure(q, qd)
        try:
            tau = np.asarray(controller(t, q.reshape(*shape, -1), qd.reshape(*shape, -1)), float)
        except KinetreeError:
            raise
        except Exception as error:
            raise SimulationError(f"the controller raised {type(error).__name__} at {t:.6g} s: {error}") from error
        if tau.shape[-1:] != (forces,):
            raise SimulationError(f"the controller must give {forces} forces for each run, got shape {tau.shape}")
        try:
            return np.broadcast_to(tau, (*shape, forces)).reshape(-1, forces)
        except ValueError:
            raise SimulationError(f"the forces of the controller, {tau.shape}, don't fit the runs {shape}") from None

    return sample
