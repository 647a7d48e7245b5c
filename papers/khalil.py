"""Khalil: methods without figures, so the operations of his recursions beside those of the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.recursions.khalil import (
    khalil_elastic_inverse,
    khalil_forward,
    khalil_free_base_forward,
    khalil_free_base_inverse,
)
from papers.chains import counted, revolute_rows
from papers.figure import Figure

JOINTS = (10, 20, 40)  # of arms, and of eels on a free base

_TEST = "tests/papers/test_khalil.py"
_NO_COUNTS = (
    "the paper has neither example robots nor operation counts; his recursions, corrected and traced, common terms "
    "shared and constants folded, beside the general algorithm. They grow linearly, as the paper says"
)
_DIRECT = "q(nq), qd(nv), tau(nv) -> qdd(nv)"
_FREE = "q(nq), qd(nv), x(nv-nbase) -> a(nbase), b(nv-nbase)"


def figures() -> list[Figure]:
    """Operations for several numbers of joints; there is nothing published to compare with."""
    return [_operations(what, n) for what in MODELS for n in JOINTS]


def _operations(what: str, joints: int) -> Figure:
    own, variant, engine = counts(what, joints)
    ours = f"{counted(own)}; `{variant.name}` {counted(engine)}"
    return Figure("Khalil2010", f"{what}, N = {joints} [mult / add]", "-", ours, _TEST, _NO_COUNTS)


def counts(what: str, joints: int) -> tuple[dict[str, int], Variant, dict[str, int]]:
    """The operations of his recursion, and those of the engine's function."""
    function, make, signature, name = MODELS[what]
    robot = make(joints)
    known = robot.elastic_joints if name == "hybrid_dynamics" else None
    variant, rigid = Variant(name, known_forces=known), robot.nv - len(robot.elastic_joints)
    own = kt.trace(function, robot, signature=signature.format(rigid=rigid)).operations
    return own, variant, kt.trace(variant, robot).operations


def _arm(links: int) -> kt.Robot:
    """General revolute links; beyond the seventh their inertias are no longer those of bodies, which costs the same."""
    return kt.Robot.from_dh(revolute_rows(links), strict=False)


def _elastic(links: int) -> kt.Robot:
    """The same with a spring on every second joint."""
    arm = _arm(links)
    joints = (replace(b.joint, stiffness=100.0) if k % 2 else b.joint for k, b in enumerate(arm.bodies))
    return replace(arm, bodies=tuple(replace(b, joint=joint) for b, joint in zip(arm.bodies, joints)))


# his recursion, a robot with so many joints, what is traced, the engine's function
MODELS: dict[str, tuple[Callable[..., Any], Callable[[int], kt.Robot], str, str]] = {
    "direct, (33)-(44), arm": (khalil_forward, _arm, _DIRECT, "forward_dynamics"),
    "every second joint elastic, inverse, (72)-(82), arm": (
        khalil_elastic_inverse,
        _elastic,
        "q(nq), qd(nv), qdd({rigid}) -> qdd(nv), tau(nv)",
        "hybrid_dynamics",
    ),
    "free base, inverse, (89)-(100), eel": (
        khalil_free_base_inverse,
        kt.robots.eel,
        _FREE,
        "free_base_inverse_dynamics",
    ),
    "free base, direct, (101)-(112), eel": (khalil_free_base_forward, kt.robots.eel, _FREE, "forward_dynamics"),
}
