"""What closed chains and parallel robots share: drives, closed postures, compiled functions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Drives
from kinetree.closed.catalogue import ALGORITHMS, ChainVariant
from kinetree.closed.closure import Closure, close
from kinetree.closed.mobility import Mobility, mobility
from kinetree.compile import compiled
from kinetree.errors import InputError, ModelError, SingularPostureWarning, UnknownNameError
from kinetree.robot import Robot
from kinetree.robot.functions import Array, check_quaternions, parameter_values
from kinetree.runtime.function import Function

# the squared sine between the motions of dependent joints: below it, few digits are left
SINGULAR = {"float64": 1e-12, "float32": 1e-5}
CLOSED = 1e-10  # the error [m, rad] at which loops count as closed
ITERATIONS = 200  # from far away Newton's method is slow


class Looped:
    """A mechanism with closed loops, and the joints that drive it; see `kinetree.ClosedChain`."""

    def __init__(
        self, robot: Robot, actuated: Sequence[str] | None = None, *, weights: Sequence[float] | None = None
    ) -> None:
        if not robot.loops and not robot.couplings:
            raise ModelError(f"robot {robot.name!r} has no loops and no couplings; its own methods are all it needs")
        if isinstance(actuated, str):
            raise InputError(f"actuated is a list of names, such as [{actuated!r}]")
        if actuated is None:
            own = set(robot.joint_names)
            actuated = [b.joint.name for b in robot.bodies if b.joint.actuated and b.joint.name in own]
        for name in actuated:
            robot.velocities_of(name)  # refuses names that are not there
        self.robot, self.actuated = robot, tuple(dict.fromkeys(actuated))
        allowed = mobility(robot)
        self.neutral = allowed.posture
        self.independent = self._independent(allowed)
        places = [tuple(allowed.places(names)) for names in (self.independent, self.actuated)]
        self.drives = Drives(places[0], places[1], _weights(weights, len(places[1])))

    def _independent(self, allowed: Mobility) -> tuple[str, ...]:
        count = len(allowed.places(self.actuated))
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
        return f"<ClosedChain {self.robot.name!r}: {self.mobility} {degrees} of freedom, {', '.join(self.actuated)}>"

    @property
    def mobility(self) -> int:
        """The degrees of freedom."""
        return len(self.drives.independent)

    # -- postures ------------------------------------------------------------------------------------------------

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
            guess: a posture (..., nq), closed or nearly; ``chain.neutral`` by default, the closed one that is next to
                the neutral posture of the tree.
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
        return self._closed(self.drives, self.independent, q_independent, guess, tolerance, iterations, parameters)

    def close_at(
        self, joint: str, drives: Drives, target: Any, guess: Any, tolerance: float, parameters: dict[str, Any]
    ) -> Closure:
        """The positions of all joints for those of one joint, all others following."""
        return self._closed(drives, (joint,), target, guess, tolerance, ITERATIONS, parameters)

    def _closed(
        self,
        drives: Drives,
        joints: Sequence[str],
        given: Any,
        guess: Any,
        tolerance: float,
        iterations: int,
        parameters: dict[str, Any],
    ) -> Closure:
        n = self.robot.nq
        places = np.array([k for name in joints for k in _coordinates(self.robot, name)], int)
        target = _numbers(given, "positions")
        if target.ndim == 0 or target.shape[-1] != len(places):
            raise InputError(
                f"close takes {len(places)} positions, of {', '.join(joints)}; got an array of shape {target.shape}"
            )
        start = self.neutral if guess is None else _numbers(guess, "the guess")
        if start.ndim == 0 or start.shape[-1] != n:
            raise InputError(f"the guess has the positions of all {n} coordinates; got shape {start.shape}")
        if not tolerance > 0 or iterations < 1:
            raise InputError(f"tolerance {tolerance!r} must be above 0, iterations {iterations!r} at least 1")
        step = self.function("step", drives=drives)
        values = [np.asarray(x, float) for x in parameter_values(self.robot, parameters)]
        cores = [(len(places),), (n,), *(operand.shape for operand in step.operands[2:])]
        given = [target, start, *values]
        batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(core)] for x, core in zip(given, cores)))
        count = math.prod(batch)
        rows = [np.broadcast_to(x, (*batch, *core)).reshape(count, *core) for x, core in zip(given, cores)]
        result = close(
            lambda which, q, damping: step(q, damping, *(x[which] for x in rows[2:])),
            rows[1],
            places,
            rows[0],
            tolerance,
            iterations,
            [list(places).index(k) for _, k in self.robot.quaternions if k in places],
        )
        return Closure(
            result.q.reshape(*batch, n),
            result.status.reshape(batch),
            result.error.reshape(batch),
            result.iterations.reshape(batch),
        )

    def margin(self, q: ArrayLike, **parameters: ArrayLike) -> Array:
        """How far a posture is from singular: the smallest sine between the motions of dependent joints.

        Args:
            q: positions of all joints (..., nq), closed.

        Returns:
            (...) between 0, where the independent joints don't say how the others move, and 1.

        Example:
            >>> import kinetree as kt
            >>> chain = kt.ClosedChain(kt.robots.four_bar())
            >>> bool(chain.margin(kt.robots.four_bar().neutral) > 0.1)
            True
        """
        still = np.zeros(self.mobility)
        with np.errstate(all="ignore"):
            square = self.function("velocities")(q, still, *parameter_values(self.robot, parameters))[-1]
        # a joint that nothing moves has no angle to others: 0 / 0
        sine = np.sqrt(np.clip(np.nan_to_num(square), 0.0, 1.0))
        return np.where(np.isfinite(q).all(axis=-1), sine, np.nan)

    # -- code ----------------------------------------------------------------------------------------------------

    def function(
        self, name: str, *, external: bool = False, drives: Drives | None = None, platform: int | None = None
    ) -> Function:
        """A compiled function of this chain, to keep and call without keywords.

        Its last result is the squared margin (see `margin`); "step" is one step of closing.

        Args:
            name: of the method, or "step".
            external: whether it takes external loads after its own arguments.
            drives, platform: what a parallel robot has besides.

        Example:
            >>> import kinetree as kt
            >>> kt.ClosedChain(kt.robots.four_bar()).function("inverse_dynamics").signature
            '(3),(1),(1)->(1),()'
        """
        if name not in ALGORITHMS:
            raise UnknownNameError("function", name, ALGORITHMS)
        return compiled(ChainVariant(name, drives or self.drives, external, platform), self.robot)

    def _motion(self, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
        return q, self._own(qd, "qd"), self._own(qdd, "qdd")

    def _own(self, x: Any, name: str) -> Any:
        """The independent part of velocities or accelerations."""
        x = np.asarray(x)
        n, whole = self.mobility, self.robot.nv
        if x.shape[-1:] == (n,):
            return x
        if x.shape[-1:] != (whole,):
            raise InputError(
                f"{name} holds the {n} independent values, of {', '.join(self.independent)}, or those of all {whole} "
                f"coordinates; got shape {x.shape}"
            )
        return x[..., list(self.drives.independent)]

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        external: Any,
        parameters: dict[str, Any],
        platform: int | None = None,
    ) -> Any:
        """Call a compiled function; singular rows become NaN, with a warning."""
        loads = () if external is None else (external,)
        function = self.function(name, external=bool(loads), platform=platform)
        if self.robot.quaternions:
            check_quaternions(self.robot, args[0])
        with np.errstate(all="ignore"):
            *results, margin = function(*args, *loads, *parameter_values(self.robot, parameters))
        margin = np.asarray(margin)
        lost = ~(margin > SINGULAR[margin.dtype.name])
        if lost.any():
            results = [np.where(lost.reshape(lost.shape + (1,) * (x.ndim - lost.ndim)), np.nan, x) for x in results]
            self._warn(name, args[0], lost)
        return results[0] if len(results) == 1 else tuple(results)

    def _warn(self, name: str, q: Any, lost: Any) -> None:
        """Say which rows are singular; those with NaN among their positions say it themselves."""
        singular = lost & np.isfinite(np.broadcast_to(q, (*lost.shape, self.robot.nq))).all(axis=-1)
        if singular.any():
            row = tuple(int(k) for k in np.argwhere(singular)[0])
            where = f"in {int(singular.sum())} of {singular.size} rows, the first is {row}" if row else "here"
            warnings.warn(
                f"{name}: the mechanism is singular {where}: its independent joints ({', '.join(self.independent)}) "
                "don't say how the others move; the result is NaN there. Other joints as independent ones may do",
                SingularPostureWarning,
                stacklevel=4,
            )


def _coordinates(robot: Robot, joint: str) -> range:
    """Where a joint stands in q."""
    i = next(i for i, body in enumerate(robot.bodies) if body.joint.name == joint)
    return range(robot.nq)[robot.q_slices[i]]


def _numbers(x: Any, what: str) -> Array:
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
