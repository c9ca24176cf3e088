# The commands of this project; `make help` lists them. Everything runs in .venv, made from requirements.lock.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK_TOOLS := build/lock-tools
PIP_TOOLS := pip-tools==7.6.2
PYTEST_OPTIONS ?=
# A file of tests is run by one of these processes, each with its own Postgres, Kafka and Spark; 0: all in one.
TEST_PROCESSES ?= 2
SIDE_BY_SIDE := --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder
BENCH_OPTIONS ?=

# The first Python that is new enough; `make setup PYTHON=/path/to/python` chooses another.
IS_NEW_ENOUGH := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	"$$name" -c '$(IS_NEW_ENOUGH)' >/dev/null 2>&1 && { echo "$$name"; break; }; done; true)

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: $(STAMP) ## Make .venv with everything that is locked (does nothing when nothing changed)

$(STAMP): requirements.lock pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "coordstream needs Python 3.11 or newer with its venv module: install it, or name it with make PYTHON=..." >&2; exit 1; }
	[ -x $(BIN)/python ] || "$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

.PHONY: demo
demo: setup java ## A recorded Samza job becomes SQL, and Spark reads it (under 3 minutes)
	$(BIN)/python -m coordstream.demo

.PHONY: test
test: setup java ## All tests, on real Postgres, Kafka and Spark
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(PYTEST_OPTIONS)

.PHONY: test-fast
test-fast: setup ## The tests without Kafka, Spark and the slow ones (under 2 minutes, needs no Java)
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not kafka and not spark and not slow" $(PYTEST_OPTIONS)

.PHONY: torture
torture: setup java ## The tests that kill and cut, at full length (about an hour)
	COORDSTREAM_TORTURE=1 $(BIN)/python -m pytest -m torture -s $(PYTEST_OPTIONS)

.PHONY: lint
lint: setup ## Style, types, and who may import whom
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: setup ## Lay the code out, and mend what the linter can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: golden
golden: setup ## Write the golden schema anew, after a change of tables or relations
	RENEW_GOLDEN=1 $(BIN)/python -m pytest -q tests/migrations/test_revisions.py

.PHONY: docs
docs: setup ## Write docs/relations.md anew, after a change of comments or example queries
	RENEW_DOCS=1 $(BIN)/python -m pytest -q tests/documentation/test_relations_page.py

.PHONY: bench
bench: setup java ## Figures beside limits and goals (BENCH_OPTIONS='--only live' for a part)
	$(BIN)/python -m benchmarks $(BENCH_OPTIONS)

.PHONY: lock
lock: ## Write requirements.lock anew from pyproject.toml (UPGRADE=1 takes the newest versions)
	@[ -x $(LOCK_TOOLS)/bin/pip-compile ] || { "$(PYTHON)" -m venv $(LOCK_TOOLS) && \
		$(LOCK_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_TOOLS); }
	$(LOCK_TOOLS)/bin/pip-compile --quiet --extra dev --generate-hashes --strip-extras --allow-unsafe --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
		$(if $(UPGRADE),--upgrade) --output-file requirements.lock pyproject.toml

.PHONY: clean
clean: ## Remove what make and the tools made (never a database)
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: java
java:
	@major=$$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1); \
	[ "$${major:-0}" -ge 17 ] || { echo "Spark needs Java 17 or newer on the PATH (found: $${major:-none}): install a JDK or JRE, for example openjdk-17-jre-headless." >&2; exit 1; }
