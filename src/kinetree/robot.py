"""`Robot`: a mechanism together with its compiled functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.catalogue import CATALOGUE, Variant
from kinetree.compile import compile, trace
from kinetree.errors import InputError, UnknownNameError
from kinetree.model.dh import DH, mechanism_from_dh
from kinetree.model.inertia import Inertia
from kinetree.model.mechanism import Mechanism
from kinetree.runtime.function import Function
from kinetree.scalar import Real

Array = NDArray[np.floating[Any]]
_UNIT = 1e-3  # how far the squared length of a quaternion may be from one; it is normalised in the code


class Robot(Mechanism):
    """A mechanism whose dynamic quantities are functions of NumPy arrays.

    Leading dimensions of all arguments broadcast. ``external`` is a wrench on each body, shape (..., nbodies, 6),
    moment first, in world axes at the body frame's origin. ``base_velocity`` and ``base_acceleration`` prescribe the
    motion of a fixed base: six numbers each, angular first, in base axes; the acceleration is the rate of the
    velocity's components, and gravity and ``external`` are in base axes then. Named parameters of the model are
    further keywords. The first call of a function compiles it.
    """

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DH],
        convention: str = "modified",
        *,
        name: str = "robot",
        gravity: Sequence[Real] = (0.0, 0.0, -9.81),
        base: str = "fixed",
        base_inertia: Inertia | None = None,
        strict: bool = True,
    ) -> Robot:
        """A robot from a Denavit-Hartenberg table.

        Args:
            rows: one `DH` for each link; with ``parent=`` they form a tree.
            convention: "modified" (Craig, Khalil, [Guarino] II; with gamma and b Khalil's tree notation) or "standard"
                (Paul, [Barman] (2.8)), whose distal frames are kept in ``frames`` as "dh1", "dh2", ...
            name: for titles and messages.
            gravity: the acceleration of free fall in world axes [m/s^2].
            base: "fixed", or "floating" for a free body "base" that carries the chain.
            base_inertia: of the floating base.
            strict: refuse inertias that no body can have.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.Robot.from_dh([kt.DH(a=0.5, mass=1.0, com=(-0.25, 0, 0))] * 2, convention="standard")
            >>> arm.nv, arm.joint_names
            (2, ('joint1', 'joint2'))
        """
        options = {"name": name, "gravity": gravity, "base": base, "base_inertia": base_inertia, "strict": strict}
        return cls._of(mechanism_from_dh(rows, convention, **options))

    @classmethod
    def from_urdf(
        cls,
        source: str | Path,
        *,
        base: str = "fixed",
        name: str | None = None,
        gravity: Sequence[Real] = (0.0, 0.0, -9.81),
        lock: Mapping[str, float] | None = None,
        strict: bool = True,
    ) -> Robot:
        """A robot from a URDF file or text.

        Links behind fixed joints are merged into their parents; their frames stay in ``frames`` by the link's name.

        Args:
            source: a path, or text that begins with "<".
            base: "fixed", or "floating" for a free joint "base" before the root link.
            name: instead of the one in the file.
            gravity: the acceleration of free fall in world axes [m/s^2].
            lock: joints to hold at a value [rad or m], by name.
            strict: refuse inertias that no body can have.

        Example:
            >>> import kinetree as kt
            >>> text = '''<robot name="pendulum"><link name="base"/><link name="arm"/>
            ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'''
            >>> kt.Robot.from_urdf(text).joint_names
            ('hinge',)
        """
        from kinetree.model.urdf import mechanism_from_urdf  # the XML reader is loaded when needed

        return cls._of(mechanism_from_urdf(source, base=base, name=name, gravity=gravity, lock=lock, strict=strict))

    @classmethod
    def _of(cls, m: Mechanism) -> Robot:
        return cls(m.bodies, m.name, m.gravity, m.named_frames, m.strict)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Joint forces of a motion: tau = M(q) qdd + h(q, qd), friction and rotors included.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            qdd: accelerations (..., nv) [rad/s^2, m/s^2].
            external, base_velocity, base_acceleration: see `Robot`.
            out: an array for the result.

        Returns:
            tau (..., nv) [N m, N].

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]).round(3)
            array([0.4 , 0.16])

        Reference: [Khalil2010] (18)-(31).
        """
        base = base_velocity, base_acceleration
        return self._call("inverse_dynamics", (q, qd, qdd), external, base, None, out, parameters)

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Accelerations that joint forces cause: qdd = M(q)^-1 (tau - h(q, qd)), by articulated bodies.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            tau: joint forces (..., nv) [N m, N].
            external, base_velocity, base_acceleration: see `Robot`.
            out: an array for the result.

        Returns:
            qdd (..., nv) [rad/s^2, m/s^2].

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> arm.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.40, 0.16]).round(9) + 0.0
            array([1., 0.])

        Reference: [Khalil2010] (33)-(44); [RBDA] Table 7.1, p. 132.
        """
        base = base_velocity, base_acceleration
        return self._call("forward_dynamics", (q, qd, tau), external, base, None, out, parameters)

    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
        """The mass matrix M(q), symmetric and positive definite, rotors included.

        Args:
            q: positions (..., nq) [rad, m].
            out: an array for the result.

        Returns:
            M (..., nv, nv) [kg m^2, kg m, kg].

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().mass_matrix([0.0, 0.0]).round(3)
            array([[0.4 , 0.16],
                   [0.16, 0.12]])

        Reference: [RBDA] Table 6.2, p. 108.
        """
        return self._call("mass_matrix", (q,), None, _STILL, None, out, parameters)

    def bias_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        external: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The joint forces h(q, qd) of a motion without acceleration: Coriolis, centrifugal, gravity, friction.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            external, base_velocity, base_acceleration: see `Robot`.
            out: an array for the result.

        Returns:
            h (..., nv) [N m, N].

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().bias_forces([0.0, 0.0], [1.0, 0.0]).round(6) + 0.0
            array([0., 0.])
        """
        base = base_velocity, base_acceleration
        return self._call("bias_forces", (q, qd), external, base, None, out, parameters)

    def gravity_forces(
        self,
        q: ArrayLike,
        *,
        external: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The joint forces g(q) that hold the robot at rest.

        Args:
            q: positions (..., nq) [rad, m].
            external: see `Robot`.
            out: an array for the result.

        Returns:
            g (..., nv) [N m, N].

        Example:
            >>> import kinetree as kt
            >>> kt.robots.puma560().gravity_forces([0.0] * 6).shape
            (6,)
        """
        return self._call("gravity_forces", (q,), external, _STILL, None, out, parameters)

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The wrench that each body receives from its parent through the joint.

        Args:
            q, qd, qdd: the motion, as in `inverse_dynamics`.
            external, base_velocity, base_acceleration: see `Robot`.
            out: an array for the result.

        Returns:
            w (..., nbodies, 6): moment [N m] about the joint origin, then force [N], in body axes.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.puma560()
            >>> arm.joint_wrenches([0.0] * 6, [0.0] * 6, [0.0] * 6).shape
            (6, 6)

        Reference: [Khalil2010] (25).
        """
        base = base_velocity, base_acceleration
        return self._call("joint_wrenches", (q, qd, qdd), external, base, None, out, parameters)

    def pose(self, q: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
        """The pose of a named frame in the world.

        Args:
            q: positions (..., nq) [rad, m].
            frame: one of ``frames``.
            out: an array for the result.

        Returns:
            X (..., 4, 4): the homogeneous matrix [R, p; 0, 1] that maps coordinates in the frame to world coordinates.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().pose([0.0, 0.0], "dh2")[:3, 3]
            array([0.8, 0. , 0. ])
        """
        return self._call("pose", (q,), None, _STILL, frame, out, parameters)

    def jacobian(self, q: ArrayLike, frame: str, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
        """The Jacobian of a named frame: its angular and linear velocity is J qd.

        Args:
            q: positions (..., nq) [rad, m].
            frame: one of ``frames``.
            out: an array for the result.

        Returns:
            J (..., 6, nv): angular rows first, in world axes, of the frame's origin.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().jacobian([0.0, 0.0], "dh2")[4]
            array([0.8, 0.4])
        """
        return self._call("jacobian", (q,), None, _STILL, frame, out, parameters)

    def kinetic_energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        base_velocity: ArrayLike | None = None,
        out: Array | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The kinetic energy, rotors included: 1/2 qd . M(q) qd on a base at rest.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            base_velocity: see `Robot`.
            out: an array for the result.

        Returns:
            T (...) [J].

        Example:
            >>> import kinetree as kt
            >>> round(float(kt.robots.two_link().kinetic_energy([0.0, 0.0], [1.0, 0.0])), 6)
            0.2
        """
        base = (None, None) if base_velocity is None else (base_velocity, np.zeros(6))
        return self._call("kinetic_energy", (q, qd), None, base, None, out, parameters)

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
        """The potential energy of gravity, zero where the centre of mass is at the height of the origin.

        Args:
            q: positions (..., nq) [rad, m].
            out: an array for the result.

        Returns:
            V (...) [J].

        Example:
            >>> import kinetree as kt
            >>> float(kt.robots.two_link().potential_energy([0.0, 0.0]))
            0.0
        """
        return self._call("potential_energy", (q,), None, _STILL, None, out, parameters)

    def rates(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """The time derivative dq/dt of the coordinates: qd itself but for quaternions and floating positions.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            out: an array for the result.

        Returns:
            dq/dt (..., nq).

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().rates([0.0, 0.0], [1.0, 2.0])
            array([1., 2.])
        """
        return self._call("rates", (q, qd), None, _STILL, None, out, {})

    def function(self, name: str, *, frame: str | None = None, external: bool = False, base: bool = False) -> Function:
        """A compiled function of this robot, to keep and call without keywords.

        Args:
            name: of the method.
            frame: for "pose" and "jacobian".
            external: whether it takes external loads after its own arguments.
            base: whether it takes base velocity and base acceleration last.

        Returns:
            A `Function`; named parameters of the model come last, in alphabetical order.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().function("mass_matrix").signature
            '(2)->(2,2)'
        """
        functions = self.__dict__.setdefault("_functions", {})
        made = functions.get((name, frame, external, base))
        if made is not None:
            return made
        if name not in CATALOGUE:
            raise UnknownNameError("function", name, CATALOGUE)
        if (frame is None) == (name in _FRAMED):
            raise InputError(f"{name} {'needs' if name in _FRAMED else 'takes no'} frame=")
        if frame is not None:
            self.frame(frame)
        algorithm = CATALOGUE[name]
        if (external and not algorithm.external) or (base and not algorithm.base):
            raise InputError(f"{name} takes no {'external loads' if external else 'base motion'}")
        variant = Variant(name, frame, external, base)
        made = compile(variant, self)
        return functions.setdefault((name, frame, external, base), made)

    def operations(self, name: str, *, frame: str | None = None) -> dict[str, int]:
        """How many operations of each kind one evaluation of a function takes.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().operations("inverse_dynamics")["sin"]
            1
        """
        self.function(name, frame=frame)
        variant = Variant(name, frame)
        return trace(variant, self, signature=variant.signature).operations

    def precompile(self, *names: str, dtype: Any = np.float64) -> None:
        """Compile functions now (all that need no frame by default), so that no later call has to."""
        for name in names or tuple(n for n in CATALOGUE if n not in _FRAMED):
            self.function(name).ufunc(dtype)

    def _call(
        self,
        name: str,
        args: tuple[Any, ...],
        external: Any,
        base: tuple[Any, Any],
        frame: str | None,
        out: Any,
        parameters: dict[str, Any],
    ) -> Any:
        loaded, moving = external is not None, base[0] is not None or base[1] is not None
        function = self.function(name, frame=frame, external=loaded, base=moving)
        if loaded:
            args = (*args, external)
        if moving:
            args = (*args, *(np.zeros(6) if x is None else x for x in base))
        if self.parameters or parameters:
            args = (*args, *self._parameter_values(parameters))
        if self.quaternions:
            self._check_quaternions(args[0])
        elif not (loaded or moving or frame or self.parameters) and name not in self.__dict__:
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
        return [given.get(n, p.default) for n, p in self.parameters.items()]

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
        return np.array([x for body in self.bodies for x in body.joint.kind.neutral])

    def __getstate__(self) -> dict[str, Any]:
        names = ("bodies", "name", "gravity", "named_frames", "strict")
        return {name: getattr(self, name) for name in names}


_STILL = (None, None)
_FRAMED = ("pose", "jacobian")
