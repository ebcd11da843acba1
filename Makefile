# Every routine task of Dugout. Bare `make` prints them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TEST_WORKERS ?= 2
TYPES := $(wildcard engine/*.pxd)
# Python that is compiled as it stands has a .pxd beside it.
COMPILED := $(wildcard $(TYPES:.pxd=.py))
NATIVE := $(wildcard engine/*.pyx engine/*.h) $(TYPES) $(COMPILED)
PROTO_OUT ?= .
WORDS_OUT ?= service/words/locale

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.PHONY: help demo test serve lint proto baseline words docs bench differential golden plain clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(INSTALLED) ## Play one hand of Baseball against a real server and print it
	$(BIN)/dugout demo $(ARGS)

test: $(INSTALLED) ## Run the whole test suite (for pytest: ARGS='-k pots'; LONG=1: 100,000 hostile requests and shuffles, 2,000 hands searched for leaks, 1,000 tables' lives)
	$(if $(LONG),DUGOUT_LONG=1) $(BIN)/pytest -n $(TEST_WORKERS) --dist loadfile $(ARGS)

serve: $(INSTALLED) ## Serve on 127.0.0.1:50051 with a throw-away store and key (more arguments: ARGS='--port 0')
	$(BIN)/dugout serve --dev $(ARGS)

lint: $(INSTALLED) ## Check format, style, types, the extensions' stubs, import rules and the API definition
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/stubtest --mypy-config-file pyproject.toml engine.evaluator engine.odds_kernel
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf breaking --against proto/baseline.binpb
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml

proto: $(INSTALLED) ## Generate the Python code of proto/stud/v1/stud.proto
	$(BIN)/python -m grpc_tools.protoc -I . \
		--plugin=$(BIN)/protoc-gen-mypy --plugin=$(BIN)/protoc-gen-mypy_grpc \
		--python_out=$(PROTO_OUT) --grpc_python_out=$(PROTO_OUT) \
		--mypy_out=$(PROTO_OUT) --mypy_grpc_out=$(PROTO_OUT) proto/stud/v1/stud.proto

baseline: $(INSTALLED) ## Take the API as it is now for what later changes must not break
	$(BIN)/buf build --exclude-source-info -o proto/baseline.binpb

words: $(INSTALLED) ## Bring the catalogues of the languages up to date with the messages in the source
	$(BIN)/python docs/catalogues.py $(WORDS_OUT)

docs: $(INSTALLED) ## Write the tables of docs/rules.md anew from the knobs and the games
	$(BIN)/python docs/tables.py

bench: $(INSTALLED) ## Measure the evaluator, the engine (hands per second) and the service (actions per second, latency)
	$(BIN)/dugout bench evaluator
	$(BIN)/dugout bench service
	$(BIN)/dugout simulate --profile baseball --players 6 --hands 5000 --seed 1
	$(BIN)/dugout loadtest --tables 200 --duration 30s

differential: $(INSTALLED) ## Play random stud hands in PokerKit too and compare everything (ARGS='--hands 20000 --seed 1')
	$(BIN)/python -m tests.differential $(ARGS)

golden: $(INSTALLED) ## Record what play comes to anew, and why: ARGS='--reason "…"'
	$(BIN)/python -m tests.golden $(ARGS)

plain: ## Remove what was compiled from engine/*.py, so that a debugger sees the Python; the next make compiles again
	rm -f $(COMPILED:.py=.c) $(wildcard $(COMPILED:.py=.*.so)) $(INSTALLED)

clean: ## Remove what was built and cached; the virtual environment stays
	rm -rf build dist *.egg-info engine/*.c engine/*.so $(INSTALLED)
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find engine service loadtest proto tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The extension is compiled in this environment, not in one that pip makes for itself, so that its
# compiler is the pinned one and that nothing is fetched when only a source has changed.
$(INSTALLED): pyproject.toml constraints.txt $(NATIVE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Dugout needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." \
			"Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; \
		sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || { \
		echo "The C headers of $(PYTHON) are missing: install them (on Debian: python3-dev)." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo "$(PYTHON) cannot make a virtual environment (on Debian: install python3-venv)." >&2; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt setuptools cython
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation -e '.[loadtest,dev]'
	@touch $@
