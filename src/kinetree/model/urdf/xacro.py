"""URDF text from a xacro file, by the package xacrodoc (the extra "xacro").

A xacro file runs expressions of Python, reads other files and environment variables: only trusted files belong here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinetree.errors import MissingExtraError, ModelError, ModelFileError
from kinetree.model.text.file import Source, read_bytes
from kinetree.model.urdf.packages import Packages, package_folders

_MISSING = "xacro files need the package xacrodoc; install it with: pip install 'kinetree[xacro]'"


def expanded_xacro(path: Source, arguments: Mapping[str, Any] | None = None, packages: Packages = ()) -> str:
    """The URDF text of a xacro file.

    Args:
        path: of the file.
        arguments: values of <xacro:arg>, by name.
        packages: folders of packages, for $(find name); those around the file are found by themselves.
    """
    try:
        import xacrodoc  # pyright: ignore[reportMissingImports]  (an extra)
    except ImportError:
        raise MissingExtraError(_MISSING) from None
    name, _ = read_bytes(path, "the path of a xacro file")  # it is there, and not too large
    given = {str(key): _text(key, value) for key, value in (arguments or {}).items()}
    found = package_folders(packages)
    if not isinstance(found, Mapping):
        inner = {child.name: child for folder in found for child in sorted(folder.iterdir()) if child.is_dir()}
        found = {**inner, **{folder.name: folder for folder in found}}
    xacrodoc.packages.reset()
    xacrodoc.packages.update_package_cache({key: str(folder) for key, folder in found.items()})
    try:
        document = xacrodoc.XacroDoc.from_file(Path(path), subargs=given, resolve_packages=False)
        return document.to_urdf_string(pretty=False)
    except Exception as error:  # of whatever the file runs
        reason = str(error) or type(error).__name__
        raise ModelFileError(f"{name}: xacro can't expand it: {reason[:500]}") from None
    finally:
        xacrodoc.packages.reset()


def _text(key: Any, value: Any) -> str:
    """A value as xacro writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise ModelError(f"arguments: {key!r} must be a text or a number, got {type(value).__name__}")
    return str(value)
