"""The engine of the page that shows a robot: its code in WebAssembly, the loader, and what moves it."""

from __future__ import annotations

from typing import Any

from kinetree.errors import KinetreeError
from kinetree.export.live import live, script
from kinetree.export.wasm import loader
from kinetree.scene.engine import Engine


def engine(robot: Any) -> Engine | None:
    """The engine of a robot without open parameters, a closed chain or a parallel robot; None where there is none.

    A robot that can't move has none, nor one whose loops can't be closed, or whose joint types can't be traced.
    """
    try:
        module, facts = live(robot)
    except KinetreeError:
        return None
    text = "\n".join(part.replace("export ", "", 1) for part in (loader(), script()))
    return Engine(module, facts, f"(() => {{\n{text}\nreturn {{ load, Live }};\n}})()")
