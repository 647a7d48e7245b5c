"""The platform of a parallel robot as NumPy sees it: poses as coordinates, and motions that its legs don't allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed.catalogue import ChainVariant
from kinetree.closed.mobility import mobility
from kinetree.compile import compiled
from kinetree.errors import InputError, ModelError, check_name
from kinetree.robot import Robot
from kinetree.robot.functions import Array, parameter_values
from kinetree.runtime.cuda.arrays import is_on_gpu
from kinetree.scalar import Vector, sqrt
from kinetree.signature import Signature, parse
from kinetree.spatial import Rotation, Transform, Vec3

POSE = 1e-6  # [m, rad], how exactly poses are given: float32 has seven digits
AWAY = 4 * POSE  # of nine elements of an orientation and three of a position
_IMPOSSIBLE = 1e-3  # of a motion: differences of a path leave less, and a motion of another kind leaves more
_NOTHING = 1e-6  # [rad/s, m/s], and their rates: what is left where nothing moves


@dataclass(frozen=True)
class PlatformCoordinates:
    """The coordinates of the platform's joint at a pose, and how far the joint stays from it [m, rad]."""

    platform: int
    __name__ = "coordinates"

    def signature(self, robot: Any) -> Signature:
        return parse("pose(4,4) -> q(n), gap()", robot, n=robot.bodies[self.platform].joint.kind.nq)

    def __call__(self, robot: Any, pose: Sequence[Vector]) -> tuple[list[Any], Any]:
        joint = robot.bodies[self.platform].joint
        wanted = Transform(Rotation.of_rows([row[:3] for row in pose[:3]]), Vec3(*(row[3] for row in pose[:3])))
        q = [*joint.kind.coordinates(joint.placement.inverse @ wanted)]
        near = joint.pose(q)
        gaps = [a - b for a, b in zip(near.R.matrix, wanted.R.matrix)]
        return q, sqrt(sum((gap.dot(gap) for gap in (*gaps, near.p - wanted.p)), 0.0))


class PlatformKinematics:
    """The platform of a parallel robot: its coordinates at a pose, and a check of motions that the legs don't allow.

    Args:
        robot: with loops.
        platform: the number of its body.
        actuation: of the chain.
    """

    def __init__(self, robot: Robot, platform: int, actuation: Actuation) -> None:
        self.robot, self.platform, self.actuation = robot, platform, actuation
        self.joint = robot.bodies[platform].joint
        allowed = mobility(robot)
        if not allowed.determine([self.joint.name]):
            raise ModelError(
                f"{robot.name!r} has {allowed.degrees} degrees of freedom, and the motion of its platform "
                f"{robot.bodies[platform].name!r} tells {allowed.rank([self.joint.name])} of them: some joints of the "
                "legs move by themselves. Hold them, or use a kinetree.ClosedChain, which starts from the actuators"
            )

    def coordinates(self, pose: Any, start: Array, parameters: dict[str, Any]) -> tuple[Array, Array]:
        """The coordinates of the platform's joint, near those of a start; and how far the joint stays from the pose.

        The latter counts as zero where it is below what poses are given to.
        """
        with np.errstate(all="ignore"):
            target, gap = self.read(checked_poses(pose), parameters)
        return self._same_sign(target, start), np.where(gap > AWAY, gap, 0.0)

    def read(self, pose: Any, parameters: dict[str, Any]) -> tuple[Any, Any]:
        """The coordinates, and how far the joint stays from the pose."""
        read = compiled(PlatformCoordinates(self.platform), self.robot)
        return read(pose, *parameter_values(self.robot, parameters, (pose,)))

    def _same_sign(self, target: Array, start: Array) -> Array:
        """Orientations as quaternions of the sign that the start has, so that the way to them is short."""
        k = self.joint.kind.quaternion
        if k is None or start.shape[-1:] != (self.robot.nq,):
            return target
        now, own = start[..., self.robot.q_slices[self.platform]], np.arange(target.shape[-1])
        opposite = np.vecdot(target[..., k : k + 4], now[..., k : k + 4])[..., None] < 0
        return np.where(opposite & (own >= k) & (own < k + 4), -target, target)

    def check(self, configuration: Array, twist: Any, acceleration: Any, parameters: dict[str, Any]) -> None:
        """Refuse motions that the platform can't make, if there are such; an acceleration may be None."""
        if len(self.actuation.independent) == 6 or is_on_gpu(configuration):  # there nobody waits for numbers
            return
        function = compiled(ChainVariant("possible_motion", self.actuation, platform=self.platform), self.robot)
        twist = np.asarray(twist, float)
        rate = np.zeros(6) if acceleration is None else np.asarray(acceleration, float)
        with np.errstate(all="ignore"):
            possible, possible_rate = function(configuration, twist, rate, *parameter_values(self.robot, parameters))
        size = np.linalg.norm(twist, axis=-1)
        self._compare("twist", twist, possible, size)
        if acceleration is not None:
            self._compare("acceleration", rate, possible_rate, np.linalg.norm(rate, axis=-1) + size**2)

    def _compare(self, what: str, given: Array, possible: Array, size: Array) -> None:
        with np.errstate(invalid="ignore"):
            wrong = np.linalg.norm(possible - given, axis=-1) > _IMPOSSIBLE * size + _NOTHING
        if np.any(wrong):
            row = tuple(int(k) for k in np.argwhere(wrong)[0])
            where = f" of row {row}" if row else ""
            asked = np.broadcast_to(given, possible.shape)[row].tolist()
            name, degrees = self.robot.bodies[self.platform].name, len(self.actuation.independent)
            raise InputError(
                f"the {what}{where} is {asked}, which {name!r} can't make: it has {degrees} degrees of freedom, and "
                f"the nearest that they allow is {(possible[row].round(6) + 0.0).tolist()}"
            )


def platform_index(robot: Any, platform: str) -> int:
    """The number of the body that is the platform, if it can be one."""
    if not isinstance(robot, Robot):
        raise ModelError(f"a parallel robot is made of a kinetree.Robot with loops, got {robot!r}")
    names = [body.name for body in robot.bodies]
    check_name("body", platform, names)
    body = robot.bodies[names.index(platform)]
    if body.parent is not None or body.joint.mimic or not body.joint.kind.nv:
        held = f"is carried by {body.parent!r}" if body.parent else "has no coordinates of its own"
        raise ModelError(
            f"the platform {platform!r} {held}; it must be on a joint from the world that says how it can move, "
            "such as kinetree.joints.Free(), with loops to the legs"
        )
    return names.index(platform)


def condition_numbers(jacobians: Array, length: float, degrees: int) -> Array:
    """The ratios of singular values, with lengths counted in ``length``; infinity where there is no Jacobian."""
    regular: Any = np.isfinite(jacobians).all(axis=(-1, -2))
    scaled = np.where(regular[..., None, None], jacobians, 1.0) * np.array([length] * 3 + [1.0] * 3)[:, None]
    values = np.linalg.svd(scaled.astype(float), compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(regular, values[..., 0] / values[..., degrees - 1], np.inf)


def checked_poses(pose: Any) -> Array:
    """Poses as an array, if they are such; rows of NaN pass."""
    poses = np.asarray(pose, float)
    if poses.shape[-2:] != (4, 4):
        raise InputError(f"a pose is a homogeneous matrix (..., 4, 4), got an array of shape {poses.shape}")
    turned = poses[..., :3, :3]
    with np.errstate(invalid="ignore"):
        gap = np.abs(turned @ np.swapaxes(turned, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
        _refuse(poses, gap > POSE, "has an orientation that is no rotation")
        _refuse(poses, np.linalg.det(turned) < 0, "is a mirror image; an orientation has the determinant 1")
        gap = np.abs(poses[..., 3, :] - [0.0, 0.0, 0.0, 1.0]).max(axis=-1, initial=0.0)
    _refuse(poses, gap > POSE, "does not end with the row 0 0 0 1")
    return poses


def _refuse(poses: Array, wrong: Any, what: str) -> None:
    if np.any(wrong):
        row = tuple(int(k) for k in np.argwhere(wrong)[0])
        where = f" of row {row}" if row else ""
        raise InputError(f"the pose{where} {what}: {poses[row].round(6).tolist()}")


def as_given(result: Array, *given: Any) -> Array:
    """In single precision where everything was given so."""
    if is_on_gpu(result):
        return result
    single = all(getattr(x, "dtype", None) == np.float32 for x in given)
    return result.astype(np.float32) if single else result
