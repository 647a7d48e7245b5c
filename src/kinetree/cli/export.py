"""``kinetree export FILE``: a function of a robot as C, C++, Python, MATLAB, Julia, Rust or WebAssembly."""

from __future__ import annotations

import argparse

from kinetree import export
from kinetree.catalogue import CATALOGUE, PARTICULAR
from kinetree.cli import arguments, source, terminal

HELP = "a function of a robot in another language"
KNOWN = (*CATALOGUE, *PARTICULAR, "inverse_kinematics")
DESCRIPTION = "Write a function of a robot in another language, with a self-test beside it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    several = "several for wasm, with commas between them"
    parser.add_argument(
        "--algorithm", required=True, type=_algorithms, metavar="NAME", help=f"of {', '.join(KNOWN)}; {several}"
    )
    parser.add_argument("--target", required=True, choices=export.TARGETS, help="the language")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write (here)")
    parser.add_argument("--name", help="of the function and the files (the robot's and the algorithm's)")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="the precision (float64)")
    parser.add_argument("--frame", metavar="NAME", help="the frame of pose, jacobian, inverse_kinematics")
    parser.add_argument("--external", action="store_true", help="with external loads on the bodies as an argument")
    parser.add_argument("--base-motion", action="store_true", help="with a prescribed base motion as arguments")
    parser.add_argument(
        "--known-forces", type=arguments.names, metavar="NAME,...", help="joints with known forces in hybrid_dynamics"
    )
    arguments.add_assignments(
        parser, "--set", "NAME=NUMBER", "m_payload=1.5", "the value of a named parameter in the self-test"
    )
    parser.add_argument("--no-test", dest="test", action="store_false", help="write no self-test")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    source.add_options(parser)


def _algorithms(text: str) -> tuple[str, ...]:
    names = arguments.names(text) or (text,)
    for name in names:
        if name not in KNOWN:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(KNOWN)}")
    return names


def run(args: argparse.Namespace) -> int:
    """Read the robot, write the code, print the paths of the files."""
    arguments.require_frame(args, args.algorithm)
    if "hybrid_dynamics" in args.algorithm and args.known_forces is None:
        args.refuse("hybrid_dynamics needs --known-forces NAME,...; kinetree info lists the joints")
    read = source.read(args.file, args.base, args.strict)
    terminal.remark(read.notes)
    given = {name: getattr(args, name) for name in ("dtype", "name", "frame", "external", "known_forces", "test")}
    given |= {"base": args.base_motion, "values": dict(args.set)}
    algorithm = args.algorithm if len(args.algorithm) > 1 else args.algorithm[0]
    code = export.code(read.robot, algorithm, args.target, **given)
    for path in code.write(args.out, overwrite=args.force):
        terminal.say(str(path))
    return 0
