"""What controllers of joints share: a reference, gains, and a nominal model."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from kinetree.control.actuation import ActuatedJoints, TrackingTarget
from kinetree.control.reference import Reference
from kinetree.control.validation import one_or_each, spread
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.scalar import Vector
from kinetree.simulation.controller import Controller


@dataclass(frozen=True, repr=False)
class ModelBased(Controller):
    """A controller with a nominal model, which may differ from the robot that is simulated."""

    model: Mechanism | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.model is not None and not isinstance(self.model, Mechanism):
            raise InputError(f"the model of a controller is a Robot, got {self.model!r}")

    def __repr__(self) -> str:
        """All that the forces depend on, the whole model included."""
        values = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        texts = (f"{name}={x.fingerprint if isinstance(x, Mechanism) else repr(x)}" for name, x in values)
        return f"{type(self).__name__}({', '.join(texts)})"

    def nominal_model(self, robot: Mechanism) -> Mechanism:
        """The model that the controller computes with, which must have the joints of the robot."""
        if self.model is None:
            return robot
        theirs, ours = ([(b.joint.name, b.joint.kind.nv) for b in x.bodies] for x in (robot, self.model))
        if theirs != ours:
            raise InputError(
                f"the model {self.model.name!r} of the controller does not have the joints of the robot {robot.name!r}"
            )
        return self.model


@dataclass(frozen=True, repr=False)
class JointControl(ModelBased):
    """A controller that makes joints track a reference; a subclass says how."""

    reference: Reference
    kp: Any
    kd: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reference(self.reference)
        for name in ("kp", "kd"):
            object.__setattr__(self, name, one_or_each(getattr(self, name), name))

    def tracking(
        self, robot: Mechanism, t: Any, q: Vector, qd: Vector, *, elastic: bool = False
    ) -> tuple[ActuatedJoints, TrackingTarget]:
        """The actuated joints of the nominal model, and their target at the time t."""
        actuated = actuated_joints(self.nominal_model(robot), self, elastic=elastic)
        return actuated, actuated.tracking_target(self.reference.at(t), q, qd)

    def feedback(self, error: Vector, error_rate: Vector) -> list[Any]:
        """kp e + kd ed, for each velocity of an actuated joint."""
        return feedback(self.kp, self.kd, error, error_rate)


def check_reference(reference: Any) -> None:
    if not isinstance(reference, Reference):
        raise InputError(f"a reference is one of kinetree.control, such as Hold([0.0, 0.5]); got {reference!r}")


def feedback(kp: Any, kd: Any, error: Vector, error_rate: Vector) -> list[Any]:
    """kp e + kd ed, for each; gains are one number for all, or one for each."""
    kp, kd = spread(kp, len(error), "kp"), spread(kd, len(error), "kd")
    return [a * e + b * ed for a, b, e, ed in zip(kp, kd, error, error_rate)]


def actuated_joints(robot: Mechanism, controller: object, *, elastic: bool = False) -> ActuatedJoints:
    """The actuated joints, refused where they are elastic and the controller is not made for it."""
    actuated = ActuatedJoints(robot)
    if actuated.elastic and not elastic:
        names = ", ".join(joint.name for joint in actuated.joints if joint.motor)
        raise InputError(
            f"{type(controller).__name__} needs rigid drives, but {names} of robot {robot.name!r} are driven through "
            "springs; take kinetree.control.ElasticTracking, or PD"
        )
    return actuated
