"""The page: scripts and styles as they are, data as JSON that no name can end."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any

SCRIPTS = (
    "maths", "buffers", "tree", "solids", "shaders", "renderer", "camera", "scene", "motions", "elements",
    "sliders", "gif", "exports", "live", "viewer", "picture", "controls", "travel", "main",
)  # fmt: skip
# nothing may be fetched; what the page makes itself it may save
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'"


@cache
def _text(name: str) -> str:
    return resources.files("kinetree.scene").joinpath("page").joinpath(name).read_text("utf-8")


def script(engine: str = "null") -> str:
    """All scripts as one, with names of their own; the engine is an expression that has ``load`` and ``Live``."""
    parts = "".join(_text(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\nconst engine = {engine};\n{parts}}})();\n'


def style() -> str:
    """The style of the pictures; the colours of a page are variables."""
    return _text("viewer.css")


def figure(data: dict[str, Any], block: str, *, still: str = "", caption: str = "", whole: bool = False) -> str:
    """A ``<figure>`` that the script brings to life.

    Args:
        data: what it shows.
        block: the arrays of it, from `PackedArrays.text`.
        still: an ``<svg>`` that stands there where no script or no WebGL runs.
        caption: stands below.
        whole: whether it fills the window.
    """
    numbers = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")  # no name may end it
    below = f"<figcaption>{escape(caption)}</figcaption>\n" if caption else ""
    return (
        _text("figure.html")
        .rstrip()
        .format(
            kind="kt kt-whole" if whole else "kt",
            label=escape(f"{data['name']} in three dimensions"),
            still=still,
            caption=below,
            data=numbers,
            block=block,
        )
    )


def page(title: str, body: str, plots: str = "", engine: str = "null") -> str:
    """A whole page of one figure, with plots beside or below it."""
    from kinetree import __version__

    return _text("page.html").format(
        policy=POLICY,
        title=escape(title),
        style=style(),
        body=body,
        plots=f'<section class="kt-plots">\n{plots}\n</section>' if plots else "",
        kind="kt-page kt-beside" if plots else "kt-page",
        version=escape(__version__),
        script=script(engine),
    )
