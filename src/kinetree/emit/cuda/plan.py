"""How a program runs on a GPU: what the compiler chooses, from the graph and the shared memory of the card.

A warp computes 32 states, one in each thread, with these means:

- the order of operations, so that few values live at once;
- shared memory for arrays of more than a few numbers, so that whole lines of memory are read and written;
- shared memory for values that registers have no room for;
- large results leave in pieces, a few columns at a time.

Every number here was measured on an H200.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from kinetree.emit.cuda.arrays import KernelArray
from kinetree.emit.cuda.moves import WARP
from kinetree.graph.node import Node, live
from kinetree.lower.operand import Operand
from kinetree.lower.order import ordered, short_lived
from kinetree.lower.program import Program
from kinetree.lower.registers import COMPUTE, FILL, LOAD, SPILL, Step, steps, traffic


class Room(NamedTuple):
    """What a thread may have."""

    numbers: int  # in registers
    registers: int  # if it is told
    moves: int  # of values that have no room, which are left to the assembler; if more, they go to shared memory


# in double and in single precision, the largest first
ROOM = {
    False: (Room(108, 0, 170), Room(76, 168, 25)),
    True: (Room(224, 0, 170), Room(160, 168, 40), Room(128, 128, 40)),
}
REGISTERS = 65_536  # of a multiprocessor
MOST = 256  # of a thread
MARGIN = 12  # numbers that are left to the assembler where values go to shared memory
DIRECT = 64  # bytes: an array with no more for a state is read and written by each thread for itself
FEW = 4  # numbers: results with more, and an odd number of them, are written in whole lines however small they are
WARPS = 3  # that must fit into the shared memory of a multiprocessor
PIECE, PIECES = 8, 5  # columns of results that leave together at least, and warps that have room for more

NEVER = 1 << 60
MORE = KernelArray("more", Operand("more", ()), staged=True)  # rows for all but whole arrays
Element = tuple[Node, KernelArray, int]  # a value, and the element of a result that it is
Place = tuple[str, int]  # the name of rows, and a column


@dataclass(frozen=True)
class KernelPiece:
    """What is computed before results leave."""

    steps: Sequence[Step]
    elements: Sequence[Element]
    columns: Mapping[Node, int]  # in the rows of `MORE`, of results that leave by tables
    large: frozenset[str]  # the names of those results

    def tables(self) -> dict[KernelArray, list[tuple[int, int]]]:
        """For each result the columns, and the elements that are there."""
        found: dict[KernelArray, list[tuple[int, int]]] = {}
        for node, array, k in self.elements:
            if array.name in self.large:
                found.setdefault(array, []).append((self.columns[node], k))
        return {array: sorted(entries, key=lambda entry: entry[1]) for array, entries in found.items()}


@dataclass(frozen=True)
class KernelPlan:
    """The arrays of a kernel, what it computes, and its rows of shared memory."""

    operands: tuple[KernelArray, ...]
    results: tuple[KernelArray, ...]
    pieces: tuple[KernelPiece, ...]
    spilled: Mapping[Node, Place]  # values that leave their registers for a while
    more: int  # width of the rows of `MORE`
    registers: int = 0  # that a thread may have, if it is told

    def rows(self) -> Iterator[tuple[str, int]]:
        """The names of rows, and their widths."""
        yield from ((array.name, array.width) for array in (*self.operands, *self.results) if array.staged)
        if self.more:
            yield MORE.name, self.more

    @property
    def width(self) -> int:
        """Of all rows of a state, in numbers."""
        return sum(width for _, width in self.rows())


def planned(program: Program, shared: int) -> KernelPlan:
    """The plan for a program, on cards with so many bytes of shared memory for a block."""
    item, room = 4 if program.single else 8, ROOM[program.single]
    most = shared // WARPS // (WARP * item) - 1  # numbers of a state in shared memory
    operands = [KernelArray(f"a{k}", operand) for k, operand in enumerate(program.operands)]
    results = [KernelArray(f"r{k}", result, elements) for k, (result, elements) in enumerate(_results(program))]
    large = [array for array in (*operands, *results) if _is_large(array, item)]
    width = sum(array.width for array in large)
    if width <= most:
        operands, results = ([replace(array, staged=array in large) for array in side] for side in (operands, results))
    columns = _columns(results)
    order = _order([node for column in columns for node, _, _ in column], room[0].numbers)
    if width > most:
        moves = [*steps(order, NEVER)]
        names = frozenset(array.name for array in large if array.elements)
        pieces = [*_pieces(moves, _groups(columns, _together(columns, most), most), names)]
        more = max(len(piece.columns) for piece in pieces) | 1
        return KernelPlan(tuple(operands), tuple(results), tuple(pieces), {}, more)
    elements = [element for column in columns for element in column]
    everything = KernelPiece(_early([*steps(order, NEVER)]), elements, {}, frozenset())
    plain = KernelPlan(tuple(operands), tuple(results), (everything,), {}, 0)
    choices = room if traffic(order, room[-1].numbers) else room[:1]
    plans = {choice: _with_room(plain, order, choice, program.wide) for choice in choices}
    memory = shared // (WARP * item)
    fitting = [choice for choice in choices if plans[choice].width <= most]
    return plans[max(fitting, key=lambda choice: _warps(choice, plans[choice].width, memory))] if fitting else plain


def _with_room(plain: KernelPlan, order: Sequence[Node], room: Room, wide: Collection[Node]) -> KernelPlan:
    """The plan where values that have no room go to shared memory, or else the assembler is told of it."""
    if traffic(order, room.numbers) <= room.moves:
        return replace(plain, registers=room.registers)
    moves = [*steps(order, room.numbers - MARGIN, lambda x: not x.is_boolean and x not in wide)]
    spilled, more = _places(moves, plain.operands, plain.results)
    return replace(plain, pieces=(replace(plain.pieces[0], steps=moves),), spilled=spilled, more=more and more | 1)


def _warps(room: Room, width: int, memory: int) -> int:
    """How many a multiprocessor has at once, which has shared memory for so many numbers of a state."""
    return min(REGISTERS // WARP // (room.registers or MOST), memory // max(1, width))


def planned_steps(program: Program) -> KernelPlan:
    """The plan for a program that repeats: what it hands on is in shared memory, all else where it is."""
    fed_back = {name for name, _, _ in program.fed_back}
    operands = tuple(KernelArray(f"a{k}", o, staged=o.name in fed_back) for k, o in enumerate(program.operands))
    results = tuple(KernelArray(f"r{k}", result, nodes) for k, (result, nodes) in enumerate(_results(program)))
    order = _order(program.outputs, ROOM[program.single][0].numbers)
    return KernelPlan(operands, results[:-1], (KernelPiece([*steps(order, NEVER)], (), {}, frozenset()),), {}, 0)


def _is_large(array: KernelArray, item: int) -> bool:
    """Whether it passes through shared memory: threads move it in whole lines together, not each for itself."""
    size = array.operand.size
    return size * item > DIRECT or (bool(array.elements) and size > FEW and size % 2 == 1)


def _results(program: Program) -> Iterator[tuple[Operand, tuple[Node, ...]]]:
    nodes = iter(program.outputs)
    for result in program.results:
        yield result, tuple(islice(nodes, result.size))


def _columns(results: Iterable[KernelArray]) -> list[list[Element]]:
    """The elements of all results by their last index, from the last to the first.

    The last belong to the tips of a tree: what is needed for them alone is done with first.
    """
    columns: dict[int, list[Element]] = {}
    for array in results:
        for k, node in enumerate(array.elements):
            column = k % array.operand.shape[-1] if array.operand.shape else 0
            columns.setdefault(column, []).append((node, array, k))
    return [columns[c] for c in sorted(columns, reverse=True)]


def _order(outputs: Sequence[Node], registers: int) -> list[Node]:
    """The operations as for processors, or one output after the other, whichever moves fewer values to memory."""
    operations = [node for node in live(outputs) if node.args]
    orders = ordered(outputs), short_lived(operations, *([node] for node in dict.fromkeys(outputs) if node.args))
    return min(orders, key=lambda order: traffic(order, registers))


def _early(moves: Sequence[Step]) -> list[Step]:
    """The steps with all loads at the beginning, what is needed first last: so threads wait once for memory."""
    loads = [move for move in moves if move[0] == LOAD]
    return [*reversed(loads), *(move for move in moves if move[0] != LOAD)]


def _pieces(moves: Sequence[Step], groups: Iterable[Sequence[Element]], large: frozenset[str]) -> Iterator[KernelPiece]:
    """The steps cut where a group of elements is known."""
    known = {node: position for position, (step, node) in enumerate(moves) if step == COMPUTE}
    start = 0
    for elements in groups:
        tabled = dict.fromkeys(node for node, array, _ in elements if array.name in large)
        end = max(start, 1 + max(known.get(node, -1) for node, _, _ in elements))
        yield KernelPiece(moves[start:end], elements, {node: k for k, node in enumerate(tabled)}, large)
        start = end


def _together(columns: Sequence[Sequence[Element]], most: int) -> int:
    """How many columns should leave together: long rows are written faster, and so are results of many warps."""
    count = len(columns)
    while count > 1:
        width = max(len({node for node, _, _ in group}) for group in _groups(columns, count, NEVER))
        if width <= most * WARPS // PIECES or (count <= PIECE and width <= most):
            break
        count //= 2
    return max(1, count)


def _groups(columns: Sequence[Sequence[Element]], together: int, most: int) -> Iterator[list[Element]]:
    """So many columns in each group, and no more values than this."""
    group: list[Element] = []
    values: set[Node] = set()
    for n, column in enumerate(columns):
        if group and (n % together == 0 or len(values | {node for node, _, _ in column}) > most):
            yield group
            group, values = [], set()
        for element in column:
            if element[0] not in values and len(values) == most:
                yield group
                group, values = [], set()
            group.append(element)
            values.add(element[0])
    if group:
        yield group


def _places(
    moves: Sequence[Step], operands: Iterable[KernelArray], results: Iterable[KernelArray]
) -> tuple[dict[Node, Place], int]:
    """Where values are while they are not in registers, and how many columns more that takes.

    The rows of operands are free after an element was loaded the last time, those of results until it is known.
    """
    free: dict[Place, tuple[int, int]] = {}  # from when to when
    staged = {array.operand.name: array.name for array in operands if array.staged}
    known: dict[Node, int] = {}
    for position, (step, node) in enumerate(moves):
        if step == LOAD and node.value[0] in staged:
            free[staged[node.value[0]], node.value[1]] = position + 1, NEVER
        elif step == COMPUTE:
            known[node] = position
    for array in results:
        if array.staged:
            free |= {(array.name, k): (0, known.get(node, -1)) for k, node in enumerate(array.elements)}
    last = {node: position for position, (step, node) in enumerate(moves) if step == FILL}
    places: dict[Node, Place] = {}
    more = 0
    for position, (step, node) in enumerate(moves):
        if step == SPILL:
            fits = [(end, place) for place, (begin, end) in free.items() if begin <= position and last[node] < end]
            if not fits:
                fits = [(NEVER, (MORE.name, more))]
                more += 1
            end, place = min(fits)
            places[node], free[place] = place, (last[node] + 1, end)
    return places, more
