"""Springs given by a time constant and a damping ratio, as MuJoCo turns them into stiffness and damping.

With m the inertia that the joint feels in the reference position, the inverse of its mean diagonal element of the
inverse mass matrix: stiffness m / (T zeta)^2, damping 2 m / T.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kinetree.errors import ModelError
from kinetree.model import Mechanism
from kinetree.spatial import RigidInertia

_LEAST = 1e-15  # of an inverse inertia, as in MuJoCo
_MOST = 500  # coordinates; the mass matrix of more takes seconds


def springs_of(
    mechanism: Mechanism, reference: Mapping[str, Sequence[float]], wanted: Mapping[str, tuple[float, ...]]
) -> dict[str, dict[str, float]]:
    """Stiffness and damping of joints.

    Args:
        mechanism: with all joints of the file.
        reference: the position of each joint.
        wanted: the time constant [s] and the damping ratio, by the name of the joint.
    """
    if mechanism.nv > _MOST:
        given = f"{mechanism.nv} coordinates are more than the {_MOST} for which it is computed"
        raise ModelError(f"springdamper needs the mass matrix, and {given}; give stiffness and damping instead")
    factor = _factor(_mass_matrix(mechanism, reference))
    found = {}
    for body, slice_ in zip(mechanism.bodies, mechanism.v_slices):
        if body.joint.name in wanted:
            time, ratio = wanted[body.joint.name]
            inverse = [_inverse_element(factor, i) for i in range(slice_.start, slice_.stop)]
            m = len(inverse) / max(_LEAST, sum(inverse))
            stiffness, damping = m / max(_LEAST, (time * ratio) * (time * ratio)), 2 * m / max(_LEAST, time)
            found[body.joint.name] = {"stiffness": stiffness, "damping": damping}
    return found


def _mass_matrix(mechanism: Mechanism, reference: Mapping[str, Sequence[float]]) -> list[list[float]]:
    """The lower half, by composite bodies ([RBDA] table 6.2)."""
    bodies, parents, slices = mechanism.bodies, mechanism.parents, mechanism.v_slices
    positions = [reference[body.joint.name] for body in bodies]
    poses = [body.joint.pose(q) for body, q in zip(bodies, positions)]
    columns = [body.joint.subspace(q) for body, q in zip(bodies, positions)]
    composite: list[RigidInertia] = [body.inertia.rigid for body in bodies]
    M = [[0.0] * (i + 1) for i in range(mechanism.nv)]
    for i in reversed(range(len(bodies))):
        if parents[i] >= 0:
            composite[parents[i]] += composite[i].transformed(poses[i])
        for row, S in zip(range(slices[i].start, slices[i].stop), columns[i]):
            force, j = composite[i] @ S, i
            while j >= 0:
                for column, T in zip(range(slices[j].start, slices[j].stop), columns[j]):
                    if column <= row:
                        M[row][column] = T.dot(force)
                force, j = poses[j].force_from(force), parents[j]
            M[row][row] += bodies[i].joint.reflected_inertia[row - slices[i].start]
    return M


def _factor(M: list[list[float]]) -> list[list[float]]:
    """L with M = L L^T; directions without inertia get none."""
    L: list[list[float]] = []
    for i, row in enumerate(M):
        L.append([])
        for j in range(i):
            left = row[j] - sum(a * b for a, b in zip(L[i], L[j][:j]))
            L[i].append(left / L[j][j])
        L[i].append(math.sqrt(max(_LEAST, row[i] - sum(a * a for a in L[i]))))
    return L


def _inverse_element(L: list[list[float]], i: int) -> float:
    """The diagonal element i of (L L^T)^-1: the square of L^-1 e_i."""
    x: list[float] = []
    for k in range(i, len(L)):
        left = float(k == i) - sum(a * b for a, b in zip(L[k][i:k], x))
        x.append(left / L[k][k])
    return sum(a * a for a in x)
