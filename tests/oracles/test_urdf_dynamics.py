"""Robots from URDF files against Pinocchio: every dynamic quantity of every file of the example-robot-data wheel.

Pinocchio reads the file itself, with joints that mimic others as independent ones, and is given their motion through
the constant matrix G of the file's <mimic> elements, which are read here once more, by other code:

    v' = G v,   a' = G a,   tau = G^T tau',   M = G^T M' G,   J = J' G,   qdd = M^-1 (tau - h)

G also puts the velocities of a floating base in Pinocchio's order: linear first. Damping and friction are those that
Pinocchio has read; it does not use them itself. Where it can honour mimics itself, that is compared too.

All files run the algorithms on Python's floats; some run as compiled code, and all of them in the long sweep.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from strategies import Evaluate, States, compiled, on_floats, relative_error, states

import kinetree as kt
from kinetree.algorithms.kinematics import world_poses

pin = pytest.importorskip("pinocchio")

Array = np.ndarray

# both compute in double precision by other formulas
AGREEMENT = 1e-10
# wrists and neck are point masses on their axes: the mass matrix has condition 1e10, accelerations reach 1e9 rad/s^2,
# and the forces for Pinocchio's own accelerations miss those given by 2e-10
ILL_CONDITIONED = {"icub.urdf": {"forward dynamics": 1e-8}}
# a link that is not there, no link at all: Pinocchio can't load them either
UNREADABLE = {"falcon.urdf", "ur3.urdf"}
# joints that nothing resists: forward dynamics need a rotor
UNRESISTED = {
    "bluevolta_bravo7_gripper.urdf", "bravo7_gripper.urdf", "falcon_bravo7_gripper.urdf", "romeo.urdf",
    "romeo_laas_small.urdf",
}  # fmt: skip
ROTOR = 0.01
# files that run as compiled code in every run
COMPILED = ("panda", "pr2", "hyq_no_sensors", "so100", "double_pendulum_continuous")


def _files() -> list[Path]:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())) for f in files if f.suffix == ".urdf" and f.name not in UNREADABLE)


FILES = _files()


@dataclasses.dataclass(frozen=True)
class Oracle:
    """Pinocchio's reading of a file, in the coordinates of the robot."""

    robot: kt.Robot
    model: Any
    data: Any
    G: Array
    o: Array  # the positions of all joints of one coordinate are G q + o

    @classmethod
    def of(cls, file: Path, robot: kt.Robot, base: str, mimic: bool = False) -> Oracle:
        free = [pin.JointModelFreeFlyer(), "base"] if base == "floating" else []
        model = pin.buildModelFromUrdf(str(file), *free, mimic=mimic)
        leaders = {} if mimic else _mimics(file)
        G, o = np.zeros((model.nv, robot.nv)), np.zeros(model.nv)
        columns = {body.joint.name: s for body, s in zip(robot.bodies, robot.v_slices)}
        for name, joint in zip([*model.names][1:], model.joints[1:]):
            leader, multiplier, offset = leaders.get(name, (name, 1.0, 0.0))
            if joint.nv == 6:
                G[joint.idx_v : joint.idx_v + 6, columns[name]] = np.roll(np.eye(6), 3, axis=0)
            elif joint.nv == 1 and not (mimic and joint.shortname() == "JointModelMimic"):
                G[joint.idx_v, columns[leader]] = multiplier
                o[joint.idx_v] = offset
        return cls(robot, model, model.createData(), G, o)

    def q(self, q: Array) -> Array:
        """Pinocchio's coordinates: angles without limits are a cosine and a sine there."""
        there = pin.neutral(self.model)
        v = np.zeros(self.robot.nv)
        for body, qs, vs in zip(self.robot.bodies, self.robot.q_slices, self.robot.v_slices):
            if body.joint.kind.nv == 1:
                v[vs] = q[qs]
        positions = self.G @ v + self.o
        for joint in self.model.joints[1:]:
            x = positions[joint.idx_v] if joint.nv == 1 else None
            if joint.nq == 7:
                there[joint.idx_q : joint.idx_q + 7] = q[:7]
            elif joint.nq == 2:
                there[joint.idx_q : joint.idx_q + 2] = np.cos(x), np.sin(x)
            elif joint.nq == 1:
                there[joint.idx_q] = x
        return there

    def losses(self, qd: Array) -> Array:
        v = self.G @ qd
        return self.G.T @ (self.model.damping * v + self.model.friction * np.sign(v))

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        tau = pin.rnea(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd)
        return self.G.T @ tau + self.losses(qd)

    def mass_matrix(self, q: Array) -> Array:
        M = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return self.G.T @ (M + np.triu(M, 1).T) @ self.G

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        if self.model.nv == self.robot.nv and not self.model.mimicking_joints:
            force = np.linalg.solve(self.G.T, tau - self.losses(qd))
            return self.G.T @ pin.aba(self.model, self.data, self.q(q), self.G @ qd, force)
        h = self.inverse_dynamics(q, qd, np.zeros(self.robot.nv))
        return np.linalg.solve(self.mass_matrix(q), tau - h)

    def gravity_forces(self, q: Array) -> Array:
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def centre_of_mass(self, q: Array) -> Array:
        return np.array(pin.centerOfMass(self.model, self.data, self.q(q)))

    def pose(self, q: Array, link: str) -> Array:
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.frame(link)].homogeneous

    def jacobian(self, q: Array, link: str) -> Array:
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.computeFrameJacobian(self.model, self.data, self.q(q), self.frame(link), axes)
        return np.roll(J.reshape(6, self.model.nv), 3, axis=0) @ self.G

    def frame(self, link: str) -> int:
        return self.model.getFrameId(link, pin.FrameType.BODY)

    def without_losses(self) -> Oracle:
        """The robot without damping and friction, which Pinocchio has for coordinates only, not for followers."""
        joints = (dataclasses.replace(body.joint, damping=0.0, coulomb=0.0) for body in self.robot.bodies)
        bodies = tuple(dataclasses.replace(b, joint=joint) for b, joint in zip(self.robot.bodies, joints))
        model = self.model.copy()
        model.damping, model.friction = np.zeros(model.nv), np.zeros(model.nv)
        return dataclasses.replace(
            self, robot=dataclasses.replace(self.robot, bodies=bodies), model=model, data=model.createData()
        )

    def with_rotors(self) -> Oracle:
        """Both with a rotor on each joint."""
        joints = (dataclasses.replace(body.joint, rotor_inertia=ROTOR) for body in self.robot.bodies)
        bodies = tuple(dataclasses.replace(b, joint=joint) for b, joint in zip(self.robot.bodies, joints))
        model = self.model.copy()
        model.armature = np.full(model.nv, ROTOR)
        return dataclasses.replace(
            self, robot=dataclasses.replace(self.robot, bodies=bodies), model=model, data=model.createData()
        )

    @property
    def links(self) -> list[str]:
        return [frame.name for frame in self.model.frames if frame.type == pin.FrameType.BODY]


def _mimics(file: Path) -> dict[str, tuple[str, float, float]]:
    """The final leader of each joint, the multiplier and the offset."""
    joints = {e.get("name", ""): e for e in ElementTree.parse(file).getroot().findall("joint")}
    found = {}
    for name in joints:
        leader, multiplier, offset = name, 1.0, 0.0
        while (mimic := joints[leader].find("mimic")) is not None and mimic.get("joint") in joints:
            offset += multiplier * float(mimic.get("offset", 0))
            multiplier *= float(mimic.get("multiplier", 1))
            leader = mimic.get("joint", "")
        found[name] = leader, multiplier, offset
    return found


def name_here(robot: kt.Robot, link: str) -> str:
    """The frame of a link; a root link called "world" is not the world where it floats."""
    return "world_link" if link == "world" and "world_link" in robot.frames else link


def read(file: Path, base: str) -> kt.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.ModelWarning)
        return kt.Robot.from_urdf(file, base=base, strict=False)


def centre_of_mass(robot: kt.Robot, q: Array) -> Array:
    """From the places of the bodies and their masses."""
    X = world_poses(robot, q.tolist())
    moments = [np.array([*(b.inertia.mass * (X[i].p + X[i].R @ b.inertia.com))]) for i, b in enumerate(robot.bodies)]
    return sum(moments, np.zeros(3)) / total_mass(robot)


def total_mass(robot: kt.Robot) -> float:
    return sum(body.inertia.mass for body in robot.bodies)


def disagreements(oracle: Oracle, evaluate: Callable[[kt.Robot], Evaluate], s: States) -> Iterator[tuple[str, float]]:
    """Each quantity that is compared, and its relative error over the states."""
    robot = oracle.robot
    f = evaluate(robot)

    def error(name: str, *args: Array, oracle: Oracle = oracle, f: Evaluate = f) -> float:
        return relative_error(f(name, *args), [getattr(oracle, name)(*row) for row in zip(*args)])

    yield "inverse dynamics", error("inverse_dynamics", s.q, s.qd, s.qdd)
    yield "mass matrix", error("mass_matrix", s.q)
    yield "gravity", error("gravity_forces", s.q)
    try:
        yield "forward dynamics", error("forward_dynamics", s.q, s.qd, 10 * s.qdd)
    except kt.errors.SingularModelError:
        assert np.linalg.matrix_rank(oracle.mass_matrix(s.q[0]), hermitian=True) < robot.nv
        driven = oracle.with_rotors()
        f = evaluate(driven.robot)
        yield "forward dynamics with rotors", error("forward_dynamics", s.q, s.qd, 10 * s.qdd, oracle=driven, f=f)
    yield "total mass", relative_error(total_mass(robot), pin.computeTotalMass(oracle.model))
    coms = [centre_of_mass(robot, q) for q in s.q]
    yield "centre of mass", relative_error(coms, [oracle.centre_of_mass(q) for q in s.q])


def disagreements_of_links(oracle: Oracle, f: Evaluate, s: States, links: Iterable[str]) -> Iterator[tuple[str, float]]:
    for link in links:
        frame = name_here(oracle.robot, link)
        yield f"pose of {link}", relative_error(f("pose", s.q, frame=frame), [oracle.pose(q, link) for q in s.q])
        J = f("jacobian", s.q, frame=frame)
        yield f"Jacobian of {link}", relative_error(J, [oracle.jacobian(q, link) for q in s.q])


class Tally:
    """What was compared, and what differs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: dict[tuple[str, str], float] = {}
        self.singular: set[str] = set()

    def add(self, file: Path, robot: kt.Robot, errors: Iterable[tuple[str, float]]) -> None:
        self.counts["files"] += 1
        self.counts["joints"] += sum(body.joint.kind.nv > 0 for body in robot.bodies)
        for quantity, error in errors:
            self.counts["quantities"] += 1
            if not error < ILL_CONDITIONED.get(file.name, {}).get(quantity, AGREEMENT):
                self.wrong[file.name, quantity] = error
            if quantity.endswith("rotors"):
                self.singular.add(file.name)

    def tell(self, capsys: pytest.CaptureFixture[str], what: str) -> None:
        with capsys.disabled():
            counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
            print(f" {what}: {counts} agree with Pinocchio ", end="")


def compared(files: Iterable[Path], base: str, evaluate: Callable[[kt.Robot], Evaluate], links: int) -> Tally:
    """All quantities of the files, and pose and Jacobian of every so many-th link."""
    if not FILES:
        pytest.skip("example-robot-data is not installed")
    tally = Tally()
    for file in files:
        robot = read(file, base)
        oracle = Oracle.of(file, robot, base)
        quantities = disagreements(oracle, evaluate, states(robot, 2)) if robot.nv else ()
        places = disagreements_of_links(oracle, on_floats(robot), states(robot, 1), oracle.links[::links])
        tally.add(file, robot, itertools.chain(quantities, places))
    return tally


each_base = pytest.mark.parametrize("base", ["fixed", "floating"])


@each_base
def test_every_file_agrees_with_pinocchio(base: str, capsys: pytest.CaptureFixture[str]) -> None:
    tally = compared(FILES, base, on_floats, links=8)
    tally.tell(capsys, f"{base} base")
    assert tally.wrong == {}
    assert tally.singular == UNRESISTED
    assert tally.counts["files"] >= 70
    assert tally.counts["joints"] >= 1200
    assert tally.counts["quantities"] >= 1000


@each_base
def test_compiled_functions_of_files_agree_with_pinocchio(base: str) -> None:
    files = [file for file in FILES if file.stem in COMPILED]
    tally = compared(files, base, compiled, links=100)
    assert tally.wrong == {}
    assert tally.counts["files"] == len(COMPILED)


@pytest.mark.slow
@each_base
def test_compiled_functions_and_all_links_of_every_file_agree(base: str, capsys: pytest.CaptureFixture[str]) -> None:
    tally = compared(FILES, base, compiled, links=1)
    tally.tell(capsys, f"compiled, {base} base")
    assert tally.wrong == {}
    assert tally.counts["files"] >= 70


def test_mimics_that_pinocchio_honours_itself_agree() -> None:
    """It wants leaders before followers, and has no forward dynamics of mimics: there the mass matrix is solved."""
    tally = Tally()
    for file in FILES:
        try:
            oracle = Oracle.of(file, read(file, "fixed"), "fixed", mimic=True)
        except ValueError:
            continue
        if oracle.model.mimicking_joints:
            s = states(oracle.robot, 2)
            still = oracle.without_losses()
            places = disagreements_of_links(still, on_floats(still.robot), s, still.links[-8:])
            tally.add(file, still.robot, itertools.chain(disagreements(still, on_floats, s), places))
    if FILES:
        assert tally.wrong == {}
        assert tally.counts["files"] >= 4
