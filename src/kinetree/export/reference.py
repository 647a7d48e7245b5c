"""What self-tests are made of: random states, and the results of the interpreter, which defines every operation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.emit.text.language import State
from kinetree.errors import InputError, check_names
from kinetree.graph import interpret
from kinetree.signature import TOGETHER
from kinetree.tracing import Trace

COUNT = 3  # states
# relative to the largest number of a result: far above rounding, far below any mistake
DOUBLE, SINGLE = 1e-10, 1e-4
ROOM = 16.0  # float32 code may err so many times as much as the interpreter does in float32

# what the arguments and results of the algorithms are
QUANTITIES: Mapping[str, str] = {
    "q": "positions [rad, m]",
    "qd": "velocities [rad/s, m/s]",
    "qdd": "accelerations [rad/s^2, m/s^2]",
    "qddd": "jerks [rad/s^3, m/s^3]",
    "tau": "joint forces [N m, N]",
    "taud": "rates of the joint forces [N m/s, N/s]",
    "M": "the mass matrix",
    "Minv": "the inverse of the mass matrix",
    "h": "forces of velocities, gravity and friction [N m, N]",
    "g": "forces of gravity [N m, N]",
    "X": "the pose, world from frame, homogeneous",
    "J": "the Jacobian, angular rows first, world axes at the origin of the frame",
    "Jd": "the rate of the Jacobian",
    "twist": "angular velocity, then that of the frame's origin, world axes [rad/s, m/s]",
    "acceleration": "angular, then of the frame's origin, world axes [rad/s^2, m/s^2]",
    "c": "the centre of mass in the world [m]",
    "about": "the point of the angular momentum in the world [m]",
    "momentum": "angular, then linear, world axes [kg m^2/s, kg m/s]",
    "A": "the centroidal momentum matrix, angular rows first, world axes",
    "C": "the Coriolis matrix",
    "q0": "positions at the start [rad, m]",
    "q1": "positions at the end [rad, m]",
    "v": "constant velocities [rad/s, m/s]",
    "dt": "the time between them [s]",
    "T": "kinetic energy [J]",
    "V": "potential energy [J]",
    "w": "wrenches, moment first, in body axes at the joint [N m, N]",
    "external": "a wrench on each body, moment first, world axes at its origin [N m, N]",
    "external_rate": "the rates of the external wrenches [N m/s, N/s]",
    "base_velocity": "of the base, angular first, in base axes [rad/s, m/s]",
    "base_acceleration": "of the base, angular first, in base axes [rad/s^2, m/s^2]",
    "base_jerk": "of the base, angular first, in base axes [rad/s^3, m/s^3]",
    "given": "at joints of known force the force, else the acceleration",
    "qdd_joints": "accelerations of the joints behind the base [rad/s^2, m/s^2]",
    "margin": "the squared margin to a singular configuration; near zero the other results mean nothing",
    "target": "the pose to reach, world from frame, homogeneous",
    "guess": "positions to start from [rad, m]",
    "error": "distance [m] and angle [rad] that are left; zeros where the target is reached",
    "solved": "1 where the target is reached, else 0",
    "stabilisation": "the rate at which errors of the loops die away [1/s]",
}


def states(
    traced: Trace, robot: Any, values: Mapping[str, float], single: bool, function: Any = None
) -> tuple[State, ...]:
    """Random states and their results in double precision; the arguments are as the code will read them.

    A function may have ``examples``, for operands that can't be any numbers.
    """
    kind = np.float32 if single else np.float64
    arguments = _arguments(traced, robot, values)
    if hasattr(function, "examples"):
        examples = function.examples(robot, COUNT, values)
        arguments |= {name: np.reshape(x, (COUNT, -1)).T for name, x in examples.items()}
    inputs = {name: np.asarray(x, kind).astype(float) for name, x in arguments.items()}
    given = [inputs[o.name] for o in traced.operands]
    parts = evaluated(traced, inputs)

    def at(arrays: Sequence[np.ndarray], k: int) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(x[:, k].tolist()) for x in arrays)

    return tuple(State(at(given, k), at(parts, k)) for k in range(COUNT))


def evaluated(traced: Trace, inputs: Mapping[str, np.ndarray], dtype: Any = np.float64) -> list[np.ndarray]:
    """The results of a trace (size, states) by the interpreter; of one that repeats, after the last step of each."""
    count = next(iter(inputs.values())).shape[1]
    sizes = np.cumsum([r.size for r in traced.results])[:-1]
    values, found, on = dict(inputs), [], np.ones(count, bool)
    while not found or on.any():
        flat = [np.broadcast_to(y, count) for y in interpret.evaluate(traced.outputs, values, dtype)]
        results = np.split(np.array(flat), sizes)
        found = [np.where(on, x, before) for x, before in zip(results, found or results)]
        if not traced.repeats:
            return found
        on &= results[-1][0] > 0
        values |= {r.name: x for r, x in zip(traced.results, found) if r.name in values}
    return found[:-1]


def tolerance(traced: Trace, checked: tuple[State, ...]) -> float:
    """How far results in single precision may be from those of the states, relative to the largest number of a result.

    Where a trace loses digits, the interpreter in single precision shows how many.
    """
    found = SINGLE
    for state in checked:
        inputs = {o.name: np.array(values)[:, None] for o, values in zip(traced.operands, state.inputs)}
        for narrow, values in zip(evaluated(traced, inputs, np.float32), state.results):
            error, scale = np.abs(narrow[:, 0] - np.array(values)), np.abs(values).max()
            if scale > 0 and np.isfinite(error).all():
                found = max(found, ROOM * float(error.max() / scale))
    return float(f"{found:.1e}")


def _arguments(traced: Trace, robot: Any, values: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Random numbers (size, states), with unit quaternions, and the values of named parameters."""
    parameters = dict(getattr(robot, "parameters", {}))
    check_names("parameter", values, parameters)
    if missing := [n for n, p in parameters.items() if p.default is None and n not in values]:
        given = ", ".join(f"{name!r}: ..." for name in missing)
        raise InputError(
            f"the self-test needs numbers for parameters without a default: give values={{{given}}}, or test=False"
        )
    numbers = {n: _number(n, values.get(n, p.default)) for n, p in parameters.items()}
    rng = np.random.default_rng(0)
    arguments = {}
    for operand in traced.operands:
        if operand.name in parameters or (operand.name == TOGETHER and parameters):
            own = [numbers[operand.name]] if operand.name in parameters else list(numbers.values())
            arguments[operand.name] = np.repeat(np.array(own)[:, None], COUNT, axis=1)
            continue
        x = rng.normal(size=(operand.size, COUNT))
        for _, start in getattr(robot, "quaternions", ()) if operand.name in ("q", "q0", "q1") else ():
            x[start : start + 4] /= np.linalg.norm(x[start : start + 4], axis=0)
        arguments[operand.name] = x
    return arguments


def parameter_defaults(traced: Trace, robot: Any) -> dict[str, list[float]]:
    """The defaults of named parameters, NaN where there is none, by the names of the operands that hold them."""
    numbers = {n: math.nan if p.default is None else p.default for n, p in getattr(robot, "parameters", {}).items()}
    operands = [o.name for o in traced.operands if o.name in numbers or (o.name == TOGETHER and numbers)]
    return {name: [numbers[name]] if name in numbers else [*numbers.values()] for name in operands}


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"the value of the parameter {name!r} must be a number, not {value!r:.60}")
    return number
