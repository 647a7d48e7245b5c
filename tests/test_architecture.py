"""The folders are the architecture: who may import whom, how long things may be, what an import costs."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kinetree as kt

ROOT = Path(kt.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# groups of layers from the top to the bottom: each layer imports from those above it only
GROUPS = {
    "foundations": ("sources", "renamed", "errors", "files", "status", "workers", "given", "scalar", "parameter"),
    "physics": ("spatial", "joints", "model", "algorithms", "recursions"),
    "compiler": ("graph", "lower", "emit", "runtime"),
    "robots": (
        "signature", "traceable", "tracing", "derivatives", "catalogue", "compile",
        "equations", "scene", "robot", "robots", "closed", "export",
    ),
    "pictures": ("view", "results"),
    "motions": ("nlp", "transcribe", "simulation", "control", "plan", "identify"),
    "applications": ("gait",),
    "bridges": ("jax", "torch", "xarray", "fmi"),
    "command line": ("cli", "__main__"),
}  # fmt: skip
LAYERS = tuple(layer for group in GROUPS.values() for layer in group)
# physics and compiler know nothing of each other; these bring them together
PHYSICS, COMPILER, TOGETHER = {*GROUPS["physics"]}, {*GROUPS["compiler"]}, {"compile", "robot"}
# written over scalars: no arrays, no batches
SCALAR = {"scalar", "parameter", "spatial", "joints", "algorithms", "recursions"}
# layers that may import fewer than all above them
ONLY = {"nlp": {"errors", "emit", "runtime"}}
# files that import modules of the package by their names as text, and why
BY_NAME = {
    "__init__.py": "attributes of the package that are loaded when they are first asked for",
    "cli/__init__.py": "one command of many is imported when it is asked for",
}

LINES = 500  # of a file
ASK = 300  # above this a file needs a reason:
LONG: set[str] = set()
FUNCTION = 60  # lines of a function without its docstring
# `import kinetree` beyond NumPy takes 40 to 110 ms here; a loaded machine takes several times that
IMPORT_SECONDS = 0.4
PARAMETERS = 8  # of a function, without self
# functions with more: options that travel together are one object, but these keywords are what users type
MANY_PARAMETERS = {
    "identify/excite.py: excite": "public: a Fourier series, its limits and the search for it",
    "plan/tasks.py: minimum_time": "public: both ends of a motion, its limits and the search for it",
    "plan/problem.py: __init__": "public: the options of a problem",
    "export/generate.py: code": "public: an algorithm, its options and those of its text",
    "robot/derivatives.py: force_rates": "public: the motion, and what acts on the bodies and on the base",
    "robot/derivatives.py: force_rate_derivatives": "public: likewise",
    "robot/derivatives.py: inverse_dynamics_hessian_product": "public: likewise",
    "robot/hybrid.py: hybrid_dynamics": "public: likewise",
    "closed/dynamics.py: forward_dynamics": "public: likewise, and the stabilisation",
    "closed/derivatives.py: force_rates": "public: likewise",
    "nlp/dense.py: __init__": "the functions of a nonlinear program",
    "scene/view.py: __init__": "what one page shows",
}
# names of classes in more than one file, and what each is
SHARED_NAMES = {
    "Axis": "of a picture; of a frame that shall point somewhere (public)",
    "BSpline": "a reference motion (public); a space of curves",
    "Force": "a spatial force; joint forces as a planned quantity (public)",
    "Motion": "a spatial motion; a sampled motion (public)",
    "Options": "of a simulation (public); of a search",
    "Parameter": "a named parameter (public); an identified one (public)",
    "Problem": "a nonlinear program; a planning problem (public)",
    "View": "of an array that another library holds; a robot as a page (public)",
}

PUBLIC = {
    "Body", "DH", "Frame", "Inertia", "Joint", "Limits", "Robot", "Transform",
    "compile", "errors", "hessian", "jacobian", "joints", "parameter", "robots", "scalar", "threads", "trace",
}  # fmt: skip
METHODS = {
    "from_dh", "from_file", "from_json", "from_mjcf", "from_par", "from_urdf", "from_xacro", "to_json", "to_urdf",
    "check", "attach", "lock", "merge_fixed", "mirror", "reroot", "scale", "subtree", "with_base", "with_gravity",
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "gravity_forces",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "joint_wrench_derivatives", "force_rates",
    "force_rate_derivatives", "inverse_dynamics_hessian_product", "regressor", "parameter_derivatives", "sparsity",
    "lower", "upper", "velocity_limits", "effort_limits", "neutral", "random", "integrate", "difference", "total_mass",
    "center_of_mass", "momentum", "centroidal_momentum", "centroidal_momentum_matrix", "coriolis_matrix",
    "frame_velocity", "frame_acceleration", "jacobian_rate",
    "pose", "jacobian", "inverse_kinematics", "joint_wrenches", "kinetic_energy", "potential_energy", "function",
    "operations", "precompile",
}  # fmt: skip


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def layer_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(file: Path) -> Iterator[str]:
    """The modules that a file imports anywhere, functions included."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)} has a relative import"
            if node.module == "kinetree":
                yield from (f"kinetree.{alias.name}" for alias in node.names)
            else:
                yield str(node.module)


def imported_layers(file: Path) -> set[str]:
    names = {name.split(".")[1] for name in imports(file) if name.startswith("kinetree.")}
    return names - {"__version__"}


INNER = [file for file in FILES if file != ROOT / "__init__.py"]


def test_every_file_has_a_place_in_the_order() -> None:
    existing = {layer_of(file) for file in INNER}
    assert existing == {*LAYERS}
    assert existing >= SCALAR | {*ONLY} | {layer for layers in ONLY.values() for layer in layers}


def test_files_import_only_from_above() -> None:
    wrong = {}
    for file in INNER:
        own = layer_of(file)
        above = ONLY.get(own, {*LAYERS[: LAYERS.index(own)]}) | ({own} if file.parent != ROOT else set())
        if below := imported_layers(file) - above:
            wrong[name_of(file)] = below
    assert wrong == {}


def imports_by_name(file: Path) -> Iterator[str]:
    """The arguments of calls to ``importlib.import_module`` and ``__import__``; "?" where they are no literal text."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("import_module", "__import__"):
                first = node.args[0] if node.args else None
                yield str(first.value) if isinstance(first, ast.Constant) else "?"


def test_modules_of_the_package_are_not_imported_by_name() -> None:
    """An import statement is what the test of the layers reads; other packages may be named by literal text."""
    named = {name_of(file): {*imports_by_name(file)} for file in FILES}
    found = {name for name, modules in named.items() if any(m == "?" or m.startswith("kinetree") for m in modules)}
    assert found - {*BY_NAME} == set()


def test_physics_and_compiler_never_import_each_other() -> None:
    wrong = {}
    for file in INNER:
        for half, other in ((PHYSICS, COMPILER), (COMPILER, PHYSICS)):
            if layer_of(file) in half and (met := imported_layers(file) & (other | TOGETHER)):
                wrong[name_of(file)] = met
    assert wrong == {}


def test_what_is_written_over_scalars_knows_no_arrays() -> None:
    over_scalars = [file for file in INNER if layer_of(file) in SCALAR]
    outside = {name_of(file): {name.split(".")[0] for name in imports(file)} for file in over_scalars}
    assert {name: found for name, found in outside.items() if found & {"numpy", "llvmlite"}} == {}


# -- size --------------------------------------------------------------------------------------------------------------


def test_files_are_short() -> None:
    lengths = {name_of(file): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {name: n for name, n in lengths.items() if n > (LINES if name in LONG else ASK)} == {}
    assert all(lengths[name] > ASK for name in LONG), "a file in the list of long ones is short now"


def test_files_say_what_they_are() -> None:
    assert [name_of(f) for f in FILES if f.read_text(encoding="utf-8") and not ast.get_docstring(parsed(f))] == []
    assert {file.stem for file in FILES}.isdisjoint({"utils", "util", "helpers", "misc", "common"})


def functions(file: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name_of(file)}: {node.name}", node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its docstring."""
    doc = ast.get_docstring(node, clean=False)
    return (node.end_lineno or node.lineno) - node.lineno + 1 - (len(doc.splitlines()) if doc else 0)


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters a function has, without self."""
    positional = [x.arg for x in (*node.args.posonlyargs, *node.args.args)]
    return len(positional) - (positional[:1] in (["self"], ["cls"])) + len(node.args.kwonlyargs)


def test_functions_fit_on_a_page() -> None:
    lengths = [(name, length(node)) for file in FILES for name, node in functions(file)]
    assert [(name, n) for name, n in lengths if n > FUNCTION] == []


def test_functions_take_few_parameters() -> None:
    counts = [(name, parameters(node)) for file in FILES for name, node in functions(file)]
    many = {name for name, n in counts if n > PARAMETERS}
    assert many - {*MANY_PARAMETERS} == set()
    assert {*MANY_PARAMETERS} - many == set(), "functions in the list that take few parameters now"


def test_a_class_has_a_name_of_its_own() -> None:
    names = Counter(
        node.name
        for file in FILES
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    shared = {name for name, count in names.items() if count > 1}
    assert shared - {*SHARED_NAMES} == set()
    assert {*SHARED_NAMES} - shared == set(), "names in the list that are of one class now"


def test_users_get_errors_and_no_assertions() -> None:
    found = [(name_of(f), n.lineno) for f in FILES for n in ast.walk(parsed(f)) if isinstance(n, ast.Assert)]
    assert found == []


# -- the package from outside ------------------------------------------------------------------------------------------

MEASURE = """
import sys, time
import numpy
start = time.perf_counter()
import kinetree
print(time.perf_counter() - start, *(name for name in sys.modules if name in FORBIDDEN))
"""
# LLVM is loaded with the first compile, the reader of XML with the first model file, the rest never
FORBIDDEN = (
    "llvmlite", "llvmlite.binding", "defusedxml", "xml.sax", "dask", "scipy", "matplotlib", "multiprocessing", "jax",
    "torch", "xarray",
)  # fmt: skip


def test_an_import_is_quick_and_loads_no_compiler() -> None:
    script = MEASURE.replace("FORBIDDEN", repr(FORBIDDEN))
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
        for _ in range(5)
    ]
    assert {tuple(out.split()[1:]) for out in runs} == {()}
    assert min(float(out.split()[0]) for out in runs) < IMPORT_SECONDS


@pytest.mark.parametrize("folder", ["papers", "benchmarks", "examples", "docs", "tools"])
def test_what_is_imported_around_the_package_is_there(folder: str) -> None:
    files = [f for f in (Path(__file__).parents[1] / folder).rglob("*.py") if "_build" not in f.parts]
    imports = [(f, n) for f in files for n in ast.walk(parsed(f)) if isinstance(n, ast.ImportFrom)]
    own = [(f.name, n.module, [a.name for a in n.names]) for f, n in imports if (n.module or "").startswith("kinetree")]
    for file, module, names in own:
        imported = importlib.import_module(module)
        missing = [x for x in names if not hasattr(imported, x) and not importlib.util.find_spec(f"{module}.{x}")]
        assert not missing, f"{file}: {module} has no {missing}"


def test_the_public_names_are_there_and_documented() -> None:
    assert {*dir(kt)} >= PUBLIC
    assert {*dir(kt.Robot)} >= METHODS
    things = [*(getattr(kt, name) for name in PUBLIC), *(getattr(kt.Robot, name) for name in METHODS)]
    assert [thing for thing in things if not inspect.getdoc(thing)] == []
    zoo = {"two_link", "prismatic_revolute", "stanford", "puma560", "seven_link", "random_tree"}
    assert {*kt.robots.names()} >= zoo
    assert all(callable(getattr(kt.robots, name)) for name in kt.robots.names())


def test_nothing_but_the_public_names_is_shown() -> None:
    assert dir(kt) == sorted(kt.__all__)
    assert all(hasattr(kt, name) for name in kt.__all__)


def test_every_error_is_in_the_one_tree() -> None:
    errors = [x for x in vars(kt.errors).values() if isinstance(x, type) and issubclass(x, Exception)]
    for error in errors:
        assert issubclass(error, (kt.errors.KinetreeError, Warning)), error
        assert error.__name__ in (kt.errors.__doc__ or ""), f"{error.__name__} is missing in the drawing of the tree"


def test_only_errors_of_the_tree_are_raised() -> None:
    allowed = {
        *(name for name in vars(kt.errors) if name.endswith("Error")),
        "NotImplementedError",  # what a subclass must say
        "TypeError",  # Python's own rules: pickling, keywords
        "MemoryError",  # as from Python itself, where compiling gets no memory
        "missing_attribute",  # an AttributeError, with the new name of what was renamed
        "not_determined",  # a SingularModelError, with the joint
    }
    raised = [
        (node.exc.func.id, f"{name_of(file)}:{node.lineno}")
        for file in INNER
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
    ]
    assert [place for place in raised if place[0] not in allowed] == []
