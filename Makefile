# `make help` lists the targets. Everything runs in .venv, which is installed from requirements.lock.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
C_FILES := $(wildcard eventlog/_*.h eventlog/*/_*.c projections/*/_*.c)
SANITIZED := build/sanitized
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
COMPILED_TESTS := tests/unit/eventlog/kafka/test_record_batch.py tests/postgres/eventlog/postgres/test_copy_rows.py tests/*/projections/fold
LOCK_TOOLS := build/lock-tools
PIP_TOOLS := pip-tools==7.6.2
PIP_COMPILE := $(LOCK_TOOLS)/bin/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url \
	--no-emit-trusted-host --no-emit-find-links --no-emit-options
EXTRAS := embedded lake parquet serve spark state
IMAGE_EXTRAS := parquet serve
PYTEST_OPTIONS ?=
# Number of test processes, each with its own Postgres; they share Kafka, and one of them has Spark. 0 runs all tests in one process.
TEST_PROCESSES ?= 4
SIDE_BY_SIDE := --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder
# Tests start hundreds of Python programs: without stored bytecode, each compiles the modules that it imports.
unexport PYTHONDONTWRITEBYTECODE
BENCH_OPTIONS ?=
# The oldest PySpark that pyproject.toml allows, and the newest that is known to work.
SPARK_RANGE ?= 4.0.0 4.3.0
# PySpark 4.0 leaves its sockets to the garbage collector.
SPARK_WARNINGS := -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning
# Also old packages of HTTP; old fonts have fewer characters, and new packages complain of what old ones do.
OLD_WARNINGS := -W ignore::DeprecationWarning -W ignore::UserWarning $(SPARK_WARNINGS)
# Compared with the layout of help and tables, and the imports, of the locked packages.
OF_THE_LOCK := --deselect tests/unit/documentation/test_commands_page.py --deselect tests/transcripts --deselect tests/system/house/test_trips.py
PYTHONS ?= 3.12 3.13
SMOKE_TESTS := tests/system/eventlog/kafka/test_log.py tests/system/coordstream/test_spark.py
SPARK_TESTS := tests/*/spark_jobs tests/system/coordstream/test_spark.py tests/system/documentation/test_spark_page.py

# The first Python on the PATH that is new enough. `make setup PYTHON=/path/to/python` selects another one.
IS_NEW_ENOUGH := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	"$$name" -c '$(IS_NEW_ENOUGH)' >/dev/null 2>&1 && { echo "$$name"; break; }; done; true)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: $(STAMP) ## Install the locked packages and coordstream into .venv (if anything changed)

$(STAMP): requirements.lock pyproject.toml hatch_build.py $(C_FILES)
	@[ -n "$(PYTHON)" ] || { echo "coordstream needs Python 3.11 or newer with its venv module. Install it, or select one with make PYTHON=/path/to/python." >&2; exit 1; }
	[ -x $(BIN)/python ] || "$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@compgen -G 'eventlog/kafka/_*.so' >/dev/null || echo "Nothing was compiled, so imports are slower. For compiled parts, install a C compiler and Python's headers, then run: rm $(STAMP); make setup" >&2
	touch $(STAMP)

.PHONY: shell
shell: setup ## Start your shell with .venv/bin first on the PATH, so that it finds `coordstream`
	@echo "Type exit to leave this shell."; \
	PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" exec "$${SHELL:-bash}"

.PHONY: demo
demo: setup java ## Replay a recorded Samza job on Spark, verify it, query it in SQL, draw a report (under 3 minutes)
	@PATH="$(CURDIR)/$(BIN):$$PATH" ./demo.sh

.PHONY: test
test: setup java ## Run the tests, on real Postgres, Kafka and Spark
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not long" $(PYTEST_OPTIONS)

.PHONY: test-long
test-long: setup java ## Run the long tests: Spark clusters and kills, Samza itself, old brokers, long properties
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m long $(PYTEST_OPTIONS)

.PHONY: test-unit
test-unit: setup ## Run the tests that need no server (under a minute, without Java)
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) tests/unit -m "not long" $(PYTEST_OPTIONS)

.PHONY: test-pages
test-pages: setup chromium ## Run the tests of pages in Chromium; screenshots are kept in build/pages
	$(BIN)/python -m pytest -m browser $(PYTEST_OPTIONS)

.PHONY: test-lowest
test-lowest: java build/lowest/.installed ## Run the tests with the oldest packages that pyproject.toml allows
	build/lowest/bin/python -m pytest $(SIDE_BY_SIDE) $(OLD_WARNINGS) $(OF_THE_LOCK) -m "not long" $(PYTEST_OPTIONS)

build/lowest/.installed: $(STAMP)
	"$(PYTHON)" -m venv --clear build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/lowest/bin/uv pip install --quiet --python build/lowest/bin/python --resolution lowest-direct -e '.[all,dev]'
	touch $@

.PHONY: test-pythons
test-pythons: java $(PYTHONS:%=build/python-%/.installed) ## Run the tests without Kafka and Spark on each Python, and some with them on the newest
	for version in $(PYTHONS); do \
		build/python-$$version/bin/python -m pytest $(SIDE_BY_SIDE) $(OF_THE_LOCK) -m "not long and not kafka and not spark" tests/unit tests/postgres $(PYTEST_OPTIONS) || exit 1; \
	done
	build/python-$(lastword $(PYTHONS))/bin/python -m pytest -q $(SMOKE_TESTS) $(PYTEST_OPTIONS)

# PYENV_VERSION selects the version where pyenv provides it.
build/python-%/.installed: $(STAMP)
	@PYENV_VERSION=$* python$* -c '' 2>/dev/null || { echo "Python $* is not on the PATH. Install it, or select other versions with make test-pythons PYTHONS='3.12 3.13'." >&2; exit 1; }
	PYENV_VERSION=$* python$* -m venv --clear build/python-$*
	build/python-$*/bin/python -m pip install --quiet --disable-pip-version-check -r <(sed '/--hash=/d; s/ \\$$//' requirements.lock)
	build/python-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

.PHONY: test-spark-range
test-spark-range: setup java $(SPARK_RANGE:%=build/spark-%/.installed) ## Run the Spark tests with the oldest PySpark that the extra allows, and the newest
	for version in $(SPARK_RANGE); do \
		build/spark-$$version/bin/python -m pytest -q $(SPARK_WARNINGS) -m "not long" $(SPARK_TESTS) $(PYTEST_OPTIONS) || exit 1; \
	done

# The packages of .venv and this checkout, but another PySpark.
build/spark-%/.installed: $(STAMP)
	$(BIN)/python -m venv --clear build/spark-$*
	build/spark-$*/bin/python -m pip install --quiet --disable-pip-version-check pyspark==$*
	$(BIN)/python -c 'import os, site; print(site.getsitepackages()[0], os.getcwd(), sep="\n")' > \
		"$$(build/spark-$*/bin/python -c 'import site; print(site.getsitepackages()[0])')/packages_of_venv.pth"
	touch $@

.PHONY: sanitize
sanitize: setup ## Run the tests of the compiled parts with the compiler's checks of addresses and undefined behaviour
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	cp -r benchmarks coordstream eventlog hatch_build.py managers migrations projections pyproject.toml spark_jobs tests $(SANITIZED)
	cd $(SANITIZED); CFLAGS='$(SANITIZERS) -g' LDFLAGS='$(SANITIZERS)' $(CURDIR)/$(BIN)/python -c \
		'from hatch_build import *; compile_parts(Path.cwd(), Path.cwd(), WARNINGS)'
	cd $(SANITIZED); LD_PRELOAD="$$(cc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		$(CURDIR)/$(BIN)/python -c 'import os, sys, pytest; del os.environ["LD_PRELOAD"]; sys.exit(pytest.main(sys.argv[1:]))' \
		-q $(COMPILED_TESTS) $(PYTEST_OPTIONS)

.PHONY: torture
torture: setup java ## Run the crash tests at full length (about an hour)
	TEST_TORTURE=1 $(BIN)/python -m pytest -m torture -s -o faulthandler_timeout=3600 $(PYTEST_OPTIONS)

.PHONY: lint
lint: setup ## Check style, types and the import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: setup ## Format the code and apply the linter's fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: golden
golden: setup ## Regenerate the golden schema after a change of tables or relations
	RENEW_GOLDEN=1 $(BIN)/python -m pytest -q tests/postgres/migrations/test_revisions.py tests/postgres/coordstream/test_relations.py

.PHONY: docs
docs: setup ## Regenerate docs/relations.md and docs/commands.md after a change of comments, example queries or help
	RENEW_DOCS=1 $(BIN)/python -m pytest -q tests/postgres/documentation/test_relations_page.py tests/unit/documentation/test_commands_page.py

.PHONY: site
site: setup ## Build the documentation's site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The wheel is installed beside what pip chooses today, and runs README's first result.
RELEASED := build/release
.PHONY: release
release: setup ## Build and check the files of a release in dist, with the notes for its tag
	@[ -z "$$(git status --porcelain)" ] || { echo "Commit your changes first: a release is made of a commit." >&2; exit 1; }
	rm -rf dist $(RELEASED)
	COORDSTREAM_COMPILE=1 $(BIN)/python -m build --no-isolation
	PATH="$(CURDIR)/$(BIN):$$PATH" auditwheel repair --wheel-dir dist dist/*-linux_*.whl && rm dist/*-linux_*.whl
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m venv $(RELEASED)
	$(RELEASED)/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo dist/*.whl)[embedded]"
	export COORDSTREAM_HOME="$(CURDIR)/$(RELEASED)/home" PATH="$(CURDIR)/$(RELEASED)/bin:$$PATH"; trap 'coordstream down' EXIT; \
	coordstream --version && awk '/^```/ && shown { exit } shown; /^```sh$$/ { shown = 1 }' README.md | bash -euo pipefail
	awk '/^## / { notes = !found; found = 1 } notes' CHANGELOG.md > dist/NOTES.md
	@echo "dist has the release. Tag it: git tag --annotate --file dist/NOTES.md --cleanup=verbatim v$$($(BIN)/python -c 'import coordstream; print(coordstream.__version__)')"

.PHONY: bench
bench: setup java ## Run the benchmarks (BENCH_OPTIONS='--only live' for one part)
	$(BIN)/python -m benchmarks $(BENCH_OPTIONS)

.PHONY: lock
lock: ## Regenerate the requirements*.lock from pyproject.toml (UPGRADE=1 for the newest versions)
	@[ -x $(LOCK_TOOLS)/bin/pip-compile ] || { "$(PYTHON)" -m venv $(LOCK_TOOLS) && \
		$(LOCK_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_TOOLS); }
	$(PIP_COMPILE) $(EXTRAS:%=--extra %) --extra dev $(if $(UPGRADE),--upgrade) --output-file requirements.lock pyproject.toml
	$(PIP_COMPILE) $(IMAGE_EXTRAS:%=--extra %) --constraint requirements.lock --output-file requirements-image.lock pyproject.toml
	$(PIP_COMPILE) $(IMAGE_EXTRAS:%=--extra %) --extra spark --constraint requirements.lock --output-file requirements-image-spark.lock pyproject.toml

.PHONY: clean
clean: ## Remove .venv, build output and caches (never a database)
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: java
java:
	@major=$$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1); \
	[ "$${major:-0}" -ge 17 ] || { echo "Spark needs Java 17 or newer on the PATH (found: $${major:-none}). Install a JDK or JRE, for example openjdk-17-jre-headless." >&2; exit 1; }

.PHONY: chromium
chromium:
	@has_chromium() { command -v chromedriver && { command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable; }; }; \
	has_chromium >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium chromium-driver; \
	fi; \
	has_chromium >/dev/null || { echo "The tests of pages need Chromium or Chrome and chromedriver on the PATH. Install them, for example the Debian packages chromium and chromium-driver." >&2; exit 1; }
