"""The cache key of a controller: a text that differs wherever two controllers do."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.model.mechanism import Mechanism


def cache_key(x: Any) -> str | None:
    """The key of numbers, strings, arrays, models and dataclasses of this package made of them; None for all else.

    Functions and classes of the user may change without notice: what they compile to is not cached.
    """
    if x is None or isinstance(x, bool | int | float | str):
        return repr(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "biuf":
        return f"{x.dtype.str}{x.shape}{hashlib.sha256(x.tobytes()).hexdigest()}"
    if isinstance(x, Mechanism):
        ours = all(type(body.joint.kind).__module__.startswith("kinetree.") for body in x.bodies)
        return x.fingerprint if ours else None
    if isinstance(x, tuple | list):
        return _joined(type(x).__name__, list(x))
    if dataclasses.is_dataclass(x) and type(x).__module__.startswith("kinetree."):
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        return _joined(name, [getattr(x, field.name) for field in dataclasses.fields(x)])
    return None


def _joined(name: str, parts: Sequence[Any]) -> str | None:
    texts = [cache_key(part) for part in parts]
    return None if None in texts else f"{name}({', '.join(map(str, texts))})"
