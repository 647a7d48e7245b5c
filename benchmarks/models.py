"""The robots of the benchmarks, for Kinetree, Pinocchio and MuJoCo."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import kinetree as kt
from kinetree.joints import Prismatic, Revolute

FILES = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
    "Talos": "talos_data/robots/talos_reduced.urdf",
}


def path(name: str) -> Path:
    """The URDF file of a robot in the example-robot-data wheel."""
    import pinocchio

    for parent in Path(pinocchio.__file__).parents:
        folder = parent / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder / FILES[name]
    raise FileNotFoundError("the package example-robot-data is not installed; run make venv")


def robot(name: str) -> kt.Robot:
    """The robot without friction, and with mimicking joints as joints of their own: as Pinocchio reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.ModelWarning)
        read = kt.Robot.from_urdf(path(name))
    bodies = [replace(b, joint=replace(b.joint, damping=0.0, coulomb=0.0, mimic=None)) for b in read.bodies]
    return kt.Robot(tuple(bodies), read.name, read.gravity, read.named_frames)


def bare(robot: kt.Robot) -> kt.Robot:
    """Only what every library reads in the same way: bodies and joints on a fixed base, no friction, no rotors."""
    fixed = (robot.with_base("fixed") if robot.nq > robot.nv else robot).merge_fixed()
    none: dict[str, Any] = {"damping": 0.0, "coulomb": 0.0, "rotor_inertia": 0.0, "mimic": None}
    return kt.Robot(tuple(replace(b, joint=replace(b.joint, **none)) for b in fixed.bodies), fixed.name, fixed.gravity)


def floating(file: Path) -> kt.Robot:
    """A robot of a file on a floating base, as it stands there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.ModelWarning)
        return kt.Robot.from_urdf(file, base="floating")


def pinocchio_model(name: str) -> Any:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path(name)))


def mujoco_model(robot: kt.Robot) -> Any:
    """The same tree of hinges and slides as an MJCF model without contacts."""
    import mujoco

    children: dict[str | None, list[kt.Body]] = {}
    for body in robot.bodies:
        children.setdefault(body.parent, []).append(body)

    def numbers(values: Any) -> str:
        return " ".join(repr(float(x)) for x in values)

    def element(body: kt.Body) -> str:
        placement, kind, inertia = body.joint.placement, body.joint.kind, body.inertia
        if not isinstance(kind, (Revolute, Prismatic)):
            raise TypeError(f"joint {body.joint.name!r} is neither a hinge nor a slide")
        R = placement.R
        if isinstance(kind, Revolute):
            R = R.then(kind.transform([0.0]).R)
        x, y, _ = zip(*R.matrix)
        mass = max(inertia.mass, 1e-9)
        J = [a if k > 2 else max(a, 1e-9) for k, a in enumerate(inertia.about_com)]
        inside = "".join(map(element, children.get(body.name, [])))
        return (
            f'<body name="{body.name}" pos="{numbers(placement.p)}" xyaxes="{numbers(x)} {numbers(y)}">'
            f'<inertial pos="{numbers(inertia.com)}" mass="{mass!r}" fullinertia="{numbers(J)}"/>'
            f'<joint type="{"hinge" if isinstance(kind, Revolute) else "slide"}" axis="{numbers(kind.axis)}"/>'
            f"{inside}</body>"
        )

    world = "".join(map(element, children.get(None, [])))
    return mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian" balanceinertia="true" boundmass="1e-9" boundinertia="1e-9"/>'
        '<option gravity="0 0 -9.81"><flag constraint="disable" contact="disable"/></option>'
        f"<worldbody>{world}</worldbody></mujoco>"
    )


def chain(joints: int) -> kt.Robot:
    """A serial arm of general links, alternating twists."""
    rows = [
        kt.DH(
            alpha=(-1) ** i * 1.1,
            a=0.1,
            d=0.2,
            mass=1.0 + 0.01 * i,
            com=(0.05, 0.02, 0.1),
            inertia=(0.02, 0.03, 0.025, 0.001, 0.002, 0.003),
        )
        for i in range(joints)
    ]
    return kt.Robot.from_dh(rows, name=f"chain of {joints}")


def counted() -> dict[str, tuple[kt.Robot, str]]:
    """The robots of which operations are counted, each with the published count of a comparable one."""
    general = {"mass": 2.0, "com": (0.1, 0.02, 0.03), "inertia": (0.11, 0.12, 0.13, 0.01, 0.02, 0.03)}
    generic = [kt.DH(alpha=0.3 * k + 0.2, a=0.1, d=0.2, **general) for k in range(6)]
    first = kt.DH(**general)
    return {
        "generic 6R": (kt.Robot.from_dh([first, *generic[1:]]), "459 / 393"),
        "stanford": (kt.robots.stanford(), "-"),
        "puma560": (kt.robots.puma560(), "298 / 283"),
        "seven_link": (kt.robots.seven_link(), "343 / 325"),
        "UR5": (robot("UR5"), "301 / 286"),
    }
