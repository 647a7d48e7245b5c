"""What the README and the examples write passes a type checker, as a user runs it on his own code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = """
import numpy as np
import kinetree as kt

hand = kt.Body("hand", kt.Joint("wrist", kt.joints.Revolute((0, 1, 0))), kt.Inertia(2.0, com=(0, 0, 0.05)))
robot = kt.Robot([hand], gravity=(0, 0, -9.81), named_frames={"tip": kt.Frame("hand", kt.Transform(p=(0, 0, 0.1)))})
heavy = kt.Inertia(2.0, np.array([0.0, 0.0, 0.05]), (0.01, 0.01, 0.01))
reference = kt.control.Quintic(np.zeros(1), np.ones(1), 2.0)
motion = kt.simulate(robot, [0.0], [0.0], 1.0)
energy: np.ndarray = robot.kinetic_energy(motion.q, motion.qd)
length: float = heavy.com.z + robot.gravity.z
"""


def test_readme_and_examples_pass_a_type_checker(tmp_path):
    if shutil.which("pyright", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("pyright is not installed")
    readme = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(readme) == 4
    (tmp_path / "readme.py").write_text("\n".join(readme), encoding="utf-8")
    (tmp_path / "written.py").write_text(WRITTEN, encoding="utf-8")
    (tmp_path / "refused.py").write_text("import kinetree as kt\n\nkt.robots.panda().mass_matrix()\n", encoding="utf-8")
    for example in (ROOT / "examples").glob("*.py"):
        extras = re.findall(
            r"^(?:import|from) (jax|torch|distributed)\b", example.read_text(encoding="utf-8"), re.MULTILINE
        )
        if all(find_spec(name) for name in extras):
            shutil.copy(example, tmp_path)
    settings = {"include": ["."], "typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300).stdout)
    wrong = {(Path(x["file"]).name, x["range"]["start"]["line"] + 1, x["message"]) for x in found["generalDiagnostics"]}
    assert {line for name, line, _ in wrong if name == "refused.py"} == {3}, "the check itself must be able to fail"
    assert {x for x in wrong if x[0] != "refused.py"} == set()
