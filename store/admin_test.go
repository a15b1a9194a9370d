package store_test

import (
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestWhatIsTheSitesOnlyAnAdminChanges(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for what, change := range map[string]func(by string) error{
		"a price": func(by string) error {
			return s.SetPrices(ctx, by, []store.PriceChange{{PlanID: store.CPUPlan, Kind: store.OnDemand, MicrosPerHour: 1}}, s.Now(), store.Request{})
		},
		"spot's minimum": func(by string) error { return s.SetSpotMinimum(ctx, "a100-sxm4-80gb", 200_000, by) },
		"a mail again":   func(by string) error { return s.RetryMail(ctx, by, 1) },
		"a mail dropped": func(by string) error { return s.DropMail(ctx, by, 1) },
	} {
		if err := change(seed.Member.ID); store.KindOf(err) != store.Forbidden {
			t.Errorf("%s by a member: %v", what, err)
		}
		if err := change(seed.Admin.ID); store.KindOf(err) == store.Forbidden {
			t.Errorf("%s by an admin: %v", what, err)
		}
	}
}
