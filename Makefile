# Everything goes into .venv and target, but for Debian's packages (scripts/setup.sh). It takes cargo,
# python3 (3.11 or later) and make.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: build reproduce test test-all bench fuzz clean
# First what the machine lacks, then the build, then what runs.
.NOTPARALLEL:

setup-%:
	@PYTHON=$(PYTHON) scripts/setup.sh $*

# Python compiles what it imports when it first does; pip would compile seven thousand modules.
export PIP_COMPILE := 0

INSTALL := env VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --quiet
DEV := --extras dev

build: setup-build $(BIN)/maturin
	$(INSTALL) $(DEV) --release >/dev/null

$(BIN)/maturin: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet 'maturin>=1.9,<2'
	touch $@

reproduce: setup-reproduce $(BIN)/maturin
	$(INSTALL) --extras quic --release >/dev/null
	$(BIN)/thinpipe reproduce

# The dev profile has all assertions on, and shares its crates with `cargo test`. Tests keep Python's
# compiled modules in target/pycache (scripts/test.py).
test: setup-test $(BIN)/maturin
	$(BIN)/python scripts/test.py $(INSTALL) $(DEV) --profile dev

test-all: setup-test $(BIN)/maturin
	$(BIN)/python scripts/test.py --all $(INSTALL) $(DEV) --release

bench: build
	$(BIN)/python benches/bench.py

# Arbitrary bytes for what reads packets, one target after the other (fuzz/README.md).
FUZZ_SECONDS ?= 600
fuzz: .venv/cargo-fuzz/bin/cargo-fuzz
	for target in frames parse proxy scenario world; do \
		mkdir -p fuzz/target/corpus/$$target && \
		RUSTC_BOOTSTRAP=1 PATH="$(CURDIR)/.venv/cargo-fuzz/bin:$$PATH" cargo fuzz run $$target \
			fuzz/target/corpus/$$target fuzz/corpus/$$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

.venv/cargo-fuzz/bin/cargo-fuzz:
	cargo install cargo-fuzz@0.13.2 --locked --quiet --root .venv/cargo-fuzz

clean:
	rm -rf .venv out target fuzz/target
