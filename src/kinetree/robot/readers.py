"""Robots from files and tables. The readers are imported when they are needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.model import Inertia
from kinetree.model.text.file import in_file, located
from kinetree.scalar import Real, Vector

if TYPE_CHECKING:
    from kinetree.model.dh import DH
    from kinetree.robot.robot import Robot

Source = str | os.PathLike[str]


def from_file(cls: type[Robot], path: Source, **options: Any) -> Robot:
    """A robot from a file of any format that Kinetree reads, recognised by its suffix and its root element.

    Args:
        path: .urdf, .xml or .mjcf (the root element decides), .par, .csv, .toml, .json.
        options: those of the reader: `from_urdf`, `from_mjcf`, `from_par`, `from_dh` or `from_json`.

    Example:
        >>> import pathlib, tempfile
        >>> import kinetree as kt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "arm.csv")
        ...     _ = file.write_text("# degrees: yes\\na, alpha, mass\\n0, 90, 1.0\\n0.5, 0, 2.0\\n")
        ...     arm = kt.Robot.from_file(file)
        >>> arm.name, arm.joint_names
        ('arm', ('joint1', 'joint2'))
    """
    from kinetree.model.files import mechanism_from_file

    return cls.of(mechanism_from_file(path, **options))


def from_dh(
    cls: type[Robot],
    rows: Sequence[DH] | Sequence[Mapping[str, Any]] | Source,
    convention: str | None = None,
    *,
    degrees: bool | None = None,
    name: str | None = None,
    gravity: Vector | None = None,
    base: str | None = None,
    base_inertia: Inertia | None = None,
    strict: bool = True,
) -> Robot:
    """A robot from a Denavit-Hartenberg table.

    Args:
        rows: one `DH` for each link, or one mapping with the same names; with ``parent=`` they form a tree.
            Mappings may also have com_x, com_y, com_z; ixx, iyy, izz, ixy, ixz, iyz; lower, upper, velocity and
            effort; and formulas such as "pi/2", in which names are named parameters. The path of a .csv file
            (a header, a line for each link, settings such as ``# degrees: yes`` before the header) or of a .toml
            file (settings, then ``[[link]]`` tables) holds such rows.
        convention: "modified" (Craig, Khalil, [Guarino] II; with gamma and b Khalil's tree notation; the default)
            or "standard" (Paul, [Barman] (2.8)), whose distal frames are kept in ``frames`` as "dh1", "dh2", ...
        degrees: whether the angles alpha, theta and gamma and the limits of revolute joints are in degrees.
        name: for titles and messages.
        gravity: the acceleration of free fall in world axes [m/s^2]; (0, 0, -9.81) by default.
        base: "fixed" (the default), or "floating" for a free body "base" that carries the chain.
        base_inertia: of the floating base.
        strict: refuse inertias that no body can have.

    Keywords win over the settings of a file.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.Robot.from_dh([kt.DH(a=0.5, mass=1.0, com=(-0.25, 0, 0))] * 2, convention="standard")
        >>> arm.nv, arm.joint_names
        (2, ('joint1', 'joint2'))
        >>> rows = [{"alpha": 90, "mass": 1.0}, {"joint": "prismatic", "d": "L / 2", "upper": 0.4}]
        >>> arm = kt.Robot.from_dh(rows, degrees=True)
        >>> arm.joint_names, [*arm.parameters]
        (('joint1', 'joint2'), ['L'])
    """
    from kinetree.model.table.reader import mechanism_from_table

    options = {"name": name, "gravity": gravity, "base": base, "base_inertia": base_inertia, "strict": strict}
    return cls.of(mechanism_from_table(rows, convention, degrees=degrees, **options))


def from_urdf(
    cls: type[Robot],
    source: Source,
    *,
    base: str = "fixed",
    name: str | None = None,
    gravity: Vector = (0.0, 0.0, -9.81),
    lock: Mapping[str, Any] | None = None,
    attach: Mapping[str, Inertia] | None = None,
    packages: Sequence[Source] | Mapping[str, Source] = (),
    strict: bool = True,
) -> Robot:
    """A robot from a URDF file or text.

    Links behind fixed joints are merged into their parents; their frames stay in ``frames`` by the link's name.
    A joint that mimics another has no coordinate of its own.

    Args:
        source: a path, or text that begins with "<".
        base: "fixed", or "floating" for a free joint "base" before the root link.
        name: instead of the one in the file.
        gravity: the acceleration of free fall in world axes [m/s^2].
        lock: joints to hold at a value [rad or m], by name; joints that mimic a held one are held with it.
        attach: payloads, by the link that carries them: inertias in the link's frame.
        packages: folders of packages, or a mapping from their names to folders. Where given, every mesh and
            texture (``package://``, ``file://``, relative path) must be a file inside of them or beside the model.
        strict: refuse inertias that no body can have, an inertial without mass or inertia, an inertia without its
            products, limits that leave no room, mimics of joints that do not exist, elements that are there twice,
            and what is left of a xacro file. Else a `ModelWarning` says what was made of it.

    Example:
        >>> import kinetree as kt
        >>> text = '''<robot name="pendulum"><link name="base"/><link name="arm"/>
        ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'''
        >>> kt.Robot.from_urdf(text).joint_names
        ('hinge',)
        >>> kt.Robot.from_urdf(text, attach={"arm": kt.Inertia(2.0, com=(0, 1, 0))}).gravity_forces([0.0])
        array([19.62])
    """
    from kinetree.model.urdf.reader import mechanism_from_urdf

    options: dict[str, Any] = {"base": base, "name": name, "gravity": gravity, "lock": lock, "attach": attach}
    return cls.of(mechanism_from_urdf(source, **options, packages=packages, strict=strict))


def from_xacro(
    cls: type[Robot],
    path: Source,
    *,
    arguments: Mapping[str, Any] | None = None,
    packages: Sequence[Source] | Mapping[str, Source] = (),
    **options: Any,
) -> Robot:
    """A robot from a xacro file, which is expanded to URDF by the package xacrodoc: ``pip install 'kinetree[xacro]'``.

    A xacro file runs expressions of Python and reads other files: expand trusted files only. The readers of all
    other formats run nothing.

    Args:
        path: of the file.
        arguments: values of its ``<xacro:arg>`` elements, by name.
        packages: folders of packages for ``$(find name)``; those around the file are found without it.
        options: of `from_urdf`, such as ``base="floating"``.

    Example:
        >>> import kinetree as kt
        >>> kt.Robot.from_xacro("arm.urdf.xacro", arguments={"payload": 2.0}, base="floating")  # doctest: +SKIP
    """
    from kinetree.model.urdf.reader import mechanism_from_urdf
    from kinetree.model.urdf.xacro import expanded_xacro

    text = expanded_xacro(path, arguments, packages)
    with located(in_file(Path(path).name)):
        return cls.of(mechanism_from_urdf(text, **options))


def from_mjcf(
    cls: type[Robot],
    source: Source,
    *,
    name: str | None = None,
    gravity: Vector | None = None,
    lock: Mapping[str, Any] | None = None,
    packages: Sequence[Source] | Mapping[str, Source] = (),
    strict: bool = True,
) -> Robot:
    """A robot from an MJCF file or text (the format of MuJoCo).

    Coordinates have MuJoCo's order and values, but quaternions are x, y, z, w. The names of MJCF bodies and of
    sites are those of frames. A body whose joint has its anchor elsewhere, or which has several joints, is made
    of bodies "<body>/<joint>". Equalities become ``loops`` and ``couplings``. Masses that are those of meshes are
    computed from their files (STL, OBJ, MSH). What is not read (tendons, actuators, contact pairs, fluids, ...) is
    listed in one `ModelWarning`.

    Args:
        source: a path, or text that begins with "<". Files that it names must be in the same folder or below.
        name: instead of the one in the file.
        gravity: instead of the one in the file [m/s^2].
        lock: joints to hold at a value [rad or m], by name.
        packages: further folders in which files that it names may be.
        strict: refuse inertias that no body can have, limits that leave no room, and meshes whose mass can't be
            computed; else such a mesh has no mass, and the warning lists it.

    Example:
        >>> import kinetree as kt
        >>> text = '''<mujoco><worldbody><body name="arm">
        ...   <joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
        ... </body></worldbody></mujoco>'''
        >>> kt.Robot.from_mjcf(text).joint_names
        ('hinge',)
    """
    from kinetree.model.mjcf.reader import mechanism_from_mjcf

    options: dict[str, Any] = {"name": name, "gravity": gravity, "lock": lock, "packages": packages}
    return cls.of(mechanism_from_mjcf(source, **options, strict=strict))


def from_par(
    cls: type[Robot],
    source: Source,
    *,
    name: str | None = None,
    gravity: Vector | None = None,
    numbers: Mapping[str, Real] | None = None,
    strict: bool = True,
) -> Robot:
    """A robot from a .par file or text (the format of SYMORO).

    Symbols become named parameters of the robot, keywords of its functions; those of the joint variables become
    its coordinates. Link i is "link<i>" on "joint<i>", with its inertial parameters as `Moments`. Joints that are
    cut become ``loops``, their second frames "frame<i>".

    Args:
        source: a path, or the text itself: a str with a newline or a comment in it.
        name: instead of the one in the file.
        gravity: instead of the one in the file, in world axes [m/s^2].
        numbers: values for symbols, which are parameters no more.
        strict: refuse inertias that no body can have, which regrouped parameters are.

    Example:
        >>> import kinetree as kt
        >>> text = '''(* Robotname = 'pendulum' *)
        ...   NL = 1
        ...   NJ = 1
        ...   ant = {0}
        ...   sigma = {0}
        ...   alpha = {pi/2}
        ...   d = {0}
        ...   theta = {th1}
        ...   r = {0}
        ...   M = {1}
        ...   MX = {MX1}
        ...   ZZ = {ZZ1}'''
        >>> pendulum = kt.Robot.from_par(text, numbers={"MX1": 0.5})
        >>> pendulum.mass_matrix([0.0], ZZ1=0.3)
        array([[0.3]])
    """
    from kinetree.model.par.reader import mechanism_from_par

    return cls.of(mechanism_from_par(source, name=name, gravity=gravity, numbers=numbers, strict=strict))


def from_json(cls: type[Robot], source: Source) -> Robot:
    """A robot from what `to_json` wrote: the text, or the path of a file that holds it.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> kt.Robot.from_json(arm.to_json()) == arm
        True
    """
    from kinetree.model.json.reader import mechanism_from_json

    return cls.of(mechanism_from_json(source))
