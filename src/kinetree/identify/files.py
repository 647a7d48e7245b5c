"""Results of identification in files: JSON with the robot inside, numbers with all their digits."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
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
from kinetree.identify.payload import Payload
from kinetree.identify.samples import Samples, samples_of
from kinetree.identify.validation import Validation, compared
from kinetree.plan.files import JsonFormat, made, made_fields, read_constraint, written_constraints
from kinetree.plan.problem import Problem
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

T = TypeVar("T")
_OTHERWISE = (Robot, ClosedChain, BaseParameters, Linear, Validation)  # fields of these types have a form of their own


def save(result: Fit | Payload | Excitation, path: Name) -> Path:
    """Write a result, with its robot."""
    name = type(result).__name__
    own = {field.name: getattr(result, field.name) for field in fields(result)}
    plain = {field: x for field, x in own.items() if not isinstance(x, _OTHERWISE)}
    return _format(name).write(path, {**plain, **_WRITERS[name](result)})


def load(kind: type[T], path: Name) -> T:
    """The result of this class in a file that `save` wrote."""
    return _format(kind.__name__).read(path, _READERS[kind.__name__])


def _format(name: str) -> JsonFormat:
    return JsonFormat(f"{name}.save", f"kinetree {name.lower()}", 1, 2**30)


# -- writing -----------------------------------------------------------------------------------------------------------


def _payload_written(load: Payload) -> dict[str, Any]:
    return {**_robot_written(load.model), "predicted": load.validation.predicted}


def _excitation_written(swing: Excitation) -> dict[str, Any]:
    return {**_base_written(swing.base), "constraints": written_constraints(swing.constraints)}


def _robot_written(robot: AnyRobot) -> dict[str, Any]:
    closed = isinstance(robot, ClosedChain)
    chain = {"actuated": robot.actuated, "configuration": robot.neutral} if closed else {"actuated": None}
    return {"robot": json.loads(tree_of(robot).to_json()), **chain}


def _base_written(base: BaseParameters) -> dict[str, Any]:
    """The robot and the combinations of its parameters, whose coefficients are numbers."""
    rows = {c: {other: x.coefficient(other, {}) for other in x.columns} for c, x in base.combinations.items()}
    return {**_robot_written(base.robot), "considered": base.considered, "combinations": rows}


# -- reading -----------------------------------------------------------------------------------------------------------


def _result(kind: type[T], x: dict[str, Any], **known: Any) -> T:
    """A result with some fields that are known already."""
    return kind(**known, **made_fields(kind, x, [f.name for f in fields(kind) if f.name not in known]))  # type: ignore


def _check(array: Array | None, *shape: int) -> None:
    if array is not None and (array.shape != shape or not np.isfinite(array).all()):
        raise InputError(f"an array must have the shape {shape} and finite numbers, its shape is {array.shape}")


def _robot(x: dict[str, Any]) -> AnyRobot:
    tree = Robot.from_json(json.dumps(dict(x["robot"])))
    if x["actuated"] is None:
        return tree
    return ClosedChain(tree, x["actuated"], configuration=x.get("configuration"))


def _base(x: dict[str, Any]) -> BaseParameters:
    robot = _robot(x)
    columns = range(tree_of(robot).nparameters)
    rows = {int(c): {int(other): float(k) for other, k in row.items()} for c, row in x["combinations"].items()}
    considered = tuple(map(int, x["considered"]))
    if not {*considered, *rows, *(other for row in rows.values() for other in row)} <= {*columns}:
        raise InputError(f"the robot has {len(columns)} parameters, and the file more")
    combinations = {c: Combination({(other, ()): k for other, k in row.items()}) for c, row in rows.items()}
    return BaseParameters(robot, considered, combinations)


def _check_forces(robot: AnyRobot, samples: Sequence[Samples], forces: Array) -> None:
    """Samples are those of the robot, and the forces are at them."""
    samples_of(robot, [x for each in samples for x in (each, each.measured) if x is not None])
    _check(forces, sum(map(len, samples)), len(columns_of(robot).forces))


def _fit(x: dict[str, Any]) -> Fit:
    base = _base(x)
    fit = _result(Fit, x, model=base.robot, linear=Linear(base, model_values(base.tree)))
    _check_forces(base.robot, fit.samples, fit.residuals)
    _check(fit.values, len(base))
    _check(fit.covariance, len(base), len(base))
    for name in ("values", "std", "lower", "upper", "model"):
        _check(getattr(fit.parameters, name), len(fit.parameters))
    _check(fit.standard, base.tree.nparameters)
    _check(fit.configuration, base.tree.nq)
    return fit


def _payload(x: dict[str, Any]) -> Payload:
    robot, samples, predicted = _robot(x), made(tuple[Samples, ...], x["samples"]), np.array(x["predicted"], float)
    _check_forces(robot, samples, predicted)
    load = _result(Payload, x, model=robot, samples=samples, validation=compared(robot, samples, predicted))
    tree_of(robot).index_of(load.body)  # refuses one that is not there
    for name, size in {"com": 3, "com_std": 3, "about_com": 6, "about_com_std": 6}.items():
        _check(getattr(load, name), size)
    return load


def _excitation(x: dict[str, Any]) -> Excitation:
    base, harmonics = _base(x), int(x["basis"]["harmonics"])
    if harmonics > len(x["control_points"]):
        raise InputError(f"{harmonics} harmonics have more control points than {len(x['control_points'])}")
    swing = _result(Excitation, x, robot=base.robot, base=base, constraints=())
    if not 0.0 < swing.duration < math.inf:
        raise InputError(f"a duration is a positive number of seconds, got {swing.duration!r}")
    _check(swing.configuration, base.tree.nq)
    problem = Problem(base.robot, configuration=swing.configuration)
    _check(swing.control_points, swing.basis.size, problem.coordinates.size)
    constraints = tuple(read_constraint(problem.robot, problem.dynamics, given) for given in x["constraints"])
    return replace(swing, constraints=constraints).repeat(swing.periods)


_WRITERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Fit": lambda fit: _base_written(fit.linear.base), "Payload": _payload_written, "Excitation": _excitation_written,
}  # fmt: skip
_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {"Fit": _fit, "Payload": _payload, "Excitation": _excitation}
