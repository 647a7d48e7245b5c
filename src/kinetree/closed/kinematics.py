"""Inverse kinematics of closed chains and parallel robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.algorithms.tasks import Pose
from kinetree.robot.inverse import InverseKinematics, KinematicsSolution
from kinetree.robot.kinematics import STARTS
from kinetree.spatial import Transform

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain
    from kinetree.closed.parallel import ParallelRobot


def inverse_kinematics(
    chain: ClosedChain | ParallelRobot,
    frame: str,
    pose: ArrayLike | Transform,
    guess: ArrayLike | None = None,
    limits: bool | tuple[ArrayLike, ArrayLike] = True,
    starts: int = STARTS,
    seed: int = 0,
    **options: Any,
) -> KinematicsSolution:
    """Configurations with closed loops at which a named frame is at given poses, inside the limits of the joints.

    The positions of all joints are looked for at once, in any assembly: a guess, or the neutral configuration, is
    where the search begins. For other tasks than a pose see `InverseKinematics`, which takes closed chains too.

    Args:
        frame: one of the robot's ``frames``, such as that of the platform.
        pose: homogeneous matrices (..., 4, 4), world from frame, or a `Transform`.
        guess: configurations (..., nq) to start from, closed or not.
        limits, starts, seed, options: as for `Robot.inverse_kinematics`.

    Returns:
        A `KinematicsSolution`: ``q`` (..., nq) of all joints; where it is solved the loops are closed to 1e-10.

    Example:
        >>> import kinetree as kt
        >>> chain = kt.ClosedChain(kt.robots.gough_stewart())
        >>> pose = chain.robot.pose(chain.neutral, "platform")
        >>> pose[2, 3] += 0.05
        >>> chain.inverse_kinematics("platform", pose).check().shape
        (25,)
    """
    known: dict[str, InverseKinematics] = vars(chain).setdefault("_solvers", {})
    if frame not in known:
        known[frame] = InverseKinematics(chain, Pose(frame))
    return known[frame](pose, guess=guess, limits=limits, starts=starts, seed=seed, **options)
