# One command per wish. Everything runs in .venv, which `make` creates by itself; players need none of this (see README).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false $(BIN)/python

LIVE := .cache/live
TAVERN := mkdir -p $(LIVE) && npm install --prefix $(LIVE) --ignore-scripts --no-audit --no-fund --loglevel=error sillytavern@1.19.0
CASES ?= 500
SEED ?=
SETS ?=
WORDS ?=
TESTS ?=

.PHONY: demo test quick coverage mutants check bench docs locales wheel extension format clean conformance-live e2e page tavern

demo: $(VENV)/.ready  ## show the main job on the shipped home folder
	$(RUN) -m rolememory demo

test: $(VENV)/.ready tavern  ## the whole suite
	$(RUN) -m pytest -n 3 --dist worksteal -q

quick: $(VENV)/.ready  ## the tests near what changed, in under a minute
	$(RUN) -m tests.quick

coverage: $(VENV)/.ready tavern  ## the suite once more, half as slow again: which branches it takes, as a table and in htmlcov/
	rm -f .coverage .coverage.*
	$(RUN) -m coverage run -m pytest -n 2 --dist worksteal -q $(TESTS)
	$(RUN) -m coverage combine -q
	$(RUN) -m coverage html -q
	$(RUN) -m coverage report --sort=cover | tail -n 40

mutants: $(VENV)/.ready  ## break promised features one by one and see a test notice each (WORDS="..." picks some)
	$(RUN) -m tests.mutants $(WORDS)

check: $(VENV)/.ready  ## format, lint, strict types, layers
	$(BIN)/ruff format --check rolememory tests examples
	$(BIN)/ruff check rolememory tests examples
	$(BIN)/mypy
	$(RUN) -m pytest -q tests/test_layers.py

bench: $(VENV)/.ready  ## measure the hot path, the disk and a long chat (JSON on standard output); SETS="FILE.json ...": data sets as well
	$(RUN) -m tests.bench.speed
	$(RUN) -m tests.bench.keys
	$(RUN) -m tests.bench.storage --turns 200
	$(RUN) -m tests.bench.soak --turns 500
	$(if $(SETS),$(RUN) -m tests.bench.recall $(SETS))
	$(if $(SETS),$(RUN) -m tests.bench.conversation $(SETS))

conformance-live: $(VENV)/.ready $(LIVE)/.ready  ## ask the real SillyTavern about fresh random lorebooks, compare (CASES=500 SEED=word)
	$(BIN)/python -c "import playwright" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check playwright
	$(RUN) -m tests.conformance.live --program $(LIVE)/node_modules/sillytavern --cases $(CASES) $(if $(SEED),--seed $(SEED))

e2e: $(VENV)/.ready $(LIVE)/.ready  ## live through everything with the real SillyTavern, from the page to the model
	ROLEMEMORY_E2E=all $(RUN) -m pytest -n 3 -q tests/e2e

page: $(VENV)/.ready  ## visit the page with a real browser, as people would
	ROLEMEMORY_PAGE=all $(RUN) -m pytest -q tests/page

tavern:  ## SillyTavern for the suite, where npm and a browser are; without it the suite leaves its stories out
	@test -d $(LIVE)/node_modules/sillytavern || ! command -v npm >/dev/null || ! { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || { $(TAVERN); } || { rm -rf $(LIVE)/node_modules/sillytavern; echo "SillyTavern could not be installed; its stories are left out"; }

extension:  ## the SillyTavern extension as the root of a repository, into dist/extension
	rm -rf dist/extension
	mkdir -p dist
	cp -R examples/integrations/sillytavern dist/extension
	cp LICENSE dist/extension/

$(LIVE)/.ready:
	$(TAVERN)
	command -v chromium || command -v chromium-browser || command -v google-chrome || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; }
	touch $@

docs: $(VENV)/.ready  ## rewrite the generated parts of docs/
	$(RUN) -m tests.docs.generate

locales: $(VENV)/.ready  ## put the catalogues of messages in order, list what is not translated
	$(RUN) -m tests.locales.extract

wheel: $(VENV)/.ready  ## build sdist and wheel into dist/
	$(RUN) -m build --outdir dist .

format: $(VENV)/.ready
	$(BIN)/ruff format rolememory tests examples
	$(BIN)/ruff check --fix rolememory tests examples

clean:
	rm -rf $(VENV) dist build htmlcov .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all,test]"
	touch $@
