"""Files of fits, payloads and exciting trajectories are not trusted: what does not fit together is refused."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.identify import Excitation, Fit, Payload

ARM = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))


@cache
def results() -> dict[str, Any]:
    swing = kt.identify.excite(ARM, 4.0, harmonics=3, velocity_limits=4.0, starts=1)
    found = kt.identify.fit(ARM, swing.simulated(200.0), include=["inertia"])
    loaded = ARM.attach(kt.Inertia(0.5, (0.1, 0.0, 0.0)), "link2")
    load = kt.identify.payload(ARM, swing.simulated(200.0, robot=loaded), known=found)
    return {"Excitation": swing, "Fit": found, "Payload": load}


def spoilt(content: dict[str, Any], path: str, value: Any) -> str:
    """The content with another value at a path such as "samples/0/q"."""
    *keys, last = path.split("/")
    inside: Any = content
    for key in keys:
        inside = inside[int(key) if isinstance(inside, list) else key]
    inside[int(last) if isinstance(inside, list) else last] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Excitation", "basis/harmonics", 10**9),
        ("Excitation", "basis/harmonics", 4),
        ("Excitation", "control_points/0", [0.0]),
        ("Excitation", "control_points/0/0", float("nan")),
        ("Excitation", "duration", -1.0),
        ("Excitation", "periods", 0),
        ("Excitation", "status", "PERFECT"),
        ("Excitation", "considered", [10**6]),
        ("Excitation", "combinations", {"99": {"0": 1.0}}),
        ("Excitation", "combinations", {"link1": {"0": 1.0}}),
        ("Excitation", "constraints/0/lower", [0.0]),
        ("Excitation", "constraints/0/quantity/kind", "Custom"),
        ("Excitation", "robot", "/etc/passwd"),
        ("Excitation", "robot", {}),
        ("Excitation", "actuated", ["joint1"]),
        ("Excitation", "version", 99),
        ("Fit", "values", [1.0]),
        ("Fit", "covariance", [[1.0]]),
        ("Fit", "residuals", []),
        ("Fit", "samples/0/q", [[0.0, 0.0]]),
        ("Fit", "samples/0/forces/0", [0.0]),
        ("Fit", "samples", None),
        ("Fit", "parameters/std", ["wide"]),
        ("Fit", "parameters", {}),
        ("Fit", "dropped", 3),
        ("Fit", "configuration", [0.0]),
        ("Fit", "standard", [0.0]),
        ("Payload", "body", "hand"),
        ("Payload", "com", [0.0, 0.0]),
        ("Payload", "mass", "heavy"),
        ("Payload", "predicted", [[0.0, 0.0]]),
        ("Payload", "samples", []),
    ],
)
def test_content_that_does_not_fit_together_is_refused(kind, path, value, tmp_path):
    made = results()[kind]
    content = json.loads(made.save(tmp_path / "result.json").read_text())
    (tmp_path / "result.json").write_text(spoilt(content, path, value))
    with pytest.raises(InputError, match=rf"{kind}\.save"):
        type(made).load(tmp_path / "result.json")


def test_files_of_other_results_are_refused(tmp_path):
    for name, made in results().items():
        made.save(tmp_path / f"{name}.json")
    for kind in (Excitation, Fit, Payload):
        for name in results().keys() - {kind.__name__}:
            with pytest.raises(InputError, match=rf"{kind.__name__}\.save"):
                kind.load(tmp_path / f"{name}.json")


def test_a_loaded_fit_predicts_the_same_forces(tmp_path):
    found = results()["Fit"]
    again = Fit.load(found.save(tmp_path / "fit.json"))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 2))
    assert np.array_equal(found.forces(q, qd, qdd), again.forces(q, qd, qdd))
    assert again.robot.to_json() == found.robot.to_json()
    load = results()["Payload"]
    assert Payload.load(load.save(tmp_path / "load.json")).robot.to_json() == load.robot.to_json()


def test_the_parameters_are_a_table(tmp_path):
    found = results()["Fit"]
    header, *rows = found.parameters.to_csv(tmp_path / "parameters.csv").read_text().splitlines()
    assert header == "name,value,std,relative_std,lower,upper,model,relation"
    assert [row.split(",")[0] for row in rows] == [*found.parameters.names]
    assert [float(row.split(",")[1]) for row in rows] == found.parameters.values.tolist()


def test_an_exciting_trajectory_is_a_reference_after_loading(tmp_path):
    swing = results()["Excitation"].repeat(2)
    again = Excitation.load(swing.save(tmp_path / "swing.json"))
    t = np.linspace(0.0, swing.finish, 50)
    assert all(np.array_equal(x, y) for x, y in zip(swing.motion(t), again.motion(t)))
    assert again.reference().finish == swing.finish
    assert [x.quantity for x in again.constraints] == [x.quantity for x in swing.constraints]
