package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/term"
)

// PriceChange is a price as it might become.
type PriceChange struct {
	PlanID        string
	Kind          InstanceKind // OnDemand; what is rented as spot follows it
	MicrosPerHour int64
	Seen          *int64 // the newest version that the person saw, nil for none: Conflict if there is a newer one, which theirs would undo
}

// TrialRow is what a team's use of a plan cost, and what it would have cost under other prices.
type TrialRow struct {
	TeamID, TeamName string
	PlanID           string
	Kind             InstanceKind
	GPUSeconds       int64
	WasMicros        int64
	WouldBeMicros    int64
}

// TryPrices folds the use in [from, to) again with other prices, so that a change can be judged before it is published: each
// team with the discount that it had, and spot at its share of the price on demand. What no change names costs what it did;
// reservations keep what was agreed.
func (s *Store) TryPrices(ctx context.Context, from, to time.Time, changes []PriceChange) (rows []TrialRow, err error) {
	for _, c := range changes {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	err = s.read(ctx, func(t *tx) error {
		rows, err = t.tryPrices(from, to, changes)
		return err
	})
	return rows, err
}

func (t *tx) tryPrices(from, to time.Time, changes []PriceChange) ([]TrialRow, error) {
	all, err := list(t, scanInstance, instanceQuery+"WHERE i.started_at <= ? AND (i.ended_at IS NULL OR i.ended_at >= ?) AND i.reservation_id IS NULL ORDER BY +i.seq", micros(to), micros(from))
	if err != nil {
		return nil, err
	}
	type key struct {
		team, plan string
		kind       InstanceKind
	}
	sums := map[key]*TrialRow{}
	err = t.eachWithSegments(all, func(i *Instance, segments []meter.Segment) error {
		part := func(g []meter.Segment) int64 {
			return meter.Cost(g, i.terms(), to, t.now) - meter.Cost(g, i.terms(), from, t.now)
		}
		at := key{i.TeamID, i.PlanID, i.Kind}
		if sums[at] == nil {
			sums[at] = &TrialRow{TeamID: i.TeamID, TeamName: i.TeamName, PlanID: i.PlanID, Kind: i.Kind}
		}
		row := sums[at]
		row.GPUSeconds += int64(meter.Used(segments, from, to, t.now)/time.Second) * int64(i.GPUCount)
		row.WasMicros += part(segments)
		row.WouldBeMicros += part(repriced(segments, i, changes))
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := make([]TrialRow, 0, len(sums))
	for _, row := range sums {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b TrialRow) int {
		return cmp.Or(cmp.Compare(a.TeamName, b.TeamName), cmp.Compare(a.TeamID, b.TeamID), cmp.Compare(a.PlanID, b.PlanID), cmp.Compare(a.Kind, b.Kind))
	})
	return rows, nil
}

// repriced returns an instance's segments at the rate that a change gives its plan.
func repriced(segments []meter.Segment, i *Instance, changes []PriceChange) []meter.Segment {
	k := slices.IndexFunc(changes, func(c PriceChange) bool { return c.PlanID == i.PlanID })
	if k < 0 || i.Kind == Reserved {
		return segments
	}
	rate := term.Rate(changes[k].MicrosPerHour, i.DiscountPPM)
	if i.Kind == Spot && i.ListMicrosPerHour > 0 {
		rate = money.Product(i.RateMicrosPerHour, changes[k].MicrosPerHour).Over(i.ListMicrosPerHour)
	}
	changed := slices.Clone(segments)
	for g := range changed {
		changed[g].RateMicrosPerHour = rate
	}
	return changed
}
