"""Modules of WebAssembly compute what the compiled functions do, for every robot; they are valid and small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import languages
import numpy as np
import pytest
import repeating
from sample_functions import crossing
from strategies import tree
from wasm_engines import ENGINES, in_node, in_wasmtime, node

import kinetree as kt
from kinetree.catalogue import CATALOGUE, FRAMED
from kinetree.cli import main
from kinetree.closed.catalogue import ALGORITHMS, KINEMATICS
from kinetree.emit.wasm.binary import read_unsigned, sections
from kinetree.emit.wasm.target import Wasm
from kinetree.errors import InputError
from kinetree.export import wasm
from kinetree.export.reference import evaluated
from kinetree.joints import KINDS
from kinetree.runtime.function import Function

Array = np.ndarray
SAME = 1e-12  # relative to the largest number of a result: sines and fused operations are rounded differently
# of V8, whose limits are those of browsers
LOCALS, BODY = 50_000, 7_654_321


@pytest.fixture(params=ENGINES)
def run(request: pytest.FixtureRequest) -> Any:
    return ENGINES[request.param]


def operands(function: Function, robot: Any, rng: np.random.Generator) -> dict[str, Array]:
    """Random numbers with unit quaternions; parameters near one."""
    given = {}
    for operand in function.operands:
        x = rng.normal(size=operand.shape)
        for _, start in robot.quaternions if operand.name in ("q", "q0", "q1") else ():
            x[start : start + 4] /= np.linalg.norm(x[start : start + 4])
        given[operand.name] = 1.0 + 0.1 * np.tanh(x) if operand.name in robot.parameters else x
    return given


def assert_same(found: dict[str, Array], expected: Sequence[Any]) -> None:
    for (name, x), y in zip(found.items(), expected, strict=True):
        y = np.reshape(y, x.shape)
        assert np.isfinite(y).all()
        assert np.abs(x - y).max() <= SAME * np.abs(y).max(), name


def check(run: Any, functions: dict[str, Function], robot: Any, **given: Array) -> None:
    """Against the interpreter, which defines every operation."""
    rng = np.random.default_rng(0)
    calls = [(name, {**operands(function, robot, rng), **given}) for name, function in functions.items()]
    for (name, values), found in zip(calls, run(wasm.module(None, functions), calls)):
        source: Any = functions[name].source
        assert_same(found, evaluated(source.trace(), {key: np.ravel(x)[:, None] for key, x in values.items()}))


# -- values ------------------------------------------------------------------------------------------------------------


def variants(robot: kt.Robot, names: Sequence[str] = tuple(CATALOGUE)) -> dict[str, Function]:
    """Algorithms with everything that they can take."""
    return {
        name: robot.function(
            name,
            frame=robot.bodies[-1].name if name in FRAMED else None,
            external=CATALOGUE[name].external,
            base=CATALOGUE[name].base and not robot.nbase,
        )
        for name in names
    }


def test_every_algorithm(run: Any) -> None:
    robot = tree(3, 3, ("revolute", "prismatic"), friction=True, springs=True)
    check(run, variants(robot), robot)


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_joint(kind: str) -> None:
    robot = tree(5, 3, (kind, "revolute"), friction=True)
    names = ("inverse_dynamics", "forward_dynamics", "joint_wrenches", "pose", "integrate", "difference")
    check(in_wasmtime, variants(robot, names), robot)


def test_compiled_functions_compute_the_same() -> None:
    robot, rng = kt.robots.ur5(), np.random.default_rng(0)
    functions = variants(robot, ("inverse_dynamics", "forward_dynamics", "pose"))
    calls = [(name, operands(function, robot, rng)) for name, function in functions.items() for _ in range(5)]
    for (name, given), found in zip(calls, in_wasmtime(wasm.module(None, functions), calls)):
        assert_same(found, [functions[name](*given.values())])


@pytest.mark.slow
def test_long_programs_with_sums_of_products() -> None:
    robot = kt.robots.human55()
    check(in_wasmtime, variants(robot, ("forward_dynamics_derivatives",)), robot)


def test_closed_chains() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    names = [name for name in ALGORITHMS if "platform" not in name and name != "possible_motion"]
    functions = {name: chain.function(name, external=name not in KINEMATICS) for name in names}
    check(in_wasmtime, functions, chain.robot, q=chain.neutral)


@pytest.mark.parametrize("name", ["planar_3rrr", pytest.param("gough_stewart", marks=pytest.mark.slow)])
def test_parallel_robots(name: str) -> None:
    robot = kt.ParallelRobot.of(getattr(kt.robots, name)(), "platform")
    functions = {x: robot.function(x) for x in ("inverse_dynamics", "forward_dynamics", "jacobian", "velocities")}
    check(in_wasmtime, functions, robot.robot, q=robot.chain.neutral)


def test_parts_of_any_size(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    function = kt.compile(crossing, signature="x(5)->y(5)")
    for size in (1, 3, 1000):
        monkeypatch.setattr(Wasm, "size", size)
        x = np.random.default_rng(size).normal(size=5)
        (found,) = run(wasm.module(None, {"crossing": function}), [("crossing", {"x": x})])
        np.testing.assert_allclose(found["y"], function(x), rtol=1e-14)


def test_results_that_nothing_computes(run: Any) -> None:
    simple = kt.compile(lambda x, y: ([x[1], 2.0, x[1]], x[0], 2.0), signature="x(2),y(3)->u(3),v(),w()")
    (found,) = run(wasm.module(None, {"simple": simple}), [("simple", {"x": [3.0, 4.0], "y": [0.0] * 3})])
    assert [*found["u"], *np.ravel(found["v"]), *np.ravel(found["w"])] == [4.0, 2.0, 4.0, 3.0, 2.0]


def test_an_operand_may_have_the_name_of_a_result(run: Any) -> None:
    swap = kt.compile(lambda x, y: ([x[1], x[0]], x[0] * y), signature="x(2), y() -> x(2), y()")
    content = wasm.module(None, {"swap": swap})
    first, again = run(content, [("swap", {"x": [3.0, 4.0], "y": 5.0}), ("swap", {})])
    assert [*first["x"], *np.ravel(first["y"])] == [4.0, 3.0, 15.0]
    assert [*again["x"], *np.ravel(again["y"])] == [3.0, 4.0, 60.0]  # in place: it goes on with what it has left


# -- iterations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3])
def test_a_step_repeats_until_it_is_done(run: Any, size: int) -> None:
    step = repeating.Wander(size)
    function = kt.compile(step)
    names = [o.name for o in function.operands]
    rows = [[x[k] for x in repeating.arguments((6,), size)] for k in range(6)]
    calls = [("wander", dict(zip(names, row))) for row in rows]
    for row, found in zip(rows, run(wasm.module(None, {"wander": function}), calls)):
        for x, y in zip(found.values(), repeating.expected(step, row)):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


def test_inverse_kinematics_finds_what_the_robot_finds() -> None:
    robot = kt.robots.panda()
    content = wasm.module(None, {"ik": kt.InverseKinematics(robot, kt.tasks.Pose("tcp")).function()})
    target, guess = robot.pose(robot.random(20, seed=1), "tcp"), 0.5 * (robot.lower + robot.upper)
    target[3, 2, 3], target[4, 0, 3] = 4.0, np.nan
    solved = robot.inverse_kinematics("tcp", target, guess).solved
    for k, found in enumerate(in_wasmtime(content, [("ik", {"target": x, "guess": guess}) for x in target])):
        assert bool(found["solved"]) == bool(solved[k]) == (k not in (3, 4))
        if solved[k]:
            assert np.linalg.norm(robot.pose(found["q"], "tcp") - target[k]) < 3e-6
            assert ((found["q"] >= robot.lower) & (found["q"] <= robot.upper)).all()


def test_closing_finds_what_the_chain_finds() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    targets = np.array([[0.1, -0.2], [0.6, 0.3], [9.0, 0.0], [np.nan, 0.0]])
    calls = [("close", {"guess": chain.neutral, "target": x}) for x in targets]
    for x, found in zip(targets, in_wasmtime(wasm.module(chain, ("close",)), calls)):
        expected = chain.close(x)
        assert int(found["status"]) == expected.status
        if expected.closed:
            np.testing.assert_allclose(found["q"], expected.q, atol=1e-9)


def test_closing_at_poses_of_a_platform() -> None:
    robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
    own = robot.robot.q_slices[robot.index]
    target = robot.chain.neutral[own] + [0.02, -0.03, 0.1]
    call = ("close", {"guess": robot.chain.neutral, "target": target})
    (found,) = in_wasmtime(wasm.module(robot, ("close",)), [call])
    pose = robot.robot.pose(np.asarray(found["q"]), "platform")
    np.testing.assert_allclose(found["q"], robot.close(pose).check(), atol=1e-9)
    np.testing.assert_allclose(found["q"][own], target, atol=1e-12)


def test_closing_in_c(tmp_path: Path) -> None:
    languages.require("c")
    kt.export.write(kt.ClosedChain(kt.robots.five_bar()), "close", "c", tmp_path, name="close_it")
    done = languages.self_test("c", "close_it", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_self_tests_of_chains(tmp_path: Path) -> None:
    languages.require("wasm")
    chain = kt.ClosedChain(kt.robots.four_bar())
    kt.export.write(chain, ("close", "inverse_dynamics", "forward_dynamics"), "wasm", tmp_path)
    kt.export.write(kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform"), "close", "wasm", tmp_path)
    for name in ("four_bar", "planar_3rrr_close"):
        done = languages.self_test("wasm", name, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


# -- memory ------------------------------------------------------------------------------------------------------------


def test_functions_go_on_with_what_others_have_left(run: Any) -> None:
    robot, rng = kt.robots.ur5(), np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, 6))
    content = wasm.module(robot, ("forward_dynamics", "inverse_dynamics"))
    _, found = run(content, [("forward_dynamics", {"q": q, "qd": qd, "tau": tau}), ("inverse_dynamics", {})])
    np.testing.assert_allclose(found["tau"], tau, atol=1e-9)


def test_parameters_begin_with_their_defaults(run: Any) -> None:
    arm = kt.robots.two_link().attach(kt.Inertia(kt.parameter("payload", 0.7), (0.1, 0, 0)), "link2")
    masses = [kt.parameter(f"m{k:02}", 1.0 + k) for k in range(40)]
    many = kt.Robot.from_dh([kt.DH(a=0.1, mass=m, com=(-0.05, 0, 0)) for m in masses])
    q = np.random.default_rng(0).normal(size=40)
    functions = {"M": arm.function("mass_matrix"), "g": many.function("gravity_forces")}
    calls = [("M", {"q": q[:2]}), ("M", {"payload": 2.0}), ("g", {"q": q})]
    first, second, g = run(wasm.module(None, functions), calls)
    np.testing.assert_allclose(first["M"], arm.mass_matrix(q[:2]), rtol=1e-12)
    np.testing.assert_allclose(second["M"], arm.mass_matrix(q[:2], payload=2.0), rtol=1e-12)
    np.testing.assert_allclose(g["g"], many.gravity_forces(q), atol=1e-12 * 40 * 9.81 * 100)


# -- the binary --------------------------------------------------------------------------------------------------------


def bodies(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The functions of a module: how many locals, and the instructions."""
    code = next(section for number, section in sections(content) if number == 10)
    count, position = read_unsigned(code, 0)
    for _ in range(count):
        size, position = read_unsigned(code, position)
        end, local_count = position + size, 0
        groups, position = read_unsigned(code, position)
        for _ in range(groups):
            some, position = read_unsigned(code, position)
            local_count, position = local_count + some, position + 1
        yield local_count, code[position:end]
        position = end


def instructions(code: bytes) -> Counter[int]:
    """How often each occurs: a decoder of those that are written."""
    counts: Counter[int] = Counter()
    position = 0
    while position < len(code):
        op, position = code[position], position + 1
        counts[op] += 1
        if op == 0x44:
            position += 8
        elif op in (0x03, 0x0D):
            position += 1
        else:
            for _ in range({0x2B: 2, 0x39: 2, 0xFC: 0}.get(op, op in (0x10, 0x20, 0x21, 0x22, 0x41, 0x42))):
                _, position = read_unsigned(code, position)
        if op == 0xFC:
            sub, position = read_unsigned(code, position)
            position += 2 if sub == 10 else 1
    return counts


def test_modules_are_valid_and_within_the_limits_of_browsers() -> None:
    for robot in (kt.robots.two_link(), kt.robots.human55()):
        content = wasm.module(robot, ("forward_dynamics", "mass_matrix"))
        assert content[:8] == b"\0asm\1\0\0\0"
        assert [number for number, _ in sections(content)] == [1, 3, 5, 7, 10, 11, 0]  # no imports
        for local_count, code in bodies(content):
            assert local_count < LOCALS / 50
            assert len(code) < BODY / 100
    wasmtime = pytest.importorskip("wasmtime")
    wasmtime.Module.validate(wasmtime.Engine(), content)
    with pytest.raises(wasmtime.WasmtimeError):
        wasmtime.Module.validate(wasmtime.Engine(), content.replace(b"\xa2", b"\x71", 1))  # a product of integers


def test_an_operation_is_an_instruction() -> None:
    robot = kt.robots.ur5()
    for name in ("inverse_dynamics", "bias_forces"):
        *_, (_, code), _ = bodies(wasm.module(robot, (name,)))  # after the sine, before what calls it
        counts, expected = instructions(code), robot.operations(name)
        assert counts[0xA2] == expected["mul"]
        assert counts[0xA0] + counts[0xA1] == expected["add"] + expected["sub"]
        assert counts[0xA3] == expected.get("div", 0)
        assert counts[0x10] == expected["cos"]  # one call for a sine and a cosine
        assert counts[0x39] == robot.nv
        arithmetic = sum(expected.values())
        assert counts[0x20] + counts[0x21] + counts[0x22] < 1.6 * arithmetic


def test_modules_are_small() -> None:
    robot = kt.robots.ur5()
    names = ("pose", "gravity_forces", "inverse_dynamics", "forward_dynamics", "inverse_kinematics")
    code = kt.export.code(robot, names, "wasm", frame="tool0")
    assert code.binary is not None
    assert len(code.binary) < 16_000
    assert list(code.files) == ["ur5.mjs", "ur5.wasm", "ur5_test.mjs"]
    assert len(wasm.module(kt.robots.atlas(), ("forward_dynamics",))) < 60_000


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_bad_input() -> None:
    arm = kt.robots.two_link()
    with pytest.raises(InputError, match="is in float64: leave dtype="):
        kt.export.code(arm, "mass_matrix", "wasm", dtype="float32")
    with pytest.raises(InputError, match="exported to wasm alone, not to c"):
        kt.export.code(arm, ("mass_matrix", "pose"), "c")
    for wrong in ((), ("mass_matrix", "mass_matrix"), 3):
        with pytest.raises(InputError, match="name each algorithm once"):
            kt.export.code(arm, wrong, "wasm")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a name of its own"):
        wasm.module(arm, ("mass_matrix", "mass_matrix"))
    with pytest.raises(InputError, match="can't be the name"):
        wasm.module(arm, {"memory": "mass_matrix"})
    with pytest.raises(kt.errors.UnknownNameError, match="mass_matrix"):
        wasm.module(arm, ("mas_matrix",))
    twice = kt.compile(lambda x: (x, -x), signature="x() -> y(), y()")
    with pytest.raises(InputError, match="two results of one name"):
        wasm.module(None, {"twice": twice})
    with pytest.raises(InputError, match="got a NoneType"):
        wasm.module(None, ("pose",))


def test_the_loader_refuses_what_does_not_fit() -> None:
    content = wasm.module(kt.robots.two_link(), ("mass_matrix",))
    (matrix,) = in_node(content, [("mass_matrix", {"q": [0.1, 0.2]})])
    np.testing.assert_allclose(matrix["M"], kt.robots.two_link().mass_matrix([0.1, 0.2]), rtol=1e-12)
    bytes_as_list = list(content)
    messages = node(f"""
    const robot = await load(new Uint8Array({bytes_as_list})), said = [];
    const tries = [{{ q: [1] }}, {{ q: 1 }}, {{ p: [1, 2] }}, {{ q: null }}];
    for (const given of tries) {{
      try {{ robot.mass_matrix(given); }} catch (e) {{ said.push(`${{e.name}}: ${{e.message}}`); }}
    }}
    try {{ await load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); }} catch (e) {{ said.push(e.message); }}
    answer(said);
    """)
    assert messages == [
        "RangeError: mass_matrix: q is 2 numbers, got 1",
        "RangeError: mass_matrix: q is 2 numbers, got 1",
        "TypeError: mass_matrix takes no p, but q",
        "RangeError: mass_matrix: q is 2 numbers, got null",
        "this module of WebAssembly was not written by Kinetree",
    ]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ur5.json"
    file.write_text(kt.robots.ur5().to_json())
    words = ["export", str(file), "--out", str(tmp_path), "--frame", "tool0", "--target"]
    assert main([*words, "wasm", "--algorithm", "pose,inverse_dynamics,inverse_kinematics"]) == 0
    assert sorted(path.name for path in tmp_path.glob("ur5*m*")) == ["ur5.mjs", "ur5.wasm", "ur5_test.mjs"]
    assert [*wasm.listing((tmp_path / "ur5.wasm").read_bytes())] == ["pose", "inverse_dynamics", "inverse_kinematics"]
    assert main([*words, "c", "--algorithm", "pose,jacobian"]) != 0
    assert "exported to wasm alone" in capsys.readouterr().err
    assert main([*words, "wasm", "--algorithm", "pose,poze"]) != 0
    assert "'poze' is not one of inverse_dynamics" in capsys.readouterr().err
