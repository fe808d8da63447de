# Everything runs in a virtual environment of its own; nothing but Python 3.11+ and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: app test test-all check bench bundles coverage parity reference pictures look clean browser

app: $(VENV)/.app
	$(BIN)/python -m gradtape $(ARGS)

# All but the tests that take long for what they may find; CI has those too, and so has GRADTAPE_THOROUGH=1 (tests/thorough.py).
# Whoever names tests with ARGS gets all of them. A test that fails has two more tries, and is listed as RERUN: it may need a mend, too.
WHOLE := $(BIN)/python -m pytest -n auto --dist worksteal -m 'not ci$(if $(GRADTAPE_THOROUGH),, and not thorough)' --reruns 2 --durations-min 5
test: $(VENV)/.test browser
	$(if $(ARGS),$(BIN)/python -m pytest $(ARGS),$(WHOLE) --durations 30 tests/engine tests/components)
	$(if $(ARGS),,$(WHOLE) --durations 60 tests/browser)

# The suite on every Python from 3.11 on that is installed (noxfile.py).
test-all: $(VENV)/.check
	$(BIN)/python -m nox $(if $(ARGS),-- $(ARGS))

check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

# How much of PyTorch's own databases of operators, modules, optimizers and wrong inputs agrees (needs PyTorch in the environment).
coverage: $(VENV)/.check
	for kind in operators errors modules optimizers; do $(BIN)/python -W ignore -m tests.engine.coverage $$kind || exit 1; done

# Both recorders over the same programs, event by event (needs PyTorch in the environment).
parity: $(VENV)/.test
	$(BIN)/python -W ignore -m tests.engine.pytorch.parity $(ARGS)

# components/*/build, from the frontends' sources; ARGS=--check says whether the committed ones are what comes out.
bundles: $(VENV)/.test
	$(BIN)/python -m tests.bundles $(ARGS)

# assets/compatibility.md, assets/rules.md, and the tables of limits and settings, from the declarations
reference: $(VENV)/.app
	$(BIN)/python -m engine.compat.reference
	$(BIN)/python -m engine.diagnosis.catalogue_page
	$(BIN)/python -m engine.tables

# assets/screenshot.png and assets/pictures, from the page itself
pictures: $(VENV)/.test browser
	$(BIN)/python -m tests.browser.pictures

# A picture of a program in the page: make look ARGS="prog.py --panel Findings -o look.png"
look: $(VENV)/.test browser
	$(BIN)/python -m tests.browser.look $(ARGS)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Gradtape needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[plots]'
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

$(VENV)/.check: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test,check]'
	touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test,bench,jupyter]'
	touch $@

browser: $(VENV)/.test
	$(BIN)/python -m tests.browser.install

clean:
	rm -rf $(VENV) artifacts
