"""Modules of WebAssembly as bytes, for pages that run a robot's own code.

    >>> import kinetree as kt
    >>> from kinetree.export import wasm
    >>> arm = kt.robots.two_link()
    >>> content = wasm.module(arm, ("inverse_dynamics", "forward_dynamics"))
    >>> content[:4], len(content) < 3000
    (b'\\x00asm', True)

``wasm.loader()`` is the text of the ECMAScript module that loads it: ``const robot = await load(bytes)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.emit.wasm.module import ModuleFunction, listing as listing, written
from kinetree.emit.wasm.target import Wasm, loader as loader
from kinetree.errors import InputError
from kinetree.export.generate import exported_function, function_listing
from kinetree.robot import Robot
from kinetree.runtime.function import Function


def module(
    robot: Robot | ClosedChain | ParallelRobot | None,
    functions: Sequence[str] | Mapping[str, str | Function],
    defaults: Mapping[str, Sequence[float]] | None = None,
) -> bytes:
    """Functions of a robot as one module of WebAssembly.

    Args:
        robot: a `Robot`, a `ClosedChain` or a `ParallelRobot`; None where all functions are given as such.
        functions: the names of methods that need no options; or, by the names that they shall have, names of methods
            and functions that ``robot.function``, `compile` and the like made.
        defaults: numbers that operands hold until others are given, flattened, by name; zeros otherwise, and for
            named parameters their defaults.

    Returns:
        The module. It imports nothing, and its memory does not grow.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.export import wasm
        >>> arm = kt.robots.ur5()
        >>> content = wasm.module(arm, {"tool": arm.function("pose", frame="tool0"), "forces": "inverse_dynamics"})
        >>> wasm.listing(content)["forces"]["operands"][0]
        ['q', [6], 0]
    """
    named = functions.items() if isinstance(functions, Mapping) else [(name, name) for name in functions]
    if not named or len({name for name, _ in named}) < len(named):
        raise InputError(f"give each function a name of its own, such as ('pose', 'jacobian'); got {functions!r:.80}")
    entries: dict[str, ModuleFunction] = {}
    for name, given in named:
        if not isinstance(name, str) or not name or name == "memory":
            raise InputError(f"{name!r} can't be the name of a function")
        function: Any = given if isinstance(given, Function) else exported_function(robot, given, {})[0]
        made = function_listing(function, "", Wasm)
        entries[name] = ModuleFunction(made.program, made.hidden, {**made.defaults, **(defaults or {})})
    return written(entries)
