"""Exported code computes what the compiled functions compute, in every language that is installed."""

from __future__ import annotations

import itertools
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import languages
import numpy as np
import pytest
from sample_functions import crossing
from strategies import tree

import kinetree as kt
from kinetree import scalar as s
from kinetree.catalogue import CATALOGUE, FRAMED
from kinetree.emit.text.language import Language, Listing, State, straight
from kinetree.emit.text.languages import LANGUAGES
from kinetree.emit.wasm.target import Wasm
from kinetree.errors import InputError
from kinetree.export import TARGETS, Code
from kinetree.graph import interpret
from kinetree.graph.operations import OPERATIONS
from kinetree.joints import JointKind
from kinetree.spatial.motion import Motion
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray
WRITERS: dict[str, Any] = {**LANGUAGES, "wasm": Wasm}
# relative to the largest number of a result: the same graph, but fused operations and sines are rounded differently
SAME = 1e-14
SINGLE = 1e-5  # the same in float32
ULPS = 4  # elementary functions of two libraries


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    languages.require(request.param)
    return request.param


def require_precision(target: str, single: bool) -> None:
    if single and target == "wasm":
        pytest.skip("WebAssembly is in float64 alone")


def assert_close(actual: Any, expected: Any, tolerance: float) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    scale = np.abs(expected).max(initial=0.0)
    assert np.isfinite(expected).all()
    assert np.abs(actual - expected).max(initial=0.0) <= tolerance * scale


def arguments(function: Any, robot: Any, rng: np.random.Generator, rows: tuple[int, ...] = ()) -> list[Array]:
    """Random arguments with unit quaternions; parameters near one."""
    args = []
    for operand in function.operands:
        x = rng.normal(size=(*rows, *operand.shape))
        for _, start in robot.quaternions if operand.name == "q" else ():
            x[..., start : start + 4] /= np.linalg.norm(x[..., start : start + 4], axis=-1, keepdims=True)
        args.append(1.0 + 0.1 * np.tanh(x) if operand.name in robot.parameters else x)
    return args


# -- operations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_knows_every_operation(name: str) -> None:
    assert set(WRITERS[name].operations) == set(OPERATIONS)


def one_by_one(a: Any, b: Any, c: Any) -> list[Any]:
    """Every operation, and constants where they can go wrong, each as a result of its own."""
    flag = (a < b) & ~((b <= c) | (s.equal(a, c) ^ (c < 0.0)))
    wide = s.widen(a) * s.widen(b) - 0.1
    return [
        *(a + b, a - b, a * b, a / b, -c, s.fma(a, b, c), s.sin(a), s.cos(b), s.atan2(a, b), s.sqrt(a), abs(b)),
        *(s.sign(c), s.copysign(a, b), s.copysign(1.0, s.rint(c)), s.floor(a), s.rint(b), s.select(flag, a, b)),
        *(s.select(a < 0.0, 0.1, 0.7), s.narrow(wide), s.narrow(s.select(a < b, wide, 0.3)), a * 1e300, c * -1e-5),
        *(a < b, flag, s.equal(a, c) ^ (c < 0.0), s.fma(a, b, -(a * b)), 2.5, a),  # the fourth: what a product loses
    ]


COUNT = 28
SIGNATURE = f"a(),b(),c()->{','.join(['()'] * COUNT)}"


def edges(single: bool) -> list[tuple[float, ...]]:
    """Numbers on which operations go wrong, and products that are halfway between two numbers."""
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, -2.5, -0.25, 3.25e5, 1e-3]
    rng = np.random.default_rng(2)
    some = rng.permutation(list(itertools.product(values, repeat=3)))[:90]
    close = 1 + (2.0**-12 if single else 2.0**-27)
    halves = [(close, close, 2.0**-k * sign) for k in (30, 60, 70) for sign in (1, -1)]
    return [
        (-2.5, 0.5, -2.5),
        *map(tuple, some.tolist()),
        *halves,
        *map(tuple, rng.normal(size=(20, 3)).astype(np.float32).tolist()),
    ]


@pytest.mark.parametrize("single", [False, True], ids=["float64", "float32"])
def test_an_operation_means_what_the_interpreter_says(target: str, single: bool, tmp_path: Path) -> None:
    require_precision(target, single)
    kind = np.float32 if single else np.float64
    traced = kt.trace(one_by_one, signature=SIGNATURE)
    assert set(traced.operations) == set(OPERATIONS)
    rows = edges(single)
    inputs = {o.name: np.array(column)[None] for o, column in zip(traced.operands, zip(*rows))}
    values = np.array(
        [np.broadcast_to(y, len(rows)).astype(float) for y in interpret.evaluate(traced.outputs, inputs, kind)]
    )
    states = tuple(
        State(tuple((x,) for x in row), tuple((float(y),) for y in values[:, k])) for k, row in enumerate(rows)
    )
    language = WRITERS[target]
    size = max(10, language.size // 1000)  # in several parts, where the language has parts
    program = straight(traced.operands, traced.results, traced.outputs, single=single, size=size)
    tolerance = ULPS * float(np.finfo(kind).eps)
    listing = Listing("operations", "operations", program, ("Every operation.",), {}, states, tolerance)
    Code("operations", target, language(listing).files()).write(tmp_path)
    done = languages.self_test(target, "operations", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert f"{len(states)} states as expected" in done.stdout


@pytest.mark.parametrize("single", [False, True], ids=["float64", "float32"])
def test_parts_compute_what_the_whole_does(
    target: str, single: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_precision(target, single)
    monkeypatch.setattr(
        Wasm if target == "wasm" else Language, "size", 3
    )  # truth values pass between parts, wide ones too
    function = kt.compile(crossing, signature="x(5)->y(5)")
    code = kt.export.code(function, target=target, dtype="float32" if single else "float64")
    code.write(tmp_path)
    done = languages.self_test(target, code.name, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


# -- algorithms --------------------------------------------------------------------------------------------------------


def variants(robot: kt.Robot, names: Any = CATALOGUE) -> list[tuple[str, dict[str, Any]]]:
    """All algorithms of the catalogue, with everything that they can take."""
    found: list[tuple[str, dict[str, Any]]] = []
    for name in names:
        options: dict[str, Any] = {"frame": robot.bodies[-1].name} if name in FRAMED else {}
        loaded = {"external": CATALOGUE[name].external, "base": CATALOGUE[name].base and not robot.nbase}
        found.append((name, {**options, **loaded}))
    return found


SOME = ("inverse_dynamics", "forward_dynamics", "pose")  # where one robot has gone through all of them
ROBOTS = {
    "tree": lambda: tree(3, 3, ("revolute", "prismatic"), friction=True, springs=True),
    "floating": lambda: tree(8, 2, ("revolute", "helical"), on_free_base=True),
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_c_computes_what_the_compiled_functions_do(name: str, dtype: str, tmp_path: Path) -> None:
    languages.require("c")
    robot, kind = ROBOTS[name](), np.dtype(dtype).type
    chosen = variants(robot, CATALOGUE if name == "tree" and dtype == "float64" else SOME)
    codes = [kt.export.code(robot, algorithm, dtype=dtype, test=False, **options) for algorithm, options in chosen]
    library = languages.library(codes, tmp_path)
    rng = np.random.default_rng(1)
    for (algorithm, options), code in zip(chosen, codes):
        function = robot.function(algorithm, **options)
        args = arguments(function, robot, rng)
        expected = function(*(x.astype(kind) for x in args))
        expected = expected if isinstance(expected, tuple) else (expected,)
        shapes = [result.shape or (1,) for result in function.results]
        actual = languages.call(getattr(library, code.name), args, shapes, kind)
        tolerance = SINGLE if dtype == "float32" else SAME
        for x, y, shape in zip(actual, expected, shapes):
            assert_close(x, np.reshape(y, shape), tolerance)


@pytest.mark.parametrize("name", ROBOTS)
def test_python_computes_what_the_compiled_functions_do_and_broadcasts(name: str, tmp_path: Path) -> None:
    robot = ROBOTS[name]()
    rng = np.random.default_rng(1)
    for algorithm, options in variants(robot, CATALOGUE if name == "tree" else SOME):
        function = robot.function(algorithm, **options)
        code = kt.export.code(robot, algorithm, "python", test=False, **options)
        made = getattr(languages.module(code, tmp_path), code.name)
        args = [x[:, None] if k else x for k, x in enumerate(arguments(function, robot, rng, (2,)))]
        expected, actual = function(*args), made(*args)
        assert isinstance(actual, tuple) == isinstance(expected, tuple)
        for x, y in zip(*(z if isinstance(z, tuple) else (z,) for z in (actual, expected))):
            assert_close(x, y, SAME)


def test_a_robot_exports_to_every_language(target: str, tmp_path: Path) -> None:
    robot = kt.robots.puma560()
    for algorithm, options in variants(robot, ("inverse_dynamics", "forward_dynamics", "jacobian", "kinetic_energy")):
        code = kt.export.code(robot, algorithm, target, **options)
        code.write(tmp_path)
        done = languages.self_test(target, code.name, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{code.name}: 3 states as expected" in done.stdout


def test_a_self_test_finds_a_wrong_number(target: str, tmp_path: Path) -> None:
    robot = kt.robots.two_link()
    code = kt.export.code(robot, "inverse_dynamics", target)
    if code.binary is not None:
        length, other = struct.pack("<d", 0.4), struct.pack("<d", 0.5)
        assert length in code.binary
        files = {n: x.replace(length, other) if isinstance(x, bytes) else x for n, x in code.files.items()}
        Code(code.name, target, files).write(tmp_path)
        assert languages.self_test(target, code.name, tmp_path).returncode == 1
        return
    (constant, *_) = re.findall(r"\d\.\d{3,}", code.source.split("Kinetree", 1)[1].split("\n", 1)[1])
    files = {
        name: text if text is code.test else text.replace(constant, f"1{constant}") for name, text in code.texts.items()
    }
    assert files != code.files
    Code(code.name, target, files).write(tmp_path)
    done = languages.self_test(target, code.name, tmp_path)
    assert done.returncode != 0


def test_rust_needs_no_standard_library(tmp_path: Path) -> None:
    languages.require("rust")
    code = kt.export.code(kt.compile(one_by_one, signature=SIGNATURE), target="rust", test=False)
    code.write(tmp_path)
    (tmp_path / "lib.rs").write_text(f"#![no_std]\npub mod {code.name};\n")
    flags = ["--edition", "2021", "--crate-type", "lib", "-D", "warnings"]
    done = languages.command(["rustc", *flags, "lib.rs"], tmp_path)
    assert done.returncode == 0, done.stderr


def test_c_in_single_precision_uses_no_double(tmp_path: Path) -> None:
    languages.require("c")
    code = kt.export.code(kt.robots.puma560(), "forward_dynamics", "c", dtype="float32", test=False)
    code.write(tmp_path)
    flags = ["-std=c99", *languages.WARNINGS, "-Wdouble-promotion", "-Wconversion", "-fsyntax-only"]
    done = languages.command(["gcc", *flags, f"{code.name}.c"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "double" not in code.source


def test_a_c_header_is_one_for_cpp_too(tmp_path: Path) -> None:
    languages.require("cpp")
    code = kt.export.code(kt.robots.two_link(), "mass_matrix", "c")
    code.write(tmp_path)
    (tmp_path / "user.cpp").write_text(f'#include "{code.name}.h"\n#include "{code.name}.h"\n')
    done = languages.command(["g++", *languages.WARNINGS, "-fsyntax-only", "user.cpp"], tmp_path)
    assert done.returncode == 0, done.stderr


# -- what else a robot may have ----------------------------------------------------------------------------------------


def run(code: Code, target: str, folder: Path) -> None:
    code.write(folder)
    done = languages.self_test(target, code.name, folder)
    assert done.returncode == 0, done.stdout + done.stderr


AWKWARD = ("double", "lambda_", "end", "t1", "s", "sin", "fn", "np", "part0", "compare", "expected_tau", "größe", "_x")


def test_any_name_of_a_parameter_will_do(target: str, tmp_path: Path) -> None:
    total = sum((kt.parameter(name, 0.1 * k) for k, name in enumerate(AWKWARD, 1)), 1.0)
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=total, com=(-0.5, 0, 0))], name="double")
    run(kt.export.code(robot, "gravity_forces", target), target, tmp_path)


def test_parameters_become_arguments(tmp_path: Path) -> None:
    arm = kt.robots.two_link().attach(kt.Inertia(kt.parameter("payload"), (0.1, 0, 0)), "link2")
    code = kt.export.code(arm, "inverse_dynamics", "python", test=False)
    made = getattr(languages.module(code, tmp_path), code.name)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    for payload in (0.0, 2.0):
        assert_close(made(q, qd, qdd, payload), arm.inverse_dynamics(q, qd, qdd, payload=payload), SAME)


def test_many_parameters_are_one_array(tmp_path: Path) -> None:
    masses = [kt.parameter(f"m{k:02}", 1.0 + k) for k in range(40)]
    robot = kt.Robot.from_dh([kt.DH(a=0.1, mass=m, com=(-0.05, 0, 0)) for m in masses])
    code = kt.export.code(robot, "gravity_forces", "python")
    run(code, "python", tmp_path)
    assert "parameters: (..., 40)" in code.source


def test_hybrid_dynamics_with_known_forces(target: str, tmp_path: Path) -> None:
    code = kt.export.code(kt.robots.puma560(), "hybrid_dynamics", target, known_forces=["joint2", "joint5"])
    assert "Joints whose force is given: joint2, joint5" in code.source
    run(code, target, tmp_path)


def test_closed_chains(tmp_path: Path) -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    q = chain.close([0.3]).check()
    for algorithm in ("inverse_dynamics", "velocities"):  # the second has a result with the name of an argument
        code = kt.export.code(chain, algorithm, "python")
        made = getattr(languages.module(code, tmp_path), code.name)
        args = [q, [0.7], [-0.2]][: 3 if algorithm == "inverse_dynamics" else 2]
        for x, y in zip(made(*args), chain.function(algorithm)(*map(np.asarray, args))):
            assert_close(x, y, SAME)
        run(kt.export.code(chain, algorithm, "c", name=f"c_{algorithm}"), "c", tmp_path)
    code, base = kt.export.code(chain, "inverse_dynamics", "python", base=True, name="on_a_ship"), np.eye(2, 6) + 0.5
    tau = getattr(languages.module(code, tmp_path), code.name)(q, [0.7], [-0.2], *base)[0]
    moving = {"base_velocity": base[0], "base_acceleration": base[1]}
    assert_close(tau, chain.inverse_dynamics(q, [0.7], [-0.2], **moving), SAME)


@dataclass(frozen=True)
class Cam(JointKind):
    """A joint of the user's own: it lifts the body with the sine of its angle."""

    nq = nv = 1

    def transform(self, q: Any) -> Transform:
        return Transform(Rotation.about(2, q[0]), Vec3(0.0, 0.0, 0.1 * s.sin(q[0])))

    def subspace(self, q: Any) -> tuple[Motion, ...]:
        return (Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.1 * s.cos(q[0]))),)

    def bias(self, q: Any, qd: Any) -> Motion:
        return Motion(Vec3.zero, Vec3(0.0, 0.0, -0.1 * s.sin(q[0]) * qd[0] * qd[0]))


def test_joints_of_the_users_own(tmp_path: Path) -> None:
    body = kt.Body("cam", kt.Joint("lift", Cam()), kt.Inertia(2.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1)))
    robot = kt.Robot((body,), name="cam")
    code = kt.export.code(robot, "inverse_dynamics", "python")
    made = getattr(languages.module(code, tmp_path), code.name)
    assert_close(made([0.4], [2.0], [1.0]), robot.inverse_dynamics([0.4], [2.0], [1.0]), SAME)
    run(kt.export.code(robot, "inverse_dynamics", "c", name="cam_c"), "c", tmp_path)


@pytest.mark.parametrize("name", ["compare", "double"])
def test_any_name_of_a_function_will_do(name: str, target: str, tmp_path: Path) -> None:
    function = kt.compile(lambda x: [x[0] * 0.5], signature="state(1)->good(1)", name=name)
    run(kt.export.code(function, target=target), target, tmp_path)


def test_random_robots(tmp_path: Path) -> None:
    languages.require("c")
    robots = [tree(seed, 4, friction=True, mimics=True, motors=seed % 2 == 0) for seed in range(6)]
    names = ("inverse_dynamics", "forward_dynamics")
    cases = [(robot, algorithm) for robot in robots for algorithm in names]
    codes = [
        kt.export.code(robot, algorithm, name=f"case_{k}", test=False) for k, (robot, algorithm) in enumerate(cases)
    ]
    library = languages.library(codes, tmp_path)
    rng = np.random.default_rng(4)
    for (robot, algorithm), code in zip(cases, codes):
        function = robot.function(algorithm)
        for _ in range(5):
            args = arguments(function, robot, rng)
            actual = languages.call(getattr(library, code.name), args, [r.shape for r in function.results], np.float64)
            assert_close(actual[0], function(*args), SAME)


def test_any_compiled_function_can_be_exported(tmp_path: Path) -> None:
    gradient = kt.jacobian(lambda x: [s.sin(x[0]) * x[1], x[0]], signature="x(2)->y(2)", name="slope")
    code = kt.export.code(gradient, target="python")
    made = languages.module(code, tmp_path).slope
    x = np.random.default_rng(0).normal(size=(4, 3, 2))
    assert_close(made(x), gradient(x), SAME)
    # results that are arguments or constants, and arguments that nothing needs
    simple = kt.compile(lambda x, y: ([x[1], 2.0], x[0]), signature="x(2),y(3)->u(2),v()", name="simple")
    for target in ("c", "cpp", "python", "rust"):
        if languages.works(languages.TOOLS[target][0]):
            run(kt.export.code(simple, target=target), target, tmp_path)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_iteration_is_a_loop_in_c(tmp_path: Path, dtype: str) -> None:
    def root(a: list[Any], x: Any, count: Any, two: list[Any]) -> Any:
        """Newton's method, which may end after different numbers of steps."""
        y = 0.5 * (x + abs(a[0]) / x)
        return (
            y,
            count + 1.0,
            [two[1], y],
            [y, a[1]],
            kt.scalar.select((count < 30) & (abs(y - x) > 1e-3 * y), 1.0, 0.0),
        )

    root.repeats = True  # type: ignore[attr-defined]
    function = kt.compile(root, signature="a(2), x(), count(), two(2) -> x(), count(), two(2), both(2), again()")
    with pytest.raises(InputError, match="exported to c and wasm alone"):
        kt.export.code(function, target="rust")
    languages.require("c")
    kt.export.write(function, target="c", folder=tmp_path, dtype=dtype)
    done = languages.self_test("c", "root", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    x, count, two, both = function(np.array([2.0, 3.0]), 1.0, 0.0, np.zeros(2))
    np.testing.assert_allclose([x, count, *both], [2**0.5, 4.0, 2**0.5, 3.0], rtol=1e-6)
    np.testing.assert_allclose(two, [577 / 408, 2**0.5], rtol=1e-9)
