"""Files to be mutated: those of installed packages, where they are, and texts of our own."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.metadata
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from par_robots import NAMES, par_text

import kinetree as kt
from kinetree.errors import ModelError
from kinetree.model.joint import Transmission

SMALL = 14_000  # bytes; most files are small, so that many are read in a minute
ZOO = ("two_link", "scara", "puma560", "four_bar", "five_bar", "rx90", "prismatic_revolute", "stanford", "delta")

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="2.0"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
    <visual><geometry><mesh filename="package://own/hand.stl"/></geometry></visual>
  </link>
  <link name="hand"><collision><geometry><mesh filename="file.stl"/></geometry></collision></link>
  <link name="finger"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.5" quat_xyzw="0 0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="wrist" type="prismatic"><parent link="upper"/><child link="hand"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.1"/></joint>
  <joint name="grip" type="floating"><parent link="hand"/><child link="finger"/></joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="m">
    <mechanicalReduction>100</mechanicalReduction><rotorInertia>1e-5</rotorInertia></actuator></transmission>
</robot>
"""
MJCF = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz" boundmass="0.001" balanceinertia="true"/>
  <option gravity="0 0 -9.81" density="0"><flag gravity="enable"/></option>
  <default>
    <joint damping="0.1"/><default class="strong"><joint armature="0.5"/><geom density="500"/></default>
  </default>
  <include file="part.xml"/>
  <worldbody>
    <body name="upper" pos="0 0 0.5" childclass="strong">
      <joint name="shoulder" axis="0 1 0" range="-1 1" stiffness="2" springref="0.1"/>
      <inertial pos="0 0 0.1" mass="2" fullinertia="0.02 0.02 0.01 0 0 0"/>
      <site name="mark" zaxis="1 0 0"/>
      <frame euler="0 0 0.1"><body name="fore" xyaxes="1 0 0 0 1 0">
        <joint name="elbow" type="slide" ref="0.1" springdamper="0.1 1"/>
        <joint name="turn" type="ball" pos="0 0 0.1"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
        <geom type="box" size="0.1 0.2 0.3" axisangle="0 0 1 0.5" mass="1" shellinertia="true"/>
        <site name="tip" pos="0 0 1"/>
      </body></frame>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="upper" body2="fore" anchor="0 0 0"/>
    <joint name="gear" joint1="elbow" joint2="shoulder" polycoef="0 1 0.5 0 0"/>
    <weld name="glue" site1="mark" site2="tip"/>
    <weld body1="fore" relpose="0 0 0 1 0 0 0"/>
  </equality>
</mujoco>
"""
PART = """<mujocoinclude>
  <include file="common/more.xml"/>
  <worldbody><body name="ball"><freejoint name="free"/><geom type="sphere" size="0.1"/></body></worldbody>
</mujocoinclude>
"""
MORE = '<mujocoinclude><option gravity="0 0 -1.62"/></mujocoinclude>'
PAR = """(* Robotname = 'loop' *)
NL = 3
NJ = 4
NF = 5
Type = 2
ant = {0, 1, 0, 3, 2}
sigma = {0, 0, 0, 0, 2}
mu = {1, 0, 0, 0, 0}
b = {0, 0, 0, 0, 0}
gamma = {0, 0, 0, 0, 0}
d = {0, L1, L0, L3*cos(g)/2, L2}
alpha = {pi/2, 0, -pi/2, 0, 0}
theta = {t1, t2 + pi/4, t3, t4, 0}
r = {0, 0, 0, 0, sqrt(2)}
M = {1, 2.5, M3}
MX = {0.1, MX2, 0}
XX = {0.1, 1e-3, 0}
YY = {0.1, 0.1, 0}
ZZ = {ZZ1, 0.1, 0.1}
IA = {IA1, 0, 0}
FV = {0.1, FV2, 0}
eta = {0, 1, 0, 0}
k = {0, 10, 0, 0}
G = {0, 0, g3}
Z = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5, 0, 0, 0, 1}
"""
CSV = """# convention: modified
# degrees: yes
# gravity: 0 0 -9.81
# base: floating
name, joint, parent, a, alpha, d, theta, gamma, b, mass, com_x, com_y, com_z, ixx, iyy, izz, damping, lower, upper
one, revolute, 0, 0.1, 90, L1/2, 0, 10, 0.1, 1.0, 0, 0, 0.1, 0.02, 0.02, 0.01, 0.1, -170, 170
two, prismatic, one, 0.2, 0, 0.3, 45, 0, 0, 2*m, 0, 0.1, 0, 0.02, 0.02, 0.01, , 0, 0.4
three, fixed, 2, 0.2, -90, 0.3, 0, 0, 0, 1, 0, 0, 0, 0.02, 0.02, 0.01, 0, ,
"""
TOML = """name = "arm"
convention = "standard"
degrees = false
gravity = [0, 0, -9.81]
base = "fixed"

[[link]]
name = "upper"
a = 0.5
alpha = "pi/2"
mass = 1.0
com = [0.1, 0.0, "L/2"]
inertia = [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
limits = {lower = -1.0, upper = 1.0}

[[link]]
joint = "prismatic"
parent = 1
d = "sqrt(L)*2 - atan2(1, 2)"
inertia = [0.1, 0.1, 0.1]
coulomb = 0.5
upper = 2
"""


@dataclass(frozen=True)
class Source:
    """A file to be mutated; ``main`` is the file that includes it, if it is not read itself."""

    name: str
    suffix: str
    content: bytes
    main: bytes | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@functools.cache
def sources() -> Mapping[str, tuple[Source, ...]]:
    """What there is, by format; mutations take each format equally often."""
    found: dict[str, list[Source]] = {}
    for source in (*_own(), *_urdf(), *_mjcf(), *_par(), *_json()):
        found.setdefault(source.suffix, []).append(source)
    return {suffix: tuple(group) for suffix, group in found.items()}


@functools.cache
def common_files() -> dict[str, bytes]:
    """Files beside the mutated one, by their paths."""
    files = {"common/more.xml": MORE.encode(), "part.xml": PART.encode(), "own/hand.stl": b"", "file.stl": b""}
    folder = _suite()
    for file in sorted(folder.glob("common/*.xml")) if folder else ():
        files[f"common/{file.name}"] = file.read_bytes()
    return files


def _own() -> Iterator[Source]:
    for text, suffix in ((URDF, ".urdf"), (MJCF, ".xml"), (PAR, ".par"), (CSV, ".csv"), (TOML, ".toml")):
        yield Source("own text", suffix, text.encode())
    yield Source("own text with packages", ".urdf", URDF.encode(), options={"packages": True})
    yield Source("own part", ".xml", PART.encode(), main=MJCF.encode())


def _urdf() -> Iterator[Source]:
    for name in ZOO:
        robot = dataclasses.replace(getattr(kt.robots, name)(), loops=(), couplings=())
        with contextlib.suppress(ModelError):  # what a URDF can't say
            yield Source(f"{name} as URDF", ".urdf", robot.to_urdf().encode())
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for file in sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf"):
        if file.stat().st_size < SMALL:
            yield Source(file.name, ".urdf", file.read_bytes())


def _mjcf() -> Iterator[Source]:
    folder = _suite()
    for file in sorted(folder.glob("*.xml")) if folder else ():
        if file.stat().st_size < SMALL:
            yield Source(file.name, ".xml", file.read_bytes())


def _suite() -> Path | None:
    spec = importlib.util.find_spec("dm_control")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places)), "suite") if places else None


def _par() -> Iterator[Source]:
    for name in NAMES:
        yield Source(name, ".par", par_text(name).encode())


def _json() -> Iterator[Source]:
    for name in ZOO:
        yield Source(name, ".json", getattr(kt.robots, name)().to_json().encode())
    length = kt.parameter("length", 1.0)
    rows = [kt.DH(a=length, mass=2.0 * length, com=(-0.5 * length, 0, 0)), kt.DH(joint="prismatic", alpha=length)]
    yield Source("parameters", ".json", kt.Robot.from_dh(rows).to_json().encode())
    yield Source("all joint types", ".json", _all_joint_types().to_json().encode())
    limbs = kt.Robot.from_urdf(URDF, base="floating")
    yield Source("own text", ".json", limbs.to_json().encode())


def _all_joint_types() -> kt.Robot:
    """A star with a body on each type of joint, two loops, couplings, and a motor behind a spring."""
    inertia = kt.Inertia(1.0, (0.0, 0.0, 0.1), (0.02, 0.02, 0.01))
    bodies = [kt.Body(name, kt.Joint(f"{name}_joint", kind()), inertia) for name, kind in kt.joints.KINDS.items()]
    bodies = [x if x.name != "rotor" else dataclasses.replace(x, parent="revolute") for x in bodies]
    spring = kt.Joint("motor", kt.joints.Revolute(), transmission=Transmission("revolute_joint", 100.0, 0.1))
    ends = kt.Frame("revolute", kt.Transform(p=(0.1, 0.0, 0.0))), kt.Frame("prismatic")
    loops = [kt.Loop(f"{name} loop", kt.joints.KINDS[name](), *ends) for name in ("spherical", "fixed")]
    couplings = (
        kt.Coupling("prismatic_joint", "revolute_joint", (0.0, 1.0, 0.5)),
        kt.Coupling("helical_joint", None, (1.0,)),
    )
    return kt.Robot((*bodies, kt.Body("stator", spring, inertia)), "star", loops=tuple(loops), couplings=couplings)
