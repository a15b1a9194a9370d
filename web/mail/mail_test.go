package mail

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/web/mailtest"
)

// site is a store with a team budget that is crossed at 80 and 100 per cent, one mail each.
func site(t *testing.T) (*store.Store, *storetest.Clock, storetest.Seeded) {
	t.Helper()
	s, clock := storetest.Open(t)
	return s, clock, storetest.Seed(t, s)
}

// spend makes a team spend, and crosses its budget's thresholds.
func spend(t *testing.T, s *store.Store, clock *storetest.Clock, seeded storetest.Seeded) {
	t.Helper()
	spendAs(t, s, clock, seeded, []string{"lead@example.org"})
}

// spendAs tells these addresses, or the team's managers.
func spendAs(t *testing.T, s *store.Store, clock *storetest.Clock, seeded storetest.Seeded, emails []string) {
	t.Helper()
	ctx := context.Background()
	in, _, err := s.Rent(ctx, store.RentRequest{PersonID: seeded.Member.ID, Name: "training", GPUModel: seeded.GPUs[0].Model, GPUCount: 1, Kind: store.OnDemand})
	if err == nil {
		err = s.MarkRunning(ctx, in.ID, clock.Now())
	}
	if err == nil {
		_, err = s.CreateBudget(ctx, seeded.Admin.ID, store.NewBudget{Name: "Märch\r\nBcc: x@example.org", Scope: "team", TeamID: seeded.Team.ID, Period: "month", LimitMicros: in.RateMicrosPerHour, Thresholds: []int{50, 80, 100}, Emails: emails})
		if store.KindOf(err) == store.Invalid { // the store takes no such name; a plain one will do
			_, err = s.CreateBudget(ctx, seeded.Admin.ID, store.NewBudget{Name: "Märch", Scope: "team", TeamID: seeded.Team.ID, Period: "month", LimitMicros: in.RateMicrosPerHour, Thresholds: []int{50, 80, 100}, Emails: emails})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 11 {
		clock.Advance(6 * time.Minute)
		if _, err := s.CheckBudgets(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func mailer(t *testing.T, url string, s *store.Store, clock *storetest.Clock) *Mailer {
	t.Helper()
	m, err := New(Config{URL: url, From: "Meterhouse <gpu@example.org>", Site: "https://gpu.example.org"}, s, clock.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBudgetMailArrivesOnceAThreshold(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "")
	s, clock, seeded := site(t)
	spend(t, s, clock, seeded)
	for range 3 { // a console that was killed and started again sends nothing twice
		if err := mailer(t, "smtp://"+p.SMTP, s, clock).SendDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for _, m := range p.Mails() {
		seen[m.MessageID]++
		if m.From.Address != "gpu@example.org" || len(m.To) != 1 || m.Subject == "" || m.Text == "" || !strings.Contains(m.HTML, "<html") {
			t.Errorf("%+v", m)
		}
		if strings.Contains(p.Header(m.ID, "Bcc"), "x@example.org") {
			t.Error("a name became a header")
		}
		if got := p.Header(m.ID, "List-Unsubscribe"); !strings.HasPrefix(got, "<https://gpu.example.org/mail/stop/") {
			t.Errorf("List-Unsubscribe %q", got)
		}
		if got := p.Header(m.ID, "List-Unsubscribe-Post"); got != "List-Unsubscribe=One-Click" {
			t.Errorf("List-Unsubscribe-Post %q", got)
		}
		if got := p.Header(m.ID, "Content-Type"); !strings.HasPrefix(got, "multipart/alternative") {
			t.Errorf("Content-Type %q", got)
		}
		if !strings.Contains(m.Text, "M") || !strings.Contains(m.Text, "https://gpu.example.org/") {
			t.Errorf("text %q", m.Text)
		}
	}
	if len(seen) == 0 || len(seen)%2 != 0 {
		t.Errorf("%d mails, want one each at 80 and at 100 per cent", len(seen))
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
}

func TestMailWaitsForAServerThatIsDown(t *testing.T) {
	t.Parallel()
	address := mailtest.FreePort(t)
	s, clock, seeded := site(t)
	spend(t, s, clock, seeded)
	m := mailer(t, "smtp://"+address, s, clock)
	if err := m.SendDue(t.Context()); err == nil {
		t.Fatal("sent to nobody")
	}
	if due, err := s.DueMail(t.Context(), 10); err != nil || len(due) != 0 {
		t.Errorf("still due at once: %v %v", due, err)
	}
	clock.Advance(time.Minute)
	p := mailtest.Start(t, address)
	if err := m.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.Mails()) == 0 {
		t.Error("nothing came")
	}
}

func TestMailIsGivenUpAfterEightTriesAndKept(t *testing.T) {
	t.Parallel()
	s, clock, seeded := site(t)
	spend(t, s, clock, seeded)
	m := mailer(t, "smtp://"+mailtest.FreePort(t), s, clock)
	tries := 0
	for range 20 {
		box, err := s.Outbox(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(box.Open) == 0 {
			break
		}
		if at := box.Open[0].NextTryAt; at.After(clock.Now()) {
			clock.Set(at)
		}
		_ = m.SendDue(t.Context()) // nobody listens: it fails each time
		tries++
	}
	box, err := s.Outbox(t.Context())
	dead := box.Dead
	if err != nil || len(dead) == 0 || tries != 8 || dead[0].LastError == "" {
		t.Errorf("%d tries, %d dead, %v", tries, len(dead), err)
	}
}

func TestARefusedAddressHoldsUpNoOtherMail(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "", "--smtp-allowed-recipients", "^lead@example\\.org$")
	s, clock, seeded := site(t)
	spend(t, s, clock, seeded)
	_, err := s.CreateBudget(t.Context(), seeded.Admin.ID, store.NewBudget{Name: "Other", Scope: "team", TeamID: seeded.Team.ID, Period: "month", LimitMicros: 1_000, Thresholds: []int{100}, Emails: []string{"refused@example.org"}})
	if err == nil {
		_, err = s.CheckBudgets(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := mailer(t, "smtp://"+p.SMTP, s, clock).SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.Mails()) == 0 {
		t.Error("nothing came")
	}
	clock.Advance(time.Minute)
	due, err := s.DueMail(t.Context(), 10)
	if err != nil || len(due) == 0 || due[0].LastError == "" {
		t.Errorf("%+v %v", due, err)
	}
}

func TestTheLoopSendsWhatComes(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "")
	s, clock, seeded := site(t)
	m := mailer(t, "smtp://"+p.SMTP, s, clock)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.Run(ctx) }()
	spend(t, s, clock, seeded)
	for begun := time.Now(); len(p.Mails()) < 2; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("nothing came")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestMailGoesWithAuthenticationOverTLS(t *testing.T) {
	t.Parallel()
	p := mailtest.Start(t, "", "--smtp-auth-accept-any", "--smtp-auth-allow-insecure")
	s, clock, seeded := site(t)
	spend(t, s, clock, seeded)
	if err := mailer(t, "smtp://user:secret@"+p.SMTP, s, clock).SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.Mails()) == 0 {
		t.Error("nothing came")
	}
}

func TestAPasswordNeverGoesUnencryptedBeyondThisMachine(t *testing.T) {
	t.Parallel()
	for url, fine := range map[string]bool{
		"smtp://127.0.0.1:25": true, "smtp://localhost": true, "smtp://[::1]:1025": true, "smtp+starttls://user:secret@mail.example.org": true, "smtps://mail.example.org": true,
		"smtp://mail.example.org": false, "smtp://user:secret@mail.example.org": false, "http://127.0.0.1": false, "smtp://": false, "smtps://h:99999": false, "smtps://h/path": false, "%": false, "mail.example.org": false,
	} {
		_, err := New(Config{URL: url, From: "a@example.org"}, nil, time.Now, nil)
		if (err == nil) != fine {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the password is in %q", err)
		}
	}
	if _, err := New(Config{URL: "smtps://mail.example.org", From: "nobody"}, nil, time.Now, nil); err == nil {
		t.Error("a sender without address was taken")
	}
}
