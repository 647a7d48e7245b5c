"""The wheel and the sdist: what is in them, and that the wheel works where the repository is not.

The environment of the quick tests has links to the packages that are installed here, and needs no network; that of the
slow ones is filled by pip from a package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from email.message import Message
from email.parser import Parser
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

import kinetree as kt

pytestmark = pytest.mark.xdist_group("packages")  # built once
ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "kinetree"
IN_WHEEL = f"kinetree-{kt.__version__}.dist-info"
LARGEST = 2_500_000  # bytes of a wheel
SHARED = ("conftest.py", "processors.py", "strategies.py")
SAMPLE = ("joints/test_joints.py", "robot/test_bad_input.py")
PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="bob">
    <inertial>
      <origin xyz="0 0 -1"/> <mass value="2"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="1 0 0"/></joint>
</robot>"""


class Built(NamedTuple):
    """The files of a release."""

    wheel: Path
    sdist: Path

    def wheel_names(self) -> set[str]:
        with zipfile.ZipFile(self.wheel) as file:
            return {*file.namelist()}

    def sdist_names(self) -> set[str]:
        """Without the folder that all of them are in."""
        with tarfile.open(self.sdist) as file:
            return {name.partition("/")[2] for name in file.getnames()}

    def read(self, name: str) -> str:
        with zipfile.ZipFile(self.wheel) as file:
            return file.read(f"{IN_WHEEL}/{name}").decode()

    def metadata(self) -> Message:
        return Parser().parsestr(self.read("METADATA"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    pytest.importorskip("hatchling", reason="hatchling builds the packages")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return Built(*folder.glob("*.whl"), *folder.glob("*.tar.gz"))


# -- contents ----------------------------------------------------------------------------------------------------------


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    names = {name for name in built.wheel_names() if not name.startswith(f"{IN_WHEEL}/")}
    files = {path.relative_to(SOURCES.parent).as_posix() for path in SOURCES.rglob("*") if path.is_file()}
    assert names == {name for name in files if "__pycache__" not in name}
    assert "kinetree/py.typed" in names
    assert {f"{IN_WHEEL}/licenses/LICENSE", f"{IN_WHEEL}/entry_points.txt"} < built.wheel_names()
    assert built.wheel.name == f"kinetree-{kt.__version__}-py3-none-any.whl"
    assert built.wheel.stat().st_size < LARGEST


def test_the_sdist_holds_what_make_needs(built: Built) -> None:
    names = built.sdist_names()
    wanted = {"Makefile", "constraints.txt", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".ci/run"}
    assert wanted - names == set()
    folders = ("src/kinetree", "tests", "docs", "examples", "benchmarks", "papers", "tools")
    files = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert {path.as_posix() for path in files if not {"__pycache__", "_build"} & {*path.parts}} - names == set()
    tops = {name.partition("/")[0] for name in names}
    assert tops & {".venv", ".git", "report", "dist", "build", "fuzz-kept", ".ruff_cache", ".pytest_cache"} == set()
    assert [name for name in names if "__pycache__" in name or "docs/_build" in name] == []


def test_the_metadata_is_complete(built: Built) -> None:
    found = built.metadata()
    assert (found["Name"], found["Version"], found["License-Expression"]) == ("kinetree", kt.__version__, "Apache-2.0")
    assert found["Requires-Python"] == ">=3.10"
    assert found["Description-Content-Type"] == "text/markdown"
    assert found["Summary"].startswith("Robot dynamics for Python")
    classifiers = found.get_all("Classifier", [])
    assert {f"Programming Language :: Python :: 3.{k}" for k in range(10, 15)} <= {*classifiers}
    systems = {name.split(" :: ")[1] for name in classifiers if name.startswith("Operating System")}
    assert systems == {"MacOS", "Microsoft", "POSIX"}
    assert {*found.get_all("Provides-Extra", [])} >= {"bench", "dask", "dist", "docs", "plan", "test"}
    assert {re.match(r"\w+", name)[0] for name in needed(found)} == {"numpy", "llvmlite", "defusedxml"}
    assert "kinetree = kinetree.cli:main" in built.read("entry_points.txt")


def test_there_is_one_version() -> None:
    text = {name: (ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "CHANGELOG.md")}
    assert f"\nversion: {kt.__version__}\n" in text["CITATION.cff"]
    assert re.findall(r"^## \[(\d.*?)\]", text["CHANGELOG.md"], re.MULTILINE)[0] == kt.__version__


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "RELEASING.md"])
def test_links_between_files_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


# -- the wheel in an environment of its own ----------------------------------------------------------------------------


def needed(found: Message) -> list[str]:
    """The requirements that are not of an extra."""
    return [line for line in found.get_all("Requires-Dist", []) if "extra ==" not in line]


def closure(names: Iterable[str]) -> set[str]:
    """Distributions that are installed here, and those that they need."""
    requirements = pytest.importorskip("packaging.requirements")
    found, todo = set[str](), [*names]
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            wanted = [requirements.Requirement(line) for line in metadata.requires(name) or ()]
            todo += [x.name for x in wanted if x.marker is None or x.marker.evaluate({"extra": ""})]
    return found


def link(names: Iterable[str], folder: Path) -> None:
    """Make distributions that are installed here importable from a folder."""
    for distribution in map(metadata.distribution, closure(names)):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            source, target = Path(str(distribution.locate_file(top))), folder / top
            if sys.platform != "win32":
                target.symlink_to(source)
            elif source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)


def pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if "No matching distribution found" in done.stderr or "Failed to establish" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stdout + done.stderr


class Environment(NamedTuple):
    """An environment with the wheel; how it runs, in an empty folder."""

    python: Path
    tools: Path  # what runs tests
    folder: Path

    def run(self, *command: str | Path, tools: bool = False) -> str:
        own = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        own |= {"PYTHONIOENCODING": "utf-8"} | ({"PYTHONPATH": str(self.tools)} if tools else {})
        options = {"cwd": self.folder, "env": own, "capture_output": True, "encoding": "utf-8", "timeout": 300}
        done = subprocess.run([*map(str, command)], check=False, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module", params=["linked", pytest.param("installed", marks=pytest.mark.slow)])
def environment(request: pytest.FixtureRequest, built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    pytest.importorskip("pip")
    root, tools, empty = (tmp_path_factory.mktemp(name) for name in ("environment", "tools", "empty"))
    venv.create(root, symlinks=os.name != "nt")
    scripts = root / ("Scripts" if os.name == "nt" else "bin")
    found = Environment(scripts / ("python.exe" if os.name == "nt" else "python"), tools, empty)
    install = ("--python", found.python, "install", "--quiet")
    if request.param == "installed":
        pip(*install, built.wheel)
        pip("install", "--quiet", "--target", tools, "pytest", "hypothesis")
    else:
        site = Path(found.run(found.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        link([re.match(r"[\w-]+", line)[0] for line in needed(built.metadata())], site)
        link(["pytest", "hypothesis"], tools)
        pip(*install, "--no-index", "--no-deps", built.wheel)
    pip("--python", found.python, "check")
    return found


def test_three_lines_give_a_number(environment: Environment) -> None:
    lines = "import kinetree as kt\narm = kt.robots.puma560()\nprint(kt.__file__, arm.gravity_forces([0.0] * 6)[1])"
    where, force = environment.run(environment.python, "-c", lines).split()
    assert Path(where).is_relative_to(environment.python.parents[1])
    assert abs(float(force)) > 1.0  # N m


def test_the_snippets_of_the_readme_run(environment: Environment) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    script = environment.folder / "readme.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    environment.run(environment.python, "-W", "error", script)


def test_the_command_runs(environment: Environment) -> None:
    command = environment.python.with_name("kinetree.exe" if os.name == "nt" else "kinetree")
    assert "info" in environment.run(command, "--help")
    (environment.folder / "pendulum.urdf").write_text(PENDULUM)
    assert "hinge" in environment.run(command, "info", "pendulum.urdf")
    assert kt.__version__ in environment.run(environment.python, "-m", "kinetree", "--version")


def test_tests_pass_without_the_repository(environment: Environment) -> None:
    folder = environment.folder / "tests"
    for name in (*SHARED, *SAMPLE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / name, folder / name)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow: long\n")
    options = ("-q", "-p", "no:cacheprovider", "-m", "not slow")
    text = environment.run(environment.python, "-m", "pytest", *options, folder, tools=True)
    assert " passed" in text
    assert "skipped" not in text
