"""The numbers that the joint forces of a robot depend on, no more and no less: its base parameters.

Of the ten inertial parameters of each body some have no effect on the joint forces and others act only in fixed
combinations. For trees the combinations are found in closed form, with open parameters kept ([Gautier1990],
[Khalil2010] section 3.2); for closed loops, motors, friction and elastic joints from the rank of the regressor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.regressor import dynamic_parameters, regressor
from kinetree.closed import ClosedChain
from kinetree.compile import compile
from kinetree.errors import InputError, check_name, printable
from kinetree.identify.chains import AnyRobot, tree_of, with_tree
from kinetree.identify.combination import Combination
from kinetree.identify.rank import full_regressor, independent, observed
from kinetree.identify.standard import geometry, included, numbers_for, parameter_names, round_parameters
from kinetree.model.regroup import regroup
from kinetree.parameter import bound, substitute
from kinetree.robot import Robot
from kinetree.robot.functions import Array, parameter_values
from kinetree.spatial import RigidInertia, Sym3, Vec3

METHODS = ("closed form", "rank")


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The base parameters of a robot: beta of tau = Y_base beta, each a standard parameter and those regrouped with it.

    ``print()`` shows all relations.

    Args:
        robot: the `Robot` or `ClosedChain`.
        considered: the columns of `Robot.regressor` that were considered.
        combinations: for each base parameter its column, and the combination that it stands for.
    """

    robot: AnyRobot
    considered: tuple[int, ...]
    combinations: dict[int, Combination]

    @property
    def tree(self) -> Robot:
        """The robot, without its closed loops."""
        return tree_of(self.robot)

    @cached_property
    def geometry(self) -> Robot:
        """The robot without inertias, friction and springs: all that the regressor depends on."""
        return geometry(self.tree)

    @cached_property
    def standard_names(self) -> tuple[str, ...]:
        """The names of all columns of `Robot.regressor`."""
        return parameter_names(self.tree)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of `Robot.regressor` that stay."""
        return tuple(self.combinations)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the base parameters; those that others joined end in R, as SYMORO has it."""
        return tuple(self.standard_names[c] + "R" * (len(x.terms) > 1) for c, x in self.combinations.items())

    def __len__(self) -> int:
        return len(self.combinations)

    @property
    def relations(self) -> dict[str, str]:
        """What each base parameter stands for, in the robot's own parameters."""
        return {name: x.text(self.standard_names) for name, x in zip(self.names, self.combinations.values())}

    @cached_property
    def _used(self) -> set[int]:
        return {c for x in self.combinations.values() for c in x.columns}

    @property
    def regrouped(self) -> tuple[str, ...]:
        """The parameters that act through base parameters of others only."""
        return tuple(self.standard_names[c] for c in sorted(self._used - set(self.columns)))

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The parameters that no joint force depends on."""
        return tuple(self.standard_names[c] for c in self.considered if c not in self._used)

    def __repr__(self) -> str:
        return f"BaseParameters of {printable(self.tree.name)}: {len(self)} of {len(self.considered)} parameters"

    def __str__(self) -> str:
        lines = [f"{self.tree.name}: {len(self)} base parameters of {len(self.considered)} parameters"]
        lines += [f"  {name} = {text}" if name != text else f"  {name}" for name, text in self.relations.items()]
        lines += [f"regrouped: {', '.join(self.regrouped) or 'none'}"]
        return "\n".join(map(printable, [*lines, f"without effect: {', '.join(self.without_effect) or 'none'}"]))

    # -- numbers -------------------------------------------------------------------------------------------------------

    def matrix(self, **parameters: float) -> Array:
        """K of beta = K pi, pi the robot's `dynamic_parameters`: (base parameters, nparameters).

        Args:
            parameters: values for the open parameters of the geometry.
        """
        numbers = numbers_for(self.geometry, parameters)
        matrix = np.zeros((len(self), self.tree.nparameters))
        for row, x in enumerate(self.combinations.values()):
            for column in x.columns:
                matrix[row, column] = x.coefficient(column, numbers)
        return matrix

    def values(self, **parameters: float) -> Array:
        """beta as the model has it (base parameters,), for these values of open parameters."""
        numbers = numbers_for(self.tree, parameters)
        pi = np.array([substitute(x, numbers) for x in dynamic_parameters(self.tree)], float)
        return self.matrix(**{name: numbers[name] for name in self.geometry.parameters}) @ pi

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **parameters: ArrayLike) -> Array:
        """Y_base of tau = Y_base beta, as a compiled function of arrays.

        Args:
            q, qd, qdd: the motion, as for `Robot.inverse_dynamics`; for a `ClosedChain` the positions of all joints,
                and velocities and accelerations of the independent ones.
            parameters: values for the open parameters of the geometry.

        Returns:
            Y (..., nv, base parameters); for a `ClosedChain` (..., n, base parameters), the forces at the independent
            joints.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> base = kt.identify.base_parameters(arm)
            >>> base.regressor([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]) @ base.values()
            array([0.4 , 0.16])
        """
        if isinstance(self.robot, ClosedChain):
            return self.full_regressor(q, qd, qdd, **parameters)[..., list(self.columns)]
        return self.function(q, qd, qdd, *parameter_values(self.geometry, dict(parameters)))

    def full_regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **parameters: ArrayLike) -> Array:
        """The regressor of all standard parameters (..., nv, nparameters)."""
        return full_regressor(self._moving, q, qd, qdd, dict(parameters))

    @cached_property
    def _moving(self) -> AnyRobot:
        return with_tree(self.robot, self.geometry)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The minimal regressor of a tree as a `kinetree.runtime.Function`, without keywords."""
        if isinstance(self.robot, ClosedChain):
            raise InputError("the regressor of a closed chain is no single compiled function; call regressor()")
        return compile(
            SomeColumns(self.columns), self.geometry, signature=f"q(nq), qd(nv), qdd(nv) -> Y(nv,{len(self)})"
        )


@dataclass(frozen=True)
class SomeColumns:
    """The regressor with only these columns, over scalars; what only others need is not computed."""

    columns: tuple[int, ...]
    __name__ = "base_regressor"

    def __call__(self, robot: Any, q: Any, qd: Any, qdd: Any) -> list[list[Any]]:
        return [[row[c] for c in self.columns] for row in regressor(robot, q, qd, qdd)]


def base_parameters(
    robot: AnyRobot,
    include: Sequence[str] = (),
    *,
    method: str | None = None,
    configuration: ArrayLike | None = None,
    **parameters: float,
) -> BaseParameters:
    """The smallest set of numbers that the joint forces of a robot depend on, and how its parameters enter them.

    Args:
        robot: a tree, or a `ClosedChain`, whose loops make fewer parameters identifiable.
        include: besides the inertias, any of "damping", "coulomb", "rotor_inertia", "stiffness" (of the joints) and
            "transmission" (damping and stiffness of elastic ones); "all" for all of them.
        method: "closed form" takes the rules for trees alone, with open parameters kept; "rank" takes the rank of the
            regressor at random states alone. By default the rules come first, then the rank for what they leave; trees
            with open parameters take the rules alone, unless ``parameters`` or ``include`` is given.
        configuration: of a closed chain (nq,), closed and not singular, around which the rank is taken;
            ``chain.neutral`` by default. Another assembly may have other base parameters.
        parameters: values for open parameters, where the rank needs numbers.

    Returns:
        A `BaseParameters`; print it.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.identify.base_parameters(kt.robots.two_link())
        >>> len(arm), arm.names
        (4, ('link1.ZZR', 'link2.MX', 'link2.MY', 'link2.ZZ'))

    Reference: [Gautier1990]; [Khalil2010] section 3.2.
    """
    tree = tree_of(robot)
    if method is not None:
        check_name("method", method, METHODS)
    own, same = included(tree, include), round_parameters(tree)
    considered = (*(c for c in range(10 * tree.nbodies) if c not in same), *own)
    single = {c: Combination.of(c) for c in considered}
    first = single if method == "rank" else {**_by_rules(tree), **{c: single[c] for c in own}}
    by_rules_alone = bool(geometry(tree).parameters) and not parameters and not include and isinstance(robot, Robot)
    if method == "closed form" or (method is None and by_rules_alone):
        return BaseParameters(robot, considered, first)
    return BaseParameters(robot, considered, _by_rank(robot, first, configuration, parameters))


def _by_rules(tree: Robot) -> dict[int, Combination]:
    """The inertial base parameters of a tree by the rules of regrouping."""
    shape = geometry(tree)
    shape = bound(shape, {name: Combination.open(p) for name, p in shape.parameters.items()})
    inertias: list[RigidInertia] = []
    for i in range(tree.nbodies):
        m, x, y, z, *second = (Combination.of(10 * i + k) for k in range(10))
        inertias.append(RigidInertia(m, Vec3(x, y, z), Sym3(*second)))
    left, same = dict[int, Combination](), round_parameters(tree)
    for i, rigid in enumerate(regroup(shape, inertias)):
        for k, x in enumerate((rigid.m, *rigid.ms, *rigid.J)):
            if isinstance(x, Combination) and 10 * i + k not in same:
                left[10 * i + k] = x
    return left


def _by_rank(
    robot: AnyRobot, first: dict[int, Combination], configuration: Any, parameters: dict[str, float]
) -> dict[int, Combination]:
    """Combinations that the rank of the regressor joins further."""
    tree, columns = tree_of(robot), list(first)
    shape = geometry(tree)
    stacked = observed(with_tree(robot, shape), numbers_for(shape, parameters), len(columns), configuration)
    for other, column in round_parameters(tree).items():
        if column >= 0:
            stacked[:, column] += stacked[:, other]
    kept, shares = independent(stacked[:, columns])
    joined: dict[int, Combination] = {}
    for row, j in enumerate(kept):
        total: Any = 0.0
        for k in np.flatnonzero(shares[row]):
            total = first[columns[k]] * float(shares[row, k]) + total
        joined[columns[j]] = total
    return joined
