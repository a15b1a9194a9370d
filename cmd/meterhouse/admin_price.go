package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
)

func adminPriceSet(ctx context.Context, c *call) error {
	f := c.flags()
	kind := f.String("kind", string(store.OnDemand), "on_demand or reserved; that of spot follows from the one on demand")
	starts := f.String("starts", "", "when it begins to hold, RFC 3339; now if empty")
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	micros, err := money.Parse(args[1])
	if err != nil || micros < 0 || micros > store.PriceMax {
		return misuse("the amount %q is a plain number an hour, such as 2.50, up to a million", args[1])
	}
	var from time.Time
	if *starts != "" {
		if from, err = time.Parse(time.RFC3339, *starts); err != nil {
			return misuse("--starts %q is no time such as 2026-01-31T00:00:00Z", *starts)
		}
	}
	return withData(ctx, *data, func(s *store.Store) error {
		if from.IsZero() {
			from = s.Now()
		}
		plans, err := s.Plans(ctx)
		if err != nil {
			return err
		}
		changes, err := pricesOf(plans, args[0], store.InstanceKind(*kind), micros)
		if err != nil {
			return err
		}
		if err := s.SetPrices(ctx, "", changes, from, store.Request{}); err != nil {
			return err
		}
		for _, p := range changes {
			if _, err := fmt.Fprintf(c.out, "%s is %s an hour (%s)\n", p.PlanID, money.Format(p.MicrosPerHour), *kind); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(c.out, "This holds for what is rented from %s on; what runs keeps its price\n", from.Format(time.RFC3339))
		return err
	})
}

// pricesOf finds what to change: one plan, or by a GPU model each plan of it, at the amount for each of its GPUs.
func pricesOf(plans []store.Plan, name string, kind store.InstanceKind, micros int64) (changes []store.PriceChange, err error) {
	var ids, models []string
	for _, p := range plans {
		if p.ID == name {
			return []store.PriceChange{{PlanID: p.ID, Kind: kind, MicrosPerHour: micros}}, nil
		}
		if p.GPUCount > 0 && strings.EqualFold(p.GPUModel, name) {
			changes = append(changes, store.PriceChange{PlanID: p.ID, Kind: kind, MicrosPerHour: micros * int64(p.GPUCount)})
		}
		ids = append(ids, p.ID)
		if p.GPUCount > 0 && !slices.Contains(models, p.GPUModel) {
			models = append(models, p.GPUModel)
		}
	}
	if len(changes) == 0 && len(models) == 0 {
		return nil, &store.Error{Kind: store.NotFound, Message: "plan_not_found", Args: map[string]string{"id": name, "plans": strings.Join(ids, ", ")}}
	}
	if len(changes) == 0 {
		return nil, &store.Error{Kind: store.NotFound, Message: "plan_or_model_not_found", Args: map[string]string{"id": name, "plans": strings.Join(ids, ", "), "models": strings.Join(models, ", ")}}
	}
	return changes, nil
}
