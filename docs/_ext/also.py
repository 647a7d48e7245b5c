"""The directive `also`: what a thing is called elsewhere, as a line to read and as entries of the index.

    ```{also}
    : recursive Newton-Euler algorithm, RNEA
    MuJoCo: mj_inverse, mj_rne
    ```

A line without a package before its colon holds words, the others hold names of that package. The search finds the page
by each of them.
"""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class Also(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = [line.partition(":") for line in self.content if line.strip()]
        named = [(place.strip(), [name.strip() for name in names.split(",")]) for place, _, names in rows]
        target = f"also-{self.env.new_serialno('also')}"
        index = addnodes.index(entries=[("single", n, target, "main", None) for _, names in named for n in names])
        line = nodes.paragraph("", "Elsewhere: ", classes=["also"])
        for k, (place, names) in enumerate(named):
            line += nodes.Text("; " if k else "")
            for j, name in enumerate(names):
                line += nodes.Text(", " if j else "")
                line += nodes.literal(text=name) if place else nodes.Text(name)
            line += nodes.Text(f" ({place})" if place else "")
        line += nodes.Text(".")
        return [index, nodes.target("", "", ids=[target]), line]


def setup(app):
    app.add_directive("also", Also)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
