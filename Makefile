# The whole process. `make demo` and `make test` work as the first command on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PINS := requirements/dev.txt

LOWEST := .venv-lowest

# Hundreds of processes start during the tests: each would compile what is not written down.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo paper test test-lowest lint types unit quick doctest soundness system bench benchmark-decisions docs pictures tutorial pins clean

demo: $(VENV)/.installed
	$(BIN)/provend demo

# Every table, figure and claim of the paper, recomputed: results/report.html.
paper: $(VENV)/.installed
	$(BIN)/provend paper all --out results/

# Checks that keep one core busy run side by side, then the tests on both.
test: $(VENV)/.installed
	$(MAKE) -j2 -Oline docs types doctest lint
	$(MAKE) unit

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.installed
	$(BIN)/mypy

# With the share of lines that ran: the limit and what it leaves out are in pyproject.toml; what is traced, in tests/conftest.py.
unit: $(VENV)/.installed
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered

# The quick loop: no test that takes more than five seconds alone.
quick: $(VENV)/.installed
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow'

# Docs and docstrings tell the truth, or the build fails; the README is run by tests/test_display.py, without pandas.
doctest: $(VENV)/.installed
	$(BIN)/python -W error -m doctest -o NORMALIZE_WHITESPACE -o ELLIPSIS docs/*.rst
	$(BIN)/pytest -q --doctest-modules src/provend

# The long form of tests/test_end_to_end.py: hundreds of thousands of promises, judged by what the orders cost.
soundness: $(VENV)/.installed
	cd tests && ../$(BIN)/python -m soundness

# The tests with the lowest version of every dependency that pyproject.toml allows. Old versions of scikit-learn hand
# pytest a generator, of which new versions of pytest warn.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/pytest -n 2 --dist worksteal -W 'ignore:Passing a non-Collection iterable'

# Costs of orders beside published ones; DATA is one folder or more with yaz.csv, bakery.parquet, or SID_data.csv and
# SID_target.csv (which have no published costs).
DATA ?= ../shared/data
benchmark-decisions: $(VENV)/.installed
	$(BIN)/python -m benchmarks.decisions $(DATA)

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

docs: $(VENV)/.installed
	$(BIN)/sphinx-build -W -q docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Redraw the figures of README, guides and gallery from the examples (needs Chromium: `make system`).
pictures: $(VENV)/.installed
	$(BIN)/python docs/draw_pictures.py
	$(BIN)/python docs/draw_web.py

# Run the commands of the tutorial and of the README again, and put what they print below them.
tutorial: $(VENV)/.installed
	$(BIN)/python docs/run_commands.py

# Debian packages some tests use, and axe-core; without them those tests are skipped with their reason shown.
AXE := .npm/node_modules/axe-core/axe.min.js
system:
	@missing=$$(command -v chromium >/dev/null || echo chromium; command -v java >/dev/null || echo default-jre-headless; \
	  command -v npm >/dev/null || echo npm); \
	  test -z "$$missing" || (apt-get update && apt-get install -y --no-install-recommends $$missing)
	@test -f $(AXE) || npm install --silent --no-save --ignore-scripts --prefix .npm axe-core@4 \
	  || echo "axe-core could not be fetched: its tests will be skipped"

# Renew the pins after a change of the dependencies in pyproject.toml. Extras stay: pip takes "name[extra]" for unpinned
# as soon as there is a version newer than that of "name".
pins: $(VENV)/.installed
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-strip-extras --no-annotate --extra dev pyproject.toml -o $(PINS)

$(VENV)/.installed: pyproject.toml $(PINS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --require-hashes -r $(PINS)
	$(BIN)/pip install -q --no-deps -e .
	touch $@

$(LOWEST)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install -q uv
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct --no-header --no-annotate \
	  pyproject.toml -o $(LOWEST)/lowest.txt
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST) --constraint $(LOWEST)/lowest.txt -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) .npm artefacts docs/_build docs/gallery .mypy_cache .ruff_cache .pytest_cache
