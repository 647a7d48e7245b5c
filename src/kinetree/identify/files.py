"""Results of identification in files: JSON with the robot inside, numbers with all their digits."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinetree import files
from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.base_parameters import BaseParameters
from kinetree.identify.chains import tree_of
from kinetree.identify.columns import columns_of
from kinetree.identify.combination import Combination
from kinetree.identify.excitation import Excitation
from kinetree.identify.fit import Fit
from kinetree.identify.linear import Linear, model_values
from kinetree.identify.parameters import Parameters
from kinetree.identify.payload import Payload
from kinetree.identify.samples import Samples
from kinetree.identify.validation import Validation
from kinetree.nlp.solution import Termination
from kinetree.plan.files import read, read_constraint, written_constraints
from kinetree.plan.problem import Problem
from kinetree.plan.status import PlanStatus
from kinetree.robot import Robot
from kinetree.transcribe.fourier import Fourier

T = TypeVar("T")
Array = NDArray[np.float64]
Name = str | os.PathLike[str]
VERSION = 1
LARGEST = 2**30  # bytes of a file
_FIT = ("values", "covariance", "residuals", "condition", "dropped", "unidentifiable", "warnings", "confidence",
        "standard", "configuration")  # fmt: skip
_PARAMETERS = ("names", "values", "std", "lower", "upper", "model", "relations")
_PAYLOAD = ("body", "mass", "mass_std", "com", "com_std", "about_com", "about_com_std")
_EXCITATION = ("control_points", "duration", "condition", "cost", "violation", "worst", "iterations", "seconds",
               "periods", "configuration")  # fmt: skip


def save(result: Fit | Payload | Excitation, path: Name) -> Path:
    """Write a result, with its robot."""
    name = type(result).__name__
    content = {"format": f"kinetree {name.lower()}", "version": VERSION, **_WRITERS[name](result)}
    return files.write(path, json.dumps(content, allow_nan=False).encode("utf-8"))


def load(kind: type[T], path: Name) -> T:
    """The result of this class in a file that `save` wrote."""
    name = kind.__name__
    return read(path, f"{name}.save", f"kinetree {name.lower()}", VERSION, LARGEST, _READERS[name])


# -- writing -----------------------------------------------------------------------------------------------------------


def _fit_written(fit: Fit) -> dict[str, Any]:
    parameters, samples = _written(fit.parameters, _PARAMETERS), [*map(_samples_written, fit.samples)]
    return {**_base_written(fit.linear.base), **_written(fit, _FIT), "parameters": parameters, "samples": samples}


def _payload_written(load: Payload) -> dict[str, Any]:
    samples, predicted = [*map(_samples_written, load.samples)], load.validation.predicted.tolist()
    return {**_robot_written(load.model), **_written(load, _PAYLOAD), "samples": samples, "predicted": predicted}


def _excitation_written(swing: Excitation) -> dict[str, Any]:
    basis = {"harmonics": swing.basis.harmonics, "rest": swing.basis.rest}
    status = {"status": swing.status.name, "termination": swing.termination.name}
    constraints = written_constraints(swing.constraints)
    return {**_base_written(swing.base), **_written(swing, _EXCITATION), **basis, **status, "constraints": constraints}


def _written(x: Any, names: Sequence[str]) -> dict[str, Any]:
    """Fields of an object; infinite numbers as texts."""
    fields = {name: getattr(x, name) for name in names}
    fields = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields.items()}
    return {k: str(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in fields.items()}


def _robot_written(robot: Robot | ClosedChain) -> dict[str, Any]:
    actuated = robot.actuated if isinstance(robot, ClosedChain) else None
    return {"robot": json.loads(tree_of(robot).to_json()), "actuated": actuated}


def _base_written(base: BaseParameters) -> dict[str, Any]:
    """The robot and the combinations of its parameters, whose coefficients are numbers."""
    combinations = {
        column: {other: x.coefficient(other, {}) for other in x.columns} for column, x in base.combinations.items()
    }
    return {**_robot_written(base.robot), "considered": base.considered, "combinations": combinations}


def _samples_written(x: Samples) -> dict[str, Any]:
    arrays = _written(x, ("t", "q", "qd", "qdd", "forces", "cutoff"))
    return {**arrays, "measured": None if x.measured is None else _samples_written(x.measured)}


# -- reading -----------------------------------------------------------------------------------------------------------


def _array(given: Any, *shape: int) -> Array:
    x = np.array(given, float)
    if x.shape != shape or not np.isfinite(x).all():
        raise InputError(f"an array must have the shape {shape} and finite numbers, its shape is {x.shape}")
    return x


def _robot(x: dict[str, Any]) -> Robot | ClosedChain:
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


def _samples(robot: Robot | ClosedChain, x: dict[str, Any]) -> Samples:
    own = columns_of(robot)
    q = _array(x["q"], len(x["t"]), len(own.positions))
    t, qd, qdd, forces = (np.array(x[name], float) for name in ("t", "qd", "qdd", "forces"))
    if forces.shape != (len(t), len(own.forces)):
        raise InputError(f"the robot has {len(own.forces)} forces, the shape of those in the file is {forces.shape}")
    measured = None if x["measured"] is None else _samples(robot, x["measured"])
    return Samples(t, q, qd, qdd, forces, float(x["cutoff"]), measured)


def _configuration(robot: Robot | ClosedChain, given: Any) -> Array | None:
    return None if given is None else _array(given, tree_of(robot).nq)


def _fit(x: dict[str, Any]) -> Fit:
    base = _base(x)
    robot, tree, p = base.robot, base.tree, len(base)
    samples = tuple(_samples(robot, given) for given in x["samples"])
    names, relations = (tuple(map(str, x["parameters"][key])) for key in ("names", "relations"))
    numbers = (_array(x["parameters"][key], len(names)) for key in _PARAMETERS[1:-1])
    residuals = _array(x["residuals"], sum(map(len, samples)), len(columns_of(robot).forces))
    return Fit(
        robot, Linear(base, model_values(tree)), samples, _array(x["values"], p), _array(x["covariance"], p, p),
        Parameters(names, *numbers, relations), residuals, float(x["condition"]),
        {str(name): str(text) for name, text in x["dropped"].items()}, tuple(map(str, x["unidentifiable"])),
        tuple(map(str, x["warnings"])), float(x["confidence"]),
        None if x["standard"] is None else _array(x["standard"], tree.nparameters),
        _configuration(robot, x["configuration"]),
    )  # fmt: skip


def _payload(x: dict[str, Any]) -> Payload:
    robot = _robot(x)
    samples = tuple(_samples(robot, given) for given in x["samples"])
    tree_of(robot).index_of(str(x["body"]))  # refuses one that is not there
    t, measured = (np.concatenate([getattr(given, name) for given in samples]) for name in ("t", "forces"))
    validation = Validation(t, measured, _array(x["predicted"], *measured.shape), columns_of(robot).forces)
    about = (None if x[name] is None else _array(x[name], 6) for name in ("about_com", "about_com_std"))
    com, com_std = _array(x["com"], 3), _array(x["com_std"], 3)
    mass, mass_std = float(x["mass"]), float(x["mass_std"])
    return Payload(robot, samples, str(x["body"]), mass, mass_std, com, com_std, *about, validation)


def _excitation(x: dict[str, Any]) -> Excitation:
    base, harmonics, duration = _base(x), int(x["harmonics"]), float(x["duration"])
    if harmonics > len(x["control_points"]):
        raise InputError(f"{harmonics} harmonics have more control points than {len(x['control_points'])}")
    basis = Fourier(harmonics, bool(x["rest"]))
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
