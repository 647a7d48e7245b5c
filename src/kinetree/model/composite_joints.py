"""Composite joints split into joints with constant S: a universal joint becomes two revolute ones, and so on.

The coordinates are the same. Between the factors of a joint are bodies without mass.
"""

from __future__ import annotations

import dataclasses

from kinetree.model import Body, Inertia, Mechanism
from kinetree.model.joint import PER_VELOCITY
from kinetree.spatial import Transform


def split_composite_joints(mechanism: Mechanism) -> tuple[Mechanism, tuple[int, ...]]:
    """The mechanism with every joint replaced by its factors, and the index in it of each body."""
    bodies: list[Body] = []
    places: list[int] = []
    for body in mechanism.bodies:
        bodies += _split(body) if len(body.joint.kind.factors) > 1 else [body]
        places.append(len(bodies) - 1)
    if len(bodies) == mechanism.nbodies:
        return mechanism, tuple(places)
    return dataclasses.replace(mechanism, bodies=tuple(bodies)), tuple(places)


def _split(body: Body) -> list[Body]:
    """The bodies of a joint's factors: those between without mass, the last one the body itself."""
    joint, parts, used = body.joint, [], 0
    names = [f"/{k + 1}" for k in range(len(joint.kind.factors) - 1)] + [""]
    for suffix, kind in zip(names, joint.kind.factors):
        own = slice(used, used := used + kind.nv)
        losses = {name: getattr(joint, name)[own] for name in PER_VELOCITY}  # factors have as many coordinates
        placement = Transform.identity if parts else joint.placement
        part = dataclasses.replace(joint, name=joint.name + suffix, kind=kind, placement=placement, **losses)
        parent = parts[-1].name if parts else body.parent
        parts.append(Body(body.name + suffix, part, Inertia() if suffix else body.inertia, parent))
    return parts
