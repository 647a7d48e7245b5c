"""``python -m papers [--markdown]``: what the papers publish as results, beside what this package computes now."""

from __future__ import annotations

import sys

from papers import barman, barman_curves, barman_gait, barman_planning, guarino, hua, hua_curves, khalil, nasser
from papers.figure import Figure, markdown, terminal

PAPERS = (nasser, barman, barman_planning, barman_curves, barman_gait, guarino, khalil, hua, hua_curves)


def figures() -> list[Figure]:
    """All of them, computed now."""
    return [figure for paper in PAPERS for figure in paper.figures()]


def main() -> int:
    options = sys.argv[1:]
    if options not in ([], ["--markdown"]):
        print("usage: python -m papers [--markdown]", file=sys.stderr)
        return 2
    print((markdown if options else terminal)(figures()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
