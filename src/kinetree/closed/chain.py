"""`ClosedChain`: a robot whose loops are closed.

Its methods are functions of the modules beside this one, which take the chain first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed import derivatives, dynamics, functions, kinematics
from kinetree.closed.catalogue import ChainVariant
from kinetree.closed.closure import (
    CLOSED,
    ITERATIONS,
    ClosingIteration,
    Closure,
    Search,
    StandaloneClosing,
    close,
)  # fmt: skip
from kinetree.closed.mobility import Mobility, configuration_of, mobility
from kinetree.closed.on_gpu import Margin
from kinetree.compile import compile, compiled
from kinetree.errors import InputError, ModelError, printable
from kinetree.robot import Robot
from kinetree.robot.functions import Array, parameter_values
from kinetree.runtime.cuda.arrays import beside, is_on_gpu
from kinetree.runtime.function import Function


class ClosedChain:
    """A mechanism with closed loops: its tree, the loops and couplings of the model, and the joints that drive it.

    The motion of the ``independent`` joints says how all others move; they are the actuated ones, unless these are
    more than the degrees of freedom. Functions take the positions q of all joints, closed, and velocities and
    accelerations of the independent ones (..., n), or those of all joints (..., nv), of which the independent ones
    count. Leading dimensions broadcast; named parameters of the model are further keywords. ``external``,
    ``base_velocity`` and ``base_acceleration`` are those of a `Robot`: on a moving base, positions, velocities and
    accelerations of the joints are relative to it. Loops that are open at q go unnoticed, and the result means nothing,
    unless ``check=True`` is given: they raise a `ClosureError` then. Where a configuration is singular, so that the
    independent joints don't say how the others move, the row is NaN and a `SingularConfigurationWarning` says so.
    ``chain.neutral`` is the closed configuration next to the neutral one of the tree, ``chain.mobility`` counts the
    degrees of freedom.

    Args:
        robot: a `Robot` with ``loops`` or ``couplings``.
        actuated: the names of the driven joints; those of the model marked as ``actuated`` by default.
        weights: where more joints are driven than there are degrees of freedom, what the squares of their forces
            weigh, one for each velocity of a driven joint: the forces are those with the least weighted sum of
            squares. Ones by default.
        configuration: where to look for a closed configuration: positions of all joints (nq,) [rad, m], or of some
            by their names, the others neutral; they need not be closed. ``chain.neutral`` is the closed one next to
            it, and the chain stays in its assembly. By default the neutral configuration of the tree, at which some
            mechanisms are singular or far from closed.

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.five_bar(), actuated=["left_shoulder", "right_shoulder"])
        >>> q = chain.close([0.1, -0.2]).check()
        >>> chain.inverse_dynamics(q, [1.0, 0.0], [0.0, 0.0]).shape
        (2,)

    Reference: [Khalil2010] sections 2.2 and 4.
    """

    def __init__(
        self,
        robot: Robot,
        actuated: Sequence[str] | None = None,
        *,
        weights: Sequence[float] | None = None,
        configuration: ArrayLike | Mapping[str, Any] | None = None,
    ) -> None:
        if not robot.loops and not robot.couplings:
            raise ModelError(f"robot {robot.name!r} has no loops and no couplings; its own methods are all it needs")
        if isinstance(actuated, str):
            raise InputError(f"actuated is a list of names, such as [{actuated!r}]")
        own = set(robot.joint_names)
        marked = [b.joint.name for b in robot.bodies if b.joint.actuated and b.joint.name in own]
        actuated = marked if actuated is None else actuated
        for name in actuated:
            robot.velocities_of(name)  # refuses names that are not there
        self.robot, self.actuated = robot, tuple(dict.fromkeys(actuated))
        allowed = mobility(robot, None if configuration is None else configuration_of(robot, configuration))
        self.neutral = allowed.configuration
        self.independent = self._independent(allowed)
        free, driven = (tuple(allowed.indices(names)) for names in (self.independent, self.actuated))
        self.actuation = Actuation(free, driven, _weights(weights, len(driven)))
        # whatever is driven: the independent velocities that a simulation begins with, and what their columns measure
        own_free = allowed.independent([*marked, *robot.joint_names]) or self.independent
        self.model_independent = tuple(sorted(allowed.indices(own_free)))
        self.column_lengths = tuple(np.where(allowed.lengths > 0, allowed.lengths, 1.0).tolist())

    def _independent(self, allowed: Mobility) -> tuple[str, ...]:
        count = len(allowed.indices(self.actuated))
        found = allowed.independent(self.actuated)
        if found is None:
            listed = ", ".join(map(repr, self.actuated)) or "none"
            moved = allowed.rank(self.actuated)
            reason = (
                f"it has {allowed.degrees} degrees of freedom and {count} are driven"
                if count < allowed.degrees
                else f"they move {moved} of its {allowed.degrees} degrees of freedom independently"
            )
            raise ModelError(
                f"the joints {listed} can't drive {self.robot.name!r}: {reason}; {allowed.hint()}. A joint without "
                "a motor may stand among them; its force is then what it would need"
            )
        return found

    def __repr__(self) -> str:
        degrees = "degree" if self.mobility == 1 else "degrees"
        joints = printable(", ".join(self.actuated))
        return f"<ClosedChain {self.robot.name!r}: {self.mobility} {degrees} of freedom, {joints}>"

    @property
    def mobility(self) -> int:
        """The degrees of freedom."""
        return len(self.actuation.independent)

    # -- configurations ------------------------------------------------------------------------------------------------

    def close(
        self,
        q_independent: ArrayLike,
        guess: ArrayLike | None = None,
        *,
        tolerance: float = CLOSED,
        iterations: int = ITERATIONS,
        **parameters: ArrayLike,
    ) -> Closure:
        """The positions of all joints for those of the independent (the actuated) ones.

        From the guess on, the independent coordinates are followed to where they shall be, so that a mechanism with
        several assemblies stays in that of the guess.

        Args:
            q_independent: their positions (..., k) [rad, m].
            guess: a configuration (..., nq), closed or nearly; ``chain.neutral`` by default, the closed one that is
                next to the neutral configuration of the tree.
            tolerance: the error at which loops count as closed [m, rad].
            iterations: the most steps of a row for one stride of its way.

        Returns:
            A `Closure` with ``q`` (..., nq), ``status``, ``error`` and ``iterations`` for each row; ``check()`` gives
            q or raises.

        Example:
            >>> import kinetree as kt
            >>> chain = kt.ClosedChain(kt.robots.four_bar())
            >>> chain.close([[0.1], [0.2]]).closed
            array([ True,  True])
        """
        search = Search(tolerance, iterations)
        return self.close_at(self.actuation, self.independent, q_independent, guess, search, parameters)

    def close_at(
        self, actuation: Actuation, joints: Sequence[str], given: Any, guess: Any, search: Search, parameters: Any
    ) -> Closure:
        """The positions of all joints for those of some, all others following."""
        n, iteration = self.robot.nq, self._iteration(actuation, joints)
        indices = iteration.indices
        target = _numbers(given, "positions")
        if target.ndim == 0 or target.shape[-1] != len(indices):
            raise InputError(
                f"close takes {len(indices)} positions, of {', '.join(joints)}; got an array of shape {target.shape}"
            )
        start = self.neutral if guess is None else _numbers(guess, "the guess")
        if start.ndim == 0 or start.shape[-1] != n:
            raise InputError(f"the guess has the positions of all {n} coordinates; got shape {start.shape}")
        function = compiled(iteration, self.robot)
        arrays = target, start = beside(target, start), beside(start, target)
        values = parameter_values(self.robot, parameters, arrays)
        on_gpu = any(map(is_on_gpu, arrays))
        return close(function, start, target, values if on_gpu else [np.asarray(x, float) for x in values], search)

    def _iteration(self, actuation: Actuation, joints: Sequence[str]) -> ClosingIteration:
        indices = tuple(k for name in joints for k in _coordinates(self.robot, name))
        quaternions = tuple(indices.index(k) for _, k in self.robot.quaternions if k in indices)
        return ClosingIteration(actuation, indices, quaternions)

    def closing(self, actuation: Actuation | None = None, joints: Sequence[str] = ()) -> Function:
        """The whole of `close` as one function, for `kinetree.export.code`: guess (nq), target (k) -> q, error, status.

        Args:
            actuation, joints: of those whose positions are given; the independent ones by default.
        """
        iteration = self._iteration(actuation or self.actuation, joints or self.independent)
        return compile(StandaloneClosing(iteration, tuple(self.neutral.tolist())), self.robot)

    def margin(self, q: ArrayLike, *, check: bool = False, **parameters: ArrayLike) -> Array:
        """How far a configuration is from singular: the smallest sine between the motions of dependent joints.

        Args:
            q: positions of all joints (..., nq), closed.
            check: whether positions with open loops are refused, with a `ClosureError`.

        Returns:
            (...) between 0, where the independent joints don't say how the others move, and 1.

        Example:
            >>> import kinetree as kt
            >>> chain = kt.ClosedChain(kt.robots.four_bar())
            >>> bool(chain.margin(kt.robots.four_bar().neutral) > 0.1)
            True
        """
        if check:
            functions.refuse_open(self, q, parameters)
        if is_on_gpu(q):
            function = compiled(Margin(ChainVariant("velocities", self.actuation)), self.robot)
            return function(q, *parameter_values(self.robot, parameters, (q,)))
        still = np.zeros(self.mobility)
        with np.errstate(all="ignore"):
            square = self.function("velocities")(q, still, *parameter_values(self.robot, parameters))[-1]
        # a joint that nothing moves has no angle to others: 0 / 0
        sine = np.sqrt(np.clip(np.nan_to_num(square), 0.0, 1.0))
        return np.where(np.isfinite(q).all(axis=-1), sine, np.nan)

    # -- motions and forces --------------------------------------------------------------------------------------

    inverse_kinematics = kinematics.inverse_kinematics
    constraint_jacobian = dynamics.constraint_jacobian
    velocities = dynamics.velocities
    accelerations = dynamics.accelerations
    inverse_dynamics = dynamics.inverse_dynamics
    forward_dynamics = dynamics.forward_dynamics
    loop_wrenches = dynamics.loop_wrenches
    joint_wrenches = dynamics.joint_wrenches
    force_rates = derivatives.force_rates
    inverse_dynamics_derivatives = derivatives.inverse_dynamics_derivatives
    forward_dynamics_derivatives = derivatives.forward_dynamics_derivatives

    # -- code ----------------------------------------------------------------------------------------------------

    function = functions.function
    call = functions.call
    independent_part = functions.independent_part


def _coordinates(robot: Robot, joint: str) -> range:
    """Where a joint stands in q."""
    i = next(i for i, body in enumerate(robot.bodies) if body.joint.name == joint)
    return range(robot.nq)[robot.q_slices[i]]


def _numbers(x: Any, what: str) -> NDArray[np.float64]:
    if is_on_gpu(x):
        return x
    try:
        return np.asarray(x, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be an array of real numbers: {error}") from None


def _weights(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * count
    values = tuple(float(w) for w in weights)
    if len(values) != count or not all(0 < w < float("inf") for w in values):
        raise InputError(f"weights are {count} positive numbers, one for each actuated velocity; got {values}")
    return values
