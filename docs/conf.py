"""The documentation: Markdown pages whose code runs when they are built, by ``make docs``."""

import atexit
import importlib.util
import logging
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import kinetree

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Kinetree"
author = "The Kinetree developers"
copyright = author
release = version = kinetree.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
    "also",
    "beside",
    "gallery",
    "key_labels",
    "layers",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints", ".jupyter_cache"]

# pages: executed anew with every build, so that what they show is what this version does
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# the notebooks of the examples are pages, too: copied with every build
shutil.copytree(
    Path(__file__).parents[1] / "examples" / "notebooks", Path(__file__).parent / "notebooks", dirs_exist_ok=True
)

# kernels start with settings of their own: not those of the user, and without a warning for each of them
_SETTINGS = Path(tempfile.mkdtemp(prefix="kinetree-docs-"))
atexit.register(shutil.rmtree, _SETTINGS, ignore_errors=True)
(_SETTINGS / "profile_default").mkdir()
(_SETTINGS / "profile_default" / "ipython_kernel_config.py").write_text("get_config().Application.log_level = 40\n")
os.environ["IPYTHONDIR"] = str(_SETTINGS)
logging.getLogger("traitlets").setLevel(logging.WARNING)

# equations: as MathML, which needs no script from the network, where the converter is installed
if importlib.util.find_spec("latex2mathml"):
    extensions.append("mathml")
    html_math_renderer = "mathml"

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "keys"

# docstrings: Google style; `name` links where the name is known, [Key] cites references.bib
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

_MONOSPACE = "ui-monospace, SFMono-Regular, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# the colours of curves on a dark page, which view.svg reads; on a light one it has its own
_DARK = ("#6ea8ff", "#ff8f6b", "#4fcf9f", "#c98be8", "#e6bb4a", "#f280ab", "#4cc9d9", "#a5adba")

html_theme = "furo"
html_title = "Kinetree"
html_static_path = ["_static"]
html_css_files = ["kinetree.css"]
html_copy_source = False
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack--monospace": _MONOSPACE},
    "dark_css_variables": {
        "font-stack--monospace": _MONOSPACE,
        **{f"kt-{k}": colour for k, colour in enumerate(_DARK, start=1)},
    },
}

_KEYS = re.findall(r"^@\w+\{(\w+),", (Path(__file__).parent / "references.bib").read_text(), re.MULTILINE)
_CITED = re.compile(rf"\[({'|'.join(_KEYS)})\]")
_MAGNITUDE = re.compile(r"\|(\w+)\|")


def tidy(app, what, name, obj, options, lines):
    """Docstrings are written for people: [Key] is a citation, |x| the magnitude of x, a tree a drawing."""
    tree = [k for k, line in enumerate(lines) if "\u2500\u2500 " in line]
    if tree:  # drawn with letters: as it stands
        drawn = slice(tree[0] - 1, tree[-1] + 1)
        lines[drawn] = ["::", "", *(f"   {line}" for line in lines[drawn]), ""]
    lines[:] = [_MAGNITUDE.sub(r"\|\1\|", _CITED.sub(r":cite:p:`\1`", line)) for line in lines]


def everything(app, env, added, changed, removed):
    """Every page, in every build: what a page shows depends on the package, not on the page alone."""
    return env.found_docs - added


def setup(app):
    app.connect("env-get-outdated", everything)
    app.connect("autodoc-process-docstring", tidy)
