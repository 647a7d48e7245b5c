"""Working frames: which bodies get which, and that no choice changes what is computed."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import relative_error, states

import kinetree as kt
from kinetree.algorithms import inverse_dynamics as newton_euler, joint_wrenches, mass_matrix, regressor
from kinetree.algorithms.kinematics import world_poses
from kinetree.algorithms.links import links
from kinetree.model.working_frames import WorkingFrame, working_frames
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform

BODY, JOINT, PARENT = WorkingFrame.BODY, WorkingFrame.JOINT, WorkingFrame.PARENT
ROUNDING = 1e-12  # sums of some hundred products of numbers of size one, each rounded to 1.1e-16


def parallel_joints() -> kt.Robot:
    """A turntable, three joints about parallel axes and a wrist, as in a UR5; and a motor."""
    inertia = {"mass": 2.0, "com": (0.2, 0.0, 0.1), "inertia": (0.1, 0.12, 0.15)}
    rows = [kt.DH(d=0.1, **inertia), kt.DH(alpha=np.pi / 2, **inertia), *[kt.DH(a=0.4, theta=0.3, **inertia)] * 2]
    robot = kt.Robot.from_dh([*rows, kt.DH(alpha=-np.pi / 2, **inertia)])
    return robot.with_motors([kt.Motor("joint2", "link1", gear_ratio=50.0, spin_inertia=1e-4)])


def test_parallel_joints_and_rotors_have_axes_that_do_not_turn_with_them() -> None:
    robot = parallel_joints()
    found = dict(zip((body.name for body in robot.bodies), working_frames(robot)))
    expected = {"link1": BODY, "link2": JOINT, "link3": PARENT, "link4": PARENT, "link5": BODY, "joint2_motor": JOINT}
    assert found == expected


def test_without_parallel_joints_the_working_frames_are_the_body_frames() -> None:
    assert {*working_frames(kt.robots.stanford())} == {BODY}


def test_a_pair_of_joints_right_on_the_world_is_not_worth_it() -> None:
    assert {*working_frames(kt.robots.two_link())} == {BODY}


def test_links_in_working_frames_are_the_bodies() -> None:
    """The poses and the inertias are those of the bodies, seen in other axes."""
    robot = parallel_joints()
    q = states(robot, 1).q[0].tolist()
    X = {-1: Transform.identity}
    for i, link in enumerate(links(robot, q, working_frames(robot))):
        X[i] = X[robot.parents[i]] @ link.X
        body = X[i] @ Transform(link.body_axes)
        expected = world_poses(robot, q)[i]
        assert np.allclose([*body.p], [*expected.p], rtol=0, atol=ROUNDING)
        assert np.allclose([*map(list, body.R.matrix)], [*map(list, expected.R.matrix)], rtol=0, atol=ROUNDING)
        turned, rigid = link.body_axes.T.similar_symmetric(link.inertia.J), robot.bodies[i].inertia.rigid
        assert np.allclose([*turned], [*rigid.J], rtol=0, atol=ROUNDING)
        assert link.body_axes == Rotation.identity or working_frames(robot)[i] is not BODY


@pytest.mark.parametrize("module", [newton_euler, joint_wrenches, mass_matrix, regressor])
def test_no_result_depends_on_the_working_frames(module, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = parallel_joints()
    s = states(robot, 1)
    q, qd, qdd = (x[0].tolist() for x in (s.q, s.qd, s.qdd))
    function = getattr(module, module.__name__.rpartition(".")[2])
    args = (q,) if module is mass_matrix else (q, qd, qdd)
    chosen = np.array(function(robot, *args))
    for used in (newton_euler, joint_wrenches, mass_matrix):
        monkeypatch.setattr(used, "working_frames", lambda robot: (BODY,) * robot.nbodies)
    assert relative_error(chosen, np.array(function(robot, *args))) < ROUNDING
