package fleet

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

// TestTheBillingClockDecidesWhereTheShimsDiffers: the shim reads the machine's clock, which people may change.
func TestTheBillingClockDecidesWhereTheShimsDiffers(t *testing.T) {
	started, proof, now := monday, monday.Add(time.Hour), monday.Add(time.Hour+5*time.Second)
	inst := store.Instance{RequestedAt: started, StartedAt: &started, ProofAt: &proof}
	for _, c := range []struct {
		name  string
		state gpu.State
		alive time.Time
		want  time.Time
		fault bool
	}{
		{"they agree", gpu.State{Phase: gpu.PhaseExited, EndedAt: proof.Add(2 * time.Second)}, time.Time{}, proof.Add(2 * time.Second), false},
		{"the machine's was set back", gpu.State{Phase: gpu.PhaseExited, EndedAt: proof.Add(-30 * time.Minute)}, time.Time{}, proof, false},
		{"the machine's was set forward", gpu.State{Phase: gpu.PhaseExited, EndedAt: proof.Add(3 * time.Hour)}, time.Time{}, now, false},
		{"this console saw it alive since", gpu.State{Phase: gpu.PhaseExited, EndedAt: proof}, proof.Add(4 * time.Second), proof.Add(4 * time.Second), false},
		{"the machine went down", gpu.State{Phase: gpu.PhaseGone, LastProof: proof.Add(time.Second)}, time.Time{}, proof.Add(time.Second), true},
		{"nobody knows when", gpu.State{Phase: gpu.PhaseGone}, time.Time{}, proof, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &machine{common: &common{now: func() time.Time { return now }}}
			if got := m.howItEnded(inst, c.state, c.alive); !got.At.Equal(c.want) || got.HostFault != c.fault {
				t.Errorf("ended at %v (host's fault %v), want %v (%v)", got.At, got.HostFault, c.want, c.fault)
			}
		})
	}
}
