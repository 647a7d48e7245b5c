# make demo   set up, then show what Kinetree does   make test      set up, then run the tests
# make bench  writes docs/benchmarks.md              make test-all  the long sweeps too       make papers  the papers' figures
# make peers  other libraries beside Kinetree, each in an environment of its own: writes docs/comparison.md
# make dist   wheel and sdist, into dist/            make docs      the documentation         make lint    style and types
# make test-gpu, bench-gpu  tests and figures of an NVIDIA GPU, with CuPy
# make test-jax, bench-jax  the tests and the table of kinetree.jax, in an environment of its own with JAX
# make test-torch, bench-torch  likewise, of kinetree.torch with PyTorch
# make test-dask, bench-dask  likewise, of clusters with dask.distributed
# make fuzz SECONDS=600 SEED=1  mutated files and random graphs     make fuzz CASE=fuzz-kept/...  a case that failed
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/core
READY  := $(VENV)/ready
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all test-gpu bench-gpu test-jax bench-jax test-torch bench-torch test-dask \
	bench-dask fuzz bench peers picture papers lint format docs dist clean

help:
	@head -9 $(MAKEFILE_LIST)

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
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow and not gpu"

test-all: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not gpu"

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
	$(DASK)/bin/python -m pytest -q tests/bridges tests/examples -k "dask or xarray"

bench-dask: $(DASK)/ready
	$(DASK)/bin/python -m benchmarks.bridges dask

$(DASK)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DASK)
	$(DASK)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dask,xarray,plan]" \
		pytest hypothesis
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
	rm -rf $(VENV) $(JAX) $(TORCH) $(DASK) .peers docs/_build build dist .pytest_cache .ruff_cache .hypothesis
