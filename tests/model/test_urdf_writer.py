"""URDF text gives back the robot that it was written from, and nothing that it can't say is lost in silence."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import on_floats, relative_error, tree

import kinetree as kt
from kinetree.errors import ModelError, ModelFileError, ModelWarning
from kinetree.joints import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from kinetree.joints.axis import rotation_about
from kinetree.joints.quaternion import rotation
from kinetree.model.loops import Coupling, Loop
from kinetree.model.mechanism import Frame
from kinetree.model.moments import Moments
from kinetree.model.urdf.elements import LARGEST
from kinetree.model.urdf.rpy import angles_of
from kinetree.model.urdf.tree import rotation_of_rpy
from kinetree.parameter import Parameter
from kinetree.spatial.rotation import Rotation

# two roundings of numbers near one: what no three angles give back is itself a rotation to no more than that
ROTATION = 2 * 2.0**-52
# rotations that are off by that, through ten bodies
DYNAMICS = 1e-12
# of quantities that went through Pinocchio's own reader and algorithms
PINOCCHIO = 1e-10


def through_text(robot: kt.Robot, base: str = "fixed") -> kt.Robot:
    """The robot of the text of a robot, whose text is the same."""
    text = robot.to_urdf()
    copy = kt.Robot.from_urdf(text, base=base, gravity=tuple(robot.gravity), strict=False)
    assert copy.to_urdf() == text
    return copy


def distance(a: Rotation, b: Rotation) -> float:
    return float(np.abs(np.array([[*r] for r in a.matrix]) - np.array([[*r] for r in b.matrix])).max())


def turned(joint: kt.Joint) -> Rotation:
    """The orientation of the body at q = 0."""
    R, kind = joint.placement.R, joint.kind
    return R.then(rotation_about(kind.axis, 0.0, kind.offset)) if isinstance(kind, Revolute) else R


def assert_same(robot: kt.Robot, copy: kt.Robot) -> Counter[str]:
    """All numbers equal but those of rotations, which are equal or within rounding; counts them."""
    count: Counter[str] = Counter()
    assert copy.name == robot.name
    assert [body.name for body in copy.bodies] == [body.name for body in robot.bodies]
    for ours, theirs in zip(robot.bodies, copy.bodies):
        assert (ours.inertia, ours.parent) == (theirs.inertia, theirs.parent)
        a, b = ours.joint, theirs.joint
        same_place = dataclasses.replace(b, kind=a.kind, placement=a.placement)
        assert same_place == a
        assert type(a.kind) is type(b.kind)
        assert getattr(a.kind, "axis", None) == getattr(b.kind, "axis", None)
        assert a.placement.p == b.placement.p
        if (a.kind, a.placement.R) == (b.kind, b.placement.R):
            count["exact"] += 1
            continue
        # a turn about the joint's own axis may have gone into the offset
        assert distance(turned(a), turned(b)) <= ROTATION
        count["near" if getattr(a.kind, "offset", 0.0) == getattr(b.kind, "offset", 0.0) else "folded"] += 1
    extra = {name: frame for name, frame in copy.frames.items() if name not in robot.frames}
    assert all("_branch" in name and frame == Frame(frame.body) for name, frame in extra.items())
    for name, frame in robot.frames.items():
        assert (copy.frames[name].body, copy.frames[name].pose.p) == (frame.body, frame.pose.p)
        assert distance(copy.frames[name].pose.R, frame.pose.R) <= ROTATION
        count["exact" if copy.frames[name].pose.R == frame.pose.R else "near"] += 1
    count["branches"] += len(extra)
    return count


def assert_same_motion(robot: kt.Robot, copy: kt.Robot, seed: int = 0) -> None:
    """The same joint forces for the same motions, whatever the order of the coordinates."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = (rng.normal(size=(2, n)) for n in (robot.nq, robot.nv, robot.nv))
    place = {body.joint.name: k for k, body in enumerate(copy.bodies)}
    kept = [(k, place[body.joint.name]) for k, body in enumerate(robot.bodies) if body.joint.kind.nv]
    to_q, to_v = (
        np.array([i for _, i in sorted((y, x) for k, j in kept for x, y in zip(_range(a[k]), _range(b[j])))], int)
        for a, b in ((robot.q_slices, copy.q_slices), (robot.v_slices, copy.v_slices))
    )
    to_q, to_v = (np.array([*dict.fromkeys(to.tolist())], int) for to in (to_q, to_v))
    ours = on_floats(robot)("inverse_dynamics", q, qd, qdd)
    theirs = on_floats(copy)("inverse_dynamics", q[:, to_q], qd[:, to_v], qdd[:, to_v])
    assert relative_error(theirs, ours[:, to_v]) <= DYNAMICS


def _range(s: slice) -> range:
    return range(s.start, s.stop)


# -- real robots -------------------------------------------------------------------------------------------------------


def urdf_files() -> list[Path]:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


def robots_of(files: list[Path]) -> Iterator[tuple[kt.Robot, str]]:
    if not files:
        pytest.skip("example-robot-data is not installed")
    for file in files:
        for base in ("fixed", "floating"):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield kt.Robot.from_urdf(file, base=base, strict=False), base
            except ModelFileError:
                continue  # two of the files are broken


@pytest.mark.parametrize("step", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
def test_numbers_of_urdf_files_are_kept(step: int, capsys: pytest.CaptureFixture[str]) -> None:
    count: Counter[str] = Counter()
    for robot, base in robots_of(urdf_files()[::step]):
        count += assert_same(robot, through_text(robot, base)) + Counter(robots=1)
    with capsys.disabled():
        print(f" URDF -> URDF: {dict(count)} ", end="")
    assert count["robots"] >= 20
    assert count["near"] + count["folded"] < 0.1 * count["exact"]


CHOSEN = {"ur5_robot.urdf", "panda.urdf", "hyq_no_sensors.urdf", "solo12.urdf", "tiago_pro.urdf"}


def test_robots_of_urdf_files_move_as_before() -> None:
    for robot, base in robots_of([file for file in urdf_files() if file.name in CHOSEN]):
        copy = kt.Robot.from_urdf(robot.to_urdf(), base=base, gravity=tuple(robot.gravity))
        assert copy.joint_names == robot.joint_names
        assert_same_motion(robot, copy)


def test_pinocchio_reads_the_text_as_the_same_robot() -> None:
    pin = pytest.importorskip("pinocchio")
    for robot, base in robots_of([file for file in urdf_files() if file.name in {"ur5_robot.urdf", "solo12.urdf"}]):
        if base == "floating":
            continue
        model = pin.buildModelFromXML(robot.to_urdf())
        assert [*model.names][1:] == [*robot.joint_names]
        rng = np.random.default_rng(1)
        q, qd, qdd = (rng.normal(size=robot.nv) for _ in range(3))
        configuration = np.empty(model.nq)
        for joint, x in zip(model.joints[1:], q):  # unlimited angles are (cos, sin) there
            values = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = values
        theirs = pin.rnea(model, model.createData(), configuration, qd, qdd)
        resistance = [r for body, x in zip(robot.bodies, qd) for r in body.joint.passive_forces([0.0], [x])]
        ours = on_floats(robot)("inverse_dynamics", q[None], qd[None], qdd[None])[0]
        assert relative_error(ours - resistance, theirs) <= PINOCCHIO


def test_pinocchio_reads_every_type_of_joint() -> None:
    pin = pytest.importorskip("pinocchio")
    kinds = [Revolute(), Prismatic((1.0, 0.0, 0.0)), Planar(), Fixed(), Free(), Revolute((0.6, 0.0, 0.8), 0.3)]
    model = pin.buildModelFromXML(chain(*(kt.Joint(f"j{k}", kind) for k, kind in enumerate(kinds))).to_urdf())
    assert model.nv == 1 + 1 + 3 + 0 + 6 + 1


# -- random robots -----------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans(), st.booleans(), st.booleans())
def test_random_trees_move_as_before(seed: int, joints: int, friction: bool, floating: bool, mimics: bool) -> None:
    kinds = ("revolute", "prismatic", "fixed") + (() if friction else ("planar", "free"))
    robot = tree(seed, joints, kinds, friction=friction, on_free_base=floating, mimics=mimics)
    assume(robot.nv > 0)
    frames = {f"f{k}": Frame(body.name, body.joint.placement) for k, body in enumerate(robot.bodies)}
    robot = dataclasses.replace(robot, named_frames=frames)
    base = "floating" if floating else "fixed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the order of the coordinates
        copy = kt.Robot.from_urdf(robot.to_urdf(), base=base, gravity=tuple(robot.gravity), strict=False)
        again = kt.Robot.from_urdf(copy.to_urdf(), base=base, gravity=tuple(robot.gravity), strict=False)
        assert again.to_urdf() == copy.to_urdf()
    assert {*copy.joint_names} == {*robot.joint_names}
    assert {*copy.frames} >= {*robot.frames}
    assert_same_motion(robot, copy, seed)


angle = st.floats(-3.2, 3.2) | st.sampled_from((0.0, math.pi / 2, 1.5707963, 1e-9, 0.785398, 3.1416))


@settings(max_examples=60)
@given(angle, angle, angle)
def test_angles_give_back_the_bits_of_a_rotation(roll: float, pitch: float, yaw: float) -> None:
    assume(abs(math.cos(pitch)) > 1e-6)  # else roll and yaw say the same, and only their sum is known
    R = rotation_of_rpy(roll, pitch, yaw)
    assert rotation_of_rpy(*angles_of(R)) == R


@settings(max_examples=15)
@given(st.lists(angle, min_size=6, max_size=6), st.integers(0, 10**6))
def test_angles_of_any_rotation_are_within_rounding_and_stay(angles: list[float], seed: int) -> None:
    quaternion = np.random.default_rng(seed).normal(size=4).tolist()
    products = rotation_of_rpy(*angles[:3]).then(rotation_of_rpy(*angles[3:]))
    locked = rotation_of_rpy(angles[0], math.pi / 2 + angles[1] * 1e-9, angles[2])
    for R in (products, locked, rotation(quaternion)):
        found = angles_of(R)
        assert distance(rotation_of_rpy(*found), R) <= ROTATION
        assert angles_of(rotation_of_rpy(*found)) == found


# -- parts -------------------------------------------------------------------------------------------------------------

INERTIA = kt.Inertia(2.0, (0.1, -0.2, 0.3), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))


def chain(*joints: kt.Joint, **options: Any) -> kt.Robot:
    """Bodies b0, b1, ... on one another."""
    bodies = [kt.Body(f"b{k}", joint, INERTIA, f"b{k - 1}" if k else None) for k, joint in enumerate(joints)]
    return kt.Robot(tuple(bodies), **options)


def test_all_that_urdf_has_comes_back() -> None:
    robot = chain(
        kt.Joint("a", Revolute((0.0, -1.0, 0.0), 0.3), kt.Transform(Rotation.about(2, 0.7), (1.0, 2.0, 3.0)), 0.1, 0.2),
        kt.Joint("b", Revolute((0.6, 0.0, -0.8)), limits=kt.Limits(-1.0, 2.0, 3.0, 4.0)),
        kt.Joint("c", Prismatic((0.0, 0.0, -1.0)), limits=kt.Limits(-0.1, 0.1, 1.0, 5.0), rotor_inertia=0.7),
        kt.Joint("d", Revolute(), mimic=kt.Mimic("b", -0.5, 0.1), rotor_inertia=0.125, gear_ratio=-50, actuated=False),
        kt.Joint("e", Revolute(offset=-math.pi / 2), limits=kt.Limits(velocity=3.0, effort=4.0)),
        kt.Joint("f", Planar(), kt.Transform(p=(0.0, 1.0, 0.0)), 0.3, limits=kt.Limits(velocity=1.0, effort=2.0)),
        kt.Joint("g", Free(), kt.Transform(Rotation.about(1, math.pi / 2)), coulomb=0.4),
        name="all",
        named_frames={"tool": Frame("b6", kt.Transform(rotation_of_rpy(0.1, 0.2, 0.3), (0.0, 0.0, 1.0)))},
    )  # fmt: skip
    copy = through_text(robot)
    assert copy == robot
    assert assert_same(robot, copy)["near"] == 0


@given(st.integers(0, 10**6), st.integers(0, 2), st.sampled_from((1.0, -1.0)), st.booleans())
def test_offsets_come_back_beside_the_turns_outside_of_them(seed: int, k: int, sign: float, quarter: bool) -> None:
    rng = np.random.default_rng(seed)
    # turns about the axis itself and those inside of it would be part of the offset
    angles = [float(rng.uniform(-3, 3)) if i > k else 0.0 for i in range(3)]
    axis = [sign if i == k else 0.0 for i in range(3)]
    offset = math.pi / 2 if quarter else float(rng.uniform(-6, 6))
    robot = chain(kt.Joint("j", Revolute(axis, offset), kt.Transform(rotation_of_rpy(*angles), (1.0, 2.0, 3.0))))
    assert through_text(robot) == robot


@given(st.integers(0, 10**6), st.booleans())
def test_rotor_inertias_come_back_through_the_gear(seed: int, seen_from_the_motor: bool) -> None:
    ratio, rotor = np.random.default_rng(seed).uniform(0.01, 1000.0, 2).tolist()
    reflected = ratio * ratio * rotor if seen_from_the_motor else rotor
    robot = chain(kt.Joint("j", Revolute(), gear_ratio=ratio, rotor_inertia=reflected))
    (body,) = through_text(robot).bodies
    assert body.joint.gear_ratio == ratio
    # not every number is a product with this ratio
    ulps = 0 if seen_from_the_motor else 1
    assert abs(body.joint.rotor_inertia[0] - reflected) <= ulps * math.ulp(reflected)


@given(st.integers(0, 10**6))
def test_axes_come_back_within_one_rounding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=3) * rng.choice((0.0, 1e-8, 1.0), size=3)
    assume(x.any())
    kind = rng.choice([Revolute, Prismatic])((x / np.linalg.norm(x)).tolist())
    limits = kt.Limits(-1.0, 1.0, 1.0, 1.0)
    (body,) = through_text(chain(kt.Joint("j", kind, limits=limits))).bodies
    np.testing.assert_allclose([*body.joint.kind.axis], [*kind.axis], rtol=0, atol=2.0**-52)


def test_a_limit_that_must_be_there_is_the_largest_number() -> None:
    robot = chain(kt.Joint("slide", Prismatic()), kt.Joint("turn", Revolute(), limits=kt.Limits(upper=1.0)))
    assert f'lower="{-LARGEST!r}" upper="{LARGEST!r}"' in robot.to_urdf()
    slide, turn = (body.joint.limits for body in through_text(robot).bodies)
    assert slide == kt.Limits()
    assert turn == kt.Limits(upper=1.0)


def test_names_are_escaped() -> None:
    odd = ["a<b", "quote \" and '", "amp & ", "tab\tline\nreturn\r", "é \u2603 \U0001f916", "]]>", "&lt;"]
    bodies = [kt.Body(name, kt.Joint(f"of {name}", Revolute())) for name in odd]
    robot = kt.Robot(
        tuple(sorted(bodies, key=lambda body: body.joint.name)), "<odd>", named_frames={"f&f": Frame("]]>")}
    )
    text = robot.to_urdf()
    assert all(ord(character) < 128 for character in text)
    assert kt.Robot.from_urdf(text) == robot


def test_the_first_frame_is_the_root_where_it_is_the_world() -> None:
    joint = kt.Joint("j", Revolute())
    robot = chain(joint, named_frames={"base_link": Frame(None), "map": Frame(None, kt.Transform(p=(1.0, 0.0, 0.0)))})
    assert 'name="world"' not in robot.to_urdf()
    assert through_text(robot) == robot
    robot = chain(joint, named_frames={"map": Frame(None, kt.Transform(p=(1.0, 0.0, 0.0))), "here": Frame(None)})
    assert 'name="world"' not in robot.to_urdf()
    assert through_text(robot).frames == robot.frames
    robot = chain(joint, named_frames={"map": Frame(None, kt.Transform(p=(1.0, 0.0, 0.0)))})
    assert 'name="world"' in robot.to_urdf()
    assert through_text(robot) == robot
    assert through_text(chain(joint)) == chain(joint)
    assert through_text(kt.Robot(name="nothing")) == kt.Robot(name="nothing")


def test_a_floating_base_is_the_root() -> None:
    robot = chain(kt.Joint("base", Free()), kt.Joint("j", Revolute()))
    assert through_text(robot, base="floating") == robot
    # one that is not alone is a joint like others
    placed = chain(kt.Joint("base", Free(), kt.Transform(p=(1.0, 0.0, 0.0))), kt.Joint("j", Revolute()))
    assert through_text(placed) == placed
    framed = chain(kt.Joint("base", Free()), named_frames={"map": Frame(None)})
    assert through_text(framed) == framed


def branching(*names: str) -> kt.Robot:
    """Bodies on one trunk by joints of these names."""
    trunk = kt.Body("trunk", kt.Joint("root", Revolute()))
    return kt.Robot((trunk, *(kt.Body(f"on {name}", kt.Joint(name, Revolute()), INERTIA, "trunk") for name in names)))


def test_the_order_of_coordinates_is_kept_by_branches() -> None:
    robot = branching("c", "d", "a", "b")
    copy = through_text(robot)
    assert copy.joint_names == robot.joint_names
    assert copy.bodies == robot.bodies
    assert {*copy.frames} - {*robot.frames} == {"trunk_branch1", "trunk_branch2"}
    assert through_text(branching("a", "b", "c")) == branching("a", "b", "c")
    names = {"trunk_branch1": Frame("trunk", kt.Transform(p=(1.0, 0.0, 0.0))), "trunk_branch2": Frame("on c")}
    taken = dataclasses.replace(robot, named_frames=names)
    copy = through_text(taken)
    assert copy.joint_names == taken.joint_names
    assert dict(taken.named_frames).items() <= dict(copy.named_frames).items()
    many = branching(*(f"j{k:02}" for k in range(12, 0, -1)))
    assert through_text(many).joint_names == many.joint_names


def test_an_order_that_no_urdf_has_is_reported() -> None:
    bodies = [kt.Body("a", kt.Joint("ja", Revolute())), kt.Body("b", kt.Joint("jb", Revolute()))]
    robot = kt.Robot((*bodies, kt.Body("c", kt.Joint("jc", Revolute()), parent="a")), "legs")
    with pytest.warns(
        ModelWarning, match=r"^the coordinates of robot 'legs' are not in depth-first .* they are: ja, jc, jb$"
    ):
        text = robot.to_urdf()
    assert kt.Robot.from_urdf(text).joint_names == ("ja", "jc", "jb")


def test_moments_with_a_mass_are_written_about_the_centre_of_mass() -> None:
    rigid = INERTIA.rigid
    robot = dataclasses.replace(
        chain(), bodies=(kt.Body("b", kt.Joint("j", Revolute()), Moments(rigid.m, rigid.ms, rigid.J)),)
    )
    (body,) = through_text(robot).bodies
    numbers = [body.inertia.mass, *body.inertia.com, *body.inertia.about_com]
    np.testing.assert_allclose(numbers, [INERTIA.mass, *INERTIA.com, *INERTIA.about_com], rtol=1e-14, atol=1e-16)


def test_bodies_on_fixed_joints_become_frames() -> None:
    robot = chain(kt.Joint("a", Revolute()), kt.Joint("weld", Fixed(), kt.Transform(p=(0.0, 0.0, 1.0))))
    copy = kt.Robot.from_urdf(robot.to_urdf())
    assert [body.name for body in copy.bodies] == ["b0"]
    assert copy.frames["b1"] == Frame("b0", kt.Transform(p=(0.0, 0.0, 1.0)))
    assert copy.bodies[0].inertia.mass == 4.0


# -- what a URDF can't say ---------------------------------------------------------------------------------------------

HINGE = kt.Joint("j", Revolute())


def alone(joint: kt.Joint, inertia: kt.Inertia | Moments = INERTIA, **options: Any) -> kt.Robot:
    return kt.Robot((kt.Body("b", joint, inertia),), strict=False, **options)


def joint(kind: Any, **fields: Any) -> kt.Robot:
    return alone(kt.Joint("j", kind, **fields))


REFUSED: list[tuple[str, kt.Robot, str]] = [
    ("helical", joint(Helical()), "joint 'j' is helical"),
    ("cylindrical", joint(Cylindrical()), "joint 'j' is cylindrical"),
    ("universal", joint(Universal()), "joint 'j' is universal"),
    ("spherical", joint(Spherical()), "joint 'j' is spherical"),
    ("spring", joint(Revolute(), stiffness=1.0), "joint 'j' has a spring"),
    ("damping", joint(Planar(), damping=(1.0, 1.0, 2.0)), "joint 'j' has another damping for each of its coordinates"),
    ("coulomb", joint(Planar(), coulomb=(1.0, 1.0, 2.0)), "joint 'j' has another Coulomb friction for each of its"),
    ("rotor", joint(Planar(), rotor_inertia=1.0), "joint 'j' has a rotor inertia and not just one coordinate"),
    ("limits", joint(Free(), limits=kt.Limits(-1, 1)), "joint 'j' has limits of position and not just one coordinate"),
    ("nan", joint(Revolute(), limits=kt.Limits(math.nan)), "joint 'j' has a limit that is not a number"),
    ("gear", joint(Revolute(), gear_ratio=0), "joint 'j' has the gear ratio 0"),
    ("tiny_gear", joint(Revolute(), gear_ratio=1e-200, rotor_inertia=1.0), "joint 'j' has the gear ratio 1e-200"),
    ("small_gear", joint(Revolute(), gear_ratio=1e-150, rotor_inertia=1e10), "joint 'j' has the gear ratio 1e-150"),
    ("huge_gear", joint(Revolute(), gear_ratio=1e200), "joint 'j' has the gear ratio 1e+200"),
    ("loop", alone(HINGE, loops=(Loop("pin", Spherical(), Frame(None), Frame("b")),)), "loops ('pin')"),
    ("coupling", alone(HINGE, couplings=(Coupling("j", None, (1.0,)),)), "couplings (of 'j')"),
    ("parameter", joint(Revolute(offset=Parameter("x"))), "parameters ('x'; give them numbers first)"),
    ("blank", alone(kt.Joint(" ", Revolute())), "the name ' ' (blank, too long, or with characters that XML refuses)"),
    ("control", alone(kt.Joint("\x00", Revolute())), "the name '\\x00' (blank, too long, or with characters that"),
    ("endless", alone(kt.Joint("j" * 501, Revolute())), f"the name '{'j' * 60}' (blank, too long, or with"),
    ("title", alone(HINGE, name="\x00"), "characters in its name that XML refuses"),
    ("no_mass", alone(HINGE, Moments(0.0, (1.0, 0.0, 0.0))), "body 'b' has first moments without a mass"),
    ("infinite", alone(HINGE, kt.Inertia(math.inf)), "body 'b' has an inertia that is not finite"),
]


@pytest.mark.parametrize(("robot", "problem"), [pytest.param(*case[1:], id=case[0]) for case in REFUSED])
def test_what_a_urdf_cannot_say_is_refused(robot: kt.Robot, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        robot.to_urdf()
    message = str(caught.value)
    assert message.startswith(f"robot {robot.name!r} has what a URDF can't say: {problem}")
    assert message.endswith(". `to_json` says everything")


def test_all_that_is_refused_is_listed() -> None:
    robot = chain(kt.Joint("a", Helical(), stiffness=2.0), kt.Joint("b", Spherical()))
    with pytest.raises(
        ModelError, match=r"say: joint 'a' is helical; joint 'a' has a spring; joint 'b' is spherical. `"
    ):
        robot.to_urdf()


def test_a_placement_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ModelError, match=r"a URDF has finite numbers only, got .0.0, inf, 0.0."):
        chain(kt.Joint("j", Revolute(), kt.Transform(p=(0.0, math.inf, 0.0)))).to_urdf()
