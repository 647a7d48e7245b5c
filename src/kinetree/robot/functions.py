"""The compiled functions of a mechanism: made when first asked for, called with checked arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.catalogue import CATALOGUE, PARTICULAR, Variant
from kinetree.compile import compile, trace
from kinetree.errors import InputError, UnknownNameError
from kinetree.model.mechanism import Mechanism
from kinetree.runtime.function import Function
from kinetree.signature import MANY

if TYPE_CHECKING:
    from kinetree.equations import Equations

Array = NDArray[np.floating[Any]]
STILL = (None, None)  # a base that does not move
_FRAMED = ("pose", "jacobian")
_UNIT = 1e-3  # how far the squared length of a quaternion may be from one; it is normalised in the code


class Loads(tuple[Any, ...]):
    """External loads and their rates, each an argument of its own."""


class Functions(Mechanism):
    """A mechanism with compiled functions."""

    def function(
        self,
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
            external: whether it takes external loads after its own arguments.
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
        functions = self.__dict__.setdefault("_functions", {})
        if known_forces is not None and (isinstance(known_forces, str) or not isinstance(known_forces, Iterable)):
            raise InputError(f"known_forces is a list of names, such as ['joint1'], got {known_forces!r}")
        known = None if known_forces is None else tuple(dict.fromkeys(known_forces))
        made = functions.get((name, frame, external, base, known))
        if made is not None:
            return made
        if name not in CATALOGUE and name not in PARTICULAR:
            raise UnknownNameError("function", name, [*CATALOGUE, *PARTICULAR])
        if (frame is None) == (name in _FRAMED):
            raise InputError(f"{name} {'needs' if name in _FRAMED else 'takes no'} frame=")
        if frame is not None:
            self.frame(frame)
        if (known is None) == (name == "hybrid_dynamics"):
            raise InputError(f"{name} {'takes no' if known else 'needs'} known_forces=, the names of joints")
        variant = Variant(name, frame, external, base, known)
        algorithm = variant.algorithm
        if (external and not algorithm.external) or (base and not algorithm.base):
            raise InputError(f"{name} takes no {'external loads' if external else 'base motion'}")
        for joint in known or ():
            self.velocities_of(joint)
        made = compile(variant, self)
        return functions.setdefault((name, frame, external, base, known), made)

    def operations(
        self, name: str, *, frame: str | None = None, known_forces: Sequence[str] | None = None
    ) -> dict[str, int]:
        """How many operations of each kind one evaluation of a function takes.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().operations("inverse_dynamics")["sin"]
            1
        """
        self.function(name, frame=frame, known_forces=known_forces)
        variant = Variant(name, frame, known_forces=None if known_forces is None else tuple(known_forces))
        return trace(variant, self, signature=variant.signature).operations

    def equations(
        self, name: str = "inverse_dynamics", *, frame: str | None = None, known_forces: Sequence[str] | None = None
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

        self.function(name, frame=frame, known_forces=known_forces)
        known = None if known_forces is None else tuple(dict.fromkeys(known_forces))
        return equations(self, Variant(name, frame, known_forces=known))

    def precompile(self, *names: str, dtype: Any = np.float64) -> None:
        """Compile functions now (all that need no frame by default), so that no later call has to."""
        for name in names or tuple(n for n in CATALOGUE if n not in _FRAMED):
            self.function(name).ufunc(dtype)

    def _call(
        self,
        name: str,
        args: tuple[Any, ...],
        external: Any,
        base: tuple[Any, ...],
        frame: str | None,
        out: Any,
        parameters: dict[str, Any],
        known_forces: tuple[str, ...] | None = None,
    ) -> Any:
        loads = external if isinstance(external, Loads) else () if external is None else (external,)
        loaded, moving = bool(loads), any(x is not None for x in base)
        function = self.function(name, frame=frame, external=loaded, base=moving, known_forces=known_forces)
        args = (*args, *loads)
        if moving:
            args = (*args, *(np.zeros(6) if x is None else x for x in base))
        if self.parameters or parameters:
            args = (*args, *self._parameter_values(parameters))
        if self.quaternions:
            self._check_quaternions(args[0])
        elif not (loaded or moving or frame or self.parameters or name in self.__dict__ or name in PARTICULAR):
            # from now on a single state takes the direct way, and everything else comes back here through it
            self.__dict__[name] = function.direct(getattr(self, name))
        return function(*args, out=out)

    def _parameter_values(self, given: dict[str, Any]) -> list[Any]:
        for name in given:
            if name not in self.parameters:
                raise UnknownNameError("parameter or keyword", name, self.parameters)
        missing = [n for n, p in self.parameters.items() if n not in given and p.default is None]
        if missing:
            raise InputError(
                f"the model has parameters without a default: give {', '.join(f'{n}=...' for n in missing)}"
            )
        values = [given.get(n, p.default) for n, p in self.parameters.items()]
        return [np.stack(np.broadcast_arrays(*values), axis=-1)] if len(values) > MANY else values

    def _check_quaternions(self, q: Any) -> None:
        q = np.asarray(q)
        if q.shape[-1:] != (self.nq,) or q.dtype.kind not in "fiu":
            return  # NumPy refuses it with its own message
        for name, start in self.quaternions:
            x = q[..., start : start + 4]
            wrong = np.abs(np.vecdot(x, x) - 1.0) > _UNIT
            if wrong.any():
                row = tuple(int(k) for k in np.argwhere(wrong)[0])
                where = f" of row {row}" if row else ""
                raise InputError(
                    f"joint {name!r}: the quaternion q[{start}:{start + 4}]{where} is {x[row]}, not of length one; "
                    "give (x, y, z, w) normalised, the identity is (0, 0, 0, 1)"
                )

    @property
    def neutral(self) -> Array:
        """Coordinates of the reference configuration: zeros, and identity quaternions."""
        return np.array(self.neutral_coordinates)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
