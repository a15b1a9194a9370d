package store

import (
	"context"
	"time"
)

// PlanPrice is a plan with the versions of its price on demand.
type PlanPrice struct {
	Plan     Plan
	PoolID   string         // "": CPU-only work
	Versions []PriceVersion // the newest first
}

// PriceVersion is a price an hour from a moment on, until the next one's begins.
type PriceVersion struct {
	Version       int64
	MicrosPerHour int64
	StartsAt      time.Time
	By            string // who set it, "" for the command line and for the first one
}

// Holds returns the version that holds at a moment, as renting takes it; false before the first one.
func (p PlanPrice) Holds(at time.Time) (holds PriceVersion, ok bool) {
	for _, v := range p.Versions {
		if !v.StartsAt.After(at) && (!ok || v.StartsAt.After(holds.StartsAt)) {
			holds, ok = v, true
		}
	}
	return holds, ok
}

// Newest is the last version that was set, whenever it starts; 0 for none.
func (p PlanPrice) Newest() int64 {
	if len(p.Versions) == 0 {
		return 0
	}
	return p.Versions[0].Version
}

// Prices returns the price list, in the order of Plans.
func (s *Store) Prices(ctx context.Context) (all []PlanPrice, err error) {
	err = s.read(ctx, func(t *tx) error {
		plans, err := t.plans()
		if err != nil {
			return err
		}
		for _, p := range plans {
			versions, err := list(t, func(r scanner) (PriceVersion, error) {
				var v PriceVersion
				var starts int64
				err := r.Scan(&v.Version, &v.MicrosPerHour, &starts, &v.By)
				v.StartsAt = fromMicros(starts)
				return v, err
			}, `SELECT r.version, r.micros_per_hour, r.starts_at, coalesce(p.name, '') FROM price r LEFT JOIN person p ON p.id = r.person_id
				WHERE r.plan_id = ? AND r.kind = 'on_demand' ORDER BY r.version DESC`, p.ID)
			if err != nil {
				return err
			}
			all = append(all, PlanPrice{Plan: p, PoolID: p.poolID, Versions: versions})
		}
		return nil
	})
	return all, err
}
