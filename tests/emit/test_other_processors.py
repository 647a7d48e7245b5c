"""The same program is accepted for processors that this machine is not."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.emit.llvm import entries
from kinetree.emit.llvm.module import module
from kinetree.lower.program import lower
from kinetree.runtime import native

PROCESSORS = {
    "NEON": ("aarch64-unknown-linux-gnu", "generic", 16),
    "Apple": ("arm64-apple-macosx11.0.0", "apple-m1", 16),
    "Windows": ("x86_64-pc-windows-msvc", "haswell", 32),
    "SSE2": ("x86_64-unknown-linux-gnu", "x86-64", 16),
    "AVX-512": ("x86_64-unknown-linux-gnu", "skylake-avx512", 64),
}


@pytest.mark.parametrize("name", PROCESSORS)
@pytest.mark.parametrize("single", [False, True])
def test_code_is_generated(name: str, single: bool) -> None:
    native.target()  # LLVM is there
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, cpu, width = PROCESSORS[name]
    variant = Variant("forward_dynamics", external=True)
    traced = kt.trace(variant, kt.robots.stanford())
    program = lower(traced.operands, traced.results, traced.outputs, single=single)
    text = module(program, width // (4 if single else 8), triple)
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2, jit=True)
    code = machine.emit_object(llvm.parse_assembly(text))
    assert entries.LOOP.encode() in code
