"""Compiled functions as functions of JAX: which arguments they take, in which precision they compute."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import inspect
import keyword
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.closed.functions import SINGULAR
from kinetree.compile import FunctionSource
from kinetree.errors import InputError, check_names
from kinetree.jax.operation import operation
from kinetree.jax.primitive import bound
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.signature import MANY

X64 = "jax.config.update('jax_enable_x64', True) at the start of the program, or JAX_ENABLE_X64=1 around it"


def function(source: Any, name: str | None = None, **options: Any) -> JaxFunction:
    """A compiled function as a function of JAX, for jit, vmap, grad, jacfwd, jacrev, jvp, scan.

    It takes the arguments of the compiled function, by position or by name, and named parameters of the model as
    keywords, which have the model's values by default; it can be differentiated with respect to all of them, any number
    of times. Leading dimensions broadcast as in NumPy. float32 arrays are computed in float32, all others in the
    precision that JAX has: float64 where it is switched on (``jax.config.update("jax_enable_x64", True)``). Nothing is
    compiled before a program needs it.

    Args:
        source: a `Robot`, a `ClosedChain`, a `ParallelRobot`, or a function that `kinetree.compile` made.
        name: of the algorithm, such as "inverse_dynamics"; that of a parallel robot takes the positions q of all joints
            in place of the platform's pose. None for a compiled function.
        options: those of ``function`` of the source: ``frame``, ``external``, ``base``, ``known_forces``.

    Returns:
        A function of arrays; what has several results returns a tuple. Rows of closed chains that are singular are
        NaN. Derivatives with respect to q are those with respect to its nq numbers; quaternions need not have length
        one, as they are normalised.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> import kinetree as kt
        >>> robot = kt.robots.two_link()
        >>> energy = kt.jax.function(robot, "potential_energy")
        >>> q = jnp.array([0.3, -0.5])
        >>> bool(abs(jax.grad(energy)(q) - robot.gravity_forces(q)).max() < 1e-5)
        True
    """
    if isinstance(source, Function):
        if name is not None or options:
            raise InputError(f"{source!r} is compiled already: give it alone")
        return JaxFunction(source, {}, singular=False)
    if not isinstance(source, Robot | ClosedChain | ParallelRobot):
        raise InputError(f"kinetree.jax takes robots, closed chains and compiled functions, got {source!r:.80}")
    if not isinstance(name, str):
        raise InputError("which function? Give its name, such as 'inverse_dynamics'")
    method = getattr(type(source), name, None)
    defaults = {k: p.default for k, p in inspect.signature(method).parameters.items()} if callable(method) else {}
    if isinstance(source, ParallelRobot):
        made = source.chain.function(f"platform_{name}", platform=source.index, **options)
    else:
        made = source.function(name, **options)
    singular = not isinstance(source, Robot) and made.results[-1].name == "margin"
    return JaxFunction(made, defaults, singular=singular)


class JaxFunction:
    """What `function` returns.

    Args:
        function: compiled.
        defaults: of arguments, by name.
        singular: whether the last result says how far from singular a closed chain is.
    """

    def __init__(self, function: Function, defaults: dict[str, Any], *, singular: bool) -> None:
        source = function.source
        if not isinstance(source, FunctionSource):
            raise InputError(f"{function!r} was not made by kinetree.compile")
        self.function, self.singular = function, singular
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._own = [o.name for o in source.signature.operands]
        parameters = source.robot.parameters if source.robot is not None else {}
        self._named = list(parameters)
        values = {**defaults, **{name: parameter.default for name, parameter in parameters.items()}}
        arguments = [_argument(n, values.get(n), n in self._named) for n in (*self._own, *self._named)]
        self.__signature__ = inspect.Signature(sorted(arguments, key=lambda argument: argument.kind))
        self._call: Callable[..., Any] = jax.jit(self._computed, inline=True)

    def __repr__(self) -> str:
        return f"<kinetree.jax function {self.__name__}{self.__signature__} {self.function.signature}>"

    def __reduce__(self) -> Any:
        return _again, (self.function, {k: p.default for k, p in self.__signature__.parameters.items()}, self.singular)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        check_names(f"argument of {self.__name__}", keywords, self.__signature__.parameters)
        try:
            given = self.__signature__.bind(*args, **keywords)
        except TypeError as error:
            raise InputError(f"{self.__name__}{self.__signature__}: {error}") from None
        given.apply_defaults()
        own, named = (
            [_real(self.__name__, n, given.arguments[n]) for n in names] for names in (self._own, self._named)
        )
        return self._call(*own, *(named if len(named) <= MANY else [jnp.stack(jnp.broadcast_arrays(*named), axis=-1)]))

    def _computed(self, *values: Any) -> Any:
        function = self.function
        if function.dtype == np.float64 and not jax.config.jax_enable_x64:
            raise InputError(f"{self.__name__} was compiled for float64, which JAX has switched off; for it, {X64}")
        function.check_shapes(values)
        dtype = jnp.result_type(*values, 0.0) if function.dtype is None else function.dtype
        made = operation(function, bool(dtype == np.float32))
        leading = [a.shape[: a.ndim - len(core)] for a, core in zip(values, made.operands)]
        count = max(map(len, leading), default=0)
        args = [jnp.asarray(a, dtype) for a in values]
        args = [jnp.expand_dims(a, tuple(range(count - len(own)))) if own else a for a, own in zip(args, leading)]
        results = bound(made, args)
        if self.singular:
            *results, margin = results
            regular = margin > SINGULAR[made.dtype.name]
            results = [jnp.where(jnp.expand_dims(regular, _trailing(x, regular)), x, jnp.nan) for x in results]
        return results[0] if len(results) == 1 else tuple(results)


def _again(function: Function, defaults: dict[str, Any], singular: bool) -> JaxFunction:
    return JaxFunction(function, defaults, singular=singular)


def _argument(name: str, default: Any, is_parameter: bool) -> inspect.Parameter:
    """An argument; those with a value of their own are given by name."""
    if keyword.iskeyword(name):
        raise InputError(f"{name!r} is a word of Python's own, and can't be the name of an argument; rename it")
    has_value = default is not None and default is not inspect.Parameter.empty
    kind = inspect.Parameter.KEYWORD_ONLY if has_value or is_parameter else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default if has_value else inspect.Parameter.empty)


def _trailing(x: Any, batch: Any) -> Sequence[int]:
    return range(batch.ndim, x.ndim)


def _real(function: str, name: str, x: Any) -> Any:
    """An argument as JAX takes it, if it is made of real numbers."""
    if isinstance(x, np.ndarray | np.generic) and x.dtype == np.float64 and not jax.config.jax_enable_x64:
        _warn_of_single(function)
    if not hasattr(x, "dtype") and not isinstance(x, int | float):
        x = np.asarray(x)
    kind = np.dtype(bool) if isinstance(x, bool) else getattr(x, "dtype", np.dtype(float))
    if not (jnp.issubdtype(kind, jnp.integer) or kind in (np.float32, np.float64)):
        raise InputError(f"{function}: {name} must be of float32, float64 or integers, got {kind}; convert it first")
    return x


@cache
def _warn_of_single(function: str) -> None:
    warnings.warn(
        f"{function}: float64 arrays are computed in float32, as JAX has 64-bit numbers switched off; for them, {X64}",
        stacklevel=4,
    )
