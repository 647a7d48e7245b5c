"""The actuators of a URDF file: gear ratios and rotor inertias of its `<transmission>` elements.

    <transmission name="t"><joint name="elbow"/>
      <actuator name="motor"><mechanicalReduction>100</mechanicalReduction><rotorInertia>1e-5</rotorInertia></actuator>
    </transmission>

An actuator of n turns for one of the joint, with the inertia J on the motor's side, is n^2 J on the joint's side.
Both numbers may also stand beside <actuator>, or be called <drake:gear_ratio value="..."/> and
<drake:rotor_inertia value="..."/>. Transmissions of several joints (differentials) have no such number and are left
out, with a warning where they have rotors. Where two transmissions drive one joint, the inertias add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kinetree.errors import ModelFileError
from kinetree.model.text.file import shown
from kinetree.model.text.xml import Element
from kinetree.model.urdf.mimics import ONE_COORDINATE
from kinetree.model.urdf.tree import UrdfTree


@dataclass(frozen=True)
class Actuator:
    """The motor of a joint: turns of the motor for one of the joint, rotor inertia on the joint's side [kg m^2, kg]."""

    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0


def actuators(tree: UrdfTree, notes: list[str], strict: bool = True) -> Mapping[str, Actuator]:
    """The actuators by the name of the joint; what is left out is said in the notes.

    Args:
        tree: what the file says.
        notes: are added to.
        strict: refuse gear ratios that are no numbers; else, where there is no rotor, a note says that they are left
            out.
    """
    found: dict[str, Actuator] = {}
    unknown: list[str] = []
    unread: list[str] = []
    for transmission in tree.element.all("transmission"):
        names = [joint.string("name") for joint in transmission.all("joint")]
        unknown += [name for name in names if name not in tree.joints]
        if not strict:
            transmission = _without_words(transmission, notes)
        actuator = _actuator(transmission)
        simple = len(names) == 1 and len([*transmission.all("actuator")]) <= 1
        if any(name not in tree.joints or tree.joints[name].type == "fixed" for name in names):
            continue
        if simple and tree.joints[names[0]].type in ONE_COORDINATE:
            first = found.get(names[0], Actuator(actuator.gear_ratio))
            found[names[0]] = Actuator(first.gear_ratio, first.rotor_inertia + actuator.rotor_inertia)
        elif actuator.rotor_inertia:
            unread.append(f"line {transmission.line}")
    if unknown:
        notes.append(f"transmissions of joints that do not exist are left out: {', '.join(map(repr, unknown))}")
    if unread:
        which = "transmissions that have not just one joint, with one coordinate, and one actuator"
        notes.append(f"rotors of {which} are left out: {', '.join(unread)}")
    return found


def _actuator(transmission: Element) -> Actuator:
    ratios = _numbers(transmission, "drake:gear_ratio", "mechanicalReduction")
    rotors = _numbers(transmission, "drake:rotor_inertia", "rotorInertia")
    for element, value in ratios:
        if value == 0:
            expected = "expected the turns of the drive for one of the joint, such as 100"
            raise element.error(f"<{element.tag}> is 0; {expected}")
    for element, value in rotors:
        if value < 0:
            raise element.error(f"<{element.tag}> is {value:g}; expected the rotor's inertia in kg m^2, 0 or more")
    ratio = ratios[0][1] if ratios else 1.0
    return Actuator(ratio, ratio * ratio * max((value for _, value in rotors), default=0.0))


def _without_words(transmission: Element, notes: list[str]) -> Element:
    """The transmission without gear ratios that are no numbers, if it has no rotor."""
    if any(x.tag in ("rotorInertia", "drake:rotor_inertia") for x in transmission.walk()):
        return transmission
    wrong: list[Element] = []
    for element in (x for x in transmission.walk() if x.tag == "mechanicalReduction"):
        try:
            element.text_number()
        except ModelFileError:
            wrong.append(element)
            notes.append(f"line {element.line}: <{element.tag}>{shown(element.text)} is no number and left out")

    def kept(element: Element) -> Element:
        return replace(element, children=tuple(kept(child) for child in element.children if child not in wrong))

    return kept(transmission) if wrong else transmission


def _numbers(transmission: Element, drake: str, ros: str) -> list[tuple[Element, float]]:
    """The elements with one of these tags in each actuator and in the transmission itself, and their numbers."""
    found = []
    for place in (*transmission.all("actuator"), transmission):
        if (element := place.child(drake)) is not None:
            found.append((element, element.number("value")))
        elif (element := place.child(ros)) is not None:
            found.append((element, element.text_number()))
    return found
