"""Functions of robots in PyTorch, with exact derivatives; needs ``pip install kinetree[torch]``.

>>> import kinetree as kt
>>> f = kt.torch.function(kt.robots.two_link(), "inverse_dynamics")
>>> f
<kinetree torch function inverse_dynamics(q, qd, qdd) (2),(2),(2)->(2)>
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

import re

from kinetree.errors import MissingExtraError

OLDEST = 2, 6  # of PyTorch: operations with rules for vmap and for derivatives

try:
    import torch as _torch
except ImportError as error:
    raise MissingExtraError(
        "kinetree.torch needs PyTorch, which is not installed: pip install kinetree[torch]"
    ) from error
if tuple(map(int, re.findall(r"\d+", _torch.__version__)[:2])) < OLDEST:
    raise MissingExtraError(
        f"kinetree.torch needs PyTorch {'.'.join(map(str, OLDEST))} or later, and {_torch.__version__} is installed: "
        "pip install --upgrade torch"
    )

from kinetree.torch.function import TorchFunction, function  # noqa: E402
from kinetree.torch.module import InertialModule  # noqa: E402

__all__ = ["InertialModule", "TorchFunction", "function"]


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
