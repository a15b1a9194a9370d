package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// A digest that an admin gives up takes along what it was to tell; what comes later in the hour is not put into it.
func TestNothingIsLostInADigestThatWasGivenUp(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	if err := s.SetMailPreference(ctx, seed.Member.ID, store.MailPreference{Digest: true}); err != nil {
		t.Fatal(err)
	}
	ends := func() {
		t.Helper()
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true})
		must(t, err)
		must(t, s.MarkRunning(ctx, i.ID, clock.Now()))
		clock.Advance(time.Minute)
		must(t, s.MarkEnded(ctx, i.ID, store.End{}))
		must(t, s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}))
		_, err = s.GatherMail(ctx)
		must(t, err)
	}
	open := func() []store.Mail {
		t.Helper()
		box, err := s.Outbox(ctx)
		must(t, err)
		return box.Open
	}
	ends()
	var digest int64
	for _, m := range open() {
		if m.Template == "digest" {
			digest = m.ID
		}
	}
	if len(open()) != 2 || digest == 0 {
		t.Fatalf("gathered: %+v", open())
	}
	must(t, s.DropMail(ctx, seed.Admin.ID, digest))
	if left := open(); len(left) != 0 {
		t.Errorf("its mail waits for ever: %+v", left)
	}
	ends()
	due, err := s.DueMail(ctx, 0)
	if err != nil || len(due) != 1 || due[0].Template != "instance_stopped" {
		t.Errorf("due later in the hour: %+v, %v", due, err)
	}
}
