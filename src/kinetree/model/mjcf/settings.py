"""The settings of an MJCF file that hold everywhere: <compiler>, <option> and its <flag>."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kinetree.model.text.xml import Element
from kinetree.spatial import Vec3

_BOOLEAN = ("true", "false")
_FLUID = {"density": 1, "viscosity": 1, "wind": 3}  # how many numbers
_FLAGS = ("gravity", "spring", "damper", "passive", "frictionloss", "equality", "constraint")


@dataclass(frozen=True)
class Settings:
    """What holds everywhere.

    Args:
        angle: radians in the file's unit of angle.
        eulerseq: the axes of Euler angles: small letters turn with the body, capitals stay.
        autolimits: whether a range alone limits a joint.
        inertiafromgeom: "false", "true", or "auto" for bodies without <inertial> only.
        groups: the first and the last group of geoms that have mass.
        bound_mass, bound_inertia: the least mass and principal moment of a body.
        balance: make moments that miss the triangle inequality equal.
        total_mass: to which all masses are scaled; 0 or less: they are not.
        gravity: the acceleration of free fall [m/s^2].
        springs, dampers, friction, equalities: whether the joints have them.
        alignfree: whether free bodies without children lie in their inertial frames.
        meshdir, strippath: where the files of meshes are.
        fitaabb: whether shapes are fitted to the bounding boxes of meshes.
        conflict: what holds where a model and one attached to it differ.
        fluid: the density and the viscosity of what is around, and the wind.
    """

    angle: float
    eulerseq: str
    autolimits: bool
    inertiafromgeom: str
    groups: tuple[int, int]
    bound_mass: float
    bound_inertia: float
    balance: bool
    total_mass: float
    gravity: Vec3
    springs: bool
    dampers: bool
    friction: bool
    equalities: bool
    alignfree: bool
    meshdir: str
    strippath: bool
    fitaabb: bool
    conflict: str
    fluid: tuple[str, ...]


def read_settings(root: Element) -> Settings:
    """The settings of a file; where several elements speak, the last one counts."""
    compiler, option = (_last_first(root, root.all(tag)) for tag in ("compiler", "option"))
    if compiler.choice("coordinate", ("local", "global"), "local") == "global":
        remedy = "load and save the model with MuJoCo 2.3.3, which makes it local"
        raise compiler.speaker("coordinate").error(f'coordinate="global" is not read; {remedy}')
    flags = _last_first(root, (flag for option in root.all("option") for flag in option.all("flag")))
    disabled = {name for name in _FLAGS if flags.choice(name, ("enable", "disable"), "enable") == "disable"}
    first, last = compiler.numbers("inertiagrouprange", 2, (0.0, 5.0))
    return Settings(
        math.pi / 180 if compiler.choice("angle", ("degree", "radian"), "degree") == "degree" else 1.0,
        _eulerseq(compiler),
        compiler.choice("autolimits", _BOOLEAN, "true") == "true",
        compiler.choice("inertiafromgeom", (*_BOOLEAN, "auto"), "auto"),
        (int(first), int(last)),
        compiler.number("boundmass", 0.0),
        compiler.number("boundinertia", 0.0),
        compiler.choice("balanceinertia", _BOOLEAN, "false") == "true",
        compiler.number("settotalmass", -1.0),
        Vec3.zero if "gravity" in disabled else Vec3.of(option.numbers("gravity", 3, (0.0, 0.0, -9.81))),
        disabled.isdisjoint({"spring", "passive"}),
        disabled.isdisjoint({"damper", "passive"}),
        disabled.isdisjoint({"frictionloss", "constraint"}),
        disabled.isdisjoint({"equality", "constraint"}),
        compiler.choice("alignfree", _BOOLEAN, "false") == "true",
        next((text for key in ("meshdir", "assetdir") if (text := compiler.speaker(key).attributes.get(key))), ""),
        compiler.choice("strippath", _BOOLEAN, "false") == "true",
        compiler.choice("fitaabb", _BOOLEAN, "false") == "true",
        compiler.choice("conflict", ("warning", "merge", "error"), "warning"),
        tuple(name for name, n in _FLUID.items() if any(option.numbers(name, n, (0.0,) * n))),
    )


def _last_first(root: Element, elements: Iterable[Element]) -> Element:
    last, *others = (*reversed([*elements]), root)
    return replace(last, defaults=tuple(others))


def _eulerseq(compiler: Element) -> str:
    speaker = compiler.speaker("eulerseq")
    value = speaker.attributes.get("eulerseq", "xyz")
    if len(value) != 3 or not {*value} <= {*"xyzXYZ"}:
        raise speaker.error(f"<compiler eulerseq={value[:20]!r}>: expected three of x, y, z, X, Y, Z")
    return value
