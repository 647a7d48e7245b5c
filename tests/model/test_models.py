"""Descriptions: one robot described in several ways is one robot, and what no robot can be is refused."""

from __future__ import annotations

import dataclasses
from math import cos, pi, sin

import numpy as np
import pytest
from strategies import TRACED, arguments, compiled, on_floats, relative_error, states, tree

import kinetree as kt
from kinetree.catalogue import CATALOGUE, FRAMED
from kinetree.errors import ModelError
from kinetree.joints import Fixed, Helical, Prismatic, Revolute
from kinetree.parameter import bound
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

# products of a dozen matrices of size one, each rounded to 1.1e-16
ROUNDING = 1e-13
# as that, after a mass matrix of condition up to 1e4
SOLVED = 1e-10

WITHOUT_FRAME = [name for name in CATALOGUE if name not in (*FRAMED, *TRACED)]


PER_BODY = ("joint_wrenches", "joint_wrench_derivatives", "regressor")


def assert_same_dynamics(one: kt.Robot, other: kt.Robot, *but: str) -> None:
    for name in WITHOUT_FRAME:
        if name not in but:
            args = arguments(name, states(one, 4))
            assert relative_error(on_floats(one)(name, *args), on_floats(other)(name, *args)) < SOLVED, name


# -- what no robot can be ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan, 1j, "1", None, [1.0]], ids=repr)
def test_coefficients_of_a_coupling_are_finite_numbers(wrong):
    with pytest.raises(
        ModelError, match=r"coupling of joint 'a': the coefficient .* must be a finite number"
    ) as caught:
        kt.Coupling("a", "b", (0.0, wrong))
    assert repr(wrong) in str(caught.value)


def test_the_pose_of_a_frame_may_be_a_homogeneous_matrix():
    robot = kt.robots.puma560()
    X = robot.pose(np.linspace(-1.0, 1.0, 6), "link4")
    frame = kt.Frame("link2", X)
    np.testing.assert_allclose(np.array([[*row] for row in frame.pose.R.matrix]), X[:3, :3], atol=1e-15)
    assert [*frame.pose.p] == X[:3, 3].tolist()
    other = dataclasses.replace(robot, named_frames={"tool": frame})
    there = robot.pose(np.zeros(6), "link2") @ X
    np.testing.assert_allclose(other.pose(np.zeros(6), "tool"), there, atol=1e-15)
    assert kt.Robot.from_json(other.to_json()) == other


WRONG_POSES = [np.eye(3), np.ones((4, 4)), 2.0 * np.eye(4), np.full((4, 4), np.nan), np.eye(4)[None], None, "pose", 3.0]


@pytest.mark.parametrize("pose", WRONG_POSES, ids=lambda x: str(np.shape(x)) if np.ndim(x) else repr(x))
def test_what_is_no_pose_is_refused_at_once(pose):
    with pytest.raises(ModelError, match=r"a kinetree\.Transform, or a homogeneous matrix \(4, 4\)"):
        kt.Frame("link1", pose)
    with pytest.raises(ModelError, match="not a rotation matrix"):
        kt.Frame("link1", np.diag([1.0, 1.0, -1.0, 1.0]))


# -- elementary matrices, as the papers write them ---------------------------------------------------------------------


def turn(axis: str, t: float) -> np.ndarray:
    i, j = {"x": (1, 2), "z": (0, 1)}[axis]
    T = np.eye(4)
    T[i, i] = T[j, j] = cos(t)
    T[i, j], T[j, i] = -sin(t), sin(t)
    return T


def shift(axis: str, x: float) -> np.ndarray:
    T = np.eye(4)
    T["xyz".index(axis), 3] = x
    return T


def standard(row: kt.DH, q: float) -> np.ndarray:
    """Barman (2.8)."""
    theta, d = row.theta + q * (row.joint == "revolute"), row.d + q * (row.joint == "prismatic")
    return turn("z", theta) @ shift("z", d) @ shift("x", row.a) @ turn("x", row.alpha)


def modified(row: kt.DH, q: float) -> np.ndarray:
    """Khalil's six parameters; without gamma and b the modified convention."""
    theta, d = row.theta + q * (row.joint == "revolute"), row.d + q * (row.joint == "prismatic")
    before = turn("z", row.gamma) @ shift("z", row.b) @ turn("x", row.alpha) @ shift("x", row.a)
    return before @ turn("z", theta) @ shift("z", d)


def random_rows(seed: int, joints: str, tree_notation: bool = False) -> list[kt.DH]:
    """Rows for a string of R, P and F; twists and offsets are quarter turns half of the time."""
    rng = np.random.default_rng(seed)

    def angle() -> float:
        return float(rng.choice([0, pi / 2, -pi / 2, pi])) if rng.random() < 0.5 else float(rng.normal())

    rows = []
    for joint in joints:
        a, d, b = rng.uniform(-0.5, 0.5, size=3).tolist()
        extra = {"gamma": angle(), "b": b} if tree_notation else {}
        x = rng.normal(size=(5, 3)) * 0.2
        inertia = np.eye(3) * np.trace(x.T @ x) - x.T @ x
        kind = {"R": "revolute", "P": "prismatic", "F": "fixed"}[joint]
        geometry = {"a": a, "alpha": angle(), "d": d, "theta": angle(), **extra}
        mass, com = float(rng.uniform(0.5, 3)), (rng.normal(size=3) * 0.2).tolist()
        rows.append(kt.DH(**geometry, joint=kind, mass=mass, com=com, inertia=inertia))
    return rows


def moving(rows: list[kt.DH], q: np.ndarray) -> list[float]:
    """The coordinate of each row; 0 for fixed ones."""
    values = iter(q.tolist())
    return [0.0 if row.joint == "fixed" else next(values) for row in rows]


TABLES = ["RRRRRR", "RPRPR", "PRPRPP", "RFRPF", "R", "P", "FRFR"]
each_table = pytest.mark.parametrize(("seed", "joints"), list(enumerate(TABLES)))


# -- Denavit and Hartenberg --------------------------------------------------------------------------------------------


@each_table
def test_standard_frames_are_the_products_of_the_table(seed, joints):
    rows = random_rows(seed, joints)
    robot = kt.Robot.from_dh(rows, "standard")
    for q in states(robot, 3).q:
        X = np.eye(4)
        for i, (row, x) in enumerate(zip(rows, moving(rows, q)), 1):
            X = X @ standard(row, x)
            assert relative_error(on_floats(robot)("pose", q[None], frame=f"dh{i}")[0], X) < ROUNDING


@pytest.mark.parametrize("tree_notation", [False, True])
@each_table
def test_modified_frames_are_the_products_of_the_table(seed, joints, tree_notation):
    rows = random_rows(seed, joints, tree_notation)
    robot = kt.Robot.from_dh(rows, "modified")
    for q in states(robot, 3).q:
        X = np.eye(4)
        for i, (row, x) in enumerate(zip(rows, moving(rows, q)), 1):
            X = X @ modified(row, x)
            assert relative_error(on_floats(robot)("pose", q[None], frame=f"link{i}")[0], X) < ROUNDING


def as_modified(rows: list[kt.DH]) -> list[kt.DH]:
    """A serial standard table as a modified one: a and alpha belong to the row after, and the mass properties to the
    frame before them: c' = R(alpha) c + (a, 0, 0), I' = R I R^T."""
    converted, before = [], kt.DH()
    for row in rows:
        R = turn("x", row.alpha)[:3, :3]
        com = R @ np.array(row.com) + [row.a, 0, 0]
        inertia = R @ np.array(row.inertia) @ R.T
        geometry = {"a": before.a, "alpha": before.alpha, "d": row.d, "theta": row.theta}
        converted.append(kt.DH(**geometry, joint=row.joint, mass=row.mass, com=com, inertia=(inertia + inertia.T) / 2))
        before = row
    return converted


@each_table
def test_standard_and_modified_tables_of_one_robot_are_one_robot(seed, joints):
    rows = random_rows(seed, joints)
    assert_same_dynamics(kt.Robot.from_dh(rows, "standard"), kt.Robot.from_dh(as_modified(rows), "modified"))


@each_table
def test_tree_notation_of_a_robot_is_the_robot(seed, joints):
    """gamma and b of a row are the theta and d of a fixed one before it."""
    rows = random_rows(seed, joints, tree_notation=True)
    split = [
        part
        for row in rows
        for part in (kt.DH(theta=row.gamma, d=row.b, joint="fixed"), dataclasses.replace(row, gamma=0.0, b=0.0))
    ]
    # names and wrenches count the massless links in between
    assert_same_dynamics(kt.Robot.from_dh(rows), kt.Robot.from_dh(split), *PER_BODY)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_an_offset_in_the_table_shifts_the_coordinate(convention):
    rows = random_rows(3, "RRPR")
    plain = [dataclasses.replace(r, **{"d" if r.joint == "prismatic" else "theta": 0.0}) for r in rows]
    offsets = [r.d if r.joint == "prismatic" else r.theta for r in rows]
    one, other = kt.Robot.from_dh(rows, convention), kt.Robot.from_dh(plain, convention)
    s = states(one)
    tau = on_floats(one)("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(tau, on_floats(other)("inverse_dynamics", s.q + offsets, s.qd, s.qdd)) < ROUNDING


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_branches_grow_from_the_row_they_name(convention):
    """By number or by name; each path of the tree is the serial robot of its rows."""
    rows = random_rows(8, "RPRRPR")
    parents = [None, None, 1, "b", 0, "base"]
    rows = [dataclasses.replace(row, parent=p) for row, p in zip(rows, parents)]
    rows[1] = dataclasses.replace(rows[1], name="b")
    robot = kt.Robot.from_dh(rows, convention)
    assert robot.parents == (-1, 0, 0, 1, -1, -1)
    frame = "dh{}" if convention == "standard" else "link{}"
    s = states(robot)
    for path in ([0, 2], [0, 1, 3], [4], [5]):
        serial = [dataclasses.replace(rows[i], parent=None) for i in path]
        alone = kt.Robot.from_dh(serial, convention)
        expected = on_floats(alone)("pose", s.q[:, path], frame=frame.format(len(path)))
        assert relative_error(on_floats(robot)("pose", s.q, frame=frame.format(path[-1] + 1)), expected) < ROUNDING
    numbered = [dataclasses.replace(r, parent={"b": 2, "base": 0}.get(r.parent, r.parent)) for r in rows]
    assert_same_dynamics(robot, kt.Robot.from_dh(numbered, convention))


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_floating_base_carries_the_table(convention):
    rows = random_rows(4, "RPR")
    inertia = kt.Inertia(4.0, (0.1, 0.0, -0.1), (0.3, 0.4, 0.35))
    free = kt.Robot.from_dh(rows, convention, base="floating", base_inertia=inertia)
    fixed = kt.Robot.from_dh(rows, convention)
    assert (free.nq, free.nv) == (fixed.nq + 7, fixed.nv + 6)
    assert free.joint_names == ("base", *fixed.joint_names)
    s = states(free)
    s.q[:, :7], s.qd[:, :6], s.qdd[:, :6] = free.neutral[:7], 0.0, 0.0
    tau = on_floats(free)("inverse_dynamics", s.q, s.qd, s.qdd)
    alone = on_floats(fixed)("inverse_dynamics", s.q[:, 7:], s.qd[:, 6:], s.qdd[:, 6:])
    assert relative_error(tau[:, 6:], alone) < ROUNDING
    M = on_floats(free)("mass_matrix", s.q)[0]
    mass = inertia.mass + sum(row.mass for row in rows)
    assert relative_error(M[3:6, 3:6], mass * np.eye(3)) < ROUNDING


# -- robots built by hand ----------------------------------------------------------------------------------------------


def test_two_link_described_by_bodies():
    """Body frames at the joints, as in a URDF file."""
    L = 0.4
    inertia = kt.Inertia(0.5, (L / 2, 0, 0), (0.1, 0.1, 0.1))
    elbow = kt.Joint("joint2", Revolute(), Transform(p=Vec3(L, 0.0, 0.0)))
    bodies = (kt.Body("link1", kt.Joint("joint1", Revolute()), inertia), kt.Body("link2", elbow, inertia, "link1"))
    assert_same_dynamics(kt.robots.two_link(), kt.Robot(bodies, gravity=(0.0, 0.0, 0.0)))


def test_stanford_described_by_the_standard_table():
    """Paul's frames: quarter turns after the joints, inertias of the distal frames (AUDIT 3.1, last column)."""
    modified_robot = kt.robots.stanford()
    table = [  # theta, d, alpha, diagonal of the inertia in the standard frame, joint
        (0.0, 0.412, -pi / 2, (0.276, 0.255, 0.071), "revolute"),
        (0.0, 0.154, pi / 2, (0.108, 0.018, 0.100), "revolute"),
        (-pi / 2, 0.0, 0.0, (2.51, 2.51, 0.006), "prismatic"),
        (0.0, 0.0, -pi / 2, (0.002, 0.001, 0.001), "revolute"),
        (0.0, 0.0, pi / 2, (0.003, 0.003, 0.0004), "revolute"),
        (0.0, 0.263, 0.0, (0.013, 0.013, 0.0003), "revolute"),
    ]
    rows = []
    for body, (theta, d, alpha, inertia, joint) in zip(modified_robot.bodies, table):
        com = turn("x", alpha)[:3, :3].T @ np.array([*body.inertia.com])
        rows.append(kt.DH(theta=theta, d=d, alpha=alpha, joint=joint, mass=body.inertia.mass, com=com, inertia=inertia))
    assert_same_dynamics(modified_robot, kt.Robot.from_dh(rows, "standard"))


def test_a_welded_body_is_a_part_of_its_parent():
    robot = tree(11, 5, ["revolute", "fixed"])
    welds = {b.name: b for b in robot.bodies if isinstance(b.joint.kind, Fixed)}
    assert welds, "the tree should have a fixed joint"
    kept: list[kt.Body] = []
    place: dict[str | None, tuple[str | None, Transform]] = {None: (None, Transform.identity)}
    for body in robot.bodies:
        owner, X = place[body.parent]
        joint = dataclasses.replace(body.joint, placement=X @ body.joint.placement)
        if body.name in welds:
            place[body.name] = owner, joint.placement
            welded = body.inertia.moved(joint.placement)
            kept = [dataclasses.replace(b, inertia=b.inertia + welded) if b.name == owner else b for b in kept]
        else:
            place[body.name] = body.name, Transform.identity
            kept.append(dataclasses.replace(body, joint=joint, parent=owner))
    merged = dataclasses.replace(robot, bodies=tuple(kept))
    assert merged.nbodies < robot.nbodies
    # the welded bodies have wrenches; on the world, also potential energy and a place in the centre of mass
    central = "center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix"
    assert_same_dynamics(robot, merged, *PER_BODY, "potential_energy", *central)


CHAINS = {  # a joint of several coordinates, and the simple joints that it is made of
    "universal": lambda kind: [Revolute(kind.first), Revolute(kind.second)],
    "cylindrical": lambda kind: [Revolute(kind.axis), Prismatic(kind.axis)],
    "planar": lambda kind: [Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Revolute()],
}


@pytest.mark.parametrize("name", list(CHAINS))
def test_a_joint_of_several_coordinates_is_a_chain_of_simple_joints(name):
    """With massless bodies in between."""
    robot = tree(6, 3, [name])
    bodies: list[kt.Body] = []
    for body in robot.bodies:
        kinds, parent = CHAINS[name](body.joint.kind), body.parent
        for k, kind in enumerate(kinds):
            last = k == len(kinds) - 1
            place = Transform.identity if k else body.joint.placement
            joint = kt.Joint(f"{body.joint.name}.{k}", kind, place)
            part = body.name if last else f"{body.name}.{k}"
            bodies.append(kt.Body(part, joint, body.inertia if last else kt.Inertia(), parent))
            parent = part
    chain = dataclasses.replace(robot, bodies=tuple(bodies))
    assert chain.nv == robot.nv == chain.nbodies
    assert_same_dynamics(robot, chain, *PER_BODY)


# -- inertias ----------------------------------------------------------------------------------------------------------


def points(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.uniform(0.1, 1.0, size=8), rng.normal(size=(8, 3))


def inertia_of(masses: np.ndarray, places: np.ndarray) -> kt.Inertia:
    """Of a cloud of points, by the definition."""
    c = masses @ places / masses.sum()
    r = places - c
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r))
    return kt.Inertia(masses.sum(), c, J)


def assert_same_inertia(a: kt.Inertia, b: kt.Inertia) -> None:
    assert relative_error([a.mass, *a.com, *a.about_com], [b.mass, *b.com, *b.about_com]) < ROUNDING


@pytest.mark.parametrize("seed", range(5))
def test_inertias_add_and_move_as_clouds_of_points(seed):
    rng = np.random.default_rng(seed)
    (m, x), (n, y) = points(rng), points(rng)
    both = inertia_of(np.concatenate([m, n]), np.concatenate([x, y]))
    assert_same_inertia(inertia_of(m, x) + inertia_of(n, y), both)
    assert_same_inertia(inertia_of(m, x) + kt.Inertia(), inertia_of(m, x))
    X = Transform(Rotation.about(0, 0.4).then(Rotation.about(2, -1.1)), Vec3(0.3, -0.2, 0.5))
    R = np.array([list(row) for row in X.R.matrix])
    assert_same_inertia(inertia_of(m, x).moved(X), inertia_of(m, x @ R.T + [*X.p]))
    assert_same_inertia(kt.Inertia.of_rigid(both.rigid), both)


def test_three_numbers_six_numbers_and_a_matrix_state_one_inertia():
    matrix = [[1.0, 0.1, 0.2], [0.1, 1.1, 0.3], [0.2, 0.3, 1.2]]
    assert kt.Inertia(1.0, about_com=matrix) == kt.Inertia(1.0, about_com=(1.0, 1.1, 1.2, 0.1, 0.2, 0.3))
    assert kt.Inertia(1.0, about_com=(1.0, 1.1, 1.2)) == kt.Inertia(1.0, about_com=np.diag([1.0, 1.1, 1.2]))


IMPOSSIBLE = {
    "negative mass": kt.Inertia(-1.0),
    "triangle": kt.Inertia(1.0, about_com=(0.1, 0.1, 0.3)),
    "negative principal moment": kt.Inertia(1.0, about_com=(0.1, 0.1, 0.1, 0.2, 0.0, 0.0)),
    "not finite": kt.Inertia(float("nan")),
    "Hua table I, link 2": kt.Inertia(1.5, about_com=(0.35, 0.4, 0.3, 0.15, 0.1, 0.2)),
    "Hua table I, link 3": kt.Inertia(1.0, about_com=(0.3, 0.25, 0.25, 0.15, 0.13, 0.2)),
}
POSSIBLE = {
    "rod": kt.Inertia(1.0, about_com=(0.0, 0.1, 0.1)),
    "plate": kt.Inertia(1.0, about_com=(0.1, 0.1, 0.2)),
    "point": kt.Inertia(1.0),
    "nothing": kt.Inertia(),
    "rounded plate": kt.Inertia(1.0, about_com=(0.1, 0.1, 0.2 * (1 + 1e-9))),
    "Hua table I, link 1": kt.Inertia(2.5, about_com=(0.4, 0.5, 0.4)),
}


@pytest.mark.parametrize("name", list(IMPOSSIBLE))
def test_an_inertia_that_no_body_has_is_refused(name):
    body = kt.Body("arm", kt.Joint("hinge", Revolute()), IMPOSSIBLE[name])
    with pytest.raises(kt.errors.InertiaError, match="arm"):
        kt.Robot((body,))
    assert kt.Robot((body,), strict=False).nv == 1


@pytest.mark.parametrize("name", list(POSSIBLE))
def test_an_inertia_that_a_body_can_have_is_taken(name):
    assert kt.Robot((kt.Body("arm", kt.Joint("hinge", Revolute()), POSSIBLE[name]),)).nv == 1


def test_turning_a_body_does_not_change_whether_it_can_be():
    for name, inertia in (IMPOSSIBLE | POSSIBLE).items():
        turned = inertia.moved(Transform(Rotation.about(1, 0.3).then(Rotation.about(2, 0.7))))
        body = kt.Body("arm", kt.Joint("hinge", Revolute()), turned)
        if name in IMPOSSIBLE:
            with pytest.raises(kt.errors.InertiaError):
                kt.Robot((body,))
        else:
            kt.Robot((body,))


@pytest.mark.parametrize("seed", range(20))
def test_the_check_is_that_of_the_principal_moments(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    J = A @ A.T if seed % 2 else A + A.T + 2 * np.eye(3)
    low, middle, high = np.linalg.eigvalsh(J)
    possible = low > 0 and low + middle > high
    try:
        kt.Inertia(1.0, about_com=J).check("arm")
    except kt.errors.InertiaError:
        assert not possible
    else:
        assert possible


# -- named parameters --------------------------------------------------------------------------------------------------

VALUES = {
    "mass": 1.3, "com": 0.2, "inertia": 0.4, "length": 0.7, "twist": 0.6, "offset": 0.3, "pitch": 0.05,
    "damping": 0.2, "dry": 0.1, "rotor": 0.5, "g": 9.7,
}  # fmt: skip


def robot_with(number) -> kt.Robot:
    """A robot in which every kind of number is asked for by name."""
    place = Transform(Rotation.about(0, number("twist")), Vec3(0.0, number("length"), 0.1))
    arm = kt.Inertia(number("mass"), (number("com"), 0.1, 0.0), (0.3, number("inertia"), 0.35, 0.01, 0.0, 0.02))
    rest = kt.Inertia(1.0, (0.0, 0.1, 0.0), (0.1, 0.1, 0.1))
    losses = [number(name) for name in ("damping", "dry", "rotor")]
    first = kt.Joint("turn", Revolute(offset=number("offset")), place, *losses)
    second = kt.Joint("screw", Helical((0.6, 0.0, 0.8), number("pitch")), place)
    third = kt.Joint("slide", Prismatic((0.0, 1.0, 0.0)), Transform(p=Vec3(number("length") * 2.0, 0.0, 0.0)))
    bodies = (
        kt.Body("one", first, arm),
        kt.Body("two", second, arm + rest, "one"),
        kt.Body("three", third, rest, "one"),
    )
    tool = {"tool": kt.Frame("two", Transform(p=Vec3(0.0, 0.0, number("length"))))}
    return kt.Robot(bodies, gravity=(0.0, 0.1, -1.0 * number("g")), named_frames=tool)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_parametrised_robot_at_a_value_is_the_robot_of_that_value(name):
    """Compiled; the parameters broadcast as every other argument."""
    numeric, open_robot = robot_with(VALUES.__getitem__), robot_with(kt.parameter)
    frame = "tool" if name in FRAMED else None
    args = arguments(name, states(numeric, 4))
    expected = compiled(numeric)(name, *args, frame=frame)
    function = open_robot.function(name, frame=frame)
    given = [VALUES[p] for p in open_robot.parameters]
    assert relative_error(function(*args, *given), expected) < SOLVED
    columns = [np.full((3, 1), x) for x in given]
    results = expected if isinstance(expected, tuple) else (expected,)
    broadcast = tuple(np.broadcast_to(x, (3, *x.shape)) for x in results)
    found = function(*args, *columns)
    assert relative_error(found if isinstance(found, tuple) else (found,), broadcast) < SOLVED


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_every_number_of_a_table_may_be_a_parameter(convention):
    rows = random_rows(5, "RPR")
    names = ("a", "alpha", "d", "theta", "mass")
    open_rows = [
        dataclasses.replace(row, **{n: kt.parameter(f"{n}{i}", getattr(row, n)) for n in names})
        for i, row in enumerate(rows)
    ]
    numeric, robot = kt.Robot.from_dh(rows, convention), kt.Robot.from_dh(open_rows, convention)
    assert len(robot.parameters) == 15
    s = states(numeric)
    expected = numeric.inverse_dynamics(s.q, s.qd, s.qdd)
    assert relative_error(robot.inverse_dynamics(s.q, s.qd, s.qdd), expected) < SOLVED
    assert relative_error(robot.inverse_dynamics(s.q, s.qd, s.qdd, alpha1=0.123), expected) > 1e-3


def test_a_hundred_parameters_are_keywords_too():
    """More than NumPy's functions take arguments."""
    names = [f"m{k}" for k in range(100)]
    bodies = [
        kt.Body("b0", kt.Joint("j0", Revolute((1.0, 0.0, 0.0))), kt.Inertia(kt.parameter(names[0], 1.0), (0, 1, 0)))
    ]
    for k, name in enumerate(names[1:], 1):
        bodies.append(
            kt.Body(f"b{k}", kt.Joint(f"j{k}", Fixed()), kt.Inertia(kt.parameter(name, 1.0), (0, 1, 0)), "b0")
        )
    robot = kt.Robot(tuple(bodies))
    assert relative_error(robot.gravity_forces([0.0]), [100 * 9.81]) < ROUNDING
    masses = np.array([0.0, 5.0])
    found = robot.gravity_forces([0.0], m0=masses, m99=2.0)
    assert relative_error(found[:, 0], (100 + masses) * 9.81) < ROUNDING
    assert robot.function("gravity_forces").signature == "(1),(100)->(1)"


def test_parameters_are_keywords_with_defaults():
    robot = robot_with(lambda name: kt.parameter(name, None if name == "mass" else VALUES[name]))
    numeric = robot_with(VALUES.__getitem__)
    assert list(robot.parameters) == sorted(VALUES)
    s = states(robot)
    expected = numeric.inverse_dynamics(s.q, s.qd, s.qdd)
    assert relative_error(robot.inverse_dynamics(s.q, s.qd, s.qdd, mass=VALUES["mass"]), expected) < ROUNDING
    heavier = robot.inverse_dynamics(s.q, s.qd, s.qdd, mass=2 * VALUES["mass"])
    assert relative_error(heavier, expected) > 0.01
    with pytest.raises(kt.errors.InputError, match="mass"):
        robot.inverse_dynamics(s.q, s.qd, s.qdd)
    with pytest.raises(kt.errors.UnknownNameError, match="weight"):
        robot.inverse_dynamics(s.q, s.qd, s.qdd, mass=1.0, weight=1.0)


def test_binding_the_parameters_gives_the_numeric_robot():
    """The same description up to rounding, without parameters."""
    robot = bound(robot_with(kt.parameter), VALUES)
    assert not robot.parameters
    assert_same_dynamics(robot, robot_with(VALUES.__getitem__))


def test_a_parameter_with_two_defaults_is_refused():
    masses = {"a": kt.parameter("m", 1.0), "b": kt.parameter("m", 2.0)}
    bodies = [kt.Body(name, kt.Joint(name, Revolute()), kt.Inertia(m)) for name, m in masses.items()]
    with pytest.raises(kt.errors.ModelError, match="'m'"):
        kt.Robot(tuple(bodies)).parameters  # noqa: B018
