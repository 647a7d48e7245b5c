"""Where a closed chain looks for its closed configuration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import ClosureError, InputError, ModelError, UnknownNameError
from kinetree.joints import Revolute

Z = (0.0, 0.0, 1.0)
NEAR = {"crank": 1.0, "coupler": -0.5, "rocker": 1.8}


def along_x() -> kt.Robot:
    """A four-bar whose bars all lie along x at q = 0: there the loop is open, and nothing closes it."""

    def bar(name: str, length: float, x: float, parent: str | None = None) -> kt.Body:
        joint = kt.Joint(name, Revolute(Z), kt.Transform(p=(x, 0, 0)), actuated=name == "crank")
        return kt.Body(name, joint, kt.Inertia(1.0, (length / 2, 0, 0), (0.01, 0.1, 0.1)), parent)

    bodies = (bar("crank", 1.0, 0.0), bar("coupler", 3.0, 1.0, "crank"), bar("rocker", 2.5, 3.0))
    ends = (kt.Frame("coupler", kt.Transform(p=(3, 0, 0))), kt.Frame("rocker", kt.Transform(p=(2.5, 0, 0))))
    return kt.Robot(bodies, "bars", loops=(kt.Loop("pin", Revolute(Z), *ends),))


def test_a_four_bar_along_x_is_found_where_it_is_looked_for() -> None:
    robot = along_x()
    with pytest.raises(ClosureError, match=r"near its neutral configuration: loop .pin. .*ClosedChain\(configuration"):
        kt.ClosedChain(robot)
    for near in (NEAR, [*NEAR.values()], np.array([*NEAR.values()])):
        chain = kt.ClosedChain(robot, configuration=near)
        assert (chain.mobility, chain.independent) == (1, ("crank",))
        crank, coupler, rocker = chain.neutral
        end = np.array([np.cos(crank) + 3 * np.cos(crank + coupler), np.sin(crank) + 3 * np.sin(crank + coupler)])
        assert end == pytest.approx([3 + 2.5 * np.cos(rocker), 2.5 * np.sin(rocker)], abs=1e-9)
    q = chain.close([[0.8], [1.2]]).check()
    assert np.isfinite(chain.inverse_dynamics(q, [1.0], [0.0])).all()


def test_the_assembly_is_that_of_the_configuration() -> None:
    """The mirror image of a configuration leads to the mirror image of the chain."""
    one, other = (
        kt.ClosedChain(along_x(), configuration={name: s * x for name, x in NEAR.items()}).neutral for s in (1, -1)
    )
    assert one == pytest.approx(-other)
    bar = kt.robots.four_bar()
    assert kt.ClosedChain(bar, configuration=bar.neutral).neutral == pytest.approx(kt.ClosedChain(bar).neutral)


@pytest.mark.parametrize(
    ("near", "error", "message"),
    [
        ([0.0, 1.0], InputError, "configuration: expected 3 finite numbers, one for each coordinate"),
        ([0.0, 1.0, np.nan], InputError, "configuration: expected 3 finite numbers"),
        ("crank", InputError, "configuration: expected 3 finite numbers"),
        (np.zeros((2, 3)), InputError, "configuration: expected 3 finite numbers"),
        ({"crnk": 1.0}, UnknownNameError, "no joint 'crnk'; did you mean 'crank'"),
        ({"crank": "far"}, ModelError, "joint 'crank' can't be held at 'far'; expected 1 finite number"),
        ({"crank": 0.0}, ClosureError, "don't close near the configuration given"),
    ],
)
def test_what_is_no_configuration_is_refused(near: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kt.ClosedChain(along_x(), configuration=near)
