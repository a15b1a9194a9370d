package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/quota"
)

// quotaLetsRent refuses what a quota is in the way of. What is asked to wait if need be waits instead where the rule lets it
// in sooner or later: then it has no place.
func (t *tx) quotaLetsRent(r *RentRequest, c *priced, where *place) (*place, error) {
	a := quotaAsk{teamID: r.TeamID, personID: r.PersonID, poolID: c.plan.poolID, gpuCount: c.plan.GPUCount, rate: c.rate, spot: r.Kind == Spot, from: t.now}
	if a = a.lasting(r.Duration); r.Duration == nil && where != nil {
		a.to = where.end
	}
	if r.Kind == Reserved {
		a.only, a.gpuCount = quotaOfClaim, 0
	}
	found, at, err := t.quotaInTheWay(a)
	if err != nil || found == nil {
		return where, err
	}
	if r.Queue && r.Kind != Reserved && quotaPasses(found) {
		c.place, c.reclaim = nil, nil
		return nil, nil
	}
	return nil, t.quotaRefusal(&a, found, at)
}

// QuotaRefuses returns what Rent would answer because of quotas, nil if they let it, or if it asks for what is not there.
func (s *Store) QuotaRefuses(ctx context.Context, r RentRequest) error {
	r, err := cleanRequest(r)
	if err != nil || r.Kind == Reserved {
		return nil //nolint:nilerr // the form says what is wrong with it
	}
	return s.read(ctx, func(t *tx) error {
		if r.TeamID == "" {
			p, err := t.person(r.PersonID)
			if err != nil {
				return err
			}
			r.TeamID = p.TeamID
		}
		plans, err := t.findPlan(r)
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		offer, found, err := t.pricedFor(plans[0], r.Kind, r.TeamID)
		if err != nil || !found {
			return err
		}
		_, err = t.quotaLetsRent(&r, &offer, nil)
		return err
	})
}

// quotaPasses reports whether what is refused would be let in once less is used, or in other hours.
func quotaPasses(found *quota.Refusal) bool {
	switch found.Rule.Kind {
	case quota.GPUs, quota.Instances, quota.Rate:
		return found.Would-found.Used <= found.Limit
	case quota.Hours:
		return found.Allowed != nil
	}
	return false
}

// asks is what an instance that waits would hold if it started now.
func (i *Instance) asks(now time.Time) quotaAsk {
	a := quotaAsk{teamID: i.TeamID, personID: i.PersonID, poolID: i.poolID, gpuCount: i.GPUCount, rate: i.RateMicrosPerHour, spot: i.Kind == Spot, from: now}
	if i.Kind == Reserved {
		a.only, a.gpuCount = quotaOfClaim, 0
	}
	return a.lasting(i.term())
}

// lasting is the same for so long, nil for until it is stopped.
func (a quotaAsk) lasting(term *time.Duration) quotaAsk {
	if a.term = term; term != nil {
		to := a.from.Add(*term)
		a.to = &to
	}
	return a
}

// length is how long it is asked for, 0 for until it is stopped.
func (a *quotaAsk) length() time.Duration {
	if a.term == nil {
		return 0
	}
	return *a.term
}

// quotasAllowLonger refuses to let something go on until a later end, nil for none, where a rule limits its whole term, or
// what is held at once from its end on. What gets shorter needs no leave.
func (t *tx) quotasAllowLonger(a quotaAsk, began time.Time, ends, until *time.Time) error {
	if ends == nil || until != nil && !until.After(*ends) {
		return nil
	}
	a.from, a.only, a.term = t.now, []quota.Kind{quota.Term}, nil
	if until != nil {
		term := until.Sub(began)
		a.term = &term
	}
	if err := t.quotasAllow(a); err != nil {
		return err
	}
	a.from, a.to, a.only = *ends, until, quotaOfSums
	return t.quotasAllow(a)
}
