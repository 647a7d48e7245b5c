"""Where the addresses in model files lead: `package://`, `file://` and paths, inside named folders only.

Model files are untrusted. An address is first judged by its text, then by the links that it goes through: the
file must lie in a package folder, or in the folder of the model file or below. Nothing is opened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from kinetree.errors import ModelError, ModelFileError, check_name

Packages = Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]
Folders = Mapping[str, Path] | Sequence[Path]
_SCHEMES = ("package://", "model://")


def package_folders(packages: Packages) -> Folders:
    """The folders as absolute paths; raises `ModelError` where one is none."""
    if isinstance(packages, str | os.PathLike):
        packages = (packages,)
    if isinstance(packages, Mapping):
        return {str(name): _folder(folder) for name, folder in packages.items()}
    return tuple(map(_folder, packages))


def _folder(folder: str | os.PathLike[str]) -> Path:
    try:
        path = Path(folder).absolute()
        if path.is_dir():
            return path
    except (OSError, ValueError, TypeError):
        pass
    raise ModelError(f"packages: there is no folder {str(folder)[:300]!r}")


def resolve(address: str, packages: Folders, folder: Path | None) -> Path:
    """The file that an address means; raises `ModelFileError` where it is none, or outside the named folders.

    Args:
        address: "package://name/path", "file:///path" or a path; relative ones begin at ``folder``.
        packages: folders by the name of the package; or folders that are packages, or have them in them.
        folder: of the model file; None for text, which has no folder.
    """
    shown = repr(address[:300])
    roots = [*(packages.values() if isinstance(packages, Mapping) else packages)]
    if folder is not None:
        roots.append(folder.absolute())
    if scheme := next((s for s in _SCHEMES if address.startswith(s)), None):
        name, _, rest = address.removeprefix(scheme).lstrip("/").partition("/")  # some files have package:///name
        package, named = _package(name, packages, shown)
        return _existing(package / rest.lstrip("/"), [package], [named], shown)
    if "://" in address and not address.startswith("file:///"):
        raise ModelFileError(f"the address {shown} is not read; expected package://name/..., file:///... or a path")
    path = Path(address.removeprefix("file://"))
    if not path.is_absolute():
        if folder is None:
            raise ModelFileError(f"the path {shown} is relative, but text has no folder; use package://name/...")
        path = folder.absolute() / path
    return _existing(path, roots, roots, shown)


def _package(name: str, packages: Folders, shown: str) -> tuple[Path, Path]:
    """The folder of a package, and the folder that was named: the same, or the one in which it is."""
    if name in ("", ".", "..") or "\\" in name or "\0" in name:
        raise ModelFileError(f"the address {shown} names no package; expected package://name/path")
    if isinstance(packages, Mapping):
        check_name("package", name, packages, f"the address {shown}", ModelFileError)
        return packages[name], packages[name]
    for folder in packages:
        found = folder if folder.name == name else folder / name
        if found.is_dir():
            return found, folder
    listed = ", ".join(map(str, packages)) or "none given"
    raise ModelFileError(f"the address {shown}: no package {name!r} in the folders of packages=: {listed}")


def _existing(path: Path, roots: Sequence[Path], named: Sequence[Path], shown: str) -> Path:
    """The path without detours, if it is a file: inside of ``roots`` as written, of ``named`` where links lead."""
    outside = ModelFileError(f"the address {shown} leads outside the folders that were named; nothing there is opened")
    plain = Path(os.path.normpath(path))
    if not any(plain.is_relative_to(os.path.normpath(root)) for root in roots):
        raise outside
    try:
        real = plain.resolve()
        inside = any(real.is_relative_to(root.resolve()) for root in named)
        found = inside and real.is_file()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelFileError(f"the address {shown} can't be followed: {error}") from None
    if not inside:
        raise outside
    if not found:
        raise ModelFileError(f"the address {shown}: there is no file {str(real)[:300]}")
    return real
