package fleet

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// What runs without an end is told that a reservation sets it one, also by a console that was started again, and is stopped
// then, for that reason.
func TestAReservationsBeginIsToldAheadAndStopsWhatRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	i := s.running(store.RentRequest{})
	start := s.clock.Now().Add(2 * time.Hour)
	if _, err := s.store.Reserve(t.Context(), store.NewReservation{PersonID: s.person.ID, GPUs: i.GPUs, Start: start, End: start.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	told := func() (n int) {
		events, err := s.store.InstanceEvents(t.Context(), i.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind == "ends_soon" {
				n++
			}
		}
		return n
	}
	s.clock.Set(start.Add(-time.Hour))
	s.until("the first notice", func() bool { s.fleet.Kick(); return told() == 1 })
	s.drop()
	s.clock.Set(start.Add(-15 * time.Minute))
	s.start()
	s.until("the second", func() bool { return told() == 2 })
	s.clock.Set(start)
	s.fleet.Kick()
	i = s.reaches(i.ID, life.Stopped)
	if i.StopReason != "reservation" || told() != 2 {
		t.Errorf("stopped for %q, told %d times", i.StopReason, told())
	}
}
