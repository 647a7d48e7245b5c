"""`kinetree.torch.function`: a function of a robot, of a closed chain or of the user's, for tensors."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.closed.catalogue import ALGORITHMS
from kinetree.closed.functions import SINGULAR
from kinetree.errors import InputError, check_name, check_names
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.signature import MANY
from kinetree.torch.operation import PLAIN, operation_of

_LIMITS = {getattr(torch, name): limit for name, limit in SINGULAR.items()}
_INTEGERS = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8
_DEVICES = "cpu", "cuda", "meta"
_PLATFORM = "platform_"


class TorchFunction:
    """A function of tensors, compiled for where they are, that PyTorch differentiates; `function` makes it.

    Arguments are those of the compiled function, by position or by name: tensors whose leading dimensions broadcast.
    Named parameters of the model are keywords, or come last in alphabetical order; they have the model's defaults.
    float32 stays float32; with a float64 among them, all are computed in float64. Numbers and lists take the precision
    of the tensors, as integers do.

    Args:
        function: what ``robot.function`` or `kinetree.compile` made.
        defaults: of its own arguments, by name.
        has_margin: whether the last result says how far a closed chain is from singular, and is not given.
    """

    def __init__(
        self, function: Function, defaults: Mapping[str, float] | None = None, has_margin: bool = False
    ) -> None:
        self.defaults, self.has_margin = defaults, has_margin
        self.compiled, self.operation = function, operation_of(function)
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._arity = len(function.operands)
        robot = getattr(function.source, "robot", None)
        parameters = {} if robot is None else {name: p.default for name, p in robot.parameters.items()}
        self._together = len(parameters) > MANY
        self.own = self._arity - (1 if self._together else len(parameters))
        self._names = [*(o.name for o in function.operands[: self.own]), *parameters]
        self._defaults = {**(defaults or {}), **parameters}
        self._dtype = None if function.dtype is None else getattr(torch, function.dtype.name)

    def __repr__(self) -> str:
        return f"<kinetree torch {repr(self.compiled).removeprefix('<kinetree ')}"

    def __reduce__(self) -> Any:
        return TorchFunction, (self.compiled, self.defaults, self.has_margin)

    def __deepcopy__(self, memo: Any) -> TorchFunction:
        return self  # it never changes

    def __call__(self, *given: Any, **parameters: Any) -> Any:
        args: Sequence[Any] = given
        if len(args) != self._arity or parameters:
            args = self._completed(args, parameters)
        first, device = (args[0].dtype, args[0].device) if type(args[0]) in PLAIN else (None, None)
        if device is not None and first in _LIMITS and device.type in _DEVICES:
            for a in args:
                if type(a) not in PLAIN or a.dtype != first or a.device != device:
                    args = self._tensors(args)
                    break
        else:
            args = self._tensors(args)
        if self._dtype is not None and first != self._dtype:
            args = [a.to(self._dtype) for a in args]
        found = self.operation(*args)
        return self._regular(found) if self.has_margin else found

    def _completed(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """With what was given by name, and with defaults for the rest."""
        if len(args) > self._arity:
            raise InputError(f"{self.compiled.name} takes {self._arity} arguments, got {len(args)}")
        rest = self._names[len(args) :]
        check_names("argument or parameter left", named, rest)
        values = [named.get(name, self._defaults.get(name)) for name in rest]
        missing = [name for name, value in zip(rest, values) if value is None]
        if missing:
            raise InputError(f"{self.compiled.name}({', '.join(self._names)}) needs {', '.join(missing)} too")
        if not self._together or len(args) > self.own:
            return [*args, *values]
        given = self._tensors([*args, *values])
        return [*given[: self.own], torch.stack(torch.broadcast_tensors(*given[self.own :]), -1)]

    def _tensors(self, args: Sequence[Any]) -> list[Any]:
        """All as tensors of one precision on one device."""
        given = [torch.as_tensor(a) if hasattr(a, "__array_interface__") else a for a in args]
        tensors = [a for a in given if isinstance(a, torch.Tensor)]
        devices = list(dict.fromkeys([a.device for a in tensors]))
        if len(devices) > 1:
            raise InputError(f"{self.compiled.name}: the tensors are on {' and '.join(map(str, devices))}; move them")
        device = devices[0] if devices else torch.device("cpu")
        if device.type not in _DEVICES:
            raise InputError(
                f"{self.compiled.name} runs on the CPU and on NVIDIA GPUs, got tensors on {device}: give x.cpu()"
            )
        for a in tensors:
            if a.dtype not in _LIMITS and a.dtype not in _INTEGERS:
                raise InputError(
                    f"{self.compiled.name} takes tensors of float64 or float32, and integers, not {a.dtype}: "
                    "give x.float() or x.double()"
                )
        floats = [a.dtype for a in tensors if a.dtype in _LIMITS]
        default = torch.get_default_dtype() if torch.get_default_dtype() in _LIMITS else torch.float32
        dtype = (torch.float64 if torch.float64 in floats else floats[0]) if floats else default
        if any(isinstance(a, bool) for a in given):
            raise InputError(f"{self.compiled.name}: True and False are no numbers; give 1.0 or 0.0")
        made = {"dtype": dtype, "device": device}
        return [
            a.to(dtype)
            if isinstance(a, torch.Tensor)
            else torch.full((), a, **made)  # which a GPU does without waiting
            if isinstance(a, float | int)
            else torch.as_tensor(a, **made)
            for a in given
        ]

    def _regular(self, found: Any) -> Any:
        """The results without the margin; not numbers where the mechanism is singular."""
        *results, margin = found
        singular = ~(margin > _LIMITS[margin.dtype])
        kept = []
        for x in results:
            where = singular.reshape(singular.shape + (1,) * (x.ndim - singular.ndim))
            kept.append(x.masked_fill(where, float("nan")))
        return kept[0] if len(kept) == 1 else tuple(kept)


def function(
    robot: Robot | ClosedChain | ParallelRobot | Function,
    name: str | None = None,
    *,
    frame: str | None = None,
    external: bool = False,
    base: bool = False,
    known_forces: Sequence[str] | None = None,
) -> TorchFunction:
    """A function of tensors with exact derivatives: of a robot, a closed chain, or one that `kinetree.compile` made.

    It works with ``backward``, ``torch.autograd.grad`` of any order, ``torch.func`` and ``torch.compile``, on tensors
    in the memory of the CPU or of an NVIDIA GPU, without copies. Derivatives are compiled when they are first needed,
    as products that cost a few times the function; no Jacobian is made. At a point where a function has a corner, as
    with dry friction at rest, they are those of the branch that is computed: there the friction's own slope counts as
    zero.

    Unlike the methods of a `Robot`, functions don't look at the numbers: quaternions in q must be of length one.

    Args:
        robot: whose function it is; or a `Function`, alone. Functions of a `ClosedChain` take the positions of all
            joints, closed, and velocities of the independent ones; those of a `ParallelRobot` the positions of all
            joints in place of the pose. Derivatives with respect to positions are those of each alone, the others
            held. Rows at which the mechanism is singular are NaN.
        name: of the method, such as "inverse_dynamics".
        frame: for "pose", "jacobian" and other quantities of a frame.
        external: whether it takes external wrenches (..., nbodies, 6) after its own arguments.
        base: whether it takes base velocity and base acceleration (..., 6) after these.
        known_forces: for "hybrid_dynamics", the names of joints.

    Returns:
        A `TorchFunction`; named parameters of the model are keywords, or the last arguments.

    Example:
        >>> import torch
        >>> import kinetree as kt
        >>> f = kt.torch.function(kt.robots.two_link(), "inverse_dynamics")
        >>> q = torch.zeros(100, 2, requires_grad=True)
        >>> f(q, torch.zeros(2), torch.ones(2)).sum().backward()
        >>> q.grad.shape
        torch.Size([100, 2])
    """
    options = {"frame": frame, "external": external, "base": base, "known_forces": known_forces}
    given = {key: value for key, value in options.items() if value}
    if isinstance(robot, Function):
        if name is not None or given:
            raise InputError(f"{robot.name} is compiled already: give it alone")
        return TorchFunction(robot)
    if not isinstance(robot, Robot | ClosedChain | ParallelRobot):
        raise InputError(f"give a Robot, a ClosedChain, a ParallelRobot or a compiled Function, got {robot!r:.60}")
    if name is None:
        raise InputError("give the name of a function, such as 'inverse_dynamics'")
    if isinstance(robot, Robot):
        return TorchFunction(robot.function(name, **options))
    for key in ("frame", "known_forces"):
        if key in given:
            raise InputError(f"functions of closed chains take no {key}=")
    whole = {n for n in ALGORITHMS if n not in ("step", "possible_motion")}
    platform = {n for n in whole if n.startswith(_PLATFORM)}
    if isinstance(robot, ParallelRobot):
        check_name("function", name, [n.removeprefix(_PLATFORM) for n in platform])
        made = robot.chain.function(f"{_PLATFORM}{name}", platform=robot.index, **given)
    else:
        check_name("function", name, whole - platform)
        made = robot.function(name, **given)
    method = inspect.signature(getattr(type(robot), name, robot.__init__)).parameters
    defaults = {n: p.default for n, p in method.items() if isinstance(p.default, float)}
    return TorchFunction(made, defaults, has_margin=made.results[-1].name == "margin")
