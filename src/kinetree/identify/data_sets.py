"""Fits to many data sets, on all cores or in an executor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any

from kinetree.errors import InputError
from kinetree.identify.chains import AnyRobot
from kinetree.identify.data import Data
from kinetree.identify.fit import Fit, fit
from kinetree.identify.samples import Measured, Samples
from kinetree.nlp.interrupt import interruptions
from kinetree.workers import answers, counted


def fit_each(
    robot: AnyRobot,
    data_sets: Iterable[Measured],
    *,
    executor: Executor | None = None,
    progress: bool | None = None,
    **options: Any,
) -> list[Fit]:
    """A fit of its own for each of many data sets, such as those of the arms of a series, or of one arm over years.

    The first is fitted in this process, and compiles what the others find in the cache. Ctrl-C leaves out those that
    are not done.

    Args:
        robot: as for `fit`.
        data_sets: each what `fit` takes as its data: `Data`, `Samples` or a list of these.
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``, that the others are fitted in; by
            default processes on this machine.
        progress: whether a line counts them; by default on a terminal and in a notebook.
        options: the rest of `fit`: include, method, physical, ...

    Returns:
        The fits, in the order of the data sets. One that fails is a `WorkerError` that says which.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> sets = []
        >>> for seed in range(2):
        ...     q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 50, 2))
        ...     sets.append(kt.identify.Samples(np.arange(50.0), q, qd, qdd, arm.inverse_dynamics(q, qd, qdd)))
        >>> len(fit_each(arm, sets, include=["inertia"]))
        2
    """
    if isinstance(data_sets, Data | Samples | Mapping | str):
        raise InputError(f"fit_each takes a list of data sets, got a {type(data_sets).__name__}; fit takes one")
    tasks = [(robot, data) for data in data_sets]
    one = partial(fit, **options)
    with interruptions() as stopped, counted("data sets: {} fitted of {}", len(tasks), progress) as done:
        found = answers(one, tasks, stopped, executor=executor, what="data set", done=done, first_here=True)
    return [each for each in found if each is not None]
