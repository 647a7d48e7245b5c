"""The digest of the package's own code: another one for every change, and only for the code that was imported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

import kinetree as kt
from kinetree import sources

posix = pytest.mark.skipif(os.name != "posix", reason="Windows notes no time of a change, and has other links")

OLD, NEW = "VALUE = 0.42\n", "VALUE = 2.10\n"  # of one size
DIGEST = "print(sources.digest(), VALUE)"
MAIN = "from kinetree import sources as sources\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with this module and another one, which starts faster than the whole."""
    folder = tmp_path / "here" / "kinetree"
    (folder / "below").mkdir(parents=True)
    shutil.copy(sources.__file__, folder / "sources.py")
    (folder / "__init__.py").write_text(MAIN)
    (folder / "below" / "__init__.py").write_text("")
    (folder / "below" / "numbers.py").write_text(OLD)
    return folder


def run(place: Path, code: str = DIGEST, *flags: str) -> list[str]:
    """What code prints that has imported the package from a folder or an archive."""
    time.sleep(0.02)  # files that are older than the tick of their clock
    begin = "import os, sys, time\nfrom kinetree import sources\nfrom kinetree.below.numbers import VALUE\n"
    environment = {**os.environ, "PYTHONPATH": str(place)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *flags, "-c", begin + code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def edited(path: Path, text: str) -> None:
    """Another content of the same size, and the same time, to the nanosecond."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def test_processes_with_the_same_code_have_the_same_digest(package: Path) -> None:
    first = run(package.parent, DIGEST, "-B")
    assert [run(package.parent), run(package.parent)] == [first, first]  # bytecode is written, then used
    elsewhere = package.parent.with_name("elsewhere") / "kinetree"
    shutil.copytree(package, elsewhere, ignore=shutil.ignore_patterns("__pycache__"))
    assert run(elsewhere.parent) == first
    os.utime(elsewhere / "below" / "numbers.py", (1e9, 1e9))
    assert run(elsewhere.parent) == first


def test_an_edit_of_the_same_size_and_time_gives_another_digest(package: Path) -> None:
    first, value = run(package.parent, DIGEST, "-B")
    edited(package / "below" / "numbers.py", NEW)
    second, new_value = run(package.parent, DIGEST, "-B")
    assert (value, new_value) == ("0.42", "2.1")
    assert first != second
    edited(package / "below" / "numbers.py", OLD)
    assert run(package.parent, DIGEST, "-B") == [first, value]


@posix
def test_old_bytecode_that_python_still_takes_is_not_mistaken_for_the_source(package: Path) -> None:
    honest_old = run(package.parent)  # writes bytecode
    edited(package / "below" / "numbers.py", NEW)
    stale = run(package.parent)
    assert stale[1] == "0.42"  # Python has not noticed
    shutil.rmtree(package / "below" / "__pycache__")
    honest_new = run(package.parent)
    assert honest_new[1] == "2.1"
    assert len({honest_old[0], stale[0], honest_new[0]}) == 3
    assert run(package.parent) == honest_new


CHANGE = """
def change():
    path = os.path.join(os.path.dirname(sources.__file__), "below", "numbers.py")
    state = os.stat(path)
    with open(path, "r+") as file:
        file.write("VALUE = 2.10")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
"""


@posix
def test_an_edit_after_the_import_gives_a_digest_that_nobody_else_has(package: Path) -> None:
    honest_old, _ = run(package.parent, DIGEST, "-B")
    mixed, value, kept = run(package.parent, CHANGE + "change(); print(sources.digest(), VALUE, sources.unchanged())")
    honest_new, _ = run(package.parent, DIGEST, "-B")
    assert (value, kept) == ("0.42", "False")
    assert len({honest_old, mixed, honest_new}) == 3


@posix
def test_an_edit_after_the_digest_was_taken_is_noticed_before_anything_is_kept(package: Path) -> None:
    code = "sources.digest(); print(sources.unchanged()); change(); print(sources.unchanged())"
    assert run(package.parent, CHANGE + code) == ["True", "False"]


@posix
def test_another_folder_under_the_same_name_is_noticed(package: Path, tmp_path: Path) -> None:
    """As where a new version is put in place by a link."""
    shutil.copytree(package.parent, tmp_path / "next", ignore=shutil.ignore_patterns("__pycache__"))
    edited(tmp_path / "next" / "kinetree" / "below" / "numbers.py", NEW)
    (tmp_path / "current").symlink_to("here")
    switch = "os.unlink('{0}'); os.symlink('next', '{0}'); print(sources.digest())".format(tmp_path / "current")
    mixed = run(tmp_path / "current", switch)
    assert mixed[0] not in (run(tmp_path / "here")[0], run(tmp_path / "next")[0])


def zipped(root: Path, archive: Path) -> None:
    """An archive of all sources below a folder."""
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(root.rglob("*.py")):
            file.write(path, path.relative_to(root))


@pytest.mark.parametrize("below", ["", "lib"])
def test_a_package_in_an_archive_has_a_digest(below: str, package: Path, tmp_path: Path) -> None:
    root, digests = tmp_path / "all", []
    shutil.copytree(package.parent, root / below)
    for text in (OLD, NEW):
        (root / below / "kinetree" / "below" / "numbers.py").write_text(text)
        zipped(root, tmp_path / "package.zip")
        digests.append(run(tmp_path / "package.zip" / below))
        assert run(tmp_path / "package.zip" / below) == digests[-1]
    assert [value for _, value in digests] == ["0.42", "2.1"]
    assert digests[0][0] != digests[1][0]


def test_the_whole_package_works_from_an_archive(tmp_path: Path) -> None:
    zipped(Path(kt.__file__).parents[1], tmp_path / "kinetree.zip")
    code = (
        "import kinetree as kt; from kinetree import sources; from kinetree.runtime import cache\n"
        "f = kt.compile(lambda x: x * 3.0, signature='()->()')\n"
        "print(kt.__file__, f(2.0), sources.unchanged(), len(list(cache.folder().iterdir())))"
    )
    environment = {
        **os.environ, "PYTHONPATH": str(tmp_path / "kinetree.zip"), "KINETREE_CACHE_DIR": str(tmp_path / "cache")
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.split()[1:] == ["6.0", "True", "2"]  # the function, and what all functions share
    assert "kinetree.zip" in ran.stdout
