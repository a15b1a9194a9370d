// Package bench is the benchmark runner and what the console needs to read it. The runner is a process of its own inside an
// instance: it writes one event a line on its output (plan, progress, sample, result, error, done) and may crash, hang or be
// killed at any moment without harm, because the reading side takes whatever lines there are and folds them into a Result.
// It imports the standard library alone. The rule it keeps: a number is only called stable if the method in method.go says
// so, and a kernel that computed wrong never gets a number at all.
package bench

import (
	"errors"
	"fmt"
)

// Backend names who does the computing.
type Backend string

// BackendCPU runs pure-Go kernels; its figures are never compared with a GPU's.
const BackendCPU Backend = "cpu"

// Suite names a set of tests.
type Suite string

const (
	SuiteStream Suite = "stream" // memory bandwidth, GB/s (10⁹ bytes)
	SuiteMatmul Suite = "matmul" // ladder of matrix products, GFLOPS (10⁹ operations a second)
)

// Backends lists what this build can run on.
func Backends() []Backend { return []Backend{BackendCPU} }

// Suites lists what this build can run.
func Suites() []Suite { return []Suite{SuiteStream, SuiteMatmul} }

// Request is what a run is asked for. The same request gives the same sizes and the same data.
type Request struct {
	Suite   Suite
	Backend Backend
	Size    int      // elements of an array (stream), rows of a square matrix (matmul); 0: DefaultSize or what fits
	Seed    int64    // of the data
	Seconds int      // the most the whole run may take; 0: each test takes what it needs, up to testLimit
	GPUs    []string // UUIDs; the CPU back end only repeats them
}

// Limits of a Request; beyond them is a typing mistake rather than a wish.
const (
	maxSeconds     = 24 * 60 * 60
	minStreamSize  = 1 << 10
	maxStreamSize  = 1 << 33
	minMatmulSize  = 16
	maxMatmulSize  = 8192
	maxRequestGPUs = 1024
)

// Validate says what is wrong with a request in words for the person who made it; nil if it can be run.
func (r Request) Validate() error {
	if err := oneOf("suite", r.Suite, Suites()); err != nil {
		return err
	}
	if err := oneOf("backend", r.Backend, Backends()); err != nil {
		return err
	}
	if r.Seconds < 0 || r.Seconds > maxSeconds {
		return fmt.Errorf("seconds must be between 0 and %d", maxSeconds)
	}
	if len(r.GPUs) > maxRequestGPUs {
		return fmt.Errorf("at most %d GPUs can be named", maxRequestGPUs)
	}
	least, most := minStreamSize, maxStreamSize
	if r.Suite == SuiteMatmul {
		least, most = minMatmulSize, maxMatmulSize
	}
	if r.Size != 0 && (r.Size < least || r.Size > most) {
		return fmt.Errorf("size of %s must be between %d and %d, or 0 for the usual one", r.Suite, least, most)
	}
	return nil
}

func oneOf[T ~string](what string, got T, known []T) error {
	for _, k := range known {
		if k == got {
			return nil
		}
	}
	if got == "" {
		return fmt.Errorf("a %s is needed; there is %s", what, list(known))
	}
	return fmt.Errorf("no %s %q; there is %s", what, string(got), list(known))
}

func list[T ~string](known []T) string {
	s := ""
	for i, k := range known {
		if i > 0 {
			s += ", "
		}
		s += string(k)
	}
	return s
}

// errOutput: whoever reads the events has gone; there is nobody left to measure for.
var errOutput = errors.New("events can not be written")
