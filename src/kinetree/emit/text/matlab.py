"""MATLAB and Octave: one function file; vectors are columns, matrices are as they are read."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.emit.text.language import INFIX, Language, calls
from kinetree.emit.text.literals import indented, indices, number, words, wrapped
from kinetree.graph.node import Node
from kinetree.lower.program import Operand

_WORDS = words(
    "break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor endfunction endif "
    "endswitch endwhile enumeration events for function global if methods otherwise parfor persistent properties "
    "return spmd switch try until unwind_protect unwind_protect_cleanup while e i j pi eps Inf NaN ans error zeros "
    "double single sin cos atan2 sqrt abs sign floor round fix xor isnan isfinite typecast int64 mod all any max"
)
# functions that the language has not, or not with this meaning
_HELPERS = {
    "sqrt": """\
function y = nan_sqrt(x)
    if x < 0
        y = x * NaN;
    else
        y = sqrt(x);
    end
end""",
    "copysign": """\
function y = copy_sign(x, s)
    if s < 0 || (s == 0 && 1 / s < 0)
        y = -abs(x);
    else
        y = abs(x);
    end
end""",
    "rint": """\
function y = round_even(x)
    y = round(x);
    if abs(x - fix(x)) == 0.5
        y = 2 * round(x / 2);
    end
end""",
    "select": """\
function y = choose(p, a, b)
    if p
        y = a;
    else
        y = b;
    end
end""",
    # Boldo and Melquiond: the error terms are added rounded to odd, so that the last rounding is the only one
    "fma": """\
function y = fused(a, b, c)
    kind = class(a + b + c);
    a = double(a);
    b = double(b);
    c = double(c);
    y = a * b + c;
    if strcmp(kind, 'single')
        if isfinite(y)
            y = odd_sum(a * b, c);
        end
        y = single(y);
        return
    end
    x = 134217729 * a;
    z = 134217729 * b;
    x = x - (x - a);
    z = z - (z - b);
    high = a * b;
    low = (a - x) * (b - z) - (((high - x * z) - (a - x) * z) - x * (b - z));
    [middle, least] = two_sum(c, low);
    [top, rest] = two_sum(high, middle);
    exact = top + odd_sum(least, rest);
    if isfinite(exact) && isfinite(low)
        y = exact;
    end
end

function [s, lost] = two_sum(a, b)
    s = a + b;
    z = s - a;
    lost = (a - (s - z)) + (b - z);
end

function s = odd_sum(a, b)
    [s, lost] = two_sum(a, b);
    bits = typecast(s, 'int64');
    if lost ~= 0 && isfinite(s) && mod(bits, 2) == 0
        if (lost > 0) == (s > 0)
            s = typecast(bits + int64(1), 'double');
        else
            s = typecast(bits - int64(1), 'double');
        end
    end
end""",
}
_COMPARE = """\
function good = compare(state, name, found, expected)
    found = double(found(:));
    expected = expected(:);
    same = found == expected | (isnan(found) & isnan(expected));
    same = same | abs(found - expected) <= {tolerance} * max([0; abs(expected(isfinite(expected)))]);
    good = all(same);
    if ~good
        fprintf('state %d: %s is wrong\\n', state, name);
        disp([found expected]);
    end
end"""

_NAMES = {
    "fma": "fused", "sqrt": "nan_sqrt", "copysign": "copy_sign", "rint": "round_even", "select": "choose",
    "xor": "xor", "widen": "double", "narrow": "{r}",
}  # fmt: skip
OPERATIONS = {**INFIX, **calls(_NAMES), "and": "{0} && {1}", "or": "{0} || {1}", "not": "~{0}"}


class Matlab(Language):
    """MATLAB, one number at a time; Octave runs the same text."""

    name, suffix, reals = "matlab", "m", ("double", "single")
    size = 10**9  # functions may be as long as they like
    helpers = frozenset({"nan_sqrt", "copy_sign", "round_even", "choose", "fused", "two_sum", "odd_sum"})
    reserved = _WORDS | helpers
    operations = OPERATIONS

    def constant(self, value: float, *, wide: bool = False) -> str:
        # it takes the precision of what it meets; a choice of two alone has to be told
        return number(value, "Inf", "NaN", single=self.single and not wide)

    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        if not operand.shape:
            return operand.name
        return f"{operand.name}({', '.join(map(str, indices(operand.shape, position, first=1)))})"

    def expression(self, node: Node, args: Sequence[str], *, wide: bool) -> str:
        text = super().expression(node, args, wide=wide)
        return f"single({text})" if node.op == "select" and self.single and not wide else text

    # -- files ---------------------------------------------------------------------------------------------------

    def shape_text(self, operand: Operand) -> str:
        return " x ".join(map(str, _shape(operand)))

    def texts(self) -> dict[str, list[str]]:
        name, title = self.listing.name, self.listing.title
        arguments = ", ".join(o.name for o in self.operands)
        lines = [f"function [{', '.join(r.name for r in self.results)}] = {name}({arguments})"]
        lines += [*(f"% {line}".rstrip() for line in title), *self.described("%   ")]
        for x, size in ((o.name, o.size) for o in self.operands):
            lines += [f"    if numel({x}) ~= {size}"]
            lines += [f"        error('{name}: {x} has %d elements, not {size}', numel({x}));"]
            lines += ["    end", f"    {x} = {self.real}({x});"]
        for result in self.results:
            lines += [f"    {result.name} = zeros({', '.join(map(str, _shape(result)))}, '{self.real}');"]
        for piece in self.pieces():
            lines += indented(piece.lines)
        helpers = [f"\n{text}" for op, text in _HELPERS.items() if op in self.uses]
        return {"m": [*lines, "end", *helpers]}

    def self_test(self) -> list[str]:
        name = self.listing.name
        lines = [f"function {name}_test()", f"% {name}: states and the results that they should give."]
        lines += ["    good = true;"]
        for k, state in enumerate(self.listing.states):
            for operand, values in zip(self.operands, state.inputs):
                lines += _array(operand.name, operand.shape, values)
            arguments = ", ".join(o.name for o in self.operands)
            lines += [f"    [{', '.join(r.name for r in self.results)}] = {name}({arguments});"]
            for result, values in zip(self.results, state.results):
                lines += _array(f"expected_{result.name}", result.shape, values)
                call = f"compare({k + 1}, '{result.name}', {result.name}, expected_{result.name})"
                lines += [f"    good = {call} && good;"]
        lines += ["    if ~good", f"        error('{name}: WRONG');", "    end"]
        lines += [f"    fprintf('{name}: {len(self.listing.states)} states as expected\\n');", "end", ""]
        return [*lines, _COMPARE.format(tolerance=repr(self.listing.tolerance))]


def _shape(operand: Operand) -> tuple[int, ...]:
    return (*operand.shape, *[1] * (2 - len(operand.shape)))


def _array(name: str, shape: tuple[int, ...], values: Sequence[float]) -> list[str]:
    """A statement that makes an array from its numbers in row-major order."""
    texts = [number(x, "Inf", "NaN").strip("()") for x in values]
    if not shape:
        return [f"    {name} = {texts[0]};"]
    flat = [f"{line} ..." for line in wrapped(f"{name} = [{'; '.join(texts)}];", "    ")]
    flat[-1] = flat[-1].removesuffix(" ...")
    if len(shape) == 1:
        return flat
    backwards = " ".join(map(str, reversed(shape)))
    axes = " ".join(str(k) for k in range(len(shape), 0, -1))
    return [*flat, f"    {name} = permute(reshape({name}, [{backwards}]), [{axes}]);"]
