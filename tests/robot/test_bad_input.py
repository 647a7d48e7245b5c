"""Bad input is refused before any work, by an error that names what was given, what exists and what to do.

Where NumPy's own message is what a user of NumPy expects (shapes, types, broadcasting), it is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import (
    InertiaError,
    InputError,
    KinetreeError,
    ModelError,
    SingularConfigurationWarning,
    SingularModelError,
    UnknownNameError,
)
from kinetree.joints import Cylindrical, Fixed, Free, Helical, Prismatic, Revolute, Spherical, Universal

Case = tuple[Callable[[], Any], type[Exception], str]


def body(name: str, parent: str | None = None, joint: str | None = None, **options: Any) -> kt.Body:
    return kt.Body(name, kt.Joint(joint or f"{name}_joint", Revolute()), kt.Inertia(**options), parent)


def link(**options: Any) -> kt.DH:
    return kt.DH(**{"a": 0.5, "mass": 1.0, "com": (0.2, 0.0, 0.0), "inertia": (0.1, 0.1, 0.1), **options})


def dh(*rows: Any, **options: Any) -> kt.Robot:
    return kt.Robot.from_dh(rows, **options)


# -- models ------------------------------------------------------------------------------------------------------------

NAN = float("nan")

MODELS: dict[str, Case] = {
    # the tree
    "its own parent": (lambda: kt.Robot((body("a", "a"),)), ModelError, "body 'a' is its own parent"),
    "cycle": (lambda: kt.Robot((body("a", "b"), body("b", "a"))), ModelError, "cycle: .*a -> b|cycle: b -> a -> b"),
    "cycle of three": (
        lambda: kt.Robot((body("r"), body("a", "c"), body("b", "a"), body("c", "b"))),
        ModelError,
        "the bodies form a cycle",
    ),
    "unknown parent": (
        lambda: kt.Robot((body("shoulder"), body("arm", "sholder"))),
        ModelError,
        "body 'arm': there is no parent body 'sholder'; did you mean 'shoulder'",
    ),
    "child before parent": (
        lambda: kt.Robot((body("arm", "shoulder"), body("shoulder"))),
        ModelError,
        "'arm' comes before its parent 'shoulder'",
    ),
    "two bodies of one name": (lambda: kt.Robot((body("a"), body("a"))), ModelError, "two bodies are called 'a'"),
    "two joints of one name": (
        lambda: kt.Robot((body("a", joint="j"), body("b", joint="j"))),
        ModelError,
        "two joints are called 'j'",
    ),
    "a body called world": (lambda: kt.Robot((body("world"),)), ModelError, "'world' is taken"),
    "a body without a name": (lambda: kt.Robot((body(""),)), ModelError, "non-empty string"),
    "no body at all": (lambda: kt.Robot(("arm",)), ModelError, r"of kinetree\.Body, got 'arm'"),  # type: ignore[arg-type]
    "a frame of the name of a body": (
        lambda: kt.Robot((body("a"),), named_frames=(("a", kt.Frame("a")),)),
        ModelError,
        "two frames are called 'a'",
    ),
    "a frame in no body": (
        lambda: kt.Robot((body("arm"),), named_frames=(("tool", kt.Frame("am")),)),
        ModelError,
        "frame 'tool': there is no body 'am'; did you mean 'arm'",
    ),
    # gravity
    "gravity of two": (lambda: kt.Robot(gravity=(0.0, -9.81)), ModelError, "gravity is three numbers"),  # type: ignore[arg-type]
    "gravity of one": (lambda: dh(link(), gravity=-9.81), ModelError, "gravity is three numbers"),
    "gravity of four": (lambda: dh(link(), gravity=(0, 0, 0, 1)), ModelError, "gravity is three numbers"),
    "gravity of text": (lambda: dh(link(), gravity="xyz"), ModelError, "gravity is three numbers"),
    "gravity of NaN": (lambda: dh(link(), gravity=(0, 0, NAN)), ModelError, "gravity must be finite"),
    # masses
    "negative mass": (lambda: dh(link(mass=-1.0)), InertiaError, "'link1' has the negative mass -1 kg"),
    "mass of NaN": (lambda: dh(link(mass=NAN)), InertiaError, "'link1' .*not finite"),
    "infinite mass": (lambda: dh(link(), link(mass=np.inf)), InertiaError, "'link2' .*not finite"),
    "missing mass": (lambda: dh(link(mass=None)), InertiaError, "numbers, got None"),
    "mass of text": (lambda: dh(link(mass="1 kg")), InertiaError, "numbers, got '1 kg'"),
    "negative moment": (lambda: dh(link(inertia=(1, 1, -1))), InertiaError, "negative principal moment"),
    "triangle": (lambda: dh(link(inertia=(1, 1, 3))), InertiaError, "triangle inequality.*strict=False"),
    "asymmetric": (lambda: kt.Inertia(1, about_com=np.arange(9.0).reshape(3, 3)), InertiaError, "symmetric"),
    "inertia of two": (lambda: kt.Inertia(1, about_com=(1, 2)), InertiaError, "six .xx, yy, zz, xy, xz, yz."),
    "centre of two": (lambda: kt.Inertia(1, com=(1, 2)), InertiaError, "three coordinates"),
    # joints
    "axis of endless length": (lambda: Revolute((1e200, 0, 0)), ModelError, "has length inf; give a unit vector"),
    "axis of length zero": (lambda: Revolute((0, 0, 0)), ModelError, "has length 0; give a unit vector"),
    "axis of length two": (lambda: Prismatic((0, 0, 2)), ModelError, "has length 2"),
    "axis of NaN": (lambda: Cylindrical((0, 0, NAN)), ModelError, "has length nan"),
    "axis of two numbers": (lambda: Helical((0, 1)), ModelError, "an axis is three numbers"),
    "axis of text": (lambda: Universal("xyz"), ModelError, "an axis is three numbers"),  # type: ignore[arg-type]
    "joint of no kind": (lambda: kt.Joint("j", "revolute"), ModelError, "'j': 'revolute' is not one of kinetree"),  # type: ignore[arg-type]
    "negative friction": (lambda: dh(link(damping=-1.0)), ModelError, "'joint1': viscous -1.0"),
    "friction of NaN": (lambda: dh(link(coulomb=NAN)), ModelError, "'joint1': Coulomb nan"),
    "negative rotor": (lambda: dh(link(rotor_inertia=-1.0)), ModelError, "rotor inertia -1.0"),
    "friction of two": (
        lambda: kt.Joint("ball", Spherical(), damping=(1.0, 2.0)),
        ModelError,
        "'ball' has 3 velocities but 2 values of damping",
    ),
    # tables
    "convention": (lambda: dh(link(), convention="craig"), ModelError, "'craig' is not one of 'standard', 'modified'"),
    "base": (lambda: dh(link(), base="free"), ModelError, "'free' is not one of 'fixed', 'floating'"),
    "joint": (lambda: dh(link(joint="ball")), ModelError, "row 1: joint 'ball' is not one of 'revolute'"),
    "row": (lambda: dh((0.5, 0.0, 0.0, 0.0)), ModelError, r"row 1 .*each row is a kinetree\.DH"),
    "length of NaN": (lambda: dh(link(), link(a=NAN)), ModelError, "row 2: a = nan is not a finite number"),
    "angle of text": (lambda: dh(link(theta="pi")), ModelError, "row 1: theta = 'pi' is not a finite number"),
    "later antecedent": (lambda: dh(link(), link(parent=2)), ModelError, "row 2: the antecedent 2 must be 0"),
    "antecedent below zero": (lambda: dh(link(), link(parent=-1)), ModelError, "row 2: the antecedent -1"),
    "half an antecedent": (lambda: dh(link(), link(), link(parent=1.5)), ModelError, "row 3: the antecedent 1.5"),
    "unknown antecedent": (lambda: dh(link(), link(parent="lnk1")), ModelError, r"'lnk1'.*name \(link1, base\)"),
    "two rows of one name": (lambda: dh(link(name="a"), link(name="a")), ModelError, "two bodies are called 'a'"),
    "gamma in a standard table": (lambda: dh(link(gamma=0.1), convention="standard"), ModelError, "gamma and b belong"),
    # parameters
    "name of a parameter": (lambda: kt.parameter("m payload"), ModelError, "Python identifier"),
    "taken name of a parameter": (lambda: kt.parameter("qd"), ModelError, "can't be called 'qd'"),
    "default of a parameter": (lambda: kt.parameter("m", "heavy"), ModelError, "must be a number, not 'heavy'"),  # type: ignore[arg-type]
    "two defaults": (
        lambda: dh(link(mass=kt.parameter("m", 1.0)), link(mass=kt.parameter("m", 2.0))).parameters,
        ModelError,
        "'m' is given two different defaults",
    ),
    # the zoo
    "kind of a random tree": (
        lambda: kt.robots.random_tree(0, 3, ["revolut"]),
        UnknownNameError,
        "no joint type 'revolut'; did you mean 'revolute'",
    ),
}


def refused(case: Case) -> None:
    make, error, message = case
    for _ in range(2):  # what the first call leaves behind must not let the second one pass
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_makes_no_sense_is_refused(name: str) -> None:
    refused(MODELS[name])


@pytest.mark.parametrize("name", MODELS)
def test_errors_of_models_are_kinetrees_and_value_errors(name: str) -> None:
    with pytest.raises(KinetreeError) as caught:
        MODELS[name][0]()
    assert isinstance(caught.value, ValueError)


def test_a_model_that_is_not_strict_takes_what_no_body_has() -> None:
    with pytest.raises(InertiaError):
        dh(link(inertia=(1, 1, 3)))
    assert dh(link(inertia=(1, 1, 3)), strict=False).mass_matrix([0.0]).shape == (1, 1)


# -- calls -------------------------------------------------------------------------------------------------------------

ARM = dh(link(), link())
FLOATING = dh(link(), base="floating", base_inertia=kt.Inertia(2.0, (0, 0, 0), (0.1, 0.1, 0.1)))
PAYLOAD = dh(link(mass=kt.parameter("m_payload")), link(a=kt.parameter("reach", 0.3)))
Q = np.array([0.3, -0.4])
UPRIGHT = FLOATING.neutral
STILL = np.zeros(7)


def state(**changes: Any) -> tuple[Any, ...]:
    return tuple({"q": Q, "qd": Q, "qdd": Q, **changes}.values())


def motion(**changes: Any) -> Callable[[], Any]:
    return lambda: ARM.inverse_dynamics(*state(**changes))


def on_base(q: Any) -> Callable[[], Any]:
    return lambda: FLOATING.inverse_dynamics(q, STILL, STILL)


def with_quaternion(*xyzw: float) -> np.ndarray:
    return np.array([0.0, 0.0, 0.0, *xyzw, 0.0])


TYPES = "could not be safely coerced|Cannot cast"

CALLS: dict[str, Case] = {
    # shapes, with the names of the coordinates
    "q too short": (motion(q=np.zeros(1)), InputError, r"dynamics: q must end in 2 \(joint1, joint2\); got \(1,\)$"),
    "q too long": (motion(q=np.zeros(3)), InputError, r"q must end in 2 \(joint1, joint2\); got \(3,\)$"),
    "q transposed": (motion(q=np.zeros((2, 10))), InputError, r"must end in 2 .*; got \(2, 10\): transposed\?"),
    "qdd too short": (motion(qdd=np.zeros((5, 1))), InputError, r"qdd must end in 2 \(joint1, joint2\); got \(5, 1\)"),
    "a number for a vector": (motion(qd=1.0), InputError, r"qd must end in 2 \(joint1, joint2\); got \(\)"),
    "batches that don't broadcast": (
        motion(q=np.zeros((3, 2)), qd=np.zeros((4, 2))),
        InputError,
        r"leading dimensions don't broadcast: q \(3,\), qd \(4,\), qdd \(\)",
    ),
    "lists of two lengths": (motion(q=[[0.0, 0.0], [0.0]]), ValueError, "inhomogeneous"),
    "large batch too short": (motion(q=np.zeros((200_000, 1))), InputError, "q must end in 2"),
    "large batches that don't broadcast": (
        motion(q=np.zeros((200_000, 2)), qd=np.zeros((100_000, 2))),
        InputError,
        r"don't broadcast: q \(200000,\), qd \(100000,\)",
    ),
    # types: NumPy's own words
    "complex": (motion(q=Q + 0j), TypeError, TYPES),
    "complex qd": (motion(qd=Q + 1j), TypeError, TYPES),
    "large and complex": (motion(qd=np.zeros((200_000, 2), complex)), TypeError, TYPES),
    "objects": (motion(q=np.array([0.1, 0.2], object)), TypeError, TYPES),
    "text": (motion(q=["a", "b"]), TypeError, TYPES),
    "nothing": (motion(q=None), TypeError, TYPES),
    "times": (motion(q=np.array([1, 2], "m8[s]")), TypeError, TYPES),
    "complex of single precision": (motion(q=Q.astype(np.complex64)), TypeError, TYPES),
    # external loads and bases
    "loads for too few bodies": (
        lambda: ARM.inverse_dynamics(*state(), external=np.zeros((1, 6))),
        InputError,
        r"external must end in \(2, 6\); got \(1, 6\)",
    ),
    "loads of three numbers": (
        lambda: ARM.forward_dynamics(*state(), external=np.zeros((2, 3))),
        InputError,
        r"external must end in \(2, 6\); got \(2, 3\)",
    ),
    "loads where they mean nothing": (
        lambda: ARM.mass_matrix(Q, external=np.zeros((2, 6))),
        UnknownNameError,
        "no parameter or keyword 'external'",
    ),
    "base of three numbers": (
        lambda: ARM.bias_forces(Q, Q, base_velocity=np.zeros(3)),
        InputError,
        r"base_velocity must end in 6; got \(3,\)",
    ),
    # names
    "unknown frame": (
        lambda: ARM.pose(Q, "lnk1"),
        UnknownNameError,
        "no frame 'lnk1'; did you mean 'link1'.*Known: 'link1', 'link2', 'world'",
    ),
    "unknown frame of a Jacobian": (lambda: ARM.jacobian(Q, "tool0"), UnknownNameError, "no frame 'tool0'. Known"),
    "unknown function": (
        lambda: ARM.function("inverse_dynamic"),
        UnknownNameError,
        "no function 'inverse_dynamic'; did you mean 'inverse_dynamics'",
    ),
    "function to precompile": (lambda: ARM.precompile("mass"), UnknownNameError, "no function 'mass'"),
    "unknown keyword": (
        lambda: ARM.inverse_dynamics(*state(), extrenal=np.zeros((2, 6))),
        UnknownNameError,
        "no parameter or keyword 'extrenal'; did you mean 'external'.*Known: 'base_acceleration', .*'out'",
    ),
    "function without its frame": (lambda: ARM.function("pose"), InputError, "pose needs frame="),
    "function with a frame": (lambda: ARM.function("mass_matrix", frame="link1"), InputError, "takes no frame="),
    "function without loads": (lambda: ARM.function("pose", frame="link1", external=True), InputError, "no external"),
    "function without base": (lambda: ARM.function("mass_matrix", base=True), InputError, "no base motion"),
    # parameters
    "missing parameter": (lambda: PAYLOAD.mass_matrix(Q), InputError, "without a default: give m_payload="),
    "unknown parameter": (
        lambda: PAYLOAD.mass_matrix(Q, m_payload=1.0, mpayload=2.0),
        UnknownNameError,
        "'mpayload'; did you mean 'm_payload'.*'reach'",
    ),
    "parameter of text": (lambda: PAYLOAD.mass_matrix(Q, m_payload="1 kg"), TypeError, TYPES),
    "parameters that don't broadcast": (
        lambda: PAYLOAD.mass_matrix(np.zeros((3, 2)), m_payload=np.ones(4)),
        ValueError,
        "broadcast",
    ),
    # quaternions
    "long quaternion": (on_base(with_quaternion(0, 0, 0, 2)), InputError, r"'base': .*q\[3:7\].*not of length one"),
    "zero quaternion": (on_base(np.zeros(8)), InputError, r"the identity is \(0, 0, 0, 1\)"),
    "one row of a batch": (
        on_base(np.stack([UPRIGHT, UPRIGHT, with_quaternion(0.5, 0.5, 0.5, 0.6)])),
        InputError,
        r"row \(2,\) is \[0\.5 0\.5 0\.5 0\.6\]",
    ),
    "q of a fixed base": (on_base(np.zeros(1)), InputError, r"q must end in 8 .base\[0\]\.\..*; got .1,.$"),
    "complex quaternion": (on_base(UPRIGHT + 0j), TypeError, TYPES),
    # the number of arguments
    "too few arguments": (lambda: ARM.inverse_dynamics(Q, Q), TypeError, "missing 1 required positional argument"),  # type: ignore[call-arg]
    "too many arguments": (lambda: ARM.inverse_dynamics(Q, Q, Q, Q), TypeError, "positional arguments"),  # type: ignore[misc]
    "too few of a function": (lambda: ARM.function("mass_matrix")(), InputError, r"takes 1 arguments \(q\), got 0"),
    "too many of a function": (lambda: ARM.function("mass_matrix")(Q, Q), InputError, r"\(q\), got 2"),
}


@pytest.mark.parametrize("used", [False, True], ids=["first", "later"])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_makes_no_sense_is_refused(name: str, used: bool) -> None:
    if used:  # good calls come first, which set up shorter ways
        for _ in range(2):
            ARM.inverse_dynamics(Q, Q, Q)
            ARM.function("mass_matrix")(Q)
            FLOATING.inverse_dynamics(UPRIGHT, STILL, STILL)
            PAYLOAD.mass_matrix(Q, m_payload=1.0)
    refused(CALLS[name])


def test_a_refused_call_writes_nothing() -> None:
    out = np.full(2, 7.0)
    with pytest.raises(InputError, match="must end in"):
        ARM.inverse_dynamics(np.zeros(3), Q, Q, out=out)
    with pytest.raises(InputError):
        FLOATING.inverse_dynamics(np.zeros(8), STILL, STILL, out=np.full(7, 7.0))
    np.testing.assert_array_equal(out, 7.0)


def test_unit_quaternions_with_rounding_are_taken_and_nan_stays_in_its_row() -> None:
    q = np.stack([UPRIGHT, UPRIGHT * (1 + 1e-6), UPRIGHT])
    q[2, 3] = np.nan
    with np.errstate(all="ignore"):
        tau = FLOATING.inverse_dynamics(q, STILL, STILL)
    np.testing.assert_allclose(tau[1], tau[0], atol=1e-9)
    assert np.isnan(tau[2]).any()
    assert np.isfinite(tau[:2]).all()


# -- what a model does not determine -----------------------------------------------------------------------------------

MASSLESS: dict[str, tuple[Callable[[], kt.Robot], str]] = {
    "leaf": (lambda: dh(link(), kt.DH(a=0.5, name="hand")), "'hand'"),
    "point on its own axis": (lambda: dh(link(), link(com=(0, 0, 0), inertia=(0, 0, 0), name="hand")), "'hand'"),
    "slider": (lambda: dh(link(), kt.DH(joint="prismatic", name="slide")), "'slide'"),
    "branch": (lambda: dh(link(), kt.DH(name="twig"), link(parent=1)), "'twig'"),
    "ball": (lambda: kt.Robot((kt.Body("ball", kt.Joint("j", Spherical())),)), "'ball'"),
    "base": (lambda: kt.Robot((kt.Body("base", kt.Joint("base", Free())),)), "'base'"),
}


def test_bodies_without_mass_that_mimic_are_named() -> None:
    """All that share a coordinate that nothing resists, and no others."""
    left = kt.Joint("left", Prismatic((0, 1, 0)))
    right = kt.Joint("right", Prismatic((0, 1, 0)), mimic=kt.Mimic("left", -1.0))
    heavy = kt.Body("palm", kt.Joint("wrist", Revolute((0, 0, 1))), kt.Inertia(1.0, (0, 0, 0), (1, 1, 1)))
    robot = kt.Robot((heavy, kt.Body("l", left, parent="palm"), kt.Body("r", right, parent="palm")))
    with pytest.raises(SingularModelError, match="nothing that any of the bodies 'l', 'r' carries resists its joint"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0])
    with pytest.raises(SingularModelError, match="any of the bodies 'l', 'r'"):
        robot.forward_dynamics_derivatives([0, 0], [0, 0], [0, 0])


@pytest.mark.parametrize("name", MASSLESS)
def test_what_has_no_mass_has_no_acceleration_and_is_named(name: str) -> None:
    make, words = MASSLESS[name]
    robot = make()
    q, v = robot.neutral, np.zeros(robot.nv)
    for _ in range(2):
        with pytest.raises(SingularModelError, match=rf"body {words} .*give the body an inertia"):
            robot.forward_dynamics(q, v, v)
    assert np.isfinite(robot.inverse_dynamics(q, v, v)).all()
    assert robot.mass_matrix(q).shape == (robot.nv, robot.nv)


def test_a_rotor_is_inertia_enough() -> None:
    robot = dh(link(), kt.DH(a=0.5, rotor_inertia=0.1))
    assert np.isfinite(robot.forward_dynamics(Q, Q, Q)).all()


# -- robots without joints ---------------------------------------------------------------------------------------------

WELDED = kt.Robot(
    (
        kt.Body("post", kt.Joint("weld", Fixed()), kt.Inertia(2.0, (0.0, 0.0, 1.5), (1.0, 1.0, 1.0))),
        kt.Body("sign", kt.Joint("bolt", Fixed()), kt.Inertia(1.0, (1.0, 0.0, 2.0), (1.0, 1.0, 1.0)), "post"),
    ),
    "signpost",
)
NOTHING = kt.Robot()


@pytest.mark.parametrize("rows", [(), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("robot", [NOTHING, WELDED], ids=["nothing", "welded"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_robot_without_joints_has_every_function(robot: kt.Robot, rows: tuple[int, ...], kind: Any) -> None:
    assert (robot.nq, robot.nv, robot.joint_names) == (0, 0, ())
    q, n = np.zeros((*rows, 0), kind), robot.nbodies
    results = {
        "inverse_dynamics": (robot.inverse_dynamics(q, q, q), (0,)),
        "forward_dynamics": (robot.forward_dynamics(q, q, q), (0,)),
        "mass_matrix": (robot.mass_matrix(q), (0, 0)),
        "bias_forces": (robot.bias_forces(q, q), (0,)),
        "gravity_forces": (robot.gravity_forces(q), (0,)),
        "joint_wrenches": (robot.joint_wrenches(q, q, q), (n, 6)),
        "pose": (robot.pose(q, "world"), (4, 4)),
        "jacobian": (robot.jacobian(q, "world"), (6, 0)),
        "kinetic_energy": (robot.kinetic_energy(q, q), ()),
        "potential_energy": (robot.potential_energy(q), ()),
    }
    for name, (value, core) in results.items():
        assert value.shape == (*rows, *core), name
        assert value.dtype == kind, name
    assert (results["pose"][0] == np.eye(4)).all()
    assert (results["kinetic_energy"][0] == 0).all()
    robot.precompile()


def test_welded_bodies_still_have_weight() -> None:
    q = np.zeros((3, 0))
    assert WELDED.potential_energy(q) == pytest.approx([9.81 * (2.0 * 1.5 + 1.0 * 2.0)] * 3)
    wrenches = WELDED.joint_wrenches(q, q, q)
    np.testing.assert_allclose(wrenches[1, :, 5], [3 * 9.81, 9.81])
    np.testing.assert_allclose(wrenches[2, 1, :3], [0.0, -9.81, 0.0], atol=1e-15)
    load = np.zeros((2, 6))
    load[1, 3] = 5.0
    np.testing.assert_allclose(WELDED.joint_wrenches(q, q, q, external=load)[0, :, 3], [-5.0, -5.0])
    moved = WELDED.joint_wrenches(q, q, q, base_acceleration=[0, 0, 0, 1.0, 0, 0])
    np.testing.assert_allclose(moved[0, :, 3], [3.0, 1.0])


def test_a_robot_without_joints_refuses_what_does_not_fit() -> None:
    q = np.zeros(0)
    for bad in (np.zeros(1), np.zeros((0, 1)), 0.0):
        with pytest.raises(InputError, match=r"q must end in 0"):
            WELDED.inverse_dynamics(bad, q, q)
    with pytest.raises(ValueError, match=r"broadcast|shape mismatch"):
        WELDED.inverse_dynamics(np.zeros((2, 0)), np.zeros((3, 0)), q)
    with pytest.raises(TypeError, match=TYPES):
        WELDED.potential_energy(np.zeros(0, complex))


def test_a_folded_link_without_mass_gives_a_warning():
    rows = [kt.DH(a=1.0), kt.DH(a=1.0, mass=1.0)]
    robot = kt.Robot.from_dh(rows, "standard")
    for _ in range(3):  # a single call stays checked when the code is there
        with pytest.warns(SingularConfigurationWarning, match="singular here: nothing resists a joint"):
            robot.forward_dynamics([0.1, np.pi], [0.3, 0.2], [1.0, 0.0])
    q = [[0.1, 1.0], [0.1, 0.0], [0.2, 3.0], [np.nan, 0.0]]
    with pytest.warns(SingularConfigurationWarning, match=r"in 1 of 4 rows, the first is \(1,\)"):
        found = robot.forward_dynamics(q, [0.3, 0.2], [1.0, 0.0])
    assert np.isfinite(found[[0, 2]]).all()
