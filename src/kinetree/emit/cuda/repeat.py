"""The kernel of a program that repeats, in LLVM IR: each thread takes steps until its state is done, then the next one.

A block has several states for each thread. A thread that is done with one gives its results and takes the next that
nobody has, so that the threads of a warp, which step together, don't wait for the slowest state. What a step hands to
the next is in rows of shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.cuda.arrays import GLOBAL, SHARED, Arrays
from kinetree.emit.cuda.kernel import SYNC
from kinetree.emit.cuda.plan import KernelPlan
from kinetree.emit.cuda.values import Values
from kinetree.emit.llvm.layout import Types
from kinetree.lower.program import Program

HEAD = 16  # bytes of shared memory before the rows: the number of the next state
EACH = 4  # states of a block for each of its threads


class RepeatKernel:
    """The text of the kernel, for blocks of so many threads."""

    def __init__(self, name: str, program: Program, plan: KernelPlan, *, dense: bool, threads: int) -> None:
        self.name, self.program, self.plan, self.threads = name, program, plan, threads
        self.arrays = Arrays([*plan.operands, *plan.results], Types(None, single=program.single), dense=dense)
        self.values = Values(program, self.arrays, plan.operands, plan.spilled)
        self.shared = HEAD + threads * plan.width * self.arrays.types.item  # bytes of a block

    def text(self) -> Iterator[str]:
        yield f"define ptx_kernel void @{self.name}({', '.join(self.arrays.parameters())}) {{"
        yield from self._entry()
        yield "take:"
        yield "  %index = phi i32 [ %tid, %ready ], [ %following, %give ]"
        yield "  %exists = icmp slt i32 %index, %many"
        yield "  br i1 %exists, label %load, label %done"
        yield "load:"
        yield "  %state = add i32 %first, %index"
        yield from self.arrays.rows("%state", "row")
        yield from self._loaded()
        yield "  br label %step"
        yield "step:"
        yield SYNC  # those who have just taken a state go on with the others
        for piece in self.plan.pieces:
            yield from self.values.taken(piece.steps, {})
        yield from self._outputs()
        again = self.values.number(self.program.outputs[-1])
        yield f"  %again = fcmp ogt {self.arrays.types.element} {again}, 0.0"  # what is NaN is done
        yield "  br i1 %again, label %feed, label %give"
        yield "feed:"
        names = {array.operand.name: array.name for array in self.plan.operands}
        for name, k, node in self.program.fed_back:
            yield from self.values.at("store", self.values.number(node), names[name], k)
        yield "  br label %step"
        yield "give:"
        for array in self.plan.results:
            for k, node in enumerate(array.elements):
                yield from self.values.stored(node, [(array, k)])
        yield f"  %following = atomicrmw add {SHARED} @shared, i32 1 monotonic"
        yield "  br label %take"
        yield "done:"
        yield "  ret void"
        yield "}"

    def _entry(self) -> Iterator[str]:
        """The states of the block, and this thread's rows."""
        states = EACH * self.threads
        yield "entry:"
        yield "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"
        yield "  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()"
        yield "  %states = trunc i64 %count to i32"
        yield f"  %first = mul i32 %ctaid, {states}"
        yield "  %left = sub i32 %states, %first"
        yield f"  %full = icmp sge i32 %left, {states}"
        yield f"  %many = select i1 %full, i32 {states}, i32 %left"
        t, before = self.arrays.types.element, HEAD // self.arrays.types.item
        for name, width in self.plan.rows():
            yield f"  %{name}.rows = getelementptr {t}, {SHARED} @shared, i32 {before}"
            yield f"  %{name}.at = mul i32 %tid, {width}"
            yield f"  %{name}.own = getelementptr {t}, {SHARED} %{name}.rows, i32 %{name}.at"
            before += self.threads * width
        yield "  %is.first = icmp eq i32 %tid, 0"
        yield "  br i1 %is.first, label %begin, label %ready"
        yield "begin:"
        yield f"  store i32 {self.threads}, {SHARED} @shared"
        yield "  br label %ready"
        yield "ready:"
        yield "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"
        yield "  br label %take"

    def _loaded(self) -> Iterator[str]:
        """The first values of what steps hand on."""
        t, item = self.arrays.types.element, self.arrays.types.item
        for array in self.plan.operands:
            for k in range(array.operand.size if array.staged else 0):
                name = f"%{array.name}.x{k}"
                yield from self.arrays.element(array, k, f"{name}.p", f"%{array.name}.row")
                yield f"  {name} = load {t}, {GLOBAL} {name}.p, align {item}"
                yield from self.values.at("store", name, array.name, k)

    def _outputs(self) -> Iterator[str]:
        """What a step gives that it did not compute."""
        for node in dict.fromkeys(self.program.outputs):
            if node.op == "input":
                yield from self.values.loaded(node)
