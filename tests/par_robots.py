"""Robots as texts in the .par format of SYMORO, written from tables of their geometric parameters.

The geometry is that of the robots that are known from SYMORO, in the notation of [Khalil2010] section 2. Everything
else is a symbol, as it is when a model is derived: ten inertial parameters of each link, rotor inertias, friction, the
wrench on the last link, joint states and gravity.
"""

from __future__ import annotations

import numpy as np

import kinetree as kt

INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
_COLUMNS = ("ant", "sigma", "mu", "gamma", "b", "alpha", "d", "theta", "r")
# a row for each frame: the joints of the tree, the cut joints, then for each cut joint the frame on its other link
_TABLES = {
    # six revolute joints, spherical wrist
    "RX90": """
        0 0 1  0 0  0     0   th1 0
        1 0 1  0 0  pi/2  0   th2 0
        2 0 1  0 0  0     D3  th3 0
        3 0 1  0 0  -pi/2 0   th4 RL4
        4 0 1  0 0  pi/2  0   th5 0
        5 0 1  0 0  -pi/2 0   th6 0""",
    # a prismatic third joint
    "Stanford": """
        0 0 1  0 0  0     0   th1 0
        1 0 1  0 0  -pi/2 0   th2 RL2
        2 1 1  0 0  pi/2  0   0   r3
        3 0 1  0 0  0     0   th4 0
        4 0 1  0 0  -pi/2 0   th5 0
        5 0 1  0 0  pi/2  0   th6 0""",
    # the first four joints of it
    "Stanford4": """
        0 0 1  0 0  0     0   th1 0
        1 0 1  0 0  -pi/2 0   th2 RL2
        2 1 1  0 0  pi/2  0   0   r3
        3 0 1  0 0  0     0   th4 0""",
    # the forearm is driven through a parallelogram of links 2, 3, 8, 7
    "SR400": """
        0 0 1  0    0  0     0   th1 0
        1 0 1  0    0  -pi/2 d2  th2 0
        2 0 0  0    0  0     d3  th3 0
        3 0 1  0    0  -pi/2 d4  th4 r4
        4 0 1  0    0  pi/2  0   th5 0
        5 0 1  0    0  -pi/2 0   th6 0
        1 0 1  0    0  -pi/2 d2  th7 0
        7 0 0  0    0  0     -d8 th8 0
        8 0 0  0    0  0     d3  th9 0
        3 2 0  pi/2 0  0     -d8 0   0""",
    # two linear actuators turn shoulder and elbow; a loop through each
    "AKR3000": """
        0 0 1  0     0  0     0   t1  0
        1 0 0  0     0  pi/2  0   t2  0
        1 0 0  0     0  pi/2  D3  t3  0
        1 0 0  0     0  pi/2  D4  t4  0
        3 1 1  0     0  -pi/2 0   0   r5
        4 1 1  0     0  -pi/2 0   0   r6
        2 0 0  0     0  0     D7  t7  0
        7 0 1  0     0  -pi/2 0   t8  RL8
        8 0 1  0     0  pi/2  0   t9  0
        9 0 1  0     0  -pi/2 0   t10 0
        5 0 0  0     0  pi/2  0   t11 0
        6 0 0  0     0  pi/2  0   t12 0
        7 2 0  gam13 0  0     D13 0   0
        2 2 0  gam14 0  0     D14 0   0""",
    # two parallelograms keep the hand upright; the second ends on a frame that is fixed in the end of the first
    "TwoLoops": """
        0  0 1  0        0            0    0             th1  0
        1  0 1  0        0            pi/2 0             th2  0
        2  0 1  0        0            0    d3            th3  0
        3  0 0  0        0            0    d4            th4  0
        4  0 1  -g12     0            pi/2 0             th5  0
        1  0 0  0        d12*cos(g12) pi/2 -d12*sin(g12) th6  0
        4  0 0  pi/2     0            0    d7            th7  0
        3  0 0  0        0            0    0             th8  0
        7  0 0  0        0            0    d4            th9  0
        6  0 0  0        0            0    d3            th10 0
        8  2 0  g12+pi/2 0            0    d7            0    0
        11 2 0  0        0            0    0             0    0""",
    # a rhombus in the plane; its side has the name of a list of the format
    "PlanarLoop": """
        0 0 1  0 0  0 0 th1 0
        1 0 0  0 0  0 d th2 0
        0 0 1  0 0  0 0 th3 0
        3 0 0  0 0  0 d th4 0
        4 0 0  0 0  0 d th5 0
        2 2 0  0 0  0 d 0   0""",
}
NAMES = tuple(_TABLES)


def geometry(name: str) -> dict[str, tuple[str, ...]]:
    """The lists of geometric parameters of a robot, an entry for each frame."""
    rows = [line.split() for line in _TABLES[name].split("\n") if line]
    return dict(zip(_COLUMNS, zip(*rows), strict=True))


def par_text(name: str) -> str:
    """A robot of `NAMES` in the .par format."""
    columns = geometry(name)
    frames, loops = len(columns["ant"]), columns["sigma"].count("2")
    links, joints = frames - 2 * loops, frames - loops
    numbered = {key: [f"{key}{i + 1}" for i in range(links)] for key in (*INERTIAL, "IA", "FV", "FS")}
    wrench = {key: [*["0"] * (links - 1), f"{key}{links}"] for key in ("FX", "FY", "FZ", "CX", "CY", "CZ")}
    state = {key: [f"{key}{i + 1}" for i in range(joints)] for key in ("QP", "QDP", "GAM")}
    base = {key: ["0", "0", "0"] for key in ("W0", "WP0", "V0", "VP0")}
    still = {"G": ["0", "0", "G3"], "Z": [str(int(i % 5 == 0)) for i in range(16)]}
    sections = {
        "Frames": columns,
        "Links and drives": numbered,
        "Wrench on the last link": wrench,
        "State": state | base,
        "Gravity and base frame": still,
    }
    lines = [f"(* Robotname = '{name}' *)", f"NL = {links}", f"NJ = {joints}", f"NF = {frames}"]
    lines += [f"Type = {2 if loops else 0}", "is_mobile = 0"]
    for title, lists in sections.items():
        lines += ["", f"(* {title} *)", *(f"{key} = {{{', '.join(entries)}}}" for key, entries in lists.items())]
    return "\n".join(lines) + "\n"


def physical_numbers(robot: kt.Robot, seed: int = 0) -> dict[str, float]:
    """Random numbers for all symbols of a robot; the moments of each link are those of a body of eight points."""
    rng = np.random.default_rng(seed)
    found = {name: float(rng.uniform(0.1, 1.0)) for name in robot.parameters}
    for i in range(1, robot.nbodies + 1):
        m, x = rng.uniform(0.1, 0.5, size=8), rng.normal(size=(8, 3))
        J = np.sum([mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(m, x)], axis=0)
        ten = [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m @ x), m.sum()]
        found |= {f"{name}{i}": float(value) for name, value in zip(INERTIAL, ten)}
    return {**found, "G3": -9.81}
