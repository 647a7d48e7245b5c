"""What nobody walks like: steps, bodies and strengths that are refused before a search."""

from __future__ import annotations

from kinetree.errors import InputError
from kinetree.gait.usual import usual_length
from kinetree.gait.walker import Walker

_CADENCE = (30.0, 200.0)  # steps per minute: slower is standing about, faster is running
_BODY_MASS_INDEX = (8.0, 80.0)  # kg/m^2
_LEAST = 0.1  # of the moment that standing on one leg takes: with less nobody stands
_LEAST_ANKLE = 0.5  # of the weight: what the ball of one foot carries at least after heel rise
_LEVER = 0.05  # m, of the weight about a knee or a hip that is a little flexed, of the man of the tables


def check_possible(walker: Walker, speed: float, length: float | None) -> None:
    """Refuse cadences, bodies and strengths with which nobody walks; without a length the cadence is the usual one.

    Example:
        >>> check_possible(Walker(strength={"ankle": 0.02}), 1.2, 0.6)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        kinetree.errors.InputError: R_ankle_dorsiflexion holds 3 N m, and rising on the ball of the foot takes 93.1...
    """
    length = usual_length(speed, walker.stature) if length is None else length
    cadence = 60.0 * speed / length
    if not _CADENCE[0] <= cadence <= _CADENCE[1]:
        slow, fast = (f"{c:g}" for c in _CADENCE)
        asked = f"{speed:g} m/s with steps of {length:.3g} m is {cadence:.3g} steps a minute"
        raise InputError(f"{asked}; people walk with {slow} to {fast}: give another speed or step length")
    index = walker.mass / walker.stature**2
    if not _BODY_MASS_INDEX[0] <= index <= _BODY_MASS_INDEX[1]:
        low, high = (f"{x * walker.stature**2:.3g}" for x in _BODY_MASS_INDEX)
        raise InputError(f"nobody of {walker.stature:g} m has a mass of {walker.mass:g} kg; give {low} to {high} kg")
    _check_strength(walker)


def _check_strength(walker: Walker) -> None:
    names, lowest = walker.robot.joint_names, walker.strengths[0]
    ball = float(walker.standing("L_ball")[2] - walker.standing("L_foot")[2])
    hips = float(walker.standing("L_thigh")[0])
    levers = {
        "ankle_dorsiflexion": (ball, _LEAST_ANKLE, "rising on the ball of the foot"),
        "hip_adduction": (hips, _LEAST, "standing on one leg"),
        "knee_flexion": (_LEVER * walker.size, _LEAST, "standing with the knee a little flexed"),
        "hip_flexion": (_LEVER * walker.size, _LEAST, "standing with the hip a little flexed"),
    }
    for name, held in zip(names, lowest):
        lever, share, what = levers.get(name[2:], (0.0, 0.0, ""))
        needed = lever * walker.weight
        if -held < share * needed:
            factor = next((x for part, x in walker.strength.items() if part in name), 1.0)
            raise InputError(
                f"{name} holds {-held:.3g} N m, and {what} takes {needed:.3g} N m; with less than {share:g} of that "
                f"nobody walks: give it {factor * share * needed / -held:.2g} of its strength or more"
            )
