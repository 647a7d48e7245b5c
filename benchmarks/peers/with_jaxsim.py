"""jaxsim: jit for a state, vmap and jit for a batch, in double precision; derivatives by jacfwd.

It reads SDF; URDF only where Gazebo is installed. So the links and joints of the file are written as SDF here.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

import jaxsim.api as js  # noqa: E402
from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, jitted, run  # noqa: E402


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    model = js.model.JaxSimModel.build_from_model_description(sdf(urdf), gravity=9.81)

    def state(q: Any, qd: Any) -> Any:
        return js.data.JaxSimModelData.build(model, joint_positions=q, joint_velocities=qd)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return js.model.inverse_dynamics(model, state(q, qd), joint_accelerations=qdd)[1]

    def forward(q: Any, qd: Any, tau: Any) -> Any:
        return js.model.forward_dynamics_aba(model, state(q, qd), joint_forces=tau)[1]

    def mass(q: Any, qd: Any, _: Any) -> Any:
        return js.model.free_floating_mass_matrix(model, state(q, qd))[6:, 6:]

    return model.joint_names(), {
        INVERSE: jitted(inverse),
        FORWARD: jitted(forward),
        MASS: jitted(mass),
        INVERSE_DERIVATIVES: jitted(jax.jacfwd(inverse, argnums=(0, 1))),
        FORWARD_DERIVATIVES: jitted(jax.jacfwd(forward, argnums=(0, 1))),
    }


def sdf(urdf: str) -> str:
    """The same robot as SDF, fixed to the world: frames of links at their joints, all poses relative to the parent."""
    robot = ET.parse(urdf).getroot()
    joints, lines = robot.findall("joint"), list[str]()
    children = {joint.find("child").get("link") for joint in joints}
    (root,) = {link.get("name") for link in robot.findall("link")} - children
    # links without mass that stand for their parents: they keep the order of the joints
    same = {j.find("child").get("link"): j.find("parent").get("link") for j in joints if j.get("type") == "fixed"}

    def named(link: str | None) -> str | None:
        while link in same:
            link = same[link]
        return "root" if link == root else link  # "world" is a word of SDF

    for link in (link for link in robot.findall("link") if link.get("name") not in same):
        name, inertial = link.get("name"), link.find("inertial")
        pose = f'<pose relative_to="{_joint_of(joints, name)}">0 0 0 0 0 0</pose>' if name in children else ""
        mass = inertial.find("mass").get("value") if inertial is not None else "1e-9"
        six = inertial.find("inertia").attrib if inertial is not None else dict.fromkeys(("ixx", "iyy", "izz"), "1e-9")
        origin = inertial.find("origin") if inertial is not None else None
        about = _pose(origin)
        parts = "".join(f"<{key}>{six.get(key, 0)}</{key}>" for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        inside = f"<inertial><pose>{about}</pose><mass>{mass}</mass><inertia>{parts}</inertia></inertial>"
        lines.append(f'<link name="{named(name)}">{pose}{inside}</link>')
    lines.append('<joint name="to_world" type="fixed"><parent>world</parent><child>root</child></joint>')
    for joint in (joint for joint in joints if joint.get("type") != "fixed"):
        parent, child = named(joint.find("parent").get("link")), joint.find("child").get("link")
        axis = joint.find("axis")
        kind = "revolute" if joint.get("type") == "continuous" else joint.get("type")
        turning = f"<axis><xyz>{axis.get('xyz')}</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>"
        pose = f'<pose relative_to="{parent}">{_pose(joint.find("origin"))}</pose>'
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        lines.append(f'<joint name="{joint.get("name")}" type="{kind}">{pose}{ends}{turning}</joint>')
    return f'<sdf version="1.7"><model name="{robot.get("name")}">{"".join(lines)}</model></sdf>'


def _pose(origin: ET.Element | None) -> str:
    return "0 0 0 0 0 0" if origin is None else f"{origin.get('xyz', '0 0 0')} {origin.get('rpy', '0 0 0')}"


def _joint_of(joints: Sequence[ET.Element], link: str | None) -> str | None:
    return next(joint.get("name") for joint in joints if joint.find("child").get("link") == link)


if __name__ == "__main__":
    run(functions, "jaxsim", "jax", "numpy")
