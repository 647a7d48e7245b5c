"""Calls with arrays on a GPU: where they run, what they broadcast, write and refuse. The GPU is a fake."""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import ARRAYS, CuPyArray, FakeDriver, NumbaArray, TorchTensor

import kinetree as kt
from kinetree.errors import DeviceError, InputError
from kinetree.runtime.cuda import arrays, code, driver as driver_module, launch, libraries

RNG = np.random.default_rng(7)
TOLERANCE = {"d": 1e-12, "f": 1e-4}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[FakeDriver]:
    """A fake driver and fake libraries."""
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    for name, module in fake_gpu.MODULES.items():
        monkeypatch.setitem(sys.modules, name, module())
    fake = FakeDriver()
    monkeypatch.setattr(driver_module, "_found", [fake])
    arrays._UPLOADED.clear()
    code._unused.clear()  # of the driver before
    yield fake
    arrays._UPLOADED.clear()


@pytest.fixture(params=[*ARRAYS])
def library(request: pytest.FixtureRequest) -> str:
    return request.param


def tip() -> Any:
    """A function of a vector, a matrix and a number, with two results."""

    def function(x: Any, m: Any, s: Any) -> Any:
        y = [m[0][0] * x[0] + m[0][1] * x[1] + m[0][2] * x[2], m[1][0] * x[0] + m[1][1] * x[1] + m[1][2] * x[2]]
        return y, [[s * a * b for b in x] for a in y]

    return kt.compile(function, signature="x(3), m(2,3), s() -> y(2), z(2,3)", name="tip")


def host(x: Any) -> np.ndarray:
    return x.on_device


def check(function: Any, args: list[np.ndarray], library: str = "cupy", **options: Any) -> Any:
    """The results on the fake device are those of the host, in the same library; they are returned."""
    expected = function(*args)
    found = function(*(ARRAYS[library](a) for a in args), **options)
    for f, e in zip_results(found, expected):
        assert type(f) is ARRAYS[library]
        assert f.shape == np.shape(e)
        assert host(f).dtype == np.asarray(e).dtype
        np.testing.assert_allclose(host(f), e, rtol=TOLERANCE[host(f).dtype.char], atol=TOLERANCE[host(f).dtype.char])
    if not options:  # once more, in other memory: a call that is like one before
        for f, again in zip_results(found, function(*(ARRAYS[library](a.copy("K")) for a in args))):
            np.testing.assert_array_equal(host(f), host(again))
    return found


def zip_results(a: Any, b: Any) -> Any:
    return zip(a, b) if isinstance(a, tuple) else [(a, b)]


# -- where and what ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("batch", [(), (1,), (5,), (70,), (2, 3), (2, 1, 4)])
def test_results_are_those_of_the_cpu_in_the_callers_library(
    gpu: FakeDriver, library: str, kind: str, batch: tuple[int, ...]
) -> None:
    args = [RNG.standard_normal((*batch, *core)).astype(kind) for core in ((3,), (2, 3), ())]
    check(tip(), args, library)
    assert gpu.launches == [(0, fake_gpu.STREAMS[library], int(np.prod(batch)), True)] * 2


def test_work_is_put_on_the_current_stream_of_the_device_of_the_arrays(gpu: FakeDriver) -> None:
    sys.modules["cupy"].stream = 123  # type: ignore[attr-defined]
    args = [CuPyArray(RNG.standard_normal((4, *core)), 1) for core in ((3,), (2, 3), ())]
    y, z = tip()(*args)
    assert (y.number, z.number) == (1, 1)
    assert gpu.launches == [(1, 123, 4, True)]


@pytest.mark.parametrize(
    "shapes",
    [
        [(5, 3), (2, 3), ()],
        [(3,), (4, 2, 3), (4,)],
        [(3, 1, 3), (4, 2, 3), ()],
        [(2, 1, 1, 3), (5, 1, 2, 3), (3,)],
        [(20, 1, 3), (30, 2, 3), (20, 30)],
        [(1, 3), (6, 2, 3), (1,)],
    ],
)
def test_leading_dimensions_broadcast(gpu: FakeDriver, library: str, shapes: list[tuple[int, ...]]) -> None:
    check(tip(), [RNG.standard_normal(shape) for shape in shapes], library)
    states = int(np.prod(np.broadcast_shapes(shapes[0][:-1], shapes[1][:-2], shapes[2])))
    assert sum(count for _, _, count, _ in gpu.launches) == 2 * states
    assert library == "numba" or len(gpu.launches) <= 16, "many launches instead of a copy"


def test_any_strides_are_read_where_they_are(gpu: FakeDriver, library: str) -> None:
    x, m = RNG.standard_normal((12, 7)), RNG.standard_normal((3, 2, 12))
    forms = [
        (x[:, 1:4], m.T, True),  # rows with gaps; a transposed core
        (x[::-1, :3], m.T[::-1], True),  # backwards
        (x[:, ::3], m.transpose(2, 1, 0), False),
        (np.asfortranarray(x[:, :3]), np.ascontiguousarray(m.T), False),  # column-major
        (x[:, 2::-1], m.T, False),
    ]
    for a, b, rows in forms:
        gpu.launches.clear()
        check(tip(), [a, b.transpose(0, 1, 2), RNG.standard_normal(12)], library)
        assert [dense for *_, dense in gpu.launches] == [rows and b.strides[1:] == (24, 8)] * 2


def test_states_that_threads_can_not_move_at_once_are_read_one_number_at_a_time(gpu: FakeDriver) -> None:
    swap = kt.compile(lambda x: [x[1], x[0]], signature="(2)->(2)")
    memory = np.zeros(24)
    memory = memory[memory.ctypes.data // 8 % 2 :]  # from a multiple of 16 bytes on
    for start, step, dense in ((0, 2, True), (1, 2, False), (0, 3, False), (0, 4, True), (1, 2, False), (0, 2, True)):
        x = np.lib.stride_tricks.as_strided(memory[start:], (5, 2), (8 * step, 8))
        x[:] = RNG.standard_normal((5, 2))
        gpu.launches.clear()
        np.testing.assert_array_equal(host(swap(CuPyArray(x))), x[:, ::-1])
        assert [how for *_, how in gpu.launches] == [dense]


def test_no_states_are_no_launch(gpu: FakeDriver, library: str) -> None:
    y, z = tip()(*(ARRAYS[library](np.zeros((0, 4, *core))) for core in ((3,), (2, 3), ())))
    assert (y.shape, z.shape) == ((0, 4, 2), (0, 4, 2, 3))
    assert not gpu.launches


def test_a_billion_states_are_one_launch(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def spread(shape: Any, kind: str) -> CuPyArray:
        strides = [0] * len(shape) if shape[0] > 2**20 else np.empty(shape, kind).strides
        return CuPyArray(np.lib.stride_tricks.as_strided(np.zeros(64), shape, strides))

    monkeypatch.setattr(sys.modules["cupy"], "empty", spread)
    gpu.lazy = True
    double = kt.compile(lambda x: [2.0 * x[0]], signature="(1)->(1)")
    result = double(spread((10**9, 1), "d"))
    assert result.shape == (10**9, 1)
    assert [count for _, _, count, _ in gpu.launches] == [10**9]


def test_scratch_memory_is_bounded(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", lambda *args: fake_gpu.kernels(*args, scratch=100))
    monkeypatch.setattr(launch, "_SCRATCH", 3000)
    check(tip(), [RNG.standard_normal((70, *core)) for core in ((3,), (2, 3), ())])
    assert [count for _, _, count, _ in gpu.launches][:3] == [30, 30, 10]


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_calls_that_are_like_one_before_are_looked_at_where_they_differ(gpu: FakeDriver, library: str) -> None:
    make, swap = ARRAYS[library], kt.compile(lambda x: [x[1], x[0]], signature="(2)->(2)")
    x, out = np.arange(8.0).reshape(4, 2), np.zeros((4, 2))
    for _ in range(2):
        assert host(swap(make(x), out=make(out))) is out
        np.testing.assert_array_equal(out, x[:, ::-1])
    assert len(swap.plans) == 1
    both = np.arange(12.0).reshape(6, 2)
    swap(make(both[1:5]), out=make(both[:4]))  # over each other now
    np.testing.assert_array_equal(both[:4], [[3, 2], [5, 4], [7, 6], [9, 8]])
    swap(make(x), out=(make(out),))
    odd = np.ndarray((4, 2), "d", np.zeros(68, np.uint8).data, 4)
    with pytest.raises(InputError, match="between numbers"):
        swap(make(odd), out=make(out))
    far = make(x, 1)
    assert swap(far).number == 1
    with pytest.raises(InputError, match="device"):
        swap(make(x), out=make(out, 1))
    if library == "torch":
        learned = TorchTensor(x)
        swap(learned)
        learned.requires_grad = True
        with pytest.raises(InputError, match="gradient"):
            swap(learned)


def test_plans_are_few(gpu: FakeDriver) -> None:
    double = kt.compile(lambda x: [2.0 * x[0]], signature="(1)->(1)")
    for count in range(1, 100):
        double(CuPyArray(np.zeros((count, 1))))
    assert len(double.plans) <= 64


# -- types -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_precisions_are_mixed_as_on_the_cpu(gpu: FakeDriver, library: str) -> None:
    x, m, s = (RNG.standard_normal((4, *core)) for core in ((3,), (2, 3), ()))
    check(tip(), [x.astype("f"), m, s], library)
    check(tip(), [(10 * x).astype(np.int64), m.astype("f"), s.astype("f")], library)


def test_a_number_of_the_host_takes_the_precision_of_the_arrays(gpu: FakeDriver, library: str) -> None:
    x, m = (RNG.standard_normal((4, *core)).astype("f") for core in ((3,), (2, 3)))
    for s in (2.0, 2, np.float64(2.0), np.array(2.0)):
        y, z = tip()(ARRAYS[library](x), ARRAYS[library](m), s)
        assert host(y).dtype == np.float32
        np.testing.assert_allclose(host(z), tip()(x, m, np.float32(2.0))[1], rtol=1e-4)


def test_the_same_numbers_are_sent_once(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    upload = libraries.CuPy.upload
    monkeypatch.setattr(libraries.CuPy, "upload", lambda self, x, device: sent.append(x) or upload(self, x, device))
    args = [CuPyArray(RNG.standard_normal((4, *core))) for core in ((3,), (2, 3))]
    function = tip()
    for s in (1.0, 1.0, 2.0, 1.0, 2):
        _, z = function(*args, s)
        np.testing.assert_allclose(host(z), function(*map(host, args), s)[1])
    assert len(sent) == 2
    assert len(function.plans) == 1


@pytest.mark.parametrize("kind", [np.float16, np.complex128, np.bool_])
def test_other_types_are_refused(gpu: FakeDriver, library: str, kind: Any) -> None:
    with pytest.raises(InputError, match="x is of a type that is not computed with"):
        tip()(ARRAYS[library](np.zeros((4, 3), kind)), ARRAYS[library](np.zeros((2, 3))), 1.0)


def test_what_numba_can_not_do_is_said(gpu: FakeDriver) -> None:
    with pytest.raises(InputError, match="Numba can't convert"):
        tip()(NumbaArray(np.zeros(3, "f")), NumbaArray(np.zeros((2, 3))), 1.0)


# -- out= --------------------------------------------------------------------------------------------------------------


def test_results_go_into_given_arrays(gpu: FakeDriver, library: str) -> None:
    args = [RNG.standard_normal((4, *core)) for core in ((3,), (2, 3), ())]
    memory = np.full((4, 10), np.nan)
    y, z = ARRAYS[library](memory[:, :2]), ARRAYS[library](memory[:, 2:8].reshape(4, 2, 3))
    found = check(tip(), args, library, out=(y, z))
    assert found[0] is y
    assert found[1] is z
    assert np.isnan(memory[:, 8:]).all()
    found = check(tip(), args, library, out=(None, z))
    assert found[1] is z


def test_results_may_have_more_leading_dimensions_than_arguments(gpu: FakeDriver) -> None:
    x, m = RNG.standard_normal((4, 3)), RNG.standard_normal((2, 3))
    y, z = CuPyArray(np.empty((5, 4, 2))), CuPyArray(np.empty((5, 4, 2, 3)))
    tip()(CuPyArray(x), CuPyArray(m), 1.0, out=(y, z))
    np.testing.assert_allclose(host(y), np.broadcast_to(tip()(x, m, 1.0)[0], (5, 4, 2)))


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_results_over_arguments_are_computed_from_a_copy(gpu: FakeDriver, library: str) -> None:
    swap = kt.compile(lambda x: [x[1], x[0]], signature="(2)->(2)")
    x = np.arange(12.0).reshape(6, 2)
    shifted = ARRAYS[library](x)
    swap(shifted[1:], out=shifted[:-1])
    np.testing.assert_array_equal(x[:-1], [[3, 2], [5, 4], [7, 6], [9, 8], [11, 10]])


def test_results_beside_arguments_in_the_same_memory_need_no_copy(gpu: FakeDriver) -> None:
    swap = kt.compile(lambda x: [x[1], x[0]], signature="(2)->(2)")
    memory = NumbaArray(np.arange(24.0).reshape(6, 4))  # whose library can't copy
    swap(memory[:, :2], out=memory[:, 2:])
    np.testing.assert_array_equal(host(memory)[:, 2:], host(memory)[:, 1::-1])


def test_wrong_arrays_for_results_are_refused(gpu: FakeDriver) -> None:
    args = [CuPyArray(np.zeros((4, *core))) for core in ((3,), (2, 3), ())]
    y, z = np.zeros((4, 2)), np.zeros((4, 2, 3))
    both = CuPyArray(np.zeros((4, 2, 3)))
    for out, said in [
        (CuPyArray(y), "has 2 results, and out= has 1"),
        ((CuPyArray(y), z), "z is a ndarray, and the arguments are arrays of CuPy"),
        ((CuPyArray(y), TorchTensor(z)), "z is a TorchTensor"),
        ((CuPyArray(y), CuPyArray(z, 1)), "device 1"),
        ((CuPyArray(y), CuPyArray(z.astype("f"))), "z is float32, and the results are float64"),
        ((CuPyArray(y), CuPyArray(z[:, :, :2])), "must end in"),
        ((CuPyArray(y[:3]), CuPyArray(z[:3])), "leading dimensions"),
        ((CuPyArray(y), CuPyArray(z[:3])), "leading dimensions"),
        ((CuPyArray(np.broadcast_to(y[0], y.shape)), None), "several numbers in the same memory"),
        ((both[:, :, 0], both), "share memory"),
    ]:
        with pytest.raises(InputError, match=said):
            tip()(*args, out=out)
    assert not gpu.launches


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_arguments_of_the_host_and_of_a_gpu_don_t_mix(gpu: FakeDriver, library: str) -> None:
    x, m = np.zeros((4, 3)), np.zeros((4, 2, 3))
    for args in ([ARRAYS[library](x), m, 1.0], [x, ARRAYS[library](m), 1.0], [ARRAYS[library](x), m.tolist(), 1.0]):
        with pytest.raises(InputError, match=r"(x|m) is on the host .* copy it there"):
            tip()(*args)
    with pytest.raises(InputError, match="s is on the host"):
        tip()(ARRAYS[library](x), ARRAYS[library](m), np.ones(4))
    with pytest.raises(InputError, match="s is no number"):
        tip()(ARRAYS[library](x), ARRAYS[library](m), "fast")


def test_arrays_of_two_libraries_or_devices_don_t_mix(gpu: FakeDriver) -> None:
    with pytest.raises(InputError, match="m is an array of PyTorch, and others are of CuPy"):
        tip()(CuPyArray(np.zeros(3)), TorchTensor(np.zeros((2, 3))), 1.0)
    with pytest.raises(InputError, match="m is on device 1, and others are on device 0"):
        tip()(CuPyArray(np.zeros(3)), CuPyArray(np.zeros((2, 3)), 1), 1.0)


def test_shapes_that_don_t_fit_are_named(gpu: FakeDriver, library: str) -> None:
    make = ARRAYS[library]
    with pytest.raises(InputError, match=r"x must end in 3; got \(4, 2\)"):
        tip()(make(np.zeros((4, 2))), make(np.zeros((2, 3))), 1.0)
    with pytest.raises(InputError, match=r"m must end in \(2, 3\); got \(3, 2\): transposed"):
        tip()(make(np.zeros(3)), make(np.zeros((3, 2))), 1.0)
    with pytest.raises(InputError, match=r"leading dimensions don't broadcast: x \(4,\), m \(5,\)"):
        tip()(make(np.zeros((4, 3))), make(np.zeros((5, 2, 3))), 1.0)
    with pytest.raises(InputError, match="takes 3 arguments"):
        tip()(make(np.zeros((4, 3))))


def test_numbers_between_their_places_are_refused(gpu: FakeDriver) -> None:
    raw = np.zeros(4 * 32 + 4, np.uint8)
    odd = np.ndarray((4, 3), "d", raw.data, 4)
    with pytest.raises(InputError, match="x begins or strides between numbers"):
        tip()(CuPyArray(odd), CuPyArray(np.zeros((2, 3))), 1.0)


def test_a_gradient_is_not_lost(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    x, m = TorchTensor(np.zeros(3)), TorchTensor(np.zeros((2, 3)))
    x.requires_grad = True
    with pytest.raises(InputError, match=r"x requires a gradient.*x\.detach\(\)"):
        tip()(x, m, 1.0)
    monkeypatch.setattr(sys.modules["torch"], "is_grad_enabled", lambda: False)
    tip()(x, m, 1.0)


def test_tensors_of_the_host_go_to_the_cpu(gpu: FakeDriver) -> None:
    class Tensor:  # of PyTorch, on the host
        is_cuda = False

        def __array__(self, *args: Any, **options: Any) -> np.ndarray:
            return np.ones(3)

    Tensor.__module__ = "torch"
    y, _ = tip()(Tensor(), np.ones((2, 3)), 1.0)
    np.testing.assert_array_equal(y, [3.0, 3.0])


def test_other_libraries_are_refused_with_a_way_out(gpu: FakeDriver) -> None:
    array = type("GPUArray", (), {"__module__": "pycuda", "__cuda_array_interface__": {}})
    with pytest.raises(InputError, match=r"x is a pycuda\.GPUArray.*cupy\.asarray"):
        tip()(array(), array(), 1.0)
    exported = type("Tensor", (), {"__module__": "tensorflow", "__dlpack_device__": lambda self: (2, 0)})
    with pytest.raises(InputError, match=r"cupy\.from_dlpack"):
        tip()(exported(), exported(), 1.0)


# -- compiling ---------------------------------------------------------------------------------------------------------


def test_the_next_process_compiles_nothing(gpu: FakeDriver) -> None:
    robot = kt.robots.two_link()
    args = [CuPyArray(RNG.standard_normal((4, 2))) for _ in range(3)]
    before = len(fake_gpu.PROGRAMS)
    first = robot.inverse_dynamics(*args)
    function = robot.function("inverse_dynamics")
    function.kernels.clear()
    function.plans.clear()
    again = robot.inverse_dynamics(*args)
    assert len(gpu.compiled) == 1
    assert len(fake_gpu.PROGRAMS) == before + 1
    np.testing.assert_array_equal(host(first), host(again))


def test_another_driver_compiles_the_same_text_again(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    x, m = CuPyArray(np.zeros(3)), CuPyArray(np.zeros((2, 3)))
    before = len(fake_gpu.PROGRAMS)
    tip()(x, m, 1.0)
    newer = FakeDriver((13, 0))
    monkeypatch.setattr(driver_module, "_found", [newer])
    tip()(x, m, 1.0)
    assert len(newer.compiled) == 1
    assert len(fake_gpu.PROGRAMS) == before + 1


def test_each_precision_and_layout_is_compiled_once(gpu: FakeDriver) -> None:
    function = tip()
    for kind in "dfdf":
        x, m = np.zeros((4, 3), kind), np.zeros((2, 3), kind)
        function(CuPyArray(x), CuPyArray(m), 1.0)
        function(CuPyArray(np.asfortranarray(x)), CuPyArray(m), 1.0)
    assert len(gpu.compiled) == 4


def test_code_that_nobody_holds_is_freed(gpu: FakeDriver) -> None:
    x, m = CuPyArray(np.zeros(3)), CuPyArray(np.zeros((2, 3)))
    gc.collect()
    code._unused.clear()
    tip()(x, m, 1.0)
    gc.collect()
    tip()(x, m, 1.0)
    assert len(gpu.unloaded) == 1


def test_a_function_for_the_gpu_takes_arrays_there_alone(gpu: FakeDriver) -> None:
    double = kt.compile(lambda x: [2.0 * x[0]], signature="(1)->(1)", target="cuda")
    np.testing.assert_array_equal(host(double(CuPyArray(np.ones((4, 1))))), 2.0 * np.ones((4, 1)))
    with pytest.raises(InputError, match="takes arrays that are there"):
        double(np.ones((4, 1)))
    robot = kt.robots.two_link()
    made = kt.compile(kt.robots.two_link().function("mass_matrix").source.function, robot, target="cuda")
    again = pickle.loads(pickle.dumps(made))
    assert again.target == "cuda"
    np.testing.assert_allclose(host(again(CuPyArray(np.zeros(2)))), robot.mass_matrix(np.zeros(2)))


def test_a_precision_may_be_fixed(gpu: FakeDriver) -> None:
    double = kt.compile(lambda x: [2.0 * x[0]], signature="(1)->(1)", target="cuda", dtype="f4")
    assert host(double(CuPyArray(np.ones((4, 1))))).dtype == np.float32


def test_without_a_driver_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "_found", [])
    monkeypatch.setattr(driver_module, "_NAMES", ("libcuda-that-is-not-there.so",))
    with pytest.raises(DeviceError, match="no NVIDIA driver"):
        kt.compile(lambda x: x[0], signature="(1)->()", target="cuda")(np.zeros(1))


def test_targets_are_known_by_name() -> None:
    with pytest.raises(kt.errors.UnknownNameError, match="target"):
        kt.compile(lambda x: x[0], signature="(1)->()", target="gpu")
