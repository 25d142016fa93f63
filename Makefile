# One command per wish. Everything runs in .venv, which `make` creates by itself; players need none of this (see README).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false $(BIN)/python

.PHONY: demo test check bench docs wheel format clean

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
