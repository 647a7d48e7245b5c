"""One primitive of JAX for all compiled functions, and its rules: shapes, code, derivatives, transposes, batches.

Derivatives are products that are compiled like the functions themselves: J v is linear in v and its transpose is w J,
and the other way round, so that no matrix is ever made. A product is a call of the same primitive, with derivatives of
its own: any order is there, compiled when a program asks for it.

Arguments of a call have all leading dimensions of the batch, of size 1 where its states share them, or none at all.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache, partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from kinetree.errors import CompileError, InputError
from kinetree.jax import header
from kinetree.jax.operation import Operation

call = Primitive("kinetree")
call.multiple_results = True


def bound(operation: Operation, args: Sequence[Any]) -> list[Any]:
    """The results of an operation; inside shard_map, where its arguments must vary over the same axes of the mesh."""
    axes = [_axes(a) for a in args]
    every = frozenset[str]().union(*axes)
    if any(own != every for own in axes):
        vary = partial(jax.lax.pcast, to="varying") if hasattr(jax.lax, "pcast") else jax.lax.pvary  # of JAX 0.7
        args = [vary(a, tuple(every - own)) for a, own in zip(args, axes)]
    return list(call.bind(*args, operation=operation))


def _axes(x: Any) -> frozenset[str]:
    """The axes of a mesh over which an array varies, where JAX keeps account of them."""
    kind = getattr(jax, "typeof", type)(x)
    return getattr(kind, "vma", None) or getattr(getattr(kind, "manual_axis_type", None), "varying", frozenset())


def _rule(register: Any, *more: Any) -> Any:
    """A decorator that hands a rule over to JAX."""

    def decorate(rule: Any) -> Any:
        register(*more, rule)
        return rule

    return decorate


@_rule(call.def_impl)
def _outside_of_jit(*args: Any, operation: Operation) -> Any:
    with jax.disable_jit(False):
        return _jitted(operation)(*args)


@cache
def _jitted(operation: Operation) -> Any:
    return jax.jit(partial(call.bind, operation=operation))


@_rule(call.def_abstract_eval)
def _shapes(*args: Any, operation: Operation) -> list[Any]:
    batches = [a.shape[: a.ndim - len(core)] for a, core in zip(args, operation.operands)]
    widest, batch = args[max(range(len(args)), key=lambda k: len(batches[k]))], np.broadcast_shapes(*batches)
    return [widest.update(shape=(*batch, *core), weak_type=False) for core in operation.results]


# -- code --------------------------------------------------------------------------------------------------------------


@_rule(partial(mlir.register_lowering, platform="cpu"), call)
def _on_the_processor(context: Any, *operands: Any, operation: Operation) -> Any:
    return _lowered("cpu", context, operands, operation)


@_rule(partial(mlir.register_lowering, platform="cuda"), call)
def _on_a_gpu(context: Any, *operands: Any, operation: Operation) -> Any:
    """Kernels take arrays that have all states, or one for all of them; others are spread first."""
    cores = operation.operands
    counts = [prod(a.shape[: a.ndim - len(core)]) for a, core in zip(context.avals_in, cores)]
    result = context.avals_out[0]
    every = prod(result.shape[: result.ndim - len(operation.results[0])])
    if any(count not in (1, every) for count in counts):
        return mlir.lower_fun(partial(_spread, operation))(context, *operands)
    return _lowered("CUDA", context, operands, operation)


def _lowered(platform: str, context: Any, operands: Sequence[Any], operation: Operation) -> Any:
    try:
        header.layout()
    except CompileError as error:
        _warn(str(error))
        return mlir.lower_fun(partial(_through_python, operation))(context, *operands)
    return jax.ffi.ffi_lowering(operation.target(platform))(context, *operands)


def _spread(operation: Operation, *args: Any) -> Any:
    batch = np.broadcast_shapes(*(a.shape[: a.ndim - len(core)] for a, core in zip(args, operation.operands)))
    whole = [
        a if prod(a.shape[: a.ndim - len(core)]) == 1 else jnp.broadcast_to(a, (*batch, *core))
        for a, core in zip(args, operation.operands)
    ]
    return bound(operation, whole)


@_rule(mlir.register_lowering, call)
def _elsewhere(context: Any, *operands: Any, operation: Operation) -> Any:
    raise InputError(
        f"{operation.function.name}: kinetree.jax has code for the CPU and for NVIDIA GPUs; put the arrays there, as "
        "with jax.default_device(jax.devices('cpu')[0]), or set JAX_PLATFORMS=cpu"
    )


@cache
def _warn(reason: str) -> None:
    warnings.warn(
        f"kinetree.jax calls back into Python, which is slow and holds the interpreter lock: {reason}", stacklevel=2
    )


def _through_python(operation: Operation, *args: Any) -> Any:
    function = operation.function.ufunc(operation.dtype)

    def compute(*arrays: Any) -> Any:
        results = function(*map(np.asarray, arrays))
        return results if isinstance(results, tuple) else (results,)

    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in _shapes(*(a.aval for a in args), operation=operation)]
    return jax.pure_callback(compute, tuple(shapes), *args)


# -- derivatives -------------------------------------------------------------------------------------------------------


def _derivatives(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation) -> Any:
    results = bound(operation, primals)
    wrt = tuple(k for k, t in enumerate(tangents) if not isinstance(t, ad.Zero))
    linear = operation.linear
    if operation.of is not None and {*wrt} <= {*linear}:  # a product along directions of its own is itself
        found = [ad.instantiate_zeros(tangents[k]) for k in linear]
        return results, bound(operation, [*primals[: linear.start], *found, *primals[linear.stop :]])
    pushed = operation.pushforward(wrt)
    place = pushed.linear.start
    return results, bound(pushed, [*primals[:place], *(tangents[k] for k in wrt), *primals[place:]])


def _transposed(cotangents: Sequence[Any], *args: Any, operation: Operation) -> list[Any]:
    linear, of = operation.linear, operation.of
    sought = [k for k, a in enumerate(args) if ad.is_undefined_primal(a)]
    if of is None or not {*sought} <= {*linear}:
        raise InputError(f"{operation.function.name} is not linear, so that it has no transpose")
    given = [ad.instantiate_zeros(ct) for ct in cotangents]
    primals = [*args[: linear.start], *args[linear.stop :]]
    places = [k - linear.start for k in sought]
    if operation.kind.word == "pushforward":
        other = of.pullback(tuple(operation.wrt[k] for k in places))
        places = range(len(places))
    else:
        other = of.pushforward(operation.wrt)
    at = other.linear.start
    found = bound(other, [*primals[:at], *given, *primals[at:]])
    results: list[Any] = [None] * len(args)
    for k, place in zip(sought, places):
        results[k] = _collected(found[place], args[k].aval.shape)
    return results


def _collected(x: Any, shape: tuple[int, ...]) -> Any:
    """What states share collects from all of them."""
    more = x.ndim - len(shape)
    shared = [k for k, n in enumerate(shape) if n == 1 != x.shape[more + k]]
    axes = (*range(more), *(more + k for k in shared))
    return jnp.reshape(jnp.sum(x, axis=axes), shape) if axes else x


ad.primitive_jvps[call] = _derivatives
ad.primitive_transposes[call] = _transposed


# -- batches -----------------------------------------------------------------------------------------------------------


def _batched(args: Sequence[Any], dims: Sequence[Any], *, operation: Operation) -> Any:
    """Every argument that has dimensions of the batch gets the new one, of size 1 where it is not mapped."""
    moved = [a if d is None else jnp.moveaxis(a, d, 0) for a, d in zip(args, dims)]
    old = [a.ndim - len(core) - (d is not None) for a, core, d in zip(moved, operation.operands, dims)]
    count = max(old)
    full = []
    for a, d, own in zip(moved, dims, old):
        if d is None and own:
            a = jnp.expand_dims(a, 0)
        elif d is not None and own < count:
            a = jnp.expand_dims(a, tuple(range(1, count + 1)))
        full.append(a)
    return bound(operation, full), [0] * len(operation.results)


batching.primitive_batchers[call] = _batched
