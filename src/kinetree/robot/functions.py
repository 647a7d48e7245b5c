"""The compiled functions of a robot: made when first asked for, called with checked arguments."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.catalogue import CATALOGUE, FRAMED, PARTICULAR, Variant
from kinetree.compile import compiled
from kinetree.errors import InputError, SingularConfigurationWarning, check_name, check_names
from kinetree.model import Mechanism
from kinetree.runtime.arrays import plain
from kinetree.runtime.cuda.arrays import beside, joined
from kinetree.runtime.elsewhere import is_elsewhere
from kinetree.runtime.function import Function
from kinetree.scalar import is_zero
from kinetree.signature import MANY

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot

Array = NDArray[np.floating[Any]]
_RUNAWAY = 1e12  # [rad/s^2, m/s^2]: what no force gives a body that has a mass
_UNIT = 1e-3  # how far the squared length of a quaternion may be from one; it is normalised in the code


class Functions:
    """The functions of one robot, each compiled when it is first called.

    Args:
        robot: whose functions they are.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._made: dict[tuple[Any, ...], Function] = {}
        self.solvers: dict[str, Any] = {}  # of inverse kinematics, for each frame

    def variant(
        self, name: str, frame: str | None = None, external: bool = False, base: bool = False, known_forces: Any = None
    ) -> Variant:
        """An algorithm with its optional inputs, if the robot has it."""
        known = known_joints(self.robot, known_forces)
        check_name("function", name, [*CATALOGUE, *PARTICULAR])
        if (frame is None) == (name in FRAMED):
            raise InputError(f"{name} {'needs' if name in FRAMED else 'takes no'} frame=")
        if frame is not None:
            self.robot.frame(frame)
        if (known is None) == (name == "hybrid_dynamics"):
            raise InputError(f"{name} {'takes no' if known else 'needs'} known_forces=, the names of joints")
        variant = Variant(name, frame, external, base, known)
        if (external and not variant.algorithm.external) or (base and not variant.algorithm.base):
            raise InputError(f"{name} takes no {'external loads' if external else 'base motion'}")
        return variant

    def get(
        self, name: str, frame: str | None = None, external: bool = False, base: bool = False, known_forces: Any = None
    ) -> Function:
        """The compiled function of a variant."""
        key = name, frame, external, base, known_forces
        made = self._made.get(key) if known_forces is None or isinstance(known_forces, tuple) else None
        if made is None:
            variant = self.variant(*key)
            made = self._made[(name, frame, external, base, variant.known_forces)] = compiled(variant, self.robot)
        return made

    @cached_property
    def _has_massless_bodies(self) -> bool:
        """Whether there may be configurations in which nothing resists a joint, such as a folded link without mass."""
        moving = (body for body in self.robot.bodies if body.joint.kind.nv)
        return any(is_zero(b.inertia.mass) and all(map(is_zero, b.joint.rotor_inertia)) for b in moving)

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        out: Any,
        parameters: dict[str, Any],
        external: tuple[Any, ...] = (None,),
        base: tuple[Any, ...] = (None,),
        *,
        frame: str | None = None,
        known_forces: tuple[str, ...] | None = None,
    ) -> Any:
        """Call a function as the methods of a robot do.

        Args:
            name: of the method.
            args: its own arguments.
            out: arrays for the results, or None.
            parameters: values of named parameters.
            external: external wrenches and perhaps their rates; not given where the first is None.
            base: velocity, acceleration and perhaps jerk of the base; those that are None are zero.
            frame, known_forces: as in `get`.
        """
        robot = self.robot
        loaded, moving = external[0] is not None, any(x is not None for x in base)
        function = self.get(name, frame, loaded, moving, known_forces)
        if loaded:
            args += external
        if moving:
            args += tuple(beside(np.zeros(6), *args) if x is None else x for x in base)
        if robot.parameters or parameters:
            check_keywords(robot, parameters, getattr(type(robot), name, None))
            args += tuple(parameter_values(robot, parameters, args))
        if robot.quaternions:
            check_quaternions(robot, args[0])
        result = function(*args, out=out)
        unresisted = name == "forward_dynamics" and self._has_massless_bodies
        if unresisted and not is_elsewhere(result):
            _warn_of_runaway(args, result)
        special = loaded or moving or frame or robot.parameters or name in PARTICULAR or unresisted
        special = special or (name == "difference" and robot.quaternions)  # two arguments to look at
        if not special and name not in vars(robot) and function.is_compiled():
            # from now on a single state takes the direct way, and everything else comes back here through it
            starts = [start for _, start in robot.quaternions]
            vars(robot)[name] = function.direct(getattr(robot, name), starts, _UNIT)
        return result


def _warn_of_runaway(args: Sequence[Any], qdd: Any) -> None:
    """Say where accelerations are beyond all measure, or infinite, at a finite state."""
    given = np.isfinite(np.broadcast_arrays(*(np.sum(x, axis=-1) for x in args[:3]))).all(axis=0)
    wild = given & ~(np.abs(qdd) < _RUNAWAY).all(axis=-1)
    if wild.any():
        where = f"in {int(wild.sum())} of {wild.size} rows, the first is {(*map(int, np.argwhere(wild)[0]),)}"
        warnings.warn(
            f"forward_dynamics: the mass matrix is singular {where if wild.ndim else 'here'}: nothing resists a joint, "
            "as a body has no mass; its acceleration means nothing. Give the body a mass, or the joint a rotor inertia",
            SingularConfigurationWarning,
            stacklevel=4,
        )


def known_joints(robot: Mechanism, known_forces: Any) -> tuple[str, ...] | None:
    """The joints whose forces are known, each once and in the order of the robot."""
    if known_forces is None:
        return None
    names = None if isinstance(known_forces, str) or not isinstance(known_forces, Iterable) else tuple(known_forces)
    if names is None or not all(isinstance(name, str) for name in names):
        raise InputError(f"known_forces is a list of names, such as ['joint1'], got {known_forces!r:.60}")
    for name in names:
        robot.velocities_of(name)  # refuses names that are not there
    return tuple(name for name in robot.joint_names if name in names)


def parameter_values(robot: Mechanism, given: dict[str, Any], args: Sequence[Any] = ()) -> list[Any]:
    """The values of a robot's named parameters, as its compiled functions take them after their own arguments."""
    check_names("parameter or keyword", given, robot.parameters)
    missing = [n for n, p in robot.parameters.items() if n not in given and p.default is None]
    if missing:
        raise InputError(f"the model has parameters without a default: give {', '.join(f'{n}=...' for n in missing)}")
    values = [given.get(n, p.default) for n, p in robot.parameters.items()]
    return [joined(values, args)] if len(values) > MANY else values


def check_keywords(robot: Mechanism, given: dict[str, Any], method: Any) -> None:
    """Refuse keywords of a method that are neither its own nor parameters of the robot."""
    if not given.keys() <= robot.parameters.keys():
        own = getattr(method, "__kwdefaults__", None) or ()
        for name in given:
            check_name("parameter or keyword", name, [*robot.parameters, *own])


def check_quaternions(robot: Mechanism, q: Any) -> None:
    """Refuse positions whose quaternions are not of length one; those on a GPU, or lazy, are not waited for."""
    if is_elsewhere(q):
        return
    q = plain(q, "q")
    if q.shape[-1:] != (robot.nq,) or q.dtype.kind not in "fiu":
        return  # NumPy refuses it with its own message
    for name, start in robot.quaternions:
        x = q[..., start : start + 4]
        wrong = np.abs(np.vecdot(x, x) - 1.0) > _UNIT
        if wrong.any():
            row = tuple(int(k) for k in np.argwhere(wrong)[0])
            where = f" of row {row}" if row else ""
            given = f"joint {name!r}: the quaternion q[{start}:{start + 4}]{where} is {x[row]}, not of length one"
            raise InputError(f"{given}; give (x, y, z, w) normalised, the identity is (0, 0, 0, 1)")
