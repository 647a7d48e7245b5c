"""``kinetree export FILE``: functions of a robot in other languages or as object code; packages of ROS 2; FMUs."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

from kinetree import export
from kinetree.catalogue import CATALOGUE, PARTICULAR
from kinetree.cli import arguments, building, source, terminal
from kinetree.emit.text.c import C
from kinetree.errors import InputError, ModelWarning
from kinetree.export.generate import named

KNOWN = (*CATALOGUE, *PARTICULAR, "inverse_kinematics")
OBJECT, ROS2, FMU = "object", "ros2", "fmu"
WHOLE = (ROS2, FMU)  # targets that are not of one function
DESCRIPTION = (
    "Write a function of a robot in another language, with a self-test beside it; or the whole robot, as a package of "
    "ROS 2 with a plugin and two nodes (ros2), or as a Functional Mock-up Unit (fmu)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    several = "several for wasm, with commas between them"
    parser.add_argument(
        "--algorithm", type=_algorithms, metavar="NAME", help=f"of {', '.join(KNOWN)}; {several}; none for ros2 and fmu"
    )
    targets = (*export.TARGETS, OBJECT, *WHOLE)
    parser.add_argument("--target", required=True, choices=targets, help="the language, or what else to make")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write (here)")
    parser.add_argument(
        "--name", help="of the function and the files (the robot's and the algorithm's), or the package"
    )
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="the precision (float64)")
    parser.add_argument("--frame", metavar="NAME", help="the frame of pose, jacobian, inverse_kinematics")
    parser.add_argument("--external", action="store_true", help="with external loads on the bodies as an argument")
    parser.add_argument("--base-motion", action="store_true", help="with a prescribed base motion as arguments")
    parser.add_argument(
        "--known-forces", type=arguments.names, metavar="NAME,...", help="joints with known forces in hybrid_dynamics"
    )
    parser.add_argument("--triple", metavar="TRIPLE", help=f"of an object: {', '.join(export.TRIPLES)}")
    parser.add_argument("--cpu", metavar="NAME", help="of an object: the processor more exactly, such as cortex-a72")
    parser.add_argument(
        "--build", action="store_true", help="of ros2: compile the package with CMake, and run its tests"
    )
    arguments.add_assignments(
        parser, "--set", "NAME=NUMBER", "m_payload=1.5",
        "the value of a named parameter: in the self-test, in the package, at the start of a unit",
    )  # fmt: skip
    parser.add_argument("--no-test", dest="test", action="store_false", help="write no self-test")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    source.add_options(parser)


def _algorithms(text: str) -> tuple[str, ...]:
    names = arguments.names(text) or (text,)
    for name in names:
        if name not in KNOWN:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(map(repr, KNOWN))}")
    return names


def run(args: argparse.Namespace) -> int:
    """Read the robot, write the code, print the paths of the files."""
    _check(args)
    read = source.read(args.file, args.base, args.strict)
    terminal.remark(read.notes)
    if args.target == FMU:
        terminal.say(str(_unit(read.robot, args)))
        return 0
    code = export.ros2(read.robot, name=args.name, values=dict(args.set)) if args.target == ROS2 else _code(read, args)
    for path in code.write(args.out, overwrite=args.force):
        terminal.say(str(path))
    return building.built(Path(args.out, code.name)) if args.build else 0


def _check(args: argparse.Namespace) -> None:
    """Refuse options that the target does not have."""
    of_function = {"--algorithm": args.algorithm, "--frame": args.frame, "--external": args.external,
                   "--base-motion": args.base_motion, "--known-forces": args.known_forces,
                   "--no-test": not args.test, "--dtype float32": args.dtype == "float32"}  # fmt: skip
    for option, given in of_function.items():
        if args.target in WHOLE and given:
            args.refuse(f"--target {args.target} is made of the whole robot, in float64: leave {option} out")
    for option, given, target in (
        ("--triple", args.triple, OBJECT),
        ("--cpu", args.cpu, OBJECT),
        ("--build", args.build, ROS2),
    ):
        if given and args.target != target:
            args.refuse(f"{option} is an option of --target {target}")
    if args.target in WHOLE:
        return
    algorithms: tuple[str, ...] = args.algorithm or ()
    if not algorithms:
        args.refuse(f"--target {args.target} needs --algorithm NAME, such as inverse_dynamics")
    arguments.require_frame(args, algorithms)
    if "hybrid_dynamics" in algorithms and args.known_forces is None:
        args.refuse("hybrid_dynamics needs --known-forces NAME,...; kinetree info lists the joints")
    if args.target == OBJECT and (args.triple is None or len(algorithms) > 1):
        args.refuse(f"--target object needs --triple, one of {', '.join(export.TRIPLES)}, and one algorithm")


def _code(read: source.Source, args: argparse.Namespace) -> export.Code:
    """A function, or several in WebAssembly."""
    given: dict[str, Any] = {
        n: getattr(args, n) for n in ("dtype", "name", "frame", "external", "known_forces", "test")
    }
    given |= {"base": args.base_motion, "values": dict(args.set)}
    algorithm = args.algorithm if len(args.algorithm) > 1 else args.algorithm[0]
    if args.target == OBJECT:
        return export.object_file(read.robot, algorithm, args.triple, cpu=args.cpu, **given)
    return export.code(read.robot, algorithm, args.target, **given)


def _unit(robot: Any, args: argparse.Namespace) -> Path:
    """A Functional Mock-up Unit."""
    from kinetree import fmi  # loaded when it is wanted

    name = named(None, robot.name, "", C) if args.name is None else args.name
    if Path(name).name != name:
        raise InputError(f"--name {name!r} is the name of a file, without a folder; --out is the folder")
    path = Path(args.out, f"{name}.fmu")
    if path.exists() and not args.force:
        raise InputError(f"{path} exists; --force replaces it")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        written = fmi.write(robot, path, values=dict(args.set))
    terminal.remark([str(warning.message) for warning in caught])
    return written
