package web

import (
	"testing"

	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/web/lang"
)

func TestEachReasonAndNoteOfABenchmarkHasWords(t *testing.T) {
	for _, l := range lang.All() {
		for _, r := range bench.Reasons() {
			if l.BenchReason(string(r)) == "" {
				t.Errorf("%s: no words for the reason %q", l.Code(), r)
			}
		}
		for _, n := range bench.Notes() {
			if l.BenchNote(string(n)) == "" {
				t.Errorf("%s: no words for the note %q", l.Code(), n)
			}
		}
		for _, p := range []bench.Phase{bench.PhaseSetup, bench.PhaseCheck, bench.PhaseWarmup, bench.PhaseMeasure} {
			if l.BenchPhase(string(p)) == "" {
				t.Errorf("%s: no words for the phase %q", l.Code(), p)
			}
		}
	}
}
