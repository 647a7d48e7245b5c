"""The dynamic quantities of a mechanism as functions of NumPy arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetree.robot.functions import STILL, Array, Functions


class Dynamics(Functions):
    """Inverse and direct dynamics, and what they are made of; arguments as `kinetree.Robot` explains them."""

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
        return self._call("mass_matrix", (q,), None, STILL, None, out, parameters)

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
        return self._call("gravity_forces", (q,), external, STILL, None, out, parameters)

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
        return self._call("pose", (q,), None, STILL, frame, out, parameters)

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
        return self._call("jacobian", (q,), None, STILL, frame, out, parameters)

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
        return self._call("potential_energy", (q,), None, STILL, None, out, parameters)

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
        return self._call("rates", (q, qd), None, STILL, None, out, {})
