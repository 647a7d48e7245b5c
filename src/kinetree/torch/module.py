"""`InertialModule`: a function of a robot whose inertias are learned, and stay those of bodies that can exist.

Ten numbers are the moments of a body if its pseudo-inertia, the matrix P of second moments of its points (x, y, z, 1),
is positive definite ([Wensing2018]). It is written as P = R U U' R', with P0 = R R' of the model and

        | e^d1  s12   s13   t1 |
    U = |       e^d2  s23   t2 |  e^a
        |             e^d3  t3 |
        |                   1  |

so that all numbers (a, d1, d2, d3, s12, s23, s13, t1, t2, t3) are possible, zero is the model, and none has a unit
([Rucker2022], there with R = 1).
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from kinetree.closed import ClosedChain, ParallelRobot
from kinetree.compile import FunctionSource, compile
from kinetree.errors import InputError, check_names
from kinetree.identify.physical import TYPICAL_MASS, positive_definite
from kinetree.joints import Rotor
from kinetree.lower.operand import Operand
from kinetree.model import Moments
from kinetree.model.mechanism import Body
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.scalar import Scalar
from kinetree.signature import Signature
from kinetree.torch.function import TorchFunction, function


@dataclass(frozen=True)
class WithInertias:
    """A function over scalars of a robot whose bodies have other inertias: ten moments for each of some bodies."""

    function: Callable[..., Any]
    own: Signature
    bodies: tuple[int, ...]

    @property
    def __name__(self) -> str:
        return getattr(self.function, "__name__", "function")

    def signature(self, robot: Any) -> Signature:
        return self.own.taking(Operand("inertias", (len(self.bodies), 10)))

    def __call__(self, robot: Any, *args: Any) -> Any:
        *own, moments = args
        return self.function(with_moments(robot, dict(zip(self.bodies, moments))), *own)


def with_moments(robot: Any, moments: dict[int, Sequence[Any]]) -> Any:
    """The robot with bodies of other moments: mass, first moments, and second ones XX, YY, ZZ, XY, XZ, YZ."""
    bodies = list(robot.bodies)
    for i, x in moments.items():
        bodies[i] = replace(bodies[i], inertia=Moments(x[0], x[1:4], x[4:10]))
    return replace(robot, bodies=tuple(bodies))


class InertialModule(torch.nn.Module):
    """A function of a robot whose inertias are parameters to learn, whatever an optimiser does to them.

    ``theta`` (bodies, 10) is zero for the robot as it is, has no units, and may have any values: masses stay above
    zero, and inertias those that a distribution of mass has. Calls take the arguments of the function. What the data
    does not identify stays where it is, unless a loss holds it near zero.

    Args:
        robot, name: as for `kinetree.torch.function`, and its other options.
        bodies: the names of the bodies to learn; all but rotors by default. A body without mass starts with the mean
            of the others, one without size with 0.1 m, and a rod a twentieth as thick as long.
        dtype: of ``theta``; PyTorch's default one by default.
        options: ``frame``, ``external``, ``base``, ``known_forces``.

    Example:
        >>> import torch
        >>> import kinetree as kt
        >>> model = kt.torch.InertialModule(kt.robots.two_link(), "inverse_dynamics", bodies=["link2"])
        >>> model.theta.shape
        torch.Size([1, 10])
        >>> model(torch.zeros(5, 2), torch.zeros(2), torch.ones(2)).shape
        torch.Size([5, 2])

    Reference: [Rucker2022], [Wensing2018].
    """

    def __init__(
        self,
        robot: Robot | ClosedChain | ParallelRobot | Function,
        name: str | None = None,
        *,
        bodies: Sequence[str] | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__()
        plain = function(robot, name, **options)
        source: Any = plain.compiled.source
        if not isinstance(source, FunctionSource) or source.robot is None:
            raise InputError(f"{plain.compiled.name} has no robot whose inertias could be learned")
        self._nominal: Robot = source.robot
        self._indices = _chosen(self._nominal, bodies)
        opened = WithInertias(source.function, source.signature, self._indices)
        made = compile(opened, source.robot, outputs=source.outputs, dtype=plain.compiled.dtype)
        self.function = TorchFunction(made, plain.defaults, plain.has_margin)
        self.theta = torch.nn.Parameter(torch.zeros(len(self._indices), 10, dtype=dtype))
        self.register_buffer("roots", torch.from_numpy(_roots(self._nominal, self._indices)), persistent=False)

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies that are learned."""
        return tuple(self._nominal.bodies[i].name for i in self._indices)

    def extra_repr(self) -> str:
        return f"{self.function.compiled.name}, bodies={list(self.bodies)}"

    def pseudo_inertias(self) -> Any:
        """P (bodies, 4, 4) [kg m^2, kg m, kg], in double precision."""
        theta = self.theta.double()
        scale, diagonal, above, last = theta.split((1, 3, 3, 3), dim=-1)
        rows = [
            torch.stack([diagonal[:, 0].exp(), above[:, 0], above[:, 2], last[:, 0]], -1),
            torch.stack([torch.zeros_like(scale[:, 0]), diagonal[:, 1].exp(), above[:, 1], last[:, 1]], -1),
            torch.nn.functional.pad(torch.stack([diagonal[:, 2].exp(), last[:, 2]], -1), (2, 0)),
            torch.nn.functional.pad(torch.ones_like(scale), (3, 0)),
        ]
        root = self.roots.double() @ (torch.stack(rows, -2) * scale.exp()[..., None])
        return root @ root.mT

    def moments(self) -> Any:
        """Mass [kg], first moments [kg m] and second ones XX, YY, ZZ, XY, XZ, YZ [kg m^2] of each body (bodies, 10)."""
        p = self.pseudo_inertias()
        a, b, c = p[:, 0, 0], p[:, 1, 1], p[:, 2, 2]
        products = -p[:, 0, 1], -p[:, 0, 2], -p[:, 1, 2]
        return torch.stack([p[:, 3, 3], *p[:, :3, 3].unbind(-1), b + c, a + c, a + b, *products], -1)

    def forward(self, *args: Any, **parameters: Any) -> Any:
        floats = [a.dtype for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
        dtype = self.theta.dtype if not floats else torch.float64 if torch.float64 in floats else floats[0]
        own = self.function.own - 1
        return self.function(*args[:own], self.moments().to(dtype), *args[own:], **parameters)

    def robot(self) -> Robot:
        """The robot with the inertias that are learned so far."""
        found = self.moments().detach().cpu().numpy().tolist()
        return with_moments(self._nominal, dict(zip(self._indices, found)))


def _chosen(robot: Robot, names: Sequence[str] | None) -> tuple[int, ...]:
    """The positions of bodies whose inertias are free."""
    rotors = [b.name for b in robot.bodies if isinstance(b.joint.kind, Rotor)]
    everything = [b.name for b in robot.bodies]
    chosen = [n for n in everything if n not in rotors] if names is None else names
    if isinstance(chosen, str):
        raise InputError(f"bodies is a list of names, such as [{chosen!r}]")
    check_names("body", chosen, everything)
    if not chosen or len({*chosen}) != len(chosen):
        raise InputError(f"give each body once, and at least one: got {list(chosen)}")
    for name in chosen:
        if name in rotors:
            raise InputError(f"{name!r} is a rotor, which stays round; learn the inertias of other bodies")
        if any(isinstance(x, Scalar) for x in _moments(robot.bodies[everything.index(name)])):
            raise InputError(f"the inertia of {name!r} has named parameters: learn these, or give it numbers")
    return tuple(everything.index(name) for name in chosen)


def _moments(body: Body) -> list[Any]:
    rigid = body.inertia.rigid
    return [rigid.m, *rigid.ms, *rigid.J]


def _roots(robot: Robot, indices: Sequence[int]) -> Any:
    """Upper triangular factors R (bodies, 4, 4) of the pseudo-inertias R R' of the model, made possible if need be."""
    masses = [m for m in (_moments(b)[0] for b in robot.bodies) if not isinstance(m, Scalar) and m > 0]
    typical = float(np.mean(masses)) if masses else TYPICAL_MASS
    guesses = [positive_definite(np.array(_moments(robot.bodies[i]), float), typical) for i in indices]
    return np.stack([np.linalg.cholesky(p[::-1, ::-1])[::-1, ::-1] for p in guesses])
