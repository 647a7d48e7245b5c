"""Functions on arrays with named dimensions: what plain calls give, with the joints found by their names."""

from __future__ import annotations

import importlib
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.catalogue import CATALOGUE, FRAMED
from kinetree.errors import InputError, MissingExtraError, UnknownNameError

xr = pytest.importorskip("xarray")

ARM = kt.robots.stanford()
FREE = kt.robots.two_link().with_base("floating", kt.Inertia(5.0, about_com=(0.1, 0.1, 0.1)))
JOINTS = [*ARM.coordinate_names]


def named(x: Any, *dims: str, joints: Any = JOINTS, **coords: Any) -> Any:
    return xr.DataArray(x, dims=(*dims, "joint"), coords={"joint": joints, **coords})


def motion(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=(3, *shape, ARM.nv))


def test_results_are_those_of_plain_calls_with_names_and_units() -> None:
    x = motion(4)
    tau = kt.xarray.function(ARM, "inverse_dynamics")(*(named(y, "time", time=range(4)) for y in x))
    assert np.array_equal(tau.values, ARM.inverse_dynamics(*x))
    assert tau.dims == ("time", "joint")
    assert tau.joint.values.tolist() == JOINTS
    assert tau.time.values.tolist() == [0, 1, 2, 3]
    assert (tau.name, tau.units, tau.long_name) == ("tau", "N m, N", "joint forces")  # one joint slides
    ur5 = kt.robots.ur5()
    assert kt.xarray.function(ur5, "gravity_forces")(np.zeros(6)).units == "N m"


def test_joints_are_found_by_name_wherever_they_are() -> None:
    x, order = motion(5, 4), [3, 0, 5, 1, 4, 2]
    turned = named(x[0][..., order], "run", "time", joints=[JOINTS[k] for k in order]).transpose("time", "joint", "run")
    found = kt.xarray.function(ARM, "gravity_forces")(turned)
    assert np.array_equal(found.transpose("run", "time", "joint").values, ARM.gravity_forces(x[0]))


def test_other_dimensions_broadcast_by_name() -> None:
    x = motion(5)
    f = kt.xarray.function(ARM, "inverse_dynamics")
    tau = f(named(x[0], "a"), named(x[1], "b"), np.zeros(6))
    assert tau.dims == ("a", "b", "joint")
    assert np.array_equal(tau.values, ARM.inverse_dynamics(x[0][:, None], x[1], np.zeros(6)))
    loaded = ARM.attach(kt.Inertia(kt.parameter("payload", 0.5)), "link6")
    g = kt.xarray.function(loaded, "gravity_forces")
    masses = xr.DataArray([0.0, 1.0], dims="payload", coords={"payload": [0.0, 1.0]})
    grid = g(named(x[0], "time"), payload=masses)
    assert set(grid.dims) == {"time", "payload", "joint"}
    assert np.array_equal(grid.sel(payload=1.0).values, loaded.gravity_forces(x[0], payload=1.0))
    assert np.array_equal(g(named(x[0], "time")).values, loaded.gravity_forces(x[0]))


def test_a_dataset_has_the_arguments_as_variables() -> None:
    x = motion(4)
    data = xr.Dataset({name: named(y, "time") for name, y in zip(("q", "qd", "qdd"), x)})
    f = kt.xarray.function(ARM, "inverse_dynamics_derivatives")
    found, plain = f(data), ARM.inverse_dynamics_derivatives(*x)
    assert [*found] == ["dtau_dq", "dtau_dqd", "M"]
    for name, y in zip(found, plain):
        assert np.array_equal(found[name].values, y)
        assert found[name].dims == ("time", "joint", "joint_2")
        assert found[name].joint_2.values.tolist() == JOINTS
    with pytest.raises(InputError, match=r"inverse_dynamics\(q, qd, qdd\) needs qdd too"):
        kt.xarray.function(ARM, "inverse_dynamics")(data[["q", "qd"]])
    assert f(data, qdd=np.zeros(6)).sizes["time"] == 4
    with pytest.raises(InputError, match="give one Dataset, or an array for each"):
        f(data, data.q)


@pytest.mark.parametrize("robot", [kt.robots.prismatic_revolute(), FREE], ids=["fixed", "floating"])
def test_every_algorithm_has_names(robot: kt.Robot) -> None:
    q = robot.random(2, seed=0)
    rng = np.random.default_rng(0)
    for name in CATALOGUE:
        f = kt.xarray.function(robot, name, **({"frame": robot.bodies[-1].name} if name in FRAMED else {}))
        for x in (*f.arguments, *f.results):
            assert all(x.labels) or name == "pose"
        plain = [q if a.name in ("q", "q0", "q1") else rng.normal(size=(2, *a.shape)) for a in f.arguments]
        given = [
            xr.DataArray(x, dims=("time", *a.dims), coords={d: [*n] for d, n in zip(a.dims, a.labels)})
            for a, x in zip(f.arguments, plain)
        ]
        found, expected = f(*given), f.compiled(*plain)
        whole = [found[r.name] for r in f.results] if len(f.results) > 1 else [found]
        for x, y, r in zip(whole, expected if len(f.results) > 1 else [expected], f.results):
            assert np.array_equal(x.values, y), name
            assert x.dims == ("time", *r.dims)
            assert len({*x.dims}) == x.ndim


def test_robots_with_quaternions_have_positions_of_their_own() -> None:
    f = kt.xarray.function(FREE, "forward_dynamics", external=True)
    assert repr(f) == (
        "<kinetree.xarray function forward_dynamics: q(position), qd(joint), tau(joint), external(body, component) "
        "-> qdd(joint)>"
    )
    with pytest.raises(InputError, match="none called 'position'"):
        f(xr.DataArray(np.zeros(9), dims="joint"), np.zeros(8), np.zeros(8), np.zeros((3, 6)))


def test_closed_chains_have_independent_and_actuated_joints() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    q = chain.close(np.linspace(-1.0, 1.0, 3)[:, None]).check()
    f = kt.xarray.function(chain, "inverse_dynamics")
    assert repr(f).endswith("q(joint), qd(independent_joint), qdd(independent_joint) -> tau(actuated_joint)>")
    rates = xr.DataArray(np.ones((3, 1)), dims=("time", "independent_joint"))
    positions = xr.DataArray(q, dims=("time", "joint"), coords={"joint": [*chain.robot.coordinate_names]})
    tau = f(positions, rates, rates)
    assert np.array_equal(tau.values, chain.inverse_dynamics(q, np.ones((3, 1)), np.ones((3, 1))))
    assert tau.actuated_joint.values.tolist() == ["crank_joint"]
    qdd = kt.xarray.function(chain, "forward_dynamics")(positions, np.zeros(3), tau)
    assert qdd.dims == ("time", "joint")  # with the default of the stabilisation
    flat = kt.ClosedChain(kt.robots.four_bar(), ["rocker_joint"])
    assert np.isfinite(kt.xarray.function(flat, "velocities")(positions[0], np.ones(1)).values).all()


def test_functions_of_the_user_are_given_their_names() -> None:
    made = kt.compile(lambda q, m: ([q[0] * m], q[1]), signature="q(2), m() -> p(1), e()", name="own")
    with pytest.raises(InputError, match=r"give dims=\{'q': \('name0',\), \.\.\.\}"):
        kt.xarray.function(made)
    f = kt.xarray.function(made, dims={"q": ["side"], "p": ["out"]})
    found = f(xr.DataArray([[1.0, 2.0]], dims=("time", "side")), 3.0)
    assert found.p.dims == ("time", "out")
    assert found.e.dims == ("time",)
    assert found.p.values.tolist() == [[3.0]]
    with pytest.raises(UnknownNameError, match="'qd'"):
        kt.xarray.function(made, dims={"qd": ["side"]})
    with pytest.raises(InputError, match="q has 1 core dimensions"):
        kt.xarray.function(made, dims={"q": ["a", "b"], "p": ["out"]})
    other = kt.xarray.function(ARM, "mass_matrix", dims={"M": ["row", "column"]})
    assert other(np.zeros(6)).dims == ("row", "column")


def test_lazy_arrays_stay_lazy() -> None:
    da = pytest.importorskip("dask.array")
    x = motion(40)
    lazy = [named(da.from_array(y, chunks=(10, 6)), "time") for y in x]
    tau = kt.xarray.function(ARM, "inverse_dynamics")(*lazy)
    assert type(tau.data).__module__.startswith("dask.array")
    assert tau.chunks[0] == (10,) * 4
    assert np.array_equal(tau.compute().values, ARM.inverse_dynamics(*x))
    order = [3, 0, 5, 1, 4, 2]
    shuffled = lazy[0].isel(joint=order)
    assert np.array_equal(kt.xarray.function(ARM, "gravity_forces")(shuffled).values, ARM.gravity_forces(x[0]))


def test_a_function_can_be_pickled() -> None:
    f = kt.xarray.function(ARM, "mass_matrix")
    again = pickle.loads(pickle.dumps(f))
    assert repr(again) == repr(f)
    assert again(np.zeros(6)).equals(f(np.zeros(6)))


def test_a_motion_is_a_dataset() -> None:
    one = kt.simulate(FREE, FREE.neutral, np.zeros(8), 0.1, dt=0.01, record=("q", "qd", "tau", "wrenches")).to_xarray()
    assert dict(one.sizes) == {"time": 11, "position": 9, "joint": 8, "body": 3, "component": 6}
    assert one.wrenches.dims == ("time", "body", "component")
    assert (one.q.units, one.time.units) == ("rad, m", "s")
    assert one.position.values.tolist() == [*FREE.position_names]
    q, qd = np.random.default_rng(0).normal(size=(2, 2, 3, 6))
    batch = kt.simulate(ARM, q, qd, 0.1, dt=0.01)
    data = batch.to_xarray()
    assert data.q.dims == ("run", "run_2", "time", "joint")
    tau = kt.xarray.function(ARM, "inverse_dynamics")(data)
    assert np.allclose(tau.values, batch.tau, atol=1e-9)
    chain = kt.ClosedChain(kt.robots.four_bar())
    closed = kt.simulate(chain, chain.close([0.3]).check(), np.zeros(3), 0.1, dt=0.01).to_xarray()
    assert closed.tau.dims == ("time", "actuated_joint")
    assert {"status", "end"} <= {*data}


@pytest.mark.parametrize(
    ("q", "message"),
    [
        (lambda: named(np.zeros((2, 6)), "time").rename(joint="link"), r"\(time, link\) and none called 'joint'"),
        (lambda: named(np.zeros(6), joints=[*JOINTS[:5], "elbow"]), "labels of 'joint' are unknown: 'elbow'; expected"),
        (lambda: named(np.zeros(5), joints=JOINTS[:5]), "labels of 'joint' are missing: 'joint6'"),
        (lambda: named(np.zeros(7), joints=[*JOINTS, JOINTS[0]]), "labels of 'joint' are twice: 'joint1'"),
        (lambda: xr.DataArray(np.zeros((2, 5)), dims=("time", "joint")), "has 5 numbers along 'joint', expected 6"),
        (lambda: np.zeros((2, 6)), r"q has no names of dimensions, so its shape must be \(6,\), got \(2, 6\)"),
        (lambda: named(np.zeros(6)).assign_attrs(units="deg"), r"is in deg, expected radians: give numpy\.deg2rad"),
        (lambda: named(np.zeros((2, 6)), "joint_2"), "has a dimension 'joint_2', which is one of"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_sentence(q: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kt.xarray.function(ARM, "mass_matrix")(q())


def test_calls_that_make_no_sense_are_refused() -> None:
    f = kt.xarray.function(ARM, "bias_forces")
    with pytest.raises(InputError, match=r"bias_forces: .*align.*time"):
        f(named(np.zeros((2, 6)), "time", time=[0, 1]), named(np.zeros((2, 6)), "time", time=[1, 2]))
    with pytest.raises(InputError, match="takes 2 arguments, got 3"):
        f(*np.zeros((3, 6)))
    with pytest.raises(InputError, match="q is given twice"):
        f(np.zeros(6), q=np.zeros(6))
    with pytest.raises(UnknownNameError, match="'speed'"):
        f(np.zeros(6), np.zeros(6), speed=1.0)
    with pytest.raises(InputError, match="takes robots, closed chains and compiled functions, got 3"):
        kt.xarray.function(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="which function"):
        kt.xarray.function(ARM)
    with pytest.raises(InputError, match="compiled already"):
        kt.xarray.function(ARM.function("mass_matrix"), "mass_matrix")


def test_where_xarray_is_missing_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "kinetree.xarray" or name.startswith("kinetree.xarray.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(kt), "xarray", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install kinetree\[xarray\]"):
        importlib.import_module("kinetree.xarray")
