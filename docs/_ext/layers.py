"""The layers of the package: a picture and a table, from the order that the tests enforce and from the real imports.

The directive gets a line ``folder: what it is for`` for each folder or module of the package. Groups and their order
are those of ``GROUPS`` in tests/test_architecture.py, the imports those of the files; a folder without a line, and a
line without a folder, is an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "kinetree"
# groups side by side in one row: neither imports the other
BESIDE = ("physics", "compiler")
_WIDTH, _LABEL, _GAP = 860, 116, 10  # px
_ROW, _BOX, _LETTER = 30, 22, 7.3

Imports = dict[str, set[str]]


class Layers(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        purposes = dict(line.split(": ", 1) for line in self.content if line.strip())
        order, imports = groups(), imported()
        missing = {layer for layers in order.values() for layer in layers} ^ {*purposes}
        if missing:
            raise self.error(f"folders without a line, or lines without a folder: {', '.join(sorted(missing))}")
        if wrong := against(order, imports):
            raise self.error(f"imports against the order of the picture: {', '.join(wrong)}")
        for path in (REPOSITORY / "tests" / "test_architecture.py", *PACKAGE.rglob("*.py")):
            self.env.note_dependency(str(path))
        return [nodes.raw("", picture(order, imports), format="html"), self._table(order, imports, purposes)]

    def _table(self, order: dict[str, tuple[str, ...]], imports: Imports, purposes: dict[str, str]) -> nodes.table:
        rows = [(group, layer, purposes[layer], reduced(imports)[layer]) for group in order for layer in order[group]]
        body = nodes.tbody()
        for _, layer, purpose, needs in rows:
            row = nodes.row()
            text, _ = self.parse_inline(purpose)
            direct = ", ".join(x for layers in order.values() for x in layers if x in needs)
            row += nodes.entry("", nodes.paragraph("", "", nodes.literal(text=layer)))
            row += nodes.entry("", nodes.paragraph("", "", *text))
            row += nodes.entry("", nodes.paragraph(text=direct))
            body += row
        head = nodes.row()
        for title in ("", "what it is for", "imports"):
            head += nodes.entry("", nodes.paragraph(text=title))
        columns = [nodes.colspec(colwidth=width) for width in (14, 60, 26)]
        return nodes.table("", nodes.tgroup("", *columns, nodes.thead("", head), body, cols=3))


def groups() -> dict[str, tuple[str, ...]]:
    """The groups of layers, the lowest first: what `test_architecture` enforces."""
    tree = ast.parse((REPOSITORY / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    found = next(n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "GROUPS")
    return ast.literal_eval(found.value)


def imported() -> Imports:
    """The layers that each layer imports, anywhere in its files."""
    found: Imports = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if file != PACKAGE / "__init__.py":
            found.setdefault(own, set()).update(set(_imports(file)) - {own, "__version__"})
    return found


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "kinetree":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _layer(str(node.module))
        elif isinstance(node, ast.Import):
            yield from (layer for alias in node.names for layer in _layer(alias.name))


def _layer(module: str) -> list[str]:
    return module.split(".")[1:2] if module.startswith("kinetree.") else []


def against(order: dict[str, tuple[str, ...]], imports: Imports) -> list[str]:
    """Imports that the picture does not allow."""
    layers = [layer for group in order.values() for layer in group]
    sides = [{*order[group]} for group in BESIDE]
    return [
        f"{layer} -> {x}"
        for layer, own in imports.items()
        for x in own
        if layers.index(x) >= layers.index(layer) or any(layer in a and x in b for a, b in (sides, sides[::-1]))
    ]


def reduced(imports: Imports) -> Imports:
    """The imports without those that others of them have already."""

    def all_of(layer: str) -> set[str]:
        return imports[layer].union(*(all_of(x) for x in imports[layer]))

    return {layer: own.difference(*(all_of(x) for x in own)) for layer, own in imports.items()}


# -- the picture -------------------------------------------------------------------------------------------------------


def picture(order: dict[str, tuple[str, ...]], imports: Imports) -> str:
    """An SVG: a band for each group, the lowest at the bottom, and a box for each layer."""
    bands, y = [], 0.0
    for row in _rows(order):
        width = (_WIDTH - _GAP * (len(row) - 1)) / len(row)
        lefts = [k * (width + _GAP) for k in range(len(row))]
        boxes = [_boxes(order[group], imports, x, y, width) for group, x in zip(row, lefts)]
        height = max(bottom for _, bottom in boxes) + 6 - y
        for group, x, (text, _) in zip(row, lefts, boxes):
            bands.append(_frame(group, x, y, width, height) + text)
        y += height + _GAP
    style = "max-width: 100%; height: auto; font: 12px var(--font-stack--monospace, monospace)"
    size = f'viewBox="0 0 {_WIDTH} {y - _GAP:g}" width="{_WIDTH}" height="{y - _GAP:g}"'
    title = "Layers of the package: each imports only from those below it, and from those before it in its row"
    return f'<svg {size} role="img" aria-label="{title}" style="{style}">{"".join(bands)}</svg>'


def _rows(order: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The groups from the top of the picture to its bottom."""
    rows: list[tuple[str, ...]] = [BESIDE if group == BESIDE[0] else (group,) for group in order if group != BESIDE[1]]
    return rows[::-1]


def _boxes(layers: tuple[str, ...], imports: Imports, x: float, y: float, width: float) -> tuple[str, float]:
    """The boxes of a group, and where they end."""
    boxes, left, top = [], x + _LABEL, y + 6
    for layer in layers:
        wide = len(layer) * _LETTER + 14
        if left + wide > x + width - 4:
            left, top = x + _LABEL, top + _ROW
        boxes.append(_box(layer, imports[layer], left, top, wide))
        left += wide + 8
    return "".join(boxes), top + _BOX


def _frame(group: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="currentColor" opacity=".06"/>'
        f'<text x="{x + 10:g}" y="{y + height / 2 + 4:g}" fill="currentColor" opacity=".75">{escape(group)}</text>'
    )


def _box(layer: str, needs: set[str], x: float, y: float, width: float) -> str:
    hint = f"{layer} imports {', '.join(sorted(needs)) or 'nothing of the package'}"
    return (
        f"<g><title>{escape(hint)}</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{_BOX}" rx="3" fill="none" stroke="currentColor"/>'
        f'<text x="{x + width / 2:g}" y="{y + 15:g}" text-anchor="middle" fill="currentColor">{escape(layer)}</text>'
        "</g>"
    )


def setup(app):
    app.add_directive("layers", Layers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
