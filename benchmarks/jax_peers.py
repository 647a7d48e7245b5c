"""Inverse dynamics of the Panda in JAX beside other libraries that compute in JAX, those that are installed here.

``python -m pip install jaxsim frax mujoco-mjx`` into the environment of ``make bench-jax`` adds their rows. Each is
measured in a process of its own, on all cores, in float64, by jit and vmap of its function of one state.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.models import bare
from benchmarks.table import show
from benchmarks.timing import best, in_new_process

BATCH, FASTER = 4096, 20
NO_INERTIA = (
    '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'
    '<origin xyz="0 0 0" rpy="0 0 0"/></inertial>'
)


def table() -> None:
    """Times of the value and of the gradient of a sum of squares, and how many times those of Kinetree they are."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "panda.urdf"
        file.write_text(bare(kt.robots.panda()).to_urdf(), encoding="utf-8")
        own: list[float] = []
        for name, (package, _) in PEERS.items():
            found = measured_apart(name, str(file)) if is_installed(package) else "not installed"
            if isinstance(found, str):
                rows.append([name, found, "", "", "", ""])
                continue
            own = own or found
            goal = "" if name == "Kinetree" else f">= {FASTER}"
            rows.append([name, *(x for t, k in zip(found, own) for x in (f"{1e6 * t:.0f}", f"{t / k:.1f}", goal))][:6])
    head = ["", "value us", "of Kinetree", "goal", "gradient us", "of Kinetree"]
    show(f"Libraries in JAX, Panda inverse dynamics of {BATCH} states, float64, all cores", head, rows)


def is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def measured_apart(name: str, file: str) -> list[float] | str:
    """The times of a process of its own [s], or why there are none."""
    code = f"from benchmarks.jax_peers import measured; measured({name!r}, {file!r})"
    try:
        return json.loads(in_new_process(code).splitlines()[-1])
    except subprocess.CalledProcessError as error:
        return f"failed: {error.stderr.strip().splitlines()[-1]:.60}"


def measured(name: str, file: str) -> None:
    """Print the times of the value and of the gradient [s]."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    robot = kt.Robot.from_urdf(file)
    inverse, order = PEERS[name][1](file, robot)
    states = np.random.default_rng(0).standard_normal((3, BATCH, robot.nv))
    arrays = [jnp.asarray(x[:, order]) for x in states]
    value = jax.jit(inverse if name == "Kinetree" else jax.vmap(inverse))
    gradient = jax.jit(jax.grad(lambda *x: jnp.sum(value(*x) ** 2), (0, 1, 2)))
    np.testing.assert_allclose(np.asarray(value(*arrays)), robot.inverse_dynamics(*states)[:, order], atol=1e-8)
    print(json.dumps([best(lambda g=g: jax.block_until_ready(g(*arrays)), 0.5) for g in (value, gradient)]))


# -- the function of a state, and the joints in its order --------------------------------------------------------------


def _kinetree(file: str, robot: kt.Robot) -> tuple[Callable[..., Any], Any]:
    return kt.jax.function(robot, "inverse_dynamics"), np.arange(robot.nv)


def _jaxsim(file: str, robot: kt.Robot) -> tuple[Callable[..., Any], Any]:
    import jaxsim.api as js

    sys.path.insert(0, str(Path(__file__).parent / "peers"))
    from with_jaxsim import sdf  # type: ignore[import-not-found]

    model = js.model.JaxSimModel.build_from_model_description(sdf(file), gravity=9.81)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        state = js.data.JaxSimModelData.build(model, joint_positions=q, joint_velocities=qd)
        return js.model.inverse_dynamics(model, state, joint_accelerations=qdd)[1]

    return inverse, _order(robot, model.joint_names())


def _frax(file: str, robot: kt.Robot) -> tuple[Callable[..., Any], Any]:
    import frax
    import jax.numpy as jnp

    tree = ET.parse(file)
    for link in tree.iter("link"):
        if link.find("inertial") is None:  # each must have one
            link.append(ET.fromstring(NO_INERTIA))
    tree.write(file)
    model, down = frax.Robot(file, joint_ordering=list(robot.joint_names)), jnp.array([0, 0, 9.81, 0, 0, 0])
    return lambda q, qd, qdd: model.rnea(q, qd, qdd, down, None), np.arange(robot.nv)


def _mjx(file: str, robot: kt.Robot) -> tuple[Callable[..., Any], Any]:
    from mujoco import mjx

    sys.path.insert(0, str(Path(__file__).parent / "peers"))
    from with_mujoco import compiled  # type: ignore[import-not-found]

    here = compiled(file)
    model = mjx.put_model(here)
    empty = mjx.make_data(model)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return mjx.inverse(model, empty.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    return inverse, _order(robot, [here.joint(k).name for k in range(here.njnt)])


def _order(robot: kt.Robot, names: Any) -> Any:
    return np.array([list(robot.joint_names).index(name) for name in names])


PEERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "Kinetree": ("kinetree", _kinetree),
    "jaxsim": ("jaxsim", _jaxsim),
    "frax": ("frax", _frax),
    "MJX": ("mujoco.mjx", _mjx),
}
