"""Which limits to loosen where no motion keeps them all.

Where breaking limits costs least, the prices of the rows balance, sum z_i grad c_i = 0: those with z_i above zero stand
against each other. Of a limit that is made wider by a small part of its width w_i the price falls by that part of
z_i w_i. So these products tell what helps most, whatever the units. Equations have no width: they can't be loosened.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.transcription import Rows, Transcription

Array = NDArray[np.float64]
_MOST, _LEAST = 3, 0.05  # how many kinds are named, and the least share of the whole price that one of them has
_SEVERAL = 3  # limits of one kind that are named


def conflict(problem: Transcription, multipliers: Array) -> str:
    """The kinds of limits that it helps most to loosen, in words; empty where there is none."""
    prices: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    first = 0
    for rows in problem.rows:
        names = rows.block.names()
        of_rows = np.abs(multipliers[first : first + rows.count]) * _widths(rows)
        for j, price in zip(np.nonzero(rows.used)[1], of_rows):
            prices[names[j].split(" of ")[0]][names[j]] += float(price)
        first += rows.count
    kinds = sorted(((sum(of_kind.values()), of_kind) for of_kind in prices.values()), key=lambda x: -x[0])
    whole = sum(price for price, _ in kinds)
    told = [_told(price / whole, of_kind) for price, of_kind in kinds[:_MOST] if price > _LEAST * whole]
    return f"; it helps most to loosen {'; '.join(told)}" if told else ""


def _widths(rows: Rows) -> Array:
    """From one side of each limit to the other in units of its scale; 1 where there is one side only."""
    width = (rows.upper - rows.lower)[rows.used] * rows.factors
    return np.where(np.isfinite(width), width, 1.0)


def _told(share: float, prices: dict[str, float]) -> str:
    """The dearest limits of one kind, and the share of the price that the kind has."""
    dearest = sorted(prices, key=lambda name: -prices[name])
    more = " and others" if len(dearest) > _SEVERAL else ""
    return f"{', '.join(dearest[:_SEVERAL])}{more} ({share:.0%})"
