package store_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// What a team has booked does not become cheaper by releasing it and renting the same GPU as spot.
func TestNoTeamPaysLessForWhatItReservedByRentingItAgainAsSpot(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   store.InstanceKind
		others bool
		refund int64
		after  time.Duration // when it ends; 0: with the reservation
		end    store.End
	}{
		{"its own spot", store.Spot, false, 0, 0, store.End{}},
		{"its own on demand", store.OnDemand, false, 20_000_000, 0, store.End{}},
		{"others' spot", store.Spot, true, 20_000_000, 0, store.End{}},
		{"others on demand", store.OnDemand, true, 20_000_000, 0, store.End{}},
		{"others for an hour", store.OnDemand, true, 2_500_000, time.Hour, store.End{}},
		{"others, at no cost", store.OnDemand, true, 0, 30 * time.Second, store.End{Failed: true, HostFault: true, Reason: "node_lost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, clock := storetest.Open(t)
			seed := storetest.SeedQuick(t, s)
			storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_500_000)
			start := clock.Now().Add(time.Hour)
			r := reserve(t, s, seed, 1, start, start.Add(10*time.Hour), seed.GPUs[0].UUID)
			clock.Set(start.Add(2 * time.Hour))
			if _, err := s.CancelReservation(ctx, r.ID, seed.Member.ID, nil); err != nil {
				t.Fatal(err)
			}
			want := store.RentRequest{Kind: c.kind, GPUCount: 1, GPUs: []string{seed.GPUs[0].UUID}}
			if c.others {
				other, err := s.AddPerson(ctx, store.NewPerson{Name: "other", Email: "other@example.org", Role: store.Member, Team: "others"})
				if err != nil {
					t.Fatal(err)
				}
				want.PersonID = other.ID
			}
			i := rent(t, s, seed, want)
			running(t, s, i, clock.Now())
			clock.Advance(cmp.Or(c.after, 8*time.Hour))
			ended(t, s, i, c.end)
			clock.Set(r.End.Add(time.Hour))
			if _, err := s.PostDue(ctx); err != nil {
				t.Fatal(err)
			}
			r, err := s.Reservation(ctx, r.ID)
			if err != nil || r.RefundMicros != c.refund || r.CostMicros != r.TotalMicros-c.refund {
				t.Errorf("%+v, %v", r, err)
			}
			if i, err = s.Instance(ctx, i.ID); err != nil {
				t.Fatal(err)
			}
			holds(t, s, r.CostMicros+i.CostMicros)
		})
	}
}
