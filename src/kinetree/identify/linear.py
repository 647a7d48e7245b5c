"""The forces of a robot as a known part and one that is linear in what is identified: tau = Y beta + known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.regressor import dynamic_parameters
from kinetree.errors import InputError, check_name, check_names
from kinetree.identify.base_parameters import BaseParameters, base_parameters
from kinetree.identify.chains import AnyRobot, tree_of, with_tree
from kinetree.identify.combination import Combination
from kinetree.identify.standard import check_values, geometry, included, numbers_for
from kinetree.parameter import bound, substitute
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

GROUPS = {  # of parameters that are identified together, with the names of those of the joints
    "inertia": (),
    "friction": ("damping", "coulomb"),
    "rotor": ("rotor_inertia",),
    "stiffness": ("stiffness", "transmission"),
}


@dataclass(frozen=True)
class Linear:
    """The forces of a robot, linear in its base parameters.

    Args:
        base: the base parameters that are identified.
        model: all standard parameters as the model has them (nparameters,), 0 where it does not say.
    """

    base: BaseParameters
    model: Array

    @cached_property
    def known(self) -> Array:
        """The standard parameters that are not identified (nparameters,)."""
        rest = self.model.copy()
        rest[list(self.base.considered)] = 0.0
        return rest

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y (..., n, p)."""
        return np.asarray(self.base.regressor(q, qd, qdd), float)

    def known_forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """The part of the forces that comes from the other parameters (..., n)."""
        if not self.known.any():
            return np.zeros(np.shape(qd))
        return self.base.full_regressor(q, qd, qdd) @ self.known

    def model_forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """All forces as the model has them (..., n)."""
        return self.regressor(q, qd, qdd) @ self.nominal + self.known_forces(q, qd, qdd)

    @cached_property
    def nominal(self) -> Array:
        """The base parameters as the model has them (p,)."""
        return self.base.matrix() @ self.model


def joint_parameters(include: Sequence[str]) -> list[str]:
    """The parameters of the joints in these groups."""
    names = (include,) if isinstance(include, str) else tuple(include)
    check_names("group of parameters", names, GROUPS)
    return [parameter for name, own in GROUPS.items() if name in names for parameter in own]


def linear(robot: AnyRobot, include: Sequence[str], configuration: Array | None = None) -> Linear:
    """The forces of a robot without open geometry, in the base parameters of these groups.

    ``configuration`` is one of a closed chain, in whose assembly it moves.
    """
    names = (include,) if isinstance(include, str) else tuple(include)
    names = tuple(GROUPS) if names == ("all",) else names
    joints, tree = joint_parameters(names), tree_of(robot)
    if not names:
        raise InputError(f"include is empty: name what shall be identified, of {', '.join(GROUPS)}")
    if "inertia" in names:
        return Linear(base_parameters(robot, joints, configuration=configuration), model_values(tree))
    own = included(tree, joints)
    if not own:
        raise InputError(f"{tree.name!r} has no parameters of {', '.join(names)}")
    return Linear(_single(robot, own), model_values(tree))


def of_body(robot: AnyRobot, body: str) -> Linear:
    """The forces that a load on a body adds, in its ten moments."""
    tree = tree_of(robot)
    names = [b.name for b in tree.bodies]
    check_name("body", body, names)
    first = 10 * names.index(body)
    return Linear(_single(robot, range(first, first + 10)), np.zeros(tree.nparameters))


def _single(robot: AnyRobot, columns: Sequence[int]) -> BaseParameters:
    """Columns of which none is regrouped with others."""
    return BaseParameters(robot, tuple(columns), {c: Combination.of(c) for c in columns})


def with_geometry(robot: AnyRobot, given: Mapping[str, float]) -> AnyRobot:
    """The robot with numbers for all open parameters of its geometry; those of its inertias may stay open."""
    tree = tree_of(robot)
    check_values(tree, given)
    shape = geometry(tree)
    if not shape.parameters:
        return robot
    numbers: dict[str, Any] = dict(tree.parameters)
    numbers |= numbers_for(shape, {name: x for name, x in given.items() if name in shape.parameters})
    return with_tree(robot, bound(tree, numbers))


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
