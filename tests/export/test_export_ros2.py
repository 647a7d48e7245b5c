"""Packages of ROS 2, compiled against a stand-in for it (ros2_stub): the plugin, its tests, and the nodes."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import languages
import numpy as np
import pytest
from defusedxml import ElementTree

import kinetree as kt
from kinetree import cli
from kinetree.errors import InputError, UnknownNameError

STUB = Path(__file__).parent / "ros2_stub"
ARM = kt.robots.two_link().attach(kt.Inertia(kt.parameter("payload", 0.5), (0.1, 0, 0)), "link2")
SAME = 1e-13  # relative to the largest number: terms of one model, by two compilers


def rough(robot: kt.Robot) -> kt.Robot:
    """With viscous and Coulomb friction, springs and rotors in all joints."""
    more = {"damping": 0.7, "coulomb": 0.2, "stiffness": 3.0, "rotor_inertia": 0.05}
    return replace(robot, bodies=tuple(replace(b, joint=replace(b.joint, **more)) for b in robot.bodies))


def require_tools() -> None:
    for tool, package in (("cmake", "cmake"), ("g++", "g++")):
        languages.require_tool(tool, f"apt-get install {package}")
    languages.require_file("/usr/include/eigen3/Eigen/Core", "apt-get install libeigen3-dev")


def node(path: Path, messages: str) -> np.ndarray:
    """What a node publishes."""
    done = subprocess.run([str(path)], input=messages, capture_output=True, text=True, check=True, timeout=60)
    return np.array([line.split() for line in done.stdout.splitlines()], float)


def sequence(values: object) -> str:
    values = [*values]  # type: ignore[misc]
    return f"{len(values)} {' '.join(map(str, values))}"


def test_from_a_urdf_to_compiled_nodes_in_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    require_tools()
    arm = kt.robots.two_link()
    robot = replace(arm, bodies=tuple(replace(b, joint=replace(b.joint, damping=0.7, coulomb=0.2)) for b in arm.bodies))
    file = tmp_path / "arm.urdf"
    file.write_text(robot.to_urdf())
    robot = kt.Robot.from_urdf(file)
    monkeypatch.setenv("CMAKE_PREFIX_PATH", str(STUB))
    monkeypatch.setenv("CXXFLAGS", "-O0 -Werror")
    assert cli.main(["export", str(file), "--target", "ros2", "--out", str(tmp_path), "--build"]) == 0
    gravity, computed = map(Path, capsys.readouterr().out.splitlines()[-2:])

    q, qd, goal, rate, push = np.random.default_rng(0).normal(size=(5, 2))
    names = ["other", *reversed(robot.joint_names)]  # in another order than the model's, and with one more
    state = f"joint_states {sequence(names)} {sequence([9.0, *q[::-1]])} {sequence([9.0, *qd[::-1]])}\n"
    lacking = f"joint_states {sequence(names[:2])} {sequence([1.0, 2.0])} 0\n"
    found = node(gravity, lacking + state)
    np.testing.assert_allclose(found, [robot.gravity_forces(q)], rtol=1e-12)

    found = node(
        computed, f"{state}reference {sequence(goal)} {sequence(rate)} {sequence(push)}\n{state}reference 0 0 0\n"
    )
    losses = 0.7 * rate + 0.2 * np.sign(rate)
    own = 0.7 * qd + 0.2 * np.sign(qd)
    held = robot.inverse_dynamics(q, qd, -20.0 * qd) - own
    moved = robot.inverse_dynamics(q, qd, push + 20.0 * (rate - qd) + 100.0 * (goal - q)) - own + losses
    np.testing.assert_allclose(found, [held, moved], rtol=1e-9)


def test_the_build_system_of_ros_takes_the_package(tmp_path: Path) -> None:
    """It is that of Debian; the rest of ROS is the stand-in."""
    require_tools()
    languages.require_file("/usr/share/ament_cmake/cmake/ament_cmakeConfig.cmake", "apt-get install ament-cmake")
    shutil.copytree(STUB, tmp_path / "stub", ignore=shutil.ignore_patterns("ament_cmakeConfig.cmake"))
    kt.export.ros2(kt.robots.two_link(), name="arm").write(tmp_path)
    places = [f"-DCMAKE_PREFIX_PATH={tmp_path / 'stub'}", f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'installed'}"]
    system = ["-DPython3_EXECUTABLE=/usr/bin/python3", "-DCMAKE_CXX_FLAGS=-O0"]
    configure = ["cmake", "-S", "arm", "-B", "build", *places, *system]
    for step in (configure, ["cmake", "--build", "build"], ["cmake", "--install", "build"]):
        done = languages.command(step, tmp_path)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    installed = tmp_path / "installed"
    assert (installed / "share/ament_index/resource_index/packages/arm").exists()
    assert (installed / "share/arm/package.xml").exists()
    assert (installed / "lib/arm/gravity_compensation").exists()


@pytest.mark.parametrize("name", ["smooth", "rough"])
def test_the_terms_are_those_of_the_robot(name: str, tmp_path: Path) -> None:
    languages.require("c")
    robot = rough(kt.robots.puma560()) if name == "rough" else kt.robots.puma560()
    code = kt.export.ros2(robot, name="arm")
    code.write(tmp_path)
    folder = tmp_path / "arm" / "model"
    sources = sorted(path.name for path in folder.glob("*.c"))
    done = languages.command(
        ["gcc", *languages.WARNINGS, "-shared", "-fPIC", *sources, "-lm", "-o", "terms.so"], folder
    )
    assert done.returncode == 0, done.stderr
    terms, n = ctypes.CDLL(str(folder / "terms.so")), robot.nv

    def of(term: str, *args: np.ndarray, shape: tuple[int, ...] = (n,)) -> np.ndarray:
        return languages.call(getattr(terms, f"arm_{term}"), args, [shape], np.float64)[0]

    for q, qd, qdd in np.random.default_rng(0).normal(size=(5, 3, n)):
        M, c, g = of("inertia_matrix", q, shape=(n, n)), of("coriolis_vector", q, qd), of("gravity_vector", q)
        f, tau = of("friction_vector", qd), of("torques", q, qd, qdd)
        whole = robot.inverse_dynamics(q, qd, qdd)
        scale = SAME * np.abs(whole).max()
        np.testing.assert_allclose(M, robot.mass_matrix(q), rtol=0, atol=SAME * np.abs(M).max())
        np.testing.assert_allclose(g, robot.gravity_forces(q), rtol=0, atol=scale)
        np.testing.assert_allclose(c + g + f, robot.bias_forces(q, qd), rtol=0, atol=scale)
        np.testing.assert_allclose(tau + f, whole, rtol=0, atol=scale)
        np.testing.assert_allclose(of("coriolis_vector", q, 2 * qd), 4 * c, rtol=0, atol=4 * scale)
        np.testing.assert_allclose(f, 0.7 * qd + 0.2 * np.sign(qd) if name == "rough" else 0 * qd, rtol=1e-15)


HOSTILE = '"; int main(){} //*/ ?><!-- @package@ ${HOME} \\ ??/\n%s\x00\u00f6]]>'


def test_names_from_files_stay_names(tmp_path: Path) -> None:
    body = kt.Body("b", kt.Joint(HOSTILE, kt.joints.Revolute()), kt.Inertia(1.0, (0.1, 0, 0), (1, 1, 1)))
    code = kt.export.ros2(kt.Robot((body,), name=HOSTILE))
    assert re.fullmatch(r"[a-z](_?[0-9a-z])*", code.name)
    for name, text in code.texts.items():
        assert re.fullmatch(r"[\w/.]+", name, re.ASCII)
        assert text.isascii()
        assert "@" not in text.replace("user@example.com", "")
        assert "main(){}" not in text
        assert "{HOME}" not in text
    for name in ("package.xml", "plugins.xml"):
        ElementTree.fromstring(code.texts[f"{code.name}/{name}"])
    languages.require("cpp")
    code.write(tmp_path)
    packages = pytest.importorskip("catkin_pkg.package")
    found = packages.parse_package(str(tmp_path / code.name))
    found.validate()
    assert found.name == code.name
    program = f'#include "{code.name}/joints.hpp"\n#include <cstdio>\nint main() {{ for (unsigned char c : ' \
              f'{code.name}::joint_names()[0]) std::printf("%02x", c); }}\n'  # fmt: skip
    (tmp_path / "names.cpp").write_text(program)
    flags = ["-std=c++17", "-trigraphs", "-Wno-trigraphs", "-I", f"{code.name}/include"]
    done = languages.command(["g++", *flags, "names.cpp", "-o", "names"], tmp_path)
    assert done.returncode == 0, done.stderr
    printed = languages.command([str(tmp_path / "names")], tmp_path).stdout
    assert bytes.fromhex(printed).decode().rstrip("\0") == HOSTILE.split("\0")[0]


def test_values_become_numbers() -> None:
    text = kt.export.ros2(ARM, values={"payload": 0.25}).texts["two_link_dynamics/model/two_link_dynamics_torques.h"]
    assert "payload" not in text
    with pytest.raises(UnknownNameError, match="load"):
        kt.export.ros2(ARM, values={"load": 1.0})
    with pytest.raises(InputError, match=r"values=\{'m'"):
        kt.export.ros2(kt.robots.two_link().attach(kt.Inertia(kt.parameter("m"), (0.1, 0, 0)), "link2"))


@pytest.mark.parametrize("name", ["Arm", "arm__2", "arm_", "2arm", "model", "class", "std", "a" * 41, "arm/x", 3])
def test_bad_names_of_packages_are_refused(name: object) -> None:
    with pytest.raises(InputError, match="name="):
        kt.export.ros2(ARM, name=name)  # type: ignore[arg-type]


def test_robots_without_such_an_interface_are_refused() -> None:
    with pytest.raises(InputError, match="closed chains"):
        kt.export.ros2(kt.ClosedChain(kt.robots.four_bar()))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has loops"):
        kt.export.ros2(kt.robots.four_bar())
    with pytest.raises(InputError, match="one coordinate each"):
        kt.export.ros2(kt.robots.hyq())
    with pytest.raises(InputError, match="one coordinate each"):
        kt.export.ros2(kt.Robot(()))
    motor = kt.Motor("joint2", spin_inertia=1e-4, gear_ratio=50, stiffness=100)
    elastic = kt.robots.two_link().with_motors([motor])
    with pytest.raises(InputError, match="elastic"):
        kt.export.ros2(elastic)


def test_without_ros_the_build_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    languages.require_tool("cmake", "apt-get install cmake")
    assert cli.main(["export", "zoo:two_link", "--target", "ros2", "--out", str(tmp_path), "--build"]) == 1
    assert "is ROS 2 set up in this terminal" in capsys.readouterr().err


def test_an_option_of_another_target_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["ros2", "--algorithm", "pose"], ["ros2", "--dtype", "float32"], ["fmu", "--frame", "tool0"],
                  ["c"], ["c", "--algorithm", "gravity_forces", "--build"],
                  ["wasm", "--algorithm", "gravity_forces", "--cpu", "x"],
                  ["object", "--algorithm", "gravity_forces"]):  # fmt: skip
        assert cli.main(["export", "zoo:ur5", "--target", *given]) == 2
        assert "error: " in capsys.readouterr().err
