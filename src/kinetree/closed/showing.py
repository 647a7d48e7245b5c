"""A closed chain that shows itself, its loops closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.robot import showing
from kinetree.scene import View
from kinetree.scene.view import numeric

if TYPE_CHECKING:
    from kinetree.closed.chain import ClosedChain
    from kinetree.closed.parallel import ParallelRobot


def view(chain: ClosedChain | ParallelRobot, q: ArrayLike | None = None, **parameters: Any) -> View:
    """The chain in three dimensions: as for a robot, its independent joints lead, and all others follow.

    Args:
        q: positions of all joints (nq,) [rad, m], closed; ``chain.neutral`` by default.
        parameters: values of the model's named parameters.

    Example:
        >>> import kinetree as kt
        >>> kt.ClosedChain(kt.robots.four_bar()).view()
        <View of four_bar: .open() in a browser, .save("view.html"), or a cell of a notebook>
    """
    whole: Any = getattr(chain, "chain", chain)  # that of a parallel robot
    own = _numeric(whole, parameters)
    place = own.neutral if q is None else q
    return View(own.robot, place, driving=own.independent, engine=showing.engine(own))


def _numeric(chain: ClosedChain, parameters: dict[str, Any]) -> ClosedChain:
    """The chain with numbers for the named parameters of its robot."""
    robot = numeric(chain.robot, parameters)
    if not chain.robot.parameters:
        return chain
    weights = chain.actuation.weights
    return type(chain)(robot, chain.actuated, weights=weights, configuration=chain.neutral)
