"""What a page holds: obstacles, limits and names of motions; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.scene import Fixture, Movement, View

ARM = kt.robots.two_link()
T = np.linspace(0.0, 1.0, 5)
Q = np.zeros((5, 2))


def test_a_plan_is_shown_among_its_obstacles_with_its_own_limits():
    obstacles = [
        kt.plan.Sphere([0.0, 0.0, 2.0], 0.1, name="ball"),
        kt.plan.Capsule([0.0, 2.0, 0.0], [0.0, 2.0, 1.0], 0.2),
        kt.plan.Box([2.0, 0.0, 0.0], [0.2, 0.4, 0.6]),
        kt.plan.HalfSpace([0.0, 0.0, 1.0], [5.0, 5.0, -1.0]),
        kt.plan.MovingObstacle(kt.plan.Sphere([0.0, -3.0, 0.0], 0.1), [0.0, 0.5, 0.0]),
    ]
    plan = kt.plan.minimum_time(ARM, q0=[0.0, 0.0], q1=[0.5, 0.5], force_limits=[10.0, 5.0], obstacles=obstacles)
    data = plan.view(plan, names=["one", "two"], beside=True)._data
    ball, post, box, floor, moving = data["obstacles"]
    assert (ball["kind"], ball["size"], ball["pose"][3::4], ball["name"]) == ("sphere", [0.1], [0, 0, 2], "ball")
    pose = np.reshape(post["pose"], (3, 4))
    assert post["size"] == [0.2, 0.2, 1.0]
    assert pose @ [0, 0, 1, 1] == pytest.approx([0, 2, 1])  # from one end along its z to the other
    assert box["size"] == [0.1, 0.2, 0.3]
    assert floor["endless"]
    assert np.reshape(floor["pose"], (3, 4)) @ [0, 0, floor["size"][2], 1] == pytest.approx([0, 0, -1])
    assert "path" in moving
    assert "path" not in ball
    assert [x["name"] for x in data["motions"]] == ["one", "two"]
    assert data["motions"][0]["scale"] == [10.0, 5.0]
    assert data["motions"][0]["limited"] == [True, True]
    assert data["beside"]


def test_forces_without_limits_are_compared_with_the_largest():
    tau = np.array([[0.0, np.nan], [1.0, -3.0], [2.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    (motion,) = View(ARM, movements=[Movement(T, Q, tau, limits=[4.0, np.inf])])._data["motions"]
    assert (motion["scale"], motion["limited"]) == ([4.0, 3.0], [True, False])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"obstacles": [Fixture("cube", [1.0], np.eye(4)[:3])]}, "kind of solid"),
        ({"obstacles": [Fixture("box", [1.0, 1.0], np.eye(4)[:3])]}, "3 positive sizes"),
        ({"obstacles": [Fixture("sphere", [np.nan], np.eye(4)[:3])]}, "1 positive sizes"),
        ({"obstacles": [Fixture("sphere", [1.0], np.eye(4)[:3], path=np.zeros((4, 3)))]}, r"is \(5, 3\)"),
        ({"names": ["a", "b"]}, "as many names"),
        ({"movements": [Movement(T, Q, Q, limits=[1.0])]}, "limits of forces"),
        ({"movements": [Movement(T, Q, Q, limits=[1.0, -1.0])]}, "limits of forces"),
    ],
)
def test_what_is_wrong_is_said(options, message):
    with pytest.raises(KinetreeError, match=message):
        View(ARM, **{"movements": [Movement(T, Q)], **options})


def test_a_closed_chain_with_parameters_is_alive():
    from dataclasses import replace

    robot = kt.robots.four_bar()
    first = replace(robot.bodies[0].inertia, mass=kt.parameter("mass", 0.7))
    chain = kt.ClosedChain(replace(robot, bodies=(replace(robot.bodies[0], inertia=first), *robot.bodies[1:])))
    view = chain.view(mass=0.9)
    assert view.engine is not None
    assert view.engine.facts["independent"] == [0]
    assert view.mechanism.bodies[0].inertia.mass == 0.9
