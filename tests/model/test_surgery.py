"""Surgery: what is made of a robot moves as the robot does."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from strategies import duals, on_floats, rate_of, rate_part, relative_error, states, tree, with_joints

import kinetree as kt
from kinetree.algorithms.kinematics import velocities
from kinetree.joints import (
    KINDS,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Rotor,
    Spherical,
    Universal,
)
from kinetree.joints.quaternion import rotation
from kinetree.model.mechanism import Mechanism
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray
# sums over a tree of a dozen bodies, of products of matrices of size one, in another order
ROUNDING = 1e-11
ALL = tuple(KINDS)
# whose coordinates stay the same when they are seen from the other side, up to their order
SIMPLE = ("revolute", "prismatic", "helical", "cylindrical", "universal", "fixed")
# that may stand on the world of a robot with a fixed base
ON_WORLD = tuple(name for name in KINDS if name != "free")
SEEDS = range(6)


# -- robots with everything ------------------------------------------------------------------------------------------


def place(rng: np.random.Generator) -> Transform:
    """Anywhere; every second one is turned about coordinate axes, as in real robots."""
    if rng.random() < 0.5:
        R = rotation(rng.normal(size=4).tolist())
    else:
        R = Rotation.about(int(rng.integers(3)), float(rng.normal()))
    return Transform(R, Vec3(*rng.normal(size=3).tolist()))


def rich(seed: int, joints: int = 7, kinds: tuple[str, ...] = ALL, resisted: bool = True, **options: Any) -> kt.Robot:
    """A random tree with springs, friction, rotors and mimics, and with frames on bodies and on the world."""
    robot = tree(seed, joints, kinds, **{"friction": resisted, "springs": resisted, "mimics": True, **options})
    rng = np.random.default_rng(seed)
    frames = {f"on_{x.name}": kt.Frame(x.name, place(rng)) for x in robot.bodies}
    frames["mark"] = kt.Frame(None, place(rng))
    return dataclasses.replace(robot, named_frames=frames)


def closed(robot: kt.Robot, seed: int = 0) -> kt.Robot:
    """The robot with a screw between its first and its last body, and a coupling of its first two single joints."""
    rng = np.random.default_rng(seed)
    first, last = robot.bodies[0].name, robot.bodies[-1].name
    loop = kt.Loop("chord", Helical(Vec3(0.0, 1.0, 0.0), 0.1), kt.Frame(first, place(rng)), kt.Frame(last, place(rng)))
    single = [x.joint.name for x in robot.bodies if x.joint.kind.nv == 1 and not x.joint.mimic][:2]
    couplings = (kt.Coupling(single[1], single[0], (0.1, 2.0, 0.3)),) if len(single) == 2 else ()
    return dataclasses.replace(robot, loops=(loop,), couplings=couplings)


def random_position(kind: JointKind, rng: np.random.Generator) -> list[float]:
    q = rng.normal(size=kind.nq)
    if kind.quaternion is not None:
        q[kind.quaternion :] /= np.linalg.norm(q[kind.quaternion :])
    return q.tolist()


def joints_of(robot: Mechanism) -> dict[str, kt.Joint]:
    return {body.joint.name: body.joint for body in robot.bodies}


def carriers(robot: kt.Robot) -> list[str]:
    """The bodies that can carry others: all but rotors."""
    return [body.name for body in robot.bodies if not isinstance(body.joint.kind, Rotor)]


def without_springs(robot: kt.Robot, joints: set[str]) -> kt.Robot:
    """The robot without the transmissions of which one end is among the joints, and the other is not."""

    def cut(joint: kt.Joint) -> kt.Joint:
        other = joint.transmission and joint.transmission.joint
        crosses = other is not None and (joint.name in joints) != (other in joints)
        return dataclasses.replace(joint, transmission=None) if crosses else joint

    return with_joints(robot, [cut(body.joint) for body in robot.bodies])


def index_of(robot: kt.Robot, names: Any, slices: tuple[slice, ...], size: int) -> Array:
    """Where the coordinates of joints stand."""
    of = {body.joint.name: s for body, s in zip(robot.bodies, slices)}
    return np.array([k for name in names for k in range(size)[of[name]]], int)


def assert_same_poses(one: kt.Robot, q: Array, other: kt.Robot, x: Array) -> None:
    for frame in one.frames:
        ours, theirs = on_floats(one)("pose", q, frame=frame), on_floats(other)("pose", x, frame=frame)
        assert relative_error(theirs, ours) < ROUNDING, frame


# -- lock and merge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("on_free_base", [False, True])
def test_a_locked_robot_moves_as_the_whole_one_with_joints_at_rest(seed, on_free_base):
    robot = rich(seed, on_free_base=on_free_base)
    rng = np.random.default_rng(seed)
    held = [name for name in robot.joint_names if rng.random() < 0.4] or [robot.joint_names[-1]]
    robot = without_springs(robot, {*held})
    positions = {name: random_position(joints_of(robot)[name].kind, rng) for name in held}
    locked = robot.lock(positions)
    left = [name for name in robot.joint_names if name not in held]
    assert locked.joint_names == tuple(left)

    s = states(locked)
    qi, vi = index_of(robot, left, robot.q_slices, robot.nq), index_of(robot, left, robot.v_slices, robot.nv)
    q, (qd, qdd) = np.empty((len(s.q), robot.nq)), np.zeros((2, len(s.q), robot.nv))
    q[:, qi], qd[:, vi], qdd[:, vi] = s.q, s.qd, s.qdd
    q[:, index_of(robot, held, robot.q_slices, robot.nq)] = np.concatenate([positions[name] for name in held])

    assert_same_poses(robot, q, locked, s.q)
    whole, part = on_floats(robot), on_floats(locked)
    tau = whole("inverse_dynamics", q, qd, qdd)[:, vi]
    assert relative_error(part("inverse_dynamics", s.q, s.qd, s.qdd), tau) < ROUNDING
    M = whole("mass_matrix", q)[:, vi[:, None], vi]
    assert relative_error(part("mass_matrix", s.q), M) < ROUNDING


@pytest.mark.parametrize("seed", SEEDS)
def test_fixed_bodies_merge_into_their_parents(seed):
    robot = rich(seed, 8, ("revolute", "fixed", "spherical", "fixed", "prismatic"))
    merged = robot.merge_fixed()
    assert not any(isinstance(body.joint.kind, Fixed) for body in merged.bodies)
    assert (merged.joint_names, {*merged.frames}) == (robot.joint_names, {*robot.frames})
    s = states(robot)
    assert_same_poses(robot, s.q, merged, s.q)
    for name, args in (("inverse_dynamics", (s.q, s.qd, s.qdd)), ("mass_matrix", (s.q,)), ("gravity_forces", (s.q,))):
        assert relative_error(on_floats(merged)(name, *args), on_floats(robot)(name, *args)) < ROUNDING, name


def test_a_lock_at_a_quarter_turn_is_exact():
    arm = kt.Robot((kt.Body("a", kt.Joint("j", Revolute(), Transform(Rotation.identity, Vec3(1.0, 0.0, 0.0)))),))
    assert arm.lock({"j": np.pi / 2}).frames["a"].pose == Transform(Rotation.about(2, np.pi / 2), Vec3(1.0, 0.0, 0.0))


def test_loops_stay_where_they_were_when_bodies_are_welded():
    robot = closed(tree(2, 6, ("revolute",)))
    coupled = {name for x in robot.couplings for name in (x.joint, x.leader)}
    name = next(n for n in robot.joint_names[::-1] if n not in coupled)
    locked = robot.lock({name: 0.4})
    s = states(locked)
    q = np.insert(s.q, robot.joint_names.index(name), 0.4, axis=-1)
    for ends in ("predecessor", "successor"):
        one, two = (dataclasses.replace(r, named_frames={"end": getattr(r.loops[0], ends)}) for r in (robot, locked))
        there = on_floats(one)("pose", q, frame="end")
        assert relative_error(on_floats(two)("pose", s.q, frame="end"), there) < ROUNDING


# -- attach ----------------------------------------------------------------------------------------------------------

PAYLOAD = kt.Inertia(1.5, (0.1, -0.2, 0.3), (0.2, 0.3, 0.25, 0.01, -0.02, 0.03))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("payload", [PAYLOAD, kt.Moments.of_rigid(PAYLOAD.rigid)])
def test_a_payload_is_a_body_fixed_at_the_frame(seed, payload):
    robot, X = rich(seed, 4), place(np.random.default_rng(seed))
    name = carriers(robot)[-1]
    at = robot.frames[f"on_{name}"].pose @ X
    fixed = kt.Body("payload", kt.Joint("payload", Fixed(), at), PAYLOAD, name)
    other = dataclasses.replace(robot, bodies=(*robot.bodies, fixed))
    loaded = robot.attach(payload, f"on_{name}", X)
    s = states(robot)
    for quantity, args in (
        ("inverse_dynamics", (s.q, s.qd, s.qdd)),
        ("mass_matrix", (s.q,)),
        ("potential_energy", (s.q,)),
    ):
        values = on_floats(other)(quantity, *args)
        assert relative_error(on_floats(loaded)(quantity, *args), values) < ROUNDING, quantity


@pytest.mark.parametrize("seed", SEEDS)
def test_an_attached_robot_moves_as_on_a_moving_base(seed):
    arm, hand = rich(seed, 4, on_free_base=seed % 2 == 0), rich(seed + 100, 4, ON_WORLD)
    X = place(np.random.default_rng(seed))
    carrier = carriers(arm)[-1]
    frame = f"on_{carrier}"
    whole = arm.attach(hand, frame, X, prefix="hand_")
    assert whole.joint_names == (*arm.joint_names, *(f"hand_{name}" for name in hand.joint_names))

    s = states(whole)
    qa, qh = s.q[:, : arm.nq], s.q[:, arm.nq :]
    va, vh = slice(arm.nv), slice(arm.nv, None)
    # where the hand stands, how fast, and how that changes in its own axes
    on_arm = dataclasses.replace(arm, named_frames={"mount": kt.Frame(carrier, arm.frames[frame].pose @ X)})
    base = on_floats(on_arm)("pose", qa, frame="mount")
    for name in hand.frames.keys() - {"world"}:
        there = base @ on_floats(hand)("pose", qh, frame=name)
        assert relative_error(on_floats(whole)("pose", s.q, frame=f"hand_{name}"), there) < ROUNDING
    of_arm = dataclasses.replace(s, q=qa, qd=s.qd[:, va], qdd=s.qdd[:, va])
    J, Jd = on_floats(on_arm)("jacobian", qa, frame="mount"), rate_of(on_arm, "jacobian", of_arm, "mount")
    world_v = (J @ of_arm.qd[..., None])[..., 0]
    world_a = (Jd @ of_arm.qd[..., None] + J @ of_arm.qdd[..., None])[..., 0]
    R = base[:, :3, :3].swapaxes(1, 2)

    def seen(x: Array) -> Array:
        return np.einsum("bij,bkj->bki", R, x.reshape(-1, 2, 3)).reshape(-1, 6)

    v = seen(world_v)
    w = v[:, None, :3]
    a = seen(world_a) - np.cross(w, v.reshape(-1, 2, 3)).reshape(-1, 6)
    tau = on_floats(whole)("inverse_dynamics", s.q, s.qd, s.qdd)
    for row in range(len(s.q)):
        tilted = hand.with_gravity((R[row] @ [*arm.gravity]).tolist())
        args = (x[row : row + 1] for x in (qh, s.qd[:, vh], s.qdd[:, vh]))
        theirs = on_floats(tilted)("inverse_dynamics", *args, base=(v[row : row + 1], a[row : row + 1]))[0]
        assert relative_error(tau[row, vh], theirs) < ROUNDING


def test_all_names_of_an_attached_robot_get_the_prefix():
    hand = closed(tree(5, 5, ("revolute", "prismatic"), mimics=True))
    whole = kt.robots.two_link().attach(hand, "world", prefix="x_")
    for body in hand.bodies:
        there = next(x for x in whole.bodies if x.name == f"x_{body.name}")
        assert there.joint.placement == body.joint.placement
        assert there.parent == (body.parent and f"x_{body.parent}")
        assert (there.joint.mimic and there.joint.mimic.joint) == (body.joint.mimic and f"x_{body.joint.mimic.joint}")
    assert [x.name for x in whole.loops] == ["x_chord"]
    assert whole.loops[0].successor.body == f"x_{hand.loops[0].successor.body}"
    assert [(x.joint, x.leader) for x in whole.couplings] == [(f"x_{x.joint}", f"x_{x.leader}") for x in hand.couplings]


# -- reroot ----------------------------------------------------------------------------------------------------------


def quaternion_of(R: Array) -> list[float]:
    """The unit quaternion (x, y, z, w) of a rotation matrix: an eigenvector of a symmetric matrix."""
    K = R + R.T - np.trace(R) * np.eye(3)
    axis = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return np.linalg.eigh(np.block([[K, np.array([axis]).T], [np.array([axis]), np.trace(R)]]))[1][:, -1].tolist()


def inverse_position(kind: JointKind, q: list[Any]) -> list[Any]:
    if isinstance(kind, Universal):
        return q[::-1]
    X = kind.transform(q).inverse
    if isinstance(kind, Planar):
        return [X.p.x, X.p.y, -q[2]]
    if kind.quaternion is None:
        return q
    conjugate = [*(-x for x in q[-4:-1]), q[-1]]
    return conjugate if isinstance(kind, Spherical) else [*X.p, *conjugate]


def inverse_velocity(kind: JointKind, q: list[Any], qd: list[Any]) -> list[Any]:
    if isinstance(kind, Universal):
        return qd[::-1]
    X, V = kind.transform(q), kind.velocity(q, qd)
    ang, lin = -(X.R @ V.ang), -(X.R @ V.lin + X.p.cross(X.R @ V.ang))
    if isinstance(kind, Spherical):
        return [*ang]
    if isinstance(kind, Planar):
        x, y, _ = X.R.T @ lin
        return [x, y, ang.z]
    return [*ang, *lin] if isinstance(kind, Free) else qd


def carried_over(robot: kt.Robot, other: kt.Robot, q: list[Any], qd: list[Any]) -> list[Any]:
    """The velocities of the re-rooted robot in the same motion, on any scalars."""
    base = other.bodies[0].name
    v = velocities(robot, q, qd)[[body.name for body in robot.bodies].index(base)]
    result = [*v.ang, *v.lin]
    places = {body.joint.name: k for k, body in enumerate(robot.bodies)}
    for body in other.bodies[1:]:
        k = places[body.joint.name]
        joint = robot.bodies[k].joint
        if not joint.mimic:
            qk, vk = q[robot.q_slices[k]], qd[robot.v_slices[k]]
            on_the_way = body.name.split("_at_")[0] != robot.bodies[k].name
            result += inverse_velocity(joint.kind, qk, vk) if on_the_way else vk
    return result


def carried_over_position(robot: kt.Robot, other: kt.Robot, q: list[float]) -> list[float]:
    base = other.bodies[0]
    X = base.joint.placement.inverse
    pose = on_floats(robot)("pose", np.array([q]), frame=base.name)[0]
    R = np.array([[*row] for row in X.R.matrix]) @ pose[:3, :3]
    result = [*(X.R @ Vec3(*pose[:3, 3].tolist()) + X.p), *quaternion_of(R)]
    places = {body.joint.name: k for k, body in enumerate(robot.bodies)}
    for body in other.bodies[1:]:
        k = places[body.joint.name]
        joint = robot.bodies[k].joint
        if not joint.mimic:
            qk = q[robot.q_slices[k]]
            on_the_way = body.name.split("_at_")[0] != robot.bodies[k].name
            result += inverse_position(joint.kind, qk) if on_the_way else qk
    return result


def floating_rich(seed: int, kinds: tuple[str, ...], resisted: bool) -> kt.Robot:
    robot = rich(seed, 6, kinds, resisted, on_free_base=True)
    base = dataclasses.replace(robot.bodies[0].joint, placement=place(np.random.default_rng(seed)))
    return dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], joint=base), *robot.bodies[1:]))


def deepest(robot: kt.Robot) -> str:
    depth = [0] * robot.nbodies
    for i, p in enumerate(robot.parents):
        depth[i] = depth[p] + 1 if p >= 0 else 0
    return max(carriers(robot), key=lambda name: depth[[*robot.frames].index(name) - 1])


def assert_same_motion(robot: kt.Robot, other: kt.Robot) -> None:
    """Poses, energies and forces of a robot and of the re-rooted one are the same."""
    s = states(robot)
    q = np.array([carried_over_position(robot, other, x) for x in s.q.tolist()])
    qd = np.array([carried_over(robot, other, *row) for row in zip(s.q.tolist(), s.qd.tolist())])
    dq = on_floats(robot)("rates", s.q, s.qd)
    moving = [(duals(x, dx), duals(v, a)) for x, dx, v, a in zip(s.q, dq, s.qd, s.qdd)]
    qdd = np.array([rate_part(carried_over(robot, other, *row)) for row in moving])

    assert_same_poses(robot, s.q, other, q)
    one, two = on_floats(robot), on_floats(other)
    for name, ours, theirs in (("kinetic_energy", (s.q, s.qd), (q, qd)), ("potential_energy", (s.q,), (q,))):
        assert relative_error(two(name, *theirs), one(name, *ours)) < ROUNDING, name
    # the power of the forces on any velocity is the same
    tau, theirs = one("inverse_dynamics", s.q, s.qd, s.qdd), two("inverse_dynamics", q, qd, qdd)
    for row, x in enumerate(s.q.tolist()):
        A = np.array([carried_over(robot, other, x, e) for e in np.eye(robot.nv).tolist()])
        assert relative_error(A @ theirs[row], tau[row]) < ROUNDING


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kinds", "resisted"), [(SIMPLE, True), (ALL, False)])
def test_a_rerooted_robot_makes_the_same_motion(seed, kinds, resisted):
    robot = floating_rich(seed, kinds, resisted)
    other = robot.reroot(deepest(robot))
    assert other.bodies[0].name == deepest(robot)
    assert {*other.frames} >= {*robot.frames}
    assert (other.nq, other.nv, {*other.joint_names}) == (robot.nq, robot.nv, {*robot.joint_names})
    assert_same_motion(robot, other)


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "rotor"])
def test_joints_of_every_kind_are_reversed(kind):
    robot = floating_rich(7, (kind,), kind in SIMPLE)
    names = [body.name for body in robot.bodies]
    chain = [dataclasses.replace(body, parent=up) for up, body in zip([None, *names], robot.bodies)]
    robot = dataclasses.replace(robot, bodies=tuple(chain))
    other = robot.reroot(names[-2])
    assert len({*other.frames} - {*robot.frames}) == len(names) - 2
    assert_same_motion(robot, other)


def test_rerooting_to_the_base_changes_nothing():
    robot = tree(3, 4, on_free_base=True)
    assert robot.reroot("base") == robot


def test_rerooting_there_and_back_leaves_every_frame_where_it_was():
    robot = tree(1, 5, ("revolute", "prismatic", "helical"), on_free_base=True)
    there = robot.reroot(deepest(robot))
    again = there.reroot(next(body.name for body in there.bodies if body.name.startswith("base")))
    s = states(robot)
    # the frame of the old base is a frame of the new one, which is at a joint
    position = {name: s.q[:, index_of(robot, [name], robot.q_slices, robot.nq)] for name in robot.joint_names}
    start = on_floats(robot)("pose", s.q, frame="base") @ inverse_matrix(there.frames["base"].pose)
    position["base"] = np.array([[*X[:3, 3], *quaternion_of(X[:3, :3])] for X in start])
    q = np.concatenate([position[name] for name in again.joint_names], axis=-1)
    assert_same_poses(robot, s.q, again, q)


def inverse_matrix(X: Transform) -> Array:
    Y = X.inverse
    return np.array([[*row, x] for row, x in zip(Y.R.matrix, Y.p)] + [[0.0, 0.0, 0.0, 1.0]])


# -- mirror ----------------------------------------------------------------------------------------------------------

NORMALS = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, -1.0),
    "slanted": (2 / 3, -1 / 3, 2 / 3),
    "nearly y": (0.0, 0.8, 0.6),
}


def signs(kind: JointKind, S: Array) -> tuple[list[float], list[float]]:
    """The signs of the coordinates and of the velocities in the mirror, as the docstring says."""
    x, y, z = S
    table: dict[type, tuple[list[float], list[float]]] = {
        Cylindrical: ([1, -1], [1, -1]),
        Planar: ([x, y, -z], [x, y, -z]),
        Spherical: ([-x, -y, -z, 1], [-x, -y, -z]),
        Free: ([x, y, z, -x, -y, -z, 1], [-x, -y, -z, x, y, z]),
    }
    return table.get(type(kind), ([1] * kind.nq, [1] * kind.nv))


@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_mirrored_robot_makes_the_mirrored_motion(seed, normal):
    robot = rich(seed, 8, on_free_base=seed == 1)
    n = np.array(NORMALS[normal])
    image = robot.mirror(NORMALS[normal])
    M, S = np.eye(4), np.ones(3)
    M[:3, :3] -= 2 * np.outer(n, n)
    S[np.argmax(np.abs(n))] = -1
    own = [body.joint.kind for body in robot.bodies if not body.joint.mimic]
    sq, sv = (np.array([x for kind in own for x in signs(kind, S)[k]]) for k in (0, 1))

    s = states(robot)
    for frame in robot.frames.keys() - {"world"}:
        there = M @ on_floats(robot)("pose", s.q, frame=frame) @ np.diag([*S, 1])
        assert relative_error(on_floats(image)("pose", sq * s.q, frame=frame), there) < ROUNDING, frame
    one, two = on_floats(robot), on_floats(image)
    tau = sv * one("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(two("inverse_dynamics", sq * s.q, sv * s.qd, sv * s.qdd), tau) < ROUNDING
    for name, args in (("kinetic_energy", (s.q, s.qd)), ("potential_energy", (s.q,))):
        mirrored = (sign * x for sign, x in zip((sq, sv), args))
        assert relative_error(two(name, *mirrored), one(name, *args)) < ROUNDING, name


@pytest.mark.parametrize("normal", ["x", "y", "z"])
def test_the_mirror_image_of_the_mirror_image_is_the_robot(normal):
    robot = closed(rich(4))
    assert robot.mirror(NORMALS[normal]).mirror(NORMALS[normal]) == robot


# -- scale -----------------------------------------------------------------------------------------------------------

LENGTH, MASS = 1.7, 0.6


def lengths(robot: kt.Robot, joint: kt.Joint) -> tuple[list[bool], list[bool]]:
    """Which coordinates and velocities are lengths; those of an elastic motor are what those of its joint are."""
    if joint.transmission:
        return lengths(robot, joints_of(robot)[joint.transmission.joint])
    kind = joint.kind
    table: dict[type, tuple[list[bool], list[bool]]] = {
        Prismatic: ([True], [True]),
        Cylindrical: ([False, True], [False, True]),
        Planar: ([True, True, False], [True, True, False]),
        Free: ([True] * 3 + [False] * 4, [False] * 3 + [True] * 3),
    }
    return table.get(type(kind), ([False] * kind.nq, [False] * kind.nv))


def springless(joint: kt.Joint) -> kt.Joint:
    transmission = joint.transmission and dataclasses.replace(joint.transmission, stiffness=0.0)
    return dataclasses.replace(joint, stiffness=0.0, transmission=transmission)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_scaled_robot_has_scaled_energies(seed):
    robot = rich(seed, 8, on_free_base=seed % 2 == 0)
    robot = with_joints(robot, [springless(body.joint) for body in robot.bodies])
    scaled = robot.scale(LENGTH, MASS)
    own = [body.joint for body in robot.bodies if not body.joint.mimic]
    kq, kv = (np.array([LENGTH if x else 1.0 for joint in own for x in lengths(robot, joint)[k]]) for k in (0, 1))

    s = states(robot)
    one, two = on_floats(robot), on_floats(scaled)
    for frame in robot.frames:
        X = one("pose", s.q, frame=frame)
        X[:, :3, 3] *= LENGTH
        assert relative_error(two("pose", kq * s.q, frame=frame), X) < ROUNDING, frame
    T = one("kinetic_energy", s.q, s.qd) * MASS * LENGTH**2
    assert relative_error(two("kinetic_energy", kq * s.q, kv * s.qd), T) < ROUNDING
    V = one("potential_energy", s.q) * MASS * LENGTH
    assert relative_error(two("potential_energy", kq * s.q), V) < ROUNDING


def test_what_scales_with_length_and_what_belongs_to_the_drive():
    limits = kt.Limits(-0.1, 0.2, 3.0, 40.0)
    drive = {"damping": 1.0, "coulomb": 2.0, "rotor_inertia": 3.0, "stiffness": 4.0, "limits": limits, "rest": 0.15}
    hinge, slide = kt.Joint("hinge", Revolute(), **drive), kt.Joint("slide", Prismatic(), **drive)
    follower = kt.Joint("follower", Prismatic(), mimic=kt.Mimic("hinge", 2.0, 0.5))
    bodies = tuple(kt.Body(joint.name, joint) for joint in (hinge, slide, follower))
    couplings = (kt.Coupling("slide", "hinge", (1.0, 2.0)), kt.Coupling("hinge", "slide", (1.0, 2.0, 8.0)))
    scaled = kt.Robot(bodies, couplings=couplings).scale(length=2.0, mass=5.0)
    hinge, slide, follower = (body.joint for body in scaled.bodies)
    assert (hinge.rest, hinge.limits, hinge.rotor_inertia) == ((0.15,), limits, (60.0,))
    assert (slide.rest, slide.limits, slide.rotor_inertia) == ((0.3,), kt.Limits(-0.2, 0.4, 6.0, 40.0), (15.0,))
    assert all((x.damping, x.coulomb, x.stiffness) == ((1.0,), (2.0,), (4.0,)) for x in (hinge, slide))
    assert follower.mimic == kt.Mimic("hinge", 4.0, 1.0)
    assert [x.coefficients for x in scaled.couplings] == [(2.0, 4.0), (1.0, 1.0, 2.0)]


@pytest.mark.parametrize("change", [lambda x: x.mirror(NORMALS["slanted"]), lambda x: x.scale(LENGTH, MASS)])
def test_the_joint_of_a_loop_changes_as_a_joint_of_the_tree_does(change):
    robot = closed(tree(3, 4, ("revolute", "prismatic")))
    for loop in (
        robot.loops[0],
        dataclasses.replace(robot.loops[0], predecessor=kt.Frame(None, place(np.random.default_rng(1)))),
    ):
        joint = kt.Joint("cut", loop.kind, loop.predecessor.pose)
        uncut = dataclasses.replace(
            robot, bodies=(*robot.bodies, kt.Body("cut", joint, PAYLOAD, loop.predecessor.body))
        )
        (changed,) = change(dataclasses.replace(robot, loops=(loop,))).loops
        there = change(uncut).bodies[-1]
        assert (changed.kind, changed.predecessor) == (there.joint.kind, kt.Frame(there.parent, there.joint.placement))
        assert changed.kind != loop.kind


# -- base, gravity, subtree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_floating_base_at_rest_is_the_fixed_one(seed):
    robot = rich(seed, 5, ON_WORLD)
    free = robot.with_base("floating", PAYLOAD)
    assert free.joint_names == ("base", *robot.joint_names)
    s = states(robot)
    x = np.array([0.3, -0.2, 0.5, 0.5, 0.5, 0.5, 0.5])
    base = on_floats(free)("pose", np.hstack([np.tile(x, (len(s.q), 1)), s.q]), frame="base")[:1]
    for frame in robot.frames.keys() - {"world"}:
        there = base @ on_floats(robot)("pose", s.q, frame=frame)
        q = np.hstack([np.tile(x, (len(s.q), 1)), s.q])
        assert relative_error(on_floats(free)("pose", q, frame=frame), there) < ROUNDING
    still, rest = np.zeros((len(s.q), 6)), np.tile([0.0] * 6 + [1.0], (len(s.q), 1))
    args = (np.hstack([rest, s.q]), np.hstack([still, s.qd]), np.hstack([still, s.qdd]))
    tau = on_floats(robot)("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(on_floats(free)("inverse_dynamics", *args)[:, 6:], tau) < ROUNDING

    fixed = free.with_base("fixed")
    assert (fixed.bodies, fixed.joint_names) == (robot.bodies, robot.joint_names)
    assert dict(fixed.named_frames) == {"base": kt.Frame(None), **dict(robot.named_frames)}


def test_a_frame_that_coincides_with_the_base_becomes_the_base():
    arm = dataclasses.replace(kt.robots.two_link(), named_frames={"base": kt.Frame(None)})
    free = arm.with_base("floating")
    assert (free.bodies[0].name, free.named_frames) == ("base", ())
    elsewhere = dataclasses.replace(arm, named_frames={"base": kt.Frame(None, place(np.random.default_rng(0)))})
    assert elsewhere.with_base("floating").bodies[0].name == "base_"


def test_the_end_of_a_loop_on_the_world_goes_with_what_is_on_the_world():
    robot = tree(3, 4, ("revolute",))
    ends = kt.Frame(None, place(np.random.default_rng(3))), kt.Frame(robot.bodies[-1].name)
    robot = dataclasses.replace(robot, loops=(kt.Loop("tie", Spherical(), *ends),))
    (tie,) = robot.with_base("floating").loops
    assert (tie.predecessor, tie.successor) == (kt.Frame("base", ends[0].pose), ends[1])
    assert robot.with_base("floating").with_base("fixed").loops == robot.loops
    root = robot.nbodies - 1
    while robot.parents[root] >= 0:
        root = robot.parents[root]
    assert robot.subtree(robot.bodies[root].name).loops == robot.loops


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subtree_moves_as_it_does_on_a_parent_at_rest(seed):
    robot = rich(seed, 7, mimics=False)
    body = next(x for x in robot.bodies[::-1] if x.parent is not None)
    root = next(x for x in robot.bodies if x.name == body.parent)
    inside = {root.name}
    for x in robot.bodies:
        inside |= {x.name} if x.parent in inside else set()
    robot = without_springs(robot, {x.joint.name for x in robot.bodies if x.name in inside})
    part = robot.subtree(root.name)
    assert {x for x, frame in robot.named_frames if frame.body in part.frames} <= {*part.frames}
    joints = part.joint_names
    s = states(robot)
    qi, vi = index_of(robot, joints, robot.q_slices, robot.nq), index_of(robot, joints, robot.v_slices, robot.nv)
    up = on_floats(robot)("pose", s.q, frame=root.parent or "world")
    for frame in part.frames.keys() - {"world"}:
        there = up @ on_floats(part)("pose", s.q[:, qi], frame=frame)
        assert relative_error(there, on_floats(robot)("pose", s.q, frame=frame)) < ROUNDING
    still = np.zeros((2, *s.qd.shape))
    still[0][:, vi], still[1][:, vi] = s.qd[:, vi], s.qdd[:, vi]
    tau = on_floats(robot)("inverse_dynamics", s.q, *still)[:, vi]
    for row in range(len(s.q)):
        tilted = part.with_gravity((up[row, :3, :3].T @ [*robot.gravity]).tolist())
        args = (s.q[row : row + 1, qi], s.qd[row : row + 1, vi], s.qdd[row : row + 1, vi])
        assert relative_error(on_floats(tilted)("inverse_dynamics", *args)[0], tau[row]) < ROUNDING
