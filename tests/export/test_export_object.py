"""Object code for other processors: it computes what the interpreter does, on them, and needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from machines import MACHINES, Machine, machine
from sample_functions import crossing, every_operation
from strategies import tree

import kinetree as kt
from kinetree import cli
from kinetree.errors import InputError, UnknownNameError
from kinetree.export import TRIPLES, Code
from kinetree.export.elf import undefined_symbols
from kinetree.lower import program

UR5 = kt.robots.ur5()
# relative to the largest number of a result; in float32 the self-test's own tolerance is wider, for traces that lose
# digits
EXACT = {"float64": 1e-14, "float32": 1e-6}
MANY = kt.robots.random_tree(1, 12)
PAYLOAD = UR5.attach(kt.Inertia(kt.parameter("payload", 2.0), (0, 0, 0.1)), "tool0")

STACK = r"""
#include <stdio.h>
#include "{name}.h"

#define DEPTH 16384

static volatile {real} numbers[4096];

int main(void)
{{
    volatile unsigned char *sp;
    int k;
#ifdef __x86_64__
    __asm volatile("mov %%rsp, %0" : "=r"(sp));
#else
    __asm volatile("mov %0, sp" : "=r"(sp));
#endif
    for (k = 1; k <= DEPTH; ++k)
        sp[-k] = 0xA5;
    {call};
    for (k = DEPTH; k > 0 && sp[-k] == 0xA5; --k) {{
    }}
    printf("%d\n", k);
    return 0;
}}
"""


@pytest.fixture(params=["x86-64", *(pytest.param(x, marks=pytest.mark.slow) for x in MACHINES if x != "x86-64")])
def where(request: pytest.FixtureRequest) -> Machine:
    return machine(request.param)


def checked(code: Code, where: Machine, folder: Path, tolerance: float | None = None) -> None:
    """The self-test on the processor, perhaps with a tolerance of ours."""
    code.write(folder)
    test = folder / f"{code.name}_test.c"
    if tolerance is not None:
        text, count = re.subn(r"<= \S+ \* scale", f"<= {tolerance} * scale", test.read_text())
        assert count == 1
        test.write_text(text)
    done = where.run([test.name, f"{code.name}.o"], folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "states as expected" in done.stdout


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("dtype", EXACT)
def test_numbers_are_the_reference_s(name: str, dtype: str, tmp_path: Path) -> None:
    where = machine(name)
    for algorithm in ("gravity_forces", "inverse_dynamics", "mass_matrix"):
        checked(kt.export.object_file(UR5, algorithm, where.triple, dtype=dtype), where, tmp_path, EXACT[dtype])


@pytest.mark.parametrize("dtype", EXACT)
def test_whatever_a_function_has(where: Machine, dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers by value, several results, results that are operands or constants, and truth values between parts."""
    monkeypatch.setattr(program, "MANY", 0)  # other targets would walk through tables; objects have none
    robot = tree(3, 3, ("revolute", "prismatic"), friction=True, springs=True)
    made: list[Any] = [
        kt.export.object_file(PAYLOAD, "inverse_dynamics", where.triple, dtype=dtype, name="payload"),
        kt.export.object_file(robot, "forward_dynamics_derivatives", where.triple, dtype=dtype, name="slopes"),
        kt.export.object_file(UR5, "forward_dynamics", where.triple, dtype=dtype, name="forward"),
        kt.export.object_file(UR5, "pose", where.triple, dtype=dtype, name="pose", frame="tool0"),
    ]
    monkeypatch.setattr(program, "cut", lambda *args: _cut(*args, size=3))
    simple = kt.compile(lambda x, y, n: ([x[1], 2.0, n], x[0], n + 1.0), signature="x(2),y(3),n()->u(3),v(),w()")
    functions = {"operations": kt.compile(every_operation, signature="x(3)->y(9)"), "simple": simple,
                 "crossing": kt.compile(crossing, signature="x(5)->y(5)")}  # fmt: skip
    made += [
        kt.export.object_file(f, triple=where.triple, dtype=dtype, name=f"f_{name}") for name, f in functions.items()
    ]
    for code in made:
        checked(code, where, tmp_path)


_cut = program.cut


@pytest.mark.parametrize("dtype", EXACT)
def test_the_stack_is_what_the_header_says(where: Machine, dtype: str, tmp_path: Path) -> None:
    for robot, algorithm in ((UR5, "inverse_dynamics"), (UR5, "gravity_forces"), (MANY, "forward_dynamics")):
        code = kt.export.object_file(robot, algorithm, where.triple, dtype=dtype, test=False)
        code.write(tmp_path, overwrite=True)
        stated = int(re.search(r"Stack: (\d+) bytes", code.header)[1])  # type: ignore[index]
        declared = next(line for line in code.header.splitlines() if line.startswith("void"))
        sizes = [int(n) for n in re.findall(r"\[(\d+)\]", declared)]
        begins = [sum(sizes[:k]) for k in range(len(sizes))]
        real = "float" if dtype == "float32" else "double"
        call = f"{code.name}({', '.join(f'({real} *)numbers + {k}' for k in begins)})"
        (tmp_path / "stack.c").write_text(STACK.format(name=code.name, real=real, call=call))
        done = where.run(["stack.c", f"{code.name}.o"], tmp_path)
        assert done.returncode == 0, done.stderr
        # padding may stay untouched; nothing is used that is not stated
        assert stated - 32 <= int(done.stdout) <= stated


@pytest.mark.parametrize("triple", TRIPLES)
def test_objects_need_nothing_from_elsewhere(triple: str) -> None:
    for cpu in TRIPLES[triple]:
        for dtype in EXACT:
            code = kt.export.object_file(UR5, "forward_dynamics", triple, cpu=cpu, dtype=dtype, test=False)
            assert code.binary is not None
            assert code.binary[:4] == b"\x7fELF"
            assert undefined_symbols(code.binary) == []


def test_undefined_symbols_are_found() -> None:
    from kinetree.runtime import native

    function = "declare void @other()\ndefine void @f() nounwind {\n  call void @other()\n  ret void\n}"
    for triple in ("thumbv7em-unknown-none-eabihf", "aarch64-unknown-linux-gnu"):
        assert undefined_symbols(native.object_file(f'target triple = "{triple}"\n{function}', triple, "")[0]) == [
            "other"
        ]


def test_bad_choices_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="triple 'thumbv6m-none-eabi'"):
        kt.export.object_file(UR5, "gravity_forces", "thumbv6m-none-eabi")
    with pytest.raises(UnknownNameError, match="cortex-m4"):
        kt.export.object_file(UR5, "gravity_forces", cpu="cortex-m4")
    with pytest.raises(InputError, match="float16"):
        kt.export.object_file(UR5, "gravity_forces", dtype="float16")
    with pytest.raises(InputError, match="is an iteration, which is exported to c and wasm alone"):
        kt.export.object_file(UR5, "inverse_kinematics", frame="tool0")
    with pytest.raises(InputError, match="can't be a function's"):
        kt.export.object_file(UR5, "gravity_forces", name='x" #0 {')


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["export", "zoo:ur5", "--algorithm", "gravity_forces", "--target", "object", "--dtype", "float32"]
    assert cli.main([*command, "--triple", "thumbv7em-none-eabihf", "--out", str(tmp_path)]) == 0
    assert {x.name for x in tmp_path.iterdir()} == {f"ur5_gravity_forces{x}" for x in (".h", ".o", "_test.c")}
    assert cli.main([*command, "--triple", "z80-none-elf", "--out", str(tmp_path)]) == 3
    assert "z80-none-elf" in capsys.readouterr().err
