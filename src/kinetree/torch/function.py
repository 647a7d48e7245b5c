"""`kinetree.torch.function`: a function of a robot, of a closed chain or of the user's, for tensors."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.closed.catalogue import ALGORITHMS
from kinetree.closed.chain import SINGULAR
from kinetree.errors import InputError, check_name, check_names
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.signature import MANY
from kinetree.torch.operation import PLAIN, operation_of

_LIMITS = {getattr(torch, name): limit for name, limit in SINGULAR.items()}
_INTEGERS = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8
_DEVICES = "cpu", "meta"
_PLATFORM = "platform_"


class TorchFunction:
    """A function of tensors, compiled for this processor, that PyTorch differentiates; `function` makes it.

    Arguments are those of the compiled function: tensors whose leading dimensions broadcast, and named parameters of
    the model as keywords, or after them in alphabetical order. float32 stays float32; with a float64 among them, all
    are computed in float64. Numbers and lists take the precision of the tensors, as integers do.

    Args:
        function: what ``robot.function`` or `kinetree.compile` made.
        robot: whose named parameters have defaults.
        has_margin: whether the last result says how far a closed chain is from singular, and is not given.
    """

    def __init__(self, function: Function, robot: Robot | None = None, has_margin: bool = False) -> None:
        self._made_of = function, robot, has_margin
        self.compiled, self.operation = function, operation_of(function)
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._arity, self._has_margin = len(function.operands), has_margin
        self._defaults = {} if robot is None else {name: p.default for name, p in robot.parameters.items()}
        self._together = len(self._defaults) > MANY
        self._own = self._arity - (1 if self._together else len(self._defaults))
        fixed = function.dtype
        self._dtype = None if fixed is None else getattr(torch, fixed.name)

    def __repr__(self) -> str:
        return f"<kinetree torch {repr(self.compiled).removeprefix('<kinetree ')}"

    def __reduce__(self) -> Any:
        return TorchFunction, self._made_of

    def __deepcopy__(self, memo: Any) -> TorchFunction:
        return self  # it never changes

    def __call__(self, *given: Any, **parameters: Any) -> Any:
        args: Sequence[Any] = given
        if len(args) != self._arity or parameters:
            args = self._completed(args, parameters)
        first = args[0].dtype if type(args[0]) in PLAIN else None
        for a in args:
            if type(a) not in PLAIN or a.dtype != first or not a.is_cpu or first not in _LIMITS:
                args = self._tensors(args)
                break
        if self._dtype is not None and first != self._dtype:
            args = [a.to(self._dtype) for a in args]
        found = self.operation(*args)
        return self._regular(found) if self._has_margin else found

    def _completed(self, args: Sequence[Any], parameters: Mapping[str, Any]) -> Sequence[Any]:
        """With the values of named parameters after the function's own arguments."""
        if len(args) != self._own:
            names = ", ".join(o.name for o in self.compiled.operands[: self._own])
            raise InputError(f"{self.compiled.name} takes {self._own} arguments ({names}), got {len(args)}")
        check_names("parameter", parameters, self._defaults)
        values = [parameters.get(name, default) for name, default in self._defaults.items()]
        missing = [name for name, value in zip(self._defaults, values) if value is None]
        if missing:
            raise InputError(
                f"{self.compiled.name}: give the parameters {', '.join(f'{name}=...' for name in missing)}"
            )
        if self._together:
            given = self._tensors([*args, *values])
            return [*given[: self._own], torch.stack(torch.broadcast_tensors(*given[self._own :]), -1)]
        return [*args, *values]

    def _tensors(self, args: Sequence[Any]) -> list[Any]:
        """All as tensors of one precision on one device."""
        given = [torch.as_tensor(a) if hasattr(a, "__array_interface__") else a for a in args]
        tensors = [a for a in given if isinstance(a, torch.Tensor)]
        devices = list(dict.fromkeys([a.device for a in tensors]))
        if len(devices) > 1:
            raise InputError(f"{self.compiled.name}: the tensors are on {' and '.join(map(str, devices))}; move them")
        device = devices[0] if devices else torch.device("cpu")
        if device.type not in _DEVICES:
            raise InputError(f"{self.compiled.name} runs on the CPU, got tensors on {device}: give x.cpu()")
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
        return [
            a.to(dtype) if isinstance(a, torch.Tensor) else torch.as_tensor(a, dtype=dtype, device=device)
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
    in the memory of the CPU, without copies. Derivatives are compiled when they are first needed, as products that
    cost a few times the function; no Jacobian is made. At a point where a function has a corner, as with dry friction
    at rest, they are those of the branch that is computed: there the friction's own slope counts as zero.

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
    if isinstance(robot, Function):
        if name is not None or frame is not None or external or base or known_forces is not None:
            raise InputError(f"{robot.name} is compiled already: give it alone")
        return TorchFunction(robot, getattr(robot.source, "robot", None))
    if name is None:
        raise InputError("give the name of a function, such as 'inverse_dynamics'")
    if isinstance(robot, Robot):
        made = robot.function(name, frame=frame, external=external, base=base, known_forces=known_forces)
        return TorchFunction(made, robot)
    if not isinstance(robot, ClosedChain | ParallelRobot):
        raise InputError(f"give a Robot, a ClosedChain, a ParallelRobot or a compiled Function, got {robot!r:.60}")
    if frame is not None or base or known_forces is not None:
        raise InputError("functions of closed chains take no frame=, no base= and no known_forces=")
    names = [n for n in ALGORITHMS if n != "step" and n != "possible_motion"]
    if isinstance(robot, ParallelRobot):
        check_name("function", name, [n.removeprefix(_PLATFORM) for n in names if n.startswith(_PLATFORM)])
        made = robot.chain.function(f"{_PLATFORM}{name}", external=external, platform=robot.index)
        return TorchFunction(made, robot.robot, has_margin=True)
    check_name("function", name, [n for n in names if not n.startswith(_PLATFORM)])
    made = robot.function(name, external=external)
    return TorchFunction(made, robot.robot, has_margin=made.results[-1].name == "margin")
