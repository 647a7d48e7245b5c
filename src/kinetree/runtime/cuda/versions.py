"""Which cards, drivers and versions of PTX go together.

Code for one compute capability runs on all later ones too: the driver compiles it for the card. PTX is written in the
oldest version that has what the capability needs, so that every driver that knows the card knows the text.
"""

from __future__ import annotations

from kinetree.errors import DeviceError

Pair = tuple[int, int]

# compute capabilities that code is made for, and the version of PTX for each
CAPABILITIES: dict[Pair, Pair] = {
    (7, 0): (6, 3), (7, 5): (6, 3), (8, 0): (7, 0), (8, 6): (7, 1), (8, 9): (7, 8), (9, 0): (7, 8), (10, 0): (8, 6),
    (12, 0): (8, 7),
}  # fmt: skip
OLDEST = min(CAPABILITIES)
# the newest PTX that a driver for a version of CUDA takes
_DRIVERS: dict[Pair, Pair] = {
    (11, 0): (7, 0), (11, 1): (7, 1), (11, 2): (7, 2), (11, 3): (7, 3), (11, 4): (7, 4), (11, 5): (7, 5),
    (11, 6): (7, 6), (11, 7): (7, 7), (11, 8): (7, 8), (12, 0): (8, 0), (12, 1): (8, 1), (12, 2): (8, 2),
    (12, 3): (8, 3), (12, 4): (8, 4), (12, 5): (8, 5), (12, 7): (8, 6), (12, 8): (8, 7), (12, 9): (8, 8),
    (13, 0): (9, 0), (13, 1): (9, 1),
}  # fmt: skip
OLDEST_DRIVER = min(_DRIVERS)


def dotted(pair: Pair) -> str:
    """A version as it is written, such as "9.0"."""
    return f"{pair[0]}.{pair[1]}"


def newest_ptx(driver: Pair) -> Pair:
    """The newest PTX that a driver for this version of CUDA takes."""
    known = [version for version in _DRIVERS if version <= driver]
    if not known:
        raise DeviceError(
            f"the NVIDIA driver is for CUDA {dotted(driver)}; code for GPUs needs one for {dotted(OLDEST_DRIVER)} or "
            "later: update the driver"
        )
    return _DRIVERS[max(known)]


def code_for(capability: Pair) -> tuple[Pair, Pair]:
    """The compute capability that code for a card is made for, and the version of PTX."""
    known = [version for version in CAPABILITIES if version <= capability]
    if not known:
        raise DeviceError(
            f"the card has compute capability {dotted(capability)}; code is made for {dotted(OLDEST)} and later"
        )
    return max(known), CAPABILITIES[max(known)]
