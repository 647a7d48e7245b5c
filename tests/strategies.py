"""What the tests of the physics share: random mechanisms and states, and algorithms evaluated by Python itself.

The algorithms run on any scalar. Here they run on floats (`on_floats`) and on floats with a rate of change (`Dual`),
which differentiates them along a motion exactly and without the package's own differentiation.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.joints import KINDS, Free, JointKind, Revolute, Rotor
from kinetree.scalar import Scalar
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray

# -- mechanisms --------------------------------------------------------------------------------------------------------


def random_axis(rng: np.random.Generator) -> Vec3:
    """A unit vector; every second one along a coordinate axis, as in real robots."""
    if rng.random() < 0.5:
        return Vec3(*map(float, rng.choice((-1.0, 1.0)) * np.eye(3)[rng.integers(3)]))
    x = rng.normal(size=3)
    return Vec3(*map(float, x / np.linalg.norm(x)))


def random_kind(name: str, rng: np.random.Generator) -> JointKind:
    """A joint of the kind with random axes, and random numbers for all else it has (offset, pitch, gear ratio)."""
    kind = KINDS[name]
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    axes: dict[str, Vec3] = {}
    for f in fields:
        while isinstance(f.default, Vec3) and (f.name not in axes or _parallel(axes)):
            axes[f.name] = random_axis(rng)
    numbers = {f.name: float(rng.uniform(-1, 1)) for f in fields if f.name not in axes}
    if "gear_ratio" in numbers:  # never zero; below one, so that half a turn of q is half a turn of the body at most
        numbers["gear_ratio"] = math.copysign(0.5 + 0.5 * abs(numbers["gear_ratio"]), numbers["gear_ratio"])
    return kind(**axes, **numbers)


def _parallel(axes: dict[str, Vec3]) -> bool:
    vectors = list(axes.values())
    return any(abs(a.dot(b)) > 0.9 for i, a in enumerate(vectors) for b in vectors[:i])


def floating(robot: kt.Robot) -> kt.Robot:
    """The robot on a free body "base" instead of the world."""
    inertia = kt.Inertia(3.0, (0.05, -0.02, 0.1), (0.2, 0.3, 0.25, 0.01, -0.02, 0.03))
    base = kt.Body("base", kt.Joint("base", Free()), inertia)
    carried = (dataclasses.replace(b, parent=b.parent or "base") for b in robot.bodies)
    return dataclasses.replace(robot, bodies=(base, *carried))


def tree(
    seed: int,
    joints: int,
    kinds: Sequence[str] = tuple(KINDS),
    *,
    friction: bool = False,
    on_free_base: bool = False,
    springs: bool = False,
    mimics: bool = False,
    motors: bool = False,
) -> kt.Robot:
    """A random tree of the zoo whose revolute joints have offsets too, on the world or on a floating base."""
    robot = kt.robots.random_tree(seed, joints, kinds, friction)
    rng = np.random.default_rng(seed)
    bodies = []
    for body in robot.bodies:
        kind = body.joint.kind
        if isinstance(kind, Revolute):
            kind = Revolute(kind.axis, float(rng.choice((0.0, math.pi / 2, -math.pi, 0.3))))
        bodies.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, kind=kind)))
    robot = dataclasses.replace(robot, bodies=tuple(bodies))
    robot = sprung(robot, rng) if springs else robot
    robot = mimicking(robot, rng) if mimics else robot
    robot = robot.with_motors(random_motors(robot, rng)) if motors else robot
    return floating(robot) if on_free_base else robot


def with_joints(robot: kt.Robot, joints: Sequence[kt.Joint]) -> kt.Robot:
    """The robot with other joints between the same bodies."""
    bodies = (dataclasses.replace(body, joint=joint) for body, joint in zip(robot.bodies, joints))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def sprung(robot: kt.Robot, rng: np.random.Generator) -> kt.Robot:
    """The robot with a spring on every joint, each with a rest position of its own; rotors drive others through one."""
    joints = []
    driven = [b.joint.name for b in robot.bodies if b.joint.kind.nv == 1 and not isinstance(b.joint.kind, Rotor)]
    for joint in (body.joint for body in robot.bodies):
        rest = np.array(joint.kind.neutral) + rng.normal(size=joint.kind.nq)
        if (start := joint.kind.quaternion) is not None:
            rest[start:] /= np.linalg.norm(rest[start:])
        stiffness = [float(rng.uniform(1, 5))] * joint.kind.nv
        joint = dataclasses.replace(joint, stiffness=stiffness, rest=rest.tolist())
        if isinstance(joint.kind, Rotor) and driven:
            transmission = kt.Transmission(str(rng.choice(driven)), *rng.uniform(1, 5, 2).tolist())
            joint = dataclasses.replace(joint, transmission=transmission)
        joints.append(joint)
    return with_joints(robot, joints)


def mimicking(robot: kt.Robot, rng: np.random.Generator) -> kt.Robot:
    """The robot with about half of the joints of one coordinate following another one, before or after them."""
    joints = [body.joint for body in robot.bodies]
    single = [joint.name for joint in joints if joint.kind.nv == 1]
    coupled = {name for joint in joints if joint.transmission for name in (joint.name, joint.transmission.joint)}
    leaders = [name for name in single if rng.random() < 0.5 or name in coupled] or single[:1]
    for k, joint in enumerate(joints):
        if joint.name in single and joint.name not in leaders:
            multiplier, offset = rng.uniform(-1.5, 1.5, 2)
            mimic = kt.Mimic(str(rng.choice(leaders)), float(multiplier), float(offset))
            joints[k] = dataclasses.replace(joint, mimic=mimic)
    return with_joints(robot, joints)


def serial(seed: int, joints: int, *, friction: bool = False) -> kt.Robot:
    """A random arm of revolute joints, one behind the other."""
    robot = kt.robots.random_tree(seed, joints, ["revolute"], friction)
    before = [None, *(body.name for body in robot.bodies)]
    chain = (dataclasses.replace(body, parent=up) for up, body in zip(before, robot.bodies))
    return dataclasses.replace(robot, bodies=tuple(chain))


def random_motors(robot: kt.Robot, rng: np.random.Generator, elastic: bool | None = None) -> list[kt.Motor]:
    """A motor for every joint that can have one, on any body before it, rigid or elastic."""
    parents, motors = {body.name: body.parent for body in robot.bodies}, []
    for body in robot.bodies:
        if body.joint.mimic or body.joint.kind.nv != 1 or isinstance(body.joint.kind, Rotor):
            continue
        way = [body.parent or "world"]
        while way[-1] != "world":
            way.append(parents[way[-1]] or "world")
        ratio, spin, mass = float(rng.uniform(2, 10) * rng.choice((-1, 1))), *rng.uniform(0.001, 0.1, 2).tolist()
        motor = kt.Motor(body.joint.name, str(rng.choice(way)), random_axis(rng), ratio, spin, mass)
        motor = dataclasses.replace(
            motor, com=rng.normal(size=3).tolist(), transverse_inertia=spin * rng.uniform(0.5, 2)
        )
        motor = dataclasses.replace(motor, damping=float(rng.uniform(0.1, 1)))
        if rng.random() < 0.5 if elastic is None else elastic:
            motor = dataclasses.replace(motor, stiffness=float(rng.uniform(1, 5)))
        motors.append(motor)
    return motors


def trees(most: int = 5, friction: bool | None = None) -> st.SearchStrategy[kt.Robot]:
    """Random trees with every kind of joint, on either base, with and without friction, springs, mimics and motors."""
    return st.builds(
        tree,
        st.integers(0, 10**6),
        st.integers(1, most),
        st.lists(st.sampled_from(tuple(KINDS)), min_size=1, max_size=4, unique=True).map(tuple),
        friction=st.booleans() if friction is None else st.just(friction),
        on_free_base=st.booleans(),
        springs=st.booleans(),
        mimics=st.booleans(),
        motors=st.booleans(),
    )


# -- states ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class States:
    """A batch of motions of one robot, with loads on its bodies."""

    q: Array
    qd: Array
    qdd: Array
    external: Array
    qddd: Array
    weights: Array


def states(robot: kt.Robot, count: int = 3, seed: int = 0) -> States:
    """Random states; quaternions are of length one."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = (rng.normal(size=(count, n)) for n in (robot.nq, robot.nv, robot.nv))
    for _, start in robot.quaternions:
        part = q[:, start : start + 4]
        part /= np.linalg.norm(part, axis=-1, keepdims=True)
    external = rng.normal(size=(count, robot.nbodies, 6))
    return States(q, qd, qdd, external, *rng.normal(size=(2, count, robot.nv)))


def operand_names(name: str) -> list[str]:
    """What a function of the catalogue takes."""
    return [operand.name for operand in Variant(name).signature(kt.robots.two_link()).operands]


def arguments(name: str, s: States) -> list[Array]:
    """The arguments of a function of the catalogue, taken from states; joint forces are any numbers."""
    inputs = {**{field.name: getattr(s, field.name) for field in dataclasses.fields(s)}, "tau": s.qdd}
    count = len(s.q)
    inputs |= {"q0": s.q, "q1": s.q[::-1], "v": s.qd, "dt": np.full(count, 0.7), "about": np.full((count, 3), 0.4)}
    return [inputs[operand] for operand in operand_names(name)]


def relative_error(a: Any, b: Any) -> float:
    """max |a - b| / max(1, max |b|): the error against the size of the whole quantity, the worst of several."""
    if isinstance(a, tuple):
        return max(relative_error(x, y) for x, y in zip(a, b, strict=True))
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"shapes differ: {a.shape}, {b.shape}"
    assert np.isfinite(a).all(), "the first has values that are not finite"
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


# differentiate their own graph, and so need traced arguments
TRACED = ("force_rate_derivatives", "inverse_dynamics_hessian_product")

# -- algorithms evaluated by Python ------------------------------------------------------------------------------------

Evaluate = Callable[..., Array]


def compiled(robot: kt.Robot) -> Evaluate:
    """f(name, *arrays, frame=, external=, base=) by the compiled functions."""

    def f(name: str, *args: Array, frame: str | None = None, external: Any = None, base: Any = None) -> Array:
        function = robot.function(name, frame=frame, external=external is not None, base=base is not None)
        return function(*args, *([] if external is None else [external]), *(base or ()))

    return f


def on_floats(robot: kt.Robot) -> Evaluate:
    """f(name, *arrays, frame=, external=, base=) by the algorithms on Python's floats, row by row."""

    def f(name: str, *args: Array, frame: str | None = None, external: Any = None, base: Any = None) -> Array:
        variant = Variant(name, frame, external is not None, base is not None)
        arrays = (*args, *([] if external is None else [external]), *(base or ()))
        results = variant.signature(robot).results
        rows = [variant(robot, *(x.tolist() for x in row)) for row in zip(*arrays)]
        columns = [rows] if len(results) == 1 else zip(*rows)
        values = [np.array(c, float).reshape(len(rows), *r.shape) for c, r in zip(columns, results)]
        return values[0] if len(values) == 1 else tuple(values)

    return f


class Dual(Scalar):
    """A number x with its rate dx."""

    __slots__ = ("dx", "x")

    def __init__(self, x: float, dx: float) -> None:
        self.x, self.dx = x, dx

    def apply(self, op: str, *args: Any) -> Any:
        pairs = [(a.x, a.dx) if isinstance(a, Dual) else (a, 0.0) for a in args]
        return Dual(*_RULES[op](*pairs))


_RULES: dict[str, Callable[..., tuple[float, float]]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "div": lambda a, b: (a[0] / b[0], (a[1] - a[0] / b[0] * b[1]) / b[0]),
    "neg": lambda a: (-a[0], -a[1]),
    "sin": lambda a: (math.sin(a[0]), math.cos(a[0]) * a[1]),
    "cos": lambda a: (math.cos(a[0]), -math.sin(a[0]) * a[1]),
    "sqrt": lambda a: (math.sqrt(a[0]), 0.5 * a[1] / math.sqrt(a[0])),
    "atan2": lambda y, x: (math.atan2(y[0], x[0]), (y[1] * x[0] - y[0] * x[1]) / (x[0] ** 2 + y[0] ** 2)),
    "sign": lambda a: (math.copysign(1.0, a[0]) if a[0] else 0.0, 0.0),
    "lt": lambda a, b: (a[0] < b[0], 0.0),
    "select": lambda p, a, b: a if p[0] else b,
}


def duals(x: Sequence[float], dx: Sequence[float]) -> list[Dual]:
    return [Dual(float(a), float(b)) for a, b in zip(x, dx)]


def rate_part(value: Any) -> Array:
    """The rates of a nest of lists of duals and numbers."""
    if isinstance(value, list | tuple):
        return np.array([rate_part(v) for v in value])
    return np.array(value.dx if isinstance(value, Dual) else 0.0)


def rate_of(robot: kt.Robot, name: str, s: States, frame: str | None = None) -> Array:
    """d/dt of an algorithm in q (and qd) along the motions of the states."""
    variant, rows = Variant(name, frame), []
    dq = on_floats(robot)("rates", s.q, s.qd)
    takes_qd = any(o.name == "qd" for o in variant.signature(robot).operands)
    for row in zip(s.q, dq, s.qd, s.qdd):
        q, qd = duals(*row[:2]), duals(*row[2:])
        rows.append(rate_part(variant(robot, q, *([qd] if takes_qd else []))))
    return np.array(rows)
