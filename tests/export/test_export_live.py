"""A robot alive in a page: its module computes what NumPy does, its loops stay closed, it follows and it falls."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from strategies import states, tree
from wasm_engines import chromium, in_wasmtime, node

import kinetree as kt
from kinetree.errors import InputError
from kinetree.export.live import live
from kinetree.export.wasm import listing

Array = np.ndarray
SAME = 1e-12
GRAVITY = np.array([1.0, -2.0, 9.0])


def alive(robot: Any, script: str, run: Any = node, **given: Any) -> Any:
    """What a script answers about a robot, ``arm``, and numbers that it is given by name."""
    content, facts = live(robot)
    encoded = json.dumps(base64.b64encode(content).decode())
    named = "".join(f"const {name} = {json.dumps(np.asarray(x).tolist())};\n" for name, x in given.items())
    return run(f"const arm = new Live(await load({encoded}), {json.dumps(facts)});\n{named}{script}")


def close_to(found: Any, expected: Any, most: float = SAME) -> bool:
    expected = np.asarray(expected)
    return bool(np.abs(np.reshape(found, expected.shape) - expected).max() <= most * max(1.0, np.abs(expected).max()))


# -- functions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5", "tree", "floating"])
def test_the_functions_of_robots(name: str) -> None:
    robot = kt.robots.ur5() if name == "ur5" else tree(4, 4, on_free_base=name == "floating", mimics=True)
    s = states(robot, 1)
    given = {"q": s.q[0], "qd": s.qd[0], "external": s.external[0], "gravity": GRAVITY}
    names = ("poses", "equivalent_forces", "inverse_dynamics", "forward_dynamics", "joint_wrenches")
    more = {"qdd": s.qdd[0], "tau": s.qdd[0]}
    poses, forces, tau, qdd, w = in_wasmtime(live(robot)[0], [(one, {**given, **more}) for one in names])
    bodies = [body.name for body in robot.bodies]
    assert close_to(poses["X"], [robot.pose(s.q[0], body)[:3] for body in bodies])
    jacobians = [robot.jacobian(s.q[0], body) for body in bodies]
    assert close_to(forces["tau"], sum(J.T @ load for J, load in zip(jacobians, s.external[0])))
    turned = robot.with_gravity(tuple(GRAVITY))
    options = {"external": s.external[0]}
    assert close_to(tau["tau"], turned.inverse_dynamics(s.q[0], s.qd[0], s.qdd[0], **options))
    assert close_to(qdd["qdd"], turned.forward_dynamics(s.q[0], s.qd[0], s.qdd[0], **options))
    assert close_to(w["w"], turned.joint_wrenches(s.q[0], s.qd[0], s.qdd[0], **options))


def test_the_functions_of_closed_chains() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    q = chain.close([0.1, -0.2]).check()
    content, facts = live(chain)
    velocity, tau = np.array([0.5, -0.7]), np.array([0.3, 0.2])
    qd = chain.velocities(q, velocity)
    call = {"q": q, "qd": qd, "tau": tau, "stabilisation": 0.0}
    (loops, found, own) = in_wasmtime(
        content,
        [("loops", {"q": q}), ("forward_dynamics", call), ("inverse_dynamics", {"q": q, "qd": velocity, "qdd": tau})],
    )
    assert np.abs(loops["error"]).max() < 1e-10
    assert np.abs(loops["J"] @ qd).max() < 1e-10
    assert close_to(found["qdd"], chain.forward_dynamics(q, qd, tau))
    assert close_to(own["tau"], chain.inverse_dynamics(q, velocity, tau))
    assert facts["independent"] == [*chain.actuation.independent]


def test_facts() -> None:
    _, facts = live(tree(4, 2, ("revolute", "spherical"), on_free_base=True))
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["base"] == [*range(6)]
    assert facts["coordinates"][:6] == [None] * 6
    assert live(kt.robots.four_bar())[1]["independent"] == [0]
    assert live(kt.robots.four_bar())[1]["falls"]
    massless = kt.Robot((kt.Body("b", kt.Joint("j", kt.joints.Revolute())),))
    content, facts = live(massless)
    assert not facts["falls"]
    assert "forward_dynamics" not in listing(content)
    parametric = kt.robots.two_link().with_gravity((0.0, kt.parameter("g", -9.81), 0.0))
    assert live(parametric)[1]["nv"] == 2


def test_what_is_refused() -> None:
    for wrong in (None, "ur5", kt.Robot((kt.Body("b", kt.Joint("j", kt.joints.Fixed())),))):
        with pytest.raises(InputError, match="a page shows a Robot"):
            live(wrong)  # type: ignore[arg-type]


# -- sliders -----------------------------------------------------------------------------------------------------------

SLIDERS = """
const found = [];
for (const [index, at] of arm.facts.coordinates.entries()) {
  if (at === null) continue;
  const start = Float64Array.from(arm.facts.neutral), wanted = start[at] + 0.12;
  const { q, closed } = arm.set(start, index, wanted);
  found.push({ q: [...q], closed, at, wanted });
}
answer(found);
"""


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "planar_3rrr", pytest.param("delta", marks=pytest.mark.slow)])
def test_loops_stay_closed_while_a_joint_moves(name: str) -> None:
    chain = kt.ClosedChain(getattr(kt.robots, name)())
    found = alive(chain, SLIDERS)
    facts = live(chain)[1]
    assert len(found) == sum(k is not None for k in facts["coordinates"]) > 2
    for one in found:
        assert one["closed"]
        assert one["q"][one["at"]] == pytest.approx(one["wanted"], abs=1e-12)
        others = [facts["coordinates"][k] for k in facts["independent"]]
        if one["at"] in others:
            stay = [k for k in others if k != one["at"]]
            np.testing.assert_array_equal(np.array(one["q"])[stay], chain.neutral[stay])
        assert abs(chain.function("step")(np.array(one["q"]), 0.0)[-1]) < 1e-9


def test_a_joint_stops_where_loops_can_not_close() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    script = "answer([0, 1, 2].map((k) => arm.set(arm.facts.neutral, k, 9.0)).map((r) => [[...r.q], r.closed]));"
    found = alive(chain, script)
    assert not all(closed for _, closed in found)
    for k, (q, closed) in enumerate(found):
        assert float(chain.function("step")(np.array(q), 0.0)[-1]) < 1e-9
        assert (abs(q[k] - 9.0) < 1e-12) == closed
        assert abs(q[k] - chain.neutral[k]) > 0.1


def test_a_joint_stays_inside_its_limits() -> None:
    robot = kt.robots.panda()
    script = "answer([-9, 9].map((x) => arm.set(arm.facts.neutral, 0, x).q[0]));"
    assert alive(robot, script) == [robot.lower[0], robot.upper[0]]
    with pytest.raises(AssertionError, match="velocity 9 has no coordinate of its own"):
        alive(robot, "answer(arm.set(arm.facts.neutral, 9, 0.0).q)")


# -- dragging ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5", "panda", "iiwa14"])
def test_a_point_follows(name: str) -> None:
    robot = getattr(kt.robots, name)()
    begin = 0.5 * (robot.lower + robot.upper) + 0.3
    point = np.array([0.05, 0.02, 0.1])
    ends = np.clip(begin + np.random.default_rng(1).uniform(-0.3, 0.3, (8, robot.nv)), robot.lower, robot.upper)
    poses = robot.pose(ends, robot.bodies[-1].name)
    targets = poses[:, :3, :3] @ point + poses[:, :3, 3]
    script = "answer(targets.map((x) => arm.drag(q, arm.bodies - 1, point, x, 30)).map((r) => [[...r.q], r.distance]));"
    for (q, distance), target in zip(alive(robot, script, q=begin, point=point, targets=targets), targets):
        pose = robot.pose(np.array(q), robot.bodies[-1].name)
        assert np.linalg.norm(pose[:3, :3] @ point + pose[:3, 3] - target) == pytest.approx(distance, abs=1e-9)
        assert distance < 1e-6
        assert ((np.array(q) >= robot.lower - 1e-12) & (np.array(q) <= robot.upper + 1e-12)).all()


def test_a_platform_follows_with_its_legs_closed() -> None:
    robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
    target = robot.robot.pose(robot.chain.neutral, "platform")[:3, 3] + [0.03, -0.02, 0.0]
    script = "const r = arm.drag(arm.facts.neutral, body, [0, 0, 0], target); answer([[...r.q], r.distance]);"
    q, distance = alive(robot, script, body=robot.index, target=target)
    assert distance < 1e-6
    assert float(robot.chain.function("step")(np.array(q), 0.0)[-1]) < 1e-9


def test_a_point_out_of_reach_comes_as_near_as_it_can() -> None:
    script = "const r = arm.drag([0.3, 0.4], 1, [0.3, 0, 0], [9, 0, 0], 60); answer([[...r.q], r.distance]);"
    robot = kt.robots.two_link()
    q, distance = alive(robot, script)
    lengths = np.linalg.norm(robot.pose([0.0, 0.0], "link2")[:3, 3]) + 0.3
    assert distance == pytest.approx(9 - lengths, abs=1e-3)
    assert np.abs(np.sin(q)).max() < 0.1


# -- forces and falling ------------------------------------------------------------------------------------------------


def test_loads_of_the_joints_in_world_axes() -> None:
    robot = kt.robots.ur5()
    s = states(robot, 1)
    script = "answer(arm.loads(q, qd, qdd).map((x) => [...x.moment, ...x.force]));"
    found = alive(robot, script, q=s.q[0], qd=s.qd[0], qdd=s.qdd[0])
    wrenches = robot.joint_wrenches(s.q[0], s.qd[0], s.qdd[0])
    for body, row, w in zip(robot.bodies, found, wrenches):
        R = robot.pose(s.q[0], body.name)[:3, :3]
        assert close_to(row, [*(R @ w[:3]), *(R @ w[3:])])


def test_it_falls_as_by_runge_and_kutta() -> None:
    robot = kt.robots.ur5().with_gravity(tuple(GRAVITY))
    q, qd = np.full(6, 0.3), np.zeros(6)

    def rate(q: Array, qd: Array) -> Array:
        return np.concatenate([qd, robot.forward_dynamics(q, qd, -0.5 * qd)])

    x, dt = np.concatenate([q, qd]), 0.004
    for _ in range(50):
        k1 = rate(*np.split(x, 2))
        k2 = rate(*np.split(x + 0.5 * dt * k1, 2))
        k3 = rate(*np.split(x + 0.5 * dt * k2, 2))
        k4 = rate(*np.split(x + dt * k3, 2))
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    script = """
    let x = Float64Array.from(q), v = new Float64Array(6);
    arm.gravity.set(gravity);
    for (let k = 0; k < 50; ++k) [x, v] = arm.step(x, v, 0.004, { damping: 0.5 });
    answer([...x, ...v]);
    """
    assert close_to(alive(kt.robots.ur5(), script, q=q, gravity=GRAVITY), x, 1e-10)


def test_a_closed_chain_falls_closed_and_keeps_its_energy() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    script = """
    let q = Float64Array.from(arm.facts.neutral), v = new Float64Array(arm.facts.nv);
    for (let k = 0; k < 200; ++k) [q, v] = arm.step(q, v, 0.002);
    answer([[...q], [...v]]);
    """
    q, qd = (np.array(x) for x in alive(chain, script))
    robot = chain.robot
    assert float(chain.function("step")(q, 0.0)[-1]) < 1e-9
    kinetic, fallen = robot.kinetic_energy(q, qd), robot.potential_energy(chain.neutral) - robot.potential_energy(q)
    assert kinetic > 1e-3
    assert kinetic == pytest.approx(fallen, rel=1e-4)


# -- in a browser ------------------------------------------------------------------------------------------------------


def test_a_page_in_chromium_computes_what_numpy_does() -> None:
    robot = kt.robots.ur5()
    s = states(robot, 1)
    script = """
    const { tau } = arm.functions.inverse_dynamics({ q, qd, qdd });
    const held = tau.slice(), { qdd: again } = arm.functions.forward_dynamics({ q, qd, tau: held });
    const dragged = arm.drag(q, 5, [0, 0, 0], arm.poses(q).slice(60 + 3).filter((_, k) => k % 4 == 0), 3);
    answer({ tau: [...held], qdd: [...again], X: [...arm.poses(q)], distance: dragged.distance });
    """
    found = alive(robot, script, chromium, q=s.q[0], qd=s.qd[0], qdd=s.qdd[0])
    assert close_to(found["tau"], robot.inverse_dynamics(s.q[0], s.qd[0], s.qdd[0]))
    assert close_to(found["qdd"], s.qdd[0], 1e-10)
    assert close_to(found["X"], [robot.pose(s.q[0], body.name)[:3] for body in robot.bodies])
    assert found["distance"] == 0
