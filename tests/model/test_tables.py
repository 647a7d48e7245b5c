"""Tables: the same robot from rows, mappings, CSV and TOML; formulas in them; what they must not say."""

from __future__ import annotations

import dataclasses
import importlib
import math
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from strategies import relative_error, states

import kinetree as kt
from kinetree.errors import InertiaError, ModelError, ModelFileError, UnknownNameError
from kinetree.model.moments import Moments
from kinetree.model.table import file as table_file
from kinetree.model.text import file as text_file
from kinetree.model.text.formula import MAX_DEPTH, MAX_LENGTH, MAX_OPERATIONS, formula, slope
from kinetree.parameter import Parameter, parameters_in, substitute
from kinetree.scalar import Scalar
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

# a dozen products of numbers of size one, each rounded to 1.1e-16
ROUNDING = 1e-13
# refusing what is too much must not take the time that reading it would
AT_ONCE = 1.0  # s

TOML = pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python has no tomllib")

ROWS = [
    kt.DH(alpha=math.pi / 2, d=0.4, mass=2.0, com=(0.0, 0.1, 0.02), inertia=(0.03, 0.02, 0.03, 0.001, 0.0, 0.002)),
    kt.DH(
        a=0.3, theta=-math.pi, mass=1.5, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02), damping=0.3, coulomb=0.2,
        limits=kt.Limits(-math.pi / 2, math.radians(100), math.pi, 25.0),
    ),
    kt.DH(
        a=0.2, alpha=math.radians(30), joint="prismatic", d=0.1, mass=1.0, rotor_inertia=0.7, limits=kt.Limits(0, 0.5)
    ),
    kt.DH(parent=1, theta=0.25, mass=0.5, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.01), name="camera"),
]  # fmt: skip
MAPPINGS = [
    {
        "alpha": 90, "d": 0.4, "mass": 2, "com": (0, 0.1, 0.02), "ixx": 0.03, "iyy": "0.02", "izz": 0.03,
        "ixy": 0.001, "iyz": 0.002,
    },
    {
        "a": 0.3, "theta": -180.0, "mass": 1.5, "com_x": 0.1, "inertia": np.array([0.01, 0.02, 0.02]), "damping": 0.3,
        "coulomb": 0.2, "limits": {"lower": -90, "upper": 100, "velocity": 180, "effort": 25},
    },
    {
        "a": 0.2, "alpha": 30, "joint": "prismatic", "d": "1/10", "mass": 1.0, "rotor_inertia": 0.7, "lower": 0,
        "upper": 0.5,
    },
    {
        "parent": 1, "theta": math.degrees(0.25), "mass": 0.5, "com": [0, 0, 0.1], "inertia": np.eye(3) * 0.01,
        "name": "camera",
    },
]  # fmt: skip
CSV = """# convention: modified
# a comment of no importance
# degrees: yes
# name: arm
# gravity: 0 0.5 -9.81

HEADER
, revolute, , 0, 90, 0.4, 0, 2, 0, 0.1, 0.02, 0.03, 0.02, 0.03, 0.001, 0.002, 0, 0, 0, , , ,
# in between
, revolute, , 0.3, 0, 0, -180, 1.5, 0.1, 0, 0, 0.01, 0.02, 0.02, 0, 0, 0.3, 0.2, 0, -90, 100, 180, 25
, prismatic, , 0.2, 30, 1/10, 0, 1.0, , , , , , , , , , , 0.7, 0, 0.5, ,
camera, revolute, 1, , , , DEGREES, 0.5, , , 0.1, 0.01, 0.01, 0.01, , , , , , , , ,
""".replace("DEGREES", repr(math.degrees(0.25))).replace(
    "HEADER",
    "name, joint, parent, a, alpha, d, theta, mass, com_x, com_y, com_z, ixx, iyy, izz, ixy, iyz, "
    "damping, coulomb, rotor_inertia, lower, upper, velocity, effort",
)
TOML_TEXT = f"""
convention = "modified"
degrees = true
name = "arm"
gravity = [0, 0.5, "-9.81"]

[[link]]
alpha = 90
d = 0.4
mass = 2
com = [0, 0.1, 0.02]
inertia = [[0.03, 0.001, 0], [0.001, 0.02, 0.002], [0, 0.002, 0.03]]

[[link]]
a = 0.3
theta = -180.0
mass = 1.5
com = [0.1, 0, 0]
inertia = [0.01, 0.02, 0.02]
damping = 0.3
coulomb = 0.2
limits = {{ lower = -90, upper = 100, velocity = 180, effort = 25 }}

[[link]]
a = 0.2
alpha = 30
joint = "prismatic"
d = "1/10"
mass = 1.0
rotor_inertia = 0.7
lower = 0
upper = 0.5

[[link]]
parent = 1
theta = {math.degrees(0.25)!r}
mass = 0.5
com = [0, 0, 0.1]
inertia = [0.01, 0.01, 0.01]
name = "camera"
"""
GRAVITY = (0.0, 0.5, -9.81)


def file_of(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_same_robot(one: kt.Robot, other: kt.Robot) -> None:
    s = states(one)
    taus = [robot.inverse_dynamics(s.q, s.qd, s.qdd) for robot in (one, other)]
    assert relative_error(*taus) < ROUNDING
    assert [b.joint.limits for b in one.bodies] == [b.joint.limits for b in other.bodies]
    assert [b.name for b in one.bodies] == [b.name for b in other.bodies]


# -- one robot in many tables ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def robot() -> kt.Robot:
    return kt.Robot.from_dh(ROWS, gravity=GRAVITY)


def test_mappings_say_what_rows_say(robot):
    assert_same_robot(robot, kt.Robot.from_dh(MAPPINGS, degrees=True, gravity=GRAVITY))


@pytest.mark.parametrize(("ending", "text"), [(".csv", CSV), pytest.param(".toml", TOML_TEXT, marks=TOML)])
def test_files_say_what_rows_say(robot, ending, text, tmp_path):
    path = file_of(tmp_path, "table" + ending, text)
    read = kt.Robot.from_dh(path)
    assert_same_robot(robot, read)
    assert read.name == "arm"
    assert tuple(read.gravity) == GRAVITY
    assert_same_robot(robot, kt.Robot.from_dh(str(path)))
    assert_same_robot(robot, kt.Robot.from_file(path))


@pytest.mark.parametrize(("ending", "text"), [(".csv", CSV), pytest.param(".toml", TOML_TEXT, marks=TOML)])
def test_keywords_win_over_the_settings_of_a_file(ending, text, tmp_path):
    path = file_of(tmp_path, "table" + ending, text)
    options = {"name": "other", "gravity": (0, 0, 1.0), "base": "floating", "base_inertia": kt.Inertia(1.0)}
    read = kt.Robot.from_dh(path, "standard", degrees=False, **options)
    assert (read.name, tuple(read.gravity), read.joint_names[0]) == ("other", (0, 0, 1), "base")
    assert "dh1" in read.frames
    assert read.bodies[2].joint.kind.offset == -180.0


def test_a_file_without_settings_is_modified_in_radians_and_named_after_itself(tmp_path):
    read = kt.Robot.from_dh(file_of(tmp_path, "Arm 7.csv", "theta,a\n0.5,1\n0,1\n"))
    assert read.name == "Arm 7"
    assert read.bodies[0].joint.kind.offset == 0.5
    assert tuple(read.gravity) == (0, 0, -9.81)
    assert [tuple(b.joint.placement.p) for b in read.bodies] == [(1, 0, 0), (1, 0, 0)]


@TOML
def test_a_floating_base_may_be_a_setting(tmp_path):
    path = file_of(tmp_path, "a.toml", 'base = "floating"\n[[link]]\nmass = 1.0\n')
    assert kt.Robot.from_dh(path).nv == 7
    assert kt.Robot.from_dh(path, base="fixed").nv == 1
    assert kt.Robot.from_dh(file_of(tmp_path, "a.csv", "# base: floating\nmass\n1\n")).nv == 7


def test_rows_in_degrees_are_rows_in_radians(robot):
    def degrees(row: kt.DH) -> kt.DH:
        limits = row.limits
        if row.joint == "revolute":
            limits = kt.Limits(*map(math.degrees, (limits.lower, limits.upper, limits.velocity)), limits.effort)
        angles = {name: math.degrees(getattr(row, name)) for name in ("alpha", "theta", "gamma")}
        return dataclasses.replace(row, **angles, limits=limits)

    read = kt.Robot.from_dh([degrees(row) for row in ROWS], degrees=True, gravity=GRAVITY)
    s = states(robot)
    taus = [x.inverse_dynamics(s.q, s.qd, s.qdd) for x in (robot, read)]
    assert relative_error(*taus) < ROUNDING
    assert (
        relative_error(dataclasses.astuple(read.bodies[1].joint.limits), dataclasses.astuple(ROWS[1].limits)) < ROUNDING
    )


@pytest.mark.parametrize("quarters", range(-8, 9))
def test_whole_quarter_turns_in_degrees_are_exact(quarters):
    """A turn by 90 degrees leaves no cosine of 6e-17 behind."""
    (body,) = kt.Robot.from_dh([{"alpha": 90 * quarters, "theta": 90 * quarters}], degrees=True).bodies
    assert body.joint.kind.offset == quarters * (math.pi / 2)
    assert {x for row in body.joint.placement.R.matrix for x in row} <= {-1.0, 0.0, 1.0}


def test_names_in_a_table_are_parameters(tmp_path):
    path = file_of(tmp_path, "a.csv", "a,alpha,mass,com_x,ixx,iyy,izz\n0,pi/2,m1,0,0.1,0.1,0.1\n2*L,0,1,L/2,J,J,J\n")
    read = kt.Robot.from_dh(path)
    assert [*read.parameters] == ["J", "L", "m1"]
    numbers = {"J": 0.2, "L": 0.7, "m1": 1.3}
    rows = [
        kt.DH(alpha=math.pi / 2, mass=1.3, inertia=(0.1,) * 3),
        kt.DH(a=1.4, mass=1.0, com=(0.35, 0, 0), inertia=(0.2,) * 3),
    ]
    s = states(read)
    expected = kt.Robot.from_dh(rows).inverse_dynamics(s.q, s.qd, s.qdd)
    assert relative_error(read.inverse_dynamics(s.q, s.qd, s.qdd, **numbers), expected) < ROUNDING
    mappings = [{"alpha": kt.parameter("twist", 90.0), "mass": 1}]
    turned = kt.Robot.from_dh(mappings, degrees=True)
    assert relative_error(turned.pose([0.0], "link1")[2, 1], 1.0) < ROUNDING


# -- formulas ----------------------------------------------------------------------------------------------------------

FORMULAS = {
    "1": 1.0, "-1.5e-3": -1.5e-3, ".5": 0.5, "2.": 2.0, "pi": math.pi, "Pi/2": math.pi / 2, "-pi/2": -math.pi / 2,
    "1 - 2 - 3": -4.0, "8/4/2": 1.0, "2+3*4": 14.0, "(2+3)*4": 20.0, "-2^2": -4.0, "2**-1": 0.5, "2^3^2": 512.0,
    "--1": 1.0, "+1": 1.0, "2*-3": -6.0, "sqrt(2)": math.sqrt(2),
    "sin(1)+cos(2)*tan(3)": math.sin(1) + math.cos(2) * math.tan(3),
    "atan2(1, -2)": math.atan2(1, -2), " 3 ": 3.0, "-0": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("text", list(FORMULAS))
def test_formulas_are_the_arithmetic_that_they_look_like(text):
    assert formula(text) == pytest.approx(FORMULAS[text], rel=4 * 2.0**-52, abs=0.0)
    assert math.copysign(1, formula("-0")) == 1.0


@pytest.mark.parametrize(
    "text", ["a+b*c", "a-b-c", "-a^2/b", "cos(a)*d12 - sqrt(b)/2", "(a+b)^-2", "atan2(a, b)", "a**0", "0*a"]
)
def test_formulas_with_names_have_the_value_of_their_numbers(text):
    numbers = {"a": 0.7, "b": 1.9, "c": -0.4, "d12": 0.3}
    expected = eval(text.replace("^", "**"), {**vars(math), **numbers})
    assert substitute(formula(text), numbers) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("x", 1), ("x+a", 1), ("a-x", -1), ("2*x/4+x/2", 1), ("a", 0), ("-(-x)", 1), ("x*(1+1)", 2), ("cos(a)+x", 1),
        ("x*x", None), ("a*x", None), ("cos(x)", None), ("a/x", None),
    ],
)  # fmt: skip
def test_the_slope_is_the_constant_factor(text, factor):
    assert slope(formula(text), "x") == factor


BAD_FORMULAS = {
    "": "there is nothing in it",
    "1+": "expected a number or a name at the end",
    "*2": r"instead of '\*'",
    "2 3": "expected an operator before '3'",
    "2x": "expected an operator before 'x'",
    "0x10": "expected an operator before 'x10'",
    "1_000": "expected an operator",
    "1,2": "expected an operator before ','",
    "(1": "a parenthesis is not closed",
    "1)": r"expected an operator before '\)'",
    "exp(1)": "there is no function 'exp'. Known: 'atan2', 'cos', 'sin', 'sqrt', 'tan'",
    "sni(1)": "did you mean 'sin'",
    "sin": "needs its argument in parentheses",
    "sin(1,2)": "sin takes 1 argument, got 2",
    "atan2(1)": "atan2 takes 2 arguments, got 1",
    "nan": "'nan' is not a finite number",
    "-Inf": "'Inf' is not a finite number",
    "1e999": "not a finite number",
    "1e308*10": "not a finite number",
    "9**9**9": "the result is too large",
    "9^9^9^9^9": "the result is too large",
    "1/0": "division by zero",
    "x/0": "division by zero",
    "0^-1": "division by zero",
    "sqrt(-1)": "not a finite number",
    "(-1)^0.5": "-1 can't be raised to 0.5",
    "x^0.5": "must be an integer",
    "x^1000": "must be an integer, 100 at most",
    "2^x": "an exponent must be a number",
    "((x^90)^90)^90": f"more than {MAX_OPERATIONS} operations",
    "+".join(["x"] * (MAX_OPERATIONS + 2)): f"more than {MAX_OPERATIONS} operations",
    "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1): f"more than {MAX_DEPTH} deep",
    "-" * (MAX_DEPTH + 1) + "1": f"more than {MAX_DEPTH} deep",
    "^".join(["1"] * (MAX_DEPTH + 2)): f"more than {MAX_DEPTH} deep",
    "1" * (MAX_LENGTH + 1): f"longer than {MAX_LENGTH}",
    "1" * 101: "more than 100 digits",
    "__import__('os')": 'the character "\'" has no place',
    "x.y": r"the character '\.'",
    "a[0]": r"the character '\['",
    "٣": "has no place",
    "2\x00": "has no place",
}


@pytest.mark.parametrize("text", list(BAD_FORMULAS), ids=lambda text: text[:20] or "empty")
def test_what_is_no_formula_is_refused_at_once(text):
    start = time.perf_counter()
    with pytest.raises(ModelError, match=BAD_FORMULAS[text]):
        formula(text)
    assert time.perf_counter() - start < AT_ONCE


def test_the_largest_formula_can_be_used_as_any_other():
    """Neither its size nor its depth breaks what walks through it."""
    value = formula("+".join(["x"] * (MAX_OPERATIONS + 1)))
    assert substitute(value, {"x": 1.0}) == MAX_OPERATIONS + 1
    assert [*parameters_in(value)] == ["x"]
    arm = kt.Robot.from_dh([kt.DH(mass=value)])
    assert relative_error(arm.gravity_forces([0.0], x=1.0), [0.0]) < ROUNDING


# -- what a table must not say -----------------------------------------------------------------------------------------

TABLE = """# degrees: no
# name: arm
a,alpha,d,theta,joint,parent,mass,ixx,iyy,izz,upper
0,pi/2,0.1,0,revolute,0,1,0.1,0.1,0.1,1
0.5,0,0,0,revolute,1,1,0.1,0.1,0.1,1
"""
ROW = "0.5,0,0,0,revolute,1,1,0.1,0.1,0.1,1"
CSV_MISTAKES = [
    ("empty", TABLE, "", ": there is nothing in it; expected a header"),
    ("only_comments", TABLE, "# a\n# b\n", ": there is nothing in it"),
    ("only_header", TABLE, "a,alpha\n", ": there is no row below the header"),
    ("unknown_column", "a,alpha", "a,alfa", ", line 3, the header: there is no column 'alfa'; did you mean 'alpha'"),
    ("column_twice", "a,alpha", "a,a", ", line 3, the header: the column 'a' is there twice"),
    ("sequence_column", "a,alpha", "com,alpha", ", line 3, the header: there is no column 'com'"),
    ("missing_cell", ROW, ROW[:-2], ", line 5: 10 cells, but the header has 11 columns"),
    ("extra_cell", ROW, ROW + ",1", ", line 5: 12 cells, but the header has 11"),
    ("bad_formula", "pi/2", "pi/", ", line 4, column 'alpha': 'pi/': expected a number"),
    ("not_a_number", "0.5,", "half a metre,", ", line 5, column 'a': 'half a metre': expected an operator"),
    ("nan", "0.5,", "nan,", ", line 5, column 'a': 'nan': 'nan' is not a finite number"),
    ("infinite", "0.5,", "1e999,", ", line 5, column 'a': '1e999' is not a finite number"),
    ("reserved_name", "0.5,", "qd,", ", line 5, column 'a': a parameter can't be called 'qd'"),
    ("word_of_python", "0.5,", "lambda,", ", line 5, column 'a': a parameter can't be called 'lambda'"),
    ("symbolic_limit", ROW, ROW[:-1] + "L", ", line 5, column 'upper': a limit must be a number"),
    ("open_quote", "0.5,", '"0.5,', ", line 5: not readable as CSV: unexpected end of data"),
    ("unknown_joint", ROW, ROW.replace("revolute", "screw"), ": row 2: joint 'screw' is not one of 'revolute'"),
    ("later_parent", ROW, ROW.replace("revolute,1", "revolute,7"), ": row 2: the antecedent 7 must be 0"),
    ("huge_parent", ROW, ROW.replace("revolute,1", "revolute," + "9" * 5000), ": row 2: the antecedent"),
    ("degrees_perhaps", "# degrees: no", "# degrees: perhaps", ", line 1: degrees: 'perhaps' is not one of yes, true"),
    ("misspelt_setting", "# degrees: no", "# degree: yes", ", line 1: did you mean the setting 'degrees'"),
    ("convention", "# degrees: no", "# convention: craig", ": convention 'craig' is not one of 'standard'"),
    ("base", "# degrees: no", "# base: flying", ": base 'flying' is not one of 'fixed', 'floating'"),
    ("gravity", "# degrees: no", "# gravity: down", ": gravity is three numbers"),
    ("two_gravities", "# degrees: no", "# gravity: 0 1", ": gravity is three numbers"),
    ("bad_gravity", "# degrees: no", "# gravity: 0 0 g/", ": gravity is three numbers such as 0, 0, -9.81, got '0 0"),
    ("pi_in_degrees", "# degrees: no", "# degrees: yes", ", line 4, column 'alpha': 'pi/2': 'pi' has no place"),
    ("control_characters", "0.5,", "0\x01,", ", line 5, column 'a': .* has no place"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), [m[1:] for m in CSV_MISTAKES], ids=[m[0] for m in CSV_MISTAKES])
def test_a_mistake_in_a_csv_file_is_reported_with_its_line(old, new, message, tmp_path):
    assert old in TABLE
    path = file_of(tmp_path, "arm.csv", TABLE.replace(old, new))
    with pytest.raises(ModelFileError, match=f"^arm.csv{re.escape(message).replace(re.escape('.*'), '.*')}"):
        kt.Robot.from_dh(path)


def test_the_table_without_a_mistake_is_read(tmp_path):
    assert kt.Robot.from_dh(file_of(tmp_path, "arm.csv", TABLE)).nv == 2
    assert (
        kt.Robot.from_dh(file_of(tmp_path, "arm.csv", b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode())).nv == 2
    )


TOML_MISTAKES = [
    ("empty", "", ": there are no rows; expected one [[link]]"),
    ("no_rows", "name = 'x'", ": there are no rows"),
    ("row_is_no_table", "link = [1, 2]", ": there are no rows"),
    ("one_table", "[link]\na = 1", ": there are no rows"),
    ("syntax", "name = \n[[link]]\na = 1", ": not readable as TOML: Invalid value (at line 1"),
    ("key_twice", "[[link]]\na = 1\na = 2", ": not readable as TOML: Cannot overwrite a value (at"),
    ("unknown_setting", "degree = true\n[[link]]\na = 1", ": there is no key 'degree'; did you mean 'degrees'"),
    ("unknown_key", "[[link]]\na = 1\n[[link]]\nalfa = 1", ", link 2: there is no key 'alfa'; did you mean 'alpha'"),
    ("unknown_limit", "[[link]]\nlimits = {top = 1}", ", link 1: there is no limit 'top'"),
    ("limits_of_one_number", "[[link]]\nlimits = 1", ", link 1, 'limits': 1 is not a mapping with lower"),
    ("date", "[[link]]\na = 2020-01-01", ", link 1, 'a': datetime.date(2020, 1, 1) is not a finite number"),
    ("boolean", "[[link]]\na = true", ", link 1, 'a': True is not a finite number"),
    ("nan", "[[link]]\na = nan", ", link 1, 'a': nan is not a finite number"),
    ("nan_limit", "[[link]]\nupper = nan", ", link 1, 'upper': nan is not a finite number"),
    ("both", "[[link]]\ncom = [0, 0, 1]\ncom_x = 1", ", link 1, 'com_x': 'com' is there as well"),
    ("two_coordinates", "[[link]]\ncom = [0, 1]", ", link 1: a centre of mass has three coordinates"),
    ("com_of_one_number", "[[link]]\ncom = 1", ", link 1, 'com': 1 is not a sequence of numbers"),
    ("com_of_text", "[[link]]\ncom = '0 0 1'", ", link 1, 'com': '0 0 1' is not a sequence"),
    ("four_moments", "[[link]]\ninertia = [1, 1, 1, 1]", ", link 1: an inertia is three numbers"),
    ("name", "name = 3\n[[link]]\na = 1", ": the name 3 is not text in quotes"),
    ("degrees", "degrees = 1\n[[link]]\na = 1", ": degrees is true or false, got 1"),
    ("gravity", "gravity = 9.81\n[[link]]\na = 1", ": gravity is three numbers"),
    ("deep", "a = " + "[\n" * 5000 + "]\n" * 5000, ": not readable as TOML"),
    ("long_line", "\na = 1" + " " * 2000, ", line 2: more than 1000 characters or 50 dots in a line"),
    ("dotted_key", "a" + ".a" * 60 + " = 1", ", line 1: more than 1000 characters or 50 dots in a line"),
    ("convention", "convention = ['standard']\n[[link]]\na = 1", ": convention ['standard'] is not one of"),
]  # fmt: skip


@TOML
@pytest.mark.parametrize(("text", "message"), [m[1:] for m in TOML_MISTAKES], ids=[m[0] for m in TOML_MISTAKES])
def test_a_mistake_in_a_toml_file_is_reported_with_its_key(text, message, tmp_path):
    path = file_of(tmp_path, "arm.toml", text)
    with pytest.raises(ModelFileError, match="^arm.toml" + re.escape(message)):
        kt.Robot.from_dh(path)


@pytest.mark.parametrize("ending", [".csv", pytest.param(".toml", marks=TOML)])
def test_what_is_no_text_is_refused(ending, tmp_path, monkeypatch):
    path = file_of(tmp_path, "arm" + ending, b"a,alpha\n0,\xff\n")
    with pytest.raises(ModelFileError, match=f"arm{ending}, line 2: the byte 0xff .* save the file as UTF-8"):
        kt.Robot.from_dh(path)
    junk = file_of(tmp_path, "junk" + ending, np.random.default_rng(0).bytes(5000))
    with pytest.raises(ModelFileError, match=f"junk{ending}, line"):
        kt.Robot.from_dh(junk)
    monkeypatch.setattr(text_file, "MAX_BYTES", 10)
    with pytest.raises(ModelFileError, match=f"arm{ending} is larger than the 10 bytes"):
        kt.Robot.from_dh(path)


def test_a_table_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(table_file, "MAX_ROWS", 3)
    with pytest.raises(ModelFileError, match="line 6: there are more than 3 rows"):
        kt.Robot.from_dh(file_of(tmp_path, "arm.csv", "a\n" + "1\n" * 4))
    monkeypatch.setattr(table_file, "MAX_TOML", 20)
    with pytest.raises(ModelFileError, match="larger than the 20 characters"):
        kt.Robot.from_dh(file_of(tmp_path, "arm.toml", "[[link]]\na = 1\n" * 4))


def test_python_without_toml_says_what_to_do(tmp_path, monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ModelFileError, match=r"arm.toml: this Python can't read TOML; use Python 3.11 .* tomli"):
        kt.Robot.from_dh(file_of(tmp_path, "arm.toml", "[[link]]\na = 1\n"))


def test_a_mistake_in_a_mapping_has_its_row():
    with pytest.raises(
        UnknownNameError, match=r"^row 2: there is no key 'alfa'; did you mean 'alpha'.*'rotor_inertia'"
    ):
        kt.Robot.from_dh([{"a": 1}, {"alfa": 1}])
    with pytest.raises(ModelError, match=r"^row 2, 'a': 'x\+': expected a number"):
        kt.Robot.from_dh([kt.DH(), {"a": "x+"}])
    with pytest.raises(ModelError, match=r"^row 1: a centre of mass has three"):
        kt.Robot.from_dh([{"com": (1, 2)}])
    with pytest.raises(ModelError, match=r"^row 1 of the table is 3; each row is a kinetree.DH"):
        kt.Robot.from_dh([3])
    with pytest.raises(ModelError, match="degrees is true or false, got 'yes'"):
        kt.Robot.from_dh([{"a": 1}], degrees="yes")


def test_an_inertia_that_no_body_has_is_refused_with_the_file(tmp_path):
    path = file_of(tmp_path, "arm.csv", TABLE.replace(ROW, ROW.replace("1,0.1,0.1,0.1", "1,0.1,0.1,0.9")))
    with pytest.raises(InertiaError, match=r"^arm.csv: body 'link2' has principal moments"):
        kt.Robot.from_dh(path)
    assert kt.Robot.from_dh(path, strict=False).nv == 2


# -- files of any format -----------------------------------------------------------------------------------------------

URDF = '<?xml version="1.0"?>\n<!-- <mujoco/> -->\n<robot name="arm"><link name="base"/></robot>'


def test_the_ending_and_the_root_element_choose_the_reader(tmp_path):
    for name in ("arm.urdf", "arm.xml", "ARM.XML"):
        assert kt.Robot.from_file(file_of(tmp_path, name, URDF)).name == "arm"
    assert kt.Robot.from_file(str(file_of(tmp_path, "arm.csv", TABLE)), name="other").name == "other"


FILE_MISTAKES = [
    ("arm.step", "", "can't tell the format of .*arm.step'; expected a file that ends in .urdf, .mjcf, .xml, .par"),
    ("arm", "", "can't tell the format"),
    ("arm.xml", "<sdf/>", "arm.xml: the root element is <sdf>; expected <robot> or <mujoco>"),
    ("arm.xml", "hello", "arm.xml: there is no root element; expected <robot> or <mujoco>"),
    ("arm.xml", "<!-- open", "arm.xml: there is no root element"),
    ("arm.urdf", "<sdf/>", "arm.urdf, line 1, <sdf>: the root element is <sdf>; expected <robot>"),
]


@pytest.mark.parametrize(("name", "text", "message"), FILE_MISTAKES)
def test_a_file_of_no_known_format_is_refused(name, text, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        kt.Robot.from_file(file_of(tmp_path, name, text))


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match=r"there is no file .*none.csv"):
        kt.Robot.from_file(tmp_path / "none.csv")
    with pytest.raises(ModelFileError, match=r"there is no file .*none.csv"):
        kt.Robot.from_dh(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ModelFileError, match=r"there is no file .*folder.csv"):
        kt.Robot.from_file(tmp_path / "folder.csv")
    with pytest.raises(ModelFileError, match="can't read a model from a int"):
        kt.Robot.from_file(3)
    with pytest.raises(ModelFileError, match=r"can't read a table from 'rows.txt'; expected .* .csv or .toml"):
        kt.Robot.from_dh("rows.txt")
    with pytest.raises(UnknownNameError, match=r"no option for .csv files 'numbers'.*'degrees'"):
        kt.Robot.from_file(file_of(tmp_path, "arm.csv", TABLE), numbers={})


# -- moments about the origin ------------------------------------------------------------------------------------------


def inertias(seed: int) -> tuple[kt.Inertia, kt.Inertia]:
    """Two bodies of a few points each."""
    made = []
    for part in range(2):
        x = np.random.default_rng([seed, part]).normal(size=(4, 3))
        J = np.eye(3) * np.trace(x.T @ x) - x.T @ x
        made.append(kt.Inertia(1.5 + part, x[0], (J + J.T) / 2))
    return made[0], made[1]


def moments(inertia: kt.Inertia) -> Moments:
    return Moments.of_rigid(inertia.rigid)


def numbers(rigid) -> list[float]:
    return [rigid.m, *rigid.ms, *rigid.J]


@pytest.mark.parametrize("seed", range(3))
def test_moments_add_and_move_as_the_inertia_that_they_are_of(seed):
    a, b = inertias(seed)
    X = Transform(Rotation.about(0, 0.4).then(Rotation.about(2, -1.1)), Vec3(0.3, -0.2, 0.5))
    assert relative_error(numbers(moments(a).rigid), numbers(a.rigid)) == 0.0
    for total in (moments(a) + b, a + moments(b), moments(a) + moments(b), kt.Inertia() + moments(a) + b):
        assert isinstance(total, Moments)
        assert relative_error(numbers(total.rigid), numbers((a + b).rigid)) < ROUNDING
    assert relative_error(numbers(moments(a).moved(X).rigid), numbers(a.moved(X).rigid)) < ROUNDING
    assert relative_error([*moments(a).com, *moments(a).about_com], [*a.com, *a.about_com]) < ROUNDING
    moments(a).check("arm")


def test_moments_without_a_mass_have_no_centre():
    regrouped = Moments(0.0, (0.1, 0.0, 0.0), (0.0, 0.0, 0.3))
    for ask in (lambda: regrouped.com, lambda: regrouped.about_com):
        with pytest.raises(ModelError, match="has no centre of mass"):
            ask()
    assert (Moments().com, Moments(second=(1, 1, 1)).about_com.xx) == (Vec3.zero, 1.0)
    body = kt.Body("arm", kt.Joint("hinge", kt.joints.Revolute()), regrouped)
    with pytest.raises(InertiaError, match=r"'arm' has the first moments .* without a mass.*strict=False"):
        kt.Robot((body,))
    arm = kt.Robot((body,), gravity=(0, -10, 0), strict=False)
    assert relative_error(arm.inverse_dynamics([0.0], [0.0], [2.0]), [2.0 * 0.3 + 10 * 0.1]) < ROUNDING


IMPOSSIBLE = {
    "negative mass": Moments(-1.0),
    "negative mass among parameters": Moments(-1.0, second=(Parameter("J"), 1.0, 1.0)),
    "not finite": Moments(1.0, (math.nan, 0, 0)),
    "infinite among parameters": Moments(Parameter("m"), (math.inf, 0, 0)),
    "inertia about another point": Moments(1.0, (1.0, 0, 0), (0.1, 0.1, 0.1)),
    "triangle": Moments(1.0, second=(0.1, 0.1, 0.3)),
}
POSSIBLE = {
    "nothing": Moments(),
    "point": Moments(
        2.0, (2.0 * 0.3, 0, 2.0 * 7.1), (2 * 7.1**2, 2 * (7.1**2 + 0.3**2), 2 * 0.3**2, 0, -2 * 0.3 * 7.1, 0)
    ),
    "rounded point": Moments(3.0, (1.0, 0, 0), (0, 0.3333333, 0.3333333)),
    "parameters": Moments(Parameter("m"), (Parameter("mx"), 0, 0)),
}


@pytest.mark.parametrize("name", list(IMPOSSIBLE))
def test_moments_that_no_body_has_are_refused(name):
    with pytest.raises(InertiaError, match="arm"):
        IMPOSSIBLE[name].check("arm")


@pytest.mark.parametrize("name", list(POSSIBLE))
def test_moments_that_a_body_can_have_are_taken(name):
    POSSIBLE[name].check("arm")


def test_code_made_of_moments_divides_by_no_mass():
    m = Moments(
        Parameter("m"), tuple(map(Parameter, ("x", "y", "z"))), tuple(map(Parameter, ("a", "b", "c", "d", "e", "f")))
    )
    arm = kt.Robot(
        tuple(kt.Body(n, kt.Joint(n, kt.joints.Revolute()), m, p) for n, p in (("one", None), ("two", "one")))
    )
    for name in ("inverse_dynamics", "mass_matrix", "bias_forces", "kinetic_energy", "potential_energy"):
        assert not {"div", "sqrt"} & arm.operations(name).keys(), name
    assert not isinstance(m.com.x, float)
    assert isinstance(m.com.x, Scalar)


@pytest.mark.parametrize("name", ["[1]", "{a = 1}", "3", "true", "1.5"])
def test_the_name_of_a_link_is_a_text(name: str, tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(f"[[link]]\nname = {name}\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"arm\.toml.*row 1: name = .* is not a text"):
        kt.Robot.from_file(file)
