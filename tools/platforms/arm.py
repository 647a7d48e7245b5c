"""Tests on 64-bit ARM: Debian's interpreter and the wheels for Linux on aarch64, under qemu.

    python tools/platforms/arm.py [ARGUMENTS OF PYTEST]

It needs qemu-user-static, and fetches the rest (60 MiB) into .platforms; about a quarter of an hour on two cores.
"""

from __future__ import annotations

import os
import subprocess
import sys

import debian
import interpreter

PLACE = interpreter.HERE / ".platforms" / "arm64"
SUITE, VERSION = "bookworm", "3.11"
# numbers of every operation and of robots; the direct call, threads, the cache, memory; laws on random mechanisms
TESTS = ("tests/runtime/test_platform.py", "tests/runtime/test_direct.py", "tests/runtime/test_threads.py",
         "tests/runtime/test_cache.py", "tests/runtime/test_rows.py", "tests/emit/test_operations.py",
         "tests/emit/test_repeat.py", "tests/lower/test_elementary.py")  # fmt: skip


def main(arguments: list[str]) -> int:
    PLACE.mkdir(parents=True, exist_ok=True)
    root = debian.unpacked(PLACE, SUITE, "arm64", f"python{VERSION}", "libstdc++6")
    python = interpreter.of_debian(PLACE, root, "arm64", VERSION)
    site = interpreter.wheels(PLACE, "arm64", VERSION, [*interpreter.PINNED, *interpreter.PACKAGES])
    path = os.pathsep.join(map(str, (site, interpreter.HERE / "src")))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not gpu"]
    return subprocess.run(
        [*command, *(arguments or TESTS)], env={**os.environ, "PYTHONPATH": path}, cwd=interpreter.HERE
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
