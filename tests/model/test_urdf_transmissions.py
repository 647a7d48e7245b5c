"""Transmissions of URDF files: gear ratios and rotor inertias, in all the layouts that are in use."""

from __future__ import annotations

import warnings

import pytest

import kinetree as kt
from kinetree.model.urdf.reader import mechanism_from_urdf


def chain(*types: str) -> str:
    """URDF text of links l0, l1, ... with joints j0, j1, ... of these types between them."""
    links = "".join(f'<link name="l{i}"/>' for i in range(len(types) + 1))
    joints = "".join(
        f'<joint name="j{i}" type="{type_}"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i, type_ in enumerate(types)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


ROS = "<actuator name='m'><mechanicalReduction>-50</mechanicalReduction></actuator>"
OLD = "<actuator name='m'/><mechanicalReduction>-50</mechanicalReduction>"
ROTOR = "<mechanicalReduction>-50</mechanicalReduction><rotorInertia> 2e-5\n</rotorInertia>"
DRAKE = "<drake:gear_ratio value='-50'/><drake:rotor_inertia value='2e-5'/>"


@pytest.mark.parametrize(
    ("inside", "gear", "rotor"),
    [
        ("<actuator name='m'/>", 1.0, 0.0),
        ("<actuator name='m'><rotorInertia>0.02</rotorInertia></actuator>", 1.0, 0.02),
        (ROS, -50.0, 0.0),
        (OLD, -50.0, 0.0),
        (f"<actuator name='m'>{ROTOR}</actuator>", -50.0, 2500 * 2e-5),
        (f"<actuator name='m'/>{ROTOR}", -50.0, 2500 * 2e-5),
        (f"<actuator name='m'>{DRAKE}</actuator>", -50.0, 2500 * 2e-5),
    ],
)
def test_a_transmission_gives_gear_ratio_and_rotor_inertia_on_the_joint_side(
    inside: str, gear: float, rotor: float
) -> None:
    text = chain("revolute", "revolute")
    joint = '<joint name="j1"><hardwareInterface>E</hardwareInterface></joint>'
    transmission = f'<transmission name="t"><type>Simple</type>{joint}{inside}</transmission>'
    first, second = mechanism_from_urdf(text.replace("</robot>", transmission + "</robot>")).bodies
    assert (first.joint.gear_ratio, first.joint.rotor_inertia) == (1.0, (0.0,))
    assert (second.joint.gear_ratio, second.joint.rotor_inertia) == (gear, (rotor,))
    twice = mechanism_from_urdf(text.replace("</robot>", 2 * transmission + "</robot>")).bodies[1].joint
    assert (twice.gear_ratio, twice.rotor_inertia) == (gear, (2 * rotor,))


def test_a_rotor_that_moves_several_joints_is_left_out_with_a_warning() -> None:
    text = chain("floating", "revolute", "revolute", "fixed")
    plain = mechanism_from_urdf(text)
    for joints, warned in ((("j1", "j2"), True), (("j0",), True), ((), True), (("j3",), False)):
        inside = "".join(f'<joint name="{name}"/>' for name in joints) + f"<actuator name='m'>{ROTOR}</actuator>"
        more = text.replace("</robot>", f"\n<transmission>{inside}</transmission></robot>")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert mechanism_from_urdf(more) == plain
        told = [str(warning.message) for warning in caught]
        assert [message.endswith("are left out: line 2") for message in told] == [True] * warned


def test_a_rotor_acts_on_the_mimic_source_of_its_joint() -> None:
    text = chain("revolute", "revolute").replace('"l2"/></joint>', '"l2"/><mimic joint="j0" multiplier="-3"/></joint>')
    rotor = f"<transmission><joint name='j1'/><actuator name='m'>{ROTOR}</actuator></transmission>"
    robot = kt.Robot.from_urdf(text.replace("</robot>", rotor + "</robot>"))
    assert robot.mass_matrix([0.0]) == pytest.approx(9 * 2500 * 2e-5)
