"""What PyTorch calls on a GPU, run on the CPU: tensors of the host count as those of a card, whose driver is a fake."""

from __future__ import annotations

from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import FakeDriver

import kinetree as kt

pytest.importorskip("torch")
import torch

from kinetree.runtime.cuda import arrays, code, driver as driver_module
from kinetree.runtime.cuda.libraries import Torch
from kinetree.torch.operation import TorchOperation

STREAM = 9
DTYPES = {"d": torch.float64, "f": torch.float32}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    monkeypatch.setattr("kinetree.runtime.cuda.libraries._made", lambda _, kind, device: {"dtype": DTYPES[kind]})
    monkeypatch.setattr(Torch, "holds", lambda self, a: True)
    monkeypatch.setattr(Torch, "device", lambda self, a: 0)
    monkeypatch.setattr(Torch, "described", lambda self, a: (a.data_ptr(), 0, (a.shape, a.stride(), a.dtype)))
    monkeypatch.setattr(Torch, "stream", lambda self, a, device: STREAM)
    monkeypatch.setattr(TorchOperation, "kernel", TorchOperation.on_gpu)
    fake = FakeDriver()
    monkeypatch.setattr(driver_module, "_found", [fake])
    arrays._UPLOADED.clear()
    code._unused.clear()  # of the driver before
    return fake


def new_arm(mass: float) -> kt.Robot:
    """One that no other test has: functions that are shared keep their kernels."""
    rows = [kt.DH(a=0.5, mass=mass, com=(-0.25, 0, 0)), kt.DH(alpha=0.7, a=0.4, mass=0.5, com=(0.1, 0, 0.2))]
    return kt.Robot.from_dh(rows, gravity=(0, -9.81, 0))


def states(*batch: int, dtype: Any = torch.float64) -> list[Any]:
    made = np.random.default_rng(0).standard_normal((3, *batch, 2))
    return [torch.tensor(x, dtype=dtype, requires_grad=True) for x in made]


def near(found: Any, want: Any, tolerance: float = 1e-11) -> None:
    np.testing.assert_allclose(found.detach(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_call_is_one_launch_on_the_stream_of_pytorch(gpu: FakeDriver, dtype: Any) -> None:
    arm = new_arm(1.1)
    f, x = kt.torch.function(arm, "inverse_dynamics"), states(70, dtype=dtype)
    found = f(x[0], x[1][0], x[2])
    assert found.dtype == dtype
    want = arm.inverse_dynamics(*(a.detach().double().numpy() for a in (x[0], x[1][0], x[2])))
    near(found, want, 1e-11 if dtype == torch.float64 else 1e-5)
    assert gpu.launches == [(0, STREAM, 70, True)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own code
def test_derivatives_are_launches_too(gpu: FakeDriver) -> None:
    arm = new_arm(1.2)
    f, x = kt.torch.function(arm, "inverse_dynamics"), states(5)
    matrices = arm.inverse_dynamics_derivatives(*(a.detach().numpy() for a in x))
    for gradient, matrix in zip(torch.autograd.grad(f(*x).sum(), x), matrices):
        near(gradient, matrix.sum(1))
    assert [count for _, _, count, _ in gpu.launches] == [5, 5]
    shared = [x[0], x[1][0].detach().requires_grad_(), x[2]]
    assert torch.autograd.grad(f(*shared).sum(), shared)[1].shape == (2,)
    plain = [a.detach() for a in x]
    near(torch.vmap(torch.func.jacfwd(f, 2))(*plain), matrices[2])
    near(torch.vmap(torch.func.jacrev(f, 0))(*plain), matrices[0])
    assert torch.autograd.gradgradcheck(f, states(2))
    assert {stream for _, stream, _, _ in gpu.launches} == {STREAM}


def test_tensors_that_are_only_described_know_their_device() -> None:
    f = kt.torch.function(new_arm(1.3), "inverse_dynamics")
    with torch._subclasses.FakeTensorMode():
        q = torch.empty(7, 2, device="cuda")
        assert f(q, q, q).device.type == "cuda"
        assert f(q, q, q).shape == (7, 2)
        with pytest.raises(kt.errors.InputError, match="the tensors are on cuda:0 and cpu; move them"):
            f(q, q, torch.empty(2))
        with pytest.raises(kt.errors.InputError, match="runs on the CPU and on NVIDIA GPUs, got tensors on xpu:0"):
            f(*[torch.empty(2, device="xpu")] * 3)
