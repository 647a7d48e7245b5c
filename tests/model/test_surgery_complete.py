"""Surgery loses nothing that was said of a robot, takes parameters for numbers, and refuses what it can't do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from strategies import on_floats, relative_error, states

import kinetree as kt
from kinetree.errors import ModelError, UnknownNameError
from kinetree.joints import Cylindrical, Fixed, Free, Helical, JointKind, Planar, Prismatic, Revolute, Spherical
from kinetree.model import surgery
from kinetree.model.mechanism import Mechanism
from kinetree.parameter import bound
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

# sums over a tree of a dozen bodies, of products of matrices of size one, in another order
ROUNDING = 1e-11
PAYLOAD = kt.Inertia(1.5, (0.1, -0.2, 0.3), (0.2, 0.3, 0.25, 0.01, -0.02, 0.03))


def joints_of(robot: Mechanism) -> dict[str, kt.Joint]:
    return {body.joint.name: body.joint for body in robot.bodies}


# -- nothing is lost -------------------------------------------------------------------------------------------------

OPERATIONS: dict[str, Callable[[Mechanism], Mechanism]] = {
    "lock": lambda robot: surgery.lock(robot, {"spare": 0.3}),
    "attach a payload": lambda robot: surgery.attach(robot, PAYLOAD, "tool"),
    "attach a robot": lambda robot: surgery.attach(robot, pendulum(), "tool", prefix="p_"),
    "merge fixed": surgery.merge_fixed,
    "reroot": lambda robot: surgery.reroot(robot, "hand"),
    "mirror": surgery.mirror,
    "scale": lambda robot: surgery.scale(robot, 2.0, 3.0),
    "gravity": lambda robot: surgery.with_gravity(robot, (0.0, 0.0, -1.6)),
    "fix the base": lambda robot: surgery.with_base(robot, "fixed"),
    "subtree": lambda robot: surgery.subtree(robot, "trunk"),
}
each_operation = pytest.mark.parametrize("operation", OPERATIONS)


def pendulum() -> kt.Robot:
    return kt.Robot((kt.Body("bob", kt.Joint("swing", Revolute()), PAYLOAD),))


def everything(m: Any = 2.0, a: Any = 0.4, q0: Any = 0.3, pitch: Any = 0.1) -> kt.Robot:
    """trunk - arm - hand with two fingers, a plate and a spare arm; it has all that can be said of a robot."""
    limits = kt.Limits(-1.0, 2.0, 3.0, 4.0)
    drive: dict[str, Any] = {
        "damping": 0.1, "coulomb": 0.2, "rotor_inertia": 0.3, "limits": limits, "stiffness": 0.5, "rest": 0.6,
        "gear_ratio": 7.0, "actuated": False,
    }  # fmt: skip
    X = Transform(Rotation.about(0, q0), Vec3(a, 0.1, 0.2))
    inertia = kt.Inertia(m, (0.1 * a, 0.2, 0.3), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))
    bodies = (
        kt.Body("trunk", kt.Joint("base", Free()), inertia),
        kt.Body("arm", kt.Joint("shoulder", Revolute(Vec3(0.0, 0.6, 0.8), q0), X, **drive), inertia, "trunk"),
        kt.Body("hand", kt.Joint("wrist", Helical(Vec3(1.0, 0.0, 0.0), pitch), X, **drive), inertia, "arm"),
        kt.Body("left", kt.Joint("left", Prismatic(), X, **drive), inertia, "hand"),
        kt.Body("right", kt.Joint("right", Prismatic(), X, mimic=kt.Mimic("left", -a, 0.1)), inertia, "hand"),
        kt.Body("plate", kt.Joint("plate", Fixed(), X), kt.Moments(m, (0.1, 0.2 * a, 0.3), (1.0, 1.0, 1.0)), "arm"),
        kt.Body("spare", kt.Joint("spare", Revolute(), X), inertia, "arm"),
    )
    frames = {"tool": kt.Frame("hand", X), "mark": kt.Frame("plate", X)}
    loops = (kt.Loop("rod", Spherical(), kt.Frame("trunk", X), kt.Frame("hand", X)),)
    couplings = (kt.Coupling("wrist", "shoulder", (0.1, a)),)
    return kt.Robot(bodies, "all", (1.0, 2.0, 3.0), frames, loops, couplings)


@each_operation
def test_everything_in_a_robot_is_carried_over(operation):
    robot = dataclasses.replace(everything(), strict=False)
    changed = OPERATIONS[operation](robot)
    assert {*changed.frames} >= {*robot.frames}
    assert (changed.name, changed.strict) == (robot.name, robot.strict)
    assert [x.name for x in changed.loops] == ["rod"]
    assert [type(x.kind) for x in changed.loops] == [Spherical]
    assert [(x.joint, x.leader) for x in changed.couplings] == [("wrist", "shoulder")]
    joints, before = joints_of(changed), joints_of(robot)
    for name in joints.keys() & before.keys():
        kept = ("damping", "coulomb", "stiffness", "gear_ratio", "actuated")
        assert [getattr(joints[name], x) for x in kept] == [getattr(before[name], x) for x in kept], name
    assert (joints["right"].mimic or kt.Mimic("")).joint == "left"
    if operation != "scale":
        assert all(joints[name].limits == before[name].limits for name in joints.keys() & before.keys())
        assert all(joints[name].rotor_inertia == before[name].rotor_inertia for name in joints.keys() & before.keys())
    if operation not in ("mirror", "gravity"):
        assert changed.gravity == robot.gravity


def test_what_is_attached_stays_as_doubtful_as_it_was():
    doubtful = kt.Robot((kt.Body("x", kt.Joint("x", Revolute()), kt.Inertia(-1.0)),), strict=False)
    assert not pendulum().attach(doubtful, "bob").strict
    assert pendulum().attach(everything().with_base("fixed"), "bob").strict


@each_operation
def test_parameters_may_stand_wherever_numbers_do(operation):
    numbers = {"m": 1.3, "a": 0.7, "q0": -0.4, "pitch": 0.2}
    symbolic = OPERATIONS[operation](everything(**{name: kt.parameter(name) for name in numbers}))
    assert {*symbolic.parameters} == {*numbers}
    one, two = (kt.Robot.of(x) for x in (bound(symbolic, numbers), OPERATIONS[operation](everything(**numbers))))
    s = states(two)
    for frame in two.frames:
        ours, theirs = on_floats(one)("pose", s.q, frame=frame), on_floats(two)("pose", s.q, frame=frame)
        assert relative_error(ours, theirs) < ROUNDING, frame
    tau = on_floats(two)("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(on_floats(one)("inverse_dynamics", s.q, s.qd, s.qdd), tau) < ROUNDING


def test_positions_and_factors_may_be_parameters():
    length, angle = kt.parameter("length"), kt.parameter("angle")
    robot = kt.Robot.of(dataclasses.replace(everything(), couplings=()))
    symbolic = robot.scale(length, 2.0 * length).lock({"shoulder": angle, "left": length * 0.1})
    numbers = {"length": 1.4, "angle": 0.8}
    plain = robot.scale(1.4, 2.8).lock({"shoulder": 0.8, "left": 0.14})
    s = states(plain)
    one, two = on_floats(bound(symbolic, numbers)), on_floats(plain)
    tau = two("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(one("inverse_dynamics", s.q, s.qd, s.qdd), tau) < ROUNDING


# -- refusals --------------------------------------------------------------------------------------------------------

BARE = (Revolute(), Prismatic(), Spherical())


class Wheel(Revolute):
    """A kind that surgery does not know."""


def chain(*kinds: JointKind, base: bool = False, **joint: Any) -> kt.Robot:
    """Bodies b0, b1, ... one on the other, on joints j0, j1, ..."""
    first = (Free(),) if base else ()
    bodies = []
    for i, kind in enumerate((*first, *kinds)):
        options = joint if i == len(kinds) + base - 1 else {}
        bodies.append(kt.Body(f"b{i}", kt.Joint(f"j{i}", kind, **options), PAYLOAD, f"b{i - 1}" if i else None))
    return kt.Robot(tuple(bodies), "chain")


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "lock: unknown": (
        lambda: chain(*BARE).lock({"j9": 0.0}),
        UnknownNameError,
        "no moving joint 'j9'.* 'j0', 'j1', 'j2'",
    ),
    "lock: fixed": (lambda: chain(Fixed()).lock({"j0": 0.0}), UnknownNameError, "no moving joint 'j0'"),
    "lock: size": (lambda: chain(*BARE).lock({"j2": 0.0}), ModelError, "joint 'j2' can't be held at 0.0; expected 4"),
    "lock: NaN": (lambda: chain(*BARE).lock({"j0": float("nan")}), ModelError, "expected 1 finite number$"),
    "lock: follower": (lambda: everything().lock({"right": 0.0}), ModelError, "'right' mimics 'left' .*; lock 'left'"),
    "lock: coupled": (lambda: everything().lock({"shoulder": 0.0}), ModelError, "coupling of 'wrist' to 'shoulder'"),
    "lock: whole loop": (
        lambda: dataclasses.replace(everything(), couplings=()).lock({"shoulder": 0.0, "wrist": 0.0}),
        ModelError,
        "loop 'rod' would have both ends on 'trunk'",
    ),
    "attach: frame": (lambda: pendulum().attach(PAYLOAD, "hand"), UnknownNameError, "no frame 'hand'.* 'bob', 'world'"),
    "attach: world": (lambda: pendulum().attach(PAYLOAD, "world"), ModelError, "fixed in the world, .*: 'bob'"),
    "attach: what": (lambda: pendulum().attach(2.0, "bob"), ModelError, "Inertia of a payload or a Robot, got 2.0"),
    "attach: names": (lambda: pendulum().attach(pendulum(), "bob"), ModelError, "frame called 'bob'; pass prefix="),
    "attach: joints": (
        lambda: pendulum().attach(kt.Robot((kt.Body("x", kt.Joint("swing", Revolute())),)), "bob"),
        ModelError,
        "joint called 'swing'; pass prefix=",
    ),
    "attach: floating": (
        lambda: pendulum().attach(chain(base=True), "bob"),
        ModelError,
        r"'b0' is free; .*with_base\(",
    ),
    "attach: defaults": (
        lambda: (
            pendulum()
            .attach(kt.Inertia(kt.parameter("m", 1.0)), "bob")
            .attach(kt.Robot((kt.Body("x", kt.Joint("y", Fixed()), kt.Inertia(kt.parameter("m", 2.0))),)), "bob")
        ),
        ModelError,
        "'m' is given two different defaults",
    ),
    "reroot: body": (lambda: chain(*BARE, base=True).reroot("b9"), UnknownNameError, "no body 'b9'"),
    "reroot: fixed base": (lambda: chain(*BARE).reroot("b1"), ModelError, r"with_base\(\"floating\"\) first"),
    "reroot: friction": (
        lambda: chain(Revolute(), Spherical(), base=True, damping=1.0).reroot("b2"),
        ModelError,
        "joint 'j2' has a damping .* inverse Spherical motion",
    ),
    "reroot: limits": (
        lambda: chain(Planar(), base=True, limits=kt.Limits(-1.0, 1.0)).reroot("b1"),
        ModelError,
        "joint 'j1' has Limits",
    ),
    "reroot: kind": (
        lambda: chain(Wheel(), base=True).reroot("b1"),
        ModelError,
        "Wheel.* can't be reversed; known: Rev",
    ),
    "mirror: normal": (lambda: pendulum().mirror((1.0, 1.0, 0.0)), ModelError, "has length 1.41"),
    "mirror: parameter": (
        lambda: pendulum().mirror((kt.parameter("x"), 0.0, 0.0)),
        ModelError,
        "must be three numbers",
    ),
    "mirror: limits": (
        lambda: chain(Cylindrical(), limits=kt.Limits(0.0, 1.0)).mirror(),
        ModelError,
        "joint 'j0': .* Cylindrical .* from 0.0 to 1.0",
    ),
    "mirror: kind": (lambda: chain(Wheel()).mirror(), ModelError, "'j0' of kind Wheel.* can't be mirrored"),
    "scale: length": (lambda: pendulum().scale(length=0.0), ModelError, "length must be a number above 0, got 0.0"),
    "scale: mass": (lambda: pendulum().scale(mass="1"), ModelError, "mass must be a number above 0, got '1'"),
    "scale: limits": (
        lambda: chain(Cylindrical(), limits=kt.Limits(0.0, 1.0)).scale(2.0),
        ModelError,
        "joint 'j0': its limits .* angles and lengths alike",
    ),
    "scale: kind": (lambda: chain(Wheel()).scale(2.0), ModelError, "'j0' of kind Wheel.* can't be scaled"),
    "gravity": (lambda: pendulum().with_gravity((0.0, 9.81)), ModelError, "gravity is three numbers"),
    "base: name": (lambda: pendulum().with_base("free"), ModelError, "base 'free' is not one of 'fixed', 'floating'"),
    "base: floats": (lambda: chain(base=True).with_base("floating"), ModelError, "floating base already, 'b0'"),
    "base: fixed": (lambda: chain(*BARE).with_base("fixed"), ModelError, "no floating base .*'b0' on a Revolute joint"),
    "base: inertia": (lambda: chain(base=True).with_base("fixed", PAYLOAD), ModelError, "leave it out"),
    "base: joint": (
        lambda: kt.Robot((kt.Body("x", kt.Joint("base", Revolute())),)).with_base("floating"),
        ModelError,
        "'base' is the name of the joint of a floating base",
    ),
    "subtree: body": (lambda: chain(*BARE).subtree("b9"), UnknownNameError, "no body 'b9'"),
    "subtree: mimic": (lambda: everything().subtree("right"), ModelError, "'right' mimics 'left', .*; lock 'left'"),
    "subtree: loop": (
        lambda: dataclasses.replace(everything(), couplings=()).subtree("arm"),
        ModelError,
        "loop 'rod' connects 'hand' and 'trunk', of which 'arm' carries only one",
    ),
    "subtree: coupling": (
        lambda: dataclasses.replace(everything(), loops=()).subtree("hand"),
        ModelError,
        "'wrist' is coupled to 'shoulder', and 'hand' carries only one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_be_done_is_refused_with_a_reason(case):
    action, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        action()
