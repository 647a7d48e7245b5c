"""PyTorch: a load from measured torques by gradient descent, and the torques of a swing-up through a simulation.

Needs PyTorch: pip install kinetree[torch].

Takes about 20 s, from the second run on 12 s.
"""

import torch

import kinetree as kt

print("Takes about 20 s, from the second run on 12 s.", flush=True)
torch.manual_seed(0)

# -- what does the arm carry? the load is a body of its own, whose inertia stays that of a body that can exist ---------
arm = kt.robots.puma560()


def arm_with(inertia: kt.Inertia) -> kt.Robot:
    return arm.attach(kt.Robot((kt.Body("load", kt.Joint("grip", kt.joints.Fixed()), inertia),)), "link6")


q, qd, qdd = (scale * (2.0 * torch.rand(2000, 6) - 1.0) for scale in (2.0, 3.0, 10.0))
truth = arm_with(kt.Inertia(1.5, com=(0.04, 0.0, 0.1), about_com=(0.004, 0.006, 0.003)))
measured = torch.from_numpy(truth.inverse_dynamics(q.numpy(), qd.numpy(), qdd.numpy()))
measured += 0.05 * torch.randn_like(measured)  # N m

guess = arm_with(kt.Inertia(0.5, com=(0.0, 0.0, 0.05), about_com=(0.001, 0.001, 0.001)))
model = kt.torch.InertialModule(guess, "inverse_dynamics", bodies=["load"])
optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(501):
    optimiser.zero_grad()
    loss = (model(q, qd, qdd) - measured).square().mean()
    loss.backward()
    optimiser.step()
    if step % 100 == 0:
        print(f"step {step:3}: torques {loss.item() ** 0.5:6.3f} N m off, mass {model.moments()[0, 0].item():.3f} kg")
found = model.robot().bodies[-1].inertia
print(f"a load of {found.mass:.2f} kg at {found.com.x:.3f}, {found.com.y:.3f}, {found.com.z:.3f} m")
assert abs(found.mass - 1.5) < 0.02

# -- torques that swing a double pendulum up: the gradient goes through 100 steps of a simulation ----------------------
pendulum = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
accelerations = kt.torch.function(pendulum, "forward_dynamics")
tau = torch.zeros(100, 2, requires_grad=True)
h, up, miss = 0.02, torch.tensor([torch.pi / 2, 0.0]), torch.tensor(0.0)
optimiser = torch.optim.Adam([tau], lr=0.2)
for step in range(301):
    q, qd = torch.tensor([-torch.pi / 2, 0.0]), torch.zeros(2)
    for torque in tau:  # semi-implicit Euler
        qd = qd + h * accelerations(q, qd, torque)
        q = q + h * qd
    miss = (q - up).square().sum() + 0.1 * qd.square().sum()
    optimiser.zero_grad()
    (miss + 1e-4 * tau.square().mean()).backward()
    torch.nn.utils.clip_grad_norm_([tau], 1.0)
    optimiser.step()
    if step % 100 == 0:
        print(f"step {step:3}: after 2 s {miss.item():8.4f} from standing upright")
print(f"swing-up with at most {tau.abs().max().item():.1f} N m")
assert miss.item() < 0.1
