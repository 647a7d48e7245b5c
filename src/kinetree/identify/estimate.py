"""Values of the parameters that forces are linear in, with their covariance.

Standard deviations come from the residuals in three ways, and the largest is taken: as of white noise, with a variance
for each joint; from the correlation of the residuals in time and between joints, which errors of the measured positions
cause; and from this correlation where it changes with the motion.
Reference: [Gautier2001]; [NeweyWest1987] for the second and third way, [Huber1981] chapter 7 for the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.identify.quantiles import fisher
from kinetree.identify.rank import independent
from kinetree.identify.weights import HUBER, Weights, triangle, weigh
from kinetree.runtime.arrays import Array

DEPENDENT = 1e-6  # of the length of a column, what is orthogonal to those before it: below, it is not identifiable
REGULAR = 1e-6  # smallest eigenvalue of a correlation matrix above which all columns are identifiable
NEGLIGIBLE = 1e-9  # of a later error: covariances with a standard deviation below it are taken as zero
FEW = 1.515  # how much wider intervals are for a correlation over few of the samples [KieferVogelsang2005]


@dataclass(frozen=True)
class Estimate:
    """The outcome of one fit.

    Args:
        columns: those of the regressor that have a value.
        values, covariance: of these (k,), (k, k).
        residuals: measured less predicted forces (m, n).
        weights: of the equations.
        freedom: degrees of freedom: equations less unknowns.
        condition: of the observation matrix, weighted and with columns of length one.
    """

    columns: tuple[int, ...]
    values: Array
    covariance: Array
    residuals: Array
    weights: Weights
    freedom: int
    condition: float

    @property
    def std(self) -> Array:
        """Standard deviations (k,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def moved_to(self, values: Array) -> Estimate:
        """Other values, whose distance from these is added to the standard deviations."""
        wide = np.hypot(self.std, values - self.values)
        wider = np.divide(wide, self.std, out=np.zeros_like(wide), where=self.std > NEGLIGIBLE * wide)
        covariance = self.covariance * np.outer(wider, wider)
        np.fill_diagonal(covariance, wide**2)
        return replace(self, values=values, covariance=covariance)


def identifiable(y: Array) -> list[int]:
    """The columns of a regressor (m, n, p) that are linearly independent of those before them."""
    sizes = np.linalg.norm(y, axis=(0, 2))  # joints with small forces count too
    scaled = (y / np.where(sizes > 0, sizes, 1.0)[:, None]).reshape(-1, y.shape[2])
    normal = scaled.T @ scaled
    lengths = np.sqrt(np.maximum(np.diag(normal), 1e-300))
    all_long = lengths.min() > DEPENDENT * lengths.max()
    if all_long and np.linalg.eigvalsh(normal / np.outer(lengths, lengths))[0] > REGULAR:
        return list(range(y.shape[2]))
    short: Any = np.linalg.qr(scaled, mode="r")
    return independent(short, DEPENDENT)[0]


def estimate(y: Array, forces: Array, columns: list[int], method: str, lags: int) -> Estimate:
    """The values of some columns of a regressor.

    Args:
        y, forces: the equations (m, n, p), (m, n).
        columns: of y, linearly independent.
        method: see `weigh`.
        lags: how many samples apart residuals may be correlated.
    """
    y = y[..., columns]
    m, n, p = y.shape
    if m * n <= p:
        raise InputError(f"{m} samples of {n} forces are too few for {p} parameters; measure for longer")
    x, weights = weigh(y, forces, method)
    left = forces - y @ x
    rows = weights.of(y).reshape(-1, p)
    condition = float(np.linalg.cond(triangle(rows / np.linalg.norm(rows, axis=0))))
    covariance = _covariance(y / weights.scales[:, None], left / weights.scales, weights, method, lags)
    return Estimate(tuple(columns), x, covariance, left, weights, m * n - p, condition)


def _covariance(rows: Array, left: Array, weights: Weights, method: str, lags: int) -> Array:
    """Of the values, from the rows and residuals in standard deviations of the joints."""
    m, n, p = rows.shape
    weighted = left * weights.rows
    slope = (np.abs(left) <= HUBER).mean(axis=0) if method == "irls" else np.ones(n)
    joint = np.einsum("mnp,mnq->npq", rows, rows, optimize=True)
    sizes = np.sqrt(np.einsum("n,npp->p", slope, joint))
    inverse = np.linalg.inv(triangle((rows * np.sqrt(slope)[:, None]).reshape(-1, p) / sizes)) / sizes[:, None]
    inverse = inverse @ inverse.T
    # the fit takes degrees of freedom from the residuals, more from those of some joints than of others
    taken = slope * np.einsum("pq,npq->n", inverse, joint)
    weighted = weighted * np.sqrt(m / np.maximum(m - taken, 1.0))
    spread = (rows * np.sqrt((weighted**2).mean(axis=0))[:, None]).reshape(-1, p) @ inverse
    white = spread.T @ spread
    scores = np.einsum("mnp,mn->mp", rows, weighted)
    steady, changing = np.zeros_like(rows), np.zeros_like(scores)  # what each sample is correlated with
    for lag in range(lags):
        kernel = (1.0 - lag / lags) * (0.5 if lag == 0 else 1.0)
        together = weighted[lag:].T @ weighted[: m - lag] * (kernel / m)
        steady[lag:] += together @ rows[: m - lag]
        changing[lag:] += kernel * scores[: m - lag]
    totals = rows.reshape(-1, p).T @ steady.reshape(-1, p), scores.T @ changing
    others = [np.diag(inverse @ (total + total.T) @ inverse) for total in totals]
    wider = np.sqrt(np.max([np.diag(white), *others], axis=0) / np.maximum(np.diag(white), 1e-300))
    return white * np.outer(wider, wider) * (1.0 + FEW * lags / m) ** 2


def eliminated(
    y: Array, forces: Array, columns: list[int], method: str, lags: int, drop: float, confidence: float
) -> tuple[Estimate, dict[int, str]]:
    """An estimate without the columns whose values do not differ significantly from zero, and a message on each.

    One by one the value with the largest relative standard deviation is taken as zero, as long as this is above
    ``drop`` and an F-test on all that were dropped does not reject it. Standard deviations are those of the fit with
    all columns, and the change of the values since is added: that some values may be zero does not make the others
    more certain. Reference: [PhamGautier1991].
    """
    first = estimate(y, forces, columns, method, lags)
    values, covariance = first.values.copy(), first.covariance.copy()
    out: list[int] = []
    statistic = 0.0  # squares of the dropped values, in standard deviations given those dropped before
    dropped: dict[int, str] = {}
    while len(out) < len(columns) - 1:
        std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        relative = std / np.maximum(np.abs(values), 1e-300)
        relative[out] = 0.0
        worst = int(np.argmax(relative))
        if relative[worst] <= drop:
            break
        statistic += float(relative[worst]) ** -2
        if statistic > (len(out) + 1) * fisher(confidence, len(out) + 1, first.freedom):
            break
        dropped[columns[worst]] = f"{values[worst]:.3g} with a standard deviation of {std[worst]:.2g}; taken as 0"
        # the others given that this one is zero
        share = covariance[:, worst] / covariance[worst, worst]
        values, covariance = values - share * values[worst], covariance - np.outer(share, covariance[worst])
        out.append(worst)
    if not out:
        return first, {}
    kept = [k for k, c in enumerate(columns) if c not in dropped]
    last = estimate(y, forces, [columns[k] for k in kept], method, lags)
    within = replace(first, values=first.values[kept], covariance=first.covariance[np.ix_(kept, kept)])
    return replace(last, covariance=within.moved_to(last.values).covariance), dropped
