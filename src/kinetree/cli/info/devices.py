"""``kinetree info --devices``: the GPUs of this machine, or why there are none."""

from __future__ import annotations

from typing import Any

from kinetree.cli import terminal
from kinetree.errors import DeviceError
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.versions import code_for, dotted


def devices() -> dict[str, Any]:
    """The object of ``info --devices --json``; docs/command_line.md explains its keys."""
    try:
        known = driver()
        found = [known.describe(k) for k in range(known.count)]
    except DeviceError as error:
        return {"driver": None, "ptx": None, "devices": [], "reason": str(error)}
    listed = [
        {
            "number": device.ordinal,
            "name": device.name,
            "capability": dotted(device.capability),
            "memory": device.memory,
            "processors": device.processors,
            "reason": _reason(device.capability),
        }
        for device in found
    ]
    return {"driver": dotted(known.version), "ptx": dotted(known.newest_ptx), "devices": listed, "reason": None}


def _reason(capability: tuple[int, int]) -> str | None:
    """Why there is no code for a device; None where there is."""
    try:
        code_for(capability)
    except DeviceError as error:
        return str(error)
    return None


def report(found: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The same to read."""
    if found["reason"]:
        return terminal.printable(f"no GPU: {found['reason']}")
    lines = terminal.summary("NVIDIA driver", {"CUDA": found["driver"], "newest PTX": found["ptx"]})
    for device in found["devices"]:
        rows = {
            "compute capability": device["capability"],
            "memory": f"{device['memory'] / 2**30:.1f} GiB",
            "multiprocessors": str(device["processors"]),
            **({"not used": device["reason"]} if device["reason"] else {}),
        }
        lines += ["", *terminal.summary(f"{device['number']}: {device['name']}", rows)]
    return "\n".join(lines)
