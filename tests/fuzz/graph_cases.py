"""Random programs, compiled, against the interpreter: in both precisions, for older processors, in every layout."""

from __future__ import annotations

import contextlib
import math
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import processors
from error_bounds import bounds
from random_arrays import Array, Memory, Shape, Target, laid_out, numbers
from random_programs import Program, random_program

import kinetree as kt
from kinetree.emit.llvm import stream
from kinetree.graph import interpret
from kinetree.lower import program as lowering
from kinetree.runtime import cache
from kinetree.runtime.threads import LARGE
from kinetree.tracing import Trace

KINDS = (np.float64, np.float32)
ROWS = (*range(41), 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000)
MANY = 100_000  # states of the largest batch
FEW = 200  # where the interpreter is slow
CHUNK = 2048  # states that are interpreted at once: so few that their numbers stay in the cache
CALLS = 28  # in each precision


class DifferenceError(Exception):
    """Compiled code and the interpreter do not agree."""


class GraphCase:
    """One program with its calls, known by a seed and a number."""

    def __init__(self, seed: int, number: int, program: Program | None = None) -> None:
        self.program = random_program(Random(f"graph {seed} {number}")) if program is None else program
        self.random = Random(f"calls {seed} {number}")
        self.tally: Counter[str] = Counter()
        self.memory = Memory()

    def run(self) -> None:
        """Raise where anything is wrong; what was compared is in the tally."""
        program, random = self.program, self.random
        processor = random.choice(processors.NAMES)
        robot = program.robot
        given = {"signature": program.signature, **({} if robot is None else {"robot": robot})}
        traced = kt.trace(program, **given)
        with processors.code_for(processor), _cut(random), cache.switched_off():
            function = kt.compile(program, **given)
            for kind in random.sample(KINDS, random.choice((1, 2, 2))):
                for _ in range(CALLS):
                    self._call(function, traced, kind)
            self._single(function, traced)
        self.tally["graphs"] += 1

    # -- calls -----------------------------------------------------------------------------------------------------

    def _call(self, function: Any, traced: Trace, kind: Any) -> None:
        random = self.random
        batch = self._batch(traced)
        args, values = [], []
        for k, operand in enumerate(traced.operands):
            own = _part_of(random, batch)
            x = numbers(random, (*own, *operand.shape), kind)
            args.append(laid_out(random, x, self.memory[k], any_type=kind == np.float64 and k > 0))
            values.append(x)
        shape = np.broadcast_shapes(*(x.shape[: x.ndim - len(o.shape)] for x, o in zip(values, traced.operands)))
        expected = self._expected(traced, values, shape, kind)
        targets = self._targets(traced, shape, kind)
        if random.random() < 0.15:
            targets = _in_place(random, args, targets, [(*shape, *r.shape) for r in traced.results], kind)
        out = _out(random, targets)
        kt.threads(random.choice((1, 2, 2, 3, 4)))
        with np.errstate(all="ignore"):
            found = function(*args) if out is None else function(*args, out=out)
        found = found if isinstance(found, tuple) else (found,)
        what = f"{np.dtype(kind).name}, batch {shape}"
        for k, (result, target) in enumerate(zip(found, targets)):
            array = target.array if isinstance(target, Target) else target
            if array is not None and (result is not array or (isinstance(target, Target) and target.damage())):
                raise DifferenceError(
                    f"{what}: out= of result {k} is not what was returned, or memory beside it was written"
                )
        self._compare(traced, found, expected, shape, what)

    def _single(self, function: Any, traced: Trace) -> None:
        """Single states past the ufunc."""
        call = function.direct()
        for _ in range(3):
            values = [numbers(self.random, o.shape, np.float64) for o in traced.operands]
            args = [laid_out(self.random, x, self.memory[k], any_type=False) for k, x in enumerate(values)]
            with np.errstate(all="ignore"):
                found = call(*args)
            found = found if isinstance(found, tuple) else (found,)
            self._compare(traced, found, self._expected(traced, values, (), np.float64), (), "a direct call")

    def _batch(self, traced: Trace) -> Shape:
        random = self.random
        slow = any(node.op == "fma" for node in interpret.live(traced.outputs))
        if slow or random.random() < 0.5:
            rows = random.choice(ROWS)
            return (min(rows, FEW) if slow else rows,)
        if random.random() < 0.5:
            return tuple(random.choice((1, 2, 3, 5, 8, 17)) for _ in range(random.choice((0, 2, 2, 3))))
        largest = max(1, *(o.size for o in traced.operands))
        rows = LARGE // largest + random.choice((-1, 0, 1, 7))  # about where threads begin to share a batch
        return (min(rows, MANY // (1 + len(traced.outputs) // 40)),)

    def _targets(self, traced: Trace, shape: Shape, kind: Any) -> list[Target | None]:
        n = len(traced.operands)
        if self.random.random() < 0.4:
            return [None] * len(traced.results)
        some = self.random.random() < 0.1  # for some results only
        return [
            None
            if some and self.random.random() < 0.5
            else Target(self.random, (*shape, *r.shape), kind, self.memory[n + k])
            for k, r in enumerate(traced.results)
        ]

    # -- comparison ------------------------------------------------------------------------------------------------

    def _expected(self, traced: Trace, values: Sequence[Array], shape: Shape, kind: Any) -> tuple[Array, Array]:
        """Values and bounds (nodes, states), of each output once."""
        nodes = [*dict.fromkeys(traced.outputs)]
        count, inputs = math.prod(shape), {}
        for x, operand in zip(values, traced.operands):
            whole = np.broadcast_to(x, (*shape, *operand.shape)).reshape(count, operand.size)
            inputs[operand.name] = np.ascontiguousarray(whole.T)
        value, bound = np.empty((2, len(nodes), count))
        for start in range(0, count, CHUNK):
            piece = slice(start, start + CHUNK)
            computed = interpret.computed(nodes, {name: x[:, piece] for name, x in inputs.items()}, kind)
            with np.errstate(all="ignore"):
                errors = bounds(nodes, computed, kind)
                for k, node in enumerate(nodes):
                    value[k, piece], bound[k, piece] = np.asarray(computed[node]).astype(kind), errors[k]
        return value, bound

    def _compare(self, traced: Trace, found: Any, expected: Any, shape: Shape, what: str) -> None:
        value, bound = expected
        count, start = math.prod(shape), 0
        rows = {node: k for k, node in enumerate(dict.fromkeys(traced.outputs))}
        for k, (result, operand) in enumerate(zip(found, traced.results)):
            end = start + operand.size
            if np.shape(result) != (*shape, *operand.shape):
                raise DifferenceError(f"{what}: result {k} has the shape {np.shape(result)}")
            actual = np.asarray(result, np.float64).reshape(count, operand.size).T
            chosen = [rows[node] for node in traced.outputs[start:end]]
            v, e = value[chosen], bound[chosen]
            with np.errstate(all="ignore"):
                same = (actual == v) | (np.isnan(actual) & np.isnan(v))
                good = same | (np.abs(actual - v) <= e) | ~(e < np.inf)
            self.tally["numbers"] += good.size
            self.tally["exact"] += int((e == 0).sum())
            self.tally["open"] += int((~(e < np.inf)).sum())
            if not good.all():
                i, state = np.argwhere(~good)[0]
                raise DifferenceError(
                    f"{what}: element {i} of result {k} is {actual[i, state]!r} in state {state}, expected "
                    f"{v[i, state]!r} within {e[i, state]!r}; {int((~good).sum())} of {good.size} numbers are wrong"
                )
            start = end
        self.tally["states"] += count


class GraphCases:
    """Random programs of one seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.tally: Counter[str] = Counter()

    def run(self, number: int) -> str | None:
        """What is wrong with a program."""
        return self._checked(GraphCase(self.seed, number))

    def replay(self, case: dict[str, Any]) -> str | None:
        """What is wrong with a case that was kept."""
        return self._checked(GraphCase(case["seed"], case["number"], Program.of(case["program"])))

    def _checked(self, case: GraphCase) -> str | None:
        try:
            case.run()
        except Exception:
            return traceback.format_exc(limit=-12)
        finally:
            self.tally += case.tally
        return None


def data(seed: int, number: int) -> dict[str, Any]:
    """All that is needed to run a program again."""
    program = GraphCase(seed, number).program
    return {"kind": "graphs", "seed": seed, "number": number, "program": program.data()}


@contextlib.contextmanager
def _cut(random: Random) -> Iterator[None]:
    """Perhaps in small parts, with sums of products from tables, or with results that are streamed."""
    with contextlib.ExitStack() as stack:
        if random.random() < 0.3:
            size, cut = random.choice((2, 3, 20)), lowering.cut
            stack.enter_context(mock.patch.object(lowering, "cut", lambda *args: cut(*args, size=size)))
        if random.random() < 0.3:
            stack.enter_context(mock.patch.object(lowering, "MANY", 0))
        if random.random() < 0.3:
            stack.enter_context(mock.patch.multiple(stream, LARGE=1, LEAST=1))
        yield


def _part_of(random: Random, batch: Shape) -> Shape:
    """A batch shape that broadcasts to another one."""
    if random.random() < 0.6:
        return batch
    own = tuple(n if random.random() < 0.6 else 1 for n in batch)
    return own[random.randrange(len(own) + 1) :]


def _in_place(random: Random, args: list[Any], targets: Any, shapes: Sequence[Shape], kind: Any) -> list[Any]:
    """Operands as places of the results, or places that overlap an operand by all but one row."""
    own = [a for a in args if isinstance(a, Array) and a.dtype == kind and a.flags.writeable]
    found = [*targets]
    for k, shape in enumerate(shapes):
        same = [a for a in own if a.shape == shape]
        if not same:
            continue
        a = random.choice(same)
        own = [x for x in own if x is not a]
        found[k] = a
        if shape and shape[0] and random.random() < 0.5:
            around = np.zeros((shape[0] + 1, *shape[1:]), kind)
            around[1:] = a
            position = next(i for i, x in enumerate(args) if x is a)
            args[position], found[k] = around[1:], around[:-1]
    return found


def _out(random: Random, targets: Sequence[Any]) -> Any:
    if all(target is None for target in targets):
        return None
    out = tuple(target.array if isinstance(target, Target) else target for target in targets)
    return out[0] if len(out) == 1 and random.random() < 0.5 else out
