"""Names of coordinates, for messages and plots."""

from __future__ import annotations

from kinetree.model.mechanism import Mechanism


def coordinates(robot: Mechanism) -> list[str]:
    """A name for each velocity: the joint's, numbered where it has several."""
    several = ((joint, len(robot.velocities_of(joint))) for joint in robot.joint_names)
    return [joint if n == 1 else f"{joint}[{k}]" for joint, n in several for k in range(n)]
