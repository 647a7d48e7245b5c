"""adam: dynamics as CasADi functions. Its fixed base is the joints' part of a floating one that does not move."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import casadi
import numpy as np
from adam import Representations
from adam.casadi import KinDynComputations
from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, run

BATCH = 4096


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    robot = KinDynComputations(complete(urdf), list(names), gravity=np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
    robot.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    n, rest = len(names), casadi.SX.zeros(6)
    q, qd, x = (casadi.SX.sym(name, n) for name in ("q", "qd", "x"))
    M = robot.mass_matrix(casadi.SX.eye(4), q)[6:, 6:]
    h = robot.bias_force(casadi.SX.eye(4), q, rest, qd)[6:]
    inverse, forward = M @ x + h, casadi.ldl_solve(x - h, *casadi.ldl(M))

    def way(outputs: Callable[[], Sequence[Any]]) -> Way:
        @cache
        def built() -> tuple[Any, Any]:
            function = casadi.Function("f", [q, qd, x], outputs())
            return function, function.map(BATCH)

        def single(*state: np.ndarray) -> Any:
            return tuple(_flat(np.asarray(y)) for y in built()[0].call(state))

        def batch(*states: np.ndarray) -> Any:
            return tuple(_rows(np.asarray(y), n) for y in built()[1].call([y.T for y in states]))

        return Way(single, batch, f"map({BATCH})")

    def derivatives(result: Any) -> Callable[[], Sequence[Any]]:
        return lambda: [casadi.jacobian(result, q), casadi.jacobian(result, qd)]

    return names, {
        INVERSE: way(lambda: [inverse]),
        FORWARD: way(lambda: [forward]),
        MASS: way(lambda: [M]),
        INVERSE_DERIVATIVES: way(derivatives(inverse)),
        FORWARD_DERIVATIVES: way(derivatives(forward)),
    }


def complete(urdf: str) -> str:
    """A file in which each inertia and joint says where it is; adam refuses others. Gives the path of a copy."""
    tree = ET.parse(urdf)
    for part in (*tree.iter("inertial"), *tree.iter("joint")):
        if part.find("origin") is None:
            ET.SubElement(part, "origin", xyz="0 0 0", rpy="0 0 0")
    tree.write(f"{urdf}.adam.urdf")
    return f"{urdf}.adam.urdf"


def _flat(found: np.ndarray) -> np.ndarray:
    """A column as a vector."""
    return found[:, 0] if found.shape[1] == 1 else found


def _rows(y: np.ndarray, n: int) -> np.ndarray:
    """Results of a map stand side by side: (n, B) or (n, n B)."""
    return y.T if y.shape[1] == BATCH else y.reshape(n, BATCH, n).transpose(1, 0, 2)


if __name__ == "__main__":
    run(functions, "adam-robotics", "casadi", "numpy")
