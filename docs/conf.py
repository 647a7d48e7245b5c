"""The documentation: Markdown pages whose code runs when they are built, by ``make docs``."""

import importlib.util
import re
import sys
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
    "beside",
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
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "Kinetree"
html_static_path = ["_static"]
html_css_files = ["kinetree.css"]
html_copy_source = False

_KEYS = re.findall(r"^@\w+\{(\w+),", (Path(__file__).parent / "references.bib").read_text(), re.MULTILINE)
_CITED = re.compile(rf"\[({'|'.join(_KEYS)})\]")
_MAGNITUDE = re.compile(r"\|(\w+)\|")


def tidy(app, what, name, obj, options, lines):
    """Docstrings are written for people: [Key] is a citation, and |x| the magnitude of x."""
    lines[:] = [_MAGNITUDE.sub(r"\|\1\|", _CITED.sub(r":cite:p:`\1`", line)) for line in lines]


def everything(app, env, added, changed, removed):
    """Every page, in every build: what a page shows depends on the package, not on the page alone."""
    return env.found_docs - added


def setup(app):
    app.connect("env-get-outdated", everything)
    app.connect("autodoc-process-docstring", tidy)
