"""MuJoCo: mj_inverse in a loop and mujoco.batch, constraints switched off; derivatives by its finite differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from protocol import FORWARD, INVERSE, INVERSE_DERIVATIVES, MASS, Way, run

# links without mass are allowed, none is merged into another, and inertias are taken as they stand
COMPILER = '<mujoco><compiler fusestatic="false" boundmass="1e-9" boundinertia="1e-9" balanceinertia="true"/></mujoco>'
STEP = 1e-6  # of finite differences


def compiled(urdf: str) -> Any:
    """MuJoCo's model of a URDF file, without constraints."""
    text = Path(urdf).read_text(encoding="utf-8").replace("</robot>", COMPILER + "</robot>")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    return model


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    model = compiled(urdf)
    data, n = mujoco.MjData(model), model.nv
    M, Dq, Dv, Da = np.zeros((4, n, n))

    def inverse(q: Any, v: Any, a: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    def forward(q: Any, v: Any, tau: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        return data.qacc.copy()

    @cache
    def pool(count: int) -> Any:
        batch = Batch(model, nsim=count, nthread=1)
        return batch, *(batch.bind(name) for name in ("qpos", "qvel", "qfrc_applied", "qacc"))

    def forward_batch(q: Any, v: Any, tau: Any) -> Any:
        batch, qpos, qvel, force, qacc = pool(len(q))
        qpos[:], qvel[:], force[:] = q, v, tau
        batch.forward()
        return qacc.copy()

    def mass(q: Any, _: Any, __: Any) -> Any:
        data.qpos[:] = q
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fullM(model, data, M)
        return M.copy()

    def derivatives(q: Any, v: Any, a: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mjd_inverseFD(model, data, STEP, 1, Dq, Dv, Da, None, None, None, None)
        return Dq.T.copy(), Dv.T.copy()  # theirs are transposed

    joints = [model.joint(k).name for k in range(model.njnt)]
    return joints, {
        INVERSE: Way(inverse),
        FORWARD: Way(forward, forward_batch, "mujoco.batch"),
        MASS: Way(mass),
        INVERSE_DERIVATIVES: Way(derivatives, how="a loop, finite differences"),
    }


if __name__ == "__main__":
    run(functions, "mujoco", "numpy")
