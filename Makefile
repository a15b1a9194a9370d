# Meterhouse's commands. `make run` needs Go and a C compiler; `make test` installs the rest itself.
# Setting CGO_CFLAGS replaces Go's own -O2 -g, without which SQLite is slow.
export CGO_CFLAGS := -O2 -g -Wno-deprecated-declarations
export CGO_ENABLED := 1
export GOTOOLCHAIN := local

TOOLS := $(CURDIR)/.tools
LISTEN ?= 127.0.0.1:8080
DATA ?= ./data
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: run build test check tools generate bundle fuzz soak gpu-check clean

run: build
	./bin/meterhouse serve --demo --listen $(LISTEN) --data $(DATA)

build:
	@command -v go >/dev/null || { echo "Meterhouse is built with Go 1.26 or later: please install it first."; exit 1; }
	@command -v gcc >/dev/null || command -v cc >/dev/null || { echo "Building SQLite needs a C compiler: please install gcc first."; exit 1; }
	go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/ ./cmd/meterhouse
	@# The runner's vector kernels need an experiment of Go 1.26; where the toolchain has none it is built without them.
	GOEXPERIMENT=simd go build -trimpath -o bin/ ./cmd/gpubench || go build -trimpath -o bin/ ./cmd/gpubench

# Everything that CI runs.
test: tools check
	METERHOUSE_TOOLS=$(TOOLS) go test -race -timeout 20m ./...
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

# The long fault run: 1,000 rents and stops with random kills of the console.
soak: build
	METERHOUSE_RENTS=1000 go test -timeout 60m -run TestThousandRentsWithRandomKills -v ./cmd/meterhouse

# Checks on a machine with a real GPU, as one script.
gpu-check: build
	.ci/gpu-check

clean:
	rm -rf bin .tools
