"""`Robot`: a mechanism with its readers, its functions, its writers, and ways to make another robot of it.

The methods are functions of the modules beside this one, which take the robot first; here is the list of them. What
they compile is held by `Functions`, one object for each robot.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.robot import (
    code,
    configuration,
    derivatives,
    dynamics,
    hybrid,
    kinematics,
    momentum,
    parameters,
    readers,
    showing,
    surgery,
)
from kinetree.robot.functions import Array, Functions
from kinetree.scalar import is_zero

if TYPE_CHECKING:
    from kinetree.model.check import Finding


class Robot(Mechanism):
    """A mechanism whose dynamic quantities are functions of NumPy arrays.

    Leading dimensions of all arguments broadcast. ``external`` is a wrench on each body, shape (..., nbodies, 6),
    moment first, in world axes at the body frame's origin. ``base_velocity`` and ``base_acceleration`` prescribe the
    motion of a fixed base: six numbers each, angular first, in base axes; the acceleration is the rate of the
    velocity's components, and gravity and ``external`` are in base axes then. Named parameters of the model are
    further keywords. The first call of a function compiles it.

    A robot never changes: `lock`, `attach`, `scale` and their like return another one.
    """

    _repr_html_ = showing.notebook_html
    view = showing.view

    # -- from files and tables, and back ---------------------------------------------------------------------------

    from_file = classmethod(readers.from_file)
    from_dh = classmethod(readers.from_dh)
    from_urdf = classmethod(readers.from_urdf)
    from_xacro = classmethod(readers.from_xacro)
    from_mjcf = classmethod(readers.from_mjcf)
    from_par = classmethod(readers.from_par)
    from_json = classmethod(readers.from_json)

    @classmethod
    def of(cls, mechanism: Mechanism) -> Robot:
        """The robot of a mechanism."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)})

    def check(self) -> tuple[Finding, ...]:
        """What is wrong or doubtful in the description: impossible inertias, empty limits, massless leaves, ...

        Returns:
            Findings, each with a ``severity``, "error" or "warning", with ``where`` and ``message``. Errors are there
            only in a robot made with ``strict=False``; others are refused when they are made.

        Example:
            >>> import kinetree as kt
            >>> kt.robots.two_link().check()
            ()
            >>> empty = kt.Body("hand", kt.Joint("wrist", kt.joints.Revolute()))
            >>> [finding.where for finding in kt.Robot((empty,)).check()]
            ["joint 'wrist'"]
        """
        from kinetree.model.check import findings

        return findings(self)

    def to_json(self) -> str:
        """The whole description as JSON text; `from_json` gives back an equal robot, bit for bit.

        Raises `ModelError` for kinds of joints of your own and for numbers that are not finite.

        Example:
            >>> import kinetree as kt
            >>> print(kt.robots.two_link().to_json()[:71])
            {
              "format": "kinetree robot",
              "version": 1,
              "name": "two_link",
        """
        from kinetree.model.json.writer import json_text

        return json_text(self)

    def to_urdf(self) -> str:
        """The robot as URDF text; `from_urdf` gives back its numbers, rotations to the last bit but one.

        Raises `ModelError` where the robot has what a URDF can't say: helical, cylindrical, universal or spherical
        joints, springs, rotors, loops, couplings, parameters. `to_json` says everything. Gravity and ``actuated`` are
        left out, infinite limits of prismatic joints are written as the largest number. Named frames are links on fixed
        joints; bodies on fixed joints are frames when they are read. Read a robot on a floating base with
        ``base="floating"``. Warns where the order of the coordinates is one that no URDF has.

        Example:
            >>> import kinetree as kt
            >>> text = kt.robots.seven_link().to_urdf()
            >>> kt.Robot.from_urdf(text).joint_names == kt.robots.seven_link().joint_names
            True
        """
        from kinetree.model.urdf.writer import urdf_text

        return urdf_text(self)

    # -- configurations --------------------------------------------------------------------------------------------

    lower = property(configuration.lower)
    upper = property(configuration.upper)
    velocity_limits = property(configuration.velocity_limits)
    effort_limits = property(configuration.effort_limits)
    total_mass = property(configuration.total_mass)
    random = configuration.random
    integrate = configuration.integrate
    difference = configuration.difference

    @property
    def neutral(self) -> Array:
        """Coordinates of the reference configuration: zeros, and identity quaternions."""
        return np.array(self.neutral_coordinates)

    # -- kinematics and dynamics -----------------------------------------------------------------------------------

    pose = kinematics.pose
    jacobian = kinematics.jacobian
    inverse_kinematics = kinematics.inverse_kinematics
    inverse_velocity = kinematics.inverse_velocity
    rates = kinematics.rates
    frame_velocity = kinematics.frame_velocity
    frame_acceleration = kinematics.frame_acceleration
    jacobian_rate = kinematics.jacobian_rate
    center_of_mass = momentum.center_of_mass
    centroidal_momentum = momentum.centroidal_momentum
    centroidal_momentum_matrix = momentum.centroidal_momentum_matrix
    momentum = momentum.momentum  # last: the module has the same name
    inverse_dynamics = dynamics.inverse_dynamics
    forward_dynamics = dynamics.forward_dynamics
    mass_matrix = dynamics.mass_matrix
    bias_forces = dynamics.bias_forces
    gravity_forces = dynamics.gravity_forces
    coriolis_matrix = dynamics.coriolis_matrix
    joint_wrenches = dynamics.joint_wrenches
    kinetic_energy = dynamics.kinetic_energy
    potential_energy = dynamics.potential_energy
    hybrid_dynamics = hybrid.hybrid_dynamics
    free_base_inverse_dynamics = hybrid.free_base_inverse_dynamics

    @property
    def elastic_joints(self) -> tuple[str, ...]:
        """The joints whose force is that of a spring: with a stiffness, or driven through an elastic transmission.

        For ``known_forces`` of `hybrid_dynamics`: the inverse model of a robot with elastic joints. Joints that mimic
        others are not among them; they have no coordinate of their own.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.two_link()
            >>> arm.elastic_joints
            ()
            >>> arm.with_motors([kt.Motor("joint2", spin_inertia=1e-4, gear_ratio=50, stiffness=100)]).elastic_joints
            ('joint2',)
        """
        driven = {body.joint.transmission.joint for body in self.bodies if body.joint.transmission}
        springs = {body.joint.name for body in self.bodies if not all(map(is_zero, body.joint.stiffness))}
        return tuple(name for name in self.joint_names if name in driven | springs)

    # -- derivatives, and the numbers of the model -----------------------------------------------------------------

    inverse_dynamics_derivatives = derivatives.inverse_dynamics_derivatives
    forward_dynamics_derivatives = derivatives.forward_dynamics_derivatives
    joint_wrench_derivatives = derivatives.joint_wrench_derivatives
    force_rates = derivatives.force_rates
    force_rate_derivatives = derivatives.force_rate_derivatives
    inverse_dynamics_hessian_product = derivatives.inverse_dynamics_hessian_product
    regressor = parameters.regressor
    parameter_derivatives = parameters.parameter_derivatives

    @property
    def dynamic_parameters(self) -> Array:
        """The numbers pi of tau = Y pi (nparameters,).

        For each body the mass, the first moments x, y, z and the second moments xx, yy, zz, xy, xz, yz about the
        origin of its frame; then for each velocity of each joint its damping, for each its Coulomb friction, for each
        its rotor inertia, for each its stiffness; then for each elastic transmission its damping and stiffness.
        """
        from kinetree.algorithms.regressor import dynamic_parameters

        if self.parameters:
            names = ", ".join(self.parameters)
            raise InputError(f"the model has open parameters ({names}), so its numbers are not known")
        return np.array(dynamic_parameters(self), float)

    # -- other robots of it ----------------------------------------------------------------------------------------

    lock = surgery.lock
    attach = surgery.attach
    merge_fixed = surgery.merge_fixed
    reroot = surgery.reroot
    mirror = surgery.mirror
    scale = surgery.scale
    with_gravity = surgery.with_gravity
    with_motors = surgery.with_motors
    with_base = surgery.with_base
    subtree = surgery.subtree

    # -- compiled functions ----------------------------------------------------------------------------------------

    function = code.function
    operations = code.operations
    equations = code.equations
    precompile = code.precompile
    sparsity = code.sparsity

    @cached_property
    def _functions(self) -> Functions:
        return Functions(self)

    def __getstate__(self) -> dict[str, Any]:
        """The description alone: compiled functions stay in this process."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
