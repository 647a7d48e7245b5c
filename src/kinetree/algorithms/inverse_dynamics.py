"""Joint forces for a motion: tau = ID(q, qd, qdd).

The recursive Newton-Euler method in moving axes with the accelerations of body origins, so that linear velocities are
never needed. Reference: [Khalil2010] section 3.2, (18)-(31), in the corrected form of docs/papers; generalised from
one-axis joints to any joint with velocity S qd.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kinetree.algorithms.external import wrenches_on_bodies
from kinetree.algorithms.links import Link, links
from kinetree.algorithms.resistance import reflected_inertias, resistances
from kinetree.algorithms.root import Root
from kinetree.joints.joint import combine
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Real
from kinetree.spatial.motion import Force
from kinetree.spatial.spin import Spin
from kinetree.spatial.vec3 import Vec3


def inverse_dynamics(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    external: Sequence[Sequence[Real]] | None = None,
    base: Root | None = None,
) -> list[Any]:
    """tau = M(q) qdd + h(q, qd), springs, friction and rotors included."""
    wrenches = newton_euler(robot, q, qd, qdd, external, base)
    own = zip(resistances(robot, q, qd), reflected_inertias(robot), qdd)
    tau = [loss + rotor * x for loss, rotor, x in own]
    for body, f, qs, vs in zip(robot.bodies, wrenches, robot.q_slices, robot.v_slices):
        for k, S in zip(range(robot.nv)[vs], body.joint.subspace(q[qs])):
            tau[k] = S.dot(f) + tau[k]  # (31)
    return tau


def newton_euler(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    external: Sequence[Sequence[Real]] | None = None,
    base: Root | None = None,
) -> list[Force]:
    """The wrench that each body receives from its parent, about its own origin in its working frame."""
    X, f = {}, []
    # outwards: the wrenches that move the bodies
    for i, (link, spin, a) in enumerate(moving_links(robot, q, qd, qdd, base)):
        X[i] = link.X
        f.append(link.inertia.newton_euler(spin, a))  # (22), (23)
    for i, wrench in enumerate(wrenches_on_bodies(robot, X, external)):
        f[i] = f[i] - wrench
    # inwards: what a child needs, its parent must give
    for i in reversed(range(robot.nbodies)):
        p = robot.parents[i]
        if p != WORLD:
            f[p] = f[p] + X[i].force_from(f[i])  # (25)
    return f


def moving_links(
    robot: Mechanism, q: Sequence[Real], qd: Sequence[Real], qdd: Sequence[Real], base: Root | None = None
) -> Iterator[tuple[Link, Spin, Vec3]]:
    """Each link, its spin, and the acceleration of its origin less that of free fall, in its working frame."""
    root = base or Root.still(robot)
    spins, a = {WORLD: root.spin}, {WORLD: root.acceleration}
    slices = zip(robot.bodies, robot.parents, robot.q_slices, robot.v_slices)
    for i, (link, (body, p, qs, vs)) in enumerate(zip(links(robot, q, working_frames(robot)), slices)):
        X, S = link.X, link.S
        R = X.R.T
        vJ = combine(S, qd[vs])
        aJ = combine(S, qdd[vs]) + body.joint.bias(q[qs], qd[vs])
        w = R @ spins[p].w  # (18)
        wd = R @ spins[p].wd + aJ.ang + w.cross(vJ.ang)  # (20)
        a[i] = R @ (a[p] + spins[p] @ X.p) + aJ.lin + (2.0 * w + vJ.ang).cross(vJ.lin)  # (21)
        spins[i] = Spin(w + vJ.ang, wd)  # (19)
        yield link, spins[i], a[i]
