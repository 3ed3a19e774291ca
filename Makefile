# Assay. The two that matter: `make run` and `make test`; each sets up what is missing and does nothing twice.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

DATA ?= data
# Where `make figures` writes.
FIGURES ?= docs/figures
LISTEN ?= 127.0.0.1:8080
# What the benches run under, for example BENCH_UNDER='nice -n -15' on a machine that is shared.
BENCH_UNDER ?=
# What is tried on a bare machine; see scripts/bare.sh.
TRY ?= all
# What the benches measure, for example ONLY=documents; everything unless said.
ONLY ?=
SECONDS_EACH ?= 30
# Parts of the names of the tests whose snapshots `make snap` writes, for example age_verification::tokens; all unless said.
SNAPSHOT_TESTS ?=
# Tests that run beside each other. Many wait for a browser or a server most of the time.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(nproc))))
# Every target that has tests. There are no examples to test, in comments or in files; `make lint` compiles the files. (`--lib` would
# build the libraries that say they have no tests a second time, as programs that run none.)
TESTED := --workspace --locked --tests
# Runs those of the programs with tests that can meet a database, or with `--not` the others.
ON_DATABASE := scripts/if-on-database.sh

.PHONY: help setup run test test-build test-web test-sqlite test-postgres test-others lint dependencies spelling kernels bare bench ratios record-ratios profiles figures sbom fuzz snap clean

help: ## Show this list
	@awk -F ':.*## ' \
		'/^[a-z-]+:.*## / { targets[++count] = $$1; texts[count] = $$2; if (length($$1) > width) width = length($$1) } \
		END { for (at = 1; at <= count; at++) printf("%-" width "s  %s\n", targets[at], texts[at]) }' $(MAKEFILE_LIST)

setup: ## Install what is missing: system packages, npm packages; build the web pages
	@scripts/system-packages.sh
	@scripts/node-packages.sh
	@scripts/node-packages.sh web
	@$(MAKE) --no-print-directory --silent web/dist/.built
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust (stable)" >&2; exit 1; }

# What the pages are made of; folders too, so that a file that goes is noticed.
web/dist/.built: $(shell find web -mindepth 1 \( -name node_modules -o -path web/dist -o -path web/tests \) -prune -o -print)
	@echo "building the web pages"
	@node web/build.mjs
	@touch $@

run: setup ## Build, import the models and serve with a demo application
	@cargo build --profile light --locked -p assay
	@target/light/assay models import --from models/node_modules --to models/pack
	@mkdir -p -m 700 $(DATA)
	@[ -f $(DATA)/sample-face.jpg ] || target/light/assay sample-face $(DATA)/sample-face.jpg
	@exec target/light/assay serve --dev --data-dir $(DATA) --listen $(LISTEN)

# Pages are tested without the server, so browsers go beside the compiler, which takes what they leave. Of the other tests many
# wait for something, so those on SQLite go beside those on PostgreSQL, and, when one of these is done, those of no database.
test: setup ## Every test on SQLite, and those of the database again on PostgreSQL
	@scripts/system-packages.sh tests
	@$(MAKE) --no-print-directory --jobs=2 test-web test-build
	@target/debug/assay models import --from models/node_modules --to models/pack
	@$(MAKE) --no-print-directory --jobs=2 RUST_TEST_THREADS=$$(((RUST_TEST_THREADS + 1) / 2)) \
		test-sqlite test-postgres test-others

# Without make's jobs, of which the browsers have one: cargo counts the cores itself.
test-build:
	@env -u MAKEFLAGS nice -n 10 cargo test $(TESTED) --no-run

test-web:
	@npm --prefix web --silent test
	@npm --prefix web run --silent test:browser

test-sqlite:
	@cargo --config 'target."cfg(unix)".runner = "$(ON_DATABASE)"' test $(TESTED)

# Those that meet a database, again. Programs are chosen and not crates: a selection of crates would be built with other features,
# which takes longer than it saves. What tries nets (`nets`) or protocols (`protocols`) has programs of its own for that. What
# measures models, walks through pages, and what looks at many pictures and asks the database nothing that others do not ask
# (`_on_sqlite`), need not meet another database either.
test-postgres:
	@scripts/with-postgres.sh cargo --config 'target."cfg(unix)".runner = "$(ON_DATABASE)"' test $(TESTED) \
		-- --skip evaluate:: --skip _in_a_browser --skip image_error_table:: --skip document_attacks:: --skip _on_sqlite

test-others:
	@cargo --config 'target."cfg(unix)".runner = "$(ON_DATABASE) --not"' test $(TESTED)

lint: ## Formatting, clippy, dependencies, web pages, shell scripts, spelling
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets --locked --features assay-fuzz/targets -- -D warnings
	@$(MAKE) --no-print-directory dependencies
	@scripts/node-packages.sh web
	@npm --prefix web run --silent lint
	@scripts/system-packages.sh shell
	@shellcheck scripts/*.sh .ci/run fuzz/*.sh
	@$(MAKE) --no-print-directory spelling

dependencies: ## Hold the lock file to security advisories (RUSTSEC), licences and sources
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	@cargo deny --log-level error check bans licenses sources
	@scripts/advisories.sh

spelling:
	@scripts/system-packages.sh lint
	@scripts/python-packages.sh scripts/lint
	@scripts/lint/.venv/bin/typos

kernels: ## Compare the loops of the face index for ARM (under QEMU) and this processor with the plain ones
	@scripts/kernels.sh

bare: ## Try `make run` and `make test` on a bare Debian in a chroot (as root; TRY="run", TRY="dress test", ...)
	@scripts/system-packages.sh bare
	@scripts/bare.sh $(TRY)

bench: setup ## Measure beside named peers (docs/PERFORMANCE.md), and say what got slower; figures also in target/bench.json
	@scripts/system-packages.sh benches
	@scripts/node-packages.sh benches
	@scripts/python-packages.sh benches
	@scripts/python-packages.sh benches/readers
	@cargo build --release --locked -p assay -p assay-benches
	@target/release/assay models import --from models/node_modules --to models/pack
	@$(BENCH_UNDER) target/release/bench --json target/bench.json --baseline benches/published.json $(addprefix --only ,$(ONLY))

# Of what `make test` has built: how fast that is does not matter beside the same work done plainly by the same build.
ratios: ## Compare speed with the bare work in the same run, and both with what is recorded (a minute; after `make test`)
	@target/debug/bench --short --baseline benches/ratios.json --max-slowdown 1.5

record-ratios: ## Record the ratios of this commit, where they changed for a reason
	@target/debug/bench --short --json benches/ratios.json

# Frames need the symbols, which `light` keeps; which lines they are on is not drawn.
profiles: setup ## Draw a flame graph of each interface into docs/profiles/ (as root, or with perf allowed)
	@cargo build --profile light --locked -p assay
	@target/light/assay models import --from models/node_modules --to models/pack
	@scripts/profiles.sh

figures: setup ## Draw the figures of docs/ACCURACY.md from labelled pictures (DATA=folder; scripts/figures.sh says what is in it)
	@cargo build --profile light --locked -p assay
	@target/light/assay models import --from models/node_modules --to models/pack
	@scripts/figures.sh $(DATA) $(FIGURES)

sbom: ## Write what a build consists of to target/sbom (CycloneDX)
	@scripts/sbom.sh

fuzz: ## A short run of every fuzz target (SECONDS_EACH=30)
	@fuzz/run.sh $(SECONDS_EACH)

snap: ## Accept what the interfaces answer now: openapi/ and the snapshots of answers; then read the diff
	@scripts/snap.sh $(SNAPSHOT_TESTS)

clean: ## Remove everything that was built or installed here
	@rm -rf target fuzz/target fuzz/corpus models/node_modules models/pack benches/node_modules benches/.venv web/node_modules web/tools/node_modules web/dist scripts/lint/.venv
