"""Kinetree: robot dynamics for Python on recursive Newton-Euler methods.

Describe a mechanism, get its dynamic quantities as native functions that NumPy broadcasts.

    >>> import kinetree as kt
    >>> robot = kt.robots.stanford()
    >>> tau = robot.inverse_dynamics(q=[0.0] * 6, qd=[0.0] * 6, qdd=[0.0] * 6)
"""

from typing import TYPE_CHECKING

from kinetree import errors as errors
from kinetree import joints as joints
from kinetree import scalar as scalar
from kinetree.compile import compile as compile
from kinetree.compile import hessian as hessian
from kinetree.compile import jacobian as jacobian
from kinetree.model.dh import DH as DH
from kinetree.model.inertia import Inertia as Inertia
from kinetree.model.joint import Joint as Joint
from kinetree.model.joint import Limits as Limits
from kinetree.model.joint import Mimic as Mimic
from kinetree.model.joint import Transmission as Transmission
from kinetree.model.loops import Coupling as Coupling
from kinetree.model.loops import Loop as Loop
from kinetree.model.mechanism import Body as Body
from kinetree.model.mechanism import Frame as Frame
from kinetree.model.moments import Moments as Moments
from kinetree.parameter import parameter as parameter
from kinetree.robot import Robot as Robot
from kinetree.runtime.threads import threads as threads
from kinetree.spatial.rotation import Rotation as Rotation
from kinetree.spatial.transform import Transform as Transform
from kinetree.tracing import trace as trace

if TYPE_CHECKING:
    from kinetree import control as control
    from kinetree import export as export
    from kinetree import gait as gait
    from kinetree import identify as identify
    from kinetree import plan as plan
    from kinetree import robots as robots
    from kinetree import simulation as simulation
    from kinetree import view as view
    from kinetree.closed import ClosedChain as ClosedChain
    from kinetree.closed import Closure as Closure
    from kinetree.closed import ClosureStatus as ClosureStatus
    from kinetree.closed import Leg as Leg
    from kinetree.closed import ParallelRobot as ParallelRobot
    from kinetree.model.motors import Motor as Motor
    from kinetree.simulation import Motion as Motion
    from kinetree.simulation import simulate as simulate

__version__ = "0.1.0"


_LATER = {
    "Motor": "kinetree.model.motors",
    **dict.fromkeys(("ClosedChain", "Closure", "ClosureStatus", "Leg", "ParallelRobot"), "kinetree.closed"),
    **dict.fromkeys(("Motion", "simulate"), "kinetree.simulation"),
    **{
        name: f"kinetree.{name}"
        for name in ("control", "export", "gait", "identify", "plan", "robots", "simulation", "view")
    },
}


def __getattr__(name: str) -> object:
    """What needs more than the model is loaded when it is first asked for."""
    if name in _LATER:
        import importlib

        module = importlib.import_module(_LATER[name])
        return module if _LATER[name].endswith(name) else getattr(module, name)
    raise AttributeError(f"module 'kinetree' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is loaded later is shown too."""
    return sorted({*globals(), *_LATER})
