"""How the quantities of a robot depend on the numbers of its model, as functions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from kinetree.catalogue import CATALOGUE, FRAMED, Variant
from kinetree.compile import compiled
from kinetree.errors import InputError, check_name, check_names
from kinetree.robot.functions import Array, parameter_values
from kinetree.signature import parameter_place

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot


def regressor(
    robot: Robot,
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
    return robot._functions.call("regressor", (q, qd, qdd), out, parameters, base=(base_velocity, base_acceleration))


def parameter_derivatives(
    robot: Robot, name: str, *args: ArrayLike, wrt: Sequence[str] | str | None = None, **parameters: ArrayLike
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
    from kinetree.derivatives.parameter_derivatives import ParameterDerivatives

    names = tuple(robot.parameters) if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
    check_names("parameter", names, robot.parameters)
    if not names:
        raise InputError("the model has no named parameters; put kinetree.parameter('name') where a number stands")
    check_name("function", name, {*CATALOGUE} - {*FRAMED})
    results = Variant(name).signature(robot).results
    if len(results) != 1:
        raise InputError(f"{name} has {len(results)} results; ask for the derivatives of one with a single result")
    function = compiled(ParameterDerivatives(Variant(name), tuple(parameter_place(robot, n) for n in names)), robot)
    return function(*args, *parameter_values(robot, parameters, args))
