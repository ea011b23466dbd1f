# Everything a developer runs. Needs Python 3.11 or newer, git and make; `make` lists the targets.

PYTHON ?= python3
MODEL := out/llama-3.1-405b.xlsx
# A workbook for `make pictures`, and where its pages go.
FILE ?=
OUT ?= out/pictures

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
VENV := .venv/.made
USER_STAMP := .venv/.installed
DEV_STAMP := .venv/.installed-dev

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help model test bench template pictures clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

model: $(USER_STAMP) ## Build the example workbook, out/llama-3.1-405b.xlsx
	@mkdir -p $(dir $(MODEL))
	$(BIN)/xl-tco build examples/llama-3.1-405b.toml -o $(MODEL) --force

test: $(DEV_STAMP) ## Check style, types and layers, then run the tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2

bench: $(DEV_STAMP) ## Measure the speed of the model and of the workbook
	$(BIN)/python tests/benchmarks.py

template: $(USER_STAMP) ## Make templates/training_tco.xlsx again
	$(BIN)/xl-tco template -o templates/training_tco.xlsx --force

pictures: $(DEV_STAMP) $(if $(FILE),,model) ## Turn FILE=book.xlsx (or the example) into PNG pages in OUT=out/pictures
	$(BIN)/python tests/pictures.py "$(or $(FILE),$(MODEL))" "$(OUT)"

clean: ## Remove .venv, out, builds and caches
	rm -rf .venv out build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

$(VENV):
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "$(PYTHON) was not found: install Python 3.11 or newer, or say make PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, but $(PYTHON) is $$("$(PYTHON)" -V 2>&1)." >&2; \
	  echo "Say which to use: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: its venv or ensurepip module is missing." >&2; \
	  echo "On Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	"$(PYTHON)" -m venv .venv
	@touch $@

$(USER_STAMP): pyproject.toml | $(VENV)
	$(PIP) install --quiet -e .
	@touch $@

$(DEV_STAMP): pyproject.toml | $(VENV)
	$(PIP) install --quiet -e '.[dev]'
	@touch $(USER_STAMP) $@
