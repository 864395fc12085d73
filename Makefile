# Everything goes into .venv and target; cargo, python3 (3.11 or later) and make are all it takes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: build reproduce test test-all bench clean

build: $(BIN)/maturin
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --release --extras dev --quiet >/dev/null

$(BIN)/maturin: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'
	touch $@

reproduce: build
	$(BIN)/thinpipe reproduce

test: build
	$(BIN)/python scripts/test.py

test-all: build
	$(BIN)/python scripts/test.py --all

bench: build
	$(BIN)/python benches/bench.py

clean:
	rm -rf .venv out target
