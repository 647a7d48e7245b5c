"""How many degrees of freedom a mechanism with loops has, and which joints can drive it.

Both are properties of a configuration. They are taken at generic configurations near the neutral one, found by moving
the mechanism a little at random along what its loops allow; the algorithms run on plain numbers here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.kinematics import rates
from kinetree.algorithms.loop_closure import all_equations, closure
from kinetree.errors import ClosureError, InputError, ModelError, check_name
from kinetree.model import Mechanism
from kinetree.model.locked_joint import coordinates
from kinetree.parameter import bound

Vector = NDArray[np.float64]
_RANK = 1e-8  # singular values below this part of the largest are zero: errors of the configurations are 1e-12
_CLOSED = 1e-9  # [m, rad]
_STEPS, _POSTURES, _STRIDE = 60, 4, 0.15
_MANY = 5000  # sets of joints that are looked at
_SHOWN = 6


@dataclass(frozen=True)
class Mobility:
    """The motions that the loops of a mechanism allow: the columns of a matrix with nv rows.

    Args:
        robot: the mechanism, parameters at their defaults.
        motions: an orthonormal basis of the velocities that keep the loops closed.
        configuration: a closed one, near the neutral one.
        lengths: of the columns of the constraint Jacobian (nv), the largest near there.
    """

    robot: Mechanism
    motions: NDArray[np.float64]
    configuration: Vector
    lengths: Vector

    @property
    def degrees(self) -> int:
        """The degrees of freedom."""
        return self.motions.shape[1]

    def indices(self, joints: Sequence[str]) -> list[int]:
        """Where the velocities of joints are in qd."""
        return [k for name in joints for k in self.robot.velocities_of(name)]

    def determine(self, joints: Sequence[str]) -> bool:
        """Whether the motion of these joints says how all others move."""
        return self.rank(joints) == self.degrees

    def rank(self, joints: Sequence[str]) -> int:
        """How many degrees of freedom these joints move independently."""
        part = self.motions[self.indices(joints)]
        return int(np.linalg.matrix_rank(part, tol=1e-6)) if part.size else 0

    def independent(self, joints: Sequence[str]) -> tuple[str, ...] | None:
        """The first joints of a list that move independently and drive the mechanism."""
        chosen: list[str] = []
        for name in joints:
            if self.rank([*chosen, name]) == len(self.indices([*chosen, name])):
                chosen.append(name)
        return tuple(chosen) if len(self.indices(chosen)) == self.degrees else None

    def possible(self) -> Iterator[tuple[str, ...]]:
        """Sets of joints that can drive the mechanism, actuated ones first."""
        names = self.robot.joint_names
        driven = [b.joint.name for b in self.robot.bodies if b.joint.actuated and b.joint.name in names]
        sizes = {name: len(self.robot.velocities_of(name)) for name in names}
        seen: set[tuple[str, ...]] = set()
        for candidates in (driven, names):
            for count in range(1, self.degrees + 1):
                for chosen in combinations(candidates, count):
                    if len(seen) > _MANY:
                        return
                    fits = chosen not in seen and sum(sizes[x] for x in chosen) == self.degrees
                    seen.add(chosen)
                    if fits and self.determine(chosen):
                        yield chosen

    def hint(self) -> str:
        """The possible sets, for messages."""
        sets = [chosen for chosen, _ in zip(self.possible(), range(_SHOWN + 1))]
        listed = "; ".join(", ".join(map(repr, chosen)) for chosen in sets[:_SHOWN])
        return f"possible are {listed}{'; ...' * (len(sets) > _SHOWN)}" if sets else "no set of whole joints will do"


def mobility(robot: Mechanism, near: Vector | None = None) -> Mobility:
    """The mobility of a mechanism; named parameters count with their defaults.

    Args:
        robot: the mechanism.
        near: a configuration (nq,) next to which a closed one is looked for; the neutral one by default.
    """
    _check_couplings(robot)
    robot = with_numbers(robot)
    anywhere = np.random.default_rng(0).normal(size=robot.nv)  # always the same, not back to a singular one
    start = q = closed(robot, np.array(robot.neutral_coordinates if near is None else near, float), near is not None)
    best, lengths = _allowed(robot, q), np.linalg.norm(_jacobian(robot, q), axis=0)
    for _ in range(_POSTURES):
        motions = _allowed(robot, q)
        if not motions.shape[1]:
            break
        step = motions @ (motions.T @ anywhere)
        try:
            q = closed(robot, _moved(robot, q, _STRIDE * step / max(1e-12, np.linalg.norm(step))))
        except ClosureError:
            continue
        best = min(_allowed(robot, q), best, key=lambda m: m.shape[1])  # special configurations allow more
        lengths = np.maximum(lengths, np.linalg.norm(_jacobian(robot, q), axis=0))
    return Mobility(robot, best, start, lengths)


def configuration_of(robot: Mechanism, given: ArrayLike | Mapping[str, Any]) -> Vector:
    """The positions of all joints, given as such or by the names of some joints, the others neutral."""
    q = np.array(robot.neutral_coordinates, float)
    if not isinstance(given, Mapping):
        try:
            q = np.array(given, float)
        except (TypeError, ValueError):
            q = np.array([math.nan])
        if q.shape != (robot.nq,) or not np.isfinite(q).all():
            wanted = f"{robot.nq} finite numbers, one for each coordinate, or positions by the names of joints"
            raise InputError(f"configuration: expected {wanted}; got {str(given)[:100]}")
    else:
        joints = {body.joint.name: (body.joint, where) for body, where in zip(robot.bodies, robot.q_slices)}
        for name, value in given.items():
            check_name("joint", name, robot.joint_names)
            q[joints[name][1]] = coordinates(joints[name][0].kind, value, name)
    for _, start in robot.quaternions:
        length = np.linalg.norm(q[start : start + 4])
        if not length:
            raise InputError("configuration: a quaternion is zero; without rotation it is 0, 0, 0, 1")
        q[start : start + 4] /= length
    return q


def closed(robot: Mechanism, q: Vector, given: bool = True) -> Vector:
    """A configuration with closed loops near q, all joints moving (Gauss and Newton).

    Args:
        robot: the mechanism.
        q: where the search begins.
        given: whether the caller chose it; else it is the neutral one.
    """
    for _ in range(_STEPS):
        equations = closure(robot, q.tolist())
        errors = np.array([float(e.error) for e in equations])
        if np.abs(errors).max(initial=0.0) < _CLOSED * 1e-3:
            break
        step = -np.linalg.lstsq(np.array([e.row for e in equations], float), errors, rcond=_RANK)[0]
        q = _moved(robot, q, step * min(1.0, 0.5 / max(1e-12, np.abs(step).max())))
    _check_closed(robot, q, given)
    return q


def _check_closed(robot: Mechanism, q: Vector, given: bool) -> None:
    equations = all_equations(robot, q.tolist())
    errors = [abs(float(e.error)) + float(e.flipped) for e in equations]
    error, worst = max(zip(errors, equations), default=(0.0, None), key=lambda pair: pair[0])
    if worst is not None and not error < _CLOSED:
        name = "a coupling" if worst.loop is None else f"loop {robot.loops[worst.loop].name!r}"
        where = "the configuration given" if given else "its neutral configuration"
        raise ClosureError(
            f"the loops of {robot.name!r} don't close near {where}: {name} stays open by {error:.3g} (m, or rad). "
            "Check the frames of the loop, and the kind of its joint; or say where to look, by "
            "ClosedChain(configuration=)"
        )


def _check_couplings(robot: Mechanism) -> None:
    joints = {body.joint.name: body.joint for body in robot.bodies}
    for joint in (joints[name] for x in robot.couplings for name in (x.joint, x.leader) if name is not None):
        if joint.mimic:
            raise ModelError(
                f"coupling: joint {joint.name!r} mimics {joint.mimic.joint!r} and has no coordinate of its own; couple "
                f"{joint.mimic.joint!r} instead"
            )
        if joint.kind.nq != 1:
            raise ModelError(
                f"coupling: joint {joint.name!r} has {joint.kind.nq} coordinates; joints with one can be coupled"
            )


def _allowed(robot: Mechanism, q: Vector) -> NDArray[np.float64]:
    """An orthonormal basis of the velocities that keep the loops closed."""
    _, values, directions = np.linalg.svd(_jacobian(robot, q))
    rank = int((values > _RANK * values.max(initial=0.0)).sum())
    return directions[rank:].T


def _jacobian(robot: Mechanism, q: Vector) -> NDArray[np.float64]:
    return np.array([e.row for e in closure(robot, q.tolist())], float).reshape(-1, robot.nv)


def _moved(robot: Mechanism, q: Vector, step: Vector) -> Vector:
    q = q + np.array([float(x) for x in rates(robot, q.tolist(), step.tolist())])
    for _, start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def with_numbers(robot: Mechanism) -> Mechanism:
    """The mechanism with its parameters at their defaults."""
    defaults = {name: parameter.default for name, parameter in robot.parameters.items()}
    missing = [name for name, default in defaults.items() if default is None]
    if missing:
        raise ModelError(
            f"the loops of {robot.name!r} can't be looked at while parameters have no numbers: give defaults to "
            f"{', '.join(missing)}, as in kinetree.parameter({missing[0]!r}, 1.0)"
        )
    return bound(robot, defaults) if defaults else robot
