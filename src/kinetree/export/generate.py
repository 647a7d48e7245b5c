"""The public functions: from a robot and an algorithm, or from any compiled function, to files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.algorithms.tasks import Pose
from kinetree.catalogue import CATALOGUE, FRAMED, PARTICULAR
from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.emit.text.language import OURS, Language, Listing
from kinetree.emit.text.languages import LANGUAGES
from kinetree.emit.wasm.target import Wasm
from kinetree.errors import InputError, check_name
from kinetree.export.code import Code
from kinetree.export.reference import DOUBLE, QUANTITIES, parameter_defaults, states, tolerance
from kinetree.files import Name
from kinetree.robot import Robot
from kinetree.robot.inverse import InverseKinematics
from kinetree.robot.inverse.inverse_kinematics import TOLERANCE
from kinetree.runtime.function import Function

_TARGETS: Mapping[str, type[Language | Wasm]] = {**LANGUAGES, Wasm.name: Wasm}
TARGETS = tuple(_TARGETS)
_SINGLE = 1e-4  # the tolerance of inverse kinematics in single precision [m, rad]
_LONGEST = 58  # letters of a name; MATLAB takes 63, and the self-test has five more


def code(
    robot: Robot | ClosedChain | ParallelRobot | Function,
    algorithm: str | Sequence[str] | None = None,
    target: str = "c",
    *,
    dtype: Any = "float64",
    name: str | None = None,
    frame: str | None = None,
    external: bool = False,
    base: bool = False,
    known_forces: Sequence[str] | None = None,
    values: Mapping[str, float] | None = None,
    test: bool = True,
) -> Code:
    """A function of a robot as text in another language.

    Args:
        robot: a `Robot`, a `ClosedChain`, a `ParallelRobot`, or a function that `compile`, `jacobian` or
            `robot.function` made.
        algorithm: the name of a method of the robot, such as "inverse_dynamics"; several for WebAssembly, which has
            them in one module with one memory; none for a function.
        target: "c", "cpp", "python", "matlab" (Octave too), "julia", "rust" or "wasm" (WebAssembly).
        dtype: "float64" or "float32": the precision of the code. C++ code is a template and takes both, WebAssembly is
            in float64.
        name: of the function and the files; the names of robot and algorithm by default.
        frame: for "pose", "jacobian", "inverse_kinematics" and the like; of several algorithms, these options are for
            those that have them.
        external: whether the function takes external loads after its own arguments.
        base: whether it takes base velocity and base acceleration after those.
        known_forces: for "hybrid_dynamics", the names of joints.
        values: of named parameters in the self-test, for those without a default; in the code they are arguments.
        test: whether to make a self-test.

    Returns:
        A `Code` with the texts.

    Example:
        >>> import kinetree as kt
        >>> code = kt.export.code(kt.robots.puma560(), "mass_matrix", target="python")
        >>> "def puma560_mass_matrix(q):" in code.source
        True
    """
    check_name("target", target, TARGETS)
    language, single = _TARGETS[target], is_single(dtype)
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"values= are numbers by the names of parameters, as {{'payload': 1.5}}; got {values!r:.60}")
    if single and language is Wasm:
        raise InputError("code in WebAssembly is in float64: leave dtype= out")
    options = {"frame": frame, "external": external, "base": base, "known_forces": known_forces}
    algorithms = _algorithms(algorithm, target)
    listings: list[Listing] = []
    for one in algorithms:
        own = options if len(algorithms) == 1 else _own_options(one, options)
        function, owner = exported_function(robot, one, own, single)
        listing = function_listing(function, owner, language, one, single=single, values=values or {}, test=test)
        whole = named(name, owner, listing.function if len(algorithms) == 1 else "", language)
        listings.append(replace(listing, name=whole))
    return Code(listings[0].name, target, language(*listings).files())


def function_listing(
    function: Function,
    owner: str,
    language: type[Language | Wasm],
    algorithm: str | None = None,
    *,
    single: bool = False,
    values: Mapping[str, float] | None = None,
    test: bool = False,
) -> Listing:
    """A compiled function with everything that is written around it.

    Args:
        function: what is exported; nothing is compiled.
        owner: the name of the robot; "" where there is none.
        language: the target.
        algorithm: its name; that of the function by default.
        single: in float32.
        values: of named parameters in the self-test.
        test: whether there is one.
    """
    source: Any = function.source
    traced, mechanism = source.trace(), source.robot
    if empty := [o.name for o in (*traced.operands, *traced.results) if not o.size]:
        raise InputError(f"{function.name} has nothing in {', '.join(empty)}: there is no code to write")
    if language is Wasm and len({r.name for r in traced.results}) < len(traced.results):
        raise InputError(f"{function.name} has two results of one name, by which WebAssembly gives them: rename one")
    if traced.repeats and not language.repeats:
        able = " and ".join(name for name, one in _TARGETS.items() if one.repeats)
        raise InputError(f"{function.name} is an iteration, which is exported to {able} alone, not to {language.name}")
    checked = states(traced, mechanism, values or {}, single, source.function) if test else ()
    shapes = traced.operands, traced.results, traced.outputs
    program = language.lowered(*shapes, single=single, repeats=traced.repeats)
    accuracy = tolerance(traced, checked) if single else DOUBLE
    hidden = frozenset(getattr(source.function, "hidden", ()))
    inner = _identifier(algorithm or function.name, language)
    title, defaults = _title(function, owner), parameter_defaults(traced, mechanism)
    return Listing(inner, inner, program, title, QUANTITIES, checked, accuracy, hidden, defaults)


def write(
    robot: Robot | ClosedChain | ParallelRobot | Function,
    algorithm: str | Sequence[str] | None = None,
    target: str = "c",
    folder: Name = ".",
    *,
    overwrite: bool = False,
    **options: Any,
) -> list[Path]:
    """Write a function of a robot in another language to files.

    Args:
        robot, algorithm, target, options: as for `code`.
        folder: where to; it is made where it is missing.
        overwrite: whether files that exist are replaced.

    Returns:
        The paths of the files: the code, and its self-test.

    Example:
        >>> import tempfile
        >>> import kinetree as kt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = kt.export.write(kt.robots.two_link(), "mass_matrix", "rust", folder)
        >>> [path.name for path in paths]
        ['two_link_mass_matrix.rs', 'two_link_mass_matrix_test.rs']
    """
    return code(robot, algorithm, target, **options).write(folder, overwrite=overwrite)


def _algorithms(algorithm: Any, target: str) -> list[str | None]:
    """Those that go into one file."""
    if algorithm is None or isinstance(algorithm, str):
        return [algorithm]
    several = [*algorithm] if isinstance(algorithm, Sequence) else []
    if target != Wasm.name:
        raise InputError(f"several functions in one file are exported to wasm alone, not to {target}: name one")
    if not several or len({*several}) < len(several):
        raise InputError(f"name each algorithm once, such as ('pose', 'inverse_dynamics'); got {algorithm!r:.80}")
    return several


def _own_options(algorithm: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Of several algorithms, the options that one has."""
    known = {**CATALOGUE, **PARTICULAR}.get(algorithm)
    has = {"frame": algorithm in (*FRAMED, "inverse_kinematics"), "known_forces": algorithm == "hybrid_dynamics"}
    has |= {name: getattr(known, name, False) for name in ("external", "base")}
    return {name: value for name, value in options.items() if has[name]}


def exported_function(
    robot: Any, algorithm: str | None, options: Mapping[str, Any], single: bool = False
) -> tuple[Function, str]:
    """The compiled function (nothing is compiled before it is called) and the name of the robot."""
    given = [name for name, value in options.items() if value is not None and value is not False]
    if isinstance(robot, Function):
        if algorithm is not None or given:
            raise InputError(f"{robot!r} is a function already: give no algorithm, and no options of one")
        return robot, ""
    if not isinstance(algorithm, str):
        raise InputError('name the algorithm, such as "inverse_dynamics"')
    if not isinstance(robot, Robot | ClosedChain | ParallelRobot):
        known = "a Robot, a ClosedChain, a ParallelRobot or a compiled function"
        raise InputError(f"export takes {known}, got a {type(robot).__name__}")
    owner = robot if isinstance(robot, Robot) else robot.robot
    if algorithm == "close" and not given and not isinstance(robot, Robot):
        return robot.closing() if isinstance(robot, ClosedChain) else robot.function(algorithm), owner.name
    if algorithm == "inverse_kinematics":
        if given != ["frame"]:
            raise InputError("inverse_kinematics needs frame=, and takes no other option")
        solver = InverseKinematics(robot, Pose(options["frame"]))
        return solver.function(tolerance=_SINGLE if single else TOLERANCE), owner.name
    if isinstance(robot, Robot):
        return robot.function(algorithm, **options), owner.name
    if {*given} - {"external", "base"}:
        raise InputError("functions of closed chains take no frame= or known_forces=")
    return robot.function(algorithm, **{name: options[name] for name in given}), owner.name


def is_single(dtype: Any) -> bool:
    """Whether a precision is float32; refuses what is neither that nor float64."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise InputError(f"dtype={dtype!r} is no precision; give 'float64' or 'float32'") from None
    if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise InputError(f"code is made for float64 or float32, not for {kind}")
    return kind == np.dtype(np.float32)


def named(name: Any, owner: str, function: str, language: type[Language | Wasm]) -> str:
    """The name that the user gave; else one made of those of the robot and the function."""
    return _identifier(f"{owner} {function}".strip(), language) if name is None else _chosen(name, language)


def _chosen(name: Any, language: type[Language | Wasm]) -> str:
    """A name that the user gave."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or len(name) > _LONGEST:
        raise InputError(
            f"name={name!r} can't be a function's: a letter, then letters, digits and _, at most {_LONGEST} in all"
        )
    if name in language.reserved or OURS.fullmatch(name):
        raise InputError(f"name={name!r} has a meaning of its own in {language.name} code; choose another")
    return name


def _identifier(text: str, language: type[Language | Wasm]) -> str:
    """The text as a name."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_") or "exported"
    name = (f"f_{name}" if OURS.fullmatch(name) or not name[0].isalpha() else name)[:_LONGEST].rstrip("_")
    return f"{name}_" if name in language.reserved else name


def _title(function: Function, owner: str) -> tuple[str, ...]:
    from kinetree import __version__

    of = f" of {ascii_text(owner)}" if owner else ""
    units = " SI units, radians." if owner else ""
    lines = [f"{ascii_text(function.name)}{of}, generated by Kinetree {__version__}.{units}"]
    source: Any = function.source
    frame, known = (getattr(source.function, name, None) if owner else None for name in ("frame", "known_forces"))
    if frame is not None:
        lines.append(f"Frame: {ascii_text(frame)}")
    if known is not None:
        lines.append(f"Joints whose force is given: {', '.join(map(ascii_text, known)) or 'none'}")
    if joints := getattr(source.robot, "joint_names", ()):
        lines.append(f"Joints in order: {', '.join(map(ascii_text, joints))}")
    return tuple(lines)


def ascii_text(text: str) -> str:
    """A name from a file that nobody trusts, inside a comment."""
    return re.sub(r"[^0-9A-Za-z _.+-]", "_", text)[:_LONGEST]
