"""`kinetree.xarray.function`: a compiled function whose arguments and results have named dimensions."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.closed.functions import SINGULAR
from kinetree.errors import InputError, check_names
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.signature import TOGETHER
from kinetree.xarray.dimensions import Named, named_sides

_DEGREES = ("deg", "degree", "degrees", "°")


def function(
    source: Robot | ClosedChain | ParallelRobot | Function,
    name: str | None = None,
    *,
    dims: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> NamedFunction:
    """A function of arrays with named dimensions.

    Joints are found by their labels, in whatever order they are; all other dimensions broadcast by name. Arrays of Dask
    stay lazy. Results have labels, ``long_name`` and ``units``.

    Args:
        source: a `Robot`, a `ClosedChain`, a `ParallelRobot`, or a function that `kinetree.compile` made.
        name: of the method, such as "inverse_dynamics"; None for a compiled function. Methods of a parallel robot take
            the positions q of all joints in place of the platform's pose.
        dims: the names of core dimensions by argument and result, such as ``{"q": ["joint"]}``; needed for compiled
            functions, and ahead of the usual names for the others.
        options: those of ``robot.function``: ``frame``, ``external``, ``base``, ``known_forces``.

    Returns:
        A `NamedFunction`. It takes a `DataArray` or a plain array for each argument, by position or by name, and named
        parameters of the model as keywords; or one `Dataset` that has them as variables. It gives a `DataArray`, or a
        `Dataset` of several results. Rows at which a closed chain is singular are NaN.

    Example:
        >>> import numpy as np
        >>> import xarray as xr
        >>> import kinetree as kt
        >>> f = kt.xarray.function(kt.robots.two_link(), "gravity_forces")
        >>> q = xr.DataArray(np.zeros((2, 5)), dims=("joint", "time"), coords={"joint": ["joint2", "joint1"]})
        >>> tau = f(q)
        >>> tau.dims, tau.joint.values.tolist(), tau.units
        (('time', 'joint'), ['joint1', 'joint2'], 'N m')
    """
    if isinstance(source, Function):
        if name is not None or options:
            raise InputError(f"{source.name} is compiled already: give it alone, with dims=")
        return NamedFunction(source, dims=dims)
    if not isinstance(source, Robot | ClosedChain | ParallelRobot):
        raise InputError(f"kinetree.xarray takes robots, closed chains and compiled functions, got {source!r:.80}")
    if not isinstance(name, str):
        raise InputError("which function? Give its name, such as 'inverse_dynamics'")
    if isinstance(source, ParallelRobot):
        made = source.chain.function(f"platform_{name}", platform=source.index, **options)
    else:
        made = source.function(name, **options)
    method = getattr(type(source), name, None)
    arguments = inspect.signature(method).parameters if callable(method) else {}
    defaults = {key: p.default for key, p in arguments.items() if isinstance(p.default, float)}
    return NamedFunction(made, defaults, not isinstance(source, Robot) and made.results[-1].name == "margin", dims)


class NamedFunction:
    """What `function` returns.

    Args:
        compiled: the function.
        defaults: of its arguments, by name.
        has_margin: whether the last result says how far a closed chain is from singular, and is not given.
        dims: see `function`.
    """

    def __init__(
        self,
        compiled: Function,
        defaults: Mapping[str, float] | None = None,
        has_margin: bool = False,
        dims: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.compiled, self.defaults, self.has_margin, self.dims = compiled, defaults, has_margin, dims
        self.__name__, self.__doc__ = compiled.__name__, compiled.__doc__
        self.arguments, results = named_sides(compiled, dims)
        self.results = results[: len(results) - has_margin]
        robot = getattr(compiled.source, "robot", None)
        parameters = {} if robot is None else robot.parameters
        own = [a.name for a in self.arguments if a.name != TOGETHER and a.name not in parameters]
        self._own, self._parameters = own, [*parameters]
        self._defaults = {**(defaults or {}), **{key: p.default for key, p in parameters.items()}}

    def __repr__(self) -> str:
        arguments, results = (", ".join(map(str, side)) for side in (self.arguments, self.results))
        return f"<kinetree.xarray function {self.compiled.name}: {arguments} -> {results}>"

    def __reduce__(self) -> Any:
        return NamedFunction, (self.compiled, self.defaults, self.has_margin, self.dims)

    def __call__(self, *args: Any, **named: Any) -> Any:
        values = self._bound(args, named)
        arrays = [self._array(argument, values[argument.name]) for argument in self.arguments]
        self._check_others(arrays)
        outputs = [[*r.dims] for r in self.results]
        cores: dict[str, Any] = {"input_core_dims": [[*a.dims] for a in self.arguments], "output_core_dims": outputs}
        try:
            found = xr.apply_ufunc(self._called, *arrays, **cores, dask="allowed", join="exact", keep_attrs=False)
        except ValueError as error:
            if isinstance(error, InputError) or "align" not in str(error):
                raise
            raise InputError(
                f"{self.compiled.name}: {error}; select the same labels in all arguments first (xarray.align)"
            ) from None
        several = found if isinstance(found, tuple) else (found,)
        whole = [self._labelled(x, r) for x, r in zip(several, self.results)]
        return whole[0] if len(whole) == 1 else xr.Dataset({r.name: x for x, r in zip(whole, self.results)})

    def _called(self, *arrays: Any) -> Any:
        """The compiled function on arrays whose cores come last; where a closed chain is singular, NaN."""
        found = self.compiled(*arrays)
        if not self.has_margin:
            return found
        *results, margin = found
        lost = ~(margin > SINGULAR[np.dtype(margin.dtype).name])
        whole = [np.where(lost[(...,) + (None,) * (x.ndim - lost.ndim)], np.nan, x) for x in results]
        return whole[0] if len(whole) == 1 else tuple(whole)

    def _bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """All arguments by name: given by position, by name or in a dataset; else with their defaults."""
        names = [*self._own, *self._parameters]
        check_names(f"argument of {self.compiled.name}", named, names)
        given = dict(named)
        if args and isinstance(args[0], xr.Dataset):
            if len(args) > 1:
                raise InputError(f"{self.compiled.name}: give one Dataset, or an array for each argument")
            given = {name: args[0][name] for name in names if name in args[0]} | given
        else:
            if len(args) > len(names):
                raise InputError(f"{self.compiled.name} takes {len(names)} arguments, got {len(args)}")
            for name, value in zip(names, args):
                if name in given:
                    raise InputError(f"{self.compiled.name}: {name} is given twice, by position and by name")
                given[name] = value
        values = {name: given.get(name, self._defaults.get(name)) for name in names}
        if missing := [name for name in names if values[name] is None]:
            raise InputError(f"{self.compiled.name}({', '.join(names)}) needs {', '.join(missing)} too")
        if any(a.name == TOGETHER for a in self.arguments):
            parts = xr.broadcast(*(xr.DataArray(values[name]) for name in self._parameters))
            values[TOGETHER] = xr.concat(parts, "named_parameter").drop_vars("named_parameter", errors="ignore")
        return values

    def _array(self, argument: Named, x: Any) -> Any:
        """An argument with its core dimensions in the order of the model."""
        name = f"{self.compiled.name}: {argument.name}"
        if not isinstance(x, xr.DataArray):
            if np.shape(x) != argument.shape:
                raise InputError(
                    f"{name} has no names of dimensions, so its shape must be {argument.shape}, got {np.shape(x)}; "
                    f"give xarray.DataArray(x, dims=(..., {', '.join(map(repr, argument.dims))}))"
                )
            return xr.DataArray(x if hasattr(x, "dtype") else np.asarray(x), dims=argument.dims)
        if missing := [dim for dim in argument.dims if dim not in x.dims]:
            raise InputError(
                f"{name} has the dimensions ({', '.join(map(str, x.dims))}) and none called {missing[0]!r}; "
                f"rename one: x.rename(old={missing[0]!r})"
            )
        if x.attrs.get("units") in _DEGREES:
            raise InputError(f"{name} is in {x.attrs['units']}, expected radians: give numpy.deg2rad(x)")
        for dim, size, labels in zip(argument.dims, argument.shape, argument.labels):
            x = _ordered(name, x, dim, size, labels)
        # core dimensions carry no labels into the call: they are in order now
        return x.drop_vars([*argument.dims], errors="ignore")

    def _check_others(self, arrays: Sequence[Any]) -> None:
        """Refuse dimensions that broadcast and have the name of one that the result has of its own."""
        for argument, x in zip(self.arguments, arrays):
            own = {dim for r in self.results for dim in r.dims}
            if clash := [dim for dim in x.dims if dim in own and dim not in argument.dims]:
                raise InputError(
                    f"{self.compiled.name}: {argument.name} has a dimension {clash[0]!r}, which is one of "
                    f"{', '.join(map(str, self.results))}; rename it"
                )

    def _labelled(self, x: Any, result: Named) -> Any:
        labels = {dim: [*along] for dim, along in zip(result.dims, result.labels) if along}
        return x.assign_coords(labels).assign_attrs(result.attributes).rename(result.name)


def _ordered(name: str, x: xr.DataArray, dim: str, size: int, labels: Sequence[str]) -> xr.DataArray:
    """The array with the labels of a dimension in the order of the model."""
    if not labels or dim not in x.coords:
        if x.sizes[dim] != size:
            raise InputError(f"{name} has {x.sizes[dim]} numbers along {dim!r}, expected {size}: {', '.join(labels)}")
        return x
    found = [str(label) for label in x[dim].values.tolist()]
    if found == [*labels]:
        return x
    for what, wrong in (
        ("twice", [label for label in found if found.count(label) > 1]),
        ("unknown", [label for label in found if label not in labels]),
        ("missing", [label for label in labels if label not in found]),
    ):
        if wrong:
            raise InputError(
                f"{name}: labels of {dim!r} are {what}: {', '.join(map(repr, wrong[:5]))}; expected "
                f"{', '.join(labels)}, in any order. Select them with x.sel({dim}=[...]), or drop the labels"
            )
    return x.isel({dim: [found.index(label) for label in labels]})
