# Every target that a person types, each with its line of help (`make help` prints them).
# Everything is built with --release --locked: one profile, so nothing is compiled twice.

# libtorch, or flex: Burn's pure-Rust backend, with neither LibTorch nor Python
BACKEND = libtorch
# where corpora are, one folder a name; tests that read one are skipped, and say so, without it
CORPORA = ../shared/corpora
CARGO = cargo
# further options for cargo, as --offline
CARGO_FLAGS =

FEATURES_libtorch =
FEATURES_flex = --no-default-features
DEMO_libtorch =
DEMO_flex = --backend flex
WORKSPACE = --locked --workspace $(FEATURES_$(BACKEND)) $(CARGO_FLAGS)
OPTIONS = --release $(WORKSPACE)
PROGRAMS = $${CARGO_TARGET_DIR:-target}/release
TORCH = $${CARGO_TARGET_DIR:-target}/peers-torch/bin/python

# One at a time: a backend has one stream of random numbers a process, and a training is the same again only where no
# other draws from it meanwhile. Jobs have a process each.
ENGINE_TESTS = $(CARGO) test $(OPTIONS) --bin tailgrid-engine -- --test-threads 1

.PHONY: help demo build test test-system test-peers bench lint audit fmt example libtorch ready clean

help: ## print this list
	@echo "usage: make TARGET [BACKEND=libtorch|flex] [CORPORA=DIR]"
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | while read -r target help; do printf '  %-12s %s\n' "$$target" "$$help"; done

demo: build ## get LibTorch, build, run the quickstart grid and render its report
	@$(PROGRAMS)/tailgrid demo $(DEMO_$(BACKEND))

build: ready ## build tailgrid and tailgrid-engine into target/release
	@$(CARGO) build $(OPTIONS)

test: build ## run every test; installs nothing
	@if corpora=$$(cd '$(CORPORA)' 2>/dev/null && pwd); then TAILGRID_CORPORA=$$corpora; export TAILGRID_CORPORA; \
	else echo "make: no corpora in '$(CORPORA)': tests that read one are skipped" >&2; fi; \
	$(CARGO) test $(OPTIONS) --lib --bin tailgrid --test it && $(ENGINE_TESTS)

test-system: build ## run the tests that need more of the system: the report in a real browser, tables in LaTeX, sweeps on Slurm (installs Chromium, TeX and Slurm by apt-get, what drives the browser by npm)
	@scripts/need-chromium
	@scripts/need-playwright
	@scripts/need-tex
	@scripts/need-slurm
	@$(CARGO) test $(OPTIONS) --test it -- --ignored system_

test-peers: build ## compare with seqeval, SeqScore, nervaluate, scipy and others on random inputs and the transformers with transformers on a real checkpoint (installs them by pip under target, 3 GB)
	@scripts/need-peers
	@$(CARGO) test $(OPTIONS) --test it -- --ignored peers_
	@TAILGRID_MINILM=$$(scripts/need-minilm '$(CORPORA)') $(CARGO) test $(OPTIONS) --bin tailgrid-engine -- --ignored --nocapture peers_

bench: build ## measure scoring, models and training beside other libraries, about 25 minutes (installs them by pip under target, 3 GB)
	@scripts/need-peers
	@scripts/need-peers benches/peers/requirements.txt peers-torch
	@$(PROGRAMS)/tailgrid fetch glove-100d minilm
	@TAILGRID_CORPORA=$$(cd '$(CORPORA)' && pwd) $(CARGO) bench $(WORKSPACE) --bench programs
	@$(TORCH) benches/peers/lstm.py $(PROGRAMS)/tailgrid-engine
	@$(TORCH) benches/peers/bert.py $(PROGRAMS)/tailgrid-engine
	@$(TORCH) benches/peers/epochs.py $(PROGRAMS)/tailgrid '$(CORPORA)'
	@python3 benches/heads.py $(PROGRAMS)/tailgrid '$(CORPORA)'

lint: ready ## check formatting, lints and the documentation's links
	@$(CARGO) fmt --check
	@$(CARGO) clippy $(OPTIONS) --all-targets -- -D warnings
	@RUSTDOCFLAGS='-D warnings' $(CARGO) doc $(OPTIONS) --no-deps

audit: ## check dependencies against known advisories (needs cargo-deny, which fetches their list)
	@$(CARGO) deny check advisories

fmt: ## format the code
	@$(CARGO) fmt

example: build ## remake results/example, reports/example and what docs/quickstart.md shows of them from a fresh quickstart run
	@PROGRAM=$(PROGRAMS)/tailgrid scripts/make-example $(DEMO_$(BACKEND))

libtorch: ## get LibTorch and link it as .libtorch
	@scripts/prepare libtorch

ready:
	@scripts/prepare '$(BACKEND)'

clean: ## remove what was built and the link to LibTorch; results and reports stay
	rm -rf target
	if [ -L .libtorch ]; then rm .libtorch; fi
