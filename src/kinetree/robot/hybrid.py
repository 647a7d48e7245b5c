"""Hybrid dynamics and the robot whose base nothing holds, as functions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from kinetree.errors import InputError, ModelError
from kinetree.robot.dynamics import Dynamics
from kinetree.robot.functions import STILL, Array


class Hybrid(Dynamics):
    """Some accelerations known and some forces; arguments as `kinetree.Robot` explains them."""

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        given: ArrayLike,
        known_forces: Sequence[str],
        *,
        external: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: tuple[Array, Array] | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]:
        """Accelerations and forces of all joints, where at each one of the two is known.

        With no known forces it is inverse dynamics, with all of them direct dynamics. With ``["base"]`` the base of a
        floating robot moves as the joints make it; with ``robot.elastic_joints`` the springs decide.

        Args:
            q: positions (..., nq) [rad, m].
            qd: velocities (..., nv) [rad/s, m/s].
            given: (..., nv), the forces [N m, N] of the joints in ``known_forces`` (zero on an elastic joint that
                only its spring drives), the accelerations [rad/s^2, m/s^2] of all others.
            known_forces: names of joints; each choice is compiled once.
            external, base_velocity, base_acceleration: see `Robot`.
            out: two arrays for the results.

        Returns:
            qdd (..., nv) and tau (..., nv), what was given among them.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> qdd, tau = arm.hybrid_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 0.0], known_forces=["joint2"])
            >>> qdd.round(3), tau.round(3)
            (array([ 1.   , -1.333]), array([0.187, 0.   ]))

        Reference: [Khalil2010] (72)-(82).
        """
        if isinstance(known_forces, str):
            raise InputError(f"known_forces is a list of names, such as [{known_forces!r}]")
        known = tuple(name for name in self.joint_names if name in set(known_forces))
        for name in known_forces:
            self.velocities_of(name)
        base = base_velocity, base_acceleration
        return self._call("hybrid_dynamics", (q, qd, given), external, base, None, out, parameters, known)

    def free_base_inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd_joints: ArrayLike,
        *,
        external: ArrayLike | None = None,
        out: tuple[Array, Array] | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]:
        """How the base of a floating robot moves when its joints move so, and the joint forces that it takes.

        Args:
            q: positions (..., nq), those of the base first.
            qd: velocities (..., nv), those of the base first.
            qdd_joints: accelerations of the joints (..., nv - nbase) [rad/s^2, m/s^2].
            external: see `Robot`; what the ground or the water does to the bodies.
            out: two arrays for the results.

        Returns:
            The acceleration of the base (..., nbase) as it stands in qdd, nbase = 6 for a free one, and the joint
            forces (..., nv - nbase) [N m, N].

        Example:
            >>> import kinetree as kt
            >>> eel = kt.robots.planar_eel(5)
            >>> acceleration, tau = eel.free_base_inverse_dynamics(eel.neutral, [0.0] * 7, [0.0, 0.0, 0.0, 1.0])
            >>> acceleration.shape, tau.shape
            ((3,), (4,))

        Reference: [Khalil2010] 7.2, (89)-(100).
        """
        if not self.nbase:
            first = f"its first joint {self.bodies[0].joint.name!r} is driven" if self.bodies else "it has no joints"
            raise ModelError(
                f'robot {self.name!r} has no free base: {first}; make it float with robot.with_base("floating"), or '
                "mark the joints of its base as actuated=False"
            )
        args = (q, qd, qdd_joints)
        return self._call("free_base_inverse_dynamics", args, external, STILL, None, out, parameters)

    @property
    def elastic_joints(self) -> tuple[str, ...]:
        """The joints whose force is that of a spring: with a stiffness, or driven through an elastic transmission.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().elastic_joints
            ()
        """
        from kinetree.scalar import is_zero

        driven = {body.joint.transmission.joint for body in self.bodies if body.joint.transmission}
        springs = {body.joint.name for body in self.bodies if not all(map(is_zero, body.joint.stiffness))}
        return tuple(name for name in self.joint_names if name in driven | springs)
