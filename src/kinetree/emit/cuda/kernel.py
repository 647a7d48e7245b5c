"""A program as a kernel for GPUs, in LLVM IR: a state in each thread, and the 32 threads of a warp together."""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.cuda.arrays import SHARED, Arrays, KernelArray
from kinetree.emit.cuda.moves import WARP, Moves
from kinetree.emit.cuda.plan import MORE, KernelPiece, KernelPlan
from kinetree.emit.cuda.values import Values
from kinetree.emit.llvm.layout import Types
from kinetree.graph.node import Node
from kinetree.lower.program import Program

SYNC = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)"


class StraightKernel:
    """The text of the kernel of a program that does not repeat."""

    def __init__(self, name: str, program: Program, plan: KernelPlan, *, dense: bool) -> None:
        self.name, self.plan = name, plan
        self.arrays = Arrays([*plan.operands, *plan.results], Types(None, single=program.single), dense=dense)
        self.moves = Moves(self.arrays)
        self.values = Values(program, self.arrays, plan.operands, plan.spilled)
        self.tabled = {array.name for piece in plan.pieces for array in piece.tables()}
        self.shared = WARP * plan.width * self.arrays.types.item  # bytes of a warp

    def text(self) -> Iterator[str]:
        """Its tables, and the function."""
        for n, piece in enumerate(self.plan.pieces):
            for array, entries in piece.tables().items():
                yield self.moves.table(self._table(array, n), entries)
        limit = f'"nvvm.maxnreg"="{self.plan.registers}" ' if self.plan.registers else ""
        yield f"define ptx_kernel void @{self.name}({', '.join(self.arrays.parameters())}) {limit}{{"
        yield from self._entry()
        reading = [array for array in self.plan.operands if array.staged]
        for array in reading:
            yield from self.moves.read(array)
        if reading:
            yield SYNC
        for n, piece in enumerate(self.plan.pieces):
            yield from self._computed(piece)
            yield from self._leaving(n, piece)
        yield from self._small()
        writing = [array for array in self.plan.results if array.staged]
        if writing:
            yield SYNC
        for array in writing:
            yield from self.moves.write(array)
        yield "  ret void"
        yield "}"

    def _table(self, array: KernelArray, number: int) -> str:
        return f"{self.name}.{array.name}.{number}"

    def _leaving(self, number: int, piece: KernelPiece) -> Iterator[str]:
        """The results of a piece that leave by tables."""
        tables = piece.tables()
        if tables:
            yield SYNC
        for array, entries in tables.items():
            yield from self.moves.write_some(array, self._table(array, number), len(entries), self.plan.more)
        if tables:
            yield SYNC

    def _small(self) -> Iterator[str]:
        """Results that each thread writes for itself, all at the end: so they meet in the cache."""
        for array in self.plan.results:
            if not array.staged and array.name not in self.tabled:
                for k, node in enumerate(array.elements):
                    yield from self.values.stored(node, [(array, k)])

    def _computed(self, piece: KernelPiece) -> Iterator[str]:
        """The steps of a piece; what its results are already, such as constants, comes first."""
        places: dict[Node, list[tuple[KernelArray, int]]] = {}
        for node, array, k in piece.elements:
            places.setdefault(node, [])
            if array.staged:
                places[node].append((array, k))
        for node, column in piece.columns.items():
            places[node].append((MORE, column))
        known = {*self.values.names}
        for node, its in places.items():
            if node.op == "input" and node not in known:
                yield from self.values.loaded(node)
            if not node.args or node in known:
                yield from self.values.stored(node, its)
        yield from self.values.taken(piece.steps, {node: its for node, its in places.items() if node not in known})

    def _entry(self) -> Iterator[str]:
        """Which states the warp has, which this thread has, and where their elements are."""
        yield "entry:"
        for register in ("tid", "ntid", "ctaid"):
            yield f"  %{register} = call i32 @llvm.nvvm.read.ptx.sreg.{register}.x()"
        yield f"  %lane = urem i32 %tid, {WARP}"
        yield f"  %warp = udiv i32 %tid, {WARP}"
        yield "  %states = trunc i64 %count to i32"
        yield "  %before = mul i32 %ctaid, %ntid"
        yield f"  %inside = mul i32 %warp, {WARP}"
        yield "  %own.first = add i32 %before, %inside"
        yield "  %very.last = sub i32 %states, 1"
        yield "  %some = icmp ule i32 %own.first, %very.last"
        yield "  %first = select i1 %some, i32 %own.first, i32 %very.last"  # a warp without states has the last again
        yield "  %left = sub i32 %states, %first"
        yield f"  %full = icmp uge i32 %left, {WARP}"
        yield f"  %valid = select i1 %full, i32 {WARP}, i32 %left"
        yield "  %last = sub i32 %valid, 1"
        yield "  %exists = icmp ult i32 %lane, %last"
        yield "  %mine = select i1 %exists, i32 %lane, i32 %last"
        yield "  %state = add i32 %first, %mine"
        yield f"  %memory.offset = mul i32 %warp, {self.shared}"
        yield f"  %memory = getelementptr i8, {SHARED} @shared, i32 %memory.offset"
        yield from self._rows()
        yield from self.arrays.rows("%first", "first")
        yield from self.arrays.rows("%state", "row")

    def _rows(self) -> Iterator[str]:
        """%{name}.rows, %{name}.own: the rows of the warp and of this thread in shared memory."""
        t, before = self.arrays.types.element, 0
        for name, width in self.plan.rows():
            yield f"  %{name}.rows = getelementptr {t}, {SHARED} %memory, i32 {WARP * before}"
            yield f"  %{name}.at = mul i32 %lane, {width}"
            yield f"  %{name}.own = getelementptr {t}, {SHARED} %{name}.rows, i32 %{name}.at"
            before += width
