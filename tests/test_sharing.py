"""What is compiled once: equal robots share code, and nothing that differs ever does."""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.compile import compiled
from kinetree.joints import Revolute
from kinetree.model.inertia import Inertia
from kinetree.plan.forces import Force
from kinetree.plan.quantity import Quantity
from kinetree.runtime import cache, native
from kinetree.signature import Signature, parse
from kinetree.traceable import cache_key, identity
from kinetree.transcribe.sample import VALUES, SampleFunction

Q = np.array([0.3, -0.4])


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that were compiled since the test began, with nothing on the disk."""
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    monkeypatch.setattr(sys.modules["kinetree.compile"], "_COMPILED", weakref.WeakValueDictionary())
    seen: list[str] = []
    original = native.compile_object

    def compile_object(modules: list[Any], shared: str = "") -> bytes:
        seen.append(modules[-1]())
        return original(modules, shared)

    monkeypatch.setattr(native, "compile_object", compile_object)
    return seen


# -- sharing -----------------------------------------------------------------------------------------------------------


def test_equal_robots_compile_once(compilations: list[str]) -> None:
    first, second = kt.robots.two_link(), kt.robots.two_link()
    assert first.function("mass_matrix") is second.function("mass_matrix")
    np.testing.assert_array_equal(first.mass_matrix(Q), second.mass_matrix(Q))
    third = kt.Robot.from_json(first.to_json())
    third.mass_matrix(Q)
    assert len(compilations) == 1


def test_a_caller_in_single_precision_compiles_single_precision_only(compilations: list[str]) -> None:
    robot, q = kt.robots.two_link(), Q.astype(np.float32)
    for _ in range(3):
        assert robot.mass_matrix(q).dtype == np.float32
    assert len(compilations) == 1
    assert robot.mass_matrix(Q).dtype == np.float64
    assert robot.mass_matrix(q).dtype == np.float32
    assert len(compilations) == 2


def test_robots_that_differ_do_not_share(compilations: list[str]) -> None:
    arm = kt.robots.two_link()
    others = [
        arm.scale(mass=2.0),
        arm.with_gravity((0.0, -1.0, 0.0)),
        replace(arm, name="another"),  # a pickle of its function must give back this name
        replace(arm, named_frames=(*arm.named_frames, ("tip", kt.Frame("link2")))),
    ]
    functions = {id(robot.function("gravity_forces")) for robot in (arm, *others)}
    assert len(functions) == 5


def test_functions_are_forgotten_with_the_last_robot(compilations: list[str]) -> None:
    first, second = kt.robots.two_link(), kt.robots.two_link()
    function = weakref.ref(first.function("mass_matrix"))
    second.mass_matrix(Q)
    del first
    gc.collect()
    assert function() is second.function("mass_matrix")
    del second
    gc.collect()
    assert function() is None


def test_a_cache_that_is_switched_off_compiles_anew(compilations: list[str]) -> None:
    first = kt.robots.two_link()
    first.mass_matrix(Q)
    with cache.switched_off():
        kt.robots.two_link().mass_matrix(Q)
    assert len(compilations) == 2


def test_chains_share_too(compilations: list[str]) -> None:
    chains = [kt.ClosedChain(kt.robots.four_bar()) for _ in range(2)]
    assert len({id(chain.function("velocities")) for chain in chains}) == 1


# -- what has no key ---------------------------------------------------------------------------------------------------


class OwnJoint(Revolute):
    """A joint type of the user's."""


class Heavier(Inertia):
    """An inertia of the user's."""


class OwnQuantity(Quantity):
    """A quantity of the user's, which hides a number from the fields of a dataclass."""

    def __init__(self, factor: float) -> None:
        object.__setattr__(self, "factor", factor)


@dataclass(frozen=True)
class OwnFunction:
    """A function of the user's."""

    factor: float


def with_joint(kind: Any) -> kt.Robot:
    return kt.Robot((kt.Body("arm", kt.Joint("shoulder", kind), kt.Inertia(1.0, (0.1, 0.0, 0.0), (0.1,) * 3)),))


def with_loop(kind: Any) -> kt.Robot:
    loop = kt.Loop("ring", kind, kt.Frame("link2"), kt.Frame(None))
    return replace(kt.robots.two_link(), loops=(loop,))


def with_inertia(kind: type[Inertia]) -> kt.Robot:
    return kt.Robot((kt.Body("arm", kt.Joint("shoulder", Revolute()), kind(1.0)),))


FOREIGN: dict[str, Any] = {
    "lambda": lambda q: q,
    "function inside a function": with_joint,
    "built-in function": print,
    "class": OwnFunction,
    "dataclass": OwnFunction(2.0),
    "joint type": with_joint(OwnJoint()),
    "joint type in a loop": with_loop(OwnJoint()),
    "inertia": with_inertia(Heavier),
    "quantity": SampleFunction((OwnQuantity(1.0),), 2, 2, VALUES),
    "array of objects": np.array([print]),
    "set": {1.0},
    "float of the user's": type("Length", (float,), {})(1.0),
    "robot of the user's": type("Arm", (kt.Robot,), {})(),
    "among others": (1.0, [Force(), {"a": OwnFunction(1.0)}]),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_the_packages_has_no_key(name: str) -> None:
    assert cache_key(FOREIGN[name]) is None
    assert identity(FOREIGN[name]) == identity(FOREIGN[name])


@pytest.mark.parametrize("make", [OwnQuantity, OwnFunction])
def test_what_has_no_key_is_known_by_identity(make: Any) -> None:
    one, other = make(1.0), make(2.0)
    assert identity((one,)) != identity((other,))
    assert identity(SampleFunction((one,), 2, 2, VALUES)) == identity(SampleFunction((one,), 2, 2, VALUES))


OWN: dict[str, tuple[Any, Any]] = {
    "numbers": (1.0, -1.0),
    "signs of zero": (0.0, -0.0),
    "a number and its text": (1.0, "1.0"),
    "nothing and its text": (None, "None"),
    "arrays": (np.arange(3.0), np.arange(3.0)[::-1]),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "precisions": (np.zeros(2, np.float32), np.zeros(1, np.float64)),
    "nesting": ((1.0, (2.0, 3.0)), ((1.0, 2.0), 3.0)),
    "texts with commas": (("a", "b"), ("a','b",)),
    "classes with the same fields": (kt.joints.Revolute(), kt.joints.Prismatic()),
    "variants": (Variant("mass_matrix"), Variant("inverse_dynamics")),
    "joint types in a loop": (with_loop(Revolute()), with_loop(kt.joints.Prismatic())),
    "robots": (with_joint(Revolute()), with_joint(kt.joints.Prismatic())),
}


@pytest.mark.parametrize("name", OWN)
def test_what_differs_has_another_key(name: str) -> None:
    one, other = OWN[name]
    assert cache_key(one) is not None
    assert cache_key(one) != cache_key(other)


def test_numbers_of_numpy_are_numbers() -> None:
    assert cache_key(np.float64(1.5)) == cache_key(1.5)
    assert cache_key(kt.Inertia(np.float64(2.0))) == cache_key(kt.Inertia(2.0))


def test_a_name_is_not_part_of_the_key() -> None:
    arm = kt.robots.two_link()
    assert cache_key(arm) == cache_key(replace(arm, name="another"))


def test_own_joints_in_loops_are_compiled_for_themselves(compilations: list[str]) -> None:
    ours, theirs = with_loop(Revolute()), with_loop(OwnJoint())
    for robot in (ours, theirs):
        robot.mass_matrix(Q)
    assert ours.function("mass_matrix") is not theirs.function("mass_matrix")
    assert compiled(Variant("mass_matrix"), theirs) is theirs.function("mass_matrix")


@dataclass(frozen=True)
class Weighted:
    """A function with an array, which has no hash."""

    weights: np.ndarray
    __name__ = "weighted"

    def signature(self, robot: kt.Robot) -> Signature:
        return parse("q(nq) -> y()", robot)

    def __call__(self, robot: kt.Robot, q: Any) -> Any:
        return sum(w * x for w, x in zip(self.weights.tolist(), q))


def test_functions_that_hold_arrays_need_no_hash() -> None:
    robot = kt.robots.two_link()
    first, other = (compiled(Weighted(np.array([1.0, x])), robot) for x in (2.0, 3.0))
    assert (first([1.0, 1.0]), other([1.0, 1.0])) == (3.0, 4.0)
