"""The directive `beside`: an equation beside the lines of code that compute it.

    ```{beside} algorithms/mass_matrix.py
    (95) $I^c_p \\mathrel{+}= {}^p X_i\\, I^c_i$
    : composite[parents[i]] = composite[parents[i]] +
    ```

A row is a number such as (95) or (28)-(30), an equation, and after each colon the beginning of a statement. The
statement is looked up in the file, and all of it is shown with its line number: what stands on the page is what runs.
A statement that is not found, or found twice, is an error, so page and code can't drift apart.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

PACKAGE = Path(__file__).parents[2] / "src" / "kinetree"
_ROW = re.compile(r"(\([^)]*\)(?:(?:, |-)\([^)]*\))*)?\s*(.*)")


class Beside(SphinxDirective):
    """A table of equations and statements of one file of the package."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        path = PACKAGE / self.arguments[0]
        self.env.note_dependency(str(path))
        lines = path.read_text().splitlines()
        rows: list[tuple[str, str, list[str]]] = []
        for line in self.content:
            if line.startswith(":"):
                rows[-1][2].append(line[1:].strip())
            elif line.strip():
                number, equation = _ROW.fullmatch(line.strip()).groups()
                rows.append((number or "", equation, []))
        numbered = any(number for number, _, _ in rows)
        body = [self._row(number if numbered else None, equation, starts, lines) for number, equation, starts in rows]
        return [_table(f"src/kinetree/{self.arguments[0]}", body, numbered)]

    def _row(self, number: str | None, equation: str, starts: list[str], lines: list[str]) -> nodes.row:
        code = []
        for start in starts:
            try:
                first, statement = find_statement(lines, start)
            except LookupError as error:
                raise self.error(f"{self.arguments[0]}: {error}") from None
            where = nodes.paragraph(text=f"line {first}", classes=["line-number"])
            code += [where, nodes.literal_block(statement, statement, language="python")]
        row = nodes.row()
        if number is not None:
            row += nodes.entry("", nodes.paragraph(text=number))
        row += nodes.entry("", *self._markdown(equation))
        row += nodes.entry("", *code)
        return row

    def _markdown(self, text: str) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(StringList([text], source=self.arguments[0]), self.content_offset, holder)
        return holder.children


def find_statement(lines: list[str], start: str) -> tuple[int, str]:
    """The number of the one line that begins so, and the whole statement, dedented."""
    found = [k for k, line in enumerate(lines) if line.strip().startswith(start)]
    if len(found) != 1:
        where = ", ".join(str(k + 1) for k in found) or "nowhere"
        raise LookupError(f"expected one line that begins with {start!r}, found {where}")
    first = last = found[0]
    while _open("\n".join(lines[first : last + 1])) > 0:
        last += 1
    return first + 1, textwrap.dedent("\n".join(lines[first : last + 1]))


def _open(text: str) -> int:
    """How many brackets are still open."""
    return sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")


def _table(title: str, rows: list[nodes.row], numbered: bool) -> nodes.table:
    widths = (10, 44, 46) if numbered else (50, 50)
    group = nodes.tgroup(cols=len(widths))
    group += [nodes.colspec(colwidth=width) for width in widths]
    head = nodes.row()
    for text in ("", "equation")[not numbered :]:
        head += nodes.entry("", nodes.paragraph(text=text))
    head += nodes.entry("", nodes.paragraph("", "", nodes.literal(text=title)))
    group += nodes.thead("", head)
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["beside", "colwidths-given"])


def setup(app):
    app.add_directive("beside", Beside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
