"""``modelDescription.xml``: the variables of a unit, and what importers may do with it. All text is plain ASCII."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from kinetree.export.generate import ascii_text
from kinetree.fmi.model import UnitModel


@dataclass(frozen=True)
class Variable:
    """A number of a unit, as FMI sees it."""

    name: str
    attributes: str
    real: str

    def element(self, reference: int) -> str:
        """The element of XML."""
        given = f'name={quoteattr(self.name)} valueReference="{reference}" {self.attributes}'
        return f"    <ScalarVariable {given}><Real{self.real}/></ScalarVariable>"


def model_description(model: UnitModel, title: str, guid: str, starts: Sequence[float], sources: Iterable[str]) -> str:
    """The text of the file."""
    from kinetree import __version__

    variables = [*_variables(model, starts)]
    own = quoteattr(model.identifier)
    files = [f"      <File name={quoteattr(name)}/>" for name in sources]
    states = 'canGetAndSetFMUstate="true" canSerializeFMUstate="true"'
    can = f'modelIdentifier={own} {states} providesDirectionalDerivative="true"'
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(title)} guid={quoteattr(guid)}',
        f'    generationTool="Kinetree {__version__}" variableNamingConvention="flat" numberOfEventIndicators="0">',
        f"  <ModelExchange {can}>", *_listed("SourceFiles", files, 4), "  </ModelExchange>",
        f'  <CoSimulation {can} canHandleVariableCommunicationStepSize="true">',
        *_listed("SourceFiles", files, 4), "  </CoSimulation>",
        '  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8"/>',
        "  <ModelVariables>",
        *(x.element(k) for k, x in enumerate(variables)),
        "  </ModelVariables>",
        *_structure(model),
        "</fmiModelDescription>",
        "",
    ])  # fmt: skip


def _listed(name: str, lines: list[str], indent: int) -> list[str]:
    return [f"{' ' * indent}<{name}>", *lines, f"{' ' * indent}</{name}>"]


def _variables(model: UnitModel, starts: Sequence[float]) -> Iterator[Variable]:
    """In the order of their value references."""
    robot, system = model.system.robot, model.system
    forces = robot.coordinate_names
    if system.actuation is not None:
        forces = tuple(forces[k] for k in system.actuation.actuated)
    state, computed = (
        'causality="output" variability="continuous" initial="exact"',
        'variability="continuous" initial="calculated"',
    )
    driven = 'causality="input" variability="continuous"' if model.has_inputs else f'causality="output" {computed}'
    parts = {
        "Q": ("q", "position", robot.position_names, state),
        "QD": ("qd", "velocity", robot.coordinate_names, state),
        "DQ": ("der_q", "rate of the position", robot.position_names, f'causality="local" {computed}'),
        "QDD": ("qdd", "acceleration", robot.coordinate_names, f'causality="local" {computed}'),
        "F": ("tau", "force of the actuator", forces, driven),
        "P": ("", "parameter", tuple(system.parameters), 'causality="parameter" variability="tunable" initial="exact"'),
    }
    taken: set[str] = set()
    for part, (prefix, what, names, attributes) in parts.items():
        for k, name in enumerate(names):
            index = model.begin(part) + k
            derivative = f' derivative="{index - model.begin("DQ") + 1}"' if part in ("DQ", "QDD") else ""
            held = part in ("Q", "QD", "P") or (part == "F" and model.has_inputs)
            start = f' start="{starts[index]!r}"' if held else ""
            described = f"description={quoteattr(f'{what}: {ascii_text(name)}')}"
            yield Variable(
                _unique(f"{prefix}_{name}" if prefix else name, taken), f"{described} {attributes}", start + derivative
            )
    longest = 'description="longest step of integration in co-simulation [s]"'
    fixed = 'causality="parameter" variability="fixed" initial="exact"'
    yield Variable(_unique("integration_step", taken), f"{longest} {fixed}", f' start="{starts[-1]!r}"')


def _unique(name: str, taken: set[str]) -> str:
    """A name of letters, digits and _, which no other variable has."""
    plain = re.sub(r"[^0-9A-Za-z_]", "_", name)
    found, count = plain, 1
    while found in taken:
        count += 1
        found = f"{plain}_{count}"
    taken.add(found)
    return found


def _structure(model: UnitModel) -> list[str]:
    """Which variables are outputs, derivatives, and computed at the start; everything may depend on everything."""

    def unknowns(*parts: str) -> list[str]:
        indices = [model.begin(part) + k + 1 for part in parts for k in range(model.sizes[part])]
        return [f'      <Unknown index="{k}"/>' for k in indices]

    forces = () if model.has_inputs else ("F",)
    return [
        "  <ModelStructure>",
        *_listed("Outputs", unknowns("Q", "QD", *forces), 4),
        *_listed("Derivatives", unknowns("DQ", "QDD"), 4),
        *_listed("InitialUnknowns", unknowns("DQ", "QDD", *forces), 4),
        "  </ModelStructure>",
    ]
