"""Random programs in WebAssembly compute the bits that the interpreter does: nothing is contracted or reordered."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from random_arrays import numbers
from random_programs import Program, random_program
from wasm_engines import in_wasmtime

import kinetree as kt
from kinetree.emit.wasm.target import Wasm
from kinetree.export import wasm
from kinetree.export.reference import evaluated

COUNT, CALLS = 120, 6
# rounded otherwise; and a negation may change the sign of a zero, which these tell
ROUNDED, TELLING = {"sin", "cos", "atan2", "fma"}, {"div", "copysign"}


def exact_programs(seed: int) -> list[Program]:
    """Programs whose results are the same bits, but for the signs of zeros."""
    random, found = Random(f"wasm {seed}"), list[Program]()
    while len(found) < COUNT:
        program = random_program(random)
        used = {op for op, *_ in program.steps}
        has_numbers = all(all(shape) for shape in program.operands)
        if has_numbers and not used & ROUNDED and not ("neg" in used and used & TELLING):
            found.append(program)
    return found


@pytest.mark.parametrize("size", [7, 1500])
def test_random_programs_are_exact(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wasm, "size", size)
    random = Random(size)
    functions, calls, expected = dict[str, Any](), list[Any](), list[Any]()
    for k, program in enumerate(exact_programs(size)):
        robot = program.robot
        function = kt.compile(program, robot, signature=program.signature)
        source: Any = function.source
        traced = source.trace()
        functions[f"f{k}"] = function
        for _ in range(CALLS):
            given = {o.name: numbers(random, o.shape, np.float64) for o in traced.operands}
            calls.append((f"f{k}", given))
            expected.append(evaluated(traced, {name: np.ravel(x)[:, None] for name, x in given.items()}))
    for (name, given), found, wanted in zip(calls, in_wasmtime(wasm.module(None, functions), calls), expected):
        for x, y in zip(found.values(), wanted, strict=True):
            np.testing.assert_array_equal(np.ravel(x), y[:, 0], err_msg=f"{name} {given}")
