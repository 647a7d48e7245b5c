"""Classes of the user's may change between two runs: the code on the disk is never that of an earlier version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# each of the four results depends on FACTOR only through a method, which is no field that a key could see
SCRIPT = """
import json
from dataclasses import dataclass, replace

import numpy as np

import kinetree as kt
from kinetree.joints import Revolute
from kinetree.plan.evaluate import evaluate
from kinetree.spatial import RigidInertia, Transform

FACTOR = {factor}


class Pin(Revolute):
    def transform(self, q):
        return super().transform(q) @ Transform(p=(0.01 * FACTOR, 0.0, 0.0))


class Heavy(kt.Inertia):
    @property
    def rigid(self):
        rigid = super().rigid
        return RigidInertia(FACTOR * rigid.m, FACTOR * rigid.ms, rigid.J * FACTOR)


class Scaled(kt.plan.Quantity):
    order = 0

    def values(self, robot, q, qd, qdd, qddd):
        return [FACTOR * x for x in q]


@dataclass(frozen=True)
class Pull(kt.control.Controller):
    def forces(self, robot, t, q, qd):
        return [FACTOR * x for x in q]


def loop():
    robot = kt.robots.four_bar()
    robot = replace(robot, loops=tuple(replace(x, kind=Pin(x.kind.axis)) for x in robot.loops))
    return kt.ClosedChain(robot).close([0.5]).q


def inertia():
    return kt.Robot((kt.Body("arm", kt.Joint("shoulder", Revolute()), Heavy(1.0, (0.5, 0.0, 0.0))),)).mass_matrix([0.1])


def quantity():
    return evaluate(kt.robots.two_link(), Scaled(), (np.array([0.1, 0.2]),))


def simulation():
    return kt.simulate(kt.robots.two_link(), [0.1, 0.2], [0.0, 0.0], 0.05, Pull(), dt=0.01).q[-1]


made = (loop, inertia, quantity, simulation)
print(json.dumps({{f.__name__: np.ravel(f()).tolist() for f in made}}))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, list[float]]]:
    """The script; edited, with the code that the first run left; edited, with nothing on the disk."""
    folder = tmp_path_factory.mktemp("edited")
    return [run(folder, factor, cache) for factor, cache in ((1, folder / "cache"), (2, folder / "cache"), (2, ""))]


def run(folder: Path, factor: int, cache: Path | str) -> dict[str, list[float]]:
    file = folder / "script.py"
    file.write_text(SCRIPT.format(factor=factor), encoding="utf-8")
    environment = {**os.environ, "KINETREE_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["loop", "inertia", "quantity", "simulation"])
def test_an_edited_class_is_compiled_anew(name: str, runs: list[dict[str, list[float]]]) -> None:
    before, after, fresh = (found[name] for found in runs)
    assert before != after  # the class has an effect
    assert after == fresh
