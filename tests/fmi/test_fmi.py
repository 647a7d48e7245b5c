"""Functional Mock-up Units, run by FMPy: they move as `simulate` says."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from defusedxml import ElementTree

import kinetree as kt
from kinetree.errors import InputError, ModelWarning

ARM = kt.robots.two_link()
PAYLOAD = ARM.attach(kt.Inertia(kt.parameter("payload", 0.5), (0.1, 0, 0)), "link2")
CHAIN = kt.ClosedChain(kt.robots.four_bar())
GOAL = kt.control.ComputedTorque(kt.control.Hold([1.0, -0.5]), kp=kt.parameter("stiffness", 100.0), kd=20.0)
BOX = kt.Robot((
    kt.Body("box", kt.Joint("free", kt.joints.Free()), kt.Inertia(2.0, (0.0, 0.1, 0.0), (0.1, 0.2, 0.25))),
    kt.Body("pendulum", kt.Joint("hinge", kt.joints.Revolute()), kt.Inertia(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1)), "box"),
), name="box")  # fmt: skip
SAME = 1e-12  # the same step of integration, compiled by LLVM and by a C compiler
CLOSE = 1e-7  # FMPy's integrator against ours


@pytest.fixture(scope="module")
def fmpy() -> Any:
    """Make test-exports installs it, and sets the variable."""
    found = importlib.import_module if "KINETREE_ALL_EXPORTS" in os.environ else pytest.importorskip
    found("fmpy.validation")
    found("fmpy.fmi2")
    return found("fmpy")


def simulated(fmpy: Any, path: Path, kind: str, **options: Any) -> Any:
    own = {"step_size": 1e-3, "relative_tolerance": 1e-10} if kind == "ModelExchange" else {}
    return fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=0.5, output_interval=0.05, **own, **options)


def columns(rows: Any, prefix: str) -> np.ndarray:
    return np.column_stack([rows[name] for name in rows.dtype.names if name.startswith(prefix)])


CASES: dict[str, tuple[Any, Any, Any, Any]] = {
    "robot": (PAYLOAD, None, [0.5, 0.2], [0.0, 1.0]),
    "controlled": (PAYLOAD, GOAL, [0.5, 0.2], [0.0, 1.0]),
    "chain": (CHAIN, None, CHAIN.close([0.4]).check(), CHAIN.velocities(CHAIN.close([0.4]).check(), [1.0])),
    "floating": (BOX, None, BOX.random(1)[0], np.linspace(-1.0, 1.0, BOX.nv)),
}


@pytest.mark.parametrize("name", CASES)
def test_units_move_as_the_simulation_does(fmpy: Any, name: str, tmp_path: Path) -> None:
    robot, controller, q0, qd0 = CASES[name]
    path = kt.fmi.write(robot, tmp_path / "unit.fmu", controller, q0=q0, qd0=qd0)
    assert fmpy.validation.validate_fmu(str(path)) == []
    motion = kt.simulate(robot, q0, qd0, 0.5, controller, dt=1e-3, every=50)
    for kind, tolerance in (("CoSimulation", SAME), ("ModelExchange", CLOSE)):
        rows = simulated(fmpy, path, kind)
        q, qd = columns(rows, "q_"), columns(rows, "qd_")
        assert q.shape == motion.q.shape
        np.testing.assert_allclose(q, motion.q, rtol=0, atol=tolerance * max(1.0, np.abs(motion.q).max()))
        np.testing.assert_allclose(qd, motion.qd, rtol=0, atol=10 * tolerance * max(1.0, np.abs(motion.qd).max()))


def test_inputs_and_parameters_act(fmpy: Any, tmp_path: Path) -> None:
    path = kt.fmi.write(PAYLOAD, tmp_path / "unit.fmu")
    t = np.linspace(0.0, 0.5, 51)
    push = np.array([(x, 2.0, -1.0) for x in t], dtype=[("time", float), ("tau_joint1", float), ("tau_joint2", float)])
    rows = simulated(fmpy, path, "CoSimulation", input=push, start_values={"payload": 1.5, "q_joint1": 0.3})
    law = kt.control.Law(lambda robot, t, q, qd: [2.0, -1.0])
    motion = kt.simulate(PAYLOAD, [0.3, 0.0], [0.0, 0.0], 0.5, law, dt=1e-3, every=50, payload=1.5)
    np.testing.assert_allclose(columns(rows, "q_"), motion.q, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["robot", "controlled", "chain"])
def test_directional_derivatives_are_those_of_the_rates(fmpy: Any, name: str, tmp_path: Path) -> None:
    robot, controller, q0, qd0 = CASES[name]
    path = kt.fmi.write(robot, tmp_path / "unit.fmu", controller, q0=q0, qd0=qd0)
    with Unit(fmpy, path, tmp_path) as (fmu, references):
        states = [r for n, r in references.items() if n.startswith(("q_", "qd_"))]
        rates = [r for n, r in references.items() if n.startswith(("der_q_", "qdd_"))]
        known = [*states, *(r for n, r in references.items() if n.startswith("tau_") and controller is None)]
        known += [references[n] for n in ("payload", "stiffness") if n in references]
        base = np.array(fmu.getReal(known))
        for k, reference in enumerate(known):
            found = np.array(fmu.getDirectionalDerivative(rates, [reference], [1.0]))
            shifted = []
            for sign in (1, -1):
                fmu.setReal([reference], [base[k] + sign * 1e-6])
                shifted.append(np.array(fmu.getReal(rates)))
            fmu.setReal([reference], [base[k]])
            difference = (shifted[0] - shifted[1]) / 2e-6
            np.testing.assert_allclose(found, difference, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(difference).max()))


def test_a_state_is_kept_and_set_again(fmpy: Any, tmp_path: Path) -> None:
    path = kt.fmi.write(ARM, tmp_path / "unit.fmu", q0=[0.5, 0.2])
    with Unit(fmpy, path, tmp_path) as (fmu, references):
        every = [*references.values()]
        state = fmu.getFMUState()
        kept = fmu.serializeFMUState(state)
        fmu.doStep(0.0, 0.1)
        after = fmu.getReal(every)
        fmu.setFMUState(fmu.deserializeFMUState(kept))
        fmu.freeFMUState(state)
        fmu.doStep(0.0, 0.1)
        assert fmu.getReal(every) == after


class Unit:
    """A unit for co-simulation, ready to step."""

    def __init__(self, fmpy: Any, path: Path, folder: Path) -> None:
        described = fmpy.read_model_description(str(path))
        place = fmpy.extract(str(path), unzipdir=str(folder / "unzipped"))
        own = described.coSimulation.modelIdentifier
        self.fmu = fmpy.fmi2.FMU2Slave(guid=described.guid, unzipDirectory=place, modelIdentifier=own)
        self.references = {v.name: v.valueReference for v in described.modelVariables}

    def __enter__(self) -> tuple[Any, dict[str, int]]:
        self.fmu.instantiate()
        self.fmu.setupExperiment()
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self.fmu, self.references

    def __exit__(self, *_: object) -> None:
        self.fmu.terminate()
        self.fmu.freeInstance()


# -- what needs no FMPy ------------------------------------------------------------------------------------------------


def unpacked(path: Path, folder: Path) -> Path:
    zipfile.ZipFile(path).extractall(folder)
    return folder / "sources"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_sources_compile_without_a_warning(tmp_path: Path) -> None:
    for k, (robot, controller, q0, qd0) in enumerate(CASES.values()):
        path = kt.fmi.write(robot, tmp_path / f"{k}.fmu", controller, q0=q0, qd0=qd0, compiler=None)
        assert not [name for name in zipfile.ZipFile(path).namelist() if name.startswith("binaries")]
        sources = unpacked(path, tmp_path / str(k))
        command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "fmu.c"]
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_names_of_the_unit_s_own_code_will_do(tmp_path: Path) -> None:
    total = sum(
        (kt.parameter(name, 0.1) for name in ("GUID", "COUNT", "Q", "STEP", "starts", "r", "margin", "State")), 1.0
    )
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=total, com=(-0.5, 0, 0), inertia=(0.1, 0.1, 0.1))], name="model")
    kt.fmi.write(replace(robot, name="long " * 30), tmp_path / "long.fmu")
    path = kt.fmi.write(robot, tmp_path / "x.fmu")
    assert any(name.startswith("binaries/") for name in zipfile.ZipFile(path).namelist())


def test_equal_robots_make_equal_units(tmp_path: Path) -> None:
    one, other = (kt.fmi.write(ARM, tmp_path / name, compiler=None).read_bytes() for name in ("1.fmu", "2.fmu"))
    assert one == other


def test_names_from_files_stay_names(tmp_path: Path) -> None:
    hostile = '"/><x a="]]>*/ int main(){} \n\u0000'
    bodies = [kt.Body(f"b{k}", kt.Joint(f"{hostile}{k}", kt.joints.Revolute()), kt.Inertia(1.0, (0.1, 0, 0), (1, 1, 1)),
                      f"b{k - 1}" if k else None) for k in range(2)]  # fmt: skip
    robot = kt.Robot(tuple(bodies), name=hostile)
    path = kt.fmi.write(robot, tmp_path / "x.fmu", compiler="cc" if shutil.which("cc") else None)
    tree = ElementTree.fromstring(zipfile.ZipFile(path).read("modelDescription.xml"))
    names = [x.attrib["name"] for x in tree.iter("ScalarVariable")]
    assert len(names) == len({*names})
    assert all(re.fullmatch(r"\w+", name, re.ASCII) for name in names)
    for name in zipfile.ZipFile(path).namelist():
        assert re.fullmatch(r"[\w/.]+", name, re.ASCII)
        assert "main()" not in zipfile.ZipFile(path).read(name).decode(errors="ignore")


def test_what_can_t_be_a_unit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.fmu"
    with pytest.raises(InputError, match=r"kinetree\.ClosedChain"):
        kt.fmi.write(kt.robots.four_bar(), path)
    with pytest.raises(InputError, match="takes a Robot or a ClosedChain"):
        kt.fmi.write(CHAIN.robot.bodies, path)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="function of Python"):
        kt.fmi.write(ARM, path, lambda t, q, qd: 0 * q)
    with pytest.raises(InputError, match="closed loops"):
        kt.fmi.write(CHAIN, path)
    with pytest.raises(InputError, match="one start"):
        kt.fmi.write(ARM, path, q0=np.zeros((3, 2)))
    with pytest.raises(InputError, match="above zero"):
        kt.fmi.write(ARM, path, step=0.0)
    with pytest.raises(InputError, match="without a default"):
        kt.fmi.write(ARM.attach(kt.Inertia(kt.parameter("m"), (0.1, 0, 0)), "link2"), path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        kt.fmi.write(ARM, tmp_path / "file" / "x.fmu")
    with pytest.warns(ModelWarning, match="no library"):
        kt.fmi.write(ARM, path, compiler="no-such-compiler")
    assert path.exists()
