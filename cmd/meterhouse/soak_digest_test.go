package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// issued is what the API says of an invoice.
type issued struct {
	Number int64  `json:"number"`
	TeamID string `json:"team_id"`
	Month  string `json:"month"`
	Micros int64  `json:"amount_micros"`
	Lines  []struct {
		Micros int64 `json:"amount_micros"`
	} `json:"lines"`
}

// TestDigestsAndInvoicesComeOnceThroughKills lets months pass in which people want their mail in digests, while the console is
// killed as digests are gathered and sent and as invoices are issued.
func TestDigestsAndInvoicesComeOnceThroughKills(t *testing.T) {
	if os.Getenv("METERHOUSE_LONG_TESTS") == "" {
		t.Skip("takes minutes; METERHOUSE_LONG_TESTS=1 runs it")
	}
	const months = 6
	s := newMailSoak(t, "research", "vision")
	s.looks(t, func(ctx context.Context, db *store.Store) error {
		for n := range mailPeople {
			p, err := db.PersonByName(ctx, address(n))
			if err == nil {
				err = db.SetMailPreference(ctx, p.ID, store.MailPreference{Digest: true})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	began := time.Now()
	names, mails := map[string]string{}, map[string]store.Mail{} // whose an instance's mail is; by Message-ID
	for month := range months {
		for n := range 2 * mailPeople {
			name := fmt.Sprintf("digest-%d-%d.", month, n)
			i := s.rents(t, s.apis[n%mailPeople], rentRequest{Name: name, CPUOnly: n%2 == 0, Command: "exit 0"}, "stopped")
			names[i.ID] = name
			if n%3 == 0 {
				s.killAndPass(t, time.Duration(rand.IntN(40))*time.Minute)
			}
		}
		for gathered := 1; gathered > 0; {
			s.killAndPass(t, time.Duration(rand.IntN(30))*time.Minute)
			gathered = 0
			s.looks(t, func(ctx context.Context, db *store.Store) error {
				o, err := db.Outbox(ctx)
				gathered = len(o.Open)
				return err
			})
		}
		s.looks(t, func(ctx context.Context, db *store.Store) error {
			o, err := db.Outbox(ctx)
			for _, m := range o.Over {
				mails[m.MessageID] = m
			}
			return err
		})
		s.killAndPass(t, 31*24*time.Hour+7*time.Hour)
		for range 4 { // as invoices are issued
			s.killAndPass(t, time.Duration(rand.IntN(60))*time.Minute)
		}
	}
	s.settled(t)
	digests := map[int64]string{} // Message-IDs by id
	want := map[string]string{}
	for id, m := range mails {
		if m.Template == "digest" {
			digests[m.ID] = id
		}
		if m.DigestID == 0 {
			want[id] = m.To
		}
		if m.State() != store.MailIsSent {
			t.Errorf("%s to %s is %s: %s", id, m.To, m.State(), m.LastError)
		}
	}
	letters := s.letters()
	gathered := 0
	for instance, name := range names {
		m, there := mails["instance-stopped."+instance+"@meterhouse"]
		in := m.MessageID
		if m.DigestID != 0 {
			gathered++
			in = digests[m.DigestID]
		}
		var told []string
		for id, came := range letters {
			if n := strings.Count(came[0].Text, name); n > 0 && came[0].To[0].Address == m.To {
				told = append(told, id)
			}
		}
		if !there || len(told) != 1 || told[0] != in {
			t.Errorf("the end of %s is told in %v, and stands in %q", name, told, in)
		}
	}
	resent := s.onceEach(t, want)
	var all struct{ Invoices []issued }
	if err := again(t.Context(), func() error {
		return s.apis[mailPeople].once(t.Context(), http.MethodGet, "/invoices?limit=200", nil, &all)
	}); err != nil {
		t.Fatal(err)
	}
	byMonth := map[string]int64{}
	for k, v := range all.Invoices { // newest first
		if v.Number != int64(len(all.Invoices)-k) {
			t.Errorf("invoice %d is the %d. of %d", v.Number, k+1, len(all.Invoices))
		}
		if other := byMonth[v.TeamID+v.Month]; other != 0 {
			t.Errorf("invoices %d and %d are of one team and month", other, v.Number)
		}
		byMonth[v.TeamID+v.Month] = v.Number
		var whole issued
		if err := s.apis[mailPeople].get(t.Context(), fmt.Sprintf("/invoices/%d", v.Number), nil, &whole); err != nil {
			t.Fatal(err)
		}
		for _, l := range whole.Lines {
			whole.Micros -= l.Micros
		}
		if whole.Micros != 0 {
			t.Errorf("invoice %d and its lines differ by %d", v.Number, whole.Micros)
		}
	}
	if len(all.Invoices) != 2*months {
		t.Errorf("%d invoices of two teams in %d months", len(all.Invoices), months)
	}
	t.Logf("%d ends told once, %d in %d digests (%d mails resent with their Message-ID); %d invoices; %d kills (%d as a mail came), %v passed in %v; %s", len(names), gathered, len(digests), resent,
		len(all.Invoices), s.kills, s.byMail, s.ahead, time.Since(began).Round(time.Second), strings.TrimSpace(s.cli("", "doctor", "ledger", "--data", s.data)))
}
