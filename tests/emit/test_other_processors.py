"""Code for systems that this machine is not: it is generated, and all that it calls is something we provide.

Objects are made as the runtime makes them, for the systems that have wheels of llvmlite and for musl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import pytest
import strategies
from object_symbols import Symbols, symbols

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.emit.llvm import blocks, entries, loop, pool, recursion, skyline
from kinetree.emit.llvm.module import module, modules, shared
from kinetree.lower.program import Program, lower
from kinetree.runtime import addresses, native, processor, symbols as provided
from kinetree.scalar import floor, fma, rint, sin


class Platform(NamedTuple):
    triple: str
    cpu: str
    features: str = ""


LEVEL = processor.levels_of("x86_64", ",".join(processor._LEVELS.values()))
PLATFORMS = {
    "Linux, SSE2": Platform("x86_64-unknown-linux-gnu", "x86-64"),
    "Linux, AVX-512": Platform("x86_64-unknown-linux-gnu", "x86-64-v4", LEVEL["x86-64-v4"]),
    "Linux, NEON": Platform("aarch64-unknown-linux-gnu", "generic"),
    "musl, SSE2": Platform("x86_64-unknown-linux-musl", "x86-64"),
    "musl, AVX2": Platform("x86_64-unknown-linux-musl", "x86-64-v3", LEVEL["x86-64-v3"]),
    "Windows, SSE4": Platform("x86_64-pc-windows-msvc", "x86-64-v2", LEVEL["x86-64-v2"]),
    "Windows, AVX2": Platform("x86_64-pc-windows-msvc", "haswell", LEVEL["x86-64-v3"]),
    "Windows, NEON": Platform("aarch64-pc-windows-msvc", "generic"),
    "macOS, Apple": Platform("arm64-apple-darwin20.1.0", "apple-m1"),
    "macOS, Intel": Platform("x86_64-apple-darwin20.1.0", "x86-64-v2", LEVEL["x86-64-v2"]),
}
INNER = {entries.LOOP, "pack", "unpack", "spread"}  # of one module, that others call
STEP = {
    "x86_64": r"subq\s+\$4096, %rsp",
    "aarch64": r"sub\s+sp, sp, #1, lsl #12",
    "arm64": r"sub\s+sp, sp, #1, lsl #12",
}


@cache
def traces() -> list[Any]:
    """Small and large functions, large operands and results, and what some processors have no instruction for."""

    def unusual(x: Any) -> Any:
        return [fma(*x), floor(x[0]), rint(x[1]), sin(x[2])]

    robots = (kt.robots.stanford(), "forward_dynamics"), (kt.robots.random_tree(1, 24), "mass_matrix")
    functions = (lambda x: x[0] + x[-1], "(9999)->()"), (unusual, "(3)->(4)")
    found = [kt.trace(Variant(name), robot) for robot, name in robots]
    return [*found, *(kt.trace(function, signature=signature) for function, signature in functions)]


@cache
def many_results() -> Any:
    """A function for which LLVM would make the frame late, with the number of states in r11."""
    robot = strategies.tree(0, 4, friction=True, on_free_base=True)
    return kt.trace(Variant("joint_wrench_derivatives", external=True), robot)


def lowered(trace: Any, platform: Platform, single: bool) -> Program:
    fused = processor.has_fma(platform.triple, platform.features)
    return lower(trace.operands, trace.results, trace.outputs, single=single, fused=fused)


def texts(platform: Platform, single: bool) -> Iterator[str]:
    """All modules that the runtime would compile."""
    yield from (addresses.with_far_calls(text, platform.triple) for text in plain_texts(platform, single))


def plain_texts(platform: Platform, single: bool) -> Iterator[str]:
    lanes, triple = processor.vector_bytes(platform.features) // (4 if single else 8), platform.triple
    yield shared(lanes, single, triple)
    for trace in traces():
        for text in modules(lowered(trace, platform, single), lanes, triple):
            yield text()
    if not single:
        yield from (part.module(triple) for part in (pool, blocks, skyline, recursion))


def machine(platform: Platform) -> Any:
    native.target()  # LLVM is there
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(platform.triple)
    near = addresses.options(platform.triple)
    return target.create_target_machine(cpu=platform.cpu, features=platform.features, opt=2, jit=True, **near)


def names_of(triple: str) -> set[str]:
    """What is provided on a system (`runtime.symbols`)."""
    own = {name for system, names in provided.SYSTEM.items() if system in triple for name in names}
    markers = {*provided.MARKERS} if "windows" in triple else set[str]()
    return {*provided.PYTHON, *provided.C, *own, *markers}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", PLATFORMS)
def test_what_code_calls_is_provided(name: str, single: bool) -> None:
    platform = PLATFORMS[name]
    emit = machine(platform)
    found: list[Symbols] = [symbols(emit.emit_object(llvm.parse_assembly(text))) for text in texts(platform, single)]
    defined = {symbol for each in found for symbol in each.defined}
    undefined = {symbol for each in found for symbol in each.undefined}
    assert defined >= INNER
    assert undefined - defined <= names_of(platform.triple)
    assert undefined & {*provided.PYTHON}


@pytest.mark.parametrize("name", PLATFORMS)
def test_only_old_processors_call_the_mathematical_library(name: str) -> None:
    platform = PLATFORMS[name]
    text = module(
        lowered(traces()[-1], platform, False), processor.vector_bytes(platform.features) // 8, platform.triple
    )
    called = symbols(machine(platform).emit_object(llvm.parse_assembly(text))).undefined & {*provided.C}
    rounding = {"floor", "rint"} if platform.cpu == "x86-64" else set()
    assert called == (set() if processor.has_fma(platform.triple, platform.features) else {"fma"} | rounding)


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_large_frame_touches_every_page_on_its_way_down(name: str) -> None:
    """Stacks end in a page that must not be jumped over: two on musl, one elsewhere; Windows grows them by it."""
    platform = PLATFORMS[name]
    width = processor.vector_bytes(platform.features)
    trace = kt.trace(lambda x: x[0] + x[-1], signature=f"({loop.STACK // width - 8})->()")
    text = module(lowered(trace, platform, False), width // 8, platform.triple)
    code = machine(platform).emit_assembly(llvm.parse_assembly(text))
    frame = code[code.index(f"{entries.LOOP}:") :]
    if "windows" in platform.triple:
        assert "__chkstk" in frame
    else:
        architecture = platform.triple.split("-")[0]
        assert re.search(STEP[architecture], frame)
        assert not re.search(r"(subq\s+\$[0-9]{5,}, %rsp|sub\s+sp, sp, #\d+, lsl #12.*\n.*sub\s+sp)", frame)


@pytest.mark.parametrize("name", [name for name, platform in PLATFORMS.items() if platform.triple.startswith("x86_64")])
def test_a_large_frame_is_made_before_anything_is_kept_in_a_register(name: str) -> None:
    """LLVM's loop over the pages of a frame takes r11, without asking whether a value is there."""
    platform = PLATFORMS[name]
    width = processor.vector_bytes(platform.features)
    *_, around = modules(lowered(many_results(), platform, False), width // 8, platform.triple)
    code = machine(platform).emit_assembly(llvm.parse_assembly(around()))
    lines = code[code.index(f"{entries.LOOP}:") :].splitlines()[1:]
    assert re.match(r"\s+pushq\s", next(line for line in lines if re.match(r"\s+[a-z]", line)))


NEARBY = [name for name, platform in PLATFORMS.items() if addresses.are_nearby(platform.triple)]


@pytest.mark.parametrize("name", NEARBY)
def test_constants_are_beside_the_code_and_calls_reach_everywhere(name: str) -> None:
    """The memory of a module has no room for jumps to what is elsewhere, but for a table of addresses."""
    found = 0
    for text in texts(PLATFORMS[name], False):
        code = machine(PLATFORMS[name]).emit_assembly(llvm.parse_assembly(text))
        found += len(re.findall(r"\.LCPI\w+\(%rip\)", code))
        assert not re.search(r"movabs\w*\s+\$[._A-Za-z]", code)
        by_jumps = {*re.findall(r"(\w+)@PLT", code)}
        assert by_jumps <= symbols(machine(PLATFORMS[name]).emit_object(llvm.parse_assembly(text))).defined
    assert found > 100


def test_this_process_has_what_its_system_needs() -> None:
    triple = native.target()[1]
    found = dict(provided.addresses())
    assert {*found} >= names_of(triple) - {*provided.MARKERS, "__bzero"}  # which Intel alone has
    assert all(found.values())
