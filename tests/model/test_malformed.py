"""Files that must be refused, each with one exact error: those in the folder malformed, and some made here."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kinetree as kt
from kinetree import errors
from kinetree.errors import KinetreeError, ModelFileError, ModelWarning
from kinetree.parameter import RESERVED

CORPUS = Path(__file__).resolve().parent / "malformed"
PARTS = "parts"  # folders of files that others include
NO_MODELS = ("expected.txt", ".gitattributes")
# 32 MiB are read before a file is known to be too large: 0.03 s here, and held twice
SECONDS = 2.0
MEMORY = 96 * 2**20
# refusing what is nested too deep takes 0.1 s and the text itself
DEEP = 1_000_000


def expected() -> dict[str, str]:
    """The errors by file, as expected.txt lists them."""
    lines = (CORPUS / "expected.txt").read_text(encoding="utf-8").replace("{corpus}", str(CORPUS)).split("\n")
    lines = [line.replace("{reserved}", ", ".join(RESERVED)) for line in lines if line and not line.startswith("#")]
    return {file: message.strip() for file, message in zip(lines[::2], lines[1::2], strict=True)}


EXPECTED = expected()


def options(file: Path) -> dict[str, Any]:
    return {"packages": [CORPUS]} if file.suffix == ".urdf" else {}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_malformed_file_gives_exactly_the_expected_error(name: str) -> None:
    file = CORPUS / name
    if file.suffix == ".toml" and not any(map(importlib.util.find_spec, ("tomllib", "tomli"))):
        pytest.skip("this Python can't read TOML")
    with pytest.raises(KinetreeError) as caught:
        kt.Robot.from_file(file, **options(file))
    assert f"{type(caught.value).__name__}: {caught.value}" == EXPECTED[name]


def test_every_file_of_the_corpus_has_its_error() -> None:
    files = {path for path in CORPUS.rglob("*") if path.is_file() and path.name not in NO_MODELS}
    models = {path.relative_to(CORPUS).as_posix() for path in files if path.parent.name != PARTS}
    assert models == set(EXPECTED)
    assert len(models) >= 60
    assert {path.suffix for path in files} >= {".urdf", ".xml", ".par", ".csv", ".toml", ".json"}


def test_every_expected_error_names_the_file_and_is_one_of_those_for_files() -> None:
    for name, message in EXPECTED.items():
        kind, text = message.split(": ", 1)
        assert issubclass(getattr(errors, kind), ModelFileError | errors.InertiaError), name
        included = "include" in name and text.split(",")[0].endswith(".xml")  # it is the part that is wrong
        assert text.startswith(Path(name).name) or included, name


@pytest.mark.parametrize("name", EXPECTED)
def test_a_malformed_file_is_refused_or_read_when_nothing_is_strict(name: str) -> None:
    file = CORPUS / name
    strict = {} if file.suffix == ".json" else {"strict": False}
    with warnings.catch_warnings(), contextlib.suppress(KinetreeError):
        warnings.simplefilter("ignore", ModelWarning)
        assert kt.Robot.from_file(file, **strict).check() is not None


# -- files that are none -----------------------------------------------------------------------------------------------

READERS: dict[str, Callable[..., kt.Robot]] = {
    ".urdf": kt.Robot.from_urdf,
    ".xml": kt.Robot.from_mjcf,
    ".par": kt.Robot.from_par,
    ".csv": kt.Robot.from_dh,
    ".toml": kt.Robot.from_dh,
    ".json": kt.Robot.from_json,
}
WANTED = {
    ".urdf": "the path of a file, or text that begins with <robot",
    ".xml": "the path of a file, or text that begins with <mujoco",
    ".par": "the path of a .par file, or its text",
    ".csv": "a table in a .csv file",
    ".toml": "a table in a .toml file",
    ".json": "the path of a file, or text that begins with {",
}
each_format = pytest.mark.parametrize("suffix", READERS)


def message_of(read: Callable[..., Any], *args: Any, **options: Any) -> str:
    with pytest.raises(KinetreeError) as caught:
        read(*args, **options)
    assert isinstance(caught.value, ModelFileError)
    return str(caught.value)


def assert_is_no_file(path: Path) -> None:
    assert message_of(kt.Robot.from_file, path) == f"there is no file {str(path)!r}"
    given = message_of(READERS[path.suffix], path)
    assert given == f"there is no file {str(path)!r}; expected {WANTED[path.suffix]}"


@each_format
def test_a_file_that_is_missing_is_no_file(suffix: str, tmp_path: Path) -> None:
    assert_is_no_file(tmp_path / f"model{suffix}")


@each_format
def test_a_folder_is_no_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    path.mkdir()
    assert_is_no_file(path)


@each_format
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    os.mkfifo(path)
    assert_is_no_file(path)


@each_format
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
def test_a_device_without_end_is_not_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    linked(path, Path("/dev/zero"))
    assert_is_no_file(path)


@each_format
def test_a_link_to_itself_is_no_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    linked(path, path)
    assert_is_no_file(path)


@each_format
@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_path_that_no_file_can_have_is_refused(name: str, suffix: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/{name}{suffix}"
    assert message_of(kt.Robot.from_file, path).startswith("there is no file ")
    assert message_of(READERS[suffix], path).endswith(f"expected {WANTED[suffix]}")


@each_format
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything can be opened by this user")
def test_a_file_that_may_not_be_read_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    path.touch(mode=0o000)
    for read in (kt.Robot.from_file, READERS[suffix]):
        assert message_of(read, path).startswith(f"can't open {str(path)!r}: ")


def test_a_file_of_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.stl"
    path.touch()
    assert message_of(kt.Robot.from_file, path) == (
        "can't tell the format of 'model.stl'; "
        "expected a file that ends in .urdf, .mjcf, .xml, .par, .csv, .toml, .json"
    )


@pytest.mark.parametrize("source", [None, 7, b"<robot/>", ["<robot/>"]])
def test_what_is_no_path_is_refused(source: Any) -> None:
    given = message_of(kt.Robot.from_file, source)
    assert given == f"can't read a model from a {type(source).__name__}; expected the path of a file"


# -- files that are too much -------------------------------------------------------------------------------------------


def cost(act: Callable[[], Any]) -> tuple[Any, float, int]:
    """The result of an act, the seconds of the processor and the most bytes that it took."""
    before = time.process_time()
    tracemalloc.start()
    try:
        result = act()
        return result, time.process_time() - before, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each_format
def test_a_file_of_200_megabytes_is_refused_at_once(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    with path.open("wb") as stream:
        stream.write(b"<robot><link name='a'/>" if suffix == ".urdf" else b"<mujoco>" if suffix == ".xml" else b"a\n")
        stream.truncate(200 * 10**6)
    for read in (kt.Robot.from_file, READERS[suffix]):
        message, seconds, memory = cost(lambda read=read: message_of(read, path))
        assert message == f"model{suffix} is larger than the 33554432 bytes that a model file may have"
        assert seconds < SECONDS
        assert memory < MEMORY


DEEP_TEXTS = {
    ".urdf": ("<robot>" * DEEP, "line 1: elements are nested more than 100 deep"),
    ".xml": ("<mujoco>" * DEEP, "line 1: elements are nested more than 100 deep"),
    ".par": ("NL = 1\nd = {" + "(" * DEEP + "}", ": there is no NJ; a .par file must have NL, NJ, ant, sigma, d, r, "),
    ".csv": ("a\n" + "(" * 900, "line 2, column 'a': '((((("),
    ".toml": ("[[link]]\ncom = " + "[\n" * 50_000, ": not readable as TOML: values are nested too deep"),
    ".json": ('{"bodies": ' + "[" * 900_000, ": values are nested too deep"),
}


@each_format
def test_nesting_without_end_is_refused_at_once(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    text, wanted = DEEP_TEXTS[suffix]
    path.write_text(text, encoding="utf-8")
    message, seconds, memory = cost(lambda: message_of(kt.Robot.from_file, path))
    assert message.startswith(f"model{suffix}, {wanted}" if wanted.startswith("line") else f"model{suffix}{wanted}")
    assert seconds < SECONDS
    assert memory < MEMORY


LONG = "x" * 30_000_000
LONG_WORDS = {
    "name.urdf": f'<robot><link name="{LONG}"/></robot>',
    "type.urdf": f'<robot><link name="a"/><joint name="b" type="{LONG}"/></robot>',
    "tag.urdf": f"<robot><{LONG}/></robot>",
    "class.xml": f'<mujoco><worldbody><body><joint class="{LONG}"/></body></worldbody></mujoco>',
    "section.xml": f"<mujoco><{LONG}/></mujoco>",
    "include.xml": f'<mujoco><include file="{LONG}"/></mujoco>',
    "key.par": f"{LONG[:4_000_000]} = 1\n",
    "column.csv": f"{LONG[:100_000]}\n1\n",
    "cell.csv": f"parent\n{LONG[:100_000]}\n",
    "gravity.csv": f"# gravity: {LONG[:900_000]}\na\n1\n",
    "key.json": f'{{"format": "kinetree robot", "version": 1, "{LONG}": 1}}',
    "parent.json": '{"format": "kinetree robot", "version": 1, "bodies": [{"name": "a", "parent": "'
    + LONG
    + '", "joint": {"name": "j", "kind": {"type": "fixed"}}}]}',
    "digits.json": '{"format": "kinetree robot", "version": ' + "1" * 30_000_000 + "}",
}


@pytest.mark.parametrize("name", LONG_WORDS)
def test_words_without_end_are_not_looked_at(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(LONG_WORDS[name], encoding="utf-8")
    before = time.process_time()
    message = message_of(kt.Robot.from_file, path)
    assert message.startswith(name)
    assert len(message) < 1000
    assert time.process_time() - before < SECONDS


def test_a_message_lists_some_names_and_counts_the_others(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    links = "".join(f'<link name="l{i:03}"/>' for i in range(300))
    path.write_text(
        f'<robot>{links}<joint name="j" type="fixed"><parent link="nobody"/><child link="l000"/></joint></robot>',
        encoding="utf-8",
    )
    listed = ", ".join(f"'l{i:03}'" for i in range(200))
    assert message_of(kt.Robot.from_file, path) == (
        f"arm.urdf, line 1, joint 'j': there is no parent link 'nobody'. Known: {listed}, and 100 more."
    )


def test_many_children_before_their_parents_are_refused_in_linear_time(tmp_path: Path) -> None:
    path, count = tmp_path / "model.json", 20_000
    bodies = [
        f'{{"name": "b{i}", "parent": "b{i + 1}", "joint": {{"name": "j{i}", "kind": {{"type": "fixed"}}}}}}'
        for i in range(count)
    ]
    bodies.append(f'{{"name": "b{count}", "joint": {{"name": "j{count}", "kind": {{"type": "fixed"}}}}}}')
    path.write_text('{"format": "kinetree robot", "version": 1, "bodies": [' + ", ".join(bodies) + "]}")
    before = time.process_time()
    message = message_of(kt.Robot.from_file, path)
    assert message == "model.json: body 'b0' comes before its parent 'b1'; list parents first"
    assert time.process_time() - before < 2 * SECONDS


# -- ways out of the folder --------------------------------------------------------------------------------------------

ARM = """<robot name="arm">
  <link name="base">
    <visual><geometry><mesh filename="{}"/></geometry></visual>
  </link>
</robot>
"""
MAIN = """<mujoco>
  <include file="{}"/>
</mujoco>
"""
SECRET = "<mujocoinclude><option gravity='0 0 -1'/></mujocoinclude>"


def linked(path: Path, target: Path) -> None:
    try:
        path.symlink_to(target)
    except (OSError, NotImplementedError):
        pytest.skip("links can't be made here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a package and links that lead out of it, beside a file that nobody may open."""
    (tmp_path / "secret.xml").write_text(SECRET, encoding="utf-8")
    inside = tmp_path / "inside"
    (inside / "arm").mkdir(parents=True)
    (inside / "arm" / "hand.stl").touch()
    linked(inside / "arm" / "link.stl", tmp_path / "secret.xml")
    linked(inside / "link.xml", tmp_path / "secret.xml")
    linked(inside / "up", tmp_path)
    linked(inside / "round", inside / "round")
    return inside


OUTSIDE = "leads outside the folders that were named; nothing there is opened"


@pytest.mark.parametrize(
    "address",
    [
        "package://arm/../../secret.xml",
        "package://arm/link.stl",
        "package://up/secret.xml",
        "package://arm/../up/secret.xml",
        "file:///etc/passwd",
        "/etc/passwd",
        "../secret.xml",
        "up/secret.xml",
        "arm/link.stl",
        "arm/../../inside/../secret.xml",
    ],
)
def test_no_address_of_a_mesh_leads_outside(address: str, folder: Path) -> None:
    (folder / "arm.urdf").write_text(ARM.format(address), encoding="utf-8")
    given = message_of(kt.Robot.from_file, folder / "arm.urdf", packages=[folder])
    assert given == f"arm.urdf, line 3, link 'base': the address {address!r} {OUTSIDE}"


@pytest.mark.parametrize("address", ["../secret.xml", "link.xml", "up/secret.xml", "/etc/passwd", "up/inside/link.xml"])
def test_no_include_leads_outside(address: str, folder: Path) -> None:
    (folder / "main.xml").write_text(MAIN.format(address), encoding="utf-8")
    given = message_of(kt.Robot.from_file, folder / "main.xml")
    assert given == (
        f"main.xml, line 2, <include>: the address {address!r} {OUTSIDE}; "
        "included files are in the folder of the main file or below, or in one of packages=[...]"
    )


def test_a_link_to_itself_is_not_followed_for_ever(folder: Path) -> None:
    (folder / "main.xml").write_text(MAIN.format("round/x.xml"), encoding="utf-8")
    assert message_of(kt.Robot.from_file, folder / "main.xml").startswith("main.xml, line 2, <include>: the address ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_included(folder: Path) -> None:
    os.mkfifo(folder / "pipe.xml")
    (folder / "main.xml").write_text(MAIN.format("pipe.xml"), encoding="utf-8")
    assert message_of(kt.Robot.from_file, folder / "main.xml") == (
        f"main.xml, line 2, <include>: the address 'pipe.xml': there is no file {folder.resolve() / 'pipe.xml'}; "
        "included files are in the folder of the main file or below, or in one of packages=[...]"
    )


def test_a_mesh_and_an_include_inside_are_found(folder: Path) -> None:
    """What is allowed, so that the refusals above mean something."""
    (folder / "arm.urdf").write_text(ARM.format("package://arm/hand.stl"), encoding="utf-8")
    (folder / "part.xml").write_text(SECRET, encoding="utf-8")
    (folder / "main.xml").write_text(MAIN.format("part.xml"), encoding="utf-8")
    assert kt.Robot.from_file(folder / "arm.urdf", packages=[folder]).name == "arm"
    assert kt.Robot.from_file(folder / "main.xml").gravity.z == -1.0
