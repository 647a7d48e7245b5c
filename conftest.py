"""The documentation tests of modules that need a package which is not installed are left out."""

from importlib.util import find_spec

collect_ignore = [f"src/kinetree/{name}" for name in ("jax", "torch") if find_spec(name) is None]
