package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func kindsOf(in store.Inbox) (kinds []string) {
	for _, n := range in.Notices {
		kinds = append(kinds, n.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

func inboxOf(t *testing.T, s *store.Store, p store.Person) store.Inbox {
	t.Helper()
	in, err := s.Inbox(ctx, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func count(t *testing.T, s *store.Store, p store.Person, want int) {
	t.Helper()
	if n, err := s.InboxCount(ctx, p.ID); err != nil || n != want {
		t.Errorf("%s has %d, want %d (%v)", p.Name, n, want, err)
	}
}

// The threshold that no mail tells of, the notices before an end, the stop, and mail that died: each to whom it concerns.
func TestAnInboxHasWhatConcernsItsPerson(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	other := addPerson(t, s, "other", store.Manager, "elsewhere")
	newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 2_000_000, Forecasts: []int{}})
	storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
	hours := 2 * time.Hour
	i := rent(t, s, seed, store.RentRequest{GPUCount: 1, Duration: &hours})
	running(t, s, i, clock.Now())
	clock.Advance(61 * time.Minute)
	checked(t, s, 1)
	if n, err := s.GiveNotices(ctx); err != nil || n != 1 {
		t.Fatalf("%d notices, %v", n, err)
	}
	in := inboxOf(t, s, seed.Member)
	if got := kindsOf(in); !slices.Equal(got, []string{"budget", "instance_ends"}) {
		t.Errorf("the member: %v", got)
	}
	for _, n := range in.Notices {
		if n.Kind == store.InboxBudget && (n.Number != 50 || n.LimitMicros != 2_000_000 || !n.Unread || n.Detail != "actual") {
			t.Errorf("%+v", n)
		}
	}
	if got := kindsOf(inboxOf(t, s, seed.Admin)); !slices.Equal(got, []string{"budget"}) {
		t.Errorf("the admin: %v", got)
	}
	count(t, s, seed.Member, 2)
	count(t, s, other, 0)
	if err := s.ReadInbox(ctx, seed.Member.ID, in.Notices[0].At); err != nil {
		t.Fatal(err)
	}
	count(t, s, seed.Member, 0)
	clock.Advance(time.Minute)
	if _, err := s.RequestStop(ctx, i.ID, "", "hard_end"); err != nil {
		t.Fatal(err)
	}
	ended(t, s, i, store.End{})
	count(t, s, seed.Member, 1)
	if err := s.ReadInbox(ctx, seed.Member.ID, clock.Now().Add(-time.Hour)); err != nil { // an old page
		t.Fatal(err)
	}
	if in = inboxOf(t, s, seed.Member); in.Notices[0].Kind != store.InboxStopped || in.Notices[0].Detail != "hard_end" || !in.Notices[0].Unread || in.Notices[1].Unread {
		t.Errorf("%+v", in.Notices)
	}
	for range 8 {
		clock.Advance(24 * time.Hour)
		due, err := s.DueMail(ctx, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range due {
			if err := s.MailFailed(ctx, m.ID, "refused"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := kindsOf(inboxOf(t, s, seed.Admin)); !slices.Contains(got, "mail_dead") {
		t.Errorf("the admin: %v", got)
	}
	if got := kindsOf(inboxOf(t, s, seed.Member)); slices.Contains(got, "mail_dead") {
		t.Errorf("the member: %v", got)
	}
}

func TestAnInboxHasWhatIsToDecideUntilItIs(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	q := setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, Kind: quota.Instances, Limit: 1})
	r, err := s.AskQuota(ctx, seed.Member.ID, store.NewQuotaRequest{QuotaID: q.ID, Limit: 2, Hours: 1, Why: "why"})
	if err != nil {
		t.Fatal(err)
	}
	count(t, s, seed.Admin, 1)
	count(t, s, seed.Member, 0)
	if in := inboxOf(t, s, seed.Admin); len(in.Decide) != 1 || in.Decide[0].Why != "why" || in.Decide[0].PersonName != "member" {
		t.Errorf("%+v", in.Decide)
	}
	clock.Advance(time.Minute)
	if _, err := s.DecideQuota(ctx, seed.Admin.ID, r.ID, store.QuotaDecision{Reason: "too dear"}); err != nil {
		t.Fatal(err)
	}
	count(t, s, seed.Admin, 0)
	count(t, s, seed.Member, 1)
	if in := inboxOf(t, s, seed.Member); len(in.Own) != 1 || in.Own[0].Reason != "too dear" || in.Notices[0].Detail != store.QuotaRefused {
		t.Errorf("%+v", in)
	}
}
