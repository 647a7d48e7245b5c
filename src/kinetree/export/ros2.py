"""A robot as a package of ROS 2: a plugin of the interface ``inverse_dynamics_solver``, two nodes, and tests.

The interface is that of the group at the University of Salerno: tau = M(q) qdd + C(q, qd) qd + f(qd) + g(q), with a
method for each term. The terms are C code; what is around them is the same for all robots, in the folder
``ros2_package`` beside this file. Names from a robot's file get into texts as identifiers or escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import resources
from typing import Any

from kinetree.algorithms.passive_forces import passive_forces
from kinetree.compile import compile
from kinetree.emit.text.c import C
from kinetree.errors import InputError, check_names
from kinetree.export.code import Code
from kinetree.export.generate import ascii_text, code
from kinetree.parameter import bound
from kinetree.robot import Robot
from kinetree.runtime.function import Function

_LONGEST = 40  # letters of the name of a package, which functions begin with
_TEXTS = ("package.xml", "plugins.xml", "CMakeLists.txt", "README.md", "src/solver.cpp", "src/gravity_compensation.cpp",
          "src/computed_torque.cpp", "include/joints.hpp", "include/solver.hpp", "test/solver_test.cpp")  # fmt: skip
_TAKEN = C.reserved | {"std", "rclcpp", "pluginlib", "inverse_dynamics_solver", "model", "solver_test", "test",
                       "gravity_compensation", "computed_torque", "install", "all", "clean"}  # fmt: skip


def ros2(robot: Robot, *, name: str | None = None, values: Mapping[str, float] | None = None) -> Code:
    """A package of ROS 2 with the dynamics of a robot.

    Args:
        robot: on a fixed base, with joints of one coordinate each.
        name: of the package; that of the robot with ``_dynamics`` by default.
        values: of named parameters, which become constants: where a parameter has no default, it needs one here.

    Returns:
        A `Code` with the files of the package, in a folder of its name: the plugin ``NAME/Solver``, the nodes
        ``gravity_compensation`` and ``computed_torque``, the model in C, and tests.

    Example:
        >>> import kinetree as kt
        >>> code = kt.export.ros2(kt.robots.ur5())
        >>> code.name, [file for file in code.files if file.endswith(".xml")]
        ('ur5_dynamics', ['ur5_dynamics/package.xml', 'ur5_dynamics/plugins.xml'])
    """
    from kinetree import __version__

    _check(robot)
    package = _package_name(robot.name) if name is None else _chosen(name)
    robot = _with_values(robot, values or {})
    files: dict[str, str | bytes] = {}
    codes = [code(term, algorithm, "c", name=f"{package}_{kind}") for kind, term, algorithm in _terms(robot)]
    fields = {
        "package": package,
        "GUARD": package.upper(),
        "robot": ascii_text(robot.name),
        "version": __version__,
        "joints": str(robot.nv),
        "names": "\n".join(f"    {_literal(joint)}," for joint in robot.coordinate_names),
        "sources": " ".join(f"model/{one.name}.c" for one in codes),
        "functions": " ".join(one.name for one in codes),
        "includes": "\n".join(f'#include "{one.name}.h"' for one in codes),
    }
    folder = resources.files("kinetree.export").joinpath("ros2_package")
    for file in _TEXTS:
        text = folder.joinpath(file).read_text(encoding="utf-8")
        place = file.replace("include/", f"include/{package}/")
        files[f"{package}/{place}"] = re.sub(r"@(\w+)@", lambda found: fields[found[1]], text)
    for one in codes:
        for file, text in one.files.items():
            files[f"{package}/{'test' if '_test.' in file else 'model'}/{file}"] = text
    return Code(package, "ros2", files)


def _terms(robot: Robot) -> Iterator[tuple[str, Robot | Function, str | None]]:
    """The terms of the interface, each a function, or a robot and an algorithm."""
    smooth = _without(robot, damping=0.0, coulomb=0.0)
    free = replace(_without(smooth, stiffness=0.0), gravity=(0.0, 0.0, 0.0))
    yield "inertia_matrix", smooth, "mass_matrix"
    yield "coriolis_vector", free, "bias_forces"
    yield "gravity_vector", smooth, "gravity_forces"
    losses = _without(robot, stiffness=0.0)
    yield "friction_vector", compile(friction, losses, signature="qd(nv) -> f(nv)"), None
    yield "torques", smooth, "inverse_dynamics"


def friction(robot: Any, qd: Any) -> list[Any]:
    """f(qd): viscous and Coulomb friction of a robot without springs."""
    return passive_forces(robot, [0.0] * robot.nq, qd)


def _without(robot: Robot, **fields: float) -> Robot:
    """The robot whose joints have nothing of some kind."""
    bodies = [replace(body, joint=replace(body.joint, **fields)) for body in robot.bodies]
    return replace(robot, bodies=tuple(bodies))


def _with_values(robot: Robot, values: Mapping[str, float]) -> Robot:
    """The robot whose named parameters are numbers: those given, or the defaults."""
    check_names("parameter", values, robot.parameters)
    numbers = {name: values.get(name, p.default) for name, p in robot.parameters.items()}
    if missing := [name for name, x in numbers.items() if x is None]:
        given = ", ".join(f"{name!r}: ..." for name in missing)
        raise InputError(f"the package has numbers for named parameters: give values={{{given}}} (--set NAME=NUMBER)")
    return bound(robot, numbers)


def _check(robot: Any) -> None:
    """Refuse what the interface has no vectors for."""
    if not isinstance(robot, Robot):
        raise InputError(
            f"a package of ROS 2 is made of a Robot, got a {type(robot).__name__}; closed chains have no such interface"
        )
    if robot.loops or robot.couplings:
        raise InputError(
            f"{robot.name!r} has loops, which inverse_dynamics_solver has no functions for; export the functions of "
            "kinetree.ClosedChain to C"
        )
    moving = {body.joint.name for body in robot.bodies}
    if not robot.nv or {*robot.coordinate_names} - moving or robot.nq != robot.nv:
        raise InputError(
            f"inverse_dynamics_solver is for joints of one coordinate each, on a fixed base; {robot.name!r} has the "
            f"coordinates {', '.join(robot.position_names[:8]) or 'none'}: lock or replace the others"
        )
    if robot.transmissions:
        raise InputError(f"{robot.name!r} has elastic transmissions, whose motors are no joints of ROS")


def _package_name(robot: str) -> str:
    """A name by the rules of ROS: small letters, digits and single underscores, beginning with a letter."""
    name = re.sub(r"[^0-9a-z]+", "_", robot.lower()).strip("_")[: _LONGEST - len("robot__dynamics")].strip("_")
    return f"{name}_dynamics" if name[:1].isalpha() else f"robot_{name}_dynamics".replace("__", "_")


def _chosen(name: Any) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[a-z](_?[0-9a-z])*", name, re.ASCII) or len(name) > _LONGEST:
        raise InputError(
            f"name={name!r} can't be that of a package of ROS: small letters, digits and single _ between them, "
            f"beginning with a letter, at most {_LONGEST}"
        )
    if name in _TAKEN:
        raise InputError(f"name={name!r} has a meaning of its own in C++ or CMake; choose another, such as {name}_arm")
    return name


def _literal(text: str) -> str:
    """A name from a file that nobody trusts as a literal of C++: all but letters, digits and _ by their bytes."""
    plain = re.compile(r"[0-9A-Za-z_]")
    return '"' + "".join(c if plain.match(c) else "".join(f"\\{b:03o}" for b in c.encode()) for c in text) + '"'
