# Meterhouse's commands. `make run` needs Go and a C compiler; `make test` installs the rest itself.
# Setting CGO_CFLAGS replaces Go's own -O2 -g, without which SQLite is slow.
export CGO_CFLAGS := -O2 -g -Wno-deprecated-declarations
export CGO_ENABLED := 1
export GOTOOLCHAIN := local

TOOLS := $(CURDIR)/.tools
LISTEN ?= $(or $(METERHOUSE_LISTEN),127.0.0.1:8080)
DATA ?= $(or $(METERHOUSE_DATA),./data)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The runner's vector kernels need an experiment of Go 1.26; where the toolchain has none it is built without them.
SIMD := $(shell GOEXPERIMENT=simd go env GOEXPERIMENT 2>/dev/null)

.PHONY: run build console runner test check tools generate bundle fuzz soak bench gpu-check clean

# The console serves as soon as it is built. Benchmarks take the runner from when it lies beside the console; the shell
# becomes the console, so that Ctrl-C and SIGTERM reach it.
run: console
	@{ $(MAKE) -s runner >bin/runner.log 2>&1 || echo "The benchmark runner was not built (see bin/runner.log): benchmarks run on plain Go."; } & \
	exec ./bin/meterhouse serve --demo --listen $(LISTEN) --data $(DATA)

build: console
	@echo "Building the benchmark runner: about half a minute the first time, then seconds."
	@$(MAKE) -s runner

console:
	@command -v go >/dev/null || { echo "Meterhouse is built with Go 1.26 or later: please install it first."; exit 1; }
	@command -v gcc >/dev/null || command -v cc >/dev/null || { echo "Building SQLite needs a C compiler: please install gcc first."; exit 1; }
	@[ -x bin/meterhouse ] || echo "Building the console. The first time this takes about 2 minutes, most of them silent: SQLite is being compiled."
	go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/ ./cmd/meterhouse
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/new/ ./cmd/meterhouse-init && mv bin/new/meterhouse-init bin/ && rmdir bin/new

# Moved into its place whole: a console that runs may start it at any moment.
runner:
	GOEXPERIMENT=$(SIMD) go build -trimpath -o bin/new/ ./cmd/gpubench && mv bin/new/gpubench bin/gpubench && rmdir bin/new

# Everything that CI runs.
test: tools check
	METERHOUSE_TOOLS=$(TOOLS) go test -race -timeout 30m ./...
	@# The runner as it is shipped, with its vector kernels.
	GOEXPERIMENT=simd CGO_ENABLED=0 go test ./gpu/bench

# Lint, vet, formatting, generated files current.
check: tools
	@test -z "$$(gofmt -l cmd gpu store views web static | tee /dev/stderr)" || { echo "these files are not gofmt-ed"; exit 1; }
	go vet ./...
	$(TOOLS)/golangci-lint run
	.ci/generated

tools:
	@.ci/tools

generate:
	go tool templ generate ./views/...

bundle:
	cd cmd/bundle && go run .

# Each fuzz target for a short while; FUZZTIME=10m for longer.
fuzz:
	.ci/fuzz

# The long fault runs: 1,000 rents and stops with random kills of the console, a reclaim with kills in its two minutes, and kills
# while budgets stop what runs, digests are sent and invoices issued.
soak: build
	METERHOUSE_RENTS=1000 METERHOUSE_LONG_TESTS=1 go test -timeout 60m -run "ThroughKills|WithRandomKills" -v ./cmd/meterhouse

# Measured beside peers that do the same work; ONLY=name,name for some. Writes bench.json and fails on nothing.
bench:
	cd cmd/peerbench && go run . -only "$(ONLY)" -out $(CURDIR)/bench.json

# Checks on a machine with a real GPU, as one script.
gpu-check: build
	.ci/gpu-check

clean:
	rm -rf bin .tools
