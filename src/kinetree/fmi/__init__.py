"""Robots as Functional Mock-up Units: models that Simulink, OpenModelica, Dymola and others simulate with their own.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import kinetree as kt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = kt.fmi.write(kt.robots.two_link(), Path(folder, "arm.fmu"), q0=[0.5, 0.0], compiler=None)
    >>> path.name
    'arm.fmu'

The interface is FMI 2.0, for model exchange and for co-simulation.
"""

from __future__ import annotations

from kinetree.fmi.unit import write as write

__all__ = ["write"]
