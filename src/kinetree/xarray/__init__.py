"""Functions of robots on arrays whose dimensions have names; needs ``pip install kinetree[xarray]``.

>>> import kinetree as kt
>>> f = kt.xarray.function(kt.robots.two_link(), "mass_matrix")
>>> f
<kinetree.xarray function mass_matrix: q(joint) -> M(joint, joint_2)>
"""

from importlib.util import find_spec

from kinetree.errors import MissingExtraError

if find_spec("xarray") is None:
    raise MissingExtraError("kinetree.xarray needs xarray, which is not installed: pip install kinetree[xarray]")

from kinetree.xarray.function import NamedFunction, function

__all__ = ["NamedFunction", "function"]


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
