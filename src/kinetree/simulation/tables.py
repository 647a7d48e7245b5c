"""Motions as tables and as arrays with named dimensions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import MissingExtraError
from kinetree.simulation.files import QUANTITIES

if TYPE_CHECKING:
    from kinetree.simulation.motion import Motion

_UNITS = {"q": "rad, m", "qd": "rad/s, m/s", "qdd": "rad/s^2, m/s^2", "tau": "N m, N", "wrenches": "N m, N"}
_SPATIAL = [f"{part}_{axis}" for part in ("angular", "linear") for axis in "xyz"]


def columns(motion: Motion) -> dict[str, NDArray[Any]]:
    """The columns of a table, with a row for each time until the run ends."""
    times, runs = len(motion.t), math.prod(motion.batch)
    found: dict[str, NDArray[Any]] = {"run": np.repeat(np.arange(runs), times)} if motion.batch else {}
    found["t"] = np.tile(motion.t, runs)
    for name in QUANTITIES:
        if (x := getattr(motion, name)) is not None:
            labels = motion.labels(name)
            rows = x.reshape(runs * times, len(labels))
            found |= {f"{name}.{label}": column for label, column in zip(labels, rows.T)}
    recorded = ~np.isnan(motion.q).any(axis=-1).ravel()
    return {name: column[recorded] for name, column in found.items()}


def to_dataframe(motion: Motion) -> Any:
    """See `Motion.to_dataframe`."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("to_dataframe needs pandas, which is not installed: pip install pandas") from error
    return pandas.DataFrame(columns(motion))


def to_xarray(motion: Motion) -> Any:
    """See `Motion.to_xarray`; the names are those of `kinetree.xarray`."""
    try:
        import xarray
    except ImportError as error:
        raise MissingExtraError("to_xarray needs xarray, which is not installed: pip install xarray") from error
    runs = tuple("run" if k == 0 else f"run_{k + 1}" for k in range(len(motion.batch)))
    dims: dict[str, tuple[str, ...]] = {**dict.fromkeys(QUANTITIES, ("joint",)), "wrenches": ("body", "component")}
    dims["q"] = ("joint" if motion.positions == motion.joints else "position",)
    dims["tau"] = ("joint" if motion.forces == motion.joints else "actuated_joint",)
    bodies = [body.name for body in motion.robot.bodies] if motion.robot is not None else ()
    labels = {"body": bodies, "component": _SPATIAL, "joint": motion.joints, "position": motion.positions}
    labels["actuated_joint"] = motion.forces
    there = {name: x for name in QUANTITIES if (x := getattr(motion, name)) is not None}
    data = {name: ((*runs, "time", *dims[name]), x, {"units": _UNITS[name]}) for name, x in there.items()}
    ends = {"status": (runs, motion.status), "end": (runs, motion.end, {"units": "s"})} if motion.status.size else {}
    used = {dim for name in there for dim in dims[name] if len(labels[dim])}
    found = xarray.Dataset(data | ends, {"time": motion.t} | {dim: [*labels[dim]] for dim in used})
    found["time"].attrs["units"] = "s"
    return found
