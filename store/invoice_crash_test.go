package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// invoiceTeams is how many teams get an invoice at each turn of a month.
const invoiceTeams = 4

// TestInvoiceCrashHelper is not a test: it is the process that TestInvoicesStayWholeWhoeverIsKilled kills. It works over the
// turns of months, while two issue invoices and one puts right what is booked.
func TestInvoiceCrashHelper(t *testing.T) {
	dir := os.Getenv("METERHOUSE_TEST_INVOICE_DIR")
	if dir == "" {
		t.Skip("runs as a process of its own")
	}
	s, clock := laterStore(t, dir)
	left, _, err := s.Instances(ctx, store.Filter{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range left { // as a restart ends what it does not find
		if err := errors.Join(s.MarkEnded(ctx, i.ID, store.End{Reason: "node_lost", HostFault: true}), s.MarkStopped(ctx, i.ID, store.Proof{Clean: true})); err != nil {
			t.Fatal(err)
		}
	}
	out := make(chan string, 100)
	go func() {
		for line := range out {
			fmt.Println(line)
		}
	}()
	for range 2 {
		go func() {
			for {
				_, err := s.PostDue(ctx)
				n := 0
				if err == nil {
					n, err = s.IssueInvoices(ctx)
				}
				if err != nil {
					out <- "error " + err.Error()
					return
				}
				if n > 0 {
					out <- "issued"
				}
				time.Sleep(time.Millisecond) // the work needs the disk too
			}
		}()
	}
	admin, err := s.PersonByName(ctx, "admin")
	if err != nil {
		t.Fatal(err)
	}
	for {
		clock.Advance(time.Duration(20+rand.IntN(80)) * time.Hour)
		for k := range invoiceTeams {
			p, err := s.PersonByName(ctx, fmt.Sprintf("member%d", k))
			if err != nil {
				t.Fatal(err)
			}
			i, _, err := s.Rent(ctx, store.RentRequest{PersonID: p.ID, CPUOnly: true})
			if err == nil {
				err = s.MarkRunning(ctx, i.ID, clock.Now())
			}
			clock.Advance(time.Duration(rand.IntN(12)) * time.Hour)
			if err == nil {
				err = s.MarkEnded(ctx, i.ID, store.End{})
			}
			if err == nil {
				err = s.MarkStopped(ctx, i.ID, store.Proof{Clean: true})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		entries, _, err := s.Entries(ctx, store.EntryFilter{Limit: 200})
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) > 0 {
			_, err = s.Correct(ctx, admin.ID, store.Correction{CorrectsID: entries[rand.IntN(len(entries))].ID, Kind: store.EntryCorrection, Note: "why", AmountMicros: 12_345})
		}
		if err != nil {
			t.Fatal(err)
		}
		out <- "worked"
	}
}

// laterStore opens a store whose clock goes on after the last thing that it knows.
func laterStore(t *testing.T, dir string) (*store.Store, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	records, _, err := s.AuditLog(ctx, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		clock.Set(r.At.Add(time.Second))
	}
	return s, clock
}

func TestInvoicesStayWholeWhoeverIsKilled(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	storetest.SeedQuick(t, s)
	for k := range invoiceTeams {
		name := fmt.Sprintf("member%d", k)
		if _, err := s.AddPerson(ctx, store.NewPerson{Name: name, Email: name + "@example.org", Role: store.Member, Team: fmt.Sprintf("team%d", k)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rounds := 4
	if testing.Short() {
		rounds = 2
	}
	known := map[int64]int64{} // what an invoice said when it was first seen
	for range rounds {
		run := exec.Command(os.Args[0], "-test.run=^TestInvoiceCrashHelper$", "-test.timeout=60s")
		run.Env = append(os.Environ(), "METERHOUSE_TEST_INVOICE_DIR="+dir)
		pipe, err := run.StdoutPipe()
		if err == nil {
			err = run.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines, kill := bufio.NewScanner(pipe), 5+rand.IntN(20)
		for n := 0; lines.Scan(); n++ {
			if text := lines.Text(); text != "issued" && text != "worked" {
				t.Errorf("the process said: %s", text)
			}
			if n == kill {
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
				if err := run.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = run.Wait() // killed
		s, _ := laterStore(t, dir)
		if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
			t.Errorf("ledger: %+v %v", check, err)
		}
		wholeInvoices(t, s, known)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(known) < invoiceTeams {
		t.Errorf("only %d invoices", len(known))
	}
	t.Logf("%d invoices", len(known))
}

// wholeInvoices holds the numbers, and each invoice against the entries that exports say stand on it.
func wholeInvoices(t *testing.T, s *store.Store, known map[int64]int64) {
	t.Helper()
	stand, months := map[int64]int64{}, map[string]int64{}
	if err := s.Charges(ctx, "", "2020-01-01", "2100-01-01", func(c store.Charge) error {
		stand[c.Invoice] += c.AmountMicros
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	count := int64(0)
	for cursor := ""; ; {
		all, next, err := s.Invoices(ctx, "", cursor, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			if v, err = s.Invoice(ctx, v.Number); err != nil {
				t.Fatal(err)
			}
			count++
			var lines int64
			for _, l := range v.Lines {
				lines += l.AmountMicros
			}
			if lines != v.AmountMicros || stand[v.Number] != v.AmountMicros {
				t.Errorf("invoice %d is of %d, its lines of %d, its entries of %d", v.Number, v.AmountMicros, lines, stand[v.Number])
			}
			if twice := months[v.TeamID+v.Month]; twice != 0 {
				t.Errorf("invoices %d and %d are of one team and month", v.Number, twice)
			}
			if was, seen := known[v.Number]; seen && was != v.AmountMicros {
				t.Errorf("invoice %d was of %d and is of %d", v.Number, was, v.AmountMicros)
			}
			months[v.TeamID+v.Month], known[v.Number] = v.Number, v.AmountMicros
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	for n := int64(1); n <= count; n++ {
		if _, there := known[n]; !there {
			t.Errorf("invoice %d of %d is missing", n, count)
		}
	}
}
