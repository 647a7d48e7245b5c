"""The facts about a robot as text: a summary, the kinematic tree, tables, findings."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kinetree.cli.info.facts import WORLD
from kinetree.cli.info.tree import branches
from kinetree.cli.numbers import short
from kinetree.cli.table import Column, table
from kinetree.cli.terminal import Marks, columns, printable, shortened, summary

Facts = dict[str, Any]
_NOTHING = 1e-9  # of a length in metres or an angle in radians: rounding
_POLE = 1e-9  # the cosine of a pitch at which roll and yaw are one


def report(found: Facts, width: int, marks: Marks) -> str:
    """The whole text, sections without content left out.

    Args:
        found: what `facts` returns.
        width: columns of the terminal.
        marks: the signs to draw with.
    """
    parts = ["\n".join(_head(found, width, marks))]
    for title, section in _SECTIONS.items():
        if lines := [*section(found, width, marks)]:
            parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)


def _head(found: Facts, width: int, marks: Marks) -> list[str]:
    bodies = f"{found['nbodies']} bod{'y' if found['nbodies'] == 1 else 'ies'}"
    rows = {
        "file": found["file"],
        "format": found["format"],
        "freedom": f"nq {found['nq']}, nv {found['nv']}, {bodies}, {found['base']} base",
        "mass": f"{short(found['total_mass'])} kg",
        "gravity": f"{_vector(found['gravity'])} m/s^2",
    }
    return [shortened(line, width, marks.cut) for line in summary(found["name"], rows)]


# -- sections ----------------------------------------------------------------------------------------------------------


def _tree(found: Facts, width: int, marks: Marks) -> Iterator[str]:
    """The bodies on their parents, each with its joint where there is room."""
    parents = {body["name"]: body["parent"] for body in found["bodies"]}
    joints = {joint["body"]: f"{printable(joint['name'])} ({joint['kind']})" for joint in found["joints"]}
    lines, names = branches(parents, WORLD, marks, width // 2)
    left = [line + printable(name) for line, name in zip(lines, names)]
    right = [joints.get(name, "") for name in names]
    size = max(map(columns, left))
    if 2 + size + 3 + max(map(columns, right)) > width:
        yield from ("  " + shortened(line, width - 2, marks.cut) for line in left)
        return
    for a, b in zip(left, right):
        yield f"  {a}{' ' * (size - columns(a) + 3)}{b}".rstrip()


def _joints(found: Facts, width: int, marks: Marks) -> list[str]:
    joints = found["joints"]

    def of(key: str) -> list[Any]:
        return [joint[key] for joint in joints]

    limits = {name: [short(x) for x in of(name)] for name in ("lower", "upper", "velocity", "effort")}
    resisting = {"damping": "damping", "friction": "friction", "rotor": "rotor_inertia"}
    geometry = [
        Column("joint", of("name")),
        Column("type", of("kind")),
        Column("axis", [" ".join(map(_axis, axes)) for axes in of("axes")]),
        Column("parent", of("parent")),
        Column("body", of("body")),
    ]
    motion = [
        *(Column(name, cells, right=True) for name, cells in limits.items()),
        *(Column(name, [_equal(x) for x in of(key)], right=True) for name, key in resisting.items()),
        Column("notes", [_notes(joint) for joint in joints]),
    ]
    return table(geometry, motion, width=width, marks=marks)


def _motors(found: Facts, width: int, marks: Marks) -> list[str]:
    """Rotors: what they drive, how, and what spins."""
    inertias = {body["name"]: body["inertia"] for body in found["bodies"]}
    motors = [joint for joint in found["joints"] if joint["kind"] == "rotor"]
    links = [joint["transmission"] or joint["mimic"] for joint in motors]
    spins = [inertias[joint["body"]][[x in (1.0, -1.0) for x in joint["axes"][0]].index(True)] for joint in motors]
    springs = [joint["transmission"] or {"stiffness": None, "damping": 0.0} for joint in motors]
    stiffnesses = [short(x["stiffness"]) or "rigid" * bool(link) for x, link in zip(springs, links)]
    what = [
        Column("motor", [joint["name"] for joint in motors]),
        Column("on", [joint["parent"] for joint in motors]),
        Column("drives", [link["joint"] if link else "" for link in links]),
        Column("gear", [short(joint["constants"]["gear_ratio"]) for joint in motors], right=True),
        Column("spin inertia [kg m^2]", [short(x) for x in spins], right=True),
        Column("stiffness", stiffnesses, right=True),
        Column("damping", [_equal([x["damping"]]) for x in springs], right=True),
    ]
    return table(what, width=width, marks=marks)


def _bodies(found: Facts, width: int, marks: Marks) -> list[str]:
    bodies = found["bodies"]
    names = Column("body", [body["name"] for body in bodies])
    masses = Column("mass [kg]", [short(body["mass"]) for body in bodies], right=True)
    centres = _numbers(("com x [m]", "y", "z"), [body["com"] for body in bodies])
    return table([names, masses, *centres], width=width, marks=marks)


def _frames(found: Facts, width: int, marks: Marks) -> list[str]:
    frames = found["frames"]
    names = [Column("frame", [f["name"] for f in frames]), Column("body", [f["body"] for f in frames])]
    positions = _numbers(("x [m]", "y", "z"), [f["position"] for f in frames])
    angles = _numbers(("roll [rad]", "pitch", "yaw"), [_roll_pitch_yaw(f["rotation"]) for f in frames])
    return table([*names, *positions], angles, width=width, marks=marks)


def _parameters(found: Facts, width: int, marks: Marks) -> list[str]:
    given = [p for p in found["parameters"] if p["default"] is not None]
    names = Column("name", [p["name"] for p in given])
    defaults = Column("default", [short(p["default"]) for p in given], right=True)
    lines = table([names, defaults], width=width, marks=marks)
    if needed := [p["name"] for p in found["parameters"] if p["default"] is None]:
        lines += [""] * bool(lines) + _wrapped(f"without a default: {', '.join(needed)}", width, first="  ")
    return lines


def _loops(found: Facts, width: int, marks: Marks) -> list[str]:
    loops = found["loops"]
    what = [Column("loop", [loop["name"] for loop in loops]), Column("type", [loop["kind"] for loop in loops])]
    ends = [
        Column(end, [f"{loop[end]['body']} at {_vector(loop[end]['position'])}" for loop in loops])
        for end in ("predecessor", "successor")
    ]
    return table([*what, *ends], width=width, marks=marks)


def _couplings(found: Facts, width: int, marks: Marks) -> list[str]:
    couplings = found["couplings"]
    columns_ = [
        Column("joint", [c["joint"] for c in couplings]),
        Column("position", [_polynomial(c["coefficients"]) for c in couplings]),
        Column("x is that of", [c["leader"] or "" for c in couplings]),
    ]
    return table(columns_, width=width, marks=marks)


def _findings(found: Facts, width: int, marks: Marks) -> Iterator[str]:
    if not found["findings"]:
        yield "  none"
    for finding in found["findings"]:
        yield from _wrapped("{severity}: {where} {message}".format(**finding), width)


def _reader_notes(found: Facts, width: int, marks: Marks) -> Iterator[str]:
    for note in found["notes"]:
        yield from _wrapped(note, width)


_SECTIONS: dict[str, Callable[[Facts, int, Marks], Sequence[str] | Iterator[str]]] = {
    "Tree": _tree,
    "Joints [rad or m, N m or N]": _joints,
    "Motors": _motors,
    "Bodies": _bodies,
    "Frames": _frames,
    "Parameters": _parameters,
    "Loops": _loops,
    "Couplings": _couplings,
    "Notes of the reader": _reader_notes,
    "Findings": _findings,
}


# -- cells -------------------------------------------------------------------------------------------------------------


def _axis(axis: Sequence[float | str | None]) -> str:
    """One letter for a coordinate axis, numbers for others."""
    numbers = [x for x in axis if isinstance(x, float)]
    if sorted(map(abs, numbers)) == [0.0, 0.0, 1.0]:
        k = next(k for k, x in enumerate(numbers) if x)
        return "-" * (numbers[k] < 0) + "xyz"[k]
    return f"({_vector(axis)})"


def _vector(values: Sequence[float | str | None]) -> str:
    return " ".join(map(_length, values))


def _length(x: float | str | None) -> str:
    """A length or an angle, zero where it is rounding."""
    return "0" if isinstance(x, float) and abs(x) < _NOTHING else short(x)


def _numbers(heads: Sequence[str], rows: Sequence[Sequence[float | str | None]]) -> list[Column]:
    """One column for each position in the rows."""
    return [Column(head, [_length(row[k]) for row in rows], right=True) for k, head in enumerate(heads)]


def _equal(values: Sequence[float | str | None]) -> str:
    """One number where all are equal, nothing for zeros."""
    if all(x == 0 for x in values):
        return ""
    return short(values[0]) if len({*values}) == 1 else " ".join(map(short, values))


def _notes(joint: Facts) -> str:
    notes = [f"{name} {short(x)}" for name, x in joint["constants"].items() if x != 0 and name != "gear_ratio"]
    if spring := joint["transmission"]:
        notes.append(f"drives {spring['joint']} through a spring")
    if joint["mimic"]:
        notes.append(_mimic(**joint["mimic"]))
    elif joint["v"][0] < joint["v"][1] and not joint["actuated"]:
        notes.append("not actuated")
    if joint["gear_ratio"] != 1:
        notes.append(f"gear {short(joint['gear_ratio'])}")
    if stiffness := _equal(joint["stiffness"]):
        notes.append(f"spring {stiffness} at {_vector(joint['rest'])}")
    return ", ".join(notes)


def _mimic(joint: str, multiplier: float | str, offset: float | str) -> str:
    factor = "" if multiplier == 1 else f"{short(multiplier)} "
    return f"= {factor}{joint}" + ("" if offset == 0 else f" + {short(offset)}")


def _polynomial(coefficients: Sequence[float | str]) -> str:
    powers = ["", " x", *(f" x^{k}" for k in range(2, len(coefficients)))]
    return " + ".join(short(c) + power for c, power in zip(coefficients, powers) if c != 0) or "0"


def _roll_pitch_yaw(rotation: Sequence[Sequence[Any]]) -> list[float | None]:
    """The angles of R = Rz(yaw) Ry(pitch) Rx(roll); None without rotation, or where it depends on parameters."""
    (xx, _, _), (yx, yy, yz), (zx, zy, zz) = rotation
    if not all(isinstance(x, float) for row in rotation for x in row) or min(xx, yy, zz) == 1:
        return [None, None, None]
    level = math.hypot(xx, yx)
    pitch = math.atan2(-zx, level)
    return [math.atan2(-yz, yy), pitch, 0.0] if level < _POLE else [math.atan2(zy, zz), pitch, math.atan2(yx, xx)]


def _wrapped(text: str, width: int, first: str = "  - ") -> list[str]:
    """A sentence in lines."""
    after = " " * len(first)
    return textwrap.wrap(printable(text), width, initial_indent=first, subsequent_indent=after, break_on_hyphens=False)
