"""Symmetric systems whose rows begin at some column each, in LLVM IR: two inner loops of generalized ufuncs.

    factor: a(N), first(n), base(n) -> l(N), u(n)            solve: l(N), first(n), base(n), b(n) -> x(n)

Row i of the lower triangle begins at column ``first[i]``; its element j stands at ``base[i] + j`` of a packed array.
A = L D L^T begins where A does. With u_ij = l_ij d_j,

    u_ij = a_ij - sum_k u_ik l_jk,     l_ij = u_ij / d_j,     d_i = a_ii - sum_k u_ik l_ik;

the diagonal of L holds 1 / d. The arrays ``first`` and ``base`` hold whole numbers as their bits; all are contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

FACTOR, SOLVE = "skyline_factor", "skyline_solve"


def module(triple: str) -> str:
    """Both loops."""
    return "\n".join(
        [f'target triple = "{triple}"', "declare i64 @llvm.smax.i64(i64, i64)", *_factor().lines, *_solve().lines]
    )


class _Loop:
    """The text of an inner loop over some arrays; what computes something gives its name."""

    def __init__(self, name: str, sizes: Sequence[str], arrays: Sequence[str], work: Callable[[_Loop], None]) -> None:
        self.lines = [f"define void @{name}(ptr %args, ptr %dimensions, ptr %steps, ptr %data) nounwind {{", "entry:"]
        self.label, self._count = "entry", 0
        for k, size in enumerate(("count", *sizes)):
            self.lines.append(f"  %d.{k} = getelementptr i64, ptr %dimensions, i64 {k}")
            self.lines.append(f"  %{size} = load i64, ptr %d.{k}")
        self.arrays: dict[str, str] = {}

        def state(b: str, _: str) -> None:
            for k, array in enumerate(arrays):
                pointer = self.op(f"load ptr, ptr {self.op(f'getelementptr ptr, ptr %args, i64 {k}')}")
                step = self.op(f"load i64, ptr {self.op(f'getelementptr i64, ptr %steps, i64 {k}')}")
                self.arrays[array] = self.op(f"getelementptr i8, ptr {pointer}, i64 {self.op(f'mul i64 {b}, {step}')}")
            work(self)

        self.loop("0", "%count", state)
        self.lines += ["  ret void", "}"]

    def op(self, text: str) -> str:
        self._count += 1
        self.lines.append(f"  %v.{self._count} = {text}")
        return f"%v.{self._count}"

    def add(self, a: str, b: str) -> str:
        return self.op(f"add i64 {a}, {b}")

    def load(self, array: str, index: str, kind: str = "double") -> str:
        return self.op(f"load {kind}, ptr {self._place(array, index)}")

    def store(self, value: str, array: str, index: str) -> None:
        self.lines.append(f"  store double {value}, ptr {self._place(array, index)}")

    def _place(self, array: str, index: str) -> str:
        return self.op(f"getelementptr double, ptr {self.arrays[array]}, i64 {index}")

    def loop(self, first: str, end: str, body: Callable[[str, str], str | None], start: str = "0.0") -> str:
        """From one index to before another; the body gets it and a number, and may give the number for the next."""
        self._count += 1
        k, before = self._count, self.label
        self.lines += [f"  br label %head.{k}", f"head.{k}:"]
        self.lines.append(f"  %i.{k} = phi i64 [{first}, %{before}], [%i.next.{k}, %latch.{k}]")
        hole = len(self.lines)
        self.lines += [
            f"  %more.{k} = icmp slt i64 %i.{k}, {end}",
            f"  br i1 %more.{k}, label %body.{k}, label %done.{k}",
        ]
        self.lines.append(f"body.{k}:")
        self.label = f"body.{k}"
        result = body(f"%i.{k}", f"%s.{k}") or f"%s.{k}"
        self.lines.insert(hole, f"  %s.{k} = phi double [{start}, %{before}], [{result}, %latch.{k}]")
        self.lines += [f"  br label %latch.{k}", f"latch.{k}:", f"  %i.next.{k} = add i64 %i.{k}, 1"]
        self.lines += [f"  br label %head.{k}", f"done.{k}:"]
        self.label = f"done.{k}"
        return f"%s.{k}"

    def less(self, start: str, a: str, b: str) -> str:
        """start - a b."""
        return self.op(f"fsub contract double {start}, {self.op(f'fmul contract double {a}, {b}')}")

    def less_dot(self, start: str, first: str, end: str, left: str, base: str) -> str:
        """start less the sum of products of an array with a row of l."""
        return self.loop(
            first, end, lambda k, s: self.less(s, self.load(left, k), self.load("l", self.add(base, k))), start
        )

    def copied(self, source: str, target: str, size: str) -> None:
        self.loop("0", size, lambda k, _: self.store(self.load(source, k), target, k))


def _factor() -> _Loop:
    def work(w: _Loop) -> None:
        w.copied("a", "l", "%N")

        def row(i: str, _: str) -> None:
            first, base = w.load("first", i, "i64"), w.load("base", i, "i64")

            def column(j: str, _: str) -> None:
                base_j, ij = w.load("base", j, "i64"), w.add(base, j)
                both = w.op(f"call i64 @llvm.smax.i64(i64 {first}, i64 {w.load('first', j, 'i64')})")
                u = w.less_dot(w.load("l", ij), both, j, "u", base_j)
                w.store(u, "u", j)
                w.store(w.op(f"fmul double {u}, {w.load('l', w.add(base_j, j))}"), "l", ij)

            w.loop(first, i, column)
            ii = w.add(base, i)
            pivot = w.less_dot(w.load("l", ii), first, i, "u", base)
            w.store(w.op(f"fdiv double 1.0, {pivot}"), "l", ii)

        w.loop("0", "%n", row)

    return _Loop(FACTOR, ("N", "n"), ("a", "first", "base", "l", "u"), work)


def _solve() -> _Loop:
    def work(w: _Loop) -> None:
        w.copied("b", "x", "%n")

        def down(i: str, _: str) -> None:
            base = w.load("base", i, "i64")
            w.store(w.less_dot(w.load("x", i), w.load("first", i, "i64"), i, "x", base), "x", i)

        def middle(i: str, _: str) -> None:
            inverse = w.load("l", w.add(w.load("base", i, "i64"), i))
            w.store(w.op(f"fmul double {w.load('x', i)}, {inverse}"), "x", i)

        def up(done: str, _: str) -> None:
            i = w.op(f"sub i64 {w.op(f'sub i64 %n, {done}')}, 1")
            base, x = w.load("base", i, "i64"), w.load("x", i)
            w.loop(
                w.load("first", i, "i64"),
                i,
                lambda k, _: w.store(w.less(w.load("x", k), w.load("l", w.add(base, k)), x), "x", k),
            )

        for step in (down, middle, up):
            w.loop("0", "%n", step)

    return _Loop(SOLVE, ("N", "n"), ("l", "first", "base", "b", "x"), work)
