"""Functions in PyTorch: the numbers of NumPy, derivatives against differences, torch.func, torch.compile, bad input."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import kinetree as kt

torch = pytest.importorskip("torch")

# of PyTorch's own code, under warnings as errors
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


def arm() -> kt.Robot:
    """Two joints with friction, a mass and a length that stay open."""
    mass, length = kt.parameter("mass", 1.5), kt.parameter("length", 0.7)
    rows = [kt.DH(a=length, mass=mass, com=(-0.3, 0.1, 0.0)), kt.DH(a=0.5, alpha=0.4, mass=2.0, com=(-0.2, 0, 0.1))]
    return kt.Robot.from_dh(rows)


def tensors(f: Any, batch: tuple[int, ...] = (4,), dtype: Any = None, grad: bool = False, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    made = [1.0 + 0.3 * rng.normal(size=(*batch, *o.shape)) for o in f.compiled.operands]
    return [torch.tensor(x, dtype=dtype or torch.float64, requires_grad=grad) for x in made]


def listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def assert_same(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    for a, b in zip(listed(found), listed(wanted), strict=True):
        a, b = (np.asarray(x.detach() if isinstance(x, torch.Tensor) else x) for x in (a, b))
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max(initial=0.0)))


def robots() -> list[Any]:
    floating = kt.robots.two_link().with_base("floating")
    chain = kt.ClosedChain(kt.robots.four_bar())
    parallel = kt.ParallelRobot.of(kt.robots.delta(), "platform")
    user = kt.compile(lambda x, y: (x[0] * y, [x[1], y * y]), signature="x(2), y() -> a(), b(2)", name="user")
    return [
        pytest.param(arm(), "inverse_dynamics", {}, id="inverse_dynamics"),
        pytest.param(arm(), "forward_dynamics", {"external": True, "base": True}, id="loads"),
        pytest.param(arm(), "forces_and_rates", {}, id="two results"),
        pytest.param(arm(), "pose", {"frame": "link2"}, id="frame"),
        pytest.param(arm(), "kinetic_energy", {}, id="scalar"),
        pytest.param(arm(), "hybrid_dynamics", {"known_forces": ["joint2"]}, id="hybrid"),
        pytest.param(floating, "inverse_dynamics", {}, id="floating"),
        pytest.param(chain, "inverse_dynamics", {}, id="closed chain"),
        pytest.param(parallel, "inverse_dynamics", {"external": True}, id="parallel", marks=pytest.mark.slow),
        pytest.param(user, None, {}, id="user"),
    ]


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("robot", "name", "options"), robots())
def test_values_are_those_of_numpy(robot: Any, name: str | None, options: dict[str, Any]) -> None:
    f = kt.torch.function(robot, name, **options)
    for batch, dtype in ((), torch.float64), ((5,), torch.float64), ((2, 3), torch.float64), ((5,), torch.float32):
        x = tensors(f, batch, dtype)
        found, wanted = listed(f(*x)), listed(f.compiled(*(a.numpy() for a in x)))
        assert_same(tuple(found), tuple(wanted[: len(found)]), 0.0)
        assert {y.dtype for y in found} == {dtype}


def test_leading_dimensions_broadcast_and_gradients_are_summed() -> None:
    robot = kt.robots.two_link()
    f = kt.torch.function(robot, "inverse_dynamics")
    q, qd, qdd = tensors(f, (3, 1)), tensors(f, (4,), seed=1), tensors(f, (), seed=2)
    x = [q[0].requires_grad_(), qd[1].requires_grad_(), qdd[2].requires_grad_()]
    tau = f(*x)
    assert tau.shape == (3, 4, 2)
    tau.sum().backward()
    dtau = robot.inverse_dynamics_derivatives(*(a.detach().numpy() for a in x))
    assert_same(x[0].grad, dtau[0].sum(axis=(1, 2))[:, None])
    assert_same(x[1].grad, dtau[1].sum(axis=(0, 2)))
    assert_same(x[2].grad, dtau[2].sum(axis=(0, 1, 2)))


def test_tensors_are_not_copied_and_any_strides_work(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = kt.robots.two_link()
    f, seen = kt.torch.function(robot, "inverse_dynamics"), []
    run = f.operation.function
    monkeypatch.setattr(f.operation, "function", lambda *args: seen.extend(args) or run(*args))
    x = tensors(f)
    tau = f(*x)
    assert [a.__array_interface__["data"][0] for a in seen] == [a.data_ptr() for a in x]
    turned = [a.T.contiguous().T for a in x]
    assert not turned[0].is_contiguous()
    assert_same(f(*turned), tau, 0.0)
    swapped = [a.movedim(0, 1) for a in tensors(f, (5, 3))]
    assert f(*swapped).shape == (3, 5, 2)
    assert f(*swapped).is_contiguous()  # as the fake kernel says
    assert f(*tensors(f, (0, 3))).shape == (0, 3, 2)


def test_precisions_meet_and_numbers_follow() -> None:
    f = kt.torch.function(kt.robots.two_link(), "inverse_dynamics")
    q, qd, qdd = tensors(f, dtype=torch.float32)
    assert f(q, qd, qdd).dtype == torch.float32
    assert f(q, qd.double(), qdd).dtype == torch.float64
    assert f(q, [0.0, 0.0], torch.tensor([1, 2])).dtype == torch.float32
    assert f(q, np.zeros(2), qdd).dtype == torch.float64
    assert f([0, 0], [0, 0], torch.tensor([1, 2])).dtype == torch.get_default_dtype()
    fixed = kt.compile(lambda x: [x[0] * x[1]], signature="(2)->(1)", dtype=np.float32)
    assert kt.torch.function(fixed)(torch.ones(2, dtype=torch.float64)).dtype == torch.float32
    q = q.requires_grad_()
    f(q, qd.double(), qdd).sum().backward()
    assert q.grad.dtype == torch.float32


def test_named_parameters_are_differentiable_keywords() -> None:
    robot = arm()
    f = kt.torch.function(robot, "inverse_dynamics")
    q, qd, qdd, *_ = tensors(f)
    mass = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    tau = f(q, qd, qdd, mass=mass)
    numbers = [x.numpy() for x in (q, qd, qdd)]
    assert_same(tau, robot.inverse_dynamics(*numbers, mass=2.5), 0.0)
    tau.sum().backward()
    wanted = robot.parameter_derivatives("inverse_dynamics", *numbers, wrt="mass", mass=2.5)
    assert_same(mass.grad, wanted.sum())
    assert_same(f(q, qd, qdd), robot.inverse_dynamics(*numbers), 0.0)
    assert_same(f(q, qd, qdd, 0.7, 2.5), tau, 1e-15)


def test_many_parameters_come_together() -> None:
    rows = [kt.DH(a=kt.parameter(f"a{k}"), mass=kt.parameter(f"m{k}", 1.0), com=(0.1, 0, 0)) for k in range(18)]
    f = kt.torch.function(kt.Robot.from_dh(rows), "potential_energy")
    lengths = {f"a{k}": torch.tensor([0.1 * k, 0.3], requires_grad=True) for k in range(18)}
    value = f(torch.zeros(18), **lengths)
    assert value.shape == (2,)
    value.sum().backward()
    assert lengths["a3"].grad.shape == (2,)
    with pytest.raises(kt.errors.InputError, match=r"needs a0, a1, "):
        f(torch.zeros(18))


def test_arguments_by_name_and_with_defaults() -> None:
    robot, chain = kt.robots.two_link(), kt.ClosedChain(kt.robots.four_bar())
    f, (q, qd, qdd) = (
        kt.torch.function(robot, "inverse_dynamics"),
        tensors(kt.torch.function(robot, "inverse_dynamics")),
    )
    assert_same(f(q, qdd=qdd, qd=qd), f(q, qd, qdd), 0.0)
    forward = kt.torch.function(chain, "forward_dynamics")
    x = torch.from_numpy(chain.neutral), torch.ones(3, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    wanted = [chain.forward_dynamics(*(a.numpy() for a in x), **k) for k in ({}, {"stabilisation": 1.0})]
    assert_same(forward(*x), wanted[0])
    assert_same(forward(*x, stabilisation=1.0), wanted[1])
    with pytest.raises(kt.errors.UnknownNameError, match="left 'q'"):
        f(q, q=q)


def test_singular_rows_of_closed_chains_are_not_numbers() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    f = kt.torch.function(chain, "velocities")
    flat = torch.zeros(2, 3, dtype=torch.float64)
    flat[1] = torch.from_numpy(chain.neutral)
    with np.errstate(all="ignore"):
        regular = [bool(m > 1e-12) for m in f.compiled(flat.numpy(), np.ones(1))[-1]]
    assert [bool(row.isfinite().all()) for row in f(flat, torch.ones(1))] == regular
    assert_same(f(flat[1], torch.ones(1)), chain.velocities(chain.neutral, [1.0]))


# -- derivatives -------------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize(("robot", "name", "options"), robots())
def test_derivatives_are_those_of_differences(robot: Any, name: str | None, options: dict[str, Any]) -> None:
    f = kt.torch.function(robot, name, **options)
    x = tensors(f, (2,), grad=True)
    assert torch.autograd.gradcheck(f, x, check_forward_ad=True, fast_mode=True)


@quiet
@pytest.mark.parametrize("name", ["inverse_dynamics", "kinetic_energy"])
def test_second_derivatives_are_those_of_differences(name: str) -> None:
    f = kt.torch.function(arm(), name)
    x = tensors(f, (2,), grad=True)
    assert torch.autograd.gradgradcheck(f, x, check_fwd_over_rev=True, check_rev_over_rev=True, fast_mode=True)


def test_only_what_is_needed_is_differentiated() -> None:
    f = kt.torch.function(arm(), "forces_and_rates")
    x = tensors(f)
    x[1].requires_grad_()
    f(*x)[1].sum().backward()
    ((_, outputs, wrt),) = f.operation._products
    assert (outputs, wrt) == ((1,), (1,))


def test_transforms_of_torch_func() -> None:
    robot = kt.robots.two_link()
    f = kt.torch.function(robot, "inverse_dynamics")
    x = tensors(f, (5,))
    numbers = [a.numpy() for a in x]
    matrices = robot.inverse_dynamics_derivatives(*numbers)
    for k, wanted in enumerate(matrices):
        for jacobian in (torch.func.jacrev, torch.func.jacfwd):
            assert_same(torch.vmap(jacobian(f, k))(*x), wanted)
    assert_same(torch.vmap(f, (0, None, None))(x[0], x[1][0], x[2][0]), f(x[0], x[1][0], x[2][0]), 0.0)
    twice = torch.vmap(torch.vmap(f, (0, None, None)), (None, 0, None))(x[0], x[1], x[2][0])
    assert_same(twice, f(x[0], x[1][:, None], x[2][0]), 0.0)
    assert_same(torch.vmap(f, (1, 1, 1), 1)(*(a.T for a in x)), f(*x).T, 0.0)
    _, along = torch.func.jvp(lambda q: f(q, *x[1:]), (x[0],), (x[1],))
    assert_same(along, np.matvec(matrices[0], numbers[1]))


def test_transforms_of_transforms() -> None:
    robot = kt.robots.puma560()
    f, x = kt.torch.function(robot, "potential_energy"), torch.linspace(0.1, 2.0, 12, dtype=torch.float64).reshape(2, 6)
    wanted = kt.hessian(robot.function("potential_energy"))(x.numpy())
    assert np.abs(wanted).max() > 1.0
    for outer in (torch.func.jacfwd, torch.func.jacrev):
        for inner in (torch.func.jacfwd, torch.func.jacrev):
            assert_same(torch.vmap(outer(inner(f)))(x), wanted, 1e-11)
    # the values inside of a transform depend on what those further out differentiate
    q, gradient = x[0], torch.func.grad(f)(x[0])
    assert_same(torch.func.grad(lambda q: torch.func.vjp(f, q)[0])(q), gradient)
    assert_same(torch.func.jacfwd(lambda q: torch.func.vjp(f, q)[0])(q), gradient)
    assert_same(torch.func.grad(lambda q: torch.func.jvp(f, (q,), (q,))[0])(q), gradient)
    leaf = q.clone().requires_grad_()
    assert_same(torch.autograd.grad(torch.func.vjp(f, leaf)[0], leaf)[0], gradient)
    assert_same(torch.autograd.grad(torch.vmap(f)(leaf[None]).sum(), leaf)[0], gradient)
    assert not torch.func.grad(_held(f))(q).any()
    assert not torch.func.grad(lambda q: torch.func.vjp(_held(f), q)[0])(q).any()


def _held(f: Any) -> Any:
    def held(q: Any) -> Any:
        with torch.no_grad():
            value = f(q)
        return value + 0.0 * q.sum()

    return held


def test_gradients_do_without_differentiable_arguments() -> None:
    f = kt.torch.function(kt.robots.two_link(), "inverse_dynamics")
    x = tensors(f, grad=True)
    with torch.no_grad():
        assert not f(*x).requires_grad
    with torch.inference_mode():
        assert f(*x).shape == (4, 2)


# -- as an operation ---------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize(("robot", "name", "options"), robots())
def test_operations_keep_the_rules_of_pytorch(robot: Any, name: str | None, options: dict[str, Any]) -> None:
    f = kt.torch.function(robot, name, **options)
    found = torch.library.opcheck(f.operation.op, tensors(f, (3,), grad=True))
    assert {*found.values()} == {"SUCCESS"}


def test_tensors_without_numbers() -> None:
    f = kt.torch.function(arm(), "forces_and_rates")
    x = [a.to("meta") for a in tensors(f, (7,))]
    assert [y.shape for y in f(*x)] == [(7, 2), (7, 2)]
    assert f(*x)[0].device.type == "meta"


@quiet
@pytest.mark.slow
@pytest.mark.parametrize("name", ["inverse_dynamics", "forces_and_rates"])
def test_compiled_graphs_are_whole(name: str) -> None:
    f = kt.torch.function(arm(), name)
    torch._dynamo.reset()

    def loss(*args: Any) -> Any:
        return sum((2.0 * y.sin()).sum() for y in listed(f(*args)))

    compiled = torch.compile(loss, fullgraph=True)
    for size in (3, 5, 8):  # the second size makes the graph one for all
        x, y = tensors(f, (size,), grad=True), tensors(f, (size,), grad=True)
        assert_same(compiled(*x), loss(*y))
        for a, b in zip(torch.autograd.grad(compiled(*x), x), torch.autograd.grad(loss(*y), y)):
            assert_same(a, b)


@quiet
@pytest.mark.slow
def test_compiled_graphs_with_numbers_and_vmap() -> None:
    f = kt.torch.function(arm(), "inverse_dynamics")
    torch._dynamo.reset()
    x = tensors(f, (4,))
    for called in (
        lambda q, qd: f(q, qd, [0.0, 1.0], mass=1.0),
        lambda q, qd: torch.vmap(lambda a, b: f(a, b, a, mass=2.0))(q, qd),
        lambda q, qd: f(q.float(), qd, q.float()),
        torch.vmap(torch.func.jacfwd(lambda q, qd: f(q, qd, q))),
        torch.vmap(torch.func.jacrev(lambda q, qd: f(q, qd, q))),
    ):
        assert_same(torch.compile(called, fullgraph=True)(*x[:2]), called(*x[:2]))


# -- objects -----------------------------------------------------------------------------------------------------------


def test_pickles_and_copies() -> None:
    f = kt.torch.function(arm(), "inverse_dynamics")
    x = tensors(f)
    for g in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert_same(g(*x), f(*x), 0.0)
        assert g.operation.name == f.operation.name


def test_equal_functions_have_one_name_and_others_another() -> None:
    names = [kt.torch.function(r, n).operation.name for r in (arm(), arm()) for n in ("mass_matrix", "bias_forces")]
    assert names[:2] == names[2:]
    assert len({*names}) == 2
    doubled, tripled = (kt.compile(lambda x, k=k: [k * x[0]], signature="(1)->(1)") for k in (2.0, 3.0))
    assert kt.torch.function(doubled).operation.name != kt.torch.function(tripled).operation.name


def test_code_goes_with_the_function() -> None:
    compiled = kt.compile(lambda x: [5.25 * x[0]], signature="(1)->(1)")
    f = kt.torch.function(compiled)
    x = torch.ones(1, requires_grad=True)
    f(x).backward()
    op, code = f.operation.op, weakref.ref(f.operation)
    del f
    gc.collect()
    assert code() is None
    with pytest.raises(kt.errors.InputError, match="is gone: keep"):
        op(torch.ones(1))


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: [x[0].bool(), *x[1:]], r"not torch\.bool"),
        (lambda x: [x[0].half(), *x[1:]], r"not torch\.float16"),
        (lambda x: [x[0].to(torch.complex128), *x[1:]], r"not torch\.complex128"),
        (lambda x: [x[0].to("meta"), *x[1:]], "the tensors are on meta and cpu"),
        (lambda x: [True, *x[1:]], "True and False are no numbers"),
        (lambda x: [*x, x[0]], "takes 3 arguments, got 4"),
        (lambda x: x[:2], r"inverse_dynamics\(q, qd, qdd\) needs qdd too"),
        (lambda x: [x[0][:, :1], *x[1:]], r"q must end in 2"),
        (lambda x: [x[0][:3], *x[1:]], "leading dimensions don't broadcast"),
    ],
)
def test_bad_input(change: Any, message: str) -> None:
    f = kt.torch.function(kt.robots.two_link(), "inverse_dynamics")
    with pytest.raises(kt.errors.InputError, match=message):
        f(*change(tensors(f)))


def test_integers_have_no_gradients() -> None:
    f = kt.torch.function(kt.robots.two_link(), "gravity_forces")
    with pytest.raises(RuntimeError, match="floating point"):
        f(torch.tensor([0, 1]).requires_grad_())
    with pytest.raises(RuntimeError, match="floating point"):
        torch.func.jacrev(f)(torch.tensor([0, 1]))


def test_dry_friction_at_rest_has_one_of_its_slopes() -> None:
    joint = kt.Joint("joint", kt.joints.Revolute((0, 0, 1)), coulomb=2.0)
    robot = kt.Robot((kt.Body("link", joint, inertia=kt.Inertia(1.0, (0.1, 0, 0), np.eye(3) * 0.1)),))
    f, still = kt.torch.function(robot, "inverse_dynamics"), torch.zeros(1)
    assert torch.func.jacrev(f, 1)(still, still, still) == 0.0


def test_bad_functions() -> None:
    robot = kt.robots.two_link()
    with pytest.raises(kt.errors.UnknownNameError, match="inverse_dynamics"):
        kt.torch.function(robot, "inverse_dynamic")
    with pytest.raises(kt.errors.InputError, match="give the name of a function"):
        kt.torch.function(robot)
    with pytest.raises(kt.errors.InputError, match="compiled already"):
        kt.torch.function(robot.function("mass_matrix"), "mass_matrix")
    with pytest.raises(kt.errors.InputError, match="give a Robot"):
        kt.torch.function("panda", "mass_matrix")  # type: ignore[arg-type]
    with pytest.raises(kt.errors.UnknownNameError, match="mass"):
        kt.torch.function(robot, "mass_matrix")(torch.zeros(2), mass=1.0)
