"""Arrays between global and shared memory, moved by the 32 threads of a warp, in LLVM IR.

In shared memory an array has a row for each of the warp's states. Dense arrays are read and written as runs of
consecutive elements, so that whole lines of memory move. At other strides all states of an element move together, which
are whole lines where states are side by side.

Warps whose 32 states all exist move them without a loop, at fixed offsets; the last warp of a batch has loops. A state
that does not exist is the last one again.

The kernel around it defines %lane, %mine (the lane of this thread's state), %valid (how many states the warp has),
%full (whether they are 32), %{array}.rows and %{array}.own (the rows of the warp and this thread's), and %{array}.first
and %{array}.row (the elements of the warp's first state and of this thread's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from kinetree.emit.cuda.arrays import GLOBAL, SHARED, Arrays, KernelArray, either, loop

WARP = 32
TOGETHER = 8  # elements that a thread has loaded before it stores the first


class Moves:
    """The text of the moves."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays, self.dense = arrays, arrays.dense
        self.t, self.item = arrays.types.element, arrays.types.item

    def read(self, array: KernelArray) -> Iterator[str]:
        """An operand into its rows."""
        tag, size = f"{array.name}.in", array.operand.size
        if not self.dense:
            yield from self._strided(array, tag)
            return
        yield f"  %{tag}.packed = icmp eq i64 %{array.name}.step, {size * self.item}"
        yield f"  %{tag}.run = and i1 %full, %{tag}.packed"
        body = self._apart(array, f"%{tag}.e")
        one_by_one = loop(f"{tag}.e", "%lane", str(WARP * size), WARP, body)
        yield from either(tag, f"%{tag}.run", self._run(array, tag), one_by_one)

    def write(self, array: KernelArray) -> Iterator[str]:
        """A result out of its rows."""
        tag = f"{array.name}.out"
        if not self.dense:
            yield from self._strided(array, tag)
            return
        yield f"  %{tag}.count = mul i32 %valid, {array.operand.size}"
        one_by_one = loop(f"{tag}.e", "%lane", f"%{tag}.count", WARP, self._apart(array, f"%{tag}.e"))
        yield from either(tag, "%full", self._run(array, tag), one_by_one)

    def _run(self, array: KernelArray, tag: str) -> Iterator[str]:
        """All elements of 32 states that follow each other in global memory: element e is at e + e // size in rows."""
        size = array.operand.size
        yield f"  %{tag}.global = getelementptr {self.t}, {GLOBAL} %{array.name}.first, i32 %lane"
        fixed = size % 2 == 1 or size % WARP == 0 or WARP % size == 0  # what is added is the same in all threads
        if size % 2 == 0:
            yield f"  %{tag}.pad = udiv i32 %lane, {size}"
        yield f"  %{tag}.place = add i32 %lane, {'0' if size % 2 else f'%{tag}.pad'}"
        yield f"  %{tag}.shared = getelementptr {self.t}, {SHARED} %{array.name}.rows, i32 %{tag}.place"
        pairs: list[tuple[str, str]] = []
        for k in range(size):
            g, s = f"%{tag}.g{k}", f"%{tag}.s{k}"
            yield f"  {g} = getelementptr {self.t}, {GLOBAL} %{tag}.global, i32 {WARP * k}"
            if fixed:
                place = WARP * k + (WARP * k // size if size % 2 == 0 else 0)
                yield f"  {s} = getelementptr {self.t}, {SHARED} %{tag}.shared, i32 {place}"
            else:
                yield f"  {s}.e = add i32 %lane, {WARP * k}"
                yield f"  {s}.q = udiv i32 {s}.e, {size}"
                yield f"  {s}.p = add i32 {s}.e, {s}.q"
                yield f"  {s} = getelementptr {self.t}, {SHARED} %{array.name}.rows, i32 {s}.p"
            pairs.append((f"{GLOBAL} {g}", f"{SHARED} {s}"))
        yield from self._copied(array, f"%{tag}", pairs)

    def _apart(self, array: KernelArray, e: str) -> Iterator[str]:
        """One element of a run of states, which may be apart in global memory."""
        yield f"  {e}.s = udiv i32 {e}, {array.operand.size}"
        yield f"  {e}.c = urem i32 {e}, {array.operand.size}"
        yield f"  {e}.exists = icmp ult i32 {e}.s, %valid"
        yield f"  {e}.last = sub i32 %valid, 1"
        yield f"  {e}.state = select i1 {e}.exists, i32 {e}.s, i32 {e}.last"
        yield f"  {e}.wide = zext i32 {e}.state to i64"
        yield f"  {e}.o = mul i64 {e}.wide, %{array.name}.step"
        yield f"  {e}.p = getelementptr i8, {GLOBAL} %{array.name}.first, i64 {e}.o"
        yield f"  {e}.g = getelementptr {self.t}, {GLOBAL} {e}.p, i32 {e}.c"
        yield f"  {e}.r = mul i32 {e}.s, {array.width}"
        yield f"  {e}.u = add i32 {e}.r, {e}.c"
        yield f"  {e}.h = getelementptr {self.t}, {SHARED} %{array.name}.rows, i32 {e}.u"
        yield from self._copied(array, e, [(f"{GLOBAL} {e}.g", f"{SHARED} {e}.h")])

    def _strided(self, array: KernelArray, tag: str) -> Iterator[str]:
        """All elements of this thread's state, at any strides."""
        shape, pairs = array.operand.shape, []
        starts = [f"%{array.name}.row"] * max(1, len(shape))  # where the element's row, plane and so on begin
        before: tuple[int, ...] = (0,) * len(shape)
        for k, index in enumerate(product(*map(range, shape))):
            if k:
                d = next(d for d in range(len(shape)) if index[d] != before[d])
                yield f"  %{tag}.g{k} = getelementptr i8, {GLOBAL} {starts[d]}, i64 %{array.name}.stride.{d}"
                starts[d:] = [f"%{tag}.g{k}"] * (len(shape) - d)
            yield f"  %{tag}.s{k} = getelementptr {self.t}, {SHARED} %{array.name}.own, i32 {k}"
            pairs.append((f"{GLOBAL} {starts[-1]}", f"{SHARED} %{tag}.s{k}"))
            before = index
        yield from self._copied(array, f"%{tag}", pairs)

    def _copied(self, array: KernelArray, tag: str, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
        """From global to shared memory, or back if it is a result."""
        for start in range(0, len(pairs), TOGETHER):
            some = pairs[start : start + TOGETHER]
            for k, pair in enumerate(some, start):
                yield f"  {tag}.x{k} = load {self.t}, {pair[bool(array.elements)]}, align {self.item}"
            for k, pair in enumerate(some, start):
                yield f"  store {self.t} {tag}.x{k}, {pair[not array.elements]}, align {self.item}"

    # -- some elements of a result, whose values are where a table says --

    def table(self, name: str, entries: Iterable[tuple[int, int]]) -> str:
        """A table of columns in rows, and of the elements that are there."""
        numbers = [f"i32 {number}" for entry in entries for number in entry]
        return f"@{name} = internal addrspace(1) constant [{len(numbers)} x i32] [{', '.join(numbers)}], align 8"

    def write_some(self, array: KernelArray, name: str, count: int, width: int) -> Iterator[str]:
        """The elements of a table from rows of a width: a state's side by side, or at strides all states of one."""
        tag = f"{name}.entry"
        start, step = ("%lane", WARP) if self.dense else ("0", 1)
        last = f"{name}.states.end" if self.dense else f"{tag}.body"
        yield from loop(tag, start, str(count), step, self._entry(array, name, f"%{tag}", width), last)

    def _entry(self, array: KernelArray, name: str, e: str, width: int) -> Iterator[str]:
        yield f"  {e}.2 = mul i32 {e}, 2"
        yield f"  {e}.p = getelementptr i32, {GLOBAL} @{name}, i32 {e}.2"
        yield f"  {e}.x = load <2 x i32>, {GLOBAL} {e}.p, align 8, !invariant.load !0"
        yield f"  {e}.column = extractelement <2 x i32> {e}.x, i32 0"
        yield f"  {e}.element = extractelement <2 x i32> {e}.x, i32 1"
        rows, row = ("%more.rows", f"%{array.name}.first") if self.dense else ("%more.own", f"%{array.name}.row")
        yield f"  {e}.from = getelementptr {self.t}, {SHARED} {rows}, i32 {e}.column"
        yield from self.arrays.element(array, f"{e}.element", f"{e}.to", row)
        if not self.dense:
            yield from self._copied(array, e, [(f"{GLOBAL} {e}.to", f"{SHARED} {e}.from")])
            return
        tag = f"{name}.states"
        all_states = self._states(array, e, [str(k) for k in range(WARP)], width)
        one_by_one = loop(f"{tag}.s", "0", "%valid", 1, self._states(array, f"%{tag}.s", [f"%{tag}.s"], width, e))
        yield from either(tag, "%full", all_states, one_by_one)

    def _states(self, array: KernelArray, tag: str, states: Sequence[str], width: int, e: str = "") -> Iterator[str]:
        """One element of some states, which follow each other in global memory."""
        for k, state in enumerate(states):
            yield f"  {tag}.m{k} = mul i32 {state}, {width}"
            yield f"  {tag}.n{k} = mul i32 {state}, {array.operand.size}"
            yield f"  {tag}.s{k} = getelementptr {self.t}, {SHARED} {e or tag}.from, i32 {tag}.m{k}"
            yield f"  {tag}.g{k} = getelementptr {self.t}, {GLOBAL} {e or tag}.to, i32 {tag}.n{k}"
        pairs = [(f"{GLOBAL} {tag}.g{k}", f"{SHARED} {tag}.s{k}") for k in range(len(states))]
        yield from self._copied(array, f"{tag}.c", pairs)
