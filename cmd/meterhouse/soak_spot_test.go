package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/spot"
)

// TestAReclaimKeepsItsTimesThroughKills lets two minutes pass in which the console is killed again and again. The job itself
// writes down when it heard what; its second run says what it found.
func TestAReclaimKeepsItsTimesThroughKills(t *testing.T) {
	if os.Getenv("METERHOUSE_LONG_TESTS") == "" {
		t.Skip("takes three minutes; METERHOUSE_LONG_TESTS=1 runs it")
	}
	c := withAdmin(t)
	var victim, wants instance
	c.cliJSON(&victim, "rent", "--gpu-model", "L4", "--gpu-count", "2", "--kind", "spot", "--requeue", "--wait", "--checkpoint-command", `echo "HOOK $METERHOUSE_RUN" >>saved`, "--",
		`echo "run $METERHOUSE_RUN"; test -f saved && echo "found $(cat saved | tr '\n' ' ')" && echo "LAST $(cat last)"
		trap 'echo "USR1 $(date +%s.%N)"' USR1; trap 'echo "TERM $(date +%s.%N)"; echo work >>saved' TERM
		while :; do date +%s.%N >last; sleep 0.05; done`)
	c.kill9()
	pass(t, c.data, spot.Safe+time.Minute)
	c.start()
	c.cliJSON(&wants, "rent", "--gpu-model", "L4", "--gpu-count", "2", "--", "sleep 600")
	if wants.Status != "queued" {
		t.Fatalf("on demand: %s", wants.Status)
	}
	began := time.Now()
	for _, second := range []int{20, 50, 84, 100, 114} {
		time.Sleep(time.Until(began.Add(time.Duration(second) * time.Second)))
		c.kill9()
		if err := c.tryStart(); err != nil {
			t.Fatal(err)
		}
	}
	c.reaches(victim.ID, "stopped")
	c.reaches(wants.ID, "running")
	c.cli("", "stop", wants.ID, "--wait")
	var next struct {
		ID string `json:"later_id"`
	}
	c.cliJSON(&next, "show", victim.ID)
	c.reaches(next.ID, "running")
	said := c.cli("", "logs", victim.ID)
	var again string
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(again, "LAST") && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		again = c.cli("", "logs", next.ID)
	}
	if !strings.Contains(again, "run 2") || !strings.Contains(again, "HOOK 1") || !strings.Contains(again, "work") {
		t.Errorf("the second run says:\n%s", again)
	}
	told := stamp(t, said, "USR1")
	for what, after := range map[string]time.Duration{"TERM": 90 * time.Second, "LAST": 120 * time.Second} {
		if got := stamp(t, said+again, what).Sub(told); (got - after).Abs() > time.Second {
			t.Errorf("%s came %v after SIGUSR1, not %v", what, got, after)
		} else {
			t.Logf("%s came %v after SIGUSR1", what, got)
		}
	}
	if strings.Count(said, "USR1") != 1 || strings.Count(said, "TERM") != 1 {
		t.Errorf("it was told more than once:\n%s", said)
	}
	c.cli("", "stop", next.ID, "--wait")
}

// pass lets time pass for a console that is down: it goes on from the newest moment that its database knows of.
func pass(t *testing.T, data string, by time.Duration) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, store.Config{Path: data, Now: func() time.Time { return time.Now().Add(by) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Audit(ctx, store.AuditRecord{Action: "time_passed", Target: "site"}); err != nil {
		t.Fatal(err)
	}
}

// stamp is the time behind a word of a log.
func stamp(t *testing.T, log, word string) time.Time {
	t.Helper()
	_, rest, ok := strings.Cut(log, word+" ")
	text, _, _ := strings.Cut(rest, "\n")
	seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !ok || err != nil {
		t.Fatalf("no time of %s in:\n%s", word, log)
	}
	return time.UnixMicro(int64(seconds * 1e6))
}
