"""What a unit computes, as C code: the rates of its state, a step of integration, and derivatives along a direction.

All numbers of a unit are in one array, by the value references of FMI: positions, velocities, their rates, the forces
of the actuators, named parameters, and the longest step of integration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from kinetree import export
from kinetree.algorithms.kinematics import rates
from kinetree.closed.functions import SINGULAR
from kinetree.compile import compile
from kinetree.derivatives.products import Pushforward
from kinetree.runtime.function import Function
from kinetree.signature import TOGETHER, parameter_operands
from kinetree.simulation.system import System
from kinetree.simulation.traced import IntegratorStep, TracedStep

# the results of functions, and where they go: what is named here into the array, all others nowhere
_PLACES = {"dq": "DQ", "qdd": "QDD", "forces": "F", "next_q": "Q", "next_qd": "QD"}


@dataclass(frozen=True)
class StateRates(TracedStep):
    """The rates of positions and velocities, and the forces."""

    RESULTS: ClassVar[str] = "dq(nq), qdd(nv), forces(nforces)"

    @property
    def __name__(self) -> str:
        return "rates"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = self.external_and_forces(system, rest)
        tau = forces(t, q, qd)
        return rates(system.robot, q, qd), system.acceleration(t, q, qd, tau, external), tau, *system.margin(q)


@dataclass(frozen=True)
class UnitModel:
    """The functions of a system with a controller, or with forces as inputs."""

    system: System
    identifier: str

    @property
    def has_inputs(self) -> bool:
        return self.system.controller is None

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The parts of the array, in order."""
        robot = self.system.robot
        state = {"Q": robot.nq, "QD": robot.nv, "DQ": robot.nq, "QDD": robot.nv}
        return {**state, "F": self.system.nforces, "P": len(self.system.parameters), "STEP": 1}

    def begin(self, part: str) -> int:
        """Where a part begins."""
        names = [*self.sizes]
        return sum(self.sizes[name] for name in names[: names.index(part)])

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Compiled when they are called; here they are written as C."""
        common = self.system.nforces, self.has_inputs
        of_rates, step = StateRates(*common), IntegratorStep(*common)
        own = of_rates.signature(self.system)
        varied = [o for o in own.operands if o.name in ("q", "qd", "tau")]
        wrt = (*varied, *parameter_operands(self.system))
        slopes = Pushforward(of_rates, own, (0, 1, 2), wrt, True)
        made = {"rates": of_rates, "step": step, "slopes": slopes}
        return {name: compile(function, self.system, name=name) for name, function in made.items()}

    def function_name(self, name: str) -> str:
        """What a function is called in C: nothing in ``fmu.c`` can have that name."""
        return f"{self.identifier}_model_{name}"

    def sources(self) -> dict[str, str]:
        """The functions as C, and the header through which ``fmu.c`` calls them."""
        files: dict[str, str] = {}
        for name, function in self.functions.items():
            code = export.code(function, target="c", name=self.function_name(name), test=False)
            files |= code.texts
        return files

    def header(self, guid: str, starts: Sequence[float]) -> str:
        """Sizes, starts, and the functions on the array."""
        places = {name: self.begin(name) for name in self.sizes}
        count = sum(self.sizes.values())
        loops = self.system.actuation is not None
        flags = {"GUID": f'"{guid}"', "HAS_INPUTS": int(self.has_inputs), "HAS_LOOPS": int(loops)}
        lines = [f'#include "{self.function_name(name)}.h"' for name in self.functions]  # before names of ours
        lines += ["", *(f"#define {name} {value}" for name, value in flags.items())]
        lines += [f"#define SINGULAR {SINGULAR['float64']!r}"]
        listed = ", ".join(f"{name} = {k}" for name, k in places.items())
        lines += [f"enum {{ {listed}, COUNT = {count} }};", ""]
        lines += ["static const double starts[COUNT] = {", *(f"    {_number(x)}," for x in starts), "};", ""]
        for name in self.functions:
            lines += [*self._wrapper(name), ""]
        return "\n".join(lines)

    def _wrapper(self, name: str) -> Iterator[str]:
        """A function on the array r; derivatives along d go to s. It gives the squared margin of loops."""
        function, derived = self.functions[name], name == "slopes"
        arguments = ", ".join(["double t", *["double h"] * (name == "step"), f"{'const ' * derived}double *r"])
        yield f"static double model_{name}({arguments}{', const double *d, double *s' * derived})"
        yield "{"
        yield "    double margin[1] = {1.0};"
        after: list[str] = []
        given = [self._operand(o.name, name) for o in function.operands]
        for result in function.results:
            if result.name == "margin":
                given.append("margin")
                continue
            place = _PLACES.get(result.name.removeprefix("d_"))
            if derived:
                given.append(f"s + {place}")
                continue
            kept = name == "rates" and not (result.name == "forces" and self.has_inputs)
            kept |= result.name.startswith("next_")
            yield f"    double {result.name}[{result.size}];"
            given.append(result.name)
            if kept:
                after.append(f"    memcpy(r + {place}, {result.name}, sizeof {result.name});")
            else:
                after.append(f"    (void){result.name};")
        yield f"    {self.function_name(name)}({', '.join(given)});"
        yield from after
        yield "    return margin[0];"
        yield "}"

    def _operand(self, operand: str, function: str) -> str:
        """An argument as C."""
        if operand in ("t", "h"):
            return operand if operand == "t" or function == "step" else "0.0"
        places: Mapping[str, str] = {"q": "Q", "qd": "QD", "tau": "F", TOGETHER: "P"}
        parameters = [*self.system.parameters]
        own = operand in places or operand in parameters
        array, name = ("r", operand) if own else ("d", operand.removeprefix("d_"))  # a direction in d
        return f"{array} + {places[name]}" if name in places else f"{array}[P + {parameters.index(name)}]"


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else "0.0"
