"""The compiled functions of a robot as objects, what they cost, and the equations that they compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.catalogue import CATALOGUE, FRAMED, Variant
from kinetree.compile import TARGETS
from kinetree.errors import check_name
from kinetree.runtime.function import Function
from kinetree.runtime.threads import threads
from kinetree.tracing import trace

if TYPE_CHECKING:
    from kinetree.equations import Equations
    from kinetree.robot.robot import Robot


def function(
    robot: Robot,
    name: str,
    *,
    frame: str | None = None,
    external: bool = False,
    base: bool = False,
    known_forces: Sequence[str] | None = None,
) -> Function:
    """A compiled function of this robot, to keep and call without keywords.

    Args:
        name: of the method.
        frame: for "pose" and "jacobian".
        external: whether it takes external wrenches after its own arguments.
        base: whether it takes base velocity and base acceleration last.
        known_forces: for "hybrid_dynamics", the names of joints.

    Returns:
        A `Function`; named parameters of the model come last, in alphabetical order: scalars, or one array of all
        of them where they are more than 32.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().function("mass_matrix").signature
        '(2)->(2,2)'
    """
    return robot._functions.get(name, frame, external, base, known_forces)


def operations(
    robot: Robot, name: str, *, frame: str | None = None, known_forces: Sequence[str] | None = None
) -> dict[str, int]:
    """How many operations of each kind one evaluation of a function takes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().operations("inverse_dynamics")["sin"]
        1
    """
    return trace(robot._functions.variant(name, frame, known_forces=known_forces), robot).operations


def equations(
    robot: Robot, name: str = "inverse_dynamics", *, frame: str | None = None, known_forces: Sequence[str] | None = None
) -> Equations:
    """The equations that a function computes, step by step, to read.

    Args:
        name: of the method; "inverse_dynamics" names velocities, accelerations and forces as the papers do.
        frame, known_forces: as in `function`.

    Returns:
        `kinetree.equations.Equations`: ``print()`` it, or ask for ``latex()``, ``sympy()`` or, for robots with few
        joints, ``closed_form()``.

    Example:
        >>> import kinetree as kt
        >>> print(str(kt.robots.two_link().equations("gravity_forces")).splitlines()[-1])
        g2 = 0.0
    """
    from kinetree.equations import equations

    return equations(robot, robot._functions.variant(name, frame, known_forces=known_forces))


def precompile(
    robot: Robot, *names: str, dtype: Any = np.float64, target: str = "cpu", capability: str | None = None
) -> None:
    """Compile functions now (all that need no frame by default), so that no later call has to.

    Args:
        names: of methods.
        dtype: float64 or float32.
        target: "cpu", or "cuda" for arrays on an NVIDIA GPU.
        capability: the compute capability of GPUs to prepare for, such as "9.0", where this machine has none: PTX for
            them is put into the cache, and the driver of theirs does the rest. Left out, the GPU of this machine.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.precompile("inverse_dynamics", "mass_matrix")
        >>> arm.function("mass_matrix").is_compiled()
        True
    """
    from concurrent.futures import ThreadPoolExecutor

    check_name("target", target, TARGETS)
    single = np.dtype(dtype) == np.float32

    def made(function: Function) -> None:
        if target == "cpu":
            function.ufunc(dtype)
        else:
            from kinetree.runtime.cuda.precompile import precompile

            precompile(function, single, capability)

    functions = [robot._functions.get(name) for name in names or [n for n in CATALOGUE if n not in FRAMED]]
    pool = ThreadPoolExecutor(threads())
    try:
        for _ in pool.map(made, functions):
            pass
    finally:
        pool.shutdown(cancel_futures=True)


def sparsity(robot: Robot, name: str) -> NDArray[np.bool_]:
    """Where a derivative can be other than zero, whatever the state: for sparse solvers.

    Args:
        name: of a result, such as "dtau_dq", "dtau_dqd", "M", "dqdd_dq", "dw_dq" or "dtaud_dqd".

    Returns:
        A boolean array of the result's shape.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().sparsity("dtau_dq")
        array([[False,  True],
               [False,  True]])
    """
    results = {x: Variant(x).signature(robot).results for x in CATALOGUE if x not in FRAMED}
    where = {result.name: (algorithm, k) for algorithm, found in results.items() for k, result in enumerate(found)}
    check_name("result", name, where)
    algorithm, k = where[name]
    traced = trace(Variant(algorithm), robot, outputs=[k])
    zero = [node.op == "const" and node.value == 0 for node in traced.outputs]
    return ~np.array(zero).reshape(traced.results[0].shape)
