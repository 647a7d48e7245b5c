"""The compiled functions of a closed chain: made, called, and their singular rows found; the chain comes first."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed.catalogue import ALGORITHMS, KINEMATICS, ChainVariant
from kinetree.closed.on_gpu import RegularRows
from kinetree.compile import compiled
from kinetree.errors import ClosureError, InputError, SingularConfigurationWarning, check_name
from kinetree.robot.functions import Array, check_keywords, check_quaternions, parameter_values
from kinetree.runtime.cuda.arrays import beside, columns, dtype_of, is_on_gpu, on_host
from kinetree.runtime.function import Function

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain

# the squared sine between the motions of dependent joints: below it, few digits are left
SINGULAR = {"float64": 1e-12, "float32": 1e-5}
OPEN = 1e-6  # the closure error [m, rad] up to which a configuration passes a check
_WHATEVER = Actuation((), (), ())  # the equations of the loops are the same for all


def function(
    chain: ClosedChain,
    name: str,
    *,
    external: bool = False,
    base: bool = False,
    actuation: Actuation | None = None,
    platform: int | None = None,
) -> Function:
    """A compiled function of this chain, to keep and call without keywords.

    Its last result is the squared margin (see `margin`); "step" is one step of closing.

    Args:
        name: of the method, or "step".
        external: whether it takes external loads after its own arguments.
        base: whether it takes the velocity and the acceleration of the base after those.
        actuation, platform: what a parallel robot has besides.

    Example:
        >>> import kinetree as kt
        >>> kt.ClosedChain(kt.robots.four_bar()).function("inverse_dynamics").signature
        '(3),(1),(1)->(1),()'
    """
    check_name("function", name, ALGORITHMS)
    if (external or base) and name in KINEMATICS:
        raise InputError(f"{name} takes no {'external loads' if external else 'base motion'}")
    return compiled(ChainVariant(name, actuation or chain.actuation, external, platform, base), chain.robot)


def call(
    chain: ClosedChain,
    name: str,
    args: tuple[Any, ...],
    parameters: dict[str, Any],
    external: tuple[Any, ...] = (None,),
    base: tuple[Any, ...] = (None,),
    *,
    platform: int | None = None,
    check: bool = False,
) -> Any:
    """Call a compiled function; singular rows become NaN, with a warning, and open loops are refused, if wanted.

    Args:
        name: of the function.
        args: its own arguments, q first.
        parameters: values of named parameters.
        external: external wrenches and perhaps their rates; not given where the first is None.
        base: velocity, acceleration and perhaps jerk of the base; those that are None are zero.
        platform: the number of the platform's body.
        check: whether positions with open loops are refused.
    """
    loaded, moving = external[0] is not None, any(x is not None for x in base)
    compiled_function = chain.function(name, external=loaded, base=moving, platform=platform)
    check_keywords(chain.robot, parameters, getattr(type(chain), name, None))
    if chain.robot.quaternions:
        check_quaternions(chain.robot, args[0])
    if check:
        refuse_open(chain, args[0], parameters)
    loads = (*external * loaded, *(beside(np.zeros(6), *args) if x is None else x for x in base * moving))
    values = parameter_values(chain.robot, parameters, args)
    if any(map(is_on_gpu, args)):
        single = all(dtype_of(x) == "f" for x in args if is_on_gpu(x))
        variant = ChainVariant(name, chain.actuation, loaded, platform, moving)
        regular = RegularRows(variant, SINGULAR["float32" if single else "float64"])
        return compiled(regular, chain.robot)(*args, *loads, *values)
    with np.errstate(all="ignore"):
        *results, margin = compiled_function(*args, *loads, *values)
    margin = np.asarray(margin)
    lost = ~(margin > SINGULAR[margin.dtype.name])
    if lost.any():
        results = [np.where(lost.reshape(lost.shape + (1,) * (x.ndim - lost.ndim)), np.nan, x) for x in results]
        _warn(chain, name, args[0], lost)
    return results[0] if len(results) == 1 else tuple(results)


def _warn(chain: ClosedChain, name: str, q: Any, lost: Any) -> None:
    """Say which rows are singular; those with NaN among their positions say it themselves."""
    singular = lost & np.isfinite(np.broadcast_to(q, (*lost.shape, chain.robot.nq))).all(axis=-1)
    if singular.any():
        row = tuple(int(k) for k in np.argwhere(singular)[0])
        where = f"in {int(singular.sum())} of {singular.size} rows, the first is {row}" if row else "here"
        warnings.warn(
            f"{name}: the mechanism is singular {where}: its independent joints ({', '.join(chain.independent)}) "
            "don't say how the others move; the result is NaN there. Other joints as independent ones may do",
            SingularConfigurationWarning,
            stacklevel=4,
        )


def independent_part(chain: ClosedChain, x: Any, name: str) -> Any:
    """Velocities or accelerations of the independent joints, of those or of all."""
    x = x if is_on_gpu(x) else np.asarray(x)
    n, whole = chain.mobility, chain.robot.nv
    if x.shape[-1:] == (n,):
        return x
    if x.shape[-1:] != (whole,):
        raise InputError(
            f"{name} holds the {n} independent values, of {', '.join(chain.independent)}, or those of all {whole} "
            f"coordinates; got shape {tuple(x.shape)}"
        )
    return columns(x, chain.actuation.independent)


def motion_of(chain: ClosedChain, q: Any, **motion: Any) -> tuple[Any, ...]:
    """q, and the velocities, accelerations, ... of the independent joints."""
    return q, *(independent_part(chain, x, name) for name, x in motion.items())


def equations(chain: ClosedChain, q: Any, parameters: dict[str, Any]) -> tuple[Array, Array]:
    """How the equations of the loops change with the velocities, and how far the loops are open."""
    values = parameter_values(chain.robot, parameters, (q,))
    return chain.function("constraint_jacobian", actuation=_WHATEVER)(q, *values)


def refuse_open(chain: ClosedChain, q: Any, parameters: dict[str, Any]) -> None:
    """Raise a `ClosureError` where the loops are open at q."""
    error = np.atleast_1d(on_host(equations(chain, q, parameters)[1]))
    rows = np.argwhere(error > OPEN)
    if len(rows):
        row = tuple(map(int, rows[0]))
        where = f" in {len(rows)} of {error.size} rows, in row {row}" if np.ndim(q) > 1 else ""
        raise ClosureError(f"the loops are open{where} by {error[row]:.3g} (m or rad); close them with chain.close")
