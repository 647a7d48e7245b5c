"""The forces of a robot as a known part and one that is linear in what is looked for: tau = Y beta + known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.regressor import dynamic_parameters
from kinetree.closed import ClosedChain
from kinetree.errors import InputError, UnknownNameError
from kinetree.identify.base_parameters import BaseParameters, base_parameters
from kinetree.identify.columns import tree_of
from kinetree.identify.combination import Combination
from kinetree.identify.rank import closed_regressor
from kinetree.identify.standard import check_numbers, geometry, included, numbers_for
from kinetree.identify.wanted import WANTED, wanted
from kinetree.parameter import bound, substitute
from kinetree.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """The forces of a robot, linear in its base parameters.

    Args:
        base: the base parameters that are looked for.
        model: all standard parameters as the model has them (nparameters,), 0 where it does not say.
    """

    base: BaseParameters
    model: Array

    @cached_property
    def known(self) -> Array:
        """The standard parameters that are not looked for (nparameters,)."""
        rest = self.model.copy()
        rest[list(self.base.considered)] = 0.0
        return rest

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y (..., n, p)."""
        return np.asarray(self.base.regressor(q, qd, qdd), float)

    def known_forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """The part of the forces that is not looked for (..., n)."""
        if not self.known.any():
            return np.zeros(np.shape(qd))
        return self._full(q, qd, qdd) @ self.known

    def model_forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """All forces as the model has them (..., n)."""
        return self.regressor(q, qd, qdd) @ self.nominal + self.known_forces(q, qd, qdd)

    @cached_property
    def nominal(self) -> Array:
        """The base parameters as the model has them (p,)."""
        return self.base.matrix() @ self.model

    def _full(self, q: Any, qd: Any, qdd: Any) -> Any:
        moving = self.base._moving
        if isinstance(moving, ClosedChain):
            return closed_regressor(moving, np.asarray(q, float), qd, qdd, {})
        return moving.regressor(q, qd, qdd)


def linear(robot: Robot | ClosedChain, include: Sequence[str], configuration: Array | None = None) -> Linear:
    """The forces of a robot without open geometry, in the base parameters of these groups.

    ``configuration`` is one of a closed chain, in whose assembly it moves.
    """
    names = (include,) if isinstance(include, str) else tuple(include)
    if names == ("all",):
        names = tuple(WANTED)
    drives = wanted(names)
    if not names:
        raise InputError(f"include is empty: name what shall be identified, of {', '.join(WANTED)}")
    tree = tree_of(robot)
    if "inertia" in names:
        return Linear(base_parameters(robot, drives, configuration=configuration), model_values(tree))
    own = tuple(included(tree, drives))
    if not own:
        raise InputError(f"{tree.name!r} has no parameters of {', '.join(names)}")
    return Linear(BaseParameters(robot, own, {c: Combination.of(c) for c in own}), model_values(tree))


def of_body(robot: Robot | ClosedChain, body: str) -> Linear:
    """The forces that a load on a body adds, in its ten moments."""
    tree = tree_of(robot)
    names = [b.name for b in tree.bodies]
    if body not in names:
        raise UnknownNameError("body", body, names)
    own = tuple(range(10 * names.index(body), 10 * names.index(body) + 10))
    base = BaseParameters(robot, own, {c: Combination.of(c) for c in own})
    return Linear(base, np.zeros(tree.nparameters))


def with_geometry(robot: Robot | ClosedChain, given: Mapping[str, float]) -> Robot | ClosedChain:
    """The robot with numbers for all open parameters of its geometry; those of its inertias may stay open."""
    tree = tree_of(robot)
    for name in given:
        if name not in tree.parameters:
            raise UnknownNameError("parameter", name, tree.parameters)
    check_numbers(given)
    shape = geometry(tree)
    if not shape.parameters:
        return robot
    numbers: dict[str, Any] = dict(tree.parameters)
    numbers |= numbers_for(shape, {name: x for name, x in given.items() if name in shape.parameters})
    closed = bound(tree, numbers)
    return ClosedChain(closed, robot.actuated) if isinstance(robot, ClosedChain) else closed


def model_values(tree: Robot) -> Array:
    """The standard parameters as the model has them, 0 where they are open and have no default."""
    numbers = {name: p.default for name, p in tree.parameters.items()}
    values: list[float] = []
    for x in dynamic_parameters(tree):
        try:
            values.append(float(substitute(x, numbers)))
        except TypeError:  # None among the numbers
            values.append(0.0)
    return np.array(values)
