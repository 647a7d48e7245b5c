"""The mean bodies of de Leva (1996): adjusted means of Zatsiorsky and Seluyanov, for young adults of either sex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Segment(NamedTuple):
    """A row of de Leva's table: mass as part of the body's, length [m], all else as parts of the length."""

    part: float
    length: float
    com: float  # from above, that of the foot from the heel; slices of the trunk do without it
    forward: float  # radii of gyration, about the axes forward, sideways and along
    sideways: float
    along: float


@dataclass(frozen=True)
class Proportions:
    """The mean body of one sex: stature [m], mass [kg] and segments, head with neck; hands end at the knuckles."""

    stature: float
    mass: float
    segments: Mapping[str, Segment]

    def mass_of(self, segment: Segment) -> float:
        """In kg; the parts of a rounded table do not quite add up to one."""
        whole = sum(s.part * (1 if name in _SINGLE else 2) for name, s in self.segments.items())
        return self.mass * segment.part / round(whole, 4)

    @property
    def taller(self) -> float:
        """The stature as part of a man's."""
        return self.stature / STATURE

    @property
    def longer_foot(self) -> float:
        """The length of the foot as part of a man's."""
        return self.segments["foot"].length / PROPORTIONS["male"].segments["foot"].length

    @property
    def ankle_height(self) -> float:
        """Above the sole [m]: Winter's part of the stature."""
        return 0.039 * self.stature

    @property
    def neck(self) -> float:
        """Its length [m]: Winter's part of the stature."""
        return 0.052 * self.stature

    @property
    def sacrum(self) -> float:
        """The height of L5S1 above the hips [m]: 0.100 for men, and the same part of the lower trunk for women."""
        lower, mans = self.segments["lower_trunk"].length, PROPORTIONS["male"].segments["lower_trunk"].length
        return round(0.100 * lower / mans, 4)


_SINGLE = ("head", "upper_trunk", "middle_trunk", "lower_trunk")
PROPORTIONS = {
    "male": Proportions(1.741, 73.0, {
        "head": Segment(0.0694, 0.2429, 0.5002, 0.303, 0.315, 0.261),
        "upper_trunk": Segment(0.1596, 0.2421, 0.5066, 0.505, 0.320, 0.465),
        "middle_trunk": Segment(0.1633, 0.2155, 0.4502, 0.482, 0.383, 0.468),
        "lower_trunk": Segment(0.1117, 0.1457, 0.6115, 0.615, 0.551, 0.587),
        "upper_arm": Segment(0.0271, 0.2817, 0.5772, 0.285, 0.269, 0.158),
        "forearm": Segment(0.0162, 0.2689, 0.4574, 0.276, 0.265, 0.121),
        "hand": Segment(0.0061, 0.0862, 0.7900, 0.628, 0.513, 0.401),
        "thigh": Segment(0.1416, 0.4222, 0.4095, 0.329, 0.329, 0.149),
        "shank": Segment(0.0433, 0.4403, 0.4395, 0.251, 0.246, 0.102),
        "foot": Segment(0.0137, 0.2581, 0.4415, 0.257, 0.245, 0.124),
    }),
    "female": Proportions(1.735, 61.9, {
        "head": Segment(0.0668, 0.2437, 0.4841, 0.271, 0.295, 0.261),
        "upper_trunk": Segment(0.1545, 0.2280, 0.5050, 0.466, 0.314, 0.449),
        "middle_trunk": Segment(0.1465, 0.2053, 0.4512, 0.433, 0.354, 0.415),
        "lower_trunk": Segment(0.1247, 0.1815, 0.4920, 0.433, 0.402, 0.444),
        "upper_arm": Segment(0.0255, 0.2751, 0.5754, 0.278, 0.260, 0.148),
        "forearm": Segment(0.0138, 0.2643, 0.4559, 0.261, 0.257, 0.094),
        "hand": Segment(0.0056, 0.0780, 0.7474, 0.531, 0.454, 0.335),
        "thigh": Segment(0.1478, 0.3685, 0.3612, 0.369, 0.364, 0.162),
        "shank": Segment(0.0481, 0.4386, 0.4352, 0.267, 0.263, 0.092),
        "foot": Segment(0.0129, 0.2283, 0.4014, 0.299, 0.279, 0.139),
    }),
}  # fmt: skip
STATURE, MASS = PROPORTIONS["male"].stature, PROPORTIONS["male"].mass  # m, kg
