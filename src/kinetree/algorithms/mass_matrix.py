"""The mass matrix M(q), symmetric and positive definite: tau = M(q) qdd + h(q, qd).

The composite-rigid-body algorithm: the column of a joint is the wrench that accelerates its subtree, transformed from
body to body towards the base.
Reference: [RBDA] Table 6.2, p. 108; [Khalil2010] (95).
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.links import links
from kinetree.algorithms.passive_forces import reflected_inertias
from kinetree.model import WORLD, Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Vector


def mass_matrix(robot: Mechanism, q: Vector) -> list[list[Any]]:
    """M(q), rotors included."""
    n, parents, slices = robot.nv, robot.parents, robot.v_slices
    M: list[list[Any]] = [[x if i == j else 0.0 for j in range(n)] for i, x in enumerate(reflected_inertias(robot))]
    chain = [*links(robot, q, working_frames(robot))]
    X, S, composite = ([getattr(link, name) for link in chain] for name in ("X", "S", "inertia"))
    # inwards: composite inertias of the subtrees
    for i in reversed(range(robot.nbodies)):
        if parents[i] != WORLD:
            composite[parents[i]] = composite[parents[i]] + composite[i].transformed(X[i])  # (95)
    # mimic joints share a coordinate, so every product adds to its element
    for i in range(robot.nbodies):
        columns = range(n)[slices[i]]
        for column, s in zip(columns, S[i]):
            f, j = composite[i] @ s, i
            for row, t in zip(columns, S[i]):
                M[row][column] = M[row][column] + t.dot(f)
            # towards the base
            while parents[j] != WORLD:
                f, j = X[j].force_from(f), parents[j]
                for row, t in zip(range(n)[slices[j]], S[j]):
                    product = t.dot(f)
                    M[row][column] = M[row][column] + product
                    M[column][row] = M[column][row] + product
    return M
