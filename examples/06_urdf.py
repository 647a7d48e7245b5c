"""A robot from URDF text: a cart with a pendulum.

`kt.Robot.from_urdf` takes a path or the text itself. Links on fixed joints are merged into their parents; their
frames remain, here "tip". The cart-pole's mass matrix has a closed form to check against.

Takes about 1 s.
"""

import numpy as np

import kinetree as kt

print("Takes about 1 s.", flush=True)

URDF = """
<robot name="cartpole">
  <link name="rail"/>
  <link name="cart"><inertial><mass value="2.0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="pole"><inertial><origin xyz="0 0 0.3"/><mass value="0.5"/>
    <inertia ixx="0.015" iyy="0.015" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="5"/><dynamics damping="0.1"/></joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint>
  <joint name="glue" type="fixed"><parent link="pole"/><child link="tip"/><origin xyz="0 0 0.6"/></joint>
</robot>
"""

robot = kt.Robot.from_urdf(URDF)
print(f"{robot.name}: joints {robot.joint_names}, frames {tuple(robot.frames)}")

angle = np.linspace(-np.pi, np.pi, 9)
q = np.stack([np.zeros_like(angle), angle], axis=-1)
M = robot.mass_matrix(q)
coupling = 0.5 * 0.3 * np.cos(angle)
assert np.allclose(M[:, 0, 0], 2.5)
assert np.allclose(M[:, 1, 1], 0.015 + 0.5 * 0.3**2)
assert np.allclose(M[:, 0, 1], coupling)
print("coupling of cart and pole over the angle:", M[:, 0, 1].round(3))

# upright it stands, but not for long: the pole's acceleration grows with the angle
small = np.array([[0.0, 0.0], [0.0, 0.01], [0.0, 0.02]])
fall = robot.forward_dynamics(small, np.zeros(2), np.zeros(2))[:, 1]
print("pole lets go with", fall.round(4), "rad/s^2; tip at", robot.pose(small[2], "tip")[:3, 3].round(4))
assert np.allclose(fall[0], 0.0)
assert fall[1] > 0
assert np.isclose(fall[2] / fall[1], 2.0, rtol=1e-3)
