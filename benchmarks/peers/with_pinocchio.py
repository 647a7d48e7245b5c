"""Pinocchio: its functions in a loop; where it has one, its own call for a batch, with one thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, run


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    model = pin.buildModelFromUrdf(urdf)
    data, pool = model.createData(), pin.ModelPool(model, 1)

    def inverse_derivatives(q: Any, v: Any, a: Any) -> Any:
        pin.computeRNEADerivatives(model, data, q, v, a)
        return data.dtau_dq, data.dtau_dv

    def forward_derivatives(q: Any, v: Any, tau: Any) -> Any:
        pin.computeABADerivatives(model, data, q, v, tau)
        return data.ddq_dq, data.ddq_dv

    def pooled(function: Any) -> Any:
        def batch(*states: np.ndarray) -> np.ndarray:
            result = np.empty(states[0].shape[::-1], order="F")
            function(1, pool, *(x.T for x in states), result)
            return result.T

        return batch

    return list(model.names)[1:], {
        INVERSE: Way(lambda q, v, a: pin.rnea(model, data, q, v, a), pooled(pin.rneaInParallel), "rneaInParallel"),
        FORWARD: Way(lambda q, v, f: pin.aba(model, data, q, v, f), pooled(pin.abaInParallel), "abaInParallel"),
        MASS: Way(lambda q, _, __: pin.crba(model, data, q)),
        INVERSE_DERIVATIVES: Way(inverse_derivatives),
        FORWARD_DERIVATIVES: Way(forward_derivatives),
    }


if __name__ == "__main__":
    run(functions, "pin", "numpy")
