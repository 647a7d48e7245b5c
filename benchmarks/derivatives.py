"""Sensitivities and force rates: against Pinocchio in a Python loop, plain forward mode, and forces alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import best, best_pair
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.catalogue import Variant
from kinetree.graph.differentiate import pushforward
from kinetree.runtime import cache

BATCH = 4096
FEW = 128
LOOP = 1024  # states of a Pinocchio loop: it takes the same time for each
INVERSE, FORWARD = "inverse_dynamics_derivatives", "forward_dynamics_derivatives"
GOALS = {INVERSE: {"UR5": 60, "Panda": 30, "Talos": 15}, FORWARD: {"UR5": 30, "Panda": 20, "Talos": 15}}
THEIRS = {INVERSE: pinocchio.computeRNEADerivatives, FORWARD: pinocchio.computeABADerivatives}


def run() -> None:
    """One table for each question."""
    kt.threads(1)
    subjects = [Subject.of(name) for name in models.FILES]
    header = ["", "Kinetree ns", "with out= ns", "Pinocchio loop ns", "ratio", "goal", "float32, out= ns"]
    rows = [s.against_pinocchio(name) for s in subjects for name in GOALS]
    show(f"Derivatives, one state of a batch of {BATCH}, one thread, float64", header, rows)
    header = ["", "Kinetree ns", "Pinocchio loop ns", "ratio"]
    show(f"Talos, results that stay in the cache: {FEW} states in a call", header, subjects[-1].in_cache())
    header = ["", "mul", "add", "ns", "forward mode mul", "add", "ns"]
    show(
        "Inverse dynamics derivatives against plain forward mode", header, [s.against_forward_mode() for s in subjects]
    )
    header = ["", "forces ns", "with rates ns", "ratio", "goal"]
    show("Joint forces and their rates together", header, [s.force_rates() for s in subjects])
    ratios = "joint wrenches", "ratio", "goal", "force rates", "ratio", "Hessian product"
    header = ["", "inverse dynamics derivatives ns", *ratios]
    show("Further derivatives", header, [s.others() for s in subjects[:2]])
    header = ["", "trace and compile s", "goal", "operations", "us an operation"]
    show("Cold: trace and compile, two threads", header, [_compiling(*case) for case in _COLD])


@dataclass(frozen=True)
class Subject:
    """A robot with a batch of states and Pinocchio's model of it."""

    name: str
    robot: kt.Robot
    model: Any
    states: tuple[np.ndarray, ...]

    @staticmethod
    def of(name: str) -> Subject:
        robot, rng = models.robot(name), np.random.default_rng(0)
        states = tuple(rng.standard_normal((BATCH, robot.nv)) for _ in range(4))
        return Subject(name, robot, models.pinocchio_model(name), states)

    @property
    def title(self) -> str:
        return f"{self.name} ({self.robot.nv})"

    def work(
        self, name: str, dtype: type = np.float64, outputs: Sequence[int] | None = None, count: int = BATCH
    ) -> Callable[[], Any]:
        """A call of one of the robot's functions into arrays that are there already."""
        function = kt.compile(Variant(name), self.robot, outputs=outputs)
        args = [x[:count].astype(dtype) for x in self.states[: len(function.operands)]]
        out = tuple(np.zeros((count, *result.shape), dtype) for result in function.results)
        return lambda: function(*args, out=out if len(out) > 1 else out[0])

    def ns(self, name: str) -> float:
        return best(self.work(name)) / BATCH * 1e9

    def against_pinocchio(self, name: str) -> list[object]:
        data, (q, v, a, _), theirs = self.model.createData(), self.states, THEIRS[name]

        def loop() -> None:
            for k in range(LOOP):
                theirs(self.model, data, q[k], v[k], a[k])

        function = kt.compile(Variant(name), self.robot)
        fast, slow = best_pair(lambda: function(q, v, a), loop)
        fast, slow = fast / BATCH, slow / LOOP
        into, single = (best(self.work(name, dtype)) / BATCH for dtype in (np.float64, np.float32))
        what = name.replace("_", " ") + " (3)"
        ratios = f"{slow / fast:.0f}", f">= {GOALS[name][self.name]}"
        times = f"{fast * 1e9:.0f}", f"{into * 1e9:.0f}", f"{slow * 1e9:.0f}", *ratios
        return [f"{self.title} {what}", *times, f"{single * 1e9:.0f}"]

    def in_cache(self) -> list[list[object]]:
        data, (q, v, a, _) = self.model.createData(), (x[:FEW] for x in self.states)

        def crba() -> None:
            for k in range(FEW):
                pinocchio.crba(self.model, data, q[k])

        def aba_derivatives() -> None:
            for k in range(FEW):
                pinocchio.computeABADerivatives(self.model, data, q[k], v[k], a[k])

        rows: list[list[object]] = []
        for name, loop in (("mass_matrix", crba), (FORWARD, aba_derivatives)):
            fast, slow = best_pair(self.work(name, count=FEW), loop)
            what = name.replace("_", " ")
            rows.append([what, f"{fast / FEW * 1e9:.0f}", f"{slow / FEW * 1e9:.0f}", f"{slow / fast:.0f}"])
        return rows

    def against_forward_mode(self) -> list[object]:
        n = self.robot.nv
        naive = kt.compile(forward_mode, self.robot, signature="(nv),(nv),(nv)->(nv,nv),(nv,nv)")
        traced = kt.trace(forward_mode, self.robot, signature="(nv),(nv),(nv)->(nv,nv),(nv,nv)").operations
        out = tuple(np.zeros((BATCH, n, n)) for _ in range(2))
        ours, theirs = best_pair(self.work(INVERSE, outputs=(0, 1)), lambda: naive(*self.states[:3], out=out))
        own = Variant(INVERSE)
        ours_traced = kt.trace(own, self.robot, outputs=(0, 1)).operations
        counts = [_products_and_sums(c) for c in (ours_traced, traced)]
        return [self.title, *counts[0], f"{ours / BATCH * 1e9:.0f}", *counts[1], f"{theirs / BATCH * 1e9:.0f}"]

    def force_rates(self) -> list[object]:
        forces, both = best_pair(self.work("inverse_dynamics"), self.work("forces_and_rates"))
        return [
            self.title,
            f"{forces / BATCH * 1e9:.1f}",
            f"{both / BATCH * 1e9:.1f}",
            f"{both / forces:.2f}",
            "<= 2.3",
        ]

    def others(self) -> list[object]:
        base, wrenches, rates = map(self.ns, (INVERSE, "joint_wrench_derivatives", "force_rate_derivatives"))
        hessian = self.ns("inverse_dynamics_hessian_product")
        goal = "<= 6" if self.name == "Panda" else ""
        ratios = f"{wrenches / base:.1f}", goal, f"{rates:.0f}", f"{rates / base:.1f}"
        return [self.title, f"{base:.0f}", f"{wrenches:.0f}", *ratios, f"{hessian:.0f}"]


def forward_mode(robot: kt.Robot, q: list[Any], qd: list[Any], qdd: list[Any]) -> tuple[Any, Any]:
    """The derivatives of inverse dynamics with respect to q and qd, column by column."""
    tau = inverse_dynamics(robot, q, qd, qdd)
    blocks = ([pushforward(tau, [x], [1.0]) for x in xs] for xs in (q, qd))
    return tuple([list(row) for row in zip(*columns)] for columns in blocks)


def _products_and_sums(counts: dict[str, int]) -> tuple[int, int]:
    products, sums = (("mul", "div"), ("add", "sub"))
    return sum(counts.get(x, 0) for x in products), sum(counts.get(x, 0) for x in sums)


_COLD = (
    ("Panda inverse dynamics derivatives", lambda: models.robot("Panda"), INVERSE, 1),
    ("Panda forward dynamics derivatives", lambda: models.robot("Panda"), FORWARD, 1),
    ("Talos inverse dynamics derivatives", lambda: models.robot("Talos"), INVERSE, 6),
    ("Talos forward dynamics derivatives", lambda: models.robot("Talos"), FORWARD, 6),
    ("human55 inverse dynamics derivatives", kt.robots.human55, INVERSE, 6),
    ("human55 forward dynamics derivatives", kt.robots.human55, FORWARD, 6),
)


def _compiling(title: str, robot: Callable[[], kt.Robot], name: str, goal: int) -> list[object]:
    subject = robot()
    kt.threads(2)
    with cache.switched_off():
        start = time.perf_counter()
        subject.function(name).ufunc()
        seconds = time.perf_counter() - start
    kt.threads(1)
    count = sum(subject.operations(name).values())
    return [title, f"{seconds:.2f}", f"<= {goal}", count, f"{seconds / count * 1e6:.0f}"]
