package bench

import (
	"bytes"
	"testing"
	"time"
)

// TestARunThatWouldNotEndInTimeIsNotBegun has kernels of which each run takes long, as on a machine with much other work.
func TestARunThatWouldNotEndInTimeIsNotBegun(t *testing.T) {
	const limit = 6 * time.Second
	for _, each := range []time.Duration{100 * time.Millisecond, 2 * time.Second, 4 * time.Second, 20 * time.Second} {
		clock := &stepClock{at: time.Unix(0, 0)}
		r := &runner{now: clock.now, out: &eventWriter{to: &bytes.Buffer{}}, tests: 1}
		slow := &trial{name: "slow", work: 1, run: func() { clock.at = clock.at.Add(each) }}
		begin := clock.now()
		r.clock(slow) // as the check does: nothing is known before
		r.warmUp(slow, begin, limit)
		samples := r.measure(slow, begin, limit)
		if took := clock.now().Sub(begin); took > max(limit, each) {
			t.Errorf("runs of %v: %v for a limit of %v, %d samples", each, took, limit, len(samples))
		}
	}
}
