"""The joint forces as a linear function of the dynamic parameters: tau = Y(q, qd, qdd) pi.

pi holds for each body its mass, first moments (x, y, z) and second moments (xx, yy, zz, xy, xz, yz) about the origin of
the body frame; then for each velocity of each joint the viscous friction, for each the Coulomb friction, for each the
inertia of the drive, and for each the stiffness of the spring; then for each elastic transmission its damping and
stiffness. Reference: [Gautier1990].
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.inverse_dynamics import moving_links
from kinetree.algorithms.links import Link
from kinetree.model import Mechanism
from kinetree.model.joint import NONNEGATIVE
from kinetree.scalar import Vector, sign
from kinetree.spatial import AngularMotion, Force, Sym3, Vec3


def regressor(robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, base: Base = None) -> list[list[Any]]:
    """Y(q, qd, qdd): nv rows."""
    Y: list[list[Any]] = [[0.0] * robot.nparameters for _ in range(robot.nv)]
    chain: list[Link] = []
    for i, (link, angular, a) in enumerate(moving_links(robot, q, qd, qdd, base)):
        chain.append(link)
        for column, f in enumerate(_unit_wrenches(link, angular, a), 10 * i):
            for j in reversed(robot.path(i)):
                for row, s in zip(range(robot.nv)[robot.v_slices[j]], chain[j].S):
                    Y[row][column] = Y[row][column] + s.dot(f)
                f = chain[j].X.force_from(f)
    _add_joints(robot, q, qd, qdd, Y)
    return Y


def _unit_wrenches(link: Link, angular: AngularMotion, a: Vec3) -> list[Force]:
    """The wrench that moves a body, for each of its ten numbers being one and the others zero.

    The numbers are those in body axes; the wrenches are in the working frame, as all of the recursion.
    """
    to_body = link.body_axes.T
    angular, a = AngularMotion(to_body @ angular.w, to_body @ angular.wd), to_body @ a
    wrenches = [Force(Vec3.zero, a)]
    wrenches += [Force(e.cross(a), angular @ e) for e in _AXES]
    wrenches += [Force(angular.moment(Sym3(*unit)), Vec3.zero) for unit in _UNITS]
    return [Force(link.body_axes @ f.ang, link.body_axes @ f.lin) for f in wrenches]


_AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
_UNITS = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))


def _add_joints(robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, Y: list[Any]) -> None:
    block = sum(body.joint.kind.nv for body in robot.bodies)
    column = 10 * robot.nbodies
    for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
        stretch, multiplier = body.joint.stretch(q[qs]), body.joint.mimic_multiplier
        for row, x in zip(range(robot.nv)[vs], stretch):
            forces = (multiplier * qd[row], sign(multiplier * qd[row]), multiplier * qdd[row], x)
            for k, force in enumerate(forces):
                Y[row][column + k * block] = Y[row][column + k * block] + multiplier * force
            column += 1
    for k, (_, motor, joint) in enumerate(robot.transmissions):
        forces = (qd[motor.v] - qd[joint.v], q[motor.q] - q[joint.q])
        for column, force in enumerate(forces, robot.nparameters - 2 * (len(robot.transmissions) - k)):
            Y[motor.v][column], Y[joint.v][column] = force, -force


def dynamic_parameters(robot: Mechanism) -> list[Any]:
    """pi, as the model has it."""
    rigid = [body.inertia.rigid for body in robot.bodies]
    values = [x for I in rigid for x in (I.m, *I.ms, *I.J)]
    values += [x for name in NONNEGATIVE for body in robot.bodies for x in getattr(body.joint, name)]
    return values + [x for spring, _, _ in robot.transmissions for x in (spring.damping, spring.stiffness)]
