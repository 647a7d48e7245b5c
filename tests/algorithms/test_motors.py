"""Motors on any link: what a rotor is worth, every derivative of it, and which motors are refused.

`tests/papers/test_hua.py` has the forces themselves against rotors that really turn.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from exact_derivatives import DERIVATIVES, assert_derivatives, rate_by_duals
from strategies import compiled, on_floats, operand_names, random_motors, relative_error, serial, states, tree

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.cli import main
from kinetree.errors import InertiaError, ModelError
from kinetree.joints import Prismatic, Revolute, Rotor, Spherical
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

ROUNDING = 1e-12  # sums of some hundred products of numbers up to 1e2, each rounded to 1.1e-16
SOLVED = 1e-9  # a solution of M x = b loses the digits of the condition of M
DIFFERENCE = 1e-7  # what central differences with steps of 1e-5 leave
DRIFT = 5e-8  # of the energy, relative: Runge-Kutta's method left 6e-9 after 10 s in steps of 1 ms
SPIN, GEAR = 0.003, 12.0  # kg m^2, of the motors below


def motor(joint: str = "joint2", on: str | None = None, **options: Any) -> kt.Motor:
    return kt.Motor(joint, on, **{"gear_ratio": GEAR, "spin_inertia": SPIN, **options})


def inverse(robot: kt.Robot, seed: int = 0) -> np.ndarray:
    s = states(robot, 4, seed)
    return on_floats(robot)("inverse_dynamics", s.q, s.qd, s.qdd)


# -- what a rotor is worth ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", ["joint1", "joint2", "joint3"])
def test_a_motor_on_the_world_is_a_rotor_inertia(joint: str) -> None:
    """On a base at rest only its own spin counts: eta^2 I."""
    arm = serial(1, 3)
    joints = [
        dataclasses.replace(
            b, joint=dataclasses.replace(b.joint, rotor_inertia=GEAR**2 * SPIN * (b.joint.name == joint))
        )
        for b in arm.bodies
    ]
    plain = dataclasses.replace(arm, bodies=tuple(joints))
    assert relative_error(inverse(arm.with_motors([motor(joint, "world", mass=2.0)])), inverse(plain)) < ROUNDING


def test_a_large_gear_leaves_nothing_but_the_reflected_inertia() -> None:
    """With eta^2 I fixed the cross terms fall with 1/eta."""
    arm, reflected = serial(2, 3), 0.4
    bodies = tuple(
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, rotor_inertia=reflected * (b.joint.name == "joint3")))
        for b in arm.bodies
    )
    plain = inverse(dataclasses.replace(arm, bodies=bodies))
    missed = []
    for gear in (10.0, 100.0, 1000.0):
        x = arm.with_motors([motor("joint3", "body2", gear_ratio=gear, spin_inertia=reflected / gear**2)])
        missed.append(np.abs(inverse(x) - plain).max())
    assert missed[0] > 1e-3
    assert missed[1] == pytest.approx(missed[0] / 10, rel=0.2)
    assert missed[2] == pytest.approx(missed[1] / 10, rel=0.2)


def test_a_rotor_with_gear_one_on_the_axis_of_its_joint_is_part_of_the_link() -> None:
    arm = serial(3, 3)
    joint = arm.bodies[1].joint
    axis, at = joint.placement.R @ joint.kind.axis, joint.placement.p
    options = {"mass": 0.7, "spin_inertia": 0.05, "transverse_inertia": 0.04}
    driven = arm.with_motors([kt.Motor("joint2", "body1", axis, com=at, **options)])
    along = joint.kind.axis
    J = np.eye(3) * 0.04 + 0.01 * np.outer([*along], [*along])
    welded = arm.attach(kt.Inertia(0.7, about_com=J.tolist()), "body2")
    assert relative_error(inverse(driven), inverse(welded)) < ROUNDING


def test_a_backward_gear_is_a_backward_axis() -> None:
    arm = serial(4, 3)
    one = arm.with_motors([motor("joint3", "body1", axis=(0.6, 0.0, 0.8), gear_ratio=-GEAR)])
    other = arm.with_motors([motor("joint3", "body1", axis=(-0.6, 0.0, -0.8), gear_ratio=GEAR)])
    assert relative_error(inverse(one), inverse(other)) < ROUNDING


def test_the_body_right_before_the_joint_carries_by_default() -> None:
    arm = serial(4, 3)
    assert arm.with_motors([motor("joint3")]).bodies == arm.with_motors([motor("joint3", "body2")]).bodies
    assert arm.with_motors([motor("joint1")]).bodies[-1].parent is None


@pytest.mark.parametrize("seed", range(4))
def test_rigid_and_elastic_motors_need_the_same_force_in_the_same_motion(seed: int) -> None:
    """With theta = q the springs are at rest, and joint and motor together need what the rigid joint needs."""
    arm = serial(seed, 4)
    motors = random_motors(arm, np.random.default_rng(seed), elastic=True)
    rigid = arm.with_motors([dataclasses.replace(x, stiffness=None, damping=0.0) for x in motors])
    s = states(rigid, 3)
    both = [np.concatenate([x, x], axis=1) for x in (s.q, s.qd, s.qdd)]
    tau = on_floats(arm.with_motors(motors))("inverse_dynamics", *both)
    expected = on_floats(rigid)("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(tau[:, :4] + tau[:, 4:], expected) < ROUNDING


def test_damping_is_the_motors_own_or_that_of_the_spring() -> None:
    arm = kt.robots.two_link()
    rest, qd = np.zeros(2), np.array([0.3, 0.5])
    rigid = arm.with_motors([motor(damping=2.0)])
    loss = rigid.inverse_dynamics(rest, qd, rest) - arm.with_motors([motor()]).inverse_dynamics(rest, qd, rest)
    np.testing.assert_allclose(loss, [0.0, 2.0 * 0.5], atol=ROUNDING)
    elastic = [arm.with_motors([motor(stiffness=5.0, damping=d)]) for d in (2.0, 0.0)]
    q, v, zero = np.zeros(3), np.array([0.3, 0.5, 0.9]), np.zeros(3)
    loss = np.subtract(*(x.inverse_dynamics(q, v, zero) for x in elastic))
    np.testing.assert_allclose(loss, [0.0, -2.0 * 0.4, 2.0 * 0.4], atol=ROUNDING)


def test_a_motor_may_drive_a_slider() -> None:
    """eta in 1/m: the rotor on the carriage turns with the displacement."""
    slide = kt.Body("cart", kt.Joint("slide", Prismatic(Vec3(1.0, 0.0, 0.0))), kt.Inertia(3.0))
    cart = kt.Robot((slide,), gravity=(0.0, 0.0, 0.0)).with_motors([motor("slide", gear_ratio=40.0)])
    assert cart.mass_matrix([0.2])[0, 0] == pytest.approx(3.0 + 40.0**2 * SPIN)


def test_coordinates_of_elastic_motors_come_last_and_only_they_are_driven() -> None:
    arm = serial(0, 3).with_motors([motor("joint1", stiffness=9.0), motor("joint2"), motor("joint3", stiffness=9.0)])
    assert arm.joint_names == ("joint1", "joint2", "joint3", "joint1_motor", "joint3_motor")
    assert [b.joint.name for b in arm.bodies if not b.joint.actuated] == ["joint1", "joint3"]
    assert arm.elastic_joints == ("joint1", "joint3")


def test_with_the_motors_at_rest_the_springs_alone_move_the_elastic_joints() -> None:
    """Hybrid dynamics with no force on the elastic joints, and forward dynamics with the forces that it finds."""
    arm = kt.robots.mixed_elastic()
    s = states(arm, 3)
    given = s.qdd.copy()
    given[:, 2] = 0.0
    qdd, tau = arm.hybrid_dynamics(s.q, s.qd, given, arm.elastic_joints)
    assert relative_error(arm.forward_dynamics(s.q, s.qd, tau), qdd) < SOLVED
    np.testing.assert_array_equal(tau[:, 2], 0.0)
    np.testing.assert_array_equal(np.delete(qdd, 2, axis=1), np.delete(given, 2, axis=1))


def test_an_elastic_arm_keeps_its_energy_for_ten_seconds() -> None:
    robot, h = kt.robots.mixed_elastic(), 1e-3
    accelerate = robot.function("forward_dynamics")
    q, qd, none = np.array([0.3, 0.8, -0.4, -0.2]), np.array([0.5, 0.0, 1.0, -1.0]), np.zeros(4)

    def energy() -> float:
        return float(robot.kinetic_energy(q, qd) + robot.potential_energy(q))

    before, stretch = energy(), []
    for _ in range(10_000):
        a1 = accelerate(q, qd, none)
        v2 = qd + h / 2 * a1
        a2 = accelerate(q + h / 2 * qd, v2, none)
        v3 = qd + h / 2 * a2
        a3 = accelerate(q + h / 2 * v2, v3, none)
        v4 = qd + h * a3
        a4 = accelerate(q + h * v3, v4, none)
        q = q + h / 6 * (qd + 2 * v2 + 2 * v3 + v4)
        qd = qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        stretch.append(q[3] - q[2])
    assert np.ptp(stretch) > 0.05, "the spring should work"
    assert abs(energy() - before) < DRIFT * abs(before)


# -- derivatives -------------------------------------------------------------------------------------------------------


def small(elastic: bool) -> kt.Robot:
    """Two joints with a motor each, one of them on a link that moves; with springs three coordinates."""
    arm = serial(7, 2)
    options: dict[str, Any] = {"stiffness": 30.0, "damping": 0.4} if elastic else {"damping": 0.4}
    first = motor("joint1", axis=(0.6, 0.0, 0.8), damping=0.2)
    return arm.with_motors([first, motor("joint2", "body1", axis=(0.0, -0.6, 0.8), com=(0.1, 0.2, 0.3), **options)])


each_transmission = pytest.mark.parametrize("elastic", [False, True], ids=["rigid", "elastic"])


@pytest.mark.parametrize("name", list(DERIVATIVES))
@pytest.mark.parametrize("seed", range(4))
def test_robot_derivatives_are_the_derivatives(name: str, seed: int) -> None:
    arm = serial(seed, 3, friction=True)
    robot = arm.with_motors(random_motors(arm, np.random.default_rng(seed), elastic=seed % 2 == 1))
    assert_derivatives(robot, on_floats(robot), name, states(robot, 2))


@each_transmission
def test_force_rates_are_the_rates_of_the_forces(elastic: bool) -> None:
    robot = small(elastic)
    s, rng = states(robot, 1), np.random.default_rng(1)
    loads, base = rng.normal(size=(robot.nbodies, 6)), rng.normal(size=(3, 6))
    motion = (a[0].tolist() for a in (s.q, s.qd, s.qdd, s.qddd))
    root = BaseMotion.prescribed(robot, *base.tolist())
    _, taud = forces_and_rates(robot, *motion, s.external[0].tolist(), loads.tolist(), root)
    assert relative_error(taud, rate_by_duals(robot, s, 0, loads, base)) < ROUNDING


@each_transmission
def test_traced_derivatives_are_those_of_differences(elastic: bool) -> None:
    """The force rates' derivatives, and the Hessian product as the derivative of the gradient."""
    robot, h = small(elastic), 1e-5
    s, n = states(robot, 1), robot.nv
    args = [s.q[0], s.qd[0], s.qdd[0], s.qddd[0]]

    def differences(function: Callable[..., np.ndarray], inputs: list[np.ndarray], size: int) -> np.ndarray:
        """The derivative of a vector with respect to all inputs, side by side."""
        found = np.zeros((size, len(inputs) * n))
        for k, unit in enumerate(np.eye(len(inputs) * n)):
            steps = h * unit.reshape(-1, n)
            ends = [function(*(x + sign * d for x, d in zip(inputs, steps))) for sign in (1.0, -1.0)]
            found[:, k] = (ends[0] - ends[1]) / (2 * h)
        return found

    slopes = np.concatenate(robot.force_rate_derivatives(*args), axis=1)
    assert relative_error(slopes, differences(robot.force_rates, args, n)) < DIFFERENCE

    def gradient(*args: np.ndarray) -> np.ndarray:
        return np.concatenate([s.weights[0] @ d for d in robot.inverse_dynamics_derivatives(*args)])

    H = robot.inverse_dynamics_hessian_product(*args[:3], s.weights[0])
    assert relative_error(H, differences(gradient, args[:3], 3 * n)) < DIFFERENCE


@pytest.mark.parametrize("seed", range(4))
def test_the_joint_forces_are_the_regressor_times_the_parameters(seed: int) -> None:
    robot = tree(seed, 4, ["revolute", "prismatic", "helical"], friction=True, springs=True, mimics=True, motors=True)
    s, f = states(robot, 2), on_floats(robot)
    Y = f("regressor", s.q, s.qd, s.qdd)
    assert relative_error(Y @ robot.dynamic_parameters, f("inverse_dynamics", s.q, s.qd, s.qdd)) < ROUNDING


VALUES = {"spin": 0.004, "gear": 12.0, "mass": 0.8, "place": 0.2, "stiffness": 40.0, "damping": 0.3}


def named(number: Callable[[str], Any]) -> kt.Robot:
    motors = [
        kt.Motor("joint1", "world", gear_ratio=number("gear"), spin_inertia=number("spin"), damping=number("damping")),
        kt.Motor(
            "joint2", "link1", (0.0, 0.6, 0.8), number("gear"), number("spin"), number("mass"),
            (number("place"), 0.1, 0.2), stiffness=number("stiffness"), damping=number("damping"),
        ),
    ]  # fmt: skip
    return kt.robots.two_link().with_gravity((1.0, -2.0, -9.0)).with_motors(motors)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "potential_energy"])
def test_the_numbers_of_a_motor_may_be_named_and_differentiated(name: str) -> None:
    robot = named(lambda n: kt.parameter(n, VALUES[n]))
    assert {*robot.parameters} == {*VALUES}
    s, h = states(robot, 2), 1e-6
    args = [s.q, s.qd, s.qdd][: len(operand_names(name))]
    found = robot.parameter_derivatives(name, *args)
    for k, parameter in enumerate(robot.parameters):
        step = h * VALUES[parameter]
        ends = [
            on_floats(named({**VALUES, parameter: VALUES[parameter] + sign * step}.__getitem__))(name, *args)
            for sign in (1.0, -1.0)
        ]
        assert relative_error(found[..., k], (ends[0] - ends[1]) / (2 * step)) < DIFFERENCE, parameter


@each_transmission
def test_compiled_code_knows_the_rotors(elastic: bool) -> None:
    robot = small(elastic)
    s = states(robot, 5)
    for name in ("inverse_dynamics", "forward_dynamics"):
        expected = on_floats(robot)(name, s.q, s.qd, s.qdd)
        assert relative_error(compiled(robot)(name, s.q, s.qd, s.qdd), expected) < SOLVED


def test_a_rigid_rotor_costs_few_operations() -> None:
    """It is read in axes that don't turn: no sine or cosine of eta q."""
    arm = kt.robots.puma560()
    driven = arm.with_motors([motor("joint3", "link1", axis=(0.0, 1.0, 0.0))])
    for function in ("sin", "cos"):
        assert driven.operations("inverse_dynamics")[function] == arm.operations("inverse_dynamics")[function]


# -- descriptions ------------------------------------------------------------------------------------------------------


def test_json_keeps_motors_bit_for_bit() -> None:
    for robot in (kt.robots.mixed_elastic(), small(True), named(lambda n: kt.parameter(n, VALUES[n]))):
        assert kt.Robot.from_json(robot.to_json()) == robot


def test_urdf_has_no_word_for_motors() -> None:
    with pytest.raises(ModelError, match=r"joint 'joint2_motor' is a rotor.* `to_json` says everything"):
        kt.robots.two_link().with_motors([motor()]).to_urdf()
    spring = kt.Joint("drum", Revolute(), transmission=kt.Transmission("joint2", 5.0))
    arm = kt.robots.two_link()
    drum = kt.Body("drum", spring, kt.Inertia(1.0, about_com=(1.0, 1.0, 1.0)))
    with pytest.raises(ModelError, match="joint 'drum' drives 'joint2' through a spring"):
        dataclasses.replace(arm, bodies=(*arm.bodies, drum)).to_urdf()


def test_info_shows_motors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "zoo:mixed_elastic"]) == 0
    text = capsys.readouterr().out
    rows = {
        line.split()[0]: line.split()[1:] for line in text.split("Motors")[1].split("Bodies")[0].splitlines() if line
    }
    assert rows["joint2_motor"] == ["link1", "joint2", "10", "0.004", "rigid"]
    assert rows["joint3_motor"] == ["link1", "joint3", "10", "0.004", "100"]
    assert "drives joint3 through a spring" in text
    assert main(["info", "zoo:mixed_elastic", "--json"]) == 0
    joints = {joint["name"]: joint for joint in json.loads(capsys.readouterr().out)["joints"]}
    assert joints["joint3_motor"]["transmission"] == {"joint": "joint3", "stiffness": 100.0, "damping": 0.0}
    assert joints["joint2_motor"]["transmission"] is None
    assert main(["info", "zoo:scara"]) == 0
    assert "Motors" not in capsys.readouterr().out


def test_the_zoos_arm_has_the_numbers_of_the_paper() -> None:
    arm = kt.robots.mixed_elastic()
    assert [b.inertia.mass for b in arm.bodies] == [2.5, 1.5, 1.0, 1.0, 1.0, 1.0]
    assert [b.parent for b in arm.bodies[3:]] == [None, "link1", "link1"]
    assert all([*b.inertia.about_com] == [0.006, 0.006, 0.004, 0.0, 0.0, 0.0] for b in arm.bodies[3:])
    assert [[*b.inertia.about_com][:3] for b in arm.bodies[:3]] == [
        [0.4, 0.5, 0.4],
        [0.35, 0.4, 0.3],
        [0.3, 0.25, 0.25],
    ]
    assert arm.check() == ()


# -- refusals ----------------------------------------------------------------------------------------------------------


def branched() -> kt.Robot:
    """A trunk with two arms, a ball joint and a follower."""
    solid = kt.Inertia(1.0, about_com=(0.1, 0.1, 0.1))
    bodies = (
        kt.Body("trunk", kt.Joint("waist", Revolute()), solid),
        kt.Body("left", kt.Joint("left", Revolute(), Transform(p=Vec3(0.1, 0.0, 0.0))), solid, "trunk"),
        kt.Body("right", kt.Joint("right", Revolute(), Transform(p=Vec3(0.0, 0.1, 0.0))), solid, "trunk"),
        kt.Body("head", kt.Joint("neck", Spherical()), solid, "trunk"),
        kt.Body("tail", kt.Joint("tail", Revolute(), mimic=kt.Mimic("waist", 2.0)), solid, "trunk"),
    )
    return kt.Robot(bodies)


NAN = math.nan
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown joint": ({"joint": "lft"}, "motor: there is no joint 'lft'; did you mean 'left'"),
    "unknown body": ({"mounted_on": "trnk"}, "motor of joint 'left': there is no body 'trnk'; did you mean 'trunk'"),
    "beyond the joint": ({"mounted_on": "left"}, "'left', which does not come before.* may be on 'world', 'trunk'"),
    "side branch": ({"mounted_on": "right"}, "does not come before the joint; it may be on 'world', 'trunk'"),
    "first joint": ({"joint": "waist", "mounted_on": "trunk"}, "it may be on 'world'$"),
    "three coordinates": ({"joint": "neck"}, "the joint has 3 coordinates; a motor drives a joint with one"),
    "follower": ({"joint": "tail"}, "the joint mimics 'waist'; a motor drives a joint with one coordinate"),
    "no spin": ({"spin_inertia": 0.0}, "spin_inertia 0 is not possible: .*leave the motor away"),
    "no gear": ({"gear_ratio": 0}, "gear_ratio 0 is not possible: .*weld it"),
    "no stiffness": ({"stiffness": 0.0}, "stiffness 0 is not possible: .*or None for a rigid"),
    "negative spin": ({"spin_inertia": -1.0}, "spin_inertia -1.0 must not be below 0"),
    "negative mass": ({"mass": -1.0}, "mass -1.0 must not be below 0"),
    "negative stiffness": ({"stiffness": -5.0}, "stiffness -5.0 must not be below 0"),
    "negative damping": ({"damping": -5.0}, "damping -5.0 must not be below 0"),
    "NaN gear": ({"gear_ratio": NAN}, "gear_ratio nan must be a finite number"),
    "infinite stiffness": ({"stiffness": math.inf}, "stiffness inf must be a finite number"),
    "text": ({"spin_inertia": "1"}, "spin_inertia '1' must be a finite number"),
    "uneven": ({"transverse_inertia": (0.1, 0.2)}, "must be one number: .*put it on a revolute joint"),
    "long axis": ({"axis": (0.0, 0.0, 2.0)}, "motor of joint 'left': the axis .* has length 2; give a unit vector"),
    "NaN axis": ({"axis": (0.0, 0.0, NAN)}, "motor of joint 'left': axis .* must be three finite numbers"),
    "open axis": ({"axis": (kt.parameter("x"), 0.0, 0.0)}, "the axis must be known as numbers"),
    "flat place": ({"com": (0.0, 0.1)}, r"com \(0.0, 0.1\) must be three finite numbers"),
    "NaN place": ({"com": (0.0, 0.1, NAN)}, "com .* must be three finite numbers"),
    "no place": ({"com": None}, "com None must be three finite numbers"),
    "taken name": ({"name": "right"}, "the name 'right' is taken; give the motor another one with name="),
    "empty name": ({"name": ""}, "must be a non-empty string"),
}


@pytest.mark.parametrize("case", BAD)
def test_impossible_motors_are_refused_with_what_is_possible(case: str) -> None:
    options, message = BAD[case]
    with pytest.raises(ModelError, match=message):
        branched().with_motors([kt.Motor(**{"joint": "left", "spin_inertia": 0.1, **options})])


def test_a_rotor_is_a_possible_body() -> None:
    with pytest.raises(InertiaError, match=r"'left_motor' has principal moments 0.1, 0.1, 1 kg"):
        branched().with_motors([kt.Motor("left", spin_inertia=1.0, transverse_inertia=0.1)])


def test_two_motors_of_one_joint_need_two_names() -> None:
    arm, one = branched(), kt.Motor("left", spin_inertia=0.1)
    with pytest.raises(ModelError, match="'left_motor' is taken; give the motor another one"):
        arm.with_motors([one, one])
    both = arm.with_motors([one, dataclasses.replace(one, name="second")])
    assert [b.name for b in both.bodies[-2:]] == ["left_motor", "second"]


def test_what_is_no_motor_is_refused() -> None:
    with pytest.raises(ModelError, match=r"takes a list of motors, such as \[kt.Motor"):
        branched().with_motors(kt.Motor("left", spin_inertia=0.1))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"motors are of kinetree.Motor, got 'left'"):
        branched().with_motors(["left"])  # type: ignore[list-item]


ROTOR = kt.Inertia(1.0, about_com=(0.2, 0.2, 0.3))
FAULTY: dict[str, tuple[kt.Joint, str]] = {
    "unknown": (kt.Joint("x", Rotor(), transmission=kt.Transmission("lft", 1.0)), "no joint to drive 'lft'"),
    "itself": (kt.Joint("x", Rotor(), transmission=kt.Transmission("x", 1.0)), "'x' drives 'x', which must have one"),
    "ball": (kt.Joint("x", Rotor(), transmission=kt.Transmission("neck", 1.0)), "drives 'neck', which must have one"),
    "slanted": (kt.Joint("x", Rotor(Vec3(0.6, 0.0, 0.8))), "its axis must be x, y or z of its own frame"),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faulty_rotors_and_transmissions_are_refused(case: str) -> None:
    joint, message = FAULTY[case]
    with pytest.raises(ModelError, match=message):
        dataclasses.replace(branched(), bodies=(*branched().bodies, kt.Body("x", joint, ROTOR)))


def test_a_transmission_is_between_two_coordinates() -> None:
    with pytest.raises(ModelError, match="one coordinate of its own on either side"):
        kt.Joint("x", Rotor(), mimic=kt.Mimic("left"), transmission=kt.Transmission("left", 1.0))
    with pytest.raises(ModelError, match=r"stiffness -1.0 of a transmission must be a number not below 0"):
        kt.Joint("x", Rotor(), transmission=kt.Transmission("left", -1.0))


def test_a_rotor_carries_nothing() -> None:
    arm = branched().with_motors([kt.Motor("left", spin_inertia=0.1)])
    hand = kt.Body("hand", kt.Joint("hand", Revolute()), ROTOR, "left_motor")
    with pytest.raises(ModelError, match="rotor 'left_motor' carries 'hand'; put what carries others on a revolute"):
        dataclasses.replace(arm, bodies=(*arm.bodies, hand))


# -- other robots of it ------------------------------------------------------------------------------------------------

ELASTIC = [kt.Motor("left", "world", spin_inertia=0.1, stiffness=4.0)]
RIGID = [kt.Motor("left", "world", spin_inertia=0.1)]
SURGERY: dict[str, tuple[Callable[[], Any], str]] = {
    "payload": (
        lambda: branched().with_motors(RIGID).attach(kt.Inertia(1.0, (0.1, 0.0, 0.0)), "left_motor"),
        "rotor 'left_motor' must be round",
    ),
    "robot": (
        lambda: branched().with_motors(RIGID).attach(kt.robots.two_link(), "left_motor"),
        "rotor 'left_motor' carries 'link1'",
    ),
    "lock the joint alone": (
        lambda: branched().with_motors(ELASTIC).lock({"left": 0.1}),
        "motor 'left_motor' drives 'left' through a spring; lock both of them or neither",
    ),
    "lock the motor alone": (lambda: branched().with_motors(ELASTIC).lock({"left_motor": 0.1}), "lock both of them"),
    "lock a rigid motor": (lambda: branched().with_motors(RIGID).lock({"left_motor": 0.1}), "lock 'left'$"),
    "reroot": (
        lambda: branched().with_base("floating").with_motors(
            [kt.Motor("left", "trunk", spin_inertia=0.1)]
        ).reroot("left_motor"),
        "joint 'left_motor': a rotor carries nothing, so it can't become the base",
    ),
    "subtree without its rotor": (
        lambda: branched().with_motors(RIGID).subtree("left"),
        "motor 'left_motor' turns with 'left' but is mounted on 'world', which 'left' does not carry; take a larger",
    ),
    "subtree without its spring": (
        lambda: branched().with_motors(ELASTIC).subtree("left"),
        "motor 'left_motor' drives 'left' but is mounted on 'world'",
    ),
    "subtree of the rotor": (lambda: branched().with_motors(ELASTIC).subtree("left_motor"), "drives 'left', which"),
    "scale an angle against a length": (
        lambda: kt.Robot(
            (
                kt.Body("cart", kt.Joint("slide", Prismatic()), ROTOR),
                kt.Body("drum", kt.Joint("drum", Revolute(), transmission=kt.Transmission("slide", 3.0)), ROTOR),
            )
        ).scale(2.0),
        "'drum' drives 'slide' .* make the motor a Rotor",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SURGERY)
def test_surgery_that_would_lose_a_motor_is_refused(case: str) -> None:
    action, message = SURGERY[case]
    with pytest.raises(ModelError, match=message):
        action()


def test_locking_both_sides_of_a_spring_leaves_the_rotor_as_a_part_of_its_link() -> None:
    arm = kt.robots.mixed_elastic()
    locked = arm.lock({"joint3": 0.3, "joint3_motor": 0.5})
    assert locked.joint_names == ("joint1", "joint2")
    assert sum(b.inertia.mass for b in locked.bodies) == pytest.approx(8.0)
    s = states(locked, 2)
    q = np.concatenate([s.q, np.tile([0.3, 0.5], (2, 1))], axis=1)
    qd, qdd = (np.concatenate([x, np.zeros((2, 2))], axis=1) for x in (s.qd, s.qdd))
    expected = on_floats(arm)("inverse_dynamics", q, qd, qdd)[:, :2]
    assert relative_error(on_floats(locked)("inverse_dynamics", s.q, s.qd, s.qdd), expected) < ROUNDING


def test_a_scaled_elastic_slider_stretches_its_spring_as_far_as_it_slides() -> None:
    """The motor's coordinate is a length too, and its rotor turns as before."""
    slide = kt.Body("cart", kt.Joint("slide", Prismatic()), kt.Inertia(3.0))
    cart = kt.Robot((slide,)).with_motors([kt.Motor("slide", gear_ratio=40.0, spin_inertia=0.003, stiffness=50.0)])
    scaled = cart.scale(length=2.0, mass=3.0)
    assert scaled.bodies[1].joint.kind.gear_ratio == scaled.bodies[1].joint.gear_ratio == 20.0
    q, qd = np.array([0.1, 0.3]), np.array([0.5, -0.7])
    turned = [x.pose(k * q, "slide_motor")[:3, :3] for x, k in ((cart, 1.0), (scaled, 2.0))]
    np.testing.assert_allclose(*turned, atol=ROUNDING)
    assert scaled.kinetic_energy(2.0 * q, 2.0 * qd) == pytest.approx(12.0 * cart.kinetic_energy(q, qd))
    assert scaled.inverse_dynamics(2.0 * q, qd * 0, qd * 0)[1] == pytest.approx(50.0 * 2.0 * 0.2)
