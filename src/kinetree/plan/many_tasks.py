"""Many tasks of one robot in one call: one compiled problem, on all cores or in an executor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.nlp.interrupt import interruptions
from kinetree.plan.checks import check
from kinetree.plan.ends import settle_ends
from kinetree.plan.guess import first_guess
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.search import search_from
from kinetree.plan.tasks import limited
from kinetree.plan.transcriber import Transcriber
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.workers import answers, counted

_FEW = 32  # tasks that are not worth other processes
_CHUNK = 256  # tasks that go to a process or a worker at a time, at the most


class Ends(NamedTuple):
    """Positions and velocities at both ends of some motions, each (k, n)."""

    q0: Array
    q1: Array
    qd0: Array
    qd1: Array

    def take(self, which: Any) -> Ends:
        return Ends(*(x[which] for x in self))

    def of(self, problem: Problem) -> Problem:
        """The task with these ends, of one motion."""
        other = problem.snapshot(shared=True)
        other.start(self.q0, self.qd0)
        other.end(self.q1, self.qd1)
        settle_ends(other)
        return other


@dataclass(frozen=True)
class Plans(Sequence["Plan | None"]):
    """The plans of many tasks, in their order; None for those that Ctrl-C came before.

    ``plans.ok`` and ``plans.durations`` are arrays of all; ``plans[k]`` is a `Plan`.

    Example:
        >>> import kinetree as kt
        >>> plans = kt.plan.many(kt.robots.two_link(), q0=[0, -2], q1=[[1, -1], [1, -2]], force_limits=10)
        >>> plans
        <2 plans of two_link, 2 of them ok>
        >>> bool((plans.durations < 0.5).all())
        True
    """

    plans: tuple[Plan | None, ...]

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which motions satisfy all constraints (k,)."""
        return np.array([plan is not None and plan.ok for plan in self.plans], bool)

    @property
    def durations(self) -> Array:
        """[s] (k,); NaN where there is no motion that satisfies all constraints."""
        return np.array([plan.duration if plan is not None and plan.ok else np.nan for plan in self.plans])

    @overload
    def __getitem__(self, index: int) -> Plan | None: ...
    @overload
    def __getitem__(self, index: slice) -> Plans: ...
    def __getitem__(self, index: int | slice) -> Plan | Plans | None:
        return Plans(self.plans[index]) if isinstance(index, slice) else self.plans[index]

    def __iter__(self) -> Iterator[Plan | None]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __repr__(self) -> str:
        name = next((f" of {plan.robot.name}" for plan in self.plans if plan is not None), "")
        return f"<{len(self)} plans{name}, {int(self.ok.sum())} of them ok>"


def many(
    robot: Robot | ClosedChain,
    *,
    q0: ArrayLike,
    q1: ArrayLike,
    qd0: ArrayLike = 0.0,
    qd1: ArrayLike = 0.0,
    executor: Executor | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Plans:
    """The fastest motions of many tasks: as `minimum_time` for each of them, with one compiled problem.

    Ctrl-C stops it and keeps what is done.

    Args:
        robot: a `Robot`, or a `ClosedChain`.
        q0, q1: where the motions start and end (B, n), or (n,) for all of them [rad, m].
        qd0, qd1: the velocities there, likewise; at rest by default [rad/s, m/s].
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``; by default processes on all cores, and
            this one where tasks are few.
        progress: whether a line with the number of tasks done is shown; by default where there is a terminal.
        options: limits, splines and the rest as for `minimum_time`; ``starts`` and ``time_limit`` are of each task, and
            ``optimality`` is 1e-3 by default: motions may take about a thousandth longer than the best ones.

    Returns:
        `Plans`: a sequence of `Plan`, with ``ok`` and ``durations`` as arrays. Tasks without a solution have a plan
        that says so.

    Example:
        >>> import kinetree as kt
        >>> plans = kt.plan.many(kt.robots.two_link(), q0=[0, -2], q1=[[1, -1], [0.5, -1]], force_limits=10)
        >>> [round(plan.duration, 2) for plan in plans]
        [0.39, 0.32]
    """
    problem, options = limited(robot, options)
    problem.minimise("time")
    problem, ends = problem.snapshot(), _checked(problem, q0, q1, qd0, qd1)
    chosen = replace(Options.of({"optimality": 1e-3} | options), progress=False)
    if chosen.callback is not None:
        raise InputError("many tasks have no callback= of one search; progress= shows how many are done")
    count, cores = len(ends.q0), os.cpu_count() or 1
    tasks = [ends.take(k).of(problem) for k in range(count)]
    for k, task in enumerate(tasks):
        try:
            check(task)
        except InputError as error:
            raise InputError(f"task {k}: {error}") from None
    # the first one here: it compiles what others then find in the cache
    results = _planned(problem, ends.take(slice(0, 1)), chosen)
    size = max(1, min(_CHUNK, -(-(count - 1) // cores)))
    chunks = [slice(k, k + size) for k in range(1, count, size)]
    here = executor is None and (count <= _FEW or cores == 1)
    with counted("plans: {} of {} parts", len(chunks), progress) as done, interruptions() as stopped:
        parts = [(problem, ends.take(chunk), chosen) for chunk in chunks]
        if here:
            found = [None if stopped() else _planned(*part) for part in parts]
        else:
            found = answers(_planned, parts, stopped, executor=executor, what="part", done=done)
    for chunk, part in zip(chunks, found):
        results += part or []
        results += [None] * (min(chunk.stop, count) - len(results))
    return Plans(tuple(_whole(task, result) for task, result in zip(tasks, results)))


def _checked(problem: Problem, *given: ArrayLike) -> Ends:
    """Both ends of all motions."""
    n = problem.coordinates.size
    nq = problem.robot.nq if problem.robot.quaternions else n
    arrays, sizes = list[Array](), (nq, nq, n, n)
    for name, x, size in zip(Ends._fields, given, sizes):
        try:
            array = np.asarray(x, float)
        except (TypeError, ValueError):
            raise InputError(f"{name} is an array of numbers (tasks, {size}), got {x!r:.60}") from None
        if array.ndim > 2 or (array.ndim and array.shape[-1] != size):
            raise InputError(f"{name} is an array (tasks, {size}) or ({size},), got shape {array.shape}")
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0].tolist()
            raise InputError(f"{name} has a number that is not finite, at {where}")
        arrays.append(array)
    counts = {len(x) for x in arrays if x.ndim == 2}
    if len(counts) > 1:
        raise InputError(f"q0, q1, qd0 and qd1 are of as many tasks each, got {sorted(counts)}")
    count = counts.pop() if counts else 1
    if not count:
        raise InputError("there are no tasks: q0 and q1 are arrays (tasks, n)")
    return Ends(*(np.broadcast_to(x, (count, size)) for x, size in zip(arrays, sizes)))


def _planned(problem: Problem, ends: Ends, options: Options) -> list[dict[str, Any] | None]:
    """In a worker: what was found for each task, without what all have in common; fewer after Ctrl-C."""
    problem = problem if problem.shared is not None else problem.snapshot()
    results: list[dict[str, Any] | None] = []
    with interruptions() as stopped:
        for k in range(len(ends.q0)):
            plan = _best(ends.take(k).of(problem), options)
            if stopped() and not plan.ok:
                break
            results.append({name: getattr(plan, name) for name in _OWN})
            if stopped():
                break
    return results


_OWN = ("spline", "control_points", "duration", "status", "cost", "violation", "iterations", "seconds", "worst",
        "residual", "termination")  # fmt: skip


def _best(problem: Problem, options: Options) -> Plan:
    """Of several starts, where that is wanted."""
    seeds = np.random.SeedSequence(options.seed).generate_state(options.starts - 1)
    plans, one = list[Plan](), replace(options, starts=1, executor=None)
    for seed in (None, *seeds):
        transcriber, random = Transcriber(problem), None if seed is None else np.random.default_rng(int(seed))
        plans.append(search_from(transcriber, first_guess(transcriber, random), one))
    return best_of(plans)


def best_of(plans: Sequence[Plan]) -> Plan:
    """The best of some plans of one task, with the iterations of all."""
    best = min(plans, key=lambda plan: (not plan.ok, plan.cost if plan.ok else plan.violation))
    return replace(best, iterations=sum(plan.iterations for plan in plans))


def _whole(task: Problem, result: dict[str, Any] | None) -> Plan | None:
    if result is None:
        return None
    return Plan(robot=task.robot, constraints=tuple(task.constraints), external=task.dynamics.external,
                coordinates=task.coordinates, problem=task, **result)  # fmt: skip
