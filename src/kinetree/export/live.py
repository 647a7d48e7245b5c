"""What a page needs of a robot that it shows alive, as one module of WebAssembly.

Poses of all bodies, forces and accelerations under a gravity that is an operand, joint forces that hold wrenches on the
bodies, and the equations of closed loops. ``live.mjs`` moves, drags and drops the robot with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from kinetree.algorithms.external import equivalent_forces
from kinetree.algorithms.kinematics import body_poses
from kinetree.algorithms.loop_closure import closure
from kinetree.catalogue import Variant
from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.closed.catalogue import ChainVariant
from kinetree.closed.mobility import mobility
from kinetree.compile import compile
from kinetree.errors import InputError, ModelError, SingularModelError
from kinetree.export.wasm import module
from kinetree.lower.operand import Operand
from kinetree.parameter import bound
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.scalar import Vector
from kinetree.signature import Signature, parse
from kinetree.traceable import Traceable

DYNAMICS = ("inverse_dynamics", "forward_dynamics", "joint_wrenches")


@dataclass(frozen=True)
class Poses:
    """The poses of all bodies in the world: for each the rows of [R, p]."""

    __name__ = "poses"

    def signature(self, robot: Any) -> Signature:
        return parse("q(nq) -> X(nbodies,3,4)", robot)

    def __call__(self, robot: Any, q: Vector) -> list[Any]:
        return body_poses(robot, q)


@dataclass(frozen=True)
class EquivalentForces:
    """The joint forces that do the work of wrenches on the bodies."""

    __name__ = "equivalent_forces"

    def signature(self, robot: Any) -> Signature:
        return parse("q(nq), external(nbodies,6) -> tau(nv)", robot)

    def __call__(self, robot: Any, q: Vector, external: Sequence[Vector]) -> list[Any]:
        return equivalent_forces(robot, q, external)


@dataclass(frozen=True)
class LoopEquations:
    """The errors of the loops and couplings, and their derivatives along the velocities."""

    count: int
    __name__ = "loops"

    def signature(self, robot: Any) -> Signature:
        return parse("q(nq) -> error(e), J(e,nv)", robot, e=self.count)

    def __call__(self, robot: Any, q: Vector) -> tuple[list[Any], list[Any]]:
        equations = closure(robot, q)
        return [e.error for e in equations], [e.row for e in equations]


@dataclass(frozen=True)
class UnderGravity:
    """A function with gravity, in world axes [m/s^2], as its last operand."""

    function: Traceable

    @property
    def __name__(self) -> str:
        return self.function.__name__

    def signature(self, robot: Any) -> Signature:
        return self.function.signature(robot).taking(Operand("gravity", (3,)))

    def __call__(self, robot: Any, *args: Any) -> Any:
        return self.function(replace(robot, gravity=tuple(args[-1])), *args[:-1])


def live(robot: Robot | ClosedChain | ParallelRobot) -> tuple[bytes, dict[str, Any]]:
    """A module of WebAssembly with which a page moves a robot, and what the page has to know besides.

    Args:
        robot: a `Robot`, perhaps with loops, a `ClosedChain` or a `ParallelRobot`.

    Returns:
        The module, and a dictionary for JSON: ``nq``, ``nv``, ``lower`` and ``upper`` limits of q (None where there is
        none), ``neutral``, the indices ``coordinates`` of velocities in q (None where a joint has several),
        ``independent`` and ``actuated`` velocities, those of a floating ``base``, and whether it ``falls``: bodies
        without inertia have no forward dynamics. Functions, by name:

        - ``poses``: q -> X (nbodies, 3, 4), rows of [R, p], world from body.
        - ``inverse_dynamics``, ``forward_dynamics``, ``joint_wrenches``: those of the robot or chain, with
          ``external`` (nbodies, 6) and ``gravity`` (3) as further operands.
        - ``equivalent_forces``: q, external -> tau, the joint forces that do the work of wrenches on the bodies.
        - ``integrate``: q, v, dt -> q1.
        - ``loops``, of closed chains: q -> error (e), J (e, nv).

    Example:
        >>> import kinetree as kt
        >>> from kinetree.export.live import live
        >>> content, facts = live(kt.robots.ur5())
        >>> len(content) < 20_000, facts["nq"]
        (True, 6)
    """
    chain = _chain(robot)
    tree = robot if chain is None else chain.robot
    if not isinstance(tree, Robot) or not tree.nv:
        raise InputError(f"a page shows a Robot, a ClosedChain or a ParallelRobot that moves, got {robot!r:.80}")
    numbers = {name: math.nan if p.default is None else p.default for name, p in tree.parameters.items()}
    gravity = [float(x) for x in bound(tree.gravity, numbers)]
    functions, defaults, facts = _functions(tree, chain), {"gravity": gravity}, _facts(tree, chain)
    try:
        return module(tree, functions, defaults), {**facts, "falls": True}
    except SingularModelError:  # bodies without inertia, which no force can hold
        del functions["forward_dynamics"]
        return module(tree, functions, defaults), {**facts, "falls": False}


def script() -> str:
    """The text of ``live.mjs``: an ECMAScript module without imports."""
    return resources.files("kinetree.export").joinpath("live.mjs").read_text(encoding="utf-8")


def _chain(robot: Any) -> ClosedChain | None:
    """The closed chain, where there are loops: driven by the joints that are marked, or by any that determine it."""
    if isinstance(robot, ParallelRobot):
        return robot.chain
    if isinstance(robot, ClosedChain):
        return robot
    if not isinstance(robot, Robot) or not (robot.loops or robot.couplings):
        return None
    try:
        return ClosedChain(robot)
    except ModelError:
        return ClosedChain(robot, mobility(robot).independent(robot.joint_names))


def _functions(tree: Robot, chain: ClosedChain | None) -> dict[str, Function]:
    made: dict[str, Traceable] = {"poses": Poses(), "equivalent_forces": EquivalentForces()}
    made["integrate"] = Variant("integrate")
    for name in DYNAMICS:
        variant = Variant(name, external=True) if chain is None else ChainVariant(name, chain.actuation, external=True)
        made[name] = UnderGravity(variant)
    if chain is not None:
        made["loops"] = LoopEquations(len(closure(tree, chain.neutral.tolist())))
    return {name: compile(function, tree) for name, function in made.items()}


def _facts(tree: Robot, chain: ClosedChain | None) -> dict[str, Any]:
    coordinates: list[int | None] = [None] * tree.nv
    for body, qs, vs in zip(tree.bodies, tree.q_slices, tree.v_slices):
        if body.joint.kind.nq == body.joint.kind.nv and not body.joint.mimic:
            for k, v in zip(range(tree.nq)[qs], range(tree.nv)[vs]):
                coordinates[v] = k
    every = range(tree.nv)
    return {
        "nq": tree.nq,
        "nv": tree.nv,
        "lower": [x if math.isfinite(x) else None for x in tree.lower.tolist()],
        "upper": [x if math.isfinite(x) else None for x in tree.upper.tolist()],
        "neutral": (tree.neutral if chain is None else chain.neutral).tolist(),
        "coordinates": coordinates,
        "independent": [*(every if chain is None else chain.actuation.independent)],
        "actuated": [*(every if chain is None else chain.actuation.actuated)],
        "base": [*range(tree.nbase)] if chain is None else [],
    }
