"""`Robot`: a mechanism together with its compiled functions, its readers and its writers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from kinetree.model.dh import DH, mechanism_from_dh
from kinetree.model.inertia import Inertia
from kinetree.model.mechanism import Mechanism
from kinetree.robot.dynamics import Dynamics
from kinetree.scalar import Real


class Robot(Dynamics):
    """A mechanism whose dynamic quantities are functions of NumPy arrays.

    Leading dimensions of all arguments broadcast. ``external`` is a wrench on each body, shape (..., nbodies, 6),
    moment first, in world axes at the body frame's origin. ``base_velocity`` and ``base_acceleration`` prescribe the
    motion of a fixed base: six numbers each, angular first, in base axes; the acceleration is the rate of the
    velocity's components, and gravity and ``external`` are in base axes then. Named parameters of the model are
    further keywords. The first call of a function compiles it.
    """

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DH],
        convention: str = "modified",
        *,
        name: str = "robot",
        gravity: Sequence[Real] = (0.0, 0.0, -9.81),
        base: str = "fixed",
        base_inertia: Inertia | None = None,
        strict: bool = True,
    ) -> Robot:
        """A robot from a Denavit-Hartenberg table.

        Args:
            rows: one `DH` for each link; with ``parent=`` they form a tree.
            convention: "modified" (Craig, Khalil, [Guarino] II; with gamma and b Khalil's tree notation) or "standard"
                (Paul, [Barman] (2.8)), whose distal frames are kept in ``frames`` as "dh1", "dh2", ...
            name: for titles and messages.
            gravity: the acceleration of free fall in world axes [m/s^2].
            base: "fixed", or "floating" for a free body "base" that carries the chain.
            base_inertia: of the floating base.
            strict: refuse inertias that no body can have.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.Robot.from_dh([kt.DH(a=0.5, mass=1.0, com=(-0.25, 0, 0))] * 2, convention="standard")
            >>> arm.nv, arm.joint_names
            (2, ('joint1', 'joint2'))
        """
        options = {"name": name, "gravity": gravity, "base": base, "base_inertia": base_inertia, "strict": strict}
        return cls._of(mechanism_from_dh(rows, convention, **options))

    @classmethod
    def from_urdf(
        cls,
        source: str | Path,
        *,
        base: str = "fixed",
        name: str | None = None,
        gravity: Sequence[Real] = (0.0, 0.0, -9.81),
        lock: Mapping[str, float] | None = None,
        strict: bool = True,
    ) -> Robot:
        """A robot from a URDF file or text.

        Links behind fixed joints are merged into their parents; their frames stay in ``frames`` by the link's name.

        Args:
            source: a path, or text that begins with "<".
            base: "fixed", or "floating" for a free joint "base" before the root link.
            name: instead of the one in the file.
            gravity: the acceleration of free fall in world axes [m/s^2].
            lock: joints to hold at a value [rad or m], by name.
            strict: refuse inertias that no body can have.

        Example:
            >>> import kinetree as kt
            >>> text = '''<robot name="pendulum"><link name="base"/><link name="arm"/>
            ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'''
            >>> kt.Robot.from_urdf(text).joint_names
            ('hinge',)
        """
        from kinetree.model.urdf import mechanism_from_urdf  # the XML reader is loaded when needed

        return cls._of(mechanism_from_urdf(source, base=base, name=name, gravity=gravity, lock=lock, strict=strict))

    @classmethod
    def _of(cls, m: Mechanism) -> Robot:
        return cls(**{field.name: getattr(m, field.name) for field in dataclasses.fields(m)})
