"""The disk cache: the next process need not compile, and whatever happens to the files, results are right."""

from __future__ import annotations

import ast
import dataclasses
import errno
import hashlib
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import CacheWarning
from kinetree.joints import Revolute
from kinetree.runtime import cache, native
from kinetree.runtime.private_folder import PrivateFolder
from kinetree.spatial.motion import Motion

posix = pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX systems")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of its own; the cache makes it. What all functions share is compiled already."""
    with cache.switched_off():
        for kind in (np.float64, np.float32):
            kt.compile(lambda x: x + 1.0, signature="()->()").ufunc(kind)
    place = tmp_path / "cache"
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(place))
    return place


def fresh() -> kt.runtime.function.Function:
    """A function that this process has not compiled yet; always the same one."""
    return kt.compile(lambda x: [x[0] * 3.0 + x[1], x[0]], signature="(2)->(2)")


def assert_right(function: Any) -> None:
    np.testing.assert_array_equal(function(np.array([[1.0, 2.0], [3.0, 4.0]])), [[5.0, 1.0], [13.0, 3.0]])


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


@contextmanager
def one_warning(part: str) -> Iterator[None]:
    """Exactly one warning, about the cache, with these words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert [w.category for w in caught] == [CacheWarning]
    assert part in str(caught[0].message)


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that were compiled since the test began."""
    seen: list[str] = []
    original = native.compile_object

    def compile_object(modules: list[Any], shared: str = "") -> bytes:
        seen.append(modules[-1]())
        return original(modules, shared)

    monkeypatch.setattr(native, "compile_object", compile_object)
    return seen


# -- hits --------------------------------------------------------------------------------------------------------------

CHILD = """
import sys, warnings
warnings.simplefilter("error")
import numpy as np
import kinetree as kt
from kinetree.runtime import native
compile_object, count = native.compile_object, 0
def counted(*modules):
    global count
    count += 1
    return compile_object(*modules)
native.compile_object = counted
line = sys.stdin.readline()  # all children start together
x = np.array([[1.0, 2.0], [3.0, 4.0]])
user = kt.compile(lambda x: [x[0] * 3.0 + x[1], x[0]], signature="(2)->(2)")(x)
ours = kt.robots.two_link().mass_matrix(x)
print(count, user.tobytes().hex(), ours.tobytes().hex())
"""


def child() -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", CHILD], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def answers(*processes: subprocess.Popen[str]) -> list[tuple[int, str]]:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    texts = [process.communicate(timeout=120) for process in processes]
    assert [p.returncode for p in processes] == [0] * len(processes), [error for _, error in texts]
    return [(int(out.split(None, 1)[0]), out.split(None, 1)[1]) for out, _ in texts]


def test_the_next_process_does_not_compile(folder: Path) -> None:
    [(first, result)], [(second, again)] = answers(child()), answers(child())
    assert (first, second) == (2, 0)
    assert result == again


def test_processes_that_compile_the_same_at_once_all_get_it_right(folder: Path) -> None:
    results = {text for _, text in answers(*(child() for _ in range(4)))}
    assert len(results) == 1
    assert [Path(name).suffix for name in names(folder)] == [".o"] * 3  # two functions, and what they share
    assert answers(child())[0][0] == 0


def test_a_new_function_of_the_same_meaning_is_a_hit(folder: Path, compilations: list[str]) -> None:
    assert_right(fresh())
    assert_right(fresh())
    assert len(compilations) == 1
    assert len(names(folder)) == 1


def test_what_changes_the_code_changes_the_key(
    folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = "(2)->(2),()"

    def results(x: Any) -> Any:
        return [x[0], x[1]], x[0] * x[1]

    x = np.ones(2)
    kt.compile(results, signature=signature)(x)
    kt.compile(results, signature=signature)(x.astype(np.float32))
    kt.compile(results, signature=signature, outputs=[0])(x)
    kt.compile(results, signature=signature, outputs=[1])(x)
    kt.compile(lambda x: (results(x)[0], x[1] * x[0] + 1.0), signature=signature)(x)
    version, triple, cpu, features = native.target()
    monkeypatch.setattr(native, "target", lambda: (version + ".1", triple, cpu, features))
    kt.compile(results, signature=signature)(x)
    assert len(compilations) == len(names(folder)) == 6


def test_a_robot_with_other_numbers_is_another_key(folder: Path, compilations: list[str]) -> None:
    robot = kt.robots.two_link().with_gravity((0.12, -9.7, 0.3))  # which no other test has: equal robots share code
    heavier = dataclasses.replace(robot.bodies[0], inertia=kt.Inertia(np.nextafter(0.5, 1.0)))
    others = [
        dataclasses.replace(robot, bodies=(heavier, robot.bodies[1])),
        dataclasses.replace(robot, gravity=(0, 0, 1)),
    ]
    for r in (robot, *others):
        r.gravity_forces([0.0, 0.0])
    assert len(compilations) == 3


def test_a_joint_of_the_users_may_change_without_notice(folder: Path) -> None:
    def pendulum(length: float) -> kt.Robot:
        class Crank(Revolute):
            """The same class to look at, another one to compute with."""

            def subspace(self, q: Any) -> tuple[Motion, ...]:
                return tuple(s * length for s in super().subspace(q))

        inertia = kt.Inertia(1.0, (1.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        return kt.Robot((kt.Body("arm", kt.Joint("crank", Crank()), inertia),))

    assert repr(pendulum(1.0)) == repr(pendulum(2.0))
    assert pendulum(1.0).mass_matrix([0.0]) == 2.0
    assert pendulum(2.0).mass_matrix([0.0]) == 8.0


# -- the files ---------------------------------------------------------------------------------------------------------


def test_a_file_is_a_magic_line_a_hash_and_the_code(folder: Path) -> None:
    cache.store("key", b"code")
    content = (folder / "key.o").read_bytes()
    magic, rest = content.split(b"\n", 1)
    assert magic.startswith(b"kinetree object code")
    assert rest == hashlib.sha256(b"key\0code").digest() + b"code"
    assert cache.load("key") == b"code"
    assert cache.load("another") is None


def test_nothing_is_unpickled() -> None:
    tree = ast.parse(Path(cache.__file__).read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported.isdisjoint({"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"})


@posix
def test_the_folder_is_private_and_made_when_needed(folder: Path) -> None:
    old = os.umask(0)
    try:
        cache.store("key", b"code")
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "key.o").stat().st_mode & 0o077 == 0


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "truncated in the hash": lambda content: content[:40],
    "truncated in the code": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "wrong magic": lambda content: b"K" + content[1:],
    "next version": lambda content: content.replace(b"code 1\n", b"code 2\n", 1),
    "one bit in the hash": lambda content: content[:30] + bytes([content[30] ^ 1]) + content[31:],
    "one bit in the code": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "not ours": lambda content: os.urandom(len(content)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_never_loaded_but_replaced(
    damage: str, folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_right(fresh())
    (path,) = folder.iterdir()
    content = path.read_bytes()
    path.write_bytes(DAMAGE[damage](content))
    loaded: list[bytes] = []
    load = native.load
    monkeypatch.setattr(native, "load", lambda code, *names: loaded.append(code) or load(code, *names))
    with one_warning("is damaged and is replaced"):
        assert_right(fresh())
    assert len(compilations) == 2
    assert loaded == [content[-len(loaded[0]) :]]  # what was compiled anew, and nothing else
    assert path.read_bytes() == content
    assert_right(fresh())
    assert len(compilations) == 2


def test_on_windows_a_file_that_another_process_reads_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*args: Any, **options: Any) -> None:
        raise PermissionError(errno.EACCES, "the file is in use")

    folder = PrivateFolder(tmp_path, None)  # as there: no descriptor
    folder.write("a.o", b"first")
    monkeypatch.setattr(os, "replace", replace)
    folder.write("a.o", b"second")
    assert names(tmp_path) == ["a.o"]
    assert (tmp_path / "a.o").read_bytes() == b"first"
    with pytest.raises(PermissionError):
        folder.write("b.o", b"nobody has it")
    assert names(tmp_path) == ["a.o"]


def test_the_code_of_another_key_is_damage(folder: Path) -> None:
    cache.store("key", b"code")
    (folder / "key.o").rename(folder / "other.o")
    with one_warning("damaged"):
        assert cache.load("other") is None


def test_a_folder_in_the_place_of_a_file_is_only_a_warning(folder: Path) -> None:
    assert_right(fresh())
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert_right(fresh())
    assert {w.category for w in caught} == {CacheWarning}
    assert names(folder) == [path.name]


# -- the folder --------------------------------------------------------------------------------------------------------


def test_an_empty_name_switches_the_cache_off(monkeypatch: pytest.MonkeyPatch, compilations: list[str]) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    monkeypatch.setattr(cache, "opened", lambda place: pytest.fail(f"looked at {place}"))
    assert cache.folder() is None
    for _ in range(2):
        assert_right(fresh())
    assert len(compilations) == 2


def test_without_a_name_the_folder_of_the_user_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINETREE_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "kinetree"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache.folder() == tmp_path / ".cache" / "kinetree"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.folder() == tmp_path / "Library" / "Caches" / "kinetree"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache.folder() == tmp_path / "local" / "kinetree"


def test_a_user_without_a_home_is_only_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("KINETREE_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", home)
    cache._warn.cache_clear()
    with one_warning("no home folder"):
        assert_right(fresh())


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_file_in_the_place_of_the_folder_is_only_a_warning(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path / "file" / below))
    with one_warning("could not write"):
        assert_right(fresh())
        assert_right(fresh())
    assert (tmp_path / "file").read_text() == "mine"


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_not_used(mode: int, folder: Path, compilations: list[str]) -> None:
    assert_right(fresh())
    folder.chmod(mode)
    kept = names(folder)
    with one_warning("others may write to it"):
        assert_right(fresh())
    assert len(compilations) == 2
    assert names(folder) == kept


@posix
def test_a_folder_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_right(fresh())
    user = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: user)
    with one_warning("belongs to another user"):
        assert_right(fresh())


def fails(error: BaseException) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        raise error

    return function


STEPS = ("os.open", "os.replace", "os.write", "pathlib.Path.mkdir")


def interrupt(step: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one step of a store fail; of a write, ten bytes still reach the disk."""
    real_open, real_write = os.open, os.write

    def write(handle: int, content: Any) -> int:
        return real_write(handle, content[:10]) if len(content) == sizes.setdefault(handle, len(content)) else failing()

    def open_(path: Any, flags: int, *args: Any, **options: Any) -> int:
        return failing() if flags & os.O_CREAT else real_open(path, flags, *args, **options)

    sizes, failing = dict[int, int](), fails(error)
    monkeypatch.setattr(step, {"os.write": write, "os.open": open_}.get(step, failing))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_or_read_only_folder_is_only_a_warning(
    step: str, number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir(mode=0o700)
    interrupt(step, OSError(number, os.strerror(number)), monkeypatch)
    with one_warning(os.strerror(number)):
        assert_right(fresh())
    assert names(folder) == []


@posix
def test_a_folder_without_permissions_is_at_most_a_warning(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o500)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", CacheWarning)  # the superuser gets none
            assert_right(fresh())
    finally:
        folder.chmod(0o700)


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS[:3])
def test_an_interrupted_store_leaves_nothing_behind(step: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = fresh()
    with monkeypatch.context() as patch:
        interrupt(step, KeyboardInterrupt(), patch)
        with pytest.raises(KeyboardInterrupt):
            function(np.ones(2))
    assert names(folder) == []
    assert_right(function)
    assert len(names(folder)) == 1


def test_an_interrupted_compile_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = fresh()
    with monkeypatch.context() as patch:
        patch.setattr(native, "compile_object", fails(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            function(np.ones(2))
    assert not folder.exists()
    assert_right(function)


# -- its size ----------------------------------------------------------------------------------------------------------


def aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


KEYS = {name: cache.digest(name) for name in "abcde"}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store looks at all files."""
    monkeypatch.setattr(cache, "_SHARE", cache._LIMIT)


def test_the_files_used_longest_ago_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = bytes(1000)
    for k, name in enumerate("abcd"):
        cache.store(KEYS[name], code)
        aged(folder / f"{KEYS[name]}.o", 100 - k)
    assert cache.load(KEYS["a"]) == code  # used just now
    monkeypatch.setattr(cache, "_LIMIT", 3500)
    cache.store(KEYS["e"], code)
    assert names(folder) == sorted(f"{KEYS[name]}.o" for name in "ade")


def test_what_killed_processes_left_goes_too(folder: Path, looks: None) -> None:
    folder.mkdir(mode=0o700)
    old, future, young, other = (folder / f".writing-{k:016x}" for k in range(4))
    other = folder / "notes.txt"
    for path in (old, future, young, other):
        path.write_bytes(b"half")
    aged(old, 2 * cache._STALE)
    aged(future, -2 * cache._STALE)  # the clock was wrong
    aged(other, 2 * cache._STALE)
    cache.store("key", b"code")
    assert names(folder) == [young.name, "key.o", "notes.txt"]


def test_only_files_of_the_cache_are_ever_removed(folder: Path, monkeypatch: pytest.MonkeyPatch, looks: None) -> None:
    folder.mkdir(mode=0o700)
    foreign = ["libfoo.o", f"{KEYS['a']}.obj", f"{KEYS['a'].upper()}.o", f"x{KEYS['b']}.o", ".writing-", ".writing-A B"]
    for name in foreign:
        (folder / name).write_bytes(bytes(1000))
        aged(folder / name, 2 * cache._STALE)
    monkeypatch.setattr(cache, "_LIMIT", 1)
    cache.store(KEYS["c"], b"code")
    assert names(folder) == sorted([*foreign, f"{KEYS['c']}.o"])


def test_not_every_store_looks_at_all_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    prune = cache._prune
    monkeypatch.setattr(cache, "_prune", lambda *args: looked.append(1) or prune(*args))
    monkeypatch.setattr(cache, "_LIMIT", 1_000_000)
    for k in range(500):
        cache.store(cache.digest(str(k)), bytes(10_000))
    assert 20 < len(looked) < 200  # 80 on average: each 62,500 bytes
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000 + 20 * 62_500


def test_a_file_that_another_process_removes_meanwhile_is_no_trouble(
    folder: Path, monkeypatch: pytest.MonkeyPatch, looks: None
) -> None:
    cache.store(KEYS["a"], b"code")
    monkeypatch.setattr(cache, "_LIMIT", 1)
    states = PrivateFolder.states

    def removed_meanwhile(self: PrivateFolder) -> Any:
        found = list(states(self))
        self.remove(f"{KEYS['a']}.o")
        return found

    monkeypatch.setattr(PrivateFolder, "states", removed_meanwhile)
    cache.store(KEYS["b"], b"code")
    assert cache.load(KEYS["b"]) == b"code"


# -- what others put there ---------------------------------------------------------------------------------------------


def planted(folder: Path, key: str = "key") -> Path:
    """A file with a right hash, as anybody can make it."""
    cache.store(key, b"planted")
    return folder / f"{key}.o"


def not_used(part: str, key: str = "key") -> None:
    cache._warn.cache_clear()
    with one_warning(part):
        assert cache.load(key) is None
    cache.store(key, b"mine")  # compiled anew
    assert cache.load(key) == b"mine"


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_used(mode: int, folder: Path) -> None:
    planted(folder).chmod(mode)
    not_used("that only you can write")
    assert (folder / "key.o").stat().st_mode & 0o777 == 0o600


@posix
def test_a_file_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inode, fstat = planted(folder).stat().st_ino, os.fstat

    def of_another(handle: int) -> os.stat_result:
        found = fstat(handle)
        return os.stat_result((*found[:4], os.getuid() + 1, *found[5:])) if found.st_ino == inode else found

    monkeypatch.setattr(os, "fstat", of_another)
    not_used("that only you can write")


@posix
def test_what_was_planted_before_chmod_is_not_used(folder: Path) -> None:
    """Whoever makes the folder private again does not adopt what others put there; the advice is to delete it."""
    path = planted(folder)
    path.chmod(0o666)
    folder.chmod(0o777)
    cache._warn.cache_clear()
    with one_warning("delete it"):
        assert cache.load("key") is None
    folder.chmod(0o700)
    not_used("that only you can write")


@posix
@pytest.mark.parametrize("leads", ["../elsewhere", "/dev/zero", "key.o", "nowhere"])
def test_a_link_in_the_place_of_a_file_is_not_followed(leads: str, folder: Path) -> None:
    path = planted(folder)
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(leads)
    before = (folder.parent / "elsewhere").read_bytes()
    not_used("symbolic link")
    assert (folder.parent / "elsewhere").read_bytes() == before
    assert not path.is_symlink()


@posix
def test_a_link_in_the_place_of_the_folder_is_not_used(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(folder)
    (tmp_path / "link").symlink_to(folder)
    for name in ("link", "link/", "link/."):
        monkeypatch.setenv("KINETREE_CACHE_DIR", f"{tmp_path}/{name}")
        cache._warn.cache_clear()
        with one_warning("symbolic link"):
            assert cache.load("key") is None
            cache.store("other", b"code")
    assert names(folder) == ["key.o"]
    monkeypatch.setenv("KINETREE_CACHE_DIR", f"{tmp_path}/link/below")  # a link above is the user's own affair
    cache.store("key", b"code")
    assert cache.load("key") == b"code"


@posix
def test_a_folder_that_takes_the_name_meanwhile_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may write to the folder above can move it; what is read and written is in the folder that was checked."""
    planted(folder)
    read = PrivateFolder.read

    def moved(self: PrivateFolder, *args: Any) -> bytes:
        folder.rename(folder.with_name("moved"))
        folder.mkdir(mode=0o777)
        (folder / "key.o").write_bytes(b"evil")
        return read(self, *args)

    monkeypatch.setattr(PrivateFolder, "read", moved)
    assert cache.load("key") == b"planted"


@posix
def test_a_pipe_is_not_waited_for_and_a_large_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "key.o", 0o600)
    not_used("is not a plain file")
    with open(folder / "key.o", "wb") as file:
        file.truncate(6 * 2**30)  # takes no room
    monkeypatch.setattr(os, "read", fails(MemoryError()))
    cache._warn.cache_clear()
    with one_warning(f"of at most {cache._HEAD + cache._LARGEST} bytes"):
        assert cache.load("key") is None


def test_code_that_is_too_large_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_LARGEST", 3)
    cache.store("small", b"abc")
    cache.store("large", b"abcd")
    assert cache.load("small") == b"abc"
    assert names(folder) == ["small.o"]


def test_nothing_is_kept_when_the_package_has_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache.sources, "unchanged", lambda: False)
    assert_right(fresh())
    assert not folder.exists()
