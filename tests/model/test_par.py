"""SYMORO files: the robot of a .par file is that of its table, its loops close where drawn, mistakes have lines."""

from __future__ import annotations

import math
import random
import re
import time
from math import pi

import numpy as np
import pytest
from par_robots import INERTIAL, NAMES, par_text, physical_numbers
from strategies import relative_error, states

import kinetree as kt
from kinetree.errors import InertiaError, KinetreeError, ModelError, ModelFileError, ModelWarning, UnknownNameError
from kinetree.joints import Fixed, Prismatic, Revolute
from kinetree.model.text import file as text_file
from kinetree.parameter import bound, parameters_in

# sums of a dozen products of size one to ten, each rounded to 1.1e-16
ROUNDING = 1e-12
# of the mutated texts each is read or refused in this time; the slowest take a hundredth
SECONDS = 2.0


ARM = """(* Robotname = 'test arm' *)
NL = 3
NJ = 3
NF = 3
Type = 1
is_mobile = 0

(* Geometric parameters,
   over two lines *)
ant = {0, 1,
       1}
sigma = {0, 1, 0}
b = {0.1, 0, L/2}
d = {0, 0.2, L}
r = {0.3, r2 + 0.4, 0.1}
gamma = {0, 0, pi/3}
alpha = {0, -pi/2, beta}
mu = {1, 1, 0}
theta = {th1, pi/2, off + th3}

XX = {0.3, 0.2, XX3}
XY = {0.01, 0, 0}
XZ = {0, 0, 0.02}
YY = {0.3, 0.2, 0.2}
YZ = {0, 0.01, 0}
ZZ = {0.3, 0.2, 0.2}
MX = {0.1, 0, 0.2}
MY = {0, -0.1, 0.1}
MZ = {0.1, 0, 0}
M = {1, 2, M3}
IA = {0.5, 0.6, IA3}
FV = {0.1, 0.2, 0.3}
FS = {0, 0.4, FS3}
FX = {0, 0, FX3}
QP = {QP1, QP2, QP3}
VP0 = {0, 0, 0}
G = {0, 0.5, -9.81}
Z = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}
(* End of definition *)
"""
NUMBERS = {"L": 0.7, "beta": 0.4, "off": -0.6, "XX3": 0.25, "M3": 1.5, "IA3": 0.2, "FS3": 0.3}


def arm_by_hand() -> kt.Robot:
    """The same arm as bodies; Khalil's d and r are a and d of a DH table."""
    table = [
        kt.DH(b=0.1, d=0.3, damping=0.1, rotor_inertia=0.5),
        kt.DH(
            a=0.2, alpha=-pi / 2, theta=pi / 2, d=0.4, joint="prismatic",
            damping=0.2, coulomb=0.4, rotor_inertia=0.6,
        ),
        kt.DH(
            gamma=pi / 3, b=0.35, alpha=0.4, a=0.7, theta=-0.6, d=0.1, parent=1,
            damping=0.3, coulomb=0.3, rotor_inertia=0.2,
        ),
    ]  # fmt: skip
    bare = kt.Robot.from_dh(table, gravity=(0, 0.5, -9.81))
    inertias = [
        kt.Moments(1, (0.1, 0, 0.1), (0.3, 0.3, 0.3, 0.01, 0, 0)),
        kt.Moments(2, (0, -0.1, 0), (0.2, 0.2, 0.2, 0, 0, 0.01)),
        kt.Moments(1.5, (0.2, 0.1, 0), (0.25, 0.2, 0.2, 0, 0.02, 0)),
    ]
    bodies = (kt.Body(b.name, b.joint, I, b.parent) for b, I in zip(bare.bodies, inertias))
    return kt.Robot(tuple(bodies), gravity=bare.gravity)


def assert_same_dynamics(one: kt.Robot, other: kt.Robot, **keywords: float) -> None:
    s = states(one)
    for name, args in (("inverse_dynamics", (s.q, s.qd, s.qdd)), ("mass_matrix", (s.q,)), ("gravity_forces", (s.q,))):
        assert relative_error(getattr(one, name)(*args, **keywords), getattr(other, name)(*args)) < ROUNDING, name


# -- one robot, several ways to say it ---------------------------------------------------------------------------------


def test_a_file_is_the_robot_of_its_table():
    robot = kt.Robot.from_par(ARM, numbers=NUMBERS)
    assert (robot.name, robot.joint_names, robot.nv) == ("test arm", ("joint1", "joint2", "joint3"), 3)
    assert [b.name for b in robot.bodies] == ["link1", "link2", "link3"]
    assert [b.joint.actuated for b in robot.bodies] == [True, True, False]
    assert not robot.parameters
    assert_same_dynamics(robot, arm_by_hand())


def test_symbols_are_keywords_until_they_have_numbers(tmp_path):
    path = tmp_path / "arm.par"
    path.write_text(ARM)
    robot = kt.Robot.from_par(path)
    assert {*robot.parameters} == {*NUMBERS}, "the variables th1, r2, th3 and the states FX3, QP1 are no parameters"
    assert_same_dynamics(robot, arm_by_hand(), **NUMBERS)
    some = {name: NUMBERS[name] for name in ("L", "M3", "off")}
    rest = {name: x for name, x in NUMBERS.items() if name not in some}
    partly = kt.Robot.from_file(path, numbers=some)
    assert {*partly.parameters} == {*rest}
    assert_same_dynamics(partly, arm_by_hand(), **rest)
    default = kt.Robot.from_par(path, numbers=some | {"beta": kt.parameter("beta", 0.4)})
    assert default.parameters["beta"].default == 0.4


def test_compiled_code_of_a_file_divides_nothing():
    robot = kt.Robot.from_par(ARM)
    for name in ("inverse_dynamics", "mass_matrix"):
        assert "div" not in robot.operations(name)


def test_options_win_over_the_file():
    robot = kt.Robot.from_par(ARM, name="other", gravity=(0, 0, 1.6))
    assert (robot.name, tuple(robot.gravity)) == ("other", (0, 0, 1.6))
    nameless = kt.Robot.from_par(ARM.replace("Robotname", "Remark"))
    assert nameless.name == "robot"


def test_the_spelling_of_older_files_is_read():
    older = ARM
    for key in ("ant", "sigma", "b", "r", "alpha", "mu", "theta"):
        older = re.sub(rf"^{key} =", f"{key.capitalize()}=", older, flags=re.MULTILINE)
    older = older.replace("pi", "Pi").replace("\n", "\r\n")
    assert kt.Robot.from_par(older).bodies == kt.Robot.from_par(ARM).bodies


def test_the_base_frame_places_the_robot_and_turns_gravity_with_it():
    """G is given in the axes of frame 0: joint forces don't depend on Z, poses do."""
    turned = ARM.replace("Z = {1,0,0,0,0,1,0,0,0,0,1,0,", "Z = {0,-1,0,2, 1,0,0,h, 0,0,1,4,")
    one, other = (kt.Robot.from_par(text, numbers=NUMBERS) for text in (ARM, turned))
    s = states(one)
    taus = one.inverse_dynamics(s.q, s.qd, s.qdd), other.inverse_dynamics(s.q, s.qd, s.qdd, h=3.0)
    assert relative_error(*taus) < ROUNDING
    X0 = np.array([[0, -1, 0, 2], [1, 0, 0, 3], [0, 0, 1, 4], [0, 0, 0, 1]])
    assert relative_error(other.pose(s.q, "link3", h=3.0), X0 @ one.pose(s.q, "link3")) < ROUNDING
    assert relative_error(tuple(other.gravity), (-0.5, 0, -9.81)) < ROUNDING


FLOATING = """(* Robotname = 'floater' *)
NL = 1
NJ = 1
is_mobile = 1
ant = {0}
sigma = {0}
d = {0.3}
r = {0}
alpha = {pi/2}
theta = {th1}
XX = {0.5, 0.1}
YY = {0.6, 0.1}
ZZ = {0.7, 0.1}
MX = {0.4, 0.05}
M = {3, M1}
FV = {0, 0.2}
"""


@pytest.mark.parametrize("flag", ["is_mobile = 1", "is_floating = True\nis_mobile = 0"])
def test_a_floating_base_is_link_0(flag):
    robot = kt.Robot.from_par(FLOATING.replace("is_mobile = 1", flag), numbers={"M1": 1.2})
    arm = kt.Robot.from_dh([kt.DH(a=0.3, alpha=pi / 2, damping=0.2)], base="floating")
    inertias = kt.Moments(3, (0.4, 0, 0), (0.5, 0.6, 0.7)), kt.Moments(1.2, (0.05, 0, 0), (0.1, 0.1, 0.1))
    bodies = (kt.Body(b.name, b.joint, I, b.parent) for b, I in zip(arm.bodies, inertias))
    assert robot.joint_names == ("base", "joint1")
    assert_same_dynamics(robot, kt.Robot(tuple(bodies)))


def test_fixed_links_and_elastic_joints():
    text = ARM.replace("sigma = {0, 1, 0}", "sigma = {0, 1, 2}") + "eta = {0, 1, 0}\nk = {7, K2, 0}\n"
    robot = kt.Robot.from_par(text, numbers=NUMBERS)
    assert robot.nv == 2
    assert isinstance(robot.bodies[2].joint.kind, Fixed)
    assert [b.joint.stiffness for b in robot.bodies[:2]] == [(0.0,), (kt.parameter("K2"),)]
    assert {*robot.parameters} == {"K2", "th3"}, "theta of a fixed link is no variable"


# -- the variable of a joint -------------------------------------------------------------------------------------------

OFFSETS = {  # theta of joint 3, and its offset where off is -0.4
    "th3": 0.0, "th3 + pi/2": pi / 2, "-pi/2 + t3": -pi / 2, "phi": 0.0, "2*th3/2": 0.0, "0.25": 0.25,
    "Theta3 - off*2": 0.8, "(q3) - (off + 1)": -0.6, "off + th3 + 0*beta": -0.4, "1 - (off - th3)": 1.4,
}  # fmt: skip


@pytest.mark.parametrize("theta", list(OFFSETS))
def test_the_offset_is_the_entry_without_the_variable(theta):
    robot = kt.Robot.from_par(ARM.replace("off + th3", theta), numbers={"off": -0.4} if "off" in theta else {})
    kind = robot.bodies[2].joint.kind
    assert isinstance(kind, Revolute)
    assert kind.offset == pytest.approx(OFFSETS[theta], abs=1e-15)


@pytest.mark.parametrize("r", ["r2 + 0.4", "q2+0.4", "0.4 + x"])
def test_prismatic_joints_have_their_variable_in_r(r):
    robot = kt.Robot.from_par(ARM.replace("r2 + 0.4", r), numbers=NUMBERS)
    assert isinstance(robot.bodies[1].joint.kind, Prismatic)
    assert_same_dynamics(robot, arm_by_hand())


# -- loops -------------------------------------------------------------------------------------------------------------


def numeric(pose) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3] = [[*row] for row in pose.R.matrix]
    X[:3, 3] = [*pose.p]
    return X


def cut_joint(robot: kt.Robot, loop: kt.Loop, q: np.ndarray) -> np.ndarray:
    """The pose of the successor frame seen from the predecessor: what the cut joint must be able to do."""
    ends = [
        (np.eye(4) if frame.body is None else robot.pose(q, frame.body)) @ numeric(frame.pose)
        for frame in (loop.predecessor, loop.successor)
    ]
    return np.linalg.inv(ends[0]) @ ends[1]


def assert_closed(robot: kt.Robot, q: list[float], *values: float) -> None:
    """Each loop is closed, with these values of the cut joints."""
    for loop, value in zip(robot.loops, values, strict=True):
        X = numeric(loop.kind.transform([value]))
        assert relative_error(cut_joint(robot, loop, np.array(q)), X) < ROUNDING, loop.name


RHOMBUS = """NL = 4
NJ = 5
NF = 6
Type = 2
ant = {0,1,0,3,4,2}
sigma = {0,0,0,0,0,2}
d = {0,L,0,L,L,L}
r = {0,0,0,0,0,0}
alpha = {0,0,0,0,0,0}
theta = {th1,th2,th3,th4,th5 + 0.25,0}
mu = {1,0,1,0,0,0}
M = {1,1,1,1}
"""


def test_a_loop_closes_where_the_drawing_does():
    """A rhombus: the cut joint is between the tips of the links 4 and 2."""
    robot = kt.Robot.from_par(RHOMBUS, numbers={"L": 0.8})
    (loop,) = robot.loops
    assert (robot.nv, loop.name, loop.predecessor.body, loop.successor.body) == (4, "joint5", "link4", "link2")
    assert loop.kind == Revolute(offset=0.25)
    assert robot.frames["frame6"] == loop.successor
    th1, th2 = 0.4, 1.1
    assert_closed(robot, [th1, th2, th1 + th2, -th2], th2 - 0.25)
    open_loop = cut_joint(robot, loop, np.array([0.4, 1.1, 0.3, 0.2]))
    assert np.abs(open_loop[:3, 3]).max() > 0.1


def test_lengths_of_loops_are_parameters_too():
    robot = kt.Robot.from_par(RHOMBUS)
    assert [*robot.parameters] == ["L"]
    assert [*parameters_in(robot.loops)] == ["L"]


def test_a_slider_is_a_prismatic_loop_on_the_world():
    """Crank and connecting rod; the cut joint slides on the base, which Z lifts."""
    text = """NL = 2
    NJ = 3
    ant = {0,1,0,2}
    sigma = {0,0,1,2}
    d = {0, 0.5, 0, 1.2}
    r = {0,0,r3,0}
    alpha = {0,0,pi/2,pi/2}
    gamma = {0,0,pi/2,0}
    theta = {th1,th2,pi/2,0}
    Z = {1,0,0,0, 0,1,0,0, 0,0,1,0.7, 0,0,0,1}
    """
    robot = kt.Robot.from_par(text)
    (loop,) = robot.loops
    assert (loop.kind, loop.predecessor.body, loop.successor.body) == (Prismatic(), None, "link2")
    th1 = 0.6
    rod = -math.asin(0.5 * math.sin(th1) / 1.2)
    X = cut_joint(robot, loop, np.array([th1, rod - th1]))
    reach = 0.5 * math.cos(th1) + 1.2 * math.cos(rod)
    assert relative_error(X[:3, 3], [0, 0, reach]) < ROUNDING


def test_frames_are_fixed_in_frames_and_in_the_frames_of_cut_joints():
    text = """NL = 3
    NJ = 6
    ant = {0,0,0,  1,1,3,  2,4,8}
    sigma = {0,0,0,0,0,0,2,2,2}
    d = {0,0,0,  1,1,1,  0.5,0.25,0.125}
    r = {0,0,0,  0,0,0,  0,0,0}
    alpha = {0,0,0,0,0,0,0,0,pi/2}
    theta = {th1,th2,th3,th4,th5,th6,0,pi/2,0}
    """
    robot = kt.Robot.from_par(text)
    ends = {name: (frame.body, numeric(frame.pose)) for name, frame in robot.named_frames}
    # frame 7 is on link 2; frame 4 coincides with it, carries frame 8, and that carries frame 9
    assert {body for body, _ in ends.values()} == {"link2"}
    assert relative_error(ends["frame7"][1][:3, 3], [0.5, 0, 0]) < ROUNDING
    assert relative_error(ends["frame8"][1][:3, 3], [0.75, 0, 0]) < ROUNDING
    assert relative_error(ends["frame9"][1][:3, 3], [0.75, 0.125, 0]) < ROUNDING
    assert relative_error(ends["frame9"][1][:3, 2], [1, 0, 0]) < ROUNDING
    assert [loop.predecessor.body for loop in robot.loops] == ["link1", "link1", "link3"]


# -- robots full of symbols --------------------------------------------------------------------------------------------

# moving joints, symbols, and the bodies that the cut joints connect
ROBOTS = {
    "AKR3000": (10, 139, [("link5", "link7"), ("link6", "link2")]),
    "RX90": (6, 81, []),
    "SR400": (8, 110, [("link8", "link3")]),
    "Stanford": (6, 80, []),
    "Stanford4": (4, 54, []),
    "TwoLoops": (8, 110, [("link7", "link8"), ("link6", "link8")]),
    "PlanarLoop": (4, 54, [("link4", "link2")]),
}


@pytest.mark.parametrize("name", NAMES)
def test_files_of_symbols_are_read(name, tmp_path):
    path = tmp_path / "robot.par"
    path.write_text(par_text(name))
    robot = kt.Robot.from_par(path)
    nv, symbols, loops = ROBOTS[name]
    assert (robot.name, robot.nv, len(robot.parameters)) == (name, nv, symbols)
    assert [(loop.predecessor.body, loop.successor.body) for loop in robot.loops] == loops
    assert tuple(robot.gravity) == (0.0, 0.0, kt.parameter("G3"))
    assert not {x for x in robot.parameters if re.fullmatch(r"(th|t|r|QP|QDP|GAM|F[XYZ]|C[XYZ])\d+", x)} - {"r4"}


def test_rx90_is_the_robot_of_its_dh_table():
    """With friction, rotors and gravity; numbers given as keywords, and when the file is read."""
    text = par_text("RX90")
    symbolic = kt.Robot.from_par(text)
    x = physical_numbers(symbolic)
    rows = []
    lengths = {3: {"a": x["D3"]}, 4: {"d": x["RL4"]}}
    for i, alpha in enumerate((0, pi / 2, 0, -pi / 2, pi / 2, -pi / 2), 1):
        XX, XY, XZ, YY, YZ, ZZ, *first, m = (x[f"{key}{i}"] for key in INERTIAL)
        c = np.array(first) / m
        J = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        joint = {"damping": x[f"FV{i}"], "coulomb": x[f"FS{i}"], "rotor_inertia": x[f"IA{i}"]}
        rows.append(kt.DH(alpha=alpha, mass=m, com=c, inertia=(J + J.T) / 2, **joint, **lengths.get(i, {})))
    table = kt.Robot.from_dh(rows)
    assert_same_dynamics(bound(symbolic, x), table)
    assert_same_dynamics(kt.Robot.from_par(text, numbers=x), table)
    # a ufunc of NumPy takes 64 arguments at most, so that each half of the symbols is a keyword in turn
    for half in (1, 0):
        numbers = {name: value for k, (name, value) in enumerate(x.items()) if k % 2 == half}
        rest = {name: value for name, value in x.items() if name not in numbers}
        robot = kt.Robot.from_par(text, numbers=numbers)
        assert {*robot.parameters} == {*rest}
        assert_same_dynamics(robot, table, **rest)


def test_the_parallelogram_of_sr400_closes():
    x = physical_numbers(kt.Robot.from_par(par_text("SR400")))
    robot = kt.Robot.from_par(par_text("SR400"), numbers=x)
    th2, th7 = 0.3, -0.5
    q = [0.2, th2, th7 - th2 - pi / 2, 0.1, 0.2, 0.3, th7, th2 - th7]
    assert_closed(robot, q, th7 - th2)


def test_the_two_parallelograms_of_two_loops_close():
    """The second loop ends on a frame that is fixed in the end of the first."""
    x = physical_numbers(kt.Robot.from_par(par_text("TwoLoops")))
    x["d12"] = x["d7"]  # a parallelogram needs sides of one length
    robot = kt.Robot.from_par(par_text("TwoLoops"), numbers=x)
    th2, th3, g = 0.3, 0.7, x["g12"]
    q = [0.2, th2, th3, g - th2 - th3, 0.1, th2, th2 + th3 + pi / 2 - g, -th2 - th3]
    # the frames at the ends are turned by g + pi/2 with link 8, which does not turn
    assert_closed(robot, q, g + pi / 2 - th2 - th3 - pi, g + pi / 2 - th2)


# -- what a file must not say ------------------------------------------------------------------------------------------

MISTAKES = [
    ("empty", ARM, "\n", ": there is nothing in it; expected values such as NL = 6"),
    ("only_a_comment", ARM, "(* nothing *)", ": there is nothing in it"),
    ("no_links", "NL = 3\n", "", ": there is no NL; a .par file must have NL, NJ, ant"),
    ("no_alpha", "alpha = {0, -pi/2, beta}\n", "", ": there is no alpha; a .par file must have"),
    ("unknown_value", "mu = ", "nu = ", ", line 18: there is no value called 'nu'"),
    ("value_twice", "mu = {1, 1, 0}", "b = {1, 1, 0}", ", line 18: b is there twice"),
    ("no_equals_sign", "mu = ", "mu ", ", line 18: 'mu {1, 1, 0}' is not of the form name = value"),
    ("loose_text", "mu = ", "hello there\nmu = ", ", line 18: 'hello there' is not of the form"),
    ("open_brace", "mu = {1, 1, 0}", "mu = {1, 1, 0", ", line 18: the braces of mu are not balanced"),
    ("closing_brace", "mu = {1, 1, 0}", "mu = 1, 1, 0}", ", line 18: the braces of mu are not balanced"),
    ("two_closing_braces", "mu = {1, 1, 0}", "mu = {1, 1, 0}}", ", line 18: the braces of mu"),
    ("nested_braces", "mu = {1, 1, 0}", "mu = {1, {1}, 0}", ", line 18: the braces of mu"),
    ("never_closed", "(* End of definition *)", "(* End", ", line 39: a comment (* is never closed"),
    ("never_opened", "(* End of definition *)", "End *)", ", line 39: a comment is closed by *) but never"),
    ("short_list", "mu = {1, 1, 0}", "mu = {1, 1}", ", line 18: mu: 2 entries; expected 3, mu[1] to mu[3]"),
    ("long_list", "M = {1, 2, M3}", "M = {1, 2, M3, 4}", ", line 30: M: 4 entries; expected 3"),
    ("empty_list", "mu = {1, 1, 0}", "mu = { }", ", line 18: mu: 0 entries"),
    ("no_list", "mu = {1, 1, 0}", "mu = 1", ", line 18, mu: expected a list {...} of 3"),
    ("list_of_links", "NL = 3", "NL = {3}", ", line 2, NL: is one value, not a list"),
    ("short_gravity", "G = {0, 0.5, -9.81}", "G = {-9.81}", ", line 37: G: 1 entries; expected 3, G[1] to G[3]"),
    ("missing_entry", "mu = {1, 1, 0}", "mu = {1, , 0}", ", line 18, mu[2]: '' is not an integer"),
    ("missing_formula", "{0.1, 0, L/2}", "{0.1, , L/2}", ", line 13, b[2]: there is nothing in it"),
    ("no_number", "NL = 3", "NL = three", ", line 2, NL: 'three' is not an integer from 1 to 2000"),
    ("no_link", "NL = 3", "NL = 0", ", line 2, NL: '0' is not an integer from 1"),
    ("too_many_links", "NL = 3", "NL = 99999999999", ", line 2, NL: '99999999999' is not an integer"),
    ("fewer_joints", "NJ = 3", "NJ = 2", ", line 3, NJ: '2' is not an integer from 3 to"),
    ("frames", "NF = 3", "NF = 4", ", line 4, NF: 4 frames; with NL = 3 and NJ = 3 there are 2 NJ - NL = 3"),
    ("type", "Type = 1", "Type = 7", ", line 5, Type: '7' is not an integer from 0 to 2"),
    ("mobile", "is_mobile = 0", "is_mobile = maybe", ", line 6, is_mobile: 'maybe' is not one of 0, 1"),
    ("sigma", "sigma = {0, 1, 0}", "sigma = {0, 3, 0}", ", line 12, sigma[2]: '3' is not an integer from 0 to 2"),
    ("mu", "mu = {1, 1, 0}", "mu = {1, 1, 2}", ", line 18, mu[3]: '2' is not an integer from 0 to 1"),
    ("far_antecedent", "ant = {0, 1,", "ant = {0, 9,", ", line 10, ant[2]: '9' is not an integer from 0 to 3"),
    ("negative_antecedent", "ant = {0, 1,", "ant = {-1, 1,", ", line 10, ant[1]: '-1' is not an integer"),
    ("own_antecedent", "       1}", "       3}", ", line 11, ant[3]: the antecedents form a cycle: 3 -> 3"),
    ("cycle", "ant = {0, 1,\n       1}", "ant = {0, 3,\n       2}", ", line 10, ant[2]: .* a cycle: 2 -> 3 -> 2"),
    ("late_antecedent", "ant = {0, 1,\n       1}", "ant = {2, 0,\n       1}", ", line 10, ant[1]: the antecedent 2"),
    ("unknown_function", "beta", "exp(beta)", ", line 17, alpha[3]: 'exp(beta)': there is no function 'exp'"),
    ("huge_exponent", "beta", "9**9**9", ", line 17, alpha[3]: '9**9**9': the result is too large"),
    ("deep", "beta", "(" * 40 + "1" + ")" * 40, ", line 17, alpha[3]: .* nested more than 30 deep"),
    ("parenthesis", "beta", "(1", ", line 17: alpha: the parentheses in the list are not balanced"),
    ("nan", "beta", "NaN", ", line 17, alpha[3]: 'NaN': 'NaN' is not a finite number"),
    ("infinite", "beta", "1e400", ", line 17, alpha[3]: '1e400' is not a finite number"),
    ("infinite_mass", "M = {1, 2, M3}", "M = {1, inf, M3}", ", line 30, M[2]: 'inf': 'inf' is not a finite"),
    ("bad_state", "QP = {QP1", "QP = {1..2", ", line 35, QP[1]: '1..2': expected an operator"),
    ("reserved", "beta", "tau", ", line 17, alpha[3]: a parameter can't be called 'tau'.* numbers={...}"),
    ("word_of_python", "beta", "lambda", ", line 17, alpha[3]: a parameter can't be called 'lambda'"),
    ("factor", "off + th3", "off - th3", ", line 19, theta[3]: .* has it with the factor -1; it must be one"),
    ("not_linear", "off + th3", "th3^2", ", line 19, theta[3]: the variable of the joint is 'th3', and .* not linear"),
    ("two_symbols", "off + th3", "off + phi", ", line 19, theta[3]: .* several symbols, off, phi; call .* th3 or t3"),
    ("two_variables", "off + th3", "t3 + th3", ", line 19, theta[3]: .* several symbols, t3, th3"),
    ("shared_variable", "off + th3", "th1", ", line 19, theta[3]: 'th1' is the variable of joint 1 already"),
    ("coupled", "off + th3", "th3 - th1", ", line 19, theta[3]: 'th1' is the variable of joint 1; no number"),
    ("moving_mass", "M3", "r2", ", line 30, M[3]: 'r2' is the variable of joint 2; no number of the model"),
    ("moving_length", "{0, 0.2, L}", "{0, 0.2, th3}", ", line 14, d[3]: 'th3' is the variable of joint 3"),
    ("own_length", "0.3, r2", "th1, r2", ", line 15, r[1]: 'th1' is the variable of joint 1; no number"),
    ("friction", "FV = {0.1", "FV = {-0.1", ": joint 'joint1': viscous -0.1 must be a number not below 0"),
    ("last_row", "0,0,0,1}\n(* End", "0,0,1,1}\n(* End", ", line 38, Z[13]: the last row of a homogeneous matrix"),
    ("no_rotation", "Z = {1,0", "Z = {2,0", ", line 38, Z[1]: not a rotation matrix"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_has_its_line(old, new, message, tmp_path):
    assert old in ARM
    pattern = re.escape(message).replace(re.escape(".*"), ".*")
    text = ARM.replace(old, new)
    with pytest.raises(ModelFileError, match=f"(?s)^text{pattern}"):
        kt.Robot.from_par(text + ("" if "\n" in text or "(*" in text else "\n"))
    path = tmp_path / "arm.par"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=f"(?s)^arm.par{pattern}"):
        kt.Robot.from_file(path)


LOOP_MISTAKES = [
    ("moving_end", "0,0,0,0,0,2}", "0,0,0,0,0,0}", "line 6, sigma[6]: frame 6 belongs to the cut joint 5; it must"),
    ("own_end", "ant = {0,1,0,3,4,2}", "ant = {0,1,0,3,4,5}", "line 5, ant[6]: frame 6 is fixed in itself"),
    ("own_frame", "ant = {0,1,0,3,4,2}", "ant = {0,1,0,3,4,6}", "line 5, ant[6]: frame 6 is fixed in itself"),
    ("on_a_cut_joint", "ant = {0,1,0,3,4,2}", "ant = {0,1,0,5,4,2}", "line 5, ant[4]: the antecedent 5 of link 4"),
    ("more_cuts", "NJ = 5\nNF = 6", "NJ = 9", "line 4: ant: 6 entries; expected 14, ant[1] to ant[14]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), [m[1:] for m in LOOP_MISTAKES], ids=[m[0] for m in LOOP_MISTAKES])
def test_a_mistake_in_a_loop_has_its_line(old, new, message):
    assert old in RHOMBUS
    with pytest.raises(ModelFileError, match=re.escape(message)):
        kt.Robot.from_par(RHOMBUS.replace(old, new))


def test_states_and_loads_in_a_file_are_left_out_with_one_warning():
    text = ARM.replace("FX = {0, 0, FX3}", "FX = {0, 0, 5}").replace("VP0 = {0, 0, 0}", "VP0 = {0, 0, 1}")
    with pytest.warns(ModelWarning, match=r"^text: left out: FX, VP0, a state of the robot") as caught:
        robot = kt.Robot.from_par(text, numbers=NUMBERS)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_same_dynamics(robot, arm_by_hand())
    with pytest.warns(ModelWarning, match=r"^text: left out: mu of the cut joints"):
        kt.Robot.from_par(RHOMBUS.replace("mu = {1,0,1,0,0,0}", "mu = {1,0,1,0,1,0}"))


def test_numbers_must_be_numbers_of_symbols_in_the_file():
    with pytest.raises(UnknownNameError, match="there is no symbol 'betta'; did you mean 'beta'"):
        kt.Robot.from_par(ARM, numbers={"betta": 1.0})
    with pytest.raises(ModelError, match="numbers: 'th1' is the variable of joint 1, a coordinate"):
        kt.Robot.from_par(ARM, numbers={"th1": 1.0})
    for value in (math.nan, math.inf, "1", None, True):
        with pytest.raises(ModelError, match=f"numbers: L = {value!r} is not a finite number"):
            kt.Robot.from_par(ARM, numbers={"L": value})
    assert kt.Robot.from_par(ARM, numbers={"FX3": 1.0}).nv == 3, "a state is no part of the model, but a symbol"
    with pytest.raises(ModelFileError, match=r"line 17, alpha\[3\]: .*1/L.* has no value for the numbers given"):
        kt.Robot.from_par(ARM.replace("beta", "1/L"), numbers={"L": 0.0})


def test_a_reserved_symbol_may_have_a_number():
    assert kt.Robot.from_par(ARM.replace("beta", "tau"), numbers={"tau": 0.5}).nv == 3


def test_inertias_that_no_body_has_are_refused_with_the_file():
    numbers = NUMBERS | {"M3": 0.0}
    with pytest.raises(InertiaError, match=r"^text: body 'link3' has the first moments .* strict=False"):
        kt.Robot.from_par(ARM, numbers=numbers)
    assert kt.Robot.from_par(ARM, numbers=numbers, strict=False).nv == 3


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig"])
def test_the_header_of_symoro_is_read_in_any_encoding(encoding, tmp_path):
    header = "(* 1 rue de la No\u00eb, BP 92101, 44321 Nantes *)\n"
    (tmp_path / "arm.par").write_bytes((header + ARM.replace("test", "t\u00eate")).encode(encoding))
    robot = kt.Robot.from_file(tmp_path / "arm.par")
    assert robot.name == "t\u00eate arm"
    assert robot.bodies == kt.Robot.from_par(ARM).bodies
    (tmp_path / "arm.par").write_bytes(ARM.replace("L/2", "\u00eb/2").encode(encoding))
    with pytest.raises(ModelFileError, match=r"^arm.par, line 13, b"):
        kt.Robot.from_file(tmp_path / "arm.par")


def test_what_is_no_text_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "arm.par"
    path.write_bytes(ARM.replace("test", "t\x9fte").encode("latin-1"))
    with pytest.raises(ModelFileError, match=r"^arm.par, line 1: the byte 0x9f can't be read as text; save .* UTF-8"):
        kt.Robot.from_par(path)
    path.write_bytes(np.random.default_rng(0).bytes(5000))
    with pytest.raises(ModelFileError, match=r"^arm.par, line"):
        kt.Robot.from_par(path)
    path.write_bytes(b"\x00\x01\x02\n" * 100)
    with pytest.raises(ModelFileError, match=r"^arm.par, line 1: .* is not of the form name = value"):
        kt.Robot.from_par(path)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match=r"^arm.par: there is nothing in it"):
        kt.Robot.from_par(path)
    with pytest.raises(ModelFileError, match=r"there is no file .*none.par'; expected the path of a .par file"):
        kt.Robot.from_par(tmp_path / "none.par")
    with pytest.raises(ModelFileError, match="can't read a model from a list"):
        kt.Robot.from_par([])
    path.write_text(ARM)
    monkeypatch.setattr(text_file, "MAX_BYTES", len(ARM) - 1)
    with pytest.raises(ModelFileError, match=r"^arm.par is larger than the \d+ bytes"):
        kt.Robot.from_par(path)
    with pytest.raises(ModelFileError, match=r"^the text has \d+ characters"):
        kt.Robot.from_par(ARM)


def mutated(text: str, rng: random.Random) -> str:
    """A few pieces cut out, doubled, swapped with others or replaced by what a parser may stumble over."""
    for _ in range(rng.randint(1, 4)):
        a = rng.randrange(len(text))
        b = min(len(text), a + rng.choice((1, 1, 2, 5, 30)))
        pieces = ["", text[a:b] * 2, "{", "}", "(*", "*)", "(", ")", ",", "=", "\n", "-", "^", "9e9", "pi", "\x00", "é"]
        text = text[:a] + rng.choice([*pieces, text[b : b + 5]]) + text[b:]
    return text


def read_mutations(count: int, seed: int) -> int:
    rng = random.Random(seed)
    refused = 0
    for k in range(count):
        text = mutated((ARM, RHOMBUS, FLOATING)[k % 3], rng) + "\n"
        start = time.perf_counter()
        try:
            kt.Robot.from_par(text, numbers={}, strict=False)
        except KinetreeError:
            refused += 1
        assert time.perf_counter() - start < SECONDS
    return refused


@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
def test_mutated_files_are_read_or_refused():
    assert 100 < read_mutations(600, 1) < 600


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
def test_many_mutated_files_are_read_or_refused():
    assert 5_000 < read_mutations(20_000, 2) < 20_000
