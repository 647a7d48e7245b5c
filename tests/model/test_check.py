"""Checks: what no mechanism can have is found, and refused where that is asked for; what a robot may have is not."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from strategies import on_floats, states, tree

import kinetree as kt
from kinetree.errors import InertiaError, ModelError, SingularModelError
from kinetree.joints import KINDS, Fixed, Free, JointKind, Prismatic, Revolute, Spherical, Universal
from kinetree.model.check import Finding, findings
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

SOLID = kt.Inertia(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
AT = Transform(Rotation.about(0, 0.3), Vec3(0.2, 0.0, 0.1))


@dataclass(frozen=True)
class Slide(Prismatic):
    """A kind from outside that does not look at its axis."""

    def __post_init__(self) -> None:
        pass


def body(name: str, kind: JointKind, inertia: Any = SOLID, parent: str | None = None, **joint: Any) -> kt.Body:
    return kt.Body(name, kt.Joint(name, kind, **{"placement": AT, **joint}), inertia, parent)


def robot(*bodies: kt.Body, **options: Any) -> kt.Robot:
    return kt.Robot(bodies, **{"strict": False, **options})


def with_limits(*limits: float) -> kt.Robot:
    return robot(body("a", Revolute(), limits=kt.Limits(*limits)))


def loop(predecessor: str | None, successor: str | None) -> kt.Robot:
    ends = kt.Frame(predecessor, AT), kt.Frame(successor)
    return robot(body("a", Revolute()), loops=(kt.Loop("x", Spherical(), *ends),))


NAN, INF = math.nan, math.inf
ERRORS: dict[str, tuple[kt.Robot, str, str]] = {
    "negative mass": (robot(body("a", Revolute(), kt.Inertia(-2.0))), "body 'a'", "has the negative mass -2 kg"),
    "triangle": (
        robot(body("a", Revolute(), kt.Inertia(1.0, about_com=(1, 1, 3)))),
        "body 'a'",
        "has principal moments",
    ),
    "not finite": (robot(body("a", Revolute(), kt.Inertia(NAN))), "body 'a'", "has a mass, .* not finite"),
    "moments": (robot(body("a", Revolute(), kt.Moments(0.0, (1.0, 0.0, 0.0)))), "body 'a'", "has the first moments"),
    "limits": (with_limits(1.0, -1.0), "joint 'a'", "has the lower limit 1 above the upper limit -1"),
    "lower limit": (with_limits(NAN, 1.0), "joint 'a'", "has the lower limit NaN"),
    "upper limit": (with_limits(-1.0, NAN), "joint 'a'", "has the upper limit NaN"),
    "velocity limit": (with_limits(-1.0, 1.0, -2.0), "joint 'a'", "has the velocity limit -2; give its size"),
    "effort limit": (with_limits(-1.0, 1.0, 2.0, -3.0), "joint 'a'", "has the effort limit -3; give its size"),
    "effort limit NaN": (with_limits(-1.0, 1.0, 2.0, NAN), "joint 'a'", "has the effort limit NaN"),
    "axis": (robot(body("a", Slide(Vec3(0.0, 2.0, 0.0)))), "joint 'a'", "has the axis .* of length 2; give a unit"),
    "axis NaN": (robot(body("a", Slide(Vec3(0.0, NAN, 0.0)))), "joint 'a'", "has the axis"),
    "loop on a body": (loop("a", "a"), "loop 'x'", "has both ends on body 'a', so it closes nothing"),
    "loop on the world": (loop(None, None), "loop 'x'", "has both ends on the world"),
}
each_error = pytest.mark.parametrize("case", ERRORS)


@each_error
def test_what_no_mechanism_has_is_found(case):
    bad, where, message = ERRORS[case]
    found = [finding for finding in bad.check() if finding.severity == "error"]
    assert [finding.where for finding in found] == [where]
    assert re.match(message, found[0].message)


@each_error
def test_what_no_mechanism_has_is_refused_by_a_strict_one(case):
    bad, where, message = ERRORS[case]
    expected = InertiaError if where.startswith("body") else ModelError
    with pytest.raises(expected, match=f"{where} {message}"):
        dataclasses.replace(bad, strict=True)


POINT_ON_AXIS = kt.Inertia(2.0, (0.0, 0.0, 0.7))
ROD = kt.Inertia(2.0, (0.0, 0.0, 0.7), (0.3, 0.3, 0.0))
EMPTY = kt.Inertia()
LIGHT: dict[str, tuple[kt.Robot, set[str]]] = {
    "an empty leaf": (robot(body("a", Revolute()), body("b", Prismatic(), EMPTY, "a")), {"b"}),
    "a point on the axis": (robot(body("a", Revolute(), POINT_ON_AXIS)), {"a"}),
    "a rod on the axis": (robot(body("a", Revolute(), ROD)), {"a"}),
    "a rod on a ball": (robot(body("a", Spherical(), ROD)), {"a"}),
    "a point off a ball": (robot(body("a", Spherical(), kt.Inertia(2.0, (0.3, 0.4, 0.5)))), {"a"}),
    "a free point": (robot(body("a", Free(), POINT_ON_AXIS)), {"a"}),
    "all empty": (robot(body("a", Revolute(), EMPTY), body("b", Revolute(), EMPTY, "a")), {"a", "b"}),
    "a point welded to the axis": (
        robot(body("a", Revolute(), EMPTY), body("b", Fixed(), kt.Inertia(1.0), "a", placement=Transform.identity)),
        {"a"},
    ),
}
HEAVY: dict[str, kt.Robot] = {
    "a rod on a slide": robot(body("a", Prismatic(), ROD)),
    "an empty body that carries one": robot(body("a", Revolute(), EMPTY), body("b", Revolute(), SOLID, "a")),
    "an empty body with a rotor": robot(body("a", Revolute(), EMPTY, rotor_inertia=0.1)),
    "a rod with a rotor": robot(body("a", Revolute(), ROD, rotor_inertia=0.1)),
    "an empty follower": robot(body("a", Revolute()), body("b", Revolute(), EMPTY, mimic=kt.Mimic("a", 2.0))),
    "an empty leader": robot(body("a", Revolute(), EMPTY), body("b", Revolute(), SOLID, mimic=kt.Mimic("a", 2.0))),
    "an empty weld": robot(body("a", Revolute()), body("b", Fixed(), EMPTY, "a")),
}


@pytest.mark.parametrize("case", LIGHT)
def test_joints_without_inertia_are_found_where_forward_dynamics_is_singular(case):
    light, names = LIGHT[case]
    found = light.check()
    assert {finding.where for finding in found} == {f"joint {name!r}" for name in names}
    assert {finding.severity for finding in found} == {"warning"}
    # the mass matrix is singular in any position
    M = on_floats(light)("mass_matrix", states(light).q)
    assert (np.linalg.cond(M) > 1e12).all()


@pytest.mark.parametrize("case", HEAVY)
def test_joints_that_something_resists_are_not_found(case):
    assert HEAVY[case].check() == ()
    s = states(HEAVY[case])
    assert np.isfinite(on_floats(HEAVY[case])("forward_dynamics", s.q, s.qd, s.qdd)).all()


def test_the_warning_names_the_joint_that_forward_dynamics_refuses():
    light, _ = LIGHT["an empty leaf"]
    s = states(light)
    with pytest.raises(SingularModelError, match="'b'"):
        on_floats(light)("forward_dynamics", s.q, s.qd, s.qdd)
    (finding,) = light.check()
    assert "moves body 'b' without any inertia" in finding.message


DOUBTFUL: dict[str, tuple[kt.Robot, str]] = {
    "multiplier": (
        robot(body("a", Revolute()), body("b", Revolute(), mimic=kt.Mimic("a", 0.0, 1.0))),
        "joint 'b' mimics 'a' with the multiplier 0",
    ),
    "rest": (
        robot(body("a", Revolute(), stiffness=1.0, rest=2.0, limits=kt.Limits(-1.0, 1.0))),
        "joint 'a' has a spring at rest at 2, outside of its limits -1 to 1",
    ),
    "parallel": (
        robot(body("a", Universal(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, -1.0)), rotor_inertia=1.0)),
        "joint 'a' has two parallel axes",
    ),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_what_is_seldom_meant_is_warned_of_and_taken(case):
    doubtful, message = DOUBTFUL[case]
    (finding,) = dataclasses.replace(doubtful, strict=True).check()
    assert str(finding).startswith(f"warning: {message}")


def test_springs_without_stiffness_and_quaternions_have_no_rest_to_check():
    limits = kt.Limits(-0.1, 0.1)
    slack = body("a", Revolute(), rest=2.0, limits=limits)
    ball = body("b", Spherical(), stiffness=1.0, limits=limits)
    assert robot(slack, ball).check() == ()


def test_errors_come_first():
    bad = robot(
        body("a", Revolute(), EMPTY),
        body("b", Revolute(), kt.Inertia(-1.0, about_com=(1, 1, 1)), limits=kt.Limits(1.0, 0.0)),
    )
    assert [finding.severity for finding in bad.check()] == ["error", "error", "warning"]


def test_parameters_are_not_looked_at():
    x = kt.parameter("x")
    unknown = body(
        "a",
        Revolute(Vec3(x, 0.0, 0.0)),
        kt.Inertia(x),
        limits=kt.Limits(x, -1.0),
        stiffness=x,
        rest=x,  # type: ignore[arg-type]
    )
    leader = body("b", Universal(Vec3(x, 0.0, 0.0), Vec3(x, 0.0, 0.0)), SOLID, "a")
    follower = body("c", Revolute(), EMPTY, mimic=kt.Mimic("d", x))
    carried = body("d", Revolute(), EMPTY, rotor_inertia=x)
    assert kt.Robot((unknown, leader, follower, carried)).check() == ()
    assert robot(body("e", Revolute(), EMPTY), body("f", Fixed(), kt.Inertia(x), "e")).check() == ()


@pytest.mark.parametrize("seed", range(5))
def test_random_robots_have_nothing_wrong(seed):
    assert tree(seed, 8, tuple(KINDS), friction=True, springs=True, mimics=True).check() == ()
    assert tree(seed, 8, tuple(KINDS), mimics=True, on_free_base=True).check() == ()


def test_a_finding_prints_as_a_message():
    finding = Finding("error", "body 'hand'", "has the negative mass -1 kg")
    assert str(finding) == "error: body 'hand' has the negative mass -1 kg"
    assert findings(robot(body("hand", Revolute(), kt.Inertia(-1.0))))[0].where == finding.where
