package store_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// noticesOf are the mails of a template, as "name@minutes".
func noticesOf(t *testing.T, s *store.Store, template string) (found []string) {
	t.Helper()
	due, err := s.DueMail(ctx, 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range due {
		if m.Template == template {
			found = append(found, m.Data["name"]+"@"+m.Data["minutes"])
		}
	}
	return found
}

// eventsOf counts an instance's events of a kind.
func eventsOf(t *testing.T, s *store.Store, id, kind string) (n int) {
	t.Helper()
	events, err := s.InstanceEvents(ctx, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func give(t *testing.T, s *store.Store, want int) {
	t.Helper()
	if n, err := s.GiveNotices(ctx); err != nil || n != want {
		t.Errorf("%d notices, want %d; %v", n, want, err)
	}
}

func TestAHardEndThatAReservationSetsIsToldAt60And15And5Minutes(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{Name: "work", GPUCount: 4})
	running(t, s, i, clock.Now())
	start := clock.Now().Add(2 * time.Hour)
	reserve(t, s, seed, 1, start, start.Add(time.Hour))
	give(t, s, 0)
	for _, c := range []struct {
		before time.Duration
		given  int
	}{{61 * time.Minute, 0}, {60 * time.Minute, 2}, {59 * time.Minute, 0}, {15 * time.Minute, 1}, {14 * time.Minute, 0}, {5 * time.Minute, 1}, {time.Second, 0}, {0, 0}} {
		clock.Set(start.Add(-c.before))
		give(t, s, c.given) // at 60 minutes the reservation's own begins too
		give(t, s, 0)
	}
	if got := strings.Join(noticesOf(t, s, "instance_ends_soon"), " "); got != "work@60 work@15 work@5" {
		t.Errorf("mails: %s", got)
	}
	if n := eventsOf(t, s, i.ID, "ends_soon"); n != 3 {
		t.Errorf("%d events", n)
	}
	if due, err := s.DueEnds(ctx); err != nil || len(due) != 1 {
		t.Errorf("%d end at their hard end, %v", len(due), err)
	}
}

// However often, and wherever in its work, whoever looks is killed: each notice is given once, none is lost.
func TestNoticesAreGivenOnceUnderKillsAtRandomMoments(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{Name: "work", GPUCount: 4})
	running(t, s, i, clock.Now())
	start := clock.Now().Add(90 * time.Minute)
	r := reserve(t, s, seed, 1, start, start.Add(4*time.Hour))
	draw := rand.New(rand.NewPCG(7, 11))
	for clock.Now().Before(r.End) {
		clock.Advance(time.Duration(20+draw.IntN(200)) * time.Second)
		if draw.IntN(3) == 0 { // another process looks, of one that was killed nothing is left but the file
			s = storetest.OpenDir(t, dir, clock)
		}
		if _, err := s.GiveNotices(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for template, want := range map[string]string{"instance_ends_soon": "work@60 work@15 work@5", "reservation_starts_soon": r.Name + "@60", "reservation_ends_soon": r.Name + "@60"} {
		if got := strings.Join(noticesOf(t, s, template), " "); got != want {
			t.Errorf("%s: %s, want %s", template, got, want)
		}
	}
}

func TestWhatCameDueWhileNobodyLookedIsToldInOneNotice(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i := rent(t, s, seed, store.RentRequest{Name: "work", GPUCount: 4})
	running(t, s, i, clock.Now())
	start := clock.Now().Add(2 * time.Hour)
	reserve(t, s, seed, 1, start, start.Add(time.Hour))
	clock.Set(start.Add(-10 * time.Minute))
	give(t, s, 2)
	give(t, s, 0)
	if got := strings.Join(noticesOf(t, s, "instance_ends_soon"), " "); got != "work@15" {
		t.Errorf("mails: %s", got)
	}
}

// L9: there is one stop time, and whoever moves it is told.
func TestAnEndThatIsMovedIsToldOfAgainAndWhatIsKnownIsNot(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	short, long := 30*time.Minute, 3*time.Hour
	a := rent(t, s, seed, store.RentRequest{Name: "short", GPUCount: 1, Duration: &short})
	b := rent(t, s, seed, store.RentRequest{Name: "long", GPUCount: 1, Duration: &long})
	none := rent(t, s, seed, store.RentRequest{Name: "none", GPUCount: 1})
	for _, i := range []store.Instance{a, b, none} {
		running(t, s, i, clock.Now())
	}
	give(t, s, 0) // its person has just asked for half an hour
	clock.Advance(16 * time.Minute)
	give(t, s, 1)
	until := clock.Now().Add(40 * time.Minute)
	if _, err := s.Extend(ctx, b.ID, seed.Member.ID, &until, store.Request{}); err != nil {
		t.Fatal(err)
	}
	give(t, s, 0)
	clock.Set(until.Add(-15 * time.Minute))
	give(t, s, 1)
	until = until.Add(2 * time.Hour)
	if _, err := s.Extend(ctx, b.ID, seed.Member.ID, &until, store.Request{}); err != nil {
		t.Fatal(err)
	}
	clock.Set(until.Add(-15 * time.Minute))
	give(t, s, 1)
	if got := strings.Join(noticesOf(t, s, "instance_ends_soon"), " "); got != "short@15 long@15 long@15" {
		t.Errorf("mails: %s", got)
	}
	if n := eventsOf(t, s, none.ID, "ends_soon"); n != 0 {
		t.Errorf("what has no end is told %d times", n)
	}
}

func TestWhatWasGivenUpIsNotToldOf(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	start := clock.Now().Add(48 * time.Hour)
	a := reserve(t, s, seed, 1, start, start.Add(5*time.Hour))
	b := reserve(t, s, seed, 1, start, start.Add(5*time.Hour))
	if _, err := s.CancelReservation(ctx, a.ID, seed.Member.ID, nil); err != nil {
		t.Fatal(err)
	}
	clock.Set(start.Add(-time.Hour))
	give(t, s, 1)
	clock.Set(start)
	if _, err := s.CancelReservation(ctx, b.ID, seed.Member.ID, nil); err != nil {
		t.Fatal(err)
	}
	clock.Set(start.Add(4 * time.Hour))
	give(t, s, 0)
}
