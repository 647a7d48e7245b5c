"""`ClosedChain`: a robot whose loops are closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed.looped import Looped
from kinetree.errors import InputError
from kinetree.robot.functions import Array

STABILISATION = 20.0  # [1/s]


class ClosedChain(Looped):
    """A mechanism with closed loops: its tree, the loops and couplings of the model, and the joints that drive it.

    The motion of the ``independent`` joints says how all others move; they are the actuated ones, unless these are
    more than the degrees of freedom. Functions take the positions q of all joints, closed, and velocities and
    accelerations of the independent ones (..., n), or those of all joints (..., nv), of which the independent ones
    count. Leading dimensions broadcast; named parameters of the model are further keywords. Where a posture is
    singular, so that the independent joints don't say how the others move, the row is NaN and a
    `SingularPostureWarning` says so. ``chain.neutral`` is the closed posture next to the neutral one of the tree,
    ``chain.mobility`` counts the degrees of freedom.

    Args:
        robot: a `Robot` with ``loops`` or ``couplings``.
        actuated: the names of the driven joints; those of the model marked as ``actuated`` by default.
        weights: where more joints are driven than there are degrees of freedom, what the squares of their forces
            weigh, one for each velocity of a driven joint: the forces are those with the least weighted sum of
            squares. Ones by default.

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.five_bar(), actuated=["left_shoulder", "right_shoulder"])
        >>> q = chain.close([0.1, -0.2]).check()
        >>> chain.inverse_dynamics(q, [1.0, 0.0], [0.0, 0.0]).shape
        (2,)

    Reference: [Khalil2010] sections 2.2 and 4.
    """

    # -- motions -------------------------------------------------------------------------------------------------

    def velocities(self, q: ArrayLike, qd: ArrayLike, **parameters: ArrayLike) -> Array:
        """The velocities of all joints.

        Args:
            q: positions of all joints (..., nq), closed.
            qd: velocities of the independent joints (..., n) [rad/s, m/s].

        Returns:
            qd (..., nv).

        Example:
            >>> import kinetree as kt
            >>> chain = kt.ClosedChain(kt.robots.four_bar())
            >>> chain.velocities(kt.robots.four_bar().neutral, [1.0]).shape
            (3,)
        """
        return self.call("velocities", (q, self._own(qd, "qd")), None, parameters)

    def accelerations(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **parameters: ArrayLike) -> Array:
        """The accelerations of all joints.

        Args:
            q: positions of all joints (..., nq), closed.
            qd, qdd: velocities and accelerations of the independent joints (..., n), or of all.

        Returns:
            qdd (..., nv).

        Example:
            >>> import kinetree as kt
            >>> chain = kt.ClosedChain(kt.robots.four_bar())
            >>> chain.accelerations(kt.robots.four_bar().neutral, [1.0], [0.0]).shape
            (3,)
        """
        return self.call("accelerations", self._motion(q, qd, qdd), None, parameters)

    # -- forces --------------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, external: ArrayLike | None = None, **parameters: ArrayLike
    ) -> Array:
        """The forces of the actuated joints for a motion.

        Args:
            q: positions of all joints (..., nq), closed.
            qd, qdd: velocities and accelerations of the independent joints (..., n), or of all.
            external: a wrench on each body (..., nbodies, 6), as for a `Robot`.

        Returns:
            tau (..., actuated) [N m, N], in the order of ``actuated``; all other joints need no force.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.robots.gough_stewart()
            >>> chain = kt.ClosedChain(robot)
            >>> weight = chain.inverse_dynamics(robot.neutral, [0.0] * 6, [0.0] * 6)
            >>> bool((weight > 30).all())
            True

        Reference: [Khalil2010] (55)-(57).
        """
        return self.call("inverse_dynamics", self._motion(q, qd, qdd), external, parameters)

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: ArrayLike | None = None,
        stabilisation: float = STABILISATION,
        **parameters: ArrayLike,
    ) -> Array:
        """The accelerations of all joints that the forces of the actuated ones cause.

        Args:
            q, qd: positions (..., nq) and velocities (..., nv) of all joints, closed or nearly, as a simulation has
                them.
            tau: forces of the actuated joints (..., actuated) [N m, N].
            external: a wrench on each body (..., nbodies, 6), as for a `Robot`.
            stabilisation: the rate k at which errors e of the loops die away, edd + 2 k ed + k^2 e = 0 [1/s].

        Returns:
            qdd (..., nv).

        Example:
            >>> import kinetree as kt
            >>> robot = kt.robots.four_bar()
            >>> kt.ClosedChain(robot).forward_dynamics(robot.neutral, [0.0] * 3, [0.0]).shape
            (3,)

        Reference: [Khalil2010] (58); Baumgarte's stabilisation.
        """
        qd = np.asarray(qd)
        if qd.shape[-1:] != (self.robot.nv,):
            raise InputError(
                f"forward_dynamics takes the velocities of all {self.robot.nv} coordinates, got shape {qd.shape}; "
                "chain.velocities gives them"
            )
        return self.call("forward_dynamics", (q, qd, tau, stabilisation), external, parameters)

    def loop_wrenches(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, external: ArrayLike | None = None, **parameters: ArrayLike
    ) -> Array:
        """What the cut joints carry in a motion.

        Where loops hold each other more often than needed (a plane linkage out of its plane, for instance), rigid
        bodies don't say how they share the load: the multipliers with the least sum of squares are taken.

        Args:
            q, qd, qdd, external: as in `inverse_dynamics`.

        Returns:
            w (..., loops, 6): the wrench on the successor's body from the predecessor's, moment [N m] about the
            successor frame's origin, then force [N], in the axes of that frame.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.robots.four_bar()
            >>> kt.ClosedChain(robot).loop_wrenches(robot.neutral, [0.0], [0.0]).shape
            (1, 6)
        """
        return self.call("loop_wrenches", self._motion(q, qd, qdd), external, parameters)

    def joint_wrenches(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, external: ArrayLike | None = None, **parameters: ArrayLike
    ) -> Array:
        """The wrench that each body receives from its parent through the joint of the tree, passive joints too.

        Args:
            q, qd, qdd, external: as in `inverse_dynamics`; loads that several loops share are shared as in
                `loop_wrenches`.

        Returns:
            w (..., nbodies, 6): moment [N m] about the joint origin, then force [N], in body axes.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.robots.four_bar()
            >>> kt.ClosedChain(robot).joint_wrenches(robot.neutral, [0.0], [0.0]).shape
            (3, 6)
        """
        return self.call("joint_wrenches", self._motion(q, qd, qdd), external, parameters)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, external: ArrayLike | None = None, **parameters: ArrayLike
    ) -> tuple[Array, Array, Array]:
        """How the forces of the actuated joints change along the motions that the loops allow.

        Args:
            q, qd, qdd, external: as in `inverse_dynamics`.

        Returns:
            d tau/dq, d tau/dqd and d tau/dqdd, each (..., actuated, n): with respect to the independent coordinates,
            the others following. The last one is the mass matrix of the closed chain where as many joints are
            actuated as there are degrees of freedom.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.robots.four_bar()
            >>> [d.shape for d in kt.ClosedChain(robot).inverse_dynamics_derivatives(robot.neutral, [0.0], [0.0])]
            [(1, 1), (1, 1), (1, 1)]
        """
        return self.call("inverse_dynamics_derivatives", self._motion(q, qd, qdd), external, parameters)
