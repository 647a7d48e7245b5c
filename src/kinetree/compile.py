"""The entry point from algorithms to code.

`compile` takes a function written over scalars, traces it once for the robot (or for nothing but its signature) and
returns a `Function` of arrays. Nothing else in Kinetree makes code. `compiled` does the same for the package's own
functions, once in a process for all robots that are equal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from kinetree.catalogue import CATALOGUE, Variant, function_of
from kinetree.errors import InputError, check_name
from kinetree.lower.operand import Operand
from kinetree.runtime import locks
from kinetree.runtime.collector import collector_paused
from kinetree.runtime.function import Function
from kinetree.signature import Declared, Signature, flattened, nested, parameter_operands
from kinetree.traceable import Traceable, cache_key, identity
from kinetree.tracing import Trace, declared_signature, trace

if TYPE_CHECKING:
    from kinetree.runtime.cuda.code import KernelSource
    from kinetree.runtime.native import LoadedCode

TARGETS = ("cpu", "cuda")
_COMPILED: WeakValueDictionary[tuple[Any, ...], Function] = WeakValueDictionary()


def compile(
    function: Callable[..., Any],
    robot: Any = None,
    *,
    signature: Declared = None,
    outputs: Sequence[int] | None = None,
    target: str = "cpu",
    dtype: Any = None,
    name: str | None = None,
) -> Function:
    """A function over scalars as native code that NumPy broadcasts.

    The function gets one argument for each operand of the signature: a scalar for ``()``, a list for ``(n)``, a list of
    lists for ``(n,m)``. With a robot, the robot comes first, and its named parameters become further operands after
    those of the signature: scalars in alphabetical order, or one array of them where they are more than 32. It must
    return the results in the shapes of the signature, and decide nothing by the values of its arguments but through
    `kinetree.scalar.select`.

    Args:
        function: written over scalars; see `kinetree.scalar`.
        robot: passed as the first argument, if given.
        signature: core shapes, such as "(2),(2)->()" or "q(nq), qd(nv) -> p(3), M(nv,nv)"; the algorithms of
            `kinetree.algorithms` have one of their own.
        outputs: the positions of the results to keep; what only others need is not computed.
        target: "cpu", or "cuda" for a function that takes arrays on an NVIDIA GPU alone; one for the CPU takes both.
        dtype: float32 or float64 for everything; left out, float32 arrays are computed in float32, others in float64.
        name: for messages; the function's own by default.

    Returns:
        A `Function`.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> from kinetree.scalar import cos, sin
        >>> tip = kt.compile(lambda q: [cos(q[0]), sin(q[0])], signature="(1)->(2)", name="tip")
        >>> tip(np.zeros((5, 1))).shape
        (5, 2)
    """
    if not callable(function):
        raise InputError(f"only functions can be compiled, got {function!r}")
    check_name("target", target, TARGETS)
    if dtype is not None and np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise InputError(f"code is made for float64 or float32, not for {np.dtype(dtype)}")
    if signature is None:
        function = _from_catalogue(function)
    declared = declared_signature(function, robot, signature)
    parameters = robot.parameters if robot is not None else {}
    for name_of in (o.name for o in declared.operands if o.name in parameters):
        raise InputError(f"the parameter {name_of!r} has the name of an argument of '{declared}'; rename it")
    repeats = getattr(function, "repeats", False)
    count = len(declared.results) - repeats
    kept = tuple(range(count) if outputs is None else outputs if isinstance(outputs, Sequence) else ())
    exist = all(isinstance(k, int) and 0 <= k < count for k in kept)
    if not kept or not exist or (repeats and kept != tuple(range(count))):  # an iteration keeps all of its state
        raise InputError(f"outputs={outputs!r} must be positions of the {count} results in '{declared}'")
    return Function(
        name or getattr(function, "__name__", type(function).__name__),
        (*declared.operands, *parameter_operands(robot)),
        [declared.results[k] for k in kept],
        FunctionSource(function, robot, declared, kept),
        dtype=dtype,
        doc=inspect.getdoc(function) or "",
        target=target,
    )


def _from_catalogue(function: Callable[..., Any]) -> Callable[..., Any]:
    """The variant of an algorithm of the package, which knows its signature; any other function as it is."""
    own = isinstance(function, FunctionType) and function.__module__.startswith("kinetree.")
    name = getattr(function, "__name__", "")
    return Variant(name) if own and name in CATALOGUE and function_of(name) is function else function


def compiled(function: Traceable, robot: Any, *, outputs: Sequence[int] | None = None, keeper: Any = None) -> Function:
    """A function of a robot, compiled once in this process for each cache key, so that equal robots share code.

    What has no cache key is shared by what holds the very same objects of the user's. Functions live as long as one of
    the robots that use them.

    Args:
        function: with a signature of its own.
        robot: passed as the first argument.
        outputs: as for `compile`.
        keeper: keeps the function alive, if not the robot.
    """
    with locks.compiling(compiled):  # the import is not for the middle of a fork
        from kinetree.runtime.cache import is_switched_off

    # what users see of a function that came out of a pickle is a robot of the same name
    name = getattr(robot, "name", None)
    key = (identity(function), identity(robot), name, None if outputs is None else tuple(outputs))
    kept: dict[Any, Function] = vars(robot if keeper is None else keeper).setdefault("_compiled", {})
    found = kept.get(key) or (None if is_switched_off() else _COMPILED.get(key))
    if found is None:
        found = _COMPILED[key] = compile(function, robot, outputs=outputs)
    kept[key] = found
    return found


def jacobian(
    function: Callable[..., Any], robot: Any = None, *, signature: Declared = None, wrt: int = 0, **options: Any
) -> Function:
    """The derivative of a function over scalars with respect to one of its arguments, compiled.

    Args:
        function, robot, signature: as for `compile`; one result. Or a function that `compile` or ``robot.function``
            made, alone.
        wrt: the position of the argument, not counting the robot.
        options: those of `compile`.

    Returns:
        A `Function` with the core shape of the result followed by that of the argument.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> J = kt.jacobian(lambda x: [x[0] * x[1]], signature="(2)->(1)")
        >>> J(np.array([2.0, 3.0]))
        array([[3., 2.]])
    """
    return _derivative(function, robot, signature, wrt, 1, options)


def hessian(
    function: Callable[..., Any], robot: Any = None, *, signature: Declared = None, wrt: int = 0, **options: Any
) -> Function:
    """The second derivative of a function over scalars with respect to one of its arguments, compiled.

    Arguments as for `jacobian`; the core shape is that of the result followed twice by that of the argument.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> H = kt.hessian(lambda x: x[0] * x[0] * x[1], signature="(2)->()")
        >>> H(np.array([2.0, 3.0]))
        array([[6., 4.],
               [4., 0.]])
    """
    return _derivative(function, robot, signature, wrt, 2, options)


@dataclass(frozen=True)
class TracedDerivative:
    """A function over scalars that differentiates another one."""

    function: Callable[..., Any]
    wrt: int
    order: int
    has_robot: bool
    shape: tuple[int, ...]
    wrt_shape: tuple[int, ...]

    @property
    def __name__(self) -> str:
        name = getattr(self.function, "__name__", "function")
        return f"{'jacobian' if self.order == 1 else 'hessian'}_of_{name}"

    def __call__(self, *args: Any) -> Any:
        from kinetree.graph import differentiate

        x = flattened(args[self.wrt + self.has_robot], self.wrt_shape, "the argument")
        y = flattened(self.function(*args), self.shape, "the result")
        if self.order == 1:
            rows = differentiate.jacobian(y, x)
            return nested([d for row in rows for d in row], self.shape + self.wrt_shape)
        blocks = [differentiate.hessian(value, x) for value in y]
        return nested([d for block in blocks for row in block for d in row], self.shape + 2 * self.wrt_shape)


def _derivative(function: Any, robot: Any, signature: Declared, wrt: int, order: int, options: Any) -> Function:
    if isinstance(function, Function) and isinstance(function.source, FunctionSource):
        function, robot, signature = function.source.function, function.source.robot, function.source.signature
    declared = declared_signature(function, robot, signature)
    operands, results = declared.operands, declared.results
    if len(results) != 1:
        raise InputError(f"the signature '{declared}' has {len(results)} results; differentiate one at a time")
    if not isinstance(wrt, int) or not 0 <= wrt < len(operands):
        names = ", ".join(f"{k}: {o.name}" for k, o in enumerate(operands))
        raise InputError(f"wrt={wrt!r} is not the position of an argument; there are {names}")
    shape, wrt_shape = results[0].shape, operands[wrt].shape
    traced = TracedDerivative(function, wrt, order, robot is not None, shape, wrt_shape)
    result = Operand(results[0].name, shape + order * wrt_shape)
    return compile(traced, robot, signature=declared.giving(result), **options)


def product(function: Function, kind: type[Any], wrt: Sequence[int] | None = None) -> Function:
    """The derivatives of a compiled function along directions, or against weights of its results.

    Args:
        function: what `compile` or ``robot.function`` made, or what this function did.
        kind: `kinetree.derivatives.products.Pushforward` or `Pullback`.
        wrt: the positions of the arguments, named parameters counted; all by default.
    """
    source: Any = function.source
    chosen = function.operands if wrt is None else tuple(function.operands[k] for k in wrt)
    made = kind(source.function, source.signature, source.outputs, chosen, source.robot is not None)
    return compile(made, source.robot, dtype=function.dtype)


@dataclass(frozen=True)
class FunctionSource:
    """Everything that the code of a function depends on."""

    function: Callable[..., Any]
    robot: Any
    signature: Signature
    outputs: tuple[int, ...]

    def key(self, single: bool, *gpu: Any) -> tuple[str, Trace | None]:
        """The key of the code in the cache, the same in every process; and the graph, where it had to be traced."""
        from kinetree.runtime import cache, native

        target = gpu or native.target()
        version = repr((cache.package(), target, single, self.outputs, self.signature))
        keys = cache_key(self.function), cache_key(self.robot)
        # a user's function may change without notice, its graph may not
        traced = self.trace() if None in keys else None
        return cache.digest(repr((version, *keys)) if traced is None else version + traced.fingerprint), traced

    def code(self, single: bool) -> LoadedCode:
        """The inner loop and the direct call: from the cache, or traced and compiled."""
        from kinetree.emit.llvm import entries
        from kinetree.runtime import cache, native

        with collector_paused():
            key, traced = self.key(single)
            code = cache.load(key)
            if code is None:
                code = _object_code(traced or self.trace(), single)
                cache.store(key, code)
        return native.load(code, entries.LOOP, entries.CALL)

    def kernels(self, single: bool, dense: bool, capability: Any, ptx_version: Any) -> KernelSource:
        """The kernels for a GPU: from the cache, or traced and written in PTX."""
        from kinetree.runtime.cuda.code import KernelSource, written

        key, traced = self.key(single, "cuda", capability, ptx_version, dense)
        return KernelSource(key, lambda: written(traced or self.trace(), single, capability, ptx_version, dense))

    def coordinate_names(self, operand: Operand) -> Sequence[str]:
        """The names of the numbers of an operand with one for each coordinate of the robot; else none."""
        known = {"q": "position_names", **dict.fromkeys(("qd", "qdd", "qddd", "tau"), "coordinate_names")}
        return getattr(self.robot, known.get(operand.name, ""), ())

    def trace(self) -> Trace:
        return trace(self.function, self.robot, signature=self.signature, outputs=self.outputs)

    def rebuilt(self, name: str, dtype: Any, target: str) -> Callable[[], Function]:
        """How a pickle makes the function again."""
        options = {"signature": self.signature, "outputs": self.outputs, "dtype": dtype, "name": name, "target": target}
        return partial(compile, self.function, self.robot, **options)


def _object_code(traced: Trace, single: bool) -> bytes:
    """Object code for this machine."""
    from kinetree.emit.llvm.module import modules, shared  # not needed where the code is in the cache, as the passes
    from kinetree.runtime import native
    from kinetree.runtime.traced import lowered

    lanes, triple = native.vector_bytes() // (4 if single else 8), native.target()[1]
    program = lowered(traced, single, fused=native.has_fma())
    return native.compile_object(modules(program, lanes, triple), shared(lanes, single, triple))
