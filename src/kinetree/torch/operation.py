"""One compiled function as an operation of PyTorch: its kernel, its derivatives, its rule for vmap.

Each function is an operation of ``torch.ops.kinetree`` with kernels for the CPU and for NVIDIA GPUs, a fake one, which
knows shapes only, a rule for vmap, and a kernel for derivatives. The last one is of our own: PyTorch's
``register_autograd`` knows no forward mode, so that ``torch.func.jacfwd`` would give zeros, and no transforms under
``torch.compile``. Plain tensors outside of all this go straight to the compiled code: as NumPy's views of their memory,
or to the kernels of a GPU.

Derivatives are compiled products, J v and w J, of those arguments and results that are asked for; they are operations
too, made when they are first needed.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch._functorch.utils import enable_single_level_autograd_function as _one_level

from kinetree.compile import FunctionSource, compile
from kinetree.derivatives.products import Pullback, Pushforward
from kinetree.errors import InputError
from kinetree.runtime import cache, locks
from kinetree.runtime.function import Function
from kinetree.traceable import cache_key

PLAIN = torch.Tensor, torch.nn.Parameter
_LIBRARY = torch.library.Library("kinetree", "FRAGMENT")  # operations stay registered as long as the process runs,
_LIVE: WeakValueDictionary[str, TorchOperation] = WeakValueDictionary()  # their code as long as somebody holds it
_REGISTERED: set[str] = set()
_COUNT = itertools.count()

_transforms_active: Callable[[], bool] = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
_modes: Callable[[], int] = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
_forward_mode: Any = torch.autograd.forward_ad


class TorchOperation:
    """A compiled function that takes tensors of one precision, and gives a tensor or several; `operation_of` makes it.

    Args:
        function: what `kinetree.compile` made.
        name: of the operation.
    """

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name = function, name
        self.cores = tuple(o.shape for o in function.operands)
        self.results = tuple(r.shape for r in function.results)
        source: Any = function.source
        # directions and weights come after the function's own arguments, and before the named parameters
        self.own = len(source.signature.operands) if isinstance(source, FunctionSource) else len(self.cores)
        self._products: dict[Any, TorchOperation] = {}
        _register(self)
        self.op = getattr(torch.ops.kinetree, name).default

    def __call__(self, *args: Any) -> Any:
        """The results for tensors of one precision; plain ones go straight to the compiled code, if nobody looks on."""
        if torch.compiler.is_compiling() or _transforms_active() or _modes() or _forward_mode._current_level >= 0:
            return self.op(*args)
        is_variable = False
        for a in args:
            if type(a) not in PLAIN or not (a.is_cpu or a.is_cuda):
                return self.op(*args)
            is_variable = is_variable or a.requires_grad
        if is_variable and torch.is_grad_enabled():
            return Differentiable.apply(self, None, True, *args)
        return self.kernel(*args)

    def derivatives(self, keys: Any, *args: Any) -> Any:
        """The registered operation at the level of derivatives: with a record of what to differentiate, if anything."""
        recorded = torch.is_grad_enabled()
        wanted = recorded and any(a.requires_grad for a in args)
        if wanted or _transforms_active() or _forward_mode._current_level >= 0:
            with _one_level():
                return Differentiable.apply(self, keys, recorded, *args)
        return self.below(keys, *args)

    def below(self, keys: Any, *args: Any) -> Any:
        """The same at the levels below."""
        with torch._C._AutoDispatchBelowAutograd():
            return self.op.redispatch(keys & torch._C._after_autograd_keyset, *args)

    def kernel(self, *args: Any) -> Any:
        """The compiled code on the memory of plain tensors; results in memory of their own."""
        if args[0].is_cuda:
            return self.on_gpu(*args)
        found = self.function(*[a.detach().numpy() if a.requires_grad else a.numpy() for a in args])
        if type(found) is tuple:
            return tuple([torch.from_numpy(np.asarray(x, order="C")) for x in found])
        return torch.from_numpy(np.asarray(found, order="C"))

    def on_gpu(self, *args: Any) -> Any:
        """The same on a GPU, put on PyTorch's current stream there."""
        return self.function(*[a.detach() if a.requires_grad else a for a in args])

    def fake(self, args: Sequence[Any]) -> Any:
        """Tensors of the shapes that the results will have, without numbers."""
        for a, o in zip(args, self.function.operands):
            if a.ndim < len(o.shape) or tuple(a.shape[a.ndim - len(o.shape) :]) != o.shape:
                raise InputError(f"{self.function.name}: {o.name} must end in {o.shape}; got {tuple(a.shape)}")
        batch = torch.broadcast_shapes(*(a.shape[: a.ndim - len(core)] for a, core in zip(args, self.cores)))
        made = tuple(args[0].new_empty((*batch, *core)) for core in self.results)
        return made[0] if len(made) == 1 else made

    def mapped(self, in_dims: Sequence[int | None], args: Sequence[Any]) -> tuple[Any, Any]:
        """With further dimensions of some arguments, which become the first one of the results."""
        ranks = [a.ndim - len(core) - (d is not None) for a, core, d in zip(args, self.cores, in_dims)]
        moved = []
        for a, rank, d in zip(args, ranks, in_dims):
            if d is not None:
                a = a.movedim(d, 0)
                a = a.reshape(a.shape[0], *[1] * (max(ranks) - rank), *a.shape[1:])
            moved.append(a)
        return self.op(*moved), 0 if len(self.results) == 1 else (0,) * len(self.results)

    # -- derivatives -----------------------------------------------------------------------------------------------

    def product(
        self, kind: type[Pullback | Pushforward], outputs: tuple[int, ...], wrt: tuple[int, ...]
    ) -> TorchOperation:
        """J v or w J of some results with respect to some arguments."""
        key = kind, outputs, wrt
        if key not in self._products:
            source: Any = self.function.source
            if not isinstance(source, FunctionSource) or getattr(source.function, "repeats", False):
                raise InputError(f"{self.function.name} has no derivatives: it is no plain function over scalars")
            chosen = tuple(self.function.operands[k] for k in wrt)
            kept = tuple(source.outputs[k] for k in outputs)
            made = kind(source.function, source.signature, kept, chosen, source.robot is not None)
            self._products[key] = operation_of(compile(made, source.robot, dtype=self.function.dtype))
        return self._products[key]

    def against(self, args: Sequence[Any], weights: Sequence[Any], needed: Sequence[bool]) -> Any:
        """The gradients of the sum of weights times results, where they are needed, in the shapes of the arguments."""
        wrt = tuple(k for k, wanted in enumerate(needed) if wanted)
        outputs = tuple(k for k, w in enumerate(weights) if w is not None)
        gradients: list[Any] = [None] * len(args)
        if not wrt or not outputs:
            return gradients
        call = self.product(Pullback, outputs, wrt)
        found = call(*args[: self.own], *(weights[k] for k in outputs), *args[self.own :])
        for k, g in zip(wrt, found if len(wrt) > 1 else (found,)):
            gradients[k] = g if g.shape == args[k].shape else g.sum_to_size(args[k].shape)
        return gradients

    def along(self, args: Sequence[Any], directions: Sequence[Any]) -> Any:
        """The derivatives of all results along directions of some arguments."""
        wrt = tuple(k for k, v in enumerate(directions) if v is not None)
        if not wrt:
            return None if len(self.results) == 1 else (None,) * len(self.results)
        call = self.product(Pushforward, tuple(range(len(self.results))), wrt)
        return call(*args[: self.own], *(directions[k] for k in wrt), *args[self.own :])


class Differentiable(torch.autograd.function._SingleLevelFunction):
    """The derivatives of all operations, at one level of ``torch.func``'s transforms or outside of them."""

    @staticmethod
    def forward(operation: TorchOperation, keys: Any, recorded: bool, *args: Any) -> Any:
        if keys is None:
            return operation.kernel(*args)
        # PyTorch has switched derivatives off for what happens here; transforms further out have theirs
        with torch.set_grad_enabled(recorded and _transforms_active()), _forward_mode._set_fwd_grad_enabled(True):
            return operation.below(keys, *args)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.operation, _, _, *args = inputs
        ctx.save_for_backward(*args)
        ctx.save_for_forward(*args)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        return None, None, None, *ctx.operation.against(ctx.saved_tensors, weights, ctx.needs_input_grad[3:])

    @staticmethod
    def jvp(ctx: Any, *directions: Any) -> Any:
        return ctx.operation.along(ctx.saved_tensors, directions[3:])


def operation_of(function: Function) -> TorchOperation:
    """The operation of a function; one for all that are equal."""
    name = _name(function)
    with locks.compiling(name):
        operation = _LIVE.get(name)
        if operation is None:
            operation = _LIVE[name] = TorchOperation(function, name)
    return operation


def _name(function: Function) -> str:
    """The same in every process for the same function, and for no other one: PyTorch keeps graphs on the disk."""
    source: Any = function.source
    if isinstance(source, FunctionSource):
        keys = cache_key(source.function), cache_key(source.robot)
        content = repr((cache.package(), source.outputs, source.signature, str(function.dtype), keys))
        if None in keys:  # a function of the user's is known by its graph
            content += source.trace().fingerprint
    else:
        content = str(next(_COUNT))
    return f"{function.__name__[:80]}_{cache.digest(content)[:16]}"


def _register(operation: TorchOperation) -> None:
    """Register an operation with PyTorch, once for each name."""
    name = operation.name
    if name in _REGISTERED:
        return
    inputs = ", ".join(f"Tensor x{k}" for k in range(len(operation.cores)))
    several = len(operation.results) > 1
    outputs = f"({', '.join(['Tensor'] * len(operation.results))})" if several else "Tensor"
    _LIBRARY.define(f"{name}({inputs}) -> {outputs}", tags=(torch.Tag.pt2_compliant_tag,))
    _LIBRARY.impl(name, lambda *args: _live(name).kernel(*args), "CPU")
    _LIBRARY.impl(name, lambda *args: _live(name).on_gpu(*args), "CUDA")
    whole = f"kinetree::{name}"
    torch.library.register_fake(whole, lambda *args: _live(name).fake(args), lib=_LIBRARY)
    _LIBRARY.impl(name, lambda keys, *args: _live(name).derivatives(keys, *args), "Autograd", with_keyset=True)
    torch.library.register_vmap(whole, lambda _, dims, *args: _live(name).mapped(dims, args), lib=_LIBRARY)
    _REGISTERED.add(name)


def _live(name: str) -> TorchOperation:
    operation = _LIVE.get(name)
    if operation is None:
        raise InputError(f"the function behind torch.ops.kinetree.{name} is gone: keep what kinetree.torch gave you")
    return operation
