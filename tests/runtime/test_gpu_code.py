"""Code for GPUs on machines without one: versions, what is put into the cache, and that it needs no LLVM again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fake_gpu
import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import main
from kinetree.errors import DeviceError, InputError
from kinetree.runtime.cuda import code, driver as driver_module, versions


def test_code_is_made_for_the_newest_capability_that_a_card_has() -> None:
    assert versions.code_for((9, 0)) == ((9, 0), (7, 8))
    assert versions.code_for((8, 7)) == ((8, 6), (7, 1))
    assert versions.code_for((12, 1)) == ((12, 0), (8, 7))
    assert versions.code_for((99, 0))[0] == max(versions.CAPABILITIES)
    with pytest.raises(DeviceError, match=r"capability 6\.1; code is made for 7\.0 and later"):
        versions.code_for((6, 1))


def test_an_old_driver_is_refused() -> None:
    assert versions.newest_ptx((12, 6)) == (8, 5)
    assert versions.newest_ptx((14, 2)) == (9, 1)
    with pytest.raises(DeviceError, match=r"driver is for CUDA 10\.2.*update the driver"):
        versions.newest_ptx((10, 2))


def test_every_driver_that_knows_a_card_knows_its_ptx() -> None:
    """The first CUDA that had the capability, by NVIDIA's release notes."""
    first = {(7, 0): (9, 0), (7, 5): (10, 0), (8, 0): (11, 0), (8, 6): (11, 1), (8, 9): (11, 8), (9, 0): (11, 8),
             (10, 0): (12, 7), (12, 0): (12, 8)}  # fmt: skip
    assert first.keys() == versions.CAPABILITIES.keys()
    for capability, cuda in first.items():
        driver = max(cuda, versions.OLDEST_DRIVER)
        assert versions.CAPABILITIES[capability] <= versions.newest_ptx(driver)


def test_kernels_are_kept_with_how_they_are_launched() -> None:
    kernels = (fake_gpu.Kernel("a", 64, 32, 5, 0), fake_gpu.Kernel("b", 128, 128, 0, 7))
    content = b"\x7fELF\n\0\n" + bytes(range(256))
    assert code.unpacked(code.packed(kernels, content)) == (kernels, content)


# a process as on a machine without LLVM: the kernels that another one made are there
WITHOUT_LLVM = """
import sys
sys.modules["llvmlite"] = None
import kinetree as kt
robot = kt.robots.two_link()
for dtype in ("f8", "f4"):
    robot.precompile("inverse_dynamics", "mass_matrix", dtype=dtype, target="cuda", capability="9.0")
try:
    robot.precompile("inverse_dynamics", target="cuda", capability="8.0")
except ImportError:
    print("compiles")
"""


def test_kernels_made_elsewhere_need_no_llvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path))
    robot = kt.robots.two_link()
    for dtype in (np.float64, np.float32):
        robot.precompile("inverse_dynamics", "mass_matrix", dtype=dtype, target="cuda", capability="9.0")
    assert len([*tmp_path.iterdir()]) == 8  # two functions in two precisions, for two layouts
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_LLVM], env={**os.environ}, capture_output=True, text=True, timeout=60
    )
    assert (run.stdout.strip(), run.returncode) == ("compiles", 0), run.stderr


def test_a_capability_is_given_as_it_is_written() -> None:
    robot = kt.robots.two_link()
    for wrong in ("9", "sm_90", "", "9.0a"):
        with pytest.raises(InputError, match=r"looks like '9\.0'"):
            robot.precompile("mass_matrix", target="cuda", capability=wrong)


def test_the_command_line_lists_devices(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(driver_module, "_found", [fake_gpu.FakeDriver()])
    assert main(["info", "--devices"]) == 0
    shown = capsys.readouterr().out
    assert "CUDA        12.8" in shown
    assert "0: Fake GPU\n  compute capability  9.0\n  memory              1.0 GiB" in shown
    assert main(["info", "--devices", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [device["capability"] for device in found["devices"]] == ["9.0", "9.0"]
    assert found["devices"][0]["reason"] is None


def test_the_command_line_says_why_there_is_no_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(driver_module, "_found", [])
    monkeypatch.setattr(driver_module, "_NAMES", ("libcuda-that-is-not-there.so",))
    assert main(["info", "--devices"]) == 1
    assert capsys.readouterr().out.startswith("no GPU: there is no NVIDIA driver")
    for wrong in (["info"], ["info", "zoo:ur5", "--devices"]):
        assert main(wrong) == 2
        assert "give a FILE, or --devices" in capsys.readouterr().err
