# Astrolabe: one command for each habit. "make help" lists them.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
# The race detector needs a C compiler; without one the tests run without it.
RACE := $(if $(shell command -v gcc),-race)
# By default, the race detector waits for a second at the end of every package.
export GORACE ?= atexit_sleep_ms=100
# Packages of which the race detector runs only those tests that do several things at the same time: the largest ones, and
# those that start goroutines in single tests. A test of the root package holds that those that start goroutines are among them.
RACED_IN := ./jobs/index ./rest ./graph ./jobs/fsck ./repo/index ./repo/onchain ./repo/privacy ./jobs/materialise ./jobs/summaries ./starknet/abi
RACED_TESTS := Concurrent|Process|Flood|Identical|Cached|Stream|Subscri|Socket|Schedul|Disconnected|Shutdown|Upload|AtOnce|Leader|Lease|FailedTurn|LoadsHistory|ReorgIsUndone|Upstreams|StopStores|Quorum|Notifications|RateLimited|CatchingUp|Announced|ItsState|WithinOnePoll|EqualsItsNode|RewriteWaits|BeginsAnEpoch|Listeners
# Packages that the race detector never runs, the longest first: those that run the Cairo compiler, which takes minutes under
# it; the sandbox, whose limits leave no memory for it; those whose concurrent parts are raced elsewhere (the program, the
# pages and the oracle in the packages that they consist of, the simulated node in the tests that index it); and the pace
# of calls, which is simulated for hours and raced in node.
NEVER_RACED := ./cmd/... ./toolchain/... ./sandbox/... ./sim/... ./oracle/... ./web/... ./node/pace
# Packages that are tested without the race detector: also those of which neither the code nor a test starts a goroutine.
UNRACED := $(NEVER_RACED) $(RACED_IN) ./starknet ./starknet/commitment ./strictjson ./domain/address ./domain/event ./domain/facts ./domain/integrity ./domain/privacy ./domain/verify/archive ./domain/verify/receipt ./domain/verify/source ./domain/verify/transparency ./jobs/census ./jobs/markets ./jobs/metadata ./jobs/privacy ./jobs/rederive ./jobs/repair ./jobs/retain ./repo/addresses ./repo/events ./repo/model ./repo/tokens ./rest/openapi/...
RACED = $$($(GO) list ./... | grep -vxF "$$($(GO) list $(UNRACED))")
SOURCES := $(shell find . -name '*.go' -not -path './web/node_modules/*' -not -path './clients/*') $(shell find web/dist repo/migrations rest -type f)

.DEFAULT_GOAL := help
.PHONY: help build release run test test-clients soak lint fmt generate web check-generated fuzz bench bench-frame bench-facades bench-starknet bench-index bench-auth bench-graphql bench-gateway bench-rest bench-privacy postgres clean

help: ## List every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: bin/astrolabe ## Build bin/astrolabe

bin/astrolabe: go.mod go.sum $(SOURCES)
	$(GO) build -ldflags "-X main.release=$(VERSION)" -o $@ ./cmd/astrolabe

release: bin/cyclonedx-gomod ## Build what is published: static programs for Linux and macOS, SBOM and checksums, into bin/release
	VERSION=$(VERSION) scripts/release

run: ## Build and start everything, without configuration
	@$(MAKE) --no-print-directory -j2 build postgres
	bin/astrolabe up

test: postgres ## Run every test
	$(GO) test -timeout 20m $(filter-out $(RACED_IN),$(UNRACED))
	$(GO) test -timeout 20m -skip '$(RACED_TESTS)' $(RACED_IN)
	$(GO) test $(RACE) -timeout 20m -run '$(RACED_TESTS)' $(RACED_IN)
	$(GO) test $(RACE) -timeout 20m $(RACED)

test-clients: build postgres ## Run third-party clients and linters against the program
	scripts/test-clients

soak: postgres ## Run the long crash and consistency tests
	ASTROLABE_SOAK=1 $(GO) test -count=1 -timeout 6h $(UNRACED)
	ASTROLABE_SOAK=1 $(GO) test $(RACE) -count=1 -timeout 6h -run '$(RACED_TESTS)' $(RACED_IN)
	ASTROLABE_SOAK=1 ASTROLABE_CHAOS=300 $(GO) test $(RACE) -count=1 -timeout 6h $(RACED) ./cmd/...

lint: bin/golangci-lint ## Run the linters
	$(GO) mod tidy -diff
	bin/golangci-lint run ./...

# The tools are a module of their own, so that their dependencies are not ours.
bin/golangci-lint: tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/cyclonedx-gomod: tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

fmt: ## Format the code
	gofmt -w $(shell git ls-files '*.go')

generate: ## Regenerate all generated files
	$(GO) generate ./...

web: ## Rebuild the embedded web pages (needs Node)
	cd web && npm ci --silent --no-fund --no-audit && npm run --silent build

check-generated: generate web ## Fail if generated files are out of date
	@git diff --exit-code --stat -- . || { echo "generated files are not current: run make generate and commit"; exit 1; }

FUZZTIME ?= 20s
fuzz: ## Run every fuzz test for FUZZTIME
	scripts/fuzz $(FUZZTIME)

bench: bench-frame bench-facades bench-starknet bench-index bench-auth bench-graphql bench-gateway bench-rest bench-privacy ## Run every benchmark

bench-frame: build postgres ## Measure startup time and idle memory, into docs/bench/frame.txt
	scripts/bench-frame | tee docs/bench/frame.txt

bench-facades: build postgres ## Compare REST and GraphQL with bare handlers, into docs/bench/facades.txt
	scripts/bench-facades | tee docs/bench/facades.txt

bench-starknet: build ## Compare hashes and decoding with starknet.go, into docs/bench/starknet.txt
	scripts/bench-starknet | tee docs/bench/starknet.txt

bench-index: build postgres ## Compare indexing with psql's copy and the commit BENCH_BASE, at the sizes in BENCH_EVENTS, into docs/bench/index.txt
	scripts/bench-index | tee docs/bench/index.txt

bench-auth: build postgres ## Measure the cost of a key and a rate limit per request, into docs/bench/auth.txt
	scripts/bench-auth | tee docs/bench/auth.txt

bench-graphql: build postgres ## Compare GraphQL with PostGraphile and REST, into docs/bench/graphql.txt (needs Node)
	scripts/bench-graphql | tee docs/bench/graphql.txt

bench-gateway: build postgres ## Compare the JSON-RPC gateway with nginx, into docs/bench/gateway.txt (needs nginx)
	scripts/bench-gateway | tee docs/bench/gateway.txt

bench-privacy: build postgres ## Measure reads of privacy pools and their ledger at the sizes in BENCH_EVENTS, into docs/bench/privacy.txt
	scripts/bench-privacy | tee docs/bench/privacy.txt

bench-rest: build postgres ## Compare REST reads with pgbench, a bare handler and the commit BENCH_BASE, at the sizes in BENCH_EVENTS, into docs/bench/rest.txt
	scripts/bench-rest | tee docs/bench/rest.txt

postgres: ## Install the Postgres server if it is missing
	@scripts/postgres

clean: ## Remove build output
	rm -rf bin
