"""Generated texts, and how they get into a folder: all of them or none."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kinetree.errors import InputError


@dataclass(frozen=True)
class Code:
    """A function in another language.

    Args:
        name: of the function.
        target: the language.
        files: the texts by file name.

    Example:
        >>> import kinetree as kt
        >>> code = kt.export.code(kt.robots.two_link(), "gravity_forces", target="c", name="weight")
        >>> print(code.header.splitlines()[-7])
        void weight(const double q[2], double g[2]);
    """

    name: str
    target: str
    files: Mapping[str, str]

    @property
    def source(self) -> str:
        """The code itself."""
        return next(text for name, text in self.files.items() if not name.endswith(".h"))

    @property
    def header(self) -> str:
        """The declarations, where the language keeps them apart (C); the source elsewhere."""
        return next((text for name, text in self.files.items() if name.endswith(".h")), self.source)

    @property
    def test(self) -> str | None:
        """The program that checks the code; None where none was asked for."""
        return next((text for name, text in self.files.items() if Path(name).stem == f"{self.name}_test"), None)

    def write(self, folder: str | os.PathLike[str] = ".", *, overwrite: bool = False) -> list[Path]:
        """Write the files: all of them or none.

        Args:
            folder: where to; it is made where it is missing.
            overwrite: whether files of these names are replaced.

        Returns:
            The paths of the files.
        """
        place = Path(folder).absolute()
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{os.fspath(folder)!r} can't be made a folder: {error.strerror or error}") from error
        paths = [place / name for name in self.files]
        existing = [path for path in paths if os.path.lexists(path)]
        if folders := [path for path in existing if path.is_dir()]:
            raise InputError(f"{folders[0]} is a folder; give another name= or another folder")
        if existing and not overwrite:
            names = ", ".join(path.name for path in existing)
            raise InputError(
                f"{place} has {names} already; nothing was written. overwrite=True (--force) replaces files"
            )
        drafts = [path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.tmp") for path in paths]
        try:
            for draft, text in zip(drafts, self.files.values()):
                with open(draft, "x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
            for draft, path in zip(drafts, paths):
                os.replace(draft, path)
        except OSError as error:
            raise InputError(f"{place} can't be written to: {error.strerror or error}") from error
        finally:
            for draft in drafts:
                with contextlib.suppress(OSError):  # gone already where everything went well
                    draft.unlink()
        return paths
