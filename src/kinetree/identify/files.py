"""Results of identification in files: JSON with the robot inside, numbers with all their digits."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.files import Name
from kinetree.identify.base_parameters import BaseParameters
from kinetree.identify.chains import AnyRobot, columns_of, tree_of
from kinetree.identify.combination import Combination
from kinetree.identify.excitation import Excitation
from kinetree.identify.fit import Fit
from kinetree.identify.linear import Linear, model_values
from kinetree.identify.parameters import Parameters
from kinetree.identify.payload import Payload
from kinetree.identify.samples import Samples
from kinetree.identify.validation import compared
from kinetree.nlp.solution import Termination
from kinetree.plan.files import JsonFormat, read_constraint, written_constraints
from kinetree.plan.problem import Problem
from kinetree.plan.status import PlanStatus
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.transcribe.fourier import Fourier

T = TypeVar("T")


def save(result: Fit | Payload | Excitation, path: Name) -> Path:
    """Write a result, with its robot."""
    name = type(result).__name__
    return _format(name).write(path, _WRITERS[name](result), allow_nan=False)


def load(kind: type[T], path: Name) -> T:
    """The result of this class in a file that `save` wrote."""
    return _format(kind.__name__).read(path, _READERS[kind.__name__])


def _format(name: str) -> JsonFormat:
    return JsonFormat(f"{name}.save", f"kinetree {name.lower()}", 1, 2**30)


# -- writing -----------------------------------------------------------------------------------------------------------


def _fit_written(fit: Fit) -> dict[str, Any]:
    return {**_base_written(fit.linear.base), **_fields(fit, "model", "linear")}


def _payload_written(load: Payload) -> dict[str, Any]:
    return {
        **_robot_written(load.model),
        **_fields(load, "model", "validation"),
        "predicted": _plain(load.validation.predicted),
    }


def _excitation_written(swing: Excitation) -> dict[str, Any]:
    constraints = written_constraints(swing.constraints)
    return {**_base_written(swing.base), **_fields(swing, "robot", "base", "constraints"), "constraints": constraints}


def _fields(x: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass, without some."""
    return {field.name: _plain(getattr(x, field.name)) for field in fields(x) if field.name not in without}


def _plain(x: Any) -> Any:
    """For JSON: arrays as lists, members of enumerations by name, infinite numbers as texts."""
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, enum.Enum):
        return x.name
    if isinstance(x, tuple):
        return [_plain(each) for each in x]
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return _fields(x) if is_dataclass(x) else x


def _robot_written(robot: AnyRobot) -> dict[str, Any]:
    actuated = robot.actuated if isinstance(robot, ClosedChain) else None
    return {"robot": json.loads(tree_of(robot).to_json()), "actuated": actuated}


def _base_written(base: BaseParameters) -> dict[str, Any]:
    """The robot and the combinations of its parameters, whose coefficients are numbers."""
    rows = {c: {other: x.coefficient(other, {}) for other in x.columns} for c, x in base.combinations.items()}
    return {**_robot_written(base.robot), "considered": base.considered, "combinations": rows}


# -- reading -----------------------------------------------------------------------------------------------------------


def _array(given: Any, *shape: int) -> Array:
    x = np.array(given, float)
    if x.shape != shape or not np.isfinite(x).all():
        raise InputError(f"an array must have the shape {shape} and finite numbers, its shape is {x.shape}")
    return x


def _robot(x: dict[str, Any]) -> AnyRobot:
    tree = Robot.from_json(json.dumps(dict(x["robot"])))
    return tree if x["actuated"] is None else ClosedChain(tree, x["actuated"])


def _base(x: dict[str, Any]) -> BaseParameters:
    robot = _robot(x)
    columns = range(tree_of(robot).nparameters)
    rows = {int(c): {int(other): float(k) for other, k in row.items()} for c, row in x["combinations"].items()}
    considered = tuple(map(int, x["considered"]))
    if not {*considered, *rows, *(other for row in rows.values() for other in row)} <= {*columns}:
        raise InputError(f"the robot has {len(columns)} parameters, and the file more")
    made = {c: Combination({(other, ()): k for other, k in row.items()}) for c, row in rows.items()}
    return BaseParameters(robot, considered, made)


def _samples(robot: AnyRobot, x: dict[str, Any]) -> Samples:
    own = columns_of(robot)
    q = _array(x["q"], len(x["t"]), len(own.positions))
    t, qd, qdd, forces = (np.array(x[name], float) for name in ("t", "qd", "qdd", "forces"))
    if forces.shape != (len(t), len(own.forces)):
        raise InputError(f"the robot has {len(own.forces)} forces, the shape of those in the file is {forces.shape}")
    measured = None if x["measured"] is None else _samples(robot, x["measured"])
    return Samples(t, q, qd, qdd, forces, float(x["cutoff"]), measured)


def _configuration(robot: AnyRobot, given: Any) -> Array | None:
    return None if given is None else _array(given, tree_of(robot).nq)


def _fit(x: dict[str, Any]) -> Fit:
    base = _base(x)
    robot, tree, p = base.robot, base.tree, len(base)
    samples = tuple(_samples(robot, given) for given in x["samples"])
    table = x["parameters"]
    names, relations = (tuple(map(str, table[key])) for key in ("names", "relations"))
    numbers = {key: _array(table[key], len(names)) for key in ("values", "std", "lower", "upper", "model")}
    residuals = _array(x["residuals"], sum(map(len, samples)), len(columns_of(robot).forces))
    return Fit(
        robot, Linear(base, model_values(tree)), samples, _array(x["values"], p), _array(x["covariance"], p, p),
        Parameters(names, **numbers, relations=relations), residuals, float(x["condition"]),
        {str(name): str(text) for name, text in x["dropped"].items()}, tuple(map(str, x["unidentifiable"])),
        tuple(map(str, x["warnings"])), float(x["confidence"]),
        None if x["standard"] is None else _array(x["standard"], tree.nparameters),
        _configuration(robot, x["configuration"]),
    )  # fmt: skip


def _payload(x: dict[str, Any]) -> Payload:
    robot = _robot(x)
    samples = tuple(_samples(robot, given) for given in x["samples"])
    tree_of(robot).index_of(str(x["body"]))  # refuses one that is not there
    predicted = _array(x["predicted"], sum(map(len, samples)), len(columns_of(robot).forces))
    about, about_std = (None if x[name] is None else _array(x[name], 6) for name in ("about_com", "about_com_std"))
    com, com_std = _array(x["com"], 3), _array(x["com_std"], 3)
    mass, mass_std = float(x["mass"]), float(x["mass_std"])
    validation = compared(robot, samples, predicted)
    return Payload(robot, samples, str(x["body"]), mass, mass_std, com, com_std, about, about_std, validation)


def _excitation(x: dict[str, Any]) -> Excitation:
    base, harmonics, duration = _base(x), int(x["basis"]["harmonics"]), float(x["duration"])
    if harmonics > len(x["control_points"]):
        raise InputError(f"{harmonics} harmonics have more control points than {len(x['control_points'])}")
    basis = Fourier(harmonics, bool(x["basis"]["rest"]))
    if not 0.0 < duration < math.inf:
        raise InputError(f"a duration is a positive number of seconds, got {duration!r}")
    configuration = _configuration(base.robot, x["configuration"])
    problem = Problem(base.robot, configuration=configuration)
    swing = Excitation(
        base.robot, base, basis, _array(x["control_points"], basis.size, problem.coordinates.size), duration,
        float(x["condition"]), PlanStatus[x["status"]], float(x["cost"]), float(x["violation"]),
        Termination[x["termination"]], str(x["worst"]), int(x["iterations"]), float(x["seconds"]),
        tuple(read_constraint(problem.robot, problem.dynamics, given) for given in x["constraints"]),
        configuration=configuration,
    )  # fmt: skip
    return swing.repeat(int(x["periods"]))


_WRITERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Fit": _fit_written, "Payload": _payload_written, "Excitation": _excitation_written,
}  # fmt: skip
_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {"Fit": _fit, "Payload": _payload, "Excitation": _excitation}
