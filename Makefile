# Sidewise. `make demo` and `make test` work on a fresh machine with Python 3.11, venv, make and git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.up-to-date
BENCH := .venv-bench
JOBS ?= 2

# Real data for tests that can use them, where they lie beside the checkout; those tests are skipped elsewhere.
ifneq ($(wildcard ../shared/data),)
export SIDEWISE_DATA ?= $(abspath ../shared/data)
endif

.PHONY: help setup parts torch demo test lint types imports pytest docs pictures bench bench-quick bench-sampling bench-collect clean

help:  ## Say what can be made.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(STAMP)  ## Make the environment (nothing to do when it is up to date).

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing what Sidewise needs into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# PyTorch is large, and the tests of what runs on a GPU are the only ones that need it: they are skipped without it.
torch: setup  ## Install PyTorch, for the tests of what runs on a GPU.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[gpu]'

parts:  ## Install the PostgreSQL and the Chromium that tests run on, where that is allowed (PARTS=no: do not).
	@tests/parts/install.sh

demo: setup  ## Rank the answers of a simulated crowd, and write a report.
	@$(BIN)/sidewise rank examples/cakes.csv --out demo-ranking.csv --report demo-report.html --title "Which cake looks better?"
	@echo
	@echo "The report with pictures: demo-report.html (open it in a browser). The ranking as a table: demo-ranking.csv."
	@echo "Try next:"
	@echo "  $(BIN)/sidewise rank examples/cakes.csv --workers --top 10"
	@echo "  $(BIN)/sidewise rank examples/cakes.csv --scale elo --anchor scone"
	@echo "  $(BIN)/sidewise rank examples/cakes.csv --intervals-by bootstrap --unit worker"
	@echo "  $(BIN)/sidewise next examples/cakes.csv --batch 10      and then: sidewise plan --items 40 --target-rmse 0.2"
	@echo "  $(BIN)/sidewise rank --help        and then a file of your own"

test: setup lint types imports pytest  ## Run all checks: ruff, mypy, import-linter, pytest with all examples of the docs.

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

types: setup
	@SIDEWISE_HOME=.mypy_cache/server $(BIN)/mypy  # the types of tables are told by the server's settings

imports: setup
	@$(BIN)/lint-imports --no-cache > .imports.log 2>&1 || (cat .imports.log; exit 1)
	@grep 'Contracts:' .imports.log && rm .imports.log

# One thread of linear algebra in each process: the processes share the cores, and threads that wait for one another
# take many times as long.
pytest: setup parts
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadfile

docs: setup  ## Build the documentation into docs/_build/html.
	@$(BIN)/sphinx-build --fail-on-warning --quiet -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

pictures: setup parts  ## Take the pictures of live collection again that README and docs show.
	@$(BIN)/python docs/pictures/take.py

bench: $(BENCH)/.up-to-date  ## Measure Sidewise beside its peers, in one run (minutes).
	@$(BENCH)/bin/python benchmarks/run.py

bench-quick: $(BENCH)/.up-to-date  ## The same, small.
	@$(BENCH)/bin/python benchmarks/run.py --quick

bench-sampling: setup  ## Measure what it takes to choose pairs, by every strategy, against the number of items.
	@$(BIN)/python benchmarks/sampling.py

bench-collect: setup parts  ## Measure live collection: answers a second, waiting, memory, a campaign with a million answers.
	@$(BIN)/python benchmarks/collect.py

$(BENCH)/.up-to-date: benchmarks/requirements.txt pyproject.toml
	@test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/requirements.txt --editable .
	@touch $@

clean:  ## Remove everything that was made.
	rm -rf $(VENV) $(BENCH) docs/_build demo-report.html demo-ranking.csv .mypy_cache .ruff_cache .pytest_cache .hypothesis test-screenshots
