"""Hua's unified bodies, corrected, against the engine and against Lagrange's equations with rotors that really turn.

`Explicit` is an arm in plain NumPy: every rotor is a rigid body of its own that turns by eta theta. Its mass matrix
comes from Jacobians, its forces from the derivatives of that matrix by complex steps, which are exact. The paper prints
no numbers that can be checked: its geometry, gears and gains are not given.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from strategies import Array, random_motors, relative_error, serial, states

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import InputError, ModelError, SingularModelError, UnknownNameError
from kinetree.joints import Fixed, Prismatic, Revolute, Rotor
from kinetree.recursions import hua as module
from kinetree.recursions.hua import hua_forward, hua_inverse
from kinetree.spatial.matrix3 import Mat3
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

ROUNDING = 1e-11  # thousands of products of numbers up to 1e2, each rounded to 1.1e-16
SOLVED = 1e-10  # and a division by a mass matrix with a condition of up to 1e3
WRONG = 1e-3  # N m, far above rounding
STEP = 1e-30  # of a complex step: its square vanishes beside one

# -- an arm with explicit rotors ---------------------------------------------------------------------------------------


def skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(axis: Array, angle: Any) -> Array:
    """Rodrigues' formula; the angle may be complex."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


@dataclasses.dataclass(frozen=True)
class Solid:
    """A rigid body: mass, centre of mass and inertia about it, in axes that turn with it."""

    mass: float
    com: Array
    inertia: Array


@dataclasses.dataclass(frozen=True)
class Drive:
    """A motor: where it is (link, place and orientation there, z is its axis), what it turns, and how stiffly."""

    link: int
    place: Array
    axes: Array
    eta: float
    rotor: Solid
    stiffness: float | None


@dataclasses.dataclass(frozen=True)
class Explicit:
    """Links one behind the other, joint i with the axis z of its own frame (R_i, p_i) in link i - 1, and motors."""

    R: list[Array]
    p: list[Array]
    links: list[Solid]
    drives: list[Drive]
    gravity: Array

    @staticmethod
    def random(seed: int, mounts: list[int], elastic: set[int], *, unround: float = 0.0) -> Explicit:
        rng = np.random.default_rng(seed)
        n = len(mounts)

        def orientation() -> Array:
            Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            return Q * np.linalg.det(Q)

        links, drives = [], []
        for i, mount in enumerate(mounts):
            second = (lambda A: A @ A.T)(0.3 * rng.normal(size=(3, 3)))  # of the mass about its centre
            links.append(Solid(rng.uniform(1, 3), 0.3 * rng.normal(size=3), np.trace(second) * np.eye(3) - second))
            Iz = rng.uniform(0.002, 0.006)
            transverse = rng.uniform(0.6, 1.5) * Iz
            rotor = Solid(rng.uniform(0.5, 1.5), np.zeros(3), np.diag([transverse + unround * Iz, transverse, Iz]))
            eta, stiffness = rng.uniform(5, 20) * rng.choice((-1, 1)), float(rng.uniform(50, 150))
            place = 0.2 * rng.normal(size=3)
            drives.append(Drive(mount, place, orientation(), eta, rotor, stiffness if i + 1 in elastic else None))
        R, p = [orientation() for _ in range(n)], [0.5 * rng.normal(size=3) for _ in range(n)]
        return Explicit(R, p, links, drives, np.array([1.0, -2.0, -9.0]))

    @property
    def places(self) -> list[int]:
        """The coordinate of each motor: its own one, or that of its joint."""
        found, last = [], len(self.links)
        for i, drive in enumerate(self.drives):
            found.append(i if drive.stiffness is None else last)
            last += drive.stiffness is not None
        return found

    @property
    def nv(self) -> int:
        return max(len(self.links), 1 + max(self.places))

    def bodies(self, q: Array) -> list[tuple[Solid, Array, Array, Array]]:
        """For each body: orientation, place of the centre of mass in the world, and Jacobian (angular rows first)."""
        R, p, found, ways = np.eye(3, dtype=complex), np.zeros(3, complex), [], [(np.eye(3), np.zeros(3), [])]
        columns: list[tuple[int, Array, Array]] = []
        for i, link in enumerate(self.links):
            p, R = p + R @ self.p[i], R @ self.R[i]
            columns = [*columns, (i, R[:, 2], p)]
            R = R @ turn(np.array([0.0, 0.0, 1.0]), q[i])
            ways.append((R, p, columns))
            found.append((link, R, p + R @ link.com, self._jacobian(columns, p + R @ link.com)))
        for k, drive in zip(self.places, self.drives):
            R, p, columns = ways[drive.link]
            centre, axes = p + R @ drive.place, R @ drive.axes
            J = self._jacobian(columns, centre)
            J[:3, k] += drive.eta * axes[:, 2]
            found.append((drive.rotor, axes @ turn(np.array([0.0, 0.0, 1.0]), drive.eta * q[k]), centre, J))
        return found

    def _jacobian(self, columns: list[tuple[int, Array, Array]], point: Array) -> Array:
        J = np.zeros((6, self.nv), complex)
        for i, axis, origin in columns:
            J[:3, i], J[3:, i] = axis, np.cross(axis, point - origin)
        return J

    def mass_matrix(self, q: Array) -> Array:
        M = np.zeros((self.nv, self.nv), complex)
        for solid, R, _, J in self.bodies(q):
            M += J[:3].T @ R @ solid.inertia @ R.T @ J[:3] + solid.mass * J[3:].T @ J[3:]
        return M

    def potential(self, q: Array) -> Any:
        total = -sum(solid.mass * (self.gravity @ p) for solid, _, p, _ in self.bodies(q))
        for i, (k, drive) in enumerate(zip(self.places, self.drives)):
            total += 0.5 * (drive.stiffness or 0.0) * (q[k] - q[i]) ** 2
        return total

    def forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        """d/dt dT/dqd - dT/dq + dV/dq with T = 1/2 qd^T M qd; derivatives by complex steps."""
        steps = q + 1j * STEP * np.eye(self.nv)
        dM = np.array([self.mass_matrix(x).imag / STEP for x in steps])
        dV = np.array([self.potential(x).imag / STEP for x in steps])
        coriolis = np.einsum("kij,k,j->i", dM, qd, qd) - 0.5 * np.einsum("kij,i,j->k", dM, qd, qd)
        return self.mass_matrix(q).real @ qdd + coriolis + dV

    def tip_jacobian(self, q: Array) -> Array:
        """Of the origin of the last link."""
        R, p, columns = np.eye(3, dtype=complex), np.zeros(3, complex), []
        for i in range(len(self.links)):
            p, R = p + R @ self.p[i], R @ self.R[i]
            columns.append((i, R[:, 2], p))
            R = R @ turn(np.array([0.0, 0.0, 1.0]), q[i])
        return self._jacobian(columns, p).real

    def robot(self, spinning: type = Rotor) -> kt.Robot:
        """The same arm for Kinetree; rotors may be revolute joints that follow with a multiplier."""

        def place(R: Array, p: Array) -> Transform:
            return Transform(Rotation.of(Mat3(*(Vec3(*row) for row in R.tolist()))), Vec3(*p.tolist()))

        bodies = []
        for i, link in enumerate(self.links):
            joint = kt.Joint(f"joint{i + 1}", Revolute(), place(self.R[i], self.p[i]))
            bodies.append(kt.Body(f"link{i + 1}", joint, inertia(link), f"link{i}" if i else None))
        arm = kt.Robot(tuple(bodies), gravity=self.gravity.tolist())
        if spinning is Revolute:
            for i, x in enumerate(self.drives):
                mimic = kt.Mimic(f"joint{i + 1}", x.eta)
                joint = kt.Joint(f"motor{i + 1}", Revolute(), place(x.axes, x.place), mimic=mimic)
                bodies.append(kt.Body(f"motor{i + 1}", joint, inertia(x.rotor), f"link{x.link}" if x.link else None))
            return dataclasses.replace(arm, bodies=tuple(bodies))
        return arm.with_motors(
            [
                kt.Motor(
                    f"joint{i + 1}", f"link{x.link}" if x.link else "world", x.axes[:, 2].tolist(), float(x.eta),
                    spin_inertia=float(x.rotor.inertia[2, 2]), mass=x.rotor.mass,
                    transverse_inertia=float(x.rotor.inertia[:2, :2].trace() / 2),
                    com=x.place.tolist(), stiffness=x.stiffness,
                )
                for i, x in enumerate(self.drives)
            ]
        )  # fmt: skip


def inertia(solid: Solid) -> kt.Inertia:
    return kt.Inertia(solid.mass, solid.com.tolist(), solid.inertia.tolist())


# mounts of the motors, and the joints that are elastic
ARMS = {
    "three joints, motors on 0 1 1": ([0, 1, 1], {3}),
    "three joints, all elastic": ([0, 1, 1], {1, 2, 3}),
    "five joints, motors on 0 0 1 1 4": ([0, 0, 1, 1, 4], {2, 5}),
    "five joints, all rigid": ([0, 0, 1, 1, 4], set()),
}
each_arm = pytest.mark.parametrize("arm", ARMS)
each_seed = pytest.mark.parametrize("seed", range(3))


def motion(nv: int, seed: int) -> tuple[Array, Array, Array]:
    q, qd, qdd = np.random.default_rng([seed, 7]).normal(size=(3, nv))
    return q, qd, qdd


@each_arm
@each_seed
def test_forces_are_those_of_lagrange_with_rotors_that_turn(arm: str, seed: int) -> None:
    explicit = Explicit.random(seed, *ARMS[arm])
    robot, (q, qd, qdd) = explicit.robot(), motion(explicit.nv, seed)
    load = np.random.default_rng(seed).normal(size=6)
    tau = explicit.forces(q, qd, qdd) - explicit.tip_jacobian(q).T @ load
    args = [x.tolist() for x in (q, qd, qdd)]
    external = np.zeros((robot.nbodies, 6))
    external[len(explicit.links) - 1] = load
    assert relative_error(inverse_dynamics(robot, *args, external.tolist()), tau) < ROUNDING
    assert relative_error(hua_inverse(robot, *args, load.tolist()), tau) < ROUNDING
    caused = [q.tolist(), qd.tolist(), tau.tolist()]
    assert relative_error(forward_dynamics(robot, *caused, external.tolist()), qdd) < SOLVED
    assert relative_error(hua_forward(robot, *caused, load.tolist()), qdd) < SOLVED


@each_arm
def test_the_energies_are_those_of_rotors_that_turn(arm: str) -> None:
    explicit = Explicit.random(5, *ARMS[arm])
    robot, (q, qd, _) = explicit.robot(), motion(explicit.nv, 5)
    T = 0.5 * qd @ explicit.mass_matrix(q).real @ qd
    base = explicit.potential(np.zeros(explicit.nv)).real  # that of the motor on the base is a constant
    V = explicit.potential(q).real - base
    assert relative_error(robot.kinetic_energy(q, qd), T) < ROUNDING
    assert relative_error(robot.potential_energy(q) - robot.potential_energy(robot.neutral), V) < ROUNDING


# -- against the engine ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_hua_is_the_engine_on_random_arms(seed: int) -> None:
    """One to six joints, rigid, elastic or without motors; friction, reflected inertia, a moving base, a load."""
    rng = np.random.default_rng(seed)
    arm = serial(seed, 1 + seed % 6, friction=seed % 2 == 0)
    motors = [x for x in random_motors(arm, rng) if rng.random() < 0.8]
    frame = kt.Frame(arm.bodies[-1].name, Transform(Rotation.about(1, 0.4), Vec3(0.3, -0.2, 0.1)))
    robot = dataclasses.replace(arm.with_motors(motors), named_frames={"tip": frame})
    s, load = states(robot, 1, seed), rng.normal(size=6)
    base = BaseMotion.prescribed(robot, *rng.normal(size=(2, 6)).tolist())
    q, qd, x = (a[0].tolist() for a in (s.q, s.qd, s.qdd))
    # a force at the tip is the same force at the link's origin with its moment
    arm_of_force = robot.pose(s.q[0], "tip")[:3, 3] - robot.pose(s.q[0], frame.body)[:3, 3]
    external = np.zeros((robot.nbodies, 6))
    external[len(arm.bodies) - 1] = [*(load[:3] + np.cross(arm_of_force, load[3:])), *load[3:]]
    options: dict[str, Any] = {"load": load.tolist(), "tip": "tip", "base": base}
    expected = inverse_dynamics(robot, q, qd, x, external.tolist(), base)
    assert relative_error(hua_inverse(robot, q, qd, x, **options), expected) < ROUNDING
    expected = forward_dynamics(robot, q, qd, x, external.tolist(), base)
    assert relative_error(hua_forward(robot, q, qd, x, **options), expected) < SOLVED
    still = inverse_dynamics(robot, q, qd, x)
    assert relative_error(hua_inverse(robot, q, qd, x), still) < ROUNDING


def test_a_rotor_may_follow_its_joint_with_a_multiplier_and_stand_along_any_axis_of_its_frame() -> None:
    """As a description from elsewhere may have it, not only one that `with_motors` makes."""
    joint = kt.Joint(
        "motor", Rotor(Vec3(0.0, -1.0, 0.0), 8.0), Transform(p=Vec3(0.1, 0.2, 0.3)), mimic=kt.Mimic("joint2", -2.5)
    )
    rotor = kt.Body("motor", joint, kt.Inertia(0.3, (0.0, 0.1, 0.0), (0.005, 0.004, 0.005)), "body1")
    arm = serial(4, 3)
    robot = dataclasses.replace(arm, bodies=(*arm.bodies, rotor))
    s = states(robot, 1)
    args = [x[0].tolist() for x in (s.q, s.qd, s.qdd)]
    assert relative_error(hua_inverse(robot, *args), inverse_dynamics(robot, *args)) < ROUNDING
    assert relative_error(hua_forward(robot, *args), forward_dynamics(robot, *args)) < SOLVED


def test_traced_and_compiled_they_are_the_same() -> None:
    robot = kt.robots.mixed_elastic()
    s = states(robot, 5)
    inverse = kt.compile(hua_inverse, robot, signature="q(nq), qd(nv), qdd(nv) -> tau(nv)")
    direct = kt.compile(hua_forward, robot, signature="q(nq), qd(nv), tau(nv) -> qdd(nv)")
    assert relative_error(inverse(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd)) < ROUNDING
    assert relative_error(direct(s.q, s.qd, s.qdd), robot.forward_dynamics(s.q, s.qd, s.qdd)) < SOLVED


def test_at_an_elastic_joint_the_spring_moves_the_link_and_loads_the_motor() -> None:
    """(28), (29): with no force on the joint, K (theta - q) is what moves the link."""
    robot = kt.robots.mixed_elastic()
    q, qd = [0.3, 0.5, -0.4, -0.1], [0.0] * 4
    free = robot.lock({"joint3": q[2], "joint3_motor": q[3]})
    assert free.nv == 2
    rigid = inverse_dynamics(robot, q, qd, qd)
    assert rigid[3] == pytest.approx(100.0 * (q[3] - q[2]))
    link = inverse_dynamics(dataclasses.replace(robot, bodies=robot.bodies[:3]), q[:3], qd[:3], qd[:3])
    assert rigid[2] == pytest.approx(link[2] - 100.0 * (q[3] - q[2]))


# -- what the paper prints otherwise -----------------------------------------------------------------------------------


def largest_difference(a: Any, b: Any) -> float:
    return float(np.abs(np.subtract(a, b)).max())


@each_arm
def test_without_the_momentum_of_spinning_rotors_the_forces_are_wrong(
    arm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(21), last two terms."""
    explicit = Explicit.random(1, *ARMS[arm])
    robot, args = explicit.robot(), [x.tolist() for x in motion(explicit.nv, 1)]
    right = hua_inverse(robot, *args)
    monkeypatch.setattr(module.Rotating, "momentum_rate", lambda *_: Vec3.zero)
    assert largest_difference(hua_inverse(robot, *args), right) > WRONG


def test_a_rotor_must_be_round() -> None:
    """A2 lacks Imx = Imy: a rotor with unequal ones changes the inertia of its link as it turns."""
    explicit = Explicit.random(2, [0, 1, 1], set(), unround=0.4)
    q, qd, qdd = motion(explicit.nv, 2)
    tau = explicit.forces(q, qd, qdd)
    args = [x.tolist() for x in (q, qd, qdd)]
    assert relative_error(inverse_dynamics(explicit.robot(Revolute), *args), tau) < ROUNDING
    assert largest_difference(hua_inverse(explicit.robot(), *args), tau) > WRONG
    uneven = kt.Body("uneven", kt.Joint("uneven", Rotor()), kt.Inertia(1.0, about_com=(0.2, 0.3, 0.4)))
    with pytest.raises(ModelError, match="must be round"):
        kt.Robot((uneven,))


def test_a_load_that_hangs_on_the_tip_makes_the_motors_work_harder() -> None:
    """(20) as printed lifts the arm: 3 N downwards at 0.8 m are 2.4 N m more on joint 2, not less."""
    arm = kt.robots.mixed_elastic()
    rest = [0.0] * 4
    alone, loaded = (hua_inverse(arm, rest, rest, rest, load, "tip") for load in (None, [0, 0, 0, 0, 0, -3.0]))
    assert loaded[1] - alone[1] == pytest.approx(3.0 * 0.8)
    assert alone[1] > 0


def test_the_columns_of_the_mass_matrix_need_a_base_at_rest() -> None:
    """Algorithm 2 passes the base motion on to the columns; on a moving base that is no mass matrix."""
    explicit = Explicit.random(3, *ARMS["three joints, motors on 0 1 1"])
    robot, q = explicit.robot(), motion(explicit.nv, 3)[0].tolist()
    arm, unit = module.Arm.of(robot, q, None), [1.0, 0.0, 0.0, 0.0]
    still = BaseMotion()
    moving = BaseMotion.prescribed(robot, *np.random.default_rng(3).normal(size=(2, 6)).tolist())
    column = explicit.mass_matrix(np.array(q)).real[:, 0]
    assert relative_error(arm.forces([0.0] * 4, unit, still), column) < ROUNDING
    assert largest_difference(arm.forces([0.0] * 4, unit, moving), column) > WRONG


# -- refusals ----------------------------------------------------------------------------------------------------------


def arm_with(*bodies: kt.Body) -> kt.Robot:
    two = kt.robots.two_link()
    return dataclasses.replace(two, bodies=(*two.bodies, *bodies))


SOLID = kt.Inertia(1.0, about_com=(0.1, 0.1, 0.1))
REFUSED = {
    "slides": (kt.Body("x", kt.Joint("x", Prismatic()), SOLID, "link2"), "on a joint of kind Prismatic; `inverse"),
    "is fixed": (kt.Body("x", kt.Joint("x", Fixed()), SOLID, "link2"), r"fixed joint, which `robot.merge_fixed\(\)`"),
    "branches": (kt.Body("x", kt.Joint("x", Revolute()), SOLID, "link1"), "'x'.* it is on a branch"),
    "follows": (kt.Body("x", kt.Joint("x", Revolute(), mimic=kt.Mimic("joint1")), SOLID, "link2"), "mimics 'joint1'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_robots_are_refused_with_the_reason(case: str) -> None:
    body, message = REFUSED[case]
    robot = arm_with(body)
    with pytest.raises(ModelError, match=message):
        hua_inverse(robot, *[[0.0] * robot.nv] * 3)
    with pytest.raises(ModelError, match=message):
        hua_forward(robot, *[[0.0] * robot.nv] * 3)


def test_bad_arguments_are_refused() -> None:
    arm = kt.robots.mixed_elastic()
    zero = [0.0] * 4
    with pytest.raises(InputError, match="qdd has 3 numbers, the robot 4 coordinates"):
        hua_inverse(arm, zero, zero, zero[:3])
    with pytest.raises(UnknownNameError, match=r"no frame of the last link 'link2'.*'link3', 'tip'"):
        hua_inverse(arm, zero, zero, zero, [*zero, 0.0, 0.0], tip="link2")
    with pytest.raises(ModelError, match="needs a revolute joint"):
        hua_inverse(kt.Robot(()), [], [], [])
    weightless = kt.Robot((kt.Body("x", kt.Joint("x", Revolute())),), strict=False)
    with pytest.raises(SingularModelError):
        hua_forward(weightless, [0.0], [0.0], [0.0])
