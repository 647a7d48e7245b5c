"""Kinetree: robot dynamics for Python on recursive Newton-Euler methods.

Describe a mechanism, get its dynamic quantities as native functions that NumPy broadcasts.

    >>> import kinetree as kt
    >>> robot = kt.robots.stanford()
    >>> tau = robot.inverse_dynamics(q=[0.0] * 6, qd=[0.0] * 6, qdd=[0.0] * 6)
"""

from typing import TYPE_CHECKING

from kinetree import sources as sources  # before all others: it notes when their import began

# isort: split
from kinetree import errors, joints, scalar
from kinetree.compile import compile, hessian, jacobian
from kinetree.model import Coupling, Inertia, Joint, Limits, Loop, Mimic, Moments, Transmission
from kinetree.model.mechanism import Body, Frame
from kinetree.parameter import parameter
from kinetree.renamed import missing_attribute
from kinetree.robot import Robot, showing as _showing
from kinetree.runtime.memory import memory_limit, release_memory
from kinetree.runtime.threads import threads
from kinetree.spatial import Rotation, Transform
from kinetree.tracing import trace

__version__ = "0.1.0"

__all__ = [
    "DH", "Body", "ClosedChain", "Closure", "ClosureStatus", "Coupling", "Frame", "Inertia", "InverseKinematics",
    "Joint", "KinematicsSolution", "Leg", "Limits", "Loop", "Mimic", "Moments", "Motion", "Motor", "ParallelRobot",
    "Robot", "Rotation", "Transform", "Transmission", "__version__", "compile", "control", "errors", "export", "fmi",
    "gait", "hessian", "identify", "jacobian", "joints", "memory_limit", "parameter", "plan", "release_memory",
    "robots", "scalar", "scene", "simulate", "simulation", "tasks", "threads", "trace", "view",
]  # fmt: skip

if TYPE_CHECKING:
    from kinetree import (
        control,
        export,
        fmi,
        gait,
        identify,
        jax as jax,
        plan,
        robots,
        scene,
        simulation,
        torch as torch,
        view,
        xarray as xarray,
    )
    from kinetree.algorithms import tasks
    from kinetree.closed import ClosedChain, Closure, ClosureStatus, Leg, ParallelRobot
    from kinetree.model.dh import DH
    from kinetree.model.motors import Motor
    from kinetree.robot.inverse import InverseKinematics, KinematicsSolution
    from kinetree.simulation import Motion, simulate
else:
    # what needs more than the model is imported when it is first asked for
    _LATER = {
        "DH": "kinetree.model.dh",
        "Motor": "kinetree.model.motors",
        "tasks": "kinetree.algorithms.tasks",
        **dict.fromkeys(("InverseKinematics", "KinematicsSolution"), "kinetree.robot.inverse"),
        **dict.fromkeys(("ClosedChain", "Closure", "ClosureStatus", "Leg", "ParallelRobot"), "kinetree.closed"),
        **dict.fromkeys(("Motion", "simulate"), "kinetree.simulation"),
        **{
            name: f"kinetree.{name}"
            for name in (
                "control",
                "export",
                "fmi",
                "gait",
                "identify",
                "jax",
                "plan",
                "robots",
                "scene",
                "simulation",
                "torch",
                "view",
                "xarray",
            )
        },
    }

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise missing_attribute("kinetree", name)
        import importlib

        module = importlib.import_module(_LATER[name])
        return module if _LATER[name].endswith(name) else getattr(module, name)


def _engine(robot: object) -> object:
    """The engine of a robot's page, from the layer that writes code for pages."""
    from kinetree.export.page import engine

    return engine(robot)


_showing.engine = _engine  # type: ignore[assignment]


def __dir__() -> list[str]:
    """The public names, those that are not imported yet among them."""
    return sorted(__all__)
