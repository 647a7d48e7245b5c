"""The engine of a page: a robot's own code in WebAssembly, and the script that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Engine:
    """Code that makes a page alive.

    Args:
        module: of WebAssembly.
        facts: what the page has to know of it, for JSON.
        script: defines ``load`` and ``Live``.
    """

    module: bytes
    facts: dict[str, Any]
    script: str
