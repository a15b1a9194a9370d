package store_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// TestCrashHelper is not a test: it is the process that TestKillAtAnyMomentLosesNothingAcknowledged kills. It rents and
// stops, and prints each step after the store has acknowledged it.
func TestCrashHelper(t *testing.T) {
	dir := os.Getenv("METERHOUSE_TEST_CRASH_DIR")
	if dir == "" {
		t.Skip("runs as a process of its own")
	}
	s, err := store.Open(ctx, store.Config{Path: dir, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.PersonByName(ctx, "member")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 100)
	for range 4 {
		go func() {
			for {
				i, _, err := s.Rent(ctx, store.RentRequest{PersonID: p.ID, GPUCount: 1})
				if err != nil {
					continue // what an earlier life left holds the GPUs
				}
				out <- "rented " + i.ID
				for _, step := range []struct {
					name string
					take func() error
				}{
					{"running", func() error { return s.MarkRunning(ctx, i.ID, time.Now()) }},
					{"stopping", func() error { _, err := s.RequestStop(ctx, i.ID, p.ID, ""); return err }},
					{"stopped", func() error { return s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}) }},
				} {
					if err := step.take(); err != nil {
						out <- "error " + err.Error()
						return
					}
					out <- step.name + " " + i.ID
				}
			}
		}()
	}
	for line := range out {
		fmt.Println(line)
	}
}

func TestKillAtAnyMomentLosesNothingAcknowledged(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	storetest.SeedQuick(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reached := map[string]string{}
	order := map[string]int{"rented": 1, "starting": 1, "running": 2, "stopping": 3, "stopped": 4}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		run := exec.Command(os.Args[0], "-test.run=^TestCrashHelper$", "-test.timeout=60s")
		run.Env = append(os.Environ(), "METERHOUSE_TEST_CRASH_DIR="+dir)
		pipe, err := run.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		lines, kill := bufio.NewScanner(pipe), 20+rand.IntN(200)
		for n := 0; lines.Scan(); n++ {
			if step, id, ok := strings.Cut(lines.Text(), " "); ok && order[step] > 0 {
				reached[id] = step
			} else if step == "error" {
				t.Errorf("the process said: %s", lines.Text())
			}
			if n == kill {
				if err := run.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = run.Wait() // killed
		s, err := store.Open(ctx, store.Config{Path: dir, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		check, err := s.CheckLedger(ctx)
		if err != nil || !check.OK {
			t.Errorf("ledger: %+v %v", check, err)
		}
		for id, step := range reached {
			i, err := s.Instance(ctx, id)
			if err != nil || order[string(i.State)] < order[step] {
				t.Errorf("%s was acknowledged as %s and is %s (%v)", id, step, i.State, err)
			}
		}
		live, _, err := s.Instances(ctx, store.Filter{Live: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range live { // as a restart ends what it does not find
			if err := s.MarkEnded(ctx, i.ID, store.End{Reason: "node_lost", HostFault: true}); err != nil {
				t.Error(err)
			}
			if err := s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(reached) < rounds {
		t.Errorf("only %d instances in %d lives", len(reached), rounds)
	}
}
