"""Functions of robots in JAX: `kinetree.jax.function`.

    >>> import kinetree as kt
    >>> f = kt.jax.function(kt.robots.two_link(), "inverse_dynamics")
    >>> f
    <kinetree.jax function inverse_dynamics(q, qd, qdd) (2),(2),(2)->(2)>

XLA runs the code that NumPy runs, on the arrays as they are: no copy, no interpreter lock, all cores for large batches.
On NVIDIA GPUs it launches kernels on its own stream. Derivatives are compiled products.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import re

from kinetree.errors import MissingExtraError

OLDEST = (0, 5, 0)
_INSTALL = f"kinetree.jax needs JAX {'.'.join(map(str, OLDEST))} or newer: python -m pip install 'kinetree[jax]'"

try:
    import jax as _jax
except ImportError as error:
    raise MissingExtraError(f"JAX is not installed; {_INSTALL}") from error
if tuple(map(int, re.findall(r"\d+", _jax.__version__)[:3])) < OLDEST:
    raise MissingExtraError(f"JAX {_jax.__version__} is too old; {_INSTALL}")

from kinetree.jax.function import JaxFunction, function  # noqa: E402

__all__ = ["JaxFunction", "function"]
