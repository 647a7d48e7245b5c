"""Measured series without noise above a frequency, and their derivatives, without delay.

A series is a cubic polynomial, which has its values and curvatures at both ends, and a remainder, which is a series of
sines. Each sine is multiplied by 1 / (1 + (f / cutoff)^8), as a Butterworth filter of order 4 does that runs forwards
and backwards, and differentiated exactly. All of it are three Fourier transforms, whatever the number of samples.
Reference: [Gautier2001] for what has to be filtered, and how little of the motion may be lost.
"""

from __future__ import annotations

import numpy as np

from kinetree.runtime.arrays import Array

ORDER = 4
ABOVE_NOISE = 3.0  # of the largest amplitude of noise: what is larger is motion
NOISY = 0.75  # of half the sampling rate: no motion is faster
ABOVE_WINDOW = 1e-5  # of the largest amplitude: what is smaller may come from the ends of the series
AT_THE_ENDS = 0.5  # periods of the cutoff whose samples say what the curvature at an end is
LEAST_PERIODS = 10.0  # of the cutoff in a series: with fewer, little would be left between its ends
BELOW_RATE = 0.4  # cutoff over sampling rate at the most
TRIED = 100  # cutoffs between these two
HELD = 0.01  # of the largest movement: what moves less is held, and what its encoder's steps look like says nothing
PASSED = 0.159395  # the integral of x^4 / (1 + x^8)^2 over all x > 0


def best_cutoff(q: Array, rate: float) -> float:
    """The cutoff [Hz] that brings the second derivatives of positions (m, n) nearest to those without noise.

    A low one takes motion away: of each wave of amplitude S and frequency f the part 1 - g, where g is what `smooth`
    multiplies it by. A high one lets noise in, of the power N at each frequency. Their squares, in accelerations,

        e(c) = sum_f (2 pi f)^4 ((1 - g)^2 S^2 + g^2 N),

    over those of the motion and summed over all series, are smallest at the best cutoff. The noise is taken to be even
    over all frequencies, as that of encoders is, and is read off the highest of them; what rises above it is motion.
    """
    moves = np.ptp(q, axis=0)
    q = q[:, moves > HELD * moves.max(initial=0.0)]
    window = np.cos(np.linspace(-np.pi / 2, np.pi / 2, len(q))) ** 4
    sizes = np.abs(np.fft.rfft((q - q.mean(axis=0)) * window[:, None], axis=0))
    noise = sizes[int(NOISY * len(sizes)) :]
    moving = sizes > ABOVE_NOISE * noise.max(axis=0) + ABOVE_WINDOW * sizes.max(axis=0)
    last = int(np.flatnonzero(moving.any(axis=1)).max(initial=0)) + 1
    f = np.arange(last) * rate / len(q)
    motion = np.where(moving[:last], sizes[:last] ** 2, 0.0) * f[:, None] ** 4
    power = motion.sum(axis=0)
    weights = np.divide(1.0, power, out=np.zeros_like(power), where=power > 0.0)
    lost, let_in = motion @ weights, float((noise**2).mean(axis=0) @ weights) * PASSED * len(q) / rate
    highest = BELOW_RATE * rate
    cutoffs = np.geomspace(min(LEAST_PERIODS * rate / len(q), highest), highest, TRIED)
    errors = [let_in * c**5 + float((1.0 - 1.0 / (1.0 + (f / c) ** (2 * ORDER))) ** 2 @ lost) for c in cutoffs]
    return float(cutoffs[np.argmin(errors)])


def smooth(x: Array, rate: float, cutoff: float, order: int) -> list[Array]:
    """The series (m, n) without what is above the cutoff [Hz], and its derivatives up to an order of 2 at the most."""
    trend = _cubic(x, rate, cutoff)
    left = x - trend[0]
    odd = np.concatenate([left, -left[-2:0:-1]])
    f = np.fft.rfftfreq(len(odd), 1.0 / rate)
    waves = np.fft.rfft(odd, axis=0) / (1.0 + (f / cutoff) ** (2 * ORDER))[:, None]
    waves = [waves * (2j * np.pi * f[:, None]) ** k for k in range(order + 1)]
    return [polynomial + np.fft.irfft(wave, len(odd), axis=0)[: len(x)] for polynomial, wave in zip(trend, waves)]


def _cubic(x: Array, rate: float, cutoff: float) -> tuple[Array, Array, Array]:
    """A cubic polynomial with the values and curvatures of a series at its ends, and its derivatives."""
    count = int(np.clip(AT_THE_ENDS * rate / cutoff, 8, len(x)))
    powers = np.vander(np.arange(count) / rate, 4, increasing=True)
    (start, _, half_start, _), (end, _, half_end, _) = (
        np.linalg.lstsq(powers, ends[:count], rcond=None)[0] for ends in (x, x[::-1])
    )
    t = np.arange(len(x))[:, None] / rate
    span = t[-1]
    third = (half_end - half_start) / (3.0 * span)
    first = (end - start) / span - half_start * span - third * span**2
    return (
        start + t * (first + t * (half_start + t * third)),
        first + t * (2.0 * half_start + t * 3.0 * third),
        2.0 * half_start + t * 6.0 * third,
    )


def means(x: Array, block: int) -> Array:
    """The mean of each block of samples: (m, ...) -> (m // block, ...)."""
    count = len(x) // block
    return x[: count * block].reshape(count, block, *x.shape[1:]).mean(axis=1)
