"""WebAssembly: a module, an ECMAScript module that loads it, and a self-test for Node.js, Deno or a browser."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any, ClassVar

from kinetree.emit.text.language import Listing, straight
from kinetree.emit.text.literals import joined, number, wrapped
from kinetree.emit.wasm.instructions import OPERATIONS
from kinetree.emit.wasm.module import SIZE, ModuleFunction, written
from kinetree.lower.program import Program

_TEST = """\
import {{ load }} from "./{name}.mjs";

const here = new URL("{name}.wasm", import.meta.url);
const inNode = here.protocol === "file:";
const read = async (url) => (await import("node:fs/promises")).readFile(url);
const bytes = inNode ? await read(here) : await (await fetch(here)).arrayBuffer();
const robot = await load(bytes);
let wrong = false;

function compare(state, name, found, expected, tolerance, least) {{
  const scale = Math.max(least, ...expected.filter(Number.isFinite).map(Math.abs));
  for (const [k, y] of expected.entries()) {{
    const x = found[k];
    if (!(x === y || (Number.isNaN(x) && Number.isNaN(y)) || Math.abs(x - y) <= tolerance * scale)) {{
      console.log(`state ${{state}}: ${{name}}[${{k}}] is ${{x}}, expected ${{y}}`);
      wrong = true;
    }}
  }}
}}
"""


def loader() -> str:
    """The text of the ECMAScript module that loads modules of WebAssembly."""
    return resources.files("kinetree.emit.wasm").joinpath("loader.mjs").read_text(encoding="utf-8")


class Wasm:
    """Several functions in double precision as one module."""

    name: ClassVar[str] = "wasm"
    size: ClassVar[int] = SIZE
    repeats: ClassVar[bool] = True
    operations = OPERATIONS
    reserved: ClassVar[frozenset[str]] = frozenset({"memory"})

    @classmethod
    def lowered(cls, *shapes: Any, single: bool, repeats: bool) -> Program:
        """The program that is written."""
        return straight(*shapes, single=single, size=cls.size, repeats=repeats)

    def __init__(self, *listings: Listing) -> None:
        self.listings = listings

    def files(self) -> dict[str, str | bytes]:
        """The files by name; the self-test comes last."""
        name = self.listings[0].name
        entries = {x.function: ModuleFunction(x.program, x.hidden, x.defaults) for x in self.listings}
        files = {f"{name}.mjs": joined(self._comment()) + loader(), f"{name}.wasm": written(entries)}
        return {**files, f"{name}_test.mjs": joined(self._self_test(name))} if self.listings[0].states else files

    def _comment(self) -> list[str]:
        """What the functions take and give."""
        lines: list[str] = []
        for listing in self.listings:
            operands, results = listing.program.operands, listing.program.written
            lines += [line for line in (*listing.title, f"  {listing.function}") if line not in lines]
            for operand in (*operands, *results):
                if operand.name not in listing.hidden:
                    shape = " x ".join(map(str, operand.shape)) or "a number"
                    note = listing.notes.get(operand.name, "")
                    name = operand.name if operand.name.isascii() else ascii(operand.name)
                    lines.append(f"    {name}: {shape}{', ' if note else ''}{note}")
        return [*(f"// {line}".rstrip() for line in lines), ""]

    def _self_test(self, name: str) -> list[str]:
        lines = [f"// {name}: states and the results that they should give. Exit status 0: all is well."]
        lines += _TEST.format(name=name).splitlines()
        for listing in self.listings:
            for k, state in enumerate(listing.states, 1):
                given = [
                    f"[{operand.name!a}]: {_list(values)}"
                    for operand, values in zip(listing.program.operands, state.inputs)
                    if operand.name not in listing.hidden
                ]
                lines += ["{", *wrapped(f"const found = robot.{listing.function}({{ {', '.join(given)} }});", "  ")]
                for result, values in zip(listing.program.written, state.results):
                    if result.name not in listing.hidden:
                        key, expected = ascii(result.name), _list(values)
                        # what a search finds near zero is as exact as the numbers that it goes through
                        numbers = f"{expected}, {listing.tolerance!r}, {int(listing.program.repeats)}"
                        call = f"compare({k}, {key}, found[{key}], {numbers});"
                        lines += wrapped(call, "  ")
                lines.append("}")
        told = f"{sum(len(listing.states) for listing in self.listings)} states as expected"
        lines.append(f'console.log(`{name}: ${{wrong ? "WRONG" : "{told}"}}`);')
        return [*lines, "if (inNode) process.exitCode = Number(wrong);"]


def _list(values: Sequence[float]) -> str:
    return f"[{', '.join(number(x, 'Infinity', 'NaN').strip('()') for x in values)}]"
