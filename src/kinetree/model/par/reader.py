"""The mechanism of a SYMORO .par file ([Khalil2010] section 2).

Link i becomes the body "link<i>" on the joint "joint<i>", placed by Khalil's six parameters. The inertial parameters
are moments about the link frame's origin and stay so. Joints NL+1 to NJ are cut: joint k goes from its antecedent to
frame k + B, B = NJ - NL, which is fixed in a link on the other side and called "frame<k+B>"; it becomes the loop
"joint<k>". Frames may be fixed in frames. Frame k itself is fixed where frame k + B is, with which it coincides.

Gravity G is in the axes of frame 0, which Z places in the world. A floating base (is_mobile or is_floating) is the
body "base" with the inertial parameters of link 0.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

from kinetree.errors import ModelWarning
from kinetree.model import GRAVITY, Body, Frame, Loop, Mechanism, Moments, gravity_vector
from kinetree.model.dh import DH, mechanism_from_dh, modified_joint
from kinetree.model.par.symbols import FIXED, Symbols
from kinetree.model.par.syntax import BASE_MOTION, EXTERNAL, ParFile, read_par
from kinetree.model.text.file import Source, in_file, located
from kinetree.model.validation import cycle_above
from kinetree.scalar import Scalar, Vector
from kinetree.spatial import Rotation, Sym3, Transform, Vec3

_KINDS = ("revolute", "prismatic", "fixed")  # by sigma
_STATE = (*EXTERNAL, "QP", "QDP", "GAM", *BASE_MOTION)


def mechanism_from_par(
    source: Source,
    *,
    name: str | None = None,
    gravity: Vector | None = None,
    numbers: Mapping[str, Any] | None = None,
    strict: bool = True,
) -> Mechanism:
    """The mechanism of a .par file; see `kinetree.Robot.from_par`."""
    par = read_par(source)
    symbols = Symbols.of(par, numbers or {})
    antecedents = _antecedents(par)
    world = _world(par, symbols)
    rows = {i: _row(par, symbols, i, antecedents[i]) for i in range(1, par.frames + 1)}
    # in the axes of frame 0
    own = Vec3(*(symbols.value("G", i) for i in (1, 2, 3))) if "G" in par.lists else GRAVITY
    free_fall = world.R @ own if gravity is None else gravity_vector(gravity)
    _warn_of_what_is_left_out(par)
    with located(in_file(par.file)):
        base = "floating" if par.floating else "fixed"
        tree = mechanism_from_dh([rows[i] for i in range(1, par.links + 1)], base=base, strict=False)
        bodies = [_body(par, symbols, world, body, i) for i, body in enumerate(tree.bodies, 1 - par.floating)]
        frames, loops = _closures(par, rows, antecedents, world)
        return Mechanism(tuple(bodies), name or par.name, free_fall, frames, loops, strict=strict)


# -- links and joints --------------------------------------------------------------------------------------------------


def _row(par: ParFile, symbols: Symbols, i: int, antecedent: int) -> DH:
    """Frame i as a row of a modified DH table; Khalil's d and r are a and d there."""
    keys = {"a": "d", "alpha": "alpha", "d": "r", "theta": "theta", "gamma": "gamma", "b": "b"}
    if i <= par.links:
        keys |= {"damping": "FV", "coulomb": "FS", "rotor_inertia": "IA"}
    kind = _KINDS[par.entry("sigma", i).integer(0, FIXED)]
    return DH(**{field: symbols.value(key, i) for field, key in keys.items()}, joint=kind, parent=antecedent)


def _body(par: ParFile, symbols: Symbols, world: Transform, body: Body, i: int) -> Body:
    """The body of link i with its moments; what stands on the world is placed by Z."""
    changes: dict[str, Any] = {}
    if body.parent is None:
        changes["placement"] = world @ body.joint.placement
    if i > 0:
        changes["actuated"] = par.entry("mu", i).integer(0, 1) == 1
        if par.entry("eta", i).integer(0, 1) == 1:
            changes["stiffness"] = symbols.value("k", i)
    mass, *moments = (symbols.value(key, i) for key in ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ", "XY", "XZ", "YZ"))
    inertia = Moments(mass, Vec3(*moments[:3]), Sym3(*moments[3:]))
    return dataclasses.replace(body, joint=dataclasses.replace(body.joint, **changes), inertia=inertia)


def _antecedents(par: ParFile) -> dict[int, int]:
    """The antecedent of each frame, checked: links hang on links before them, other frames on any frame."""
    found = {i: par.entry("ant", i).integer(0, par.frames) for i in range(1, par.frames + 1)}
    links = {i: found[i] for i in range(1, par.links + 1)}
    for i, antecedent in links.items():
        if antecedent < i:
            continue
        if cycle := cycle_above(i, links, set()):
            circle = " -> ".join(map(str, [*cycle, cycle[0]]))
            raise par.entry("ant", i).error(f"the antecedents form a cycle: {circle}")
        given = f"the antecedent {antecedent} of link {i} must be the base 0 or a link before it"
        raise par.entry("ant", i).error(f"{given}; number the links from the base outwards")
    return found


# -- loops -------------------------------------------------------------------------------------------------------------


def _closures(
    par: ParFile, rows: Mapping[int, DH], antecedents: Mapping[int, int], world: Transform
) -> tuple[tuple[tuple[str, Frame], ...], tuple[Loop, ...]]:
    """The second frames of the cut joints, by name, and the loops."""
    for i in (i for i in range(par.joints + 1, par.frames + 1) if rows[i].joint != "fixed"):
        raise par.entry("sigma", i).error(f"frame {i} belongs to the cut joint {i - par.loops}; it must be fixed (2)")
    places = _Places(par, rows, antecedents, {0: Frame("base") if par.floating else Frame(None, world)})
    frames, loops = [], []
    for k in range(par.links + 1, par.joints + 1):
        joint, on = modified_joint(k, rows[k]), places[antecedents[k]]
        successor = places[k + par.loops]
        frames.append((f"frame{k + par.loops}", successor))
        loops.append(Loop(joint.name, joint.kind, Frame(on.body, on.pose @ joint.placement), successor))
    return tuple(frames), tuple(loops)


@dataclasses.dataclass
class _Places:
    """Where each frame is fixed: the body that carries it, and its pose there."""

    par: ParFile
    rows: Mapping[int, DH]
    antecedents: Mapping[int, int]
    known: dict[int, Frame]

    def __getitem__(self, i: int) -> Frame:
        # from the frame down to one that is known, a link or the base
        walk = [i]
        while walk[-1] not in self.known and walk[-1] > self.par.links:
            walk.append(self.below(walk[-1]))
            if len(walk) > 2 * self.par.frames:
                raise self.par.entry("ant", i).error(f"frame {i} is fixed in itself, by way of its antecedents")
        self.known.setdefault(walk[-1], Frame(f"link{walk[-1]}"))
        # and back
        for upper, lower in zip(reversed(walk[:-1]), reversed(walk[1:])):
            on = self.known[lower]
            fixed = upper > self.par.joints
            pose = on.pose @ modified_joint(upper, self.rows[upper]).placement if fixed else on.pose
            self.known[upper] = Frame(on.body, pose)
        return self.known[i]

    def below(self, i: int) -> int:
        """The frame on which frame i is fixed; that of a cut joint coincides with its second frame."""
        return self.antecedents[i] if i > self.par.joints else i + self.par.loops


# -- the base and what acts on it --------------------------------------------------------------------------------------


def _world(par: ParFile, symbols: Symbols) -> Transform:
    """Frame 0 in the world."""
    if "Z" not in par.lists:
        return Transform.identity
    z = [symbols.value("Z", i) for i in range(1, 17)]
    if z[12:] != [0.0, 0.0, 0.0, 1.0]:
        raise par.entry("Z", 13).error(f"the last row of a homogeneous matrix is 0, 0, 0, 1, got {z[12:]}")
    with located(par.entry("Z", 1).error):
        return Transform(Rotation.of_rows([z[0:3], z[4:7], z[8:11]]), Vec3(z[3], z[7], z[11]))


def _warn_of_what_is_left_out(par: ParFile) -> None:
    """Say which numbers of the file are no part of the model."""

    def given(key: str, first: int = 0) -> bool:
        values = (entry.formula() for entry in par.lists.get(key, ())[first:])
        return any(not isinstance(value, Scalar) and value != 0 for value in values)

    state = [key for key in _STATE if given(key)]
    cut = [key for key in ("mu", "eta") if given(key, par.links)]
    what = [f"{', '.join(state)}, a state of the robot or a load on it: give it to the functions"] if state else []
    what += [f"{', '.join(cut)} of the cut joints, which have neither drives nor springs"] if cut else []
    if what:
        warnings.warn(f"{par.file}: left out: {'; '.join(what)}", ModelWarning, stacklevel=4)
