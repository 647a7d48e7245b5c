"""`kinetree.torch` on a real card: the numbers of the CPU, by kernels on PyTorch's stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]  # of PyTorch's own code
torch: Any = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch has no GPU", allow_module_level=True)

ROBOT = kt.robots.panda()
TOLERANCE = {torch.float64: 1e-11, torch.float32: 2e-3}  # of other orders of sums, relative to the largest number


def near(found: Any, want: Any, scale: float = 1.0) -> None:
    assert found.is_cuda
    want = torch.as_tensor(want)
    assert found.shape == want.shape
    limit = TOLERANCE[found.dtype] * scale * max(1.0, float(want.abs().max()) if want.numel() else 0.0)
    torch.testing.assert_close(found.detach().cpu().double(), want.detach().double(), rtol=0, atol=limit)


def states(*batch: int, dtype: Any = torch.float64, nv: int = ROBOT.nv, seed: int = 0) -> list[Any]:
    """On the host."""
    return list(torch.randn(3, *batch, nv, dtype=dtype, generator=torch.Generator().manual_seed(seed)))


def on(args: Any, grad: bool = False) -> list[Any]:
    return [x.cuda().requires_grad_(grad) for x in args]


def arm() -> kt.Robot:
    mass, length = kt.parameter("mass", 1.5), kt.parameter("length", 0.7)
    rows = [kt.DH(a=length, mass=mass, com=(-0.3, 0.1, 0.0)), kt.DH(a=0.5, alpha=0.4, mass=2.0, com=(-0.2, 0, 0.1))]
    return kt.Robot.from_dh(rows)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy"])
def test_numbers_are_those_of_the_cpu(name: str, dtype: Any) -> None:
    f = kt.torch.function(ROBOT, name)
    args = states(1000, dtype=dtype)[: len(f.compiled.operands)]
    found, want = f(*on(args)), f(*args)
    for x, y in zip(found, want) if isinstance(want, tuple) else [(found, want)]:
        assert x.dtype == dtype
        near(x, y)


def test_leading_dimensions_and_strides() -> None:
    f = kt.torch.function(ROBOT, "inverse_dynamics")
    q, qd, qdd = torch.randn(40, 1, 7).double(), torch.randn(33, 7).double(), torch.randn(7).double()
    near(f(*on([q, qd, qdd])), f(q, qd, qdd))
    wide = torch.randn(100, 21).double()
    a, b = wide.cuda().split(7, -1), wide.split(7, -1)
    near(f(*a), f(*b))
    near(f(*(x.t().contiguous().t() for x in a)), f(*b))
    near(f(*on(states(0))), torch.zeros(0, 7).double())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("loss", ["sum", "square"])
def test_backward(dtype: Any, loss: str) -> None:
    f = kt.torch.function(ROBOT, "inverse_dynamics")
    args = states(500, dtype=dtype)
    here = on(args, grad=True)
    there = [x.double().requires_grad_() for x in args]
    for leaves in (here, there):
        tau = f(leaves[0], leaves[1], leaves[2])
        (tau.sum() if loss == "sum" else tau.square().sum()).backward()
    for a, b in zip(here, there):
        assert a.grad.dtype == dtype
        near(a.grad, b.grad, 10.0)


def test_gradients_of_what_is_shared_are_summed() -> None:
    f = kt.torch.function(arm(), "inverse_dynamics")
    q, qd, qdd = states(200, nv=2)
    grads = []
    for device in ("cpu", "cuda"):
        x = [t.to(device) for t in (q, qd[0], qdd)]
        mass = torch.tensor(1.2, dtype=torch.float64, device=device, requires_grad=True)
        x[1].requires_grad_()
        f(*x, mass=mass).square().sum().backward()
        grads.append((x[1].grad, mass.grad))
    for a, b in zip(*grads):
        near(b, a, 10.0)


def test_derivatives_against_differences() -> None:
    f = kt.torch.function(arm(), "forward_dynamics")
    args = [x.cuda().requires_grad_() for x in states(3, nv=2)]
    assert torch.autograd.gradcheck(f, args, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, args)


def test_opcheck() -> None:
    f = kt.torch.function(arm(), "inverse_dynamics")
    args = [x.cuda().requires_grad_() for x in states(3, nv=2)]
    args += [torch.tensor(x, dtype=torch.float64, device="cuda") for x in (0.7, 1.5)]
    torch.library.opcheck(f.operation.op, args)


def test_func_transforms() -> None:
    f, energy = kt.torch.function(ROBOT, "inverse_dynamics"), kt.torch.function(ROBOT, "potential_energy")
    args = states(20)
    here = on(args)
    near(torch.vmap(torch.func.jacfwd(f, 2))(*here), ROBOT.mass_matrix(args[0].numpy()))
    want = ROBOT.inverse_dynamics_derivatives(*(x.numpy() for x in args))[0]
    near(torch.vmap(torch.func.jacrev(f, 0))(*here), want, 10.0)
    near(torch.vmap(torch.func.hessian(energy))(here[0]), torch.vmap(torch.func.hessian(energy))(args[0]), 10.0)
    near(torch.vmap(f, (0, None, 0))(here[0], here[1][0], here[2]), f(args[0], args[1][0], args[2]))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])  # the latter by CUDA graphs
def test_compile(mode: str) -> None:
    f = kt.torch.function(ROBOT, "inverse_dynamics")

    def loss(*x: Any) -> Any:
        return (f(*x).tanh() ** 2).sum()

    args = states(300)
    there = [x.requires_grad_() for x in args]
    want = torch.autograd.grad(loss(*there), there)
    compiled = torch.compile(loss, fullgraph=True, mode=mode)
    for _ in range(3):
        here = on([x.detach() for x in args], grad=True)
        for a, b in zip(torch.autograd.grad(compiled(*here), here), want):
            near(a, b, 10.0)


def test_work_follows_the_current_stream() -> None:
    f = kt.torch.function(ROBOT, "forward_dynamics")
    args = states(100_000)
    want = f(*args)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        slow = torch.ones(4000, 4000, device="cuda")
        for _ in range(20):
            slow = slow @ slow * 1e-4
        late = [torch.zeros_like(x, device="cuda").requires_grad_() for x in args]
        with torch.no_grad():
            for a, b in zip(late, args):
                a.copy_(b)
        found = f(*late)
        found.sum().backward()
    stream.synchronize()
    near(found, want, 100.0)
    assert all(bool(x.grad.isfinite().all()) and bool(x.grad.any()) for x in late)


def test_forward_and_backward_in_a_graph() -> None:
    f = kt.torch.function(ROBOT, "inverse_dynamics")
    x, w = on(states(300), grad=True), torch.randn(300, 7, dtype=torch.float64, device="cuda")
    for _ in range(3):
        torch.autograd.grad(f(*x), x, w)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = torch.autograd.grad(f(*x), x, w)
    other = on(states(300, seed=1))
    with torch.no_grad():
        for a, b in zip(x, other):
            a.copy_(b)
    graph.replay()
    host = [t.detach().cpu().requires_grad_() for t in other]
    for a, b in zip(found, torch.autograd.grad(f(*host), host, w.cpu())):
        near(a, b, 10.0)


def test_modules_of_inertias_move() -> None:
    robot = kt.robots.two_link()
    model = kt.torch.InertialModule(robot, "inverse_dynamics", bodies=["link2"]).cuda()
    args = states(50, nv=2)
    model(*on(args)).square().sum().backward()
    assert bool(model.theta.grad.is_cuda)
    near(model(*on(args)).double(), robot.inverse_dynamics(*(x.numpy() for x in args)), 10.0)
    assert np.isfinite(model.robot().bodies[-1].inertia.mass)


def test_closed_chains() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    f = kt.torch.function(chain, "inverse_dynamics")
    q = torch.as_tensor(chain.close([0.1, -0.2]).check())
    x = list(torch.randn(2, 50, 2).double())
    near(f(*on([q, *x])), f(q, *x))


def test_bad_input_is_refused() -> None:
    f = kt.torch.function(ROBOT, "inverse_dynamics")
    q, qd, qdd = states(3)
    with pytest.raises(InputError, match="the tensors are on cuda:0 and cpu; move them"):
        f(q.cuda(), qd, qdd)
    with pytest.raises(InputError, match="on the host"):
        f.operation.op(q.cuda(), qd.cuda(), qdd)
    with pytest.raises(InputError, match=r"not torch\.float16"):
        f(*(x.cuda().half() for x in (q, qd, qdd)))
    with pytest.raises(InputError, match="must end in 7"):
        f(q.cuda()[:, :6], qd.cuda(), qdd.cuda())
    with pytest.raises(InputError, match="don't broadcast"):
        f(q.cuda(), qd.cuda()[:2], qdd.cuda())
    near(f(q.cuda(), [0.0] * 7, 0 * qdd.cuda()), f(q, [0.0] * 7, 0 * qdd))
