"""Kernels for GPUs on the host: the same LLVM IR, with a thread of the host for each thread of a block.

Special registers become arguments, barriers are real ones, and shared memory is an array that begins as NaN.
"""

from __future__ import annotations

import ctypes
import re
import threading
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from kinetree.runtime import native

_OWN = "i32 %host.tid, i32 %host.ntid, i32 %host.ctaid, ptr %host.shared, ptr %host.sync, "
_SYNC = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_int32)


def for_host(ir: str) -> str:
    """The text of a module of kernels, for the host."""
    ir = re.sub(r"target triple = .*", f'target triple = "{native.target()[1]}"', ir)
    ir = re.sub(r"(@shared = external|declare .*@llvm\.nvvm\.).*\n", "", ir)
    ir = ir.replace(" addrspace(1)", "").replace(" addrspace(3)", "").replace("@shared", "%host.shared")
    ir = ir.replace("define ptx_kernel void", "define void").replace("(i64 %count", f"({_OWN}i64 %count")
    ir = re.sub(r"call i32 @llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x\(\)", r"add i32 %host.\1, 0", ir)
    ir = re.sub(r"call void @llvm\.nvvm\.bar\.warp\.sync\(.*\)", "call void %host.sync(i32 %host.tid, i32 0)", ir)
    ir = re.sub(r"call (\w+) @llvm\.nvvm\.rcp\.approx\.ftz\.\w\(\w+ (\S+)\)", r"fdiv \1 1.0, \2", ir)
    return re.sub(r"call void @llvm\.nvvm\.barrier\S*\(.*\)", "call void %host.sync(i32 %host.tid, i32 1)", ir)


class Barrier:
    """A barrier for threads that may end without the others."""

    def __init__(self, parties: int) -> None:
        self.parties, self.waiting, self.turn = parties, 0, 0
        self.changed = threading.Condition()

    def wait(self) -> None:
        with self.changed:
            self.waiting += 1
            turn = self.turn
            self._release()
            assert self.changed.wait_for(lambda: self.turn != turn, timeout=60), "a thread does not come"

    def leave(self) -> None:
        with self.changed:
            self.parties -= 1
            self._release()

    def _release(self) -> None:
        if self.parties and self.waiting == self.parties:
            self.waiting, self.turn = 0, self.turn + 1
            self.changed.notify_all()


class HostKernels:
    """A module of kernels, compiled for the host."""

    def __init__(self, ir: str) -> None:
        native.target()
        module = llvm.parse_assembly(for_host(ir))
        machine = llvm.Target.from_triple(native.target()[1]).create_target_machine(opt=1, jit=True)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()

    def launch(self, name: str, blocks: int, threads: int, shared: int, arguments: list[Any]) -> None:
        """Run a kernel, a block after the other; arguments are addresses and numbers, all of 64 bits."""
        kinds = [ctypes.c_int32] * 3 + [ctypes.c_void_p] * 2 + [ctypes.c_int64] * len(arguments)
        function = ctypes.CFUNCTYPE(None, *kinds)(self.engine.get_function_address(name))
        for block in range(blocks):
            self._block(function, block, threads, shared, arguments)

    def _block(self, function: Any, block: int, threads: int, shared: int, arguments: list[Any]) -> None:
        memory = np.full(shared // 4 + 8, np.nan, np.float32)
        base = -(-memory.ctypes.data // 16) * 16
        warps = [Barrier(32) for _ in range(threads // 32)]
        everyone = Barrier(threads)

        def sync(tid: int, whole: int) -> None:
            (everyone if whole else warps[tid // 32]).wait()

        barrier = _SYNC(sync)
        address = ctypes.cast(barrier, ctypes.c_void_p)

        def work(tid: int) -> None:
            function(tid, threads, block, base, address, *arguments)
            everyone.leave()
            warps[tid // 32].leave()

        running = [threading.Thread(target=work, args=(tid,)) for tid in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
