"""A hexapod of six equal legs: lift and tilt it, the forces of its legs, and a singular pose.

A leg has a universal joint at the base, an actuated prismatic joint, and a spherical joint at the platform. The motion
of the platform is given; computed are the joint positions of the legs, their forces, and condition numbers.

Takes about 4 s, from the second run on 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 4 s, from the second run on 1 s.", flush=True)

BASE, PLATFORM, HEIGHT = 0.5, 0.3, 0.6  # m: radii of the joints' circles, the platform above the base


def on_circle(radius, degrees):
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])


def leg(foot, ball):
    """A leg from a foot on the base to a ball on the platform."""
    axis = ball - foot + np.array([0, 0, HEIGHT])
    length = np.linalg.norm(axis)
    z = axis / length
    x = np.cross([0, 0, 1], z) / np.linalg.norm(np.cross([0, 0, 1], z))
    tube = kt.Inertia(4.0, com=(0, 0, 0.2), about_com=(0.055, 0.055, 0.003))
    rod = kt.Inertia(1.5, com=(0, 0, -0.2), about_com=(0.02, 0.02, 0.0003))
    slide = kt.Joint("slide", kt.joints.Prismatic((0, 0, 1)), kt.Transform(p=(0, 0, length)))
    bodies = (kt.Body("tube", kt.Joint("foot", kt.joints.Universal()), tube), kt.Body("rod", slide, rod, "tube"))
    base = kt.Transform(np.column_stack([x, np.cross(z, x), z]).tolist(), foot)
    return kt.Leg(kt.Robot(bodies), {"rod": kt.Transform(p=ball)}, actuated=["slide"], base=base)


angles = [(120 * k + base, 120 * k + ball) for k in range(3) for base, ball in ((-10, -50), (10, 50))]
plate = kt.Inertia(20.0, about_com=(0.51, 0.51, 1.02))
platform = kt.Body("platform", kt.Joint("free", kt.joints.Free(), kt.Transform(p=(0, 0, HEIGHT))), plate)
legs = [leg(on_circle(BASE, a), on_circle(PLATFORM, b)) for a, b in angles]
robot = kt.ParallelRobot(platform=platform, legs=legs, name="hexapod")
print(robot)

# lift by 8 cm and tilt by 15 degrees about x, there and back in two seconds
t = np.linspace(0, 2, 201)
s, sd, sdd = (1 - np.cos(np.pi * t)) / 2, np.pi * np.sin(np.pi * t) / 2, np.pi**2 * np.cos(np.pi * t) / 2
TILT, LIFT = np.radians(15), 0.08
pose = np.zeros((len(t), 4, 4)) + np.eye(4)
pose[:, 1, 1] = pose[:, 2, 2] = np.cos(TILT * s)
pose[:, 2, 1] = np.sin(TILT * s)
pose[:, 1, 2] = -pose[:, 2, 1]
pose[:, 2, 3] = HEIGHT + LIFT * s
direction = np.array([TILT, 0, 0, 0, 0, LIFT])  # angular part first
twist, acceleration = np.outer(sd, direction), np.outer(sdd, direction)

q = robot.close(pose).check()
tau = robot.inverse_dynamics(pose, twist, acceleration, q=q)
lengths = q[:, [robot.robot.velocities_of(name)[0] for name in robot.actuated]]
print("leg            stroke [mm]        force [N]")
for k, name in enumerate(robot.actuated):
    stroke, force = 1e3 * lengths[:, k], tau[:, k]
    print(f"{name}  {stroke.min():6.1f} to {stroke.max():5.1f}   {force.min():6.1f} to {force.max():5.1f}")

back = robot.forward_dynamics(pose, twist, tau, q=q)
print(f"these forces accelerate the platform as they should, to {np.abs(back - acceleration).max():.1e} m/s^2")
assert np.abs(back - acceleration).max() < 1e-9

# half a tonne 0.1 m from the centre: J_p^T maps it to the legs
load = np.array([0.0, -500.0, 0, 0, 0, -5000.0])  # N m, N, about the platform's origin
external = np.zeros((robot.robot.nbodies, 6))
external[robot.index] = load
still = np.zeros(6)
more = robot.inverse_dynamics(pose[0], still, still, external=external) - robot.inverse_dynamics(pose[0], still, still)
print("a load of 5 kN changes the forces of the legs by", more.round(0), "N")
assert np.allclose(more, -robot.jacobian(pose[0]).T @ load)

# rotated about the vertical axis by 90 degrees the hexapod is singular: the legs can't hold it
for degrees in (0, 30, 60, 80, 89, 90):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turned = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, HEIGHT], [0, 0, 0, 1]])
    print(f"turned by {degrees:2} degrees: condition number {robot.condition_number(turned, length=PLATFORM):.1f}")
assert robot.condition_number(turned) == np.inf
