"""The door from algorithms to code.

`compile` takes a function written over scalars, traces it once for the robot (or for nothing but its signature) and
returns a `Function` of arrays. Nothing else in Kinetree makes code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.catalogue import CATALOGUE, Variant
from kinetree.errors import InputError, UnknownNameError
from kinetree.graph.node import Graph, Node, count
from kinetree.lower.operand import Operand
from kinetree.parameter import bound
from kinetree.runtime.function import Function
from kinetree.signature import flattened, nested, parameter_operands, parameter_place, parse

TARGETS = ("cpu",)


@dataclass(frozen=True)
class Trace:
    """A traced function: operands, results and the nodes of all results in order."""

    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    outputs: tuple[Node, ...]

    @property
    def operations(self) -> dict[str, int]:
        """How many operations of each kind one state takes."""
        return count(self.outputs)

    @property
    def fingerprint(self) -> str:
        """A hash of all that it computes."""
        from kinetree.lower.program import fingerprint

        return fingerprint(self.operands, self.results, self.outputs)


def compile(
    function: Callable[..., Any],
    robot: Any = None,
    *,
    signature: str | None = None,
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
        target: "cpu".
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
    function, signature = _declared(function, signature)
    if target not in TARGETS:
        raise UnknownNameError("target", target, TARGETS)
    if dtype is not None and np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise InputError(f"code is made for float64 or float32, not for {np.dtype(dtype)}")
    operands, results = parse(signature, robot)
    parameters = robot.parameters if robot is not None else {}
    for name_of in (o.name for o in operands if o.name in parameters):
        raise InputError(f"the parameter {name_of!r} has the name of an argument of {signature!r}; rename it")
    operands += parameter_operands(robot)
    kept = tuple(range(len(results)) if outputs is None else outputs if isinstance(outputs, Sequence) else ())
    if not kept or not all(isinstance(k, int) and 0 <= k < len(results) for k in kept):
        raise InputError(f"outputs={outputs!r} must be positions of the {len(results)} results in {signature!r}")
    source = _Source(function, robot, signature, kept)
    label = name or getattr(function, "__name__", type(function).__name__)
    origin = (_rebuilt, (function, robot, signature, outputs, target, dtype, name))
    return Function(
        label,
        operands,
        [results[k] for k in kept],
        source.code,
        dtype=dtype,
        doc=inspect.getdoc(function) or "",
        origin=origin,
    )


def _declared(function: Callable[..., Any], signature: str | None) -> tuple[Callable[..., Any], str]:
    """The function and its signature; an algorithm of the catalogue brings its own."""
    if signature is not None:
        return function, signature
    place = getattr(function, "__module__", None), getattr(function, "__name__", None)
    known = next((name for name, a in CATALOGUE.items() if a.place == place), None)
    declared = function if known is None else Variant(known)
    own = getattr(declared, "signature", None)
    if not isinstance(own, str):
        raise InputError(f"{function!r} does not say what it takes: give signature='(2),(2)->(2)' or the like")
    return declared, own


def _rebuilt(function: Any, robot: Any, signature: str, outputs: Any, target: str, dtype: Any, name: Any) -> Function:
    return compile(function, robot, signature=signature, outputs=outputs, target=target, dtype=dtype, name=name)


def trace(
    function: Callable[..., Any], robot: Any = None, *, signature: str, outputs: Sequence[int] | None = None
) -> Trace:
    """The expression graph of a function over scalars, for counting and for looking at."""
    operands, results = parse(signature, robot)
    graph = Graph()
    inputs = [nested([graph.input(o.name, k) for k in range(o.size)], o.shape) for o in operands]
    if robot is not None:
        parameters = {name: graph.input(*parameter_place(robot, name)) for name in robot.parameters}
        operands += parameter_operands(robot)
        inputs.insert(0, bound(robot, parameters) if parameters else robot)
    values = function(*inputs)
    values = (values,) if len(results) == 1 else tuple(values) if hasattr(values, "__iter__") else (values,)
    if len(values) != len(results):
        raise InputError(f"the function returned {len(values)} results, the signature {signature!r} has {len(results)}")
    kept = range(len(results)) if outputs is None else outputs
    nodes = [
        graph.node(x) for k in kept for x in flattened(values[k], results[k].shape, f"result {k} of {signature!r}")
    ]
    return Trace(tuple(operands), tuple(results[k] for k in kept), tuple(nodes))


def jacobian(
    function: Callable[..., Any], robot: Any = None, *, signature: str, wrt: int = 0, **options: Any
) -> Function:
    """The derivative of a function over scalars with respect to one of its arguments, compiled.

    Args:
        function, robot, signature: as for `compile`; one result.
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
    function: Callable[..., Any], robot: Any = None, *, signature: str, wrt: int = 0, **options: Any
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
class Derivative:
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


def _derivative(function: Any, robot: Any, signature: str, wrt: int, order: int, options: dict[str, Any]) -> Function:
    operands, results = parse(signature, robot)
    if len(results) != 1:
        raise InputError(f"the signature {signature!r} has {len(results)} results; differentiate one at a time")
    if not isinstance(wrt, int) or not 0 <= wrt < len(operands):
        names = ", ".join(f"{k}: {o.name}" for k, o in enumerate(operands))
        raise InputError(f"wrt={wrt!r} is not the position of an argument; there are {names}")
    shape, wrt_shape = results[0].shape, operands[wrt].shape
    full = shape + order * wrt_shape
    text = f"{signature.split('->')[0]}->({','.join(map(str, full))})"
    traced = Derivative(function, wrt, order, robot is not None, shape, wrt_shape)
    return compile(traced, robot, signature=text, **options)


@dataclass(frozen=True)
class _Source:
    """Everything that the code of a function depends on."""

    function: Callable[..., Any]
    robot: Any
    signature: str
    kept: tuple[int, ...]

    def code(self, single: bool) -> tuple[int, int]:
        """The addresses of the inner loop and of the direct call: from the cache, or traced and compiled."""
        from kinetree.emit.llvm import entries
        from kinetree.runtime import cache, native

        version = repr((cache.package(), native.target(), single, self.kept))
        key = self._recipe(version)
        traced = None
        if key is None:  # a user's function may change without notice, its graph may not
            traced = self.trace()
            key = cache.digest(version + traced.fingerprint)
        code = cache.load(key)
        if code is None:
            code = _compiled(traced or self.trace(), single)
            cache.store(key, code)
        loop, call = native.load(code, entries.LOOP, entries.CALL)
        return loop, call

    def trace(self) -> Trace:
        return trace(self.function, self.robot, signature=self.signature, outputs=self.kept)

    def _recipe(self, version: str) -> str | None:
        """A key that needs no trace, for the functions and joints of this package."""
        recipe = getattr(self.function, "recipe", None)
        kinds = {type(body.joint.kind).__module__ for body in getattr(self.robot, "bodies", ())}
        if recipe is None or not all(module.startswith("kinetree.") for module in kinds):
            return None
        from kinetree.runtime.cache import digest

        return digest(repr((version, recipe, self.robot.fingerprint, self.signature)))


def _compiled(traced: Trace, single: bool) -> bytes:
    """Object code for this machine."""
    from kinetree.emit.llvm.module import module  # not needed where the code is in the cache, as the passes
    from kinetree.lower.program import lower
    from kinetree.runtime import native

    program = lower(traced.operands, traced.results, traced.outputs, single=single)
    lanes = native.vector_bytes() // (4 if single else 8)
    return native.compile_object(module(program, lanes, native.target()[1]))
