"""What controllers of joints share: a reference, gains, and the model that they believe in."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from kinetree.control.driven import Driven
from kinetree.control.given import one_or_each
from kinetree.control.reference import Reference
from kinetree.errors import InputError
from kinetree.model.mechanism import Mechanism
from kinetree.simulation.controller import Controller


@dataclass(frozen=True, repr=False)
class ModelBased(Controller):
    """A controller that has a model of the robot; it may be another one than the robot that moves."""

    model: Mechanism | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.model is not None and not isinstance(self.model, Mechanism):
            raise InputError(f"the model of a controller is a Robot, got {self.model!r}")

    def __repr__(self) -> str:
        """Says all that the forces depend on, the whole model included."""
        values = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        texts = (f"{name}={x.fingerprint if isinstance(x, Mechanism) else repr(x)}" for name, x in values)
        return f"{type(self).__name__}({', '.join(texts)})"

    def believed(self, robot: Mechanism) -> Mechanism:
        """The model, which must have the joints of the robot."""
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
    """A controller that pulls joints towards a reference; a subclass says how."""

    reference: Reference
    kp: Any
    kd: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reference(self.reference)
        for name in ("kp", "kd"):
            object.__setattr__(self, name, one_or_each(getattr(self, name), name))


def check_reference(reference: Any) -> None:
    if not isinstance(reference, Reference):
        raise InputError(f"a reference is one of kinetree.control, such as Hold([0.0, 0.5]); got {reference!r}")


def pull(kp: Any, kd: Any, error: list[Any], rate: list[Any]) -> list[Any]:
    """kp e + kd ed, for each."""
    return [a * e + b * ed for a, b, e, ed in zip(kp, kd, error, rate)]


def drives_of(robot: Mechanism, controller: object, *, elastic: bool = False) -> Driven:
    """The drives, refused where they are elastic and the controller is not made for it."""
    driven = Driven(robot)
    if not elastic:
        driven.refuse_elastic(controller)
    return driven
