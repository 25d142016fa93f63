# One command per wish. Everything runs in .venv, which `make` creates by itself; players need none of this (see README).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false $(BIN)/python

LIVE := .cache/live
CASES ?= 500
SEED ?=

.PHONY: demo test check bench docs wheel format clean conformance-live

demo: $(VENV)/.ready  ## show the main job on the shipped home folder
	$(RUN) -m rolememory demo

test: $(VENV)/.ready  ## the whole suite
	$(RUN) -m pytest -n 2 --dist worksteal -q

check: $(VENV)/.ready  ## format, lint, strict types, floors
	$(BIN)/ruff format --check rolememory tests examples
	$(BIN)/ruff check rolememory tests examples
	$(BIN)/mypy
	$(RUN) -m pytest -q tests/test_floors.py

bench: $(VENV)/.ready  ## measure the hot path (JSON on standard output)
	$(RUN) -m tests.bench.speed
	$(RUN) -m tests.bench.keys

conformance-live: $(VENV)/.ready $(LIVE)/.ready  ## ask the real SillyTavern about fresh random lorebooks, compare (CASES=500 SEED=word)
	$(BIN)/python -c "import playwright" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check playwright
	$(RUN) -m tests.conformance.live --program $(LIVE)/node_modules/sillytavern --cases $(CASES) $(if $(SEED),--seed $(SEED))

$(LIVE)/.ready:
	mkdir -p $(LIVE)
	npm install --prefix $(LIVE) --ignore-scripts --no-audit --no-fund --loglevel=error sillytavern@1.19.0
	command -v chromium || command -v chromium-browser || command -v google-chrome || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; }
	touch $@

docs: $(VENV)/.ready  ## write the generated parts of docs/ anew
	$(RUN) -m tests.docs.generate

wheel: $(VENV)/.ready  ## build sdist and wheel into dist/
	$(RUN) -m build --outdir dist .

format: $(VENV)/.ready
	$(BIN)/ruff format rolememory tests examples
	$(BIN)/ruff check --fix rolememory tests examples

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all,test]"
	touch $@
