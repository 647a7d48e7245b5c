"""Checks of the built site: every link leads somewhere, and the search answers the questions of search_questions.toml.

    python docs/check.py [docs/_build/html]

The search is Sphinx's own: node, where it is installed, runs the searchtools.js of the site with the site's index.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).parent
# what the site's scripts expect of a browser, then the scripts, then the questions
_NODE = """
const fs = require("fs"), vm = require("vm"), [site, questions] = process.argv.slice(1);
globalThis.document = { getElementById: () => null, addEventListener: () => {} };
globalThis.window = globalThis;
globalThis.localStorage = { setItem: () => {} };
globalThis.SPHINX_HIGHLIGHT_ENABLED = false;
globalThis._ready = () => {};
globalThis._ = (text) => text;
globalThis.DOCUMENTATION_OPTIONS = {};
const read = (name) => fs.readFileSync(site + "/" + name, "utf8");
const code = read("_static/language_data.js") + ";" + read("_static/searchtools.js") + ";globalThis.Search = Search;";
vm.runInThisContext(code);
vm.runInThisContext(read("searchindex.js"));
const first = (text) => (Search._performSearch(...Search._parseQuery(text)).pop() || [null])[0];
console.log(JSON.stringify(JSON.parse(questions).map(first)));
"""


class _Page(HTMLParser):
    """The anchors of a page, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {str(found[name]) for name in ("id", "name") if found.get(name)}
        self.links |= {str(found[name]) for name in ("href", "src") if found.get(name)}


def broken_links(site: Path) -> Iterator[str]:
    """Links within the site that lead to no file, or to no anchor of it."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.resolve().rglob("*.html"))}
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link} leads to no file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(site)}: {link} leads to no anchor"


def questions() -> dict[str, tuple[str, list[str]]]:
    """What is asked: for each question whose users ask it, and the pages that may stand first."""
    read = _read_toml((HERE / "search_questions.toml").read_text(encoding="utf-8"))
    return {text: (package, pages) for package, asked in read.items() for text, pages in asked.items()}


def _read_toml(text: str) -> Mapping[str, Mapping[str, list[str]]]:
    """Tables of lists of text; Python 3.10 has no reader of TOML yet."""
    tables: dict[str, dict[str, list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            table = tables[line.strip('[]"')] = {}
        elif line.startswith('"'):
            key, _, value = line.partition(" = ")
            table[json.loads(key)] = json.loads(value)
    return tables


def first_hits(site: Path, asked: list[str]) -> list[str | None] | None:
    """The page that the search lists first for each question; None where node is not installed."""
    node = shutil.which("node")
    if node is None:
        return None
    command = [node, "-e", _NODE, str(site), json.dumps(asked)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


def unanswered(site: Path) -> list[str]:
    """The questions whose first hit is none of the pages that answer them."""
    asked = questions()
    hits = first_hits(site, [*asked])
    if hits is None:
        print("node is not installed: the search was not asked")
        return []
    return [
        f"{package} users ask {text!r}: first hit {hit}, expected {' or '.join(pages)}"
        for (text, (package, pages)), hit in zip(asked.items(), hits)
        if hit not in pages
    ]


def main() -> None:
    site = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "_build" / "html").resolve()
    failures = [*broken_links(site), *unanswered(site)]
    if failures:
        sys.exit("\n".join(failures))
    print(f"links lead somewhere, and the search answers {len(questions())} questions at the first hit")


if __name__ == "__main__":
    main()
