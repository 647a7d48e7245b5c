"""How the quantities of a robot depend on the numbers of its model, as functions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinetree.catalogue import CATALOGUE, Variant
from kinetree.compile import compile
from kinetree.errors import InputError, UnknownNameError
from kinetree.robot.functions import Array
from kinetree.robot.sensitivities import Sensitivities
from kinetree.signature import parse


class Parametric(Sensitivities):
    """Linear in masses and moments, and differentiable in every named parameter."""

    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The matrix Y of tau = Y pi: the joint forces are linear in masses, moments, friction, rotors and springs.

        Args:
            q, qd, qdd: the motion, as in `inverse_dynamics`.
            base_velocity, base_acceleration: see `Robot`.
            out: an array for the result.

        Returns:
            Y (..., nv, nparameters); the columns are those of `dynamic_parameters`.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> arm.regressor([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]) @ arm.dynamic_parameters
            array([0.4 , 0.16])
        """
        base = base_velocity, base_acceleration
        return self._call("regressor", (q, qd, qdd), None, base, None, out, parameters)

    @property
    def dynamic_parameters(self) -> Array:
        """The numbers pi of tau = Y pi (nparameters,).

        For each body the mass, the first moments x, y, z and the second moments xx, yy, zz, xy, xz, yz about the
        origin of its frame; then for each velocity of each joint its damping, for each its dry friction, for each its
        rotor inertia, for each its stiffness; then for each elastic transmission its damping and stiffness.
        """
        from kinetree.algorithms.regressor import dynamic_parameters

        if self.parameters:
            names = ", ".join(self.parameters)
            raise InputError(f"the model has open parameters ({names}), so its numbers are not known")
        return np.array(dynamic_parameters(self), float)

    def parameter_derivatives(
        self, name: str, *args: ArrayLike, wrt: Sequence[str] | str | None = None, **parameters: ArrayLike
    ) -> Array:
        """How a quantity changes with named parameters of the model: a mass, a length, an inertia.

        Args:
            name: of a method with one result, such as "inverse_dynamics".
            args: its arguments.
            wrt: the names of parameters; all of the model's by default.
            parameters: values for the model's parameters.

        Returns:
            The shape of the quantity, with a last axis that counts the parameters.

        Example:
            >>> import kinetree as kt
            >>> m = kt.parameter("m", 2.0)
            >>> arm = kt.Robot.from_dh([kt.DH(alpha=1.5707963267948966, mass=m, com=(0.5, 0, 0))])
            >>> arm.parameter_derivatives("gravity_forces", [0.0], wrt="m").round(3)
            array([[4.905]])
        """
        from kinetree.sensitivities.parameter_derivatives import ParameterDerivatives

        names = tuple(self.parameters) if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
        for given in names:
            if given not in self.parameters:
                raise UnknownNameError("parameter", given, self.parameters)
        if not names:
            raise InputError("the model has no named parameters; put kinetree.parameter('name') where a number stands")
        if name not in CATALOGUE or name in ("pose", "jacobian"):
            raise UnknownNameError("function", name, set(CATALOGUE) - {"pose", "jacobian"})
        variant = Variant(name)
        results = parse(variant.signature, self)[1]
        if len(results) != 1:
            raise InputError(f"{name} has {len(results)} results; ask for the derivatives of one with a single result")
        function = ParameterDerivatives(variant, results[0].shape, names)
        shape = ",".join(map(str, (*results[0].shape, len(names))))
        signature = f"{variant.signature.split('->')[0]} -> d({shape})"
        functions = self.__dict__.setdefault("_functions", {})
        key = (function.recipe,)
        made = functions.get(key) or functions.setdefault(key, compile(function, self, signature=signature))
        return made(*args, *self._parameter_values(parameters))
