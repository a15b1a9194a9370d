package store_test

import (
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestWhoHasAFaultyGPUIsToldOnce(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	running(t, s, i, clock.Now())
	for _, g := range seed.GPUs { // one of them is in use
		for range 2 {
			for _, state := range []string{store.GPUFenced, store.GPUWatch} {
				if err := s.SetGPUState(ctx, g.UUID, state, "Xid 79"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if m := mails(t, s, "gpu_fault"); len(m) != 1 || m[0].To != seed.Member.Email || m[0].Data["gpu"] != i.GPUs[0] || m[0].Data["fault"] != "fenced" || m[0].Data["detail"] != "Xid 79" {
		t.Errorf("%+v", m)
	}
}
