"""The filter of a line search: a step must lower the barrier function or the infeasibility, and undo neither.

Reference: [Waechter2006] section 2.3.
"""

from __future__ import annotations

import math

_ARMIJO = 1e-4  # of the fall that the slope promises
_MARGIN = 1e-5  # of the infeasibility, what a step must gain of it, or of the barrier function
_TOO_LARGE, _SMALL = 1e4, 1e-4  # infeasibility that is never accepted, and where the barrier function decides


class Filter:
    """Pairs of infeasibility and barrier function that must not be reached again.

    Args:
        infeasibility: of the start.
    """

    def __init__(self, infeasibility: float) -> None:
        self._scale = max(1.0, infeasibility)
        self._entries: list[tuple[float, float]] = []

    def clear(self) -> None:
        """For another barrier."""
        self._entries = []

    def accepts(self, old: tuple[float, float], new: tuple[float, float], slope: float, length: float) -> bool:
        """Whether a step from old to new infeasibility and barrier function is good enough; remembers it.

        Args:
            old, new: the pairs.
            slope: of the barrier function along the whole step.
            length: the part of the step that was taken.
        """
        (theta, phi), (new_theta, new_phi) = old, new
        dominated = any(new_theta >= t and new_phi >= p for t, p in self._entries)
        if dominated or not math.isfinite(new_phi) or new_theta > _TOO_LARGE * self._scale:
            return False
        if theta <= _SMALL * self._scale and slope < 0.0 and length * (-slope) ** 2.3 > theta**1.1:
            return new_phi <= phi + _ARMIJO * length * slope + 1e-13 * abs(phi)
        at_rounding = new_theta <= 1e-9 and abs(new_phi - phi) <= 1e-11 * (1.0 + abs(phi))
        if new_theta <= (1.0 - _MARGIN) * theta or new_phi <= phi - _MARGIN * theta or at_rounding:
            self._entries.append(((1.0 - _MARGIN) * theta, phi - _MARGIN * theta))
            return True
        return False
