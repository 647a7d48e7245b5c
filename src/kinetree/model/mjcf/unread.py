"""What an MJCF file says and Kinetree does not honour, by name, for one warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kinetree.model import Coupling, Loop
from kinetree.model.mjcf.settings import Settings
from kinetree.model.text.xml import Element

_SHOWN = 5  # names of one kind

# kind: what several of them are called
KINDS: Mapping[str, str] = {
    "tendon": "tendons",
    "actuator": "actuators",
    "contact pair": "contact pairs",
    "contact exclude": "contact excludes",
    "mesh geom with mass": "mesh geoms with mass",
    "inactive equality": "inactive equalities",
    "equality of another kind": "equalities of another kind",
    "equality of a locked joint": "equalities of locked joints",
    "equality with one end in a <replicate>": "equalities with one end in a <replicate>",
    "flex": "flexes",
    "plugin": "plugins",
    "gravity compensation": "gravity compensations",
    "fluid property": "fluid properties",
    "nonlinear damping": "nonlinear dampings",
    "nonlinear stiffness": "nonlinear stiffnesses",
    "yielding spring": "yielding springs",
    "armature of a free joint": "armatures of free joints",
    "range of a ball joint": "ranges of ball joints",
    "aligned free joint": "aligned free joints",
}


@dataclass
class Unread:
    """The list; each thing is of one of the kinds above and may have a name."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, name: str = "") -> None:
        self.found.setdefault(kind, []).append(name)

    def __str__(self) -> str:
        return ", ".join(_listed(kind, self.found[kind], KINDS[kind]) for kind in KINDS if kind in self.found)


def listed(things: Mapping[str, Sequence[Loop] | Sequence[Coupling]]) -> str:
    """How many loops and couplings there are, and their names."""
    names = {kind: [getattr(x, "name", "") or getattr(x, "joint", "") for x in found] for kind, found in things.items()}
    return " and ".join(_listed(kind, found, f"{kind}s") for kind, found in names.items() if found)


def _listed(kind: str, names: list[str], plural: str) -> str:
    known = [repr(name[:60]) for name in names if name]
    more = len(names) - min(len(known), _SHOWN)
    shown = known[:_SHOWN] + ([f"{more} more"] if known and more else [])
    count = f"1 {kind}" if len(names) == 1 else f"{len(names)} {plural}"
    return f"{count} ({', '.join(shown)})" if shown else count


def note_sections(roots: Sequence[Element], settings: Settings, unread: Unread) -> None:
    """List the sections that describe what Kinetree does not model, of a model and of those attached to it."""
    for section, kinds in _SECTIONS.items():
        for element in (child for root in roots for part in root.all(section) for child in part.children):
            kind = kinds.get(element.tag, kinds.get("*"))
            if kind:
                unread.add(kind, element.attributes.get("name", element.attributes.get("plugin", "")))
    for name in settings.fluid:
        unread.add("fluid property", name)


# section: tag: kind
_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "tendon": {"*": "tendon"},
    "actuator": {"*": "actuator"},
    "contact": {"pair": "contact pair", "exclude": "contact exclude"},
    "deformable": {"flex": "flex"},
    "extension": {"plugin": "plugin"},
}
