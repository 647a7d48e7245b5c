"""The compiled sine and cosine against mpmath on a hundred thousand angles."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kinetree as kt
from kinetree.runtime import native
from kinetree.scalar import cos, sin

POINTS = 100_000
ULP = 2.0  # what is promised; elementary.py measures 0.88
FAR, ULP_FAR = 1e13, 10.0  # and what beyond, on processors without fused multiply-add
BITS = 140  # 50 before the point of the largest angle, 53 of the result, and the rest for cancellation


def angles() -> np.ndarray:
    """Angles of joints, of long rotations, and of every size up to 1e15."""
    rng = np.random.default_rng(7)
    third = POINTS // 3
    sizes = 10.0 ** rng.uniform(-8, 15, POINTS - 2 * third)
    return np.concatenate(
        [rng.uniform(-7, 7, third), rng.uniform(-1e5, 1e5, third), rng.choice([-1, 1], len(sizes)) * sizes]
    )


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_the_error_stays_within_two_units_of_the_last_place(name: str) -> None:
    x = angles()
    function = kt.compile({"sin": sin, "cos": cos}[name], signature="()->()")
    result = function(x)
    exact = getattr(mp.libmp, f"mpf_{name}")
    worst = 0.0
    for value, angle in zip(result.tolist(), x.tolist()):
        truth = exact(mp.libmp.from_float(angle), BITS)
        error = mp.libmp.to_float(mp.libmp.mpf_sub(mp.libmp.from_float(value), truth, BITS))
        promised = ULP_FAR if abs(angle) > FAR and not native.has_fma() else ULP
        worst = max(worst, abs(error) / np.spacing(abs(value)) / promised)
    assert len(x) == POINTS
    assert worst <= 1.0
