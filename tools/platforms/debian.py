"""Packages of Debian in a folder, of any release and architecture: nothing is installed, no rights are needed.

apt, with a state of its own in that folder, finds, fetches and verifies what packages depend on; dpkg unpacks it.
Sources come likewise.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path


def unpacked(place: Path, suite: str, architecture: str, *packages: str) -> Path:
    """A folder with the files of packages and of all that they depend on; made where it is not there yet."""
    root = place / "root"
    if (place / "done").exists():
        return root
    apt = _apt(place, suite, architecture)
    _run(*apt, "--download-only", "--no-install-recommends", "--yes", "install", *packages)
    for package in sorted((place / "cache" / "archives").glob("*.deb")):
        _run("dpkg-deb", "-x", package, root)
    shutil.rmtree(place / "cache")
    (place / "done").touch()
    return root


def source(place: Path, suite: str, package: str) -> Path:
    """A folder with the source of a package, without Debian's changes."""
    apt = _apt(place, suite, "amd64", kind="deb-src")
    _run(*apt, "--download-only", "source", package, cwd=place)
    (archive,) = place.glob("*.orig.tar.?z")
    with tarfile.open(archive) as files:
        files.extractall(place, filter="data")
        return place / files.getnames()[0].split("/")[0]


def _apt(place: Path, suite: str, architecture: str, kind: str = "deb") -> list[str]:
    """apt-get with a state of its own in a folder, for one release."""
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is needed to fetch packages of Debian: run this on Debian or Ubuntu")
    for folder in ("state/lists/partial", "cache/archives/partial", "etc/preferences.d", "root"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    (place / "status").touch()
    (place / "sources.list").write_text(f"{kind} {_mirror()} {suite} main\n")
    own = {
        "APT::Architecture": architecture, "APT::Architectures": architecture, "Dir::State": place / "state",
        "Dir::Cache": place / "cache", "Dir::State::status": place / "status", "Dir::Etc::sourcelist":
        place / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::Etc::preferencesparts": place / "etc",
        "APT::Sandbox::User": "root", "Acquire::Languages": "none",
    }  # fmt: skip
    command = ["apt-get", "-qq", *(part for name, value in own.items() for part in ("-o", f"{name}={value}"))]
    _run(*command, "update")
    return command


def _mirror() -> str:
    """Where this machine gets its packages of Debian from."""
    found = _run("apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)", "Created-By: Packages")
    for line in found.splitlines():
        address, _, origin = line.partition(" ")
        if origin == "Debian" and address.rstrip("/").endswith("/debian"):
            return address
    sys.exit("no mirror of Debian among the sources of apt; see `apt-get indextargets`")


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{command[0]} failed with status {done.returncode}")
    return done.stdout
