package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/mailtest"
)

// mailSoak is a console with a real mail server, four people and an admin, whose time passes while it is killed.
type mailSoak struct {
	*console
	box    *mailtest.Postbox
	apis   []*client     // of the people; the last is the admin's
	ahead  time.Duration // of the wall: what has passed
	came   int           // mails, when it was killed last
	kills  int
	byMail int // of those, in the moment in which a mail came
}

const (
	mailPeople  = 4
	spreadsOver = 24 * time.Hour // what passes of longer times passes in any case
)

func address(n int) string { return fmt.Sprintf("member%d@example.com", n) }

// newMailSoak puts the people into the teams in turn.
func newMailSoak(t *testing.T, teams ...string) *mailSoak {
	t.Helper()
	box := mailtest.Start(t, "")
	s := &mailSoak{console: withAdmin(t, "--smtp", "smtp://"+box.SMTP, "--mail-from", "gpu@example.com"), box: box}
	for n := range mailPeople {
		name := fmt.Sprintf("member%d", n)
		s.cli("", "admin", "user", "add", name, "--email", address(n), "--team", teams[n%len(teams)], "--data", s.data)
		token := strings.TrimSpace(s.cli("", "admin", "token", "create", "--user", name, "--data", s.data))
		s.apis = append(s.apis, &client{base: "http://" + s.listen, token: token, http: httpClient})
	}
	s.apis = append(s.apis, &client{base: "http://" + s.listen, token: s.token, http: httpClient})
	return s
}

// killAndPass kills the console at a random moment, or in that in which a mail comes, lets time pass and starts it again.
func (s *mailSoak) killAndPass(t *testing.T, by time.Duration) {
	t.Helper()
	life, atMail := time.Duration(100+rand.IntN(1100))*time.Millisecond, rand.IntN(2) == 0
	for deadline := time.Now().Add(life); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if atMail && s.box.Count() > s.came {
			s.byMail++
			if by < spreadsOver {
				by = min(by, 20*time.Second) // the same may come again and again, and has its time
			}
			break
		}
	}
	s.kill9()
	s.kills++
	s.came = s.box.Count()
	if by > 0 {
		s.ahead += by
		pass(t, s.data, s.ahead)
	}
	s.start()
}

// looks opens the database beside the console.
func (s *mailSoak) looks(t *testing.T, do func(context.Context, *store.Store) error) {
	t.Helper()
	now := func() time.Time { return time.Now().Add(s.ahead) }
	db, err := store.Open(t.Context(), store.Config{Path: s.data, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := do(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}

// rents makes an instance and waits until it has one of the statuses.
func (s *mailSoak) rents(t *testing.T, api *client, r rentRequest, reaches ...string) instance {
	t.Helper()
	r.Kind, r.Key = "on_demand", "mail-soak-"+r.Name
	if one := 1; !r.CPUOnly {
		r.GPUCount = &one
	}
	var i instance
	err := again(t.Context(), func() error { return api.once(t.Context(), http.MethodPost, "/instances", mustJSON(r), &i) })
	for deadline := time.Now().Add(30 * time.Second); err == nil && !slices.Contains(reaches, i.Status); {
		if time.Now().After(deadline) {
			t.Fatalf("%s is %s after 30 s, not %v", i.ID, i.Status, reaches)
		}
		time.Sleep(20 * time.Millisecond)
		err = again(t.Context(), func() error { return api.once(t.Context(), http.MethodGet, "/instances/"+i.ID, nil, &i) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// letters are all mails that came, by their Message-ID.
func (s *mailSoak) letters() map[string][]mailtest.Mail {
	all := map[string][]mailtest.Mail{}
	for _, m := range s.box.Mails() {
		all[m.MessageID] = append(all[m.MessageID], m)
	}
	return all
}

// settled waits until nothing that is due is left in the outbox.
func (s *mailSoak) settled(t *testing.T) {
	t.Helper()
	s.looks(t, func(ctx context.Context, db *store.Store) error {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			due, err := db.DueMail(ctx, 0)
			if err != nil || len(due) == 0 {
				return err
			}
			if time.Now().After(deadline) {
				t.Fatalf("mail is left: %+v", due)
			}
		}
	})
}

// onceEach says of each mail that it came, to one address, whatever else came with its Message-ID; and that no other came.
func (s *mailSoak) onceEach(t *testing.T, want map[string]string) (resent int) {
	t.Helper()
	all := s.letters()
	for id, to := range want {
		if len(all[id]) == 0 {
			t.Errorf("%s never got %s", to, id)
		}
	}
	for id, came := range all {
		for _, m := range came {
			if len(m.To) != 1 || m.To[0].Address != want[id] {
				t.Errorf("%s came to %v, not to %q", id, m.To, want[id])
			}
		}
		resent += len(came) - 1
	}
	return resent
}

// TestABudgetStopsAndTellsOnceThroughKills lets four budgets come to their limits, give notice and stop what runs, while the
// console is killed again and again.
func TestABudgetStopsAndTellsOnceThroughKills(t *testing.T) {
	if os.Getenv("METERHOUSE_LONG_TESTS") == "" {
		t.Skip("takes minutes; METERHOUSE_LONG_TESTS=1 runs it")
	}
	const rounds = 3
	for round := range rounds {
		t.Run(fmt.Sprint(round), stopsOnce)
	}
}

func stopsOnce(t *testing.T) {
	s := newMailSoak(t, "research")
	admin := s.apis[mailPeople]
	k := &soak{api: admin, made: map[string]bool{}}
	type watched struct {
		ID        string `json:"id"`
		instances []instance
		owners    []string
	}
	budgets := make([]watched, mailPeople)
	for n := range budgets {
		label := labels{"soak": fmt.Sprint(n)}
		b := &budgets[n]
		var rate int64
		for _, of := range []int{n, (n + 1) % mailPeople} {
			i := s.rents(t, s.apis[of], rentRequest{Name: fmt.Sprintf("stop %d %d", n, of), Labels: label, CPUOnly: of == n, Command: `trap 'sleep 0.3; exit 0' TERM; while :; do sleep 0.1; done`}, "running")
			b.instances, b.owners, rate = append(b.instances, i), append(b.owners, address(of)), rate+i.Rate
			k.made[i.ID] = true
		}
		body := map[string]any{"name": fmt.Sprintf("soak %d", n), "scope": "label", "label": fmt.Sprintf("soak=%d", n), "period": "month", "limit_micros": rate * int64(5+3*n) / 60,
			"thresholds": []int{100}, "forecasts": []int{}, "action": "stop", "idempotency_key": fmt.Sprintf("mail-soak-%d", n)}
		if err := again(t.Context(), func() error { return admin.once(t.Context(), http.MethodPost, "/budgets", mustJSON(body), b) }); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for running := true; running; {
		if s.kills > 100 {
			t.Fatal("something still runs after 100 kills")
		}
		s.killAndPass(t, time.Duration(rand.IntN(150))*time.Second)
		running = false
		for id := range k.made {
			running = running || !s.instance(id).ended()
		}
	}
	s.settled(t)
	want := map[string]string{}
	notices := map[string]int{} // of a budget to an address: its Message-ID has the moment in it, which must be one
	for id, came := range s.letters() {
		if strings.HasPrefix(id, "budget-stop.") {
			notices[strings.Split(id, ".")[1]+" "+came[0].To[0].Address]++
			want[id] = came[0].To[0].Address
		}
	}
	told, stopped := 0, 0
	s.looks(t, func(ctx context.Context, db *store.Store) error {
		o, err := db.Outbox(ctx)
		if err != nil {
			return err
		}
		for _, m := range o.Over {
			if m.Template == "budget_reached" {
				want[m.MessageID] = "boss@example.com"
			}
			if m.State() != store.MailIsSent {
				t.Errorf("%s to %s is %s: %s", m.MessageID, m.To, m.State(), m.LastError)
			}
		}
		records, _, err := db.AuditLog(ctx, 1000, "")
		if err != nil {
			return err
		}
		times := map[string]int{}
		for _, r := range records {
			times[r.Action+" "+r.Target]++
		}
		for _, b := range budgets {
			if times["budget_stop_told "+b.ID] != 1 || times["budget_stopped "+b.ID] != 1 || times["budget_stop_called_off "+b.ID] != 0 {
				t.Errorf("budget %s told %d times and stopped %d times", b.ID, times["budget_stop_told "+b.ID], times["budget_stopped "+b.ID])
			}
			for _, to := range append(b.owners, "boss@example.com") {
				if told++; notices[b.ID+" "+to] != 1 {
					t.Errorf("%s got %d notices of budget %s", to, notices[b.ID+" "+to], b.ID)
				}
			}
			for n, i := range b.instances {
				events, err := db.InstanceEvents(ctx, i.ID, 1000)
				if err != nil {
					return err
				}
				kinds := map[string]int{}
				for _, e := range events {
					kinds[e.Kind]++
				}
				if kinds["budget_stops"] != 1 || kinds["stop_requested"] != 1 || times["instance_stop "+i.ID] != 1 {
					t.Errorf("%s was told %d times, and asked to stop %d times", i.ID, kinds["budget_stops"], kinds["stop_requested"])
				}
				var now lifeOf
				if s.cliJSON(&now, "show", i.ID); now.Status != "stopped" || now.StopReason != "budget" {
					t.Errorf("%s is %s: %s", i.ID, now.Status, now.StopReason)
				}
				stopped++
				want["instance-stopped."+i.ID+"@meterhouse"] = b.owners[n]
			}
		}
		return nil
	})
	resent := s.onceEach(t, want)
	if len(notices) != told {
		t.Errorf("%d notices, not %d", len(notices), told)
	}
	checkBills(t, s.console, k)
	t.Logf("%d instances of %d budgets stopped once, %d notices and %d mails in all (%d resent with their Message-ID); %d kills (%d as a mail came), %v passed in %v; %s", stopped, len(budgets), told,
		len(want), resent, s.kills, s.byMail, s.ahead, time.Since(began).Round(time.Second), strings.TrimSpace(s.cli("", "doctor", "ledger", "--data", s.data)))
}
