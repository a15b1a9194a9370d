package mail

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/web/mailtest"
)

// due sends what is due and returns what came.
func due(t *testing.T, m *Mailer, p *mailtest.Postbox) []mailtest.Mail {
	t.Helper()
	if err := m.SendDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p.Mails()
}

func TestNoMoreThanFiveAnHourComeByThemselves(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "")
	s, clock, seeded := site(t)
	m := mailer(t, "smtp://"+p.SMTP, s, clock)
	for k := range 9 { // nine instances that end by themselves
		in, _, err := s.Rent(t.Context(), store.RentRequest{PersonID: seeded.Member.ID, Name: "job-" + string(rune('a'+k)), CPUOnly: true})
		if err == nil {
			err = s.MarkRunning(t.Context(), in.ID, clock.Now())
		}
		if err == nil {
			clock.Advance(time.Minute)
			err = s.MarkEnded(t.Context(), in.ID, store.End{})
		}
		if err == nil {
			err = s.MarkStopped(t.Context(), in.ID, store.Proof{Clean: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SendTestMail(t.Context(), seeded.Member.ID); err != nil { // urgent
		t.Fatal(err)
	}
	if got := due(t, m, p); len(got) != 6 {
		t.Fatalf("%d mails, want five and the urgent one", len(got))
	}
	if got := due(t, m, p); len(got) != 6 {
		t.Fatalf("%d mails before the hour is over", len(got))
	}
	clock.Set(clock.Now().Truncate(time.Hour).Add(time.Hour))
	got := due(t, m, p)
	if len(got) != 7 {
		t.Fatalf("%d mails after the hour, want one more", len(got))
	}
	for _, one := range got {
		if strings.HasPrefix(one.Subject, "4 notices") {
			for _, name := range []string{"job-f", "job-g", "job-h", "job-i"} {
				if !strings.Contains(one.Text, name) || !strings.Contains(one.HTML, name) {
					t.Errorf("%s is not told", name)
				}
			}
			return
		}
	}
	t.Error("no digest came")
}

func TestWhoWantsItQuietGetsOneMailAnHour(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "")
	s, clock, seeded := site(t)
	m := mailer(t, "smtp://"+p.SMTP, s, clock)
	if err := s.SetMailPreference(t.Context(), seeded.Admin.ID, store.MailPreference{Digest: true}); err != nil {
		t.Fatal(err)
	}
	spendAs(t, s, clock, seeded, nil)
	for _, one := range due(t, m, p) {
		if !strings.Contains(one.Subject, "spent: 100") {
			t.Errorf("came by itself: %s", one.Subject)
		}
	}
	clock.Set(clock.Now().Truncate(time.Hour).Add(time.Hour))
	if got := due(t, m, p); len(got) != 2 {
		t.Errorf("%d mails, want the urgent one and the digest", len(got))
	}
}

// M10: what has been settled since is not told any more.
func TestAMailIsAskedAgainWhenItIsSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		since func(*testing.T, *store.Store, storetest.Seeded)
		why   string
	}{
		"the budget was raised": {func(t *testing.T, s *store.Store, seeded storetest.Seeded) {
			all, err := s.Budgets(t.Context(), "")
			if err == nil {
				_, err = s.UpdateBudget(t.Context(), seeded.Admin.ID, all[0].ID, store.NewBudget{Name: "more", LimitMicros: 1e12})
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "budget_changed"},
		"the budget was deleted": {func(t *testing.T, s *store.Store, seeded storetest.Seeded) {
			all, err := s.Budgets(t.Context(), "")
			if err == nil {
				err = s.DeleteBudget(t.Context(), seeded.Admin.ID, all[0].ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "budget_deleted"},
		"its reader wants none": {func(t *testing.T, s *store.Store, seeded storetest.Seeded) {
			if err := s.SetMailPreference(t.Context(), seeded.Admin.ID, store.MailPreference{Off: []store.MailKind{store.MailBudgets}}); err != nil {
				t.Fatal(err)
			}
		}, "not_wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mailtest.Start(t, "")
			s, clock, seeded := site(t)
			spendAs(t, s, clock, seeded, nil)
			c.since(t, s, seeded)
			if got := due(t, mailer(t, "smtp://"+p.SMTP, s, clock), p); len(got) != 0 {
				t.Errorf("%d mails came", len(got))
			}
			box, err := s.Outbox(t.Context())
			if err != nil || len(box.Over) != 2 || box.Over[0].LastError != c.why || box.Over[0].State() != store.MailIsGone || box.Counts[store.MailIsGone] != 2 {
				t.Errorf("%+v %v", box, err)
			}
		})
	}
}

func TestALinkInTheMailStopsItsKindAndNoOther(t *testing.T) {
	t.Parallel()
	s, clock, seeded := site(t)
	spendAs(t, s, clock, seeded, []string{"outside@example.org"})
	waiting, err := s.DueMail(t.Context(), 10)
	if err != nil || len(waiting) != 2 {
		t.Fatal(waiting, err)
	}
	token, err := s.MailStop(t.Context(), waiting[0])
	if again, _ := s.MailStop(t.Context(), waiting[0]); err != nil || token == "" || again != token {
		t.Errorf("%q, then %q, %v", token, again, err)
	}
	for _, wrong := range []string{"", "1", token + "0", "x" + token, strings.Replace(token, ".", "0.", 1)} {
		if err := s.StopMail(t.Context(), wrong); store.KindOf(err) != store.NotFound {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for range 2 {
		if err := s.StopMail(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	why, err := s.MailStale(t.Context(), waiting[1])
	if err != nil || why != "not_wanted" {
		t.Errorf("%q %v", why, err)
	}
	if why, err := s.MailStale(t.Context(), store.Mail{To: "Outside@example.org", Template: "instance_stopped"}); err != nil || why != "" {
		t.Errorf("another kind: %q %v", why, err)
	}
	if err := s.SetMailPreference(t.Context(), seeded.Member.ID, store.MailPreference{Off: []store.MailKind{store.MailNeeded}}); store.KindOf(err) != store.Invalid {
		t.Errorf("what is needed was switched off: %v", err)
	}
}

// TestAMailThatCanNotBeNotedAsSentGoesOutOnce keeps the outbox from being written while mail goes out, as a full disk does.
func TestAMailThatCanNotBeNotedAsSentGoesOutOnce(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "")
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seeded := storetest.Seed(t, s)
	for range 3 {
		if err := s.SendTestMail(t.Context(), seeded.Member.ID); err != nil {
			t.Fatal(err)
		}
	}
	m := mailer(t, "smtp://"+p.SMTP, s, clock)
	room := storetest.NoRoom(t, dir, "UPDATE ON outbox")
	for range 5 {
		if err := m.SendDue(t.Context()); err == nil {
			t.Error("nobody hears that it can't be written down")
		}
		clock.Advance(lookEvery)
	}
	if got := p.Mails(); len(got) != 1 {
		t.Errorf("%d mails while nothing could be written, want the first alone", len(got))
	}
	room()
	for range 2 {
		if got := due(t, m, p); len(got) != 3 {
			t.Errorf("%d mails, want each once", len(got))
		}
	}
	if box, err := s.Outbox(t.Context()); err != nil || box.Counts[store.MailIsSent] != 3 {
		t.Errorf("%+v %v", box.Counts, err)
	}
}
