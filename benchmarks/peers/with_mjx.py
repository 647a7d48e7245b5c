"""MJX, MuJoCo in JAX: jit for a state, vmap and jit for a batch, double precision; derivatives by jacfwd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

from mujoco import mjx  # noqa: E402
from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, jitted, run  # noqa: E402
from with_mujoco import compiled  # noqa: E402


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    here = compiled(urdf)
    model = mjx.put_model(here)
    empty = mjx.make_data(model)

    def inverse(q: Any, v: Any, a: Any) -> Any:
        return mjx.inverse(model, empty.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse

    def forward(q: Any, v: Any, tau: Any) -> Any:
        return mjx.forward(model, empty.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc

    def mass(q: Any, _: Any, __: Any) -> Any:
        return mjx.full_m(model, mjx.fwd_position(model, empty.replace(qpos=q)))

    return [here.joint(k).name for k in range(here.njnt)], {
        INVERSE: jitted(inverse),
        FORWARD: jitted(forward),
        MASS: jitted(mass),
        INVERSE_DERIVATIVES: jitted(jax.jacfwd(inverse, argnums=(0, 1))),
        FORWARD_DERIVATIVES: jitted(jax.jacfwd(forward, argnums=(0, 1))),
    }


if __name__ == "__main__":
    run(functions, "mujoco-mjx", "jax", "numpy")
