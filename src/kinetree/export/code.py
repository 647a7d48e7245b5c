"""Generated texts, and how they get into a folder: all of them or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kinetree.errors import InputError
from kinetree.files import Name, check_name, check_place, together


@dataclass(frozen=True)
class Code:
    """A function in another language; in WebAssembly perhaps several.

    Args:
        name: of the function.
        target: the language.
        files: the texts by file name, a module of WebAssembly as bytes.

    Example:
        >>> import kinetree as kt
        >>> code = kt.export.code(kt.robots.two_link(), "gravity_forces", target="c", name="weight")
        >>> print(code.header.splitlines()[-7])
        void weight(const double q[2], double g[2]);
    """

    name: str
    target: str
    files: Mapping[str, str | bytes]

    @property
    def texts(self) -> dict[str, str]:
        """The files that are text."""
        return {name: text for name, text in self.files.items() if isinstance(text, str)}

    @property
    def source(self) -> str:
        """The code itself; for WebAssembly what loads it, for an object file what declares it."""
        first, *_ = self.texts.values()
        return next((x for name, x in self.texts.items() if not name.endswith(".h") and x != self.test), first)

    @property
    def binary(self) -> bytes | None:
        """The module of WebAssembly; None for languages of text."""
        return next((content for content in self.files.values() if isinstance(content, bytes)), None)

    @property
    def header(self) -> str:
        """The declarations, where the language keeps them apart (C); the source elsewhere."""
        return next((text for name, text in self.texts.items() if name.endswith(".h")), self.source)

    @property
    def test(self) -> str | None:
        """The program that checks the code; None where none was asked for."""
        return next((text for name, text in self.texts.items() if Path(name).stem == f"{self.name}_test"), None)

    def write(self, folder: Name = ".", *, overwrite: bool = False) -> list[Path]:
        """Write the files: all of them or none.

        Args:
            folder: where to; it is made where it is missing.
            overwrite: whether files of these names are replaced.

        Returns:
            The paths of the files.
        """
        directory = Path(check_name(folder, "written to")).absolute()
        paths = [directory / name for name in self.files]
        for path in paths:
            check_place(path)
        if not overwrite and (existing := [path.name for path in paths if os.path.lexists(path)]):
            has = f"{directory} has {', '.join(existing)} already"
            raise InputError(f"{has}; nothing was written. overwrite=True (--force) replaces files")
        with together(paths) as drafts:
            for draft, content in zip(drafts, self.files.values()):
                draft.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return paths
