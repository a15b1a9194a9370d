package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestMailIsInTheReadersLanguageOrElseTheSites(t *testing.T) {
	for name, test := range map[string]struct{ choice, want string }{
		"no choice": {"", "zh"}, "chosen": {"en", "en"},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := storetest.Open(t)
			seed := storetest.SeedQuick(t, s)
			if err := s.UpdateSite(ctx, store.Site{Name: "Lab", Currency: "USD", TimeZone: "UTC", Lang: "zh"}); err != nil {
				t.Fatal(err)
			}
			other := "en"
			for _, choice := range []*string{&other, &test.choice} { // a choice can be taken back
				if p, err := s.UpdatePerson(ctx, seed.Admin.ID, store.PersonChange{Lang: choice}); err != nil || p.Lang != *choice {
					t.Fatalf("chose %q: %q, %v", *choice, p.Lang, err)
				}
			}
			newBudget(t, s, store.NewBudget{TeamID: seed.Team.ID, LimitMicros: 1_000_000})
			storetest.Price(t, s, "a100-sxm4-80gb-x1", 1_000_000)
			running(t, s, rent(t, s, seed, store.RentRequest{GPUCount: 1}), clock.Now())
			clock.Advance(50 * time.Minute)
			checked(t, s, 2)
			if m := mails(t, s, "budget_threshold"); len(m) != 1 || m[0].Lang != test.want {
				t.Errorf("mail: %+v, want it in %q", m, test.want)
			}
		})
	}
}
