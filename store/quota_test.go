package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func setQuota(t *testing.T, s *store.Store, n store.NewQuota) store.Quota {
	t.Helper()
	q, err := s.SetQuota(ctx, "", n)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func addPerson(t *testing.T, s *store.Store, name string, role store.Role, team string) store.Person {
	t.Helper()
	p, err := s.AddPerson(ctx, store.NewPerson{Name: name, Email: name + "@example.org", Role: role, Team: team})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// L18: of 64 who ask at once no more get GPUs than the limit, and the others are told whose it is and who can raise it.
func TestALimitIsNeverExceeded(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	q := setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, Kind: quota.GPUs, Limit: 3000})
	var wg sync.WaitGroup
	var mu sync.Mutex
	got, refused := 0, 0
	for k := range 64 {
		wg.Go(func() {
			who := []string{seed.Member.ID, seed.Admin.ID}[k%2]
			_, _, err := s.Rent(ctx, store.RentRequest{PersonID: who, GPUCount: 1, Queue: k%4 == 0})
			mu.Lock()
			defer mu.Unlock()
			switch store.KindOf(err) {
			case "":
				got++
			case store.QuotaBlocks:
				refused++
			default:
				t.Errorf("rent: %v", err)
			}
		})
	}
	wg.Wait()
	live, _, err := s.Instances(ctx, store.Filter{States: []life.State{life.Starting}})
	if err != nil || len(live) != 3 {
		t.Errorf("%d got a GPU of 3 (%v)", len(live), err)
	}
	if got+refused != 64 || refused < 45 {
		t.Errorf("%d were taken, %d refused", got, refused)
	}
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Errorf("placed %d beyond the limit, %v", n, err)
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	if e := kind(t, err, store.QuotaBlocks, ""); e.Message != "quota_gpus" || e.Args["whose"] != "research" || e.Args["used"] != "3" || e.Args["limit"] != "3" || e.Args["would"] != "4" ||
		e.Args["raised_by"] != "admin" || e.Args["quota"] != q.ID {
		t.Errorf("%+v", e)
	}
	if q, err = s.Quota(ctx, q.ID); err != nil || q.Used != 3000 {
		t.Errorf("used: %+v %v", q, err)
	}
}

func TestEachKindOfLimitSaysWhatIsInTheWay(t *testing.T) {
	hour, day := time.Hour, 24*time.Hour
	night := store.QuotaWeek{}.With(time.Monday, 20, 24)
	for _, c := range []struct {
		name    string
		quotas  []store.NewQuota
		r       store.RentRequest
		message store.Key // "": let in
	}{
		{"no more than the limit", []store.NewQuota{{Kind: quota.GPUs, Limit: 2000}, {Kind: quota.Instances, Limit: 1}}, store.RentRequest{GPUCount: 2}, ""},
		{"none at all", []store.NewQuota{{Kind: quota.Instances}}, store.RentRequest{CPUOnly: true}, "quota_instances"},
		{"GPUs of another pool", []store.NewQuota{{Kind: quota.GPUs, PoolID: "its"}}, store.RentRequest{CPUOnly: true}, ""},
		{"the rate", []store.NewQuota{{Kind: quota.Rate, Limit: 1_999_999}}, store.RentRequest{GPUCount: 1}, "quota_rate"},
		{"just the rate", []store.NewQuota{{Kind: quota.Rate, Limit: 2_000_000}}, store.RentRequest{GPUCount: 1}, ""},
		{"the term", []store.NewQuota{{Kind: quota.Term, Limit: 3600}}, store.RentRequest{GPUCount: 1, Duration: &day}, "quota_term"},
		{"just the term", []store.NewQuota{{Kind: quota.Term, Limit: 3600}}, store.RentRequest{GPUCount: 1, Duration: &hour}, ""},
		{"no end", []store.NewQuota{{Kind: quota.Term, Limit: 3600}}, store.RentRequest{GPUCount: 1}, "quota_term_open"},
		{"spot only", []store.NewQuota{{Kind: quota.SpotOnly}}, store.RentRequest{GPUCount: 1}, "quota_spot_only"},
		{"spot is spot", []store.NewQuota{{Kind: quota.SpotOnly}, {Kind: quota.Hours}}, store.RentRequest{GPUCount: 1, Kind: store.Spot}, ""},
		{"not at this hour", []store.NewQuota{{Kind: quota.Hours, Hours: night}}, store.RentRequest{GPUCount: 1}, "quota_hours"},
		{"at no hour", []store.NewQuota{{Kind: quota.Hours}}, store.RentRequest{GPUCount: 1, Queue: true}, "quota_hours_never"},
		{"more than the limit never waits", []store.NewQuota{{Kind: quota.GPUs, Limit: 1000}}, store.RentRequest{GPUCount: 2, Queue: true}, "quota_gpus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := storetest.Open(t)
			seed := storetest.SeedQuick(t, s)
			storetest.Price(t, s, "a100-sxm4-80gb-x1", 2_000_000)
			for _, n := range c.quotas {
				n.TeamID, n.PersonID = seed.Team.ID, seed.Member.ID
				if n.PoolID != "" {
					n.PoolID = poolOf(t, s)
				}
				setQuota(t, s, n)
			}
			c.r.PersonID = seed.Member.ID
			_, _, err := s.Rent(ctx, c.r)
			if c.message == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if e := kind(t, err, store.QuotaBlocks, ""); e.Message != c.message || e.Args["whose"] != "member" {
				t.Errorf("%+v", e)
			}
		})
	}
}

func poolOf(t *testing.T, s *store.Store) string {
	t.Helper()
	gpus, err := s.GPUs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return gpus[0].PoolID
}

// What waits for a quota alone is passed by, says so, and starts when less is used.
func TestAQuotaKeepsWaitingAndBlocksNobodyElse(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: 1000})
	first := rent(t, s, seed, store.RentRequest{GPUCount: 1})
	waits := rent(t, s, seed, store.RentRequest{GPUCount: 1, Queue: true})
	if waits.State != life.Queued {
		t.Fatalf("it is %s", waits.State)
	}
	if i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Admin.ID, GPUCount: 1}); err != nil || i.State != life.Starting {
		t.Errorf("somebody else: %s %v", i.State, err)
	}
	q, at, err := s.QueueOf(ctx, waits.ID)
	if err != nil || q.Waiting[at].Reason != store.WaitsForQuota {
		t.Errorf("it waits for %+v %v", q.Waiting, err)
	}
	if n, err := s.PlaceQueued(ctx); err != nil || n != 0 {
		t.Errorf("placed %d, %v", n, err)
	}
	running(t, s, first, clock.Now())
	clock.Advance(time.Minute)
	if _, err := s.RequestStop(ctx, first.ID, seed.Member.ID, "by_person"); err != nil {
		t.Fatal(err)
	}
	ended(t, s, first, store.End{})
	if n, err := s.PlaceQueued(ctx); err != nil || n != 1 {
		t.Errorf("placed %d, %v", n, err)
	}
}

func TestWhatIsReservedCountsWhenItBegins(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: 2000})
	tomorrow := clock.Now().Add(24 * time.Hour)
	reserve := func(from time.Time, count int) error {
		_, err := s.Reserve(ctx, store.NewReservation{PersonID: seed.Member.ID, GPUCount: count, Start: from, End: from.Add(4 * time.Hour)})
		return err
	}
	if err := reserve(tomorrow, 2); err != nil {
		t.Fatal(err)
	}
	if e := kind(t, reserve(tomorrow.Add(time.Hour), 1), store.QuotaBlocks, ""); e.Message != "quota_gpus_later" || e.Args["used"] != "2" {
		t.Errorf("overlapping: %+v", e)
	}
	if err := reserve(tomorrow.Add(4*time.Hour), 1); err != nil {
		t.Errorf("after it: %v", err)
	}
	_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, GPUs: []string{seed.GPUs[3].UUID}})
	if e := kind(t, err, store.QuotaBlocks, ""); e.Message != "quota_gpus_later" {
		t.Errorf("without an end: %+v", e)
	}
	hours := 3 * time.Hour
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &hours})
	until := tomorrow.Add(time.Hour)
	_, err = s.Extend(ctx, i.ID, seed.Member.ID, &until, store.Request{})
	kind(t, err, store.QuotaBlocks, "")
	until = tomorrow
	if _, err = s.Extend(ctx, i.ID, seed.Member.ID, &until, store.Request{}); err != nil {
		t.Errorf("up to it: %v", err)
	}
	clock.Set(tomorrow)
	if _, err := s.RequestStop(ctx, i.ID, "", "hard_end"); err != nil {
		t.Fatal(err)
	}
	ended(t, s, i, store.End{})
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 2, Kind: store.Reserved}); err != nil {
		t.Errorf("within the reservation: %v", err)
	}
}

func TestATermHoldsForWhatIsExtendedToo(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, Kind: quota.Term, Limit: 4 * 3600})
	hour := time.Hour
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &hour})
	running(t, s, i, clock.Now())
	_, err := s.Extend(ctx, i.ID, seed.Member.ID, nil, store.Request{})
	if e := kind(t, err, store.QuotaBlocks, ""); e.Message != "quota_term_open" {
		t.Errorf("%+v", e)
	}
	until := clock.Now().Add(4*time.Hour + time.Second)
	_, err = s.Extend(ctx, i.ID, seed.Member.ID, &until, store.Request{})
	kind(t, err, store.QuotaBlocks, "")
	until = clock.Now().Add(4 * time.Hour)
	if _, err = s.Extend(ctx, i.ID, seed.Member.ID, &until, store.Request{}); err != nil {
		t.Errorf("just the term: %v", err)
	}
	setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, Kind: quota.Term, Limit: 3600})
	until = clock.Now().Add(2 * time.Hour)
	if _, err = s.Extend(ctx, i.ID, seed.Member.ID, &until, store.Request{}); err != nil {
		t.Errorf("what gets shorter: %v", err)
	}
}
