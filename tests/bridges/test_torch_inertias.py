"""Inertias that are learned: of bodies that can exist whatever the numbers, and of the robot that made the data."""

from __future__ import annotations

import copy
import io
from typing import Any

import numpy as np
import pytest

import kinetree as kt

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("torch")


def with_load(mass: float, com: tuple[float, float, float]) -> kt.Robot:
    load = kt.Robot((kt.Body("load", kt.Joint("grip", kt.joints.Fixed()), kt.Inertia(mass, com, (2e-3, 3e-3, 2e-3))),))
    return kt.robots.puma560().attach(load, "link6")


def test_zero_is_the_model() -> None:
    robot = kt.robots.puma560()
    model = kt.torch.InertialModule(robot, "inverse_dynamics", bodies=["link3", "link2"], dtype=torch.float64)
    assert model.bodies == ("link3", "link2")
    x = np.random.default_rng(0).normal(size=(3, 7, 6))
    wanted = robot.inverse_dynamics(*x)
    np.testing.assert_allclose(model(*map(torch.from_numpy, x)).detach(), wanted, rtol=1e-11, atol=1e-11)
    assert model(*(torch.from_numpy(a).float() for a in x)).dtype == torch.float32


def test_all_numbers_are_those_of_bodies_that_can_exist() -> None:
    robot = kt.robots.puma560()
    model = kt.torch.InertialModule(robot, "inverse_dynamics", dtype=torch.float64)
    for seed in range(20):
        with torch.no_grad():
            model.theta.normal_(generator=torch.Generator().manual_seed(seed))
        made = model.robot()  # refuses what no body has
        assert made.check() == robot.check()
        assert all(body.inertia.mass > 0 for body in made.bodies)
        assert float(torch.linalg.eigvalsh(model.pseudo_inertias().detach()).min()) > 0
        x = np.random.default_rng(seed).normal(size=(3, 6))
        found = model(*map(torch.from_numpy, x)).detach()
        np.testing.assert_allclose(found, made.inverse_dynamics(*x), rtol=1e-9, atol=1e-9)


def test_derivatives_with_respect_to_what_is_learned() -> None:
    model = kt.torch.InertialModule(kt.robots.two_link(), "inverse_dynamics", bodies=["link2"], dtype=torch.float64)
    x = [torch.from_numpy(a) for a in np.random.default_rng(0).normal(size=(3, 4, 2))]

    def called(theta: Any) -> Any:
        return torch.func.functional_call(model, {"theta": theta}, tuple(x))

    assert torch.autograd.gradcheck(called, torch.randn(1, 10, dtype=torch.float64, requires_grad=True))


def test_a_load_is_learned() -> None:
    truth, start = with_load(2.0, (0.05, 0.0, 0.1)), with_load(0.5, (0.0, 0.0, 0.05))
    rng = np.random.default_rng(1)
    x = [3.0 * rng.uniform(-1.0, 1.0, size=(500, 6)) for _ in range(3)]
    tau = torch.from_numpy(truth.inverse_dynamics(*x))
    model = kt.torch.InertialModule(start, "inverse_dynamics", bodies=["load"], dtype=torch.float64)
    x = [torch.from_numpy(a) for a in x]
    optimiser = torch.optim.LBFGS(model.parameters(), max_iter=100, line_search_fn="strong_wolfe", tolerance_grad=1e-12)

    def loss() -> Any:
        optimiser.zero_grad()
        value = (model(*x) - tau).square().mean()
        value.backward()
        return value

    first = float(loss().detach())
    optimiser.step(loss)
    assert float(loss().detach()) < 1e-6 * first
    load = model.robot().bodies[-1].inertia
    np.testing.assert_allclose(load.mass, 2.0, rtol=1e-3)
    np.testing.assert_allclose([*load.com], [0.05, 0.0, 0.1], atol=1e-3)


def test_of_closed_chains_with_parameters_and_without_mass() -> None:
    mass = kt.parameter("mass", 1.5)
    arm = kt.Robot.from_dh([kt.DH(a=0.5, alpha=1.5, mass=mass, com=(-0.2, 0, 0)), kt.DH(a=0.5)])
    model = kt.torch.InertialModule(arm, "gravity_forces", bodies=["link2"])
    q = torch.zeros(2)
    wanted = model.robot().gravity_forces(q.numpy(), mass=0.5)
    np.testing.assert_allclose(model(q, mass=0.5).detach(), wanted, rtol=1e-5)
    assert model.robot().bodies[1].inertia.mass > 0
    chain = kt.ClosedChain(kt.robots.four_bar())
    learned = kt.torch.InertialModule(chain, "inverse_dynamics", dtype=torch.float64)
    q, qd = torch.from_numpy(chain.neutral), torch.ones(1, dtype=torch.float64)
    wanted = kt.ClosedChain(learned.robot()).inverse_dynamics(chain.neutral, [1.0], [1.0])
    np.testing.assert_allclose(learned(q, qd, qd).detach(), wanted, rtol=1e-9)


def test_modules_are_saved_and_copied() -> None:
    model = kt.torch.InertialModule(kt.robots.two_link(), "mass_matrix")
    with torch.no_grad():
        model.theta.fill_(0.1)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    other = kt.torch.InertialModule(kt.robots.two_link(), "mass_matrix")
    other.load_state_dict(torch.load(file))
    q = torch.ones(2)
    for same in (other, copy.deepcopy(model)):
        assert torch.equal(same(q), model(q))
    assert model.robot().bodies[0].inertia.mass == pytest.approx(
        np.exp(0.2) * kt.robots.two_link().bodies[0].inertia.mass
    )
    assert "bodies=['link1', 'link2']" in repr(model)


def test_what_can_not_be_learned() -> None:
    robot = kt.robots.two_link()
    with pytest.raises(kt.errors.UnknownNameError, match="link2"):
        kt.torch.InertialModule(robot, "mass_matrix", bodies=["link3"])
    with pytest.raises(kt.errors.InputError, match="a list of names"):
        kt.torch.InertialModule(robot, "mass_matrix", bodies="link2")
    with pytest.raises(kt.errors.InputError, match="each body once"):
        kt.torch.InertialModule(robot, "mass_matrix", bodies=["link2", "link2"])
    with pytest.raises(kt.errors.InputError, match="no robot"):
        kt.torch.InertialModule(kt.compile(lambda x: x, signature="(1)->(1)"))
    arm = kt.Robot.from_dh([kt.DH(a=0.5, mass=kt.parameter("m"), com=(-0.2, 0, 0))])
    with pytest.raises(kt.errors.InputError, match="named parameters"):
        kt.torch.InertialModule(arm, "mass_matrix")
