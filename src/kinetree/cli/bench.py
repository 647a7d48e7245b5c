"""``kinetree bench FILE``: how fast the functions of a robot are on this machine.

One state of a batch, on one thread, as the best of many repeats; and what it takes to compile the function.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.catalogue import CATALOGUE
from kinetree.cli import source, terminal
from kinetree.cli.arguments import WITH_FRAME, require_frame
from kinetree.cli.numbers import short
from kinetree.cli.table import Column, table
from kinetree.errors import KinetreeError, ModelError
from kinetree.robot import Robot
from kinetree.runtime import cache, native
from kinetree.runtime.function import Function
from kinetree.signature import TOGETHER
from kinetree.status import StatusLine

DESCRIPTION = "Compile functions of a robot, time them on random states on one thread, count their operations."

DEFAULT = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
FAILED = 3
_LEAST = 3  # repeats
_ALL = ", ".join(CATALOGUE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    parser.add_argument("--functions", type=_functions, default=DEFAULT, metavar="NAME,...", help=f"of {_ALL}")
    parser.add_argument("--frame", metavar="NAME", help="the frame of pose and jacobian")
    parser.add_argument("--batch", type=_count, default=4096, metavar="N", help="states in one call (4096)")
    parser.add_argument("--seconds", type=_seconds, default=1.0, metavar="S", help="for each function (1)")
    terminal.add_json(parser)
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Time every function; one that this robot does not have is reported, and the others are still timed."""
    require_frame(args, args.functions)
    read = source.read(args.file, args.base, args.strict)
    terminal.remark(read.notes)
    robot = read.robot
    if robot.nv == 0:
        raise ModelError(f"{args.file}: {robot.name!r} has no joint that moves, so there is nothing to time")
    version, _, cpu, _ = native.target()
    result = {
        "file": args.file, "name": robot.name, "nq": robot.nq, "nv": robot.nv,
        "cpu": cpu, "vector_bits": 8 * native.vector_bytes(), "llvm": version,
        "dtype": "float64", "threads": 1, "batch": args.batch, "functions": [],
    }  # fmt: skip
    failed = []
    with StatusLine() as line:
        for name in args.functions:
            line.write(f"{name}: compiling and timing")
            try:
                frame = args.frame if name in WITH_FRAME else None
                result["functions"].append(timed(robot, name, frame, args.batch, args.seconds))
            except KinetreeError as error:
                failed.append(f"{name}: {error}")
    terminal.show(result, text, args.json)
    for message in failed:
        terminal.complain(message)
    return FAILED if failed else 0


def timed(robot: Robot, name: str, frame: str | None, batch: int, seconds: float) -> dict[str, Any]:
    """What one function takes.

    Args:
        robot: any.
        name: of the function.
        frame: for "pose" and "jacobian".
        batch: states in one call.
        seconds: how long to repeat the call.
    """
    fresh = Robot.of(robot)  # it has compiled nothing yet
    start = time.perf_counter()
    with cache.switched_off():
        function = fresh.function(name, frame=frame)
        ufunc = function.ufunc()
    compiled = time.perf_counter() - start
    arguments = states(robot, function, batch)
    out = tuple(np.empty((batch, *result.shape)) for result in function.results)
    each = best(lambda: ufunc(*arguments, out=out), seconds) / batch
    return {
        "name": name,
        "frame": frame,
        "compile_seconds": compiled,
        "seconds_per_state": each,
        "states_per_second": 1.0 / each,
        "operations": fresh.operations(name, frame=frame),
    }


def states(robot: Robot, function: Function, batch: int) -> list[np.ndarray]:
    """Random arguments for a function: unit quaternions, parameters at their defaults (near one without)."""
    rng = np.random.default_rng(0)
    arguments = []

    def value(name: str) -> float:
        default = robot.parameters[name].default
        return rng.uniform(0.5, 1.5) if default is None else default

    for operand in function.operands:
        if operand.name in robot.parameters:
            arguments.append(np.array(value(operand.name)))
        elif operand.name == TOGETHER:
            arguments.append(np.array([value(name) for name in robot.parameters]))
        else:
            arguments.append(values := rng.normal(size=(batch, *operand.shape)))
            for _, start in robot.quaternions if operand.name == "q" else ():
                values[:, start : start + 4] /= np.linalg.norm(values[:, start : start + 4], axis=-1, keepdims=True)
    return arguments


def best(work: Callable[[], Any], seconds: float) -> float:
    """The shortest time of one call [s], repeated for about this long."""
    work()
    shortest, repeats, end = math.inf, 0, time.perf_counter() + seconds
    while repeats < _LEAST or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
        repeats += 1
    return shortest


# -- output ------------------------------------------------------------------------------------------------------------


def text(result: dict[str, Any], width: int, marks: terminal.Marks) -> str:
    """The times as a table."""
    functions = result["functions"]

    def numbers(head: str, key: str, factor: float) -> Column:
        return Column(head, [short(factor * function[key]) for function in functions], right=True)

    def operations(head: str, *kinds: str) -> Column:
        counts = [function["operations"] for function in functions]
        return Column(head, [str(sum(c.get(kind, 0) for kind in kinds)) for c in counts], right=True)

    columns = [
        Column("function", [function["name"] for function in functions]),
        numbers("compile [s]", "compile_seconds", 1.0),
        numbers("state [ns]", "seconds_per_state", 1e9),
        numbers("10^6/s", "states_per_second", 1e-6),
        operations("mul/div", "mul", "div"),
        operations("add/sub", "add", "sub"),
        operations("sin/cos", "sin", "cos"),
    ]
    rows = {
        "batch": f"{result['batch']} states, float64, one thread",
        "machine": f"{result['cpu']}, vectors of {result['vector_bits']} bits, LLVM {result['llvm']}",
    }
    head = terminal.summary(f"{result['name']}: nq {result['nq']}, nv {result['nv']}", rows)
    return "\n".join([*head, "", *table(columns, width=width, marks=marks)])


# -- arguments ---------------------------------------------------------------------------------------------------------


def _functions(words: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(words.split(",")))
    for name in chosen:
        if name not in CATALOGUE:
            raise argparse.ArgumentTypeError(f"there is no function {name!r}; there are {_ALL}")
    return chosen


def _number(kind: Callable[[str], float], least: int, what: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = -math.inf
        if not least <= number < math.inf:
            raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {least} up")
        return number

    return read


_count, _seconds = _number(int, 1, "a number of states"), _number(float, 0, "a time in seconds")
