"""Joints without inertia: their subtree has no mass or inertia along some of their motion, so that M is singular.

The inertia along a joint is S^T I S, with the composite inertia I of its subtree. It is computed at one generic
configuration: what vanishes there vanishes everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.parameter import parameters_in
from kinetree.spatial import Motion, RigidInertia

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

_ROUNDING = 1e-12  # relative to the largest inertia along a joint of this subtree


def joints_without_inertia(mechanism: Mechanism) -> set[str]:
    """The names of the joints without inertia; a mimicked joint where its followers have none either.

    Joints whose subtree has named parameters are not among them.
    """
    carried = [None if parameters_in(body) else body.inertia.rigid for body in mechanism.bodies]
    light: dict[str, bool] = {}
    for i in reversed(range(mechanism.nbodies)):
        joint, whole, up = mechanism.bodies[i].joint, carried[i], mechanism.parents[i]
        q = [x + 0.37 + 0.11 * k for k, x in enumerate(joint.kind.neutral)]  # a generic one
        leader = joint.mimic.joint if joint.mimic else joint.name
        singular = whole is not None and _is_singular(joint.kind.subspace(q), whole, joint.rotor_inertia)
        light[leader] = light.get(leader, True) and singular
        if up >= 0:
            carrier = carried[up]
            X = joint.placement @ joint.kind.transform(q)
            carried[up] = None if whole is None or carrier is None else carrier + whole.transformed(X)
    return {name for name, is_light in light.items() if is_light}


def _is_singular(S: Sequence[Motion], inertia: RigidInertia, rotors: Sequence[float]) -> bool:
    """Whether S^T I S + rotor inertias is singular: a pivot of its elimination is zero."""
    forces = [inertia @ s for s in S]
    H = [[s.dot(f) for f in forces] for s in S]
    trace = sum(map(abs, (inertia.J.xx, inertia.J.yy, inertia.J.zz)))
    for k, (s, rotor) in enumerate(zip(S, rotors)):
        H[k][k] += rotor
        scale = s.ang.dot(s.ang) * trace + s.lin.dot(s.lin) * abs(inertia.m) + rotor
        if abs(H[k][k]) <= _ROUNDING * scale:
            return True
        for i in range(k + 1, len(S)):
            factor = H[i][k] / H[k][k]
            H[i] = [a - factor * b for a, b in zip(H[i], H[k])]
    return False
