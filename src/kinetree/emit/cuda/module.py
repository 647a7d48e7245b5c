"""A program as a module of kernels for NVIDIA GPUs, in LLVM IR, and how they are launched."""

from __future__ import annotations

from collections.abc import Iterable

from kinetree.emit.cuda.entries import ENTRY, Kernel, Kernels
from kinetree.emit.cuda.kernel import StraightKernel
from kinetree.emit.cuda.moves import WARP
from kinetree.emit.cuda.plan import planned, planned_steps
from kinetree.emit.cuda.repeat import EACH, HEAD, RepeatKernel
from kinetree.emit.llvm.instructions import intrinsics
from kinetree.emit.llvm.layout import Types
from kinetree.errors import CompileError
from kinetree.lower.program import Program

TRIPLE = "nvptx64-nvidia-cuda"
LITTLE = 2048  # bytes of shared memory for a warp
RESERVED = 1024  # bytes of shared memory that each block takes besides
# shared memory that a block may have, by compute capability [bytes]
_SHARED = {(7, 0): 96, (7, 5): 64, (8, 0): 163, (8, 6): 99, (8, 7): 163, (8, 9): 99, (9, 0): 227, (12, 0): 99}


def shared_memory(capability: tuple[int, int]) -> int:
    """What a block may have on cards of a compute capability, and on later ones of the same generation [bytes]."""
    return 1024 * _SHARED[max(known for known in _SHARED if known <= capability)]


def _warps(each: int, limit: int) -> int:
    """How many warps a block should have: two with little shared memory; else four, or fewer if then more fit."""
    if each < LITTLE:
        return 2
    resident = {warps: limit // (warps * each + RESERVED) * warps for warps in (4, 2, 1) if warps * each <= limit}
    return next(warps for warps, number in resident.items() if number > 0.9 * max(resident.values()))


def module(program: Program, capability: tuple[int, int], *, dense: bool) -> Kernels:
    """The kernels of a program in LLVM IR."""
    limit = shared_memory(capability)
    if program.repeats:
        plan = planned_steps(program)
        fits = (limit - HEAD) // max(1, plan.width * (4 if program.single else 8))
        if fits < WARP:
            raise CompileError(
                f"a step hands on {plan.width} numbers to the next, and {fits} threads of a card with {limit} bytes of "
                f"shared memory have room for them; it takes {WARP}"
            )
        repeat = RepeatKernel(ENTRY, program, plan, dense=dense, threads=WARP * min(2, fits // WARP))
        launch = Kernel(ENTRY, repeat.threads, EACH * repeat.threads, repeat.shared, 0)
        return Kernels(_text(program, repeat.text()), (launch,))
    kernel = StraightKernel(ENTRY, program, planned(program, limit), dense=dense)
    warps = _warps(kernel.shared, limit)
    launch = Kernel(ENTRY, WARP * warps, WARP * warps, kernel.shared * warps, 0)
    return Kernels(_text(program, kernel.text()), (launch,))


def _text(program: Program, kernel: Iterable[str]) -> str:
    """The module around a kernel."""
    return "\n".join([
        f'target triple = "{TRIPLE}"',
        "@shared = external addrspace(3) global [0 x i8], align 16",
        *(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("tid", "ntid", "ctaid")),
        "declare void @llvm.nvvm.bar.warp.sync(i32)",
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
        "declare float @llvm.nvvm.rcp.approx.ftz.f(float)",
        "declare double @llvm.nvvm.rcp.approx.ftz.d(double)",
        *intrinsics(Types(None, single=program.single)),
        *kernel,
        "!0 = !{}",
    ])  # fmt: skip
