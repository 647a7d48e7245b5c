"""Khalil: methods without figures."""

from __future__ import annotations

from papers.figure import Figure


def figures() -> list[Figure]:
    """None: the paper has neither example robots nor operation counts."""
    return [Figure("Khalil2010", "-", "no figures", "-", "tests/laws, tests/oracles", "methods only")]
