# make demo   set up, then show what Kinetree does   make test      set up, then run the tests
# make bench  writes docs/benchmarks.md              make test-all  the long sweeps too       make papers  the papers' figures
# make peers  other libraries beside Kinetree, each in an environment of its own: writes docs/comparison.md
# make dist   wheel and sdist, into dist/            make docs      the documentation         make lint    style and types
# make test-gpu, bench-gpu  tests and figures of an NVIDIA GPU, with CuPy
# make test-jax, bench-jax  the tests and the table of kinetree.jax, in an environment of its own with JAX
# make test-torch, bench-torch  likewise, of kinetree.torch with PyTorch
# make test-dask, bench-dask  likewise, of clusters with dask.distributed
# make test-levels  the tests with each level of x86-64; test-arm under qemu, test-windows under Wine
# make test-versions  a part of the tests in every version of Python, with the oldest and newest NumPy and llvmlite
# make test-browser, bench-browser  the pages in Chromium, which is installed where there is none
# make test-viewers  a robot in viser's server, progress in a kernel of Jupyter, in an environment of their own
# make test-exports  self-tests of exported code in all languages, on emulated processors, in FMPy; installs them
# make fuzz SECONDS=600 SEED=1  mutated files and random graphs     make fuzz CASE=fuzz-kept/...  a case that failed
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/core
READY  := $(VENV)/ready
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all test-levels test-arm test-windows test-versions test-gpu bench-gpu test-jax \
	bench-jax test-torch bench-torch test-dask bench-dask test-browser bench-browser test-viewers test-exports fuzz \
	bench peers picture papers lint format docs dist clean

help:
	@head -14 $(MAKEFILE_LIST)

venv: $(READY)

# the package and what it needs: all that the demo waits for
$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(READY): $(CORE)
	$(PIP) -e ".[test]"
	# model files for the tests; what the package itself needs is not wanted
	$(PIP) --no-deps dm_control
	touch $@

demo: $(CORE)
	$(BIN)/python examples/00_demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow and not gpu and not browser"

test-all: $(READY) test-levels
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not gpu"

# with code for each level of x86-64 that this machine has: from 16-byte vectors without fused multiply-add to 64 bytes
test-levels: $(READY)
	for level in $(or $(LEVELS),$$($(BIN)/python tests/processors.py)); do echo $$level; KINETREE_CPU=$$level \
		$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow and not gpu and not browser" $(TESTS) || exit 1; done

# other systems and interpreters are fetched into .platforms
test-arm test-windows test-versions: test-%: $(READY)
	$(BIN)/python tools/platforms/$*.py

test-gpu: $(VENV)/ready-cuda
	$(BIN)/python -m pytest -q -rA -m gpu tests/gpu

bench-gpu: $(VENV)/ready-cuda
	$(BIN)/python -m benchmarks.gpu

$(VENV)/ready-cuda: $(READY)
	$(PIP) -e ".[cuda]"
	touch $@

# JAX is large, and only its bridge needs it
JAX := .venv-jax
test-jax: $(JAX)/ready
	$(JAX)/bin/python -m pytest -q tests/bridges tests/examples -k jax

bench-jax: $(JAX)/ready
	$(JAX)/bin/python -m benchmarks.bridges jax

$(JAX)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(JAX)
	$(JAX)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[jax]" pytest hypothesis
	touch $@

# and so is PyTorch
TORCH := .venv-torch
test-torch: $(TORCH)/ready
	$(TORCH)/bin/python -m pytest -q tests/bridges tests/examples src/kinetree/torch -k torch

bench-torch: $(TORCH)/ready
	$(TORCH)/bin/python -m benchmarks.bridges torch

$(TORCH)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[torch]" pytest hypothesis
	touch $@

# a cluster of processes on this machine
DASK := .venv-dask
test-dask: $(DASK)/ready
	$(DASK)/bin/python -m pytest -q tests/bridges tests/examples -k "dask or xarray or billion"

bench-dask: $(DASK)/ready
	$(DASK)/bin/python -m benchmarks.bridges dask

$(DASK)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DASK)
	$(DASK)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dask,xarray,plan]" \
		pytest hypothesis
	touch $@

# pages run in the Chromium that is there, or in one of Playwright's
BROWSER := .venv-browser
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
test-browser: $(READY) $(if $(CHROMIUM),,$(BROWSER)/ready)
	CHROMIUM="$(or $(CHROMIUM),$$(cat $(BROWSER)/ready))" $(BIN)/python -m pytest -q -m browser tests/browser

# Chromium draws in software where there is no graphics card: the scripts of a page are told apart from that
bench-browser: $(READY) $(if $(CHROMIUM),,$(BROWSER)/ready)
	CHROMIUM="$(or $(CHROMIUM),$$(cat $(BROWSER)/ready))" PYTHONPATH=tests/browser $(BIN)/python -m benchmarks.pages

$(BROWSER)/ready:
	$(PYTHON) -m venv $(BROWSER)
	$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check playwright
	$(BROWSER)/bin/python -m playwright install --with-deps chromium
	$(BROWSER)/bin/python -c "from playwright.sync_api import sync_playwright as p; print(p().start().chromium.executable_path)" > $@

# where pictures and progress are shown: viser's server and a kernel of Jupyter
VIEWERS := .venv-viewers
test-viewers: $(VIEWERS)/ready
	$(VIEWERS)/bin/python -m pytest -q -rs tests/view/test_viser.py tests/view/test_kernel.py tests/view/test_raster.py

$(VIEWERS)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VIEWERS)
	$(VIEWERS)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[viser,plot]" \
		pytest hypothesis ipykernel nbclient
	touch $@

# exported code runs wherever it is meant to: nothing is skipped but Julia where none can be had
JULIA := $(CURDIR)/$(VENV)/julia
test-exports: $(VENV)/ready-exports
	PATH="$(JULIA):$$PATH"; export PATH; KINETREE_ALL_EXPORTS="$$(command -v julia > /dev/null || echo julia)" \
		$(BIN)/python -m pytest -q -rs -n 2 tests/export tests/fmi

$(VENV)/ready-exports: $(READY) tools/export_tools.sh tools/debian_julia.sh
	sh tools/export_tools.sh $(JULIA)
	$(PIP) -e ".[exports]"
	touch $@

SECONDS ?= 60
SEED    ?= 0
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/fuzz/fuzz.py --seconds $(SECONDS) --seed $(SEED) $(if $(CASE),--case $(CASE))

bench: $(VENV)/ready-bench
	$(BIN)/python -m benchmarks

$(VENV)/ready-bench: $(READY)
	$(PIP) -e ".[bench]"
	touch $@

peers: $(READY)
	$(BIN)/python -m benchmarks.peers

# the picture of the README; its times are measured, so on a quiet machine
picture: $(READY)
	$(BIN)/python tools/picture.py

papers: $(READY)
	$(BIN)/python -m papers

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/ready-docs
	$(BIN)/sphinx-build -W --keep-going -j auto -b html docs docs/_build/html
	$(BIN)/python docs/check.py docs/_build/html
	@echo "docs/_build/html/index.html"

$(VENV)/ready-docs: $(READY)
	$(PIP) -e ".[docs]"
	touch $@

dist: $(VENV)/ready-dist
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

$(VENV)/ready-dist: $(CORE)
	$(PIP) -e ".[dist]"
	touch $@

clean:
	rm -rf $(VENV) $(JAX) $(TORCH) $(DASK) $(BROWSER) .platforms .peers docs/_build build dist .pytest_cache .ruff_cache .hypothesis
