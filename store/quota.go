package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/store/quota"
)

// QuotaKind is what a quota limits; store/quota has the kinds and their units.
type QuotaKind = quota.Kind

// QuotaWeek is hours of the week.
type QuotaWeek = quota.Week

// QuotaKinds are all kinds in the order in which they are shown.
var QuotaKinds = []QuotaKind{quota.GPUs, quota.Instances, quota.Rate, quota.Term, quota.SpotOnly, quota.Hours}

// Quota is a limit for a team or one of its members.
type Quota struct {
	ID                   string
	TeamID, TeamName     string
	PersonID, PersonName string // "": the whole team together
	PoolID, GPUModel     string // "": all pools, and CPU-only work
	Kind                 QuotaKind
	Limit                int64     // in the kind's unit; of those without a limit 0
	Hours                QuotaWeek // of quota.Hours: when on demand is allowed
	SetAt                time.Time
	SetBy                string       // name; "" for the console itself
	Used                 int64        // now, in the kind's unit; 0 for those that limit no sum
	Grants               []QuotaGrant // that hold now, those that end first before the others
}

// QuotaGrant raises a quota for a time.
type QuotaGrant struct {
	ID      int64
	QuotaID string
	Limit   int64 // in the kind's unit; of those without a limit 0: the rule is lifted
	Until   time.Time
	For, By string // names: who asked, who granted
}

// LimitNow is the limit with the grants that hold; lifted says that there is none as long as they do.
func (q *Quota) LimitNow() (limit int64, lifted bool) {
	limit = q.Limit
	for _, g := range q.Grants {
		limit = max(limit, g.Limit)
	}
	return limit, q.Kind.Lifts() && len(q.Grants) > 0
}

const quotaQuery = `SELECT q.id, q.team_id, t.name, coalesce(q.person_id, ''), coalesce(p.name, ''), coalesce(q.pool_id, ''), coalesce(o.model, ''), q.kind, q.limit_value, q.hours,
	q.set_at, coalesce(b.name, '') FROM quota q JOIN team t ON t.id = q.team_id LEFT JOIN person p ON p.id = q.person_id LEFT JOIN pool o ON o.id = q.pool_id
	LEFT JOIN person b ON b.id = q.set_by `

func scanQuota(r scanner) (Quota, error) {
	var q Quota
	var hours string
	var set int64
	if err := r.Scan(&q.ID, &q.TeamID, &q.TeamName, &q.PersonID, &q.PersonName, &q.PoolID, &q.GPUModel, &q.Kind, &q.Limit, &hours, &set, &q.SetBy); err != nil {
		return q, err
	}
	q.SetAt = fromMicros(set)
	var days []uint32
	if err := json.Unmarshal([]byte(hours), &days); err != nil {
		return q, err
	}
	copy(q.Hours[:], days)
	return q, nil
}

// rule is what the rules of quotas see of it.
func (q *Quota) rule() quota.Rule {
	return quota.Rule{ID: q.ID, Scope: quota.Scope{Team: q.TeamID, Member: q.PersonID, Pool: q.PoolID}, Kind: q.Kind, Limit: q.Limit, Hours: q.Hours}
}

// Quotas returns the quotas of a team, or with "" all, with what is used of them: the team's before its members'.
func (s *Store) Quotas(ctx context.Context, teamID string) (all []Quota, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = t.quotas("WHERE q.ended_at IS NULL AND (?1 = '' OR q.team_id = ?1)", teamID)
		return err
	})
	return all, err
}

// Quota returns one quota that holds.
func (s *Store) Quota(ctx context.Context, id string) (q Quota, err error) {
	err = s.read(ctx, func(t *tx) error {
		q, err = t.quota(id)
		return err
	})
	return q, err
}

func (t *tx) quota(id string) (Quota, error) {
	return t.quotaWhere("WHERE q.ended_at IS NULL AND q.id = ?", id)
}

// quotaEver is quota for one that may be taken away.
func (t *tx) quotaEver(id string) (Quota, error) { return t.quotaWhere("WHERE q.id = ?", id) }

func (t *tx) quotaWhere(where, id string) (Quota, error) {
	all, err := t.quotas(where, id)
	if err == nil && len(all) == 0 {
		err = notFound("quota", id)
	}
	if err != nil {
		return Quota{}, err
	}
	return all[0], nil
}

// quotas runs a query and fills in what is used and granted.
func (t *tx) quotas(where string, args ...any) ([]Quota, error) {
	all, err := list(t, scanQuota, quotaQuery+where+" ORDER BY t.name_key, p.name_key, q.pool_id, q.kind", args...)
	if err != nil {
		return nil, err
	}
	held := map[string][]quota.Held{}
	for k := range all {
		q := &all[k]
		if q.Grants, err = t.quotaGrants(q.ID); err != nil {
			return nil, err
		}
		if _, known := held[q.TeamID]; !known {
			spans, err := t.heldBy(q.TeamID)
			if err != nil {
				return nil, err
			}
			held[q.TeamID] = heldAt(spans, t.now, "")
		}
		rule := q.rule()
		q.Used = rule.Used(held[q.TeamID])
	}
	return all, nil
}

// quotaGrants returns the grants of a quota that hold now or later.
func (t *tx) quotaGrants(id string) ([]QuotaGrant, error) {
	return list(t, func(r scanner) (QuotaGrant, error) {
		var g QuotaGrant
		var until int64
		var by, asked sql.NullString
		err := r.Scan(&g.ID, &g.QuotaID, &g.Limit, &until, &asked, &by)
		g.Until, g.For, g.By = fromMicros(until), asked.String, by.String
		return g, err
	}, `SELECT g.seq, g.quota_id, g.limit_value, g.until_at, a.name, b.name FROM quota_grant g LEFT JOIN quota_request r ON r.id = g.request_id
		LEFT JOIN person a ON a.id = r.person_id LEFT JOIN person b ON b.id = g.granted_by
		WHERE g.quota_id = ? AND g.until_at > ? AND g.ended_at IS NULL ORDER BY g.until_at, g.seq`, id, micros(t.now))
}

// heldSpan is what a team holds from a moment until another; open ends are nil.
type heldSpan struct {
	quota.Held
	id       string
	from, to *time.Time
}

// heldBy returns all that a team holds or has reserved: instances that run, are about to or give their GPUs back, those to
// whom GPUs are promised, and reservations that are not over. An instance in a reservation uses what the reservation counts.
func (t *tx) heldBy(teamID string) ([]heldSpan, error) {
	spans, err := list(t, func(r scanner) (heldSpan, error) {
		var h heldSpan
		var count int64
		var to *int64
		err := r.Scan(&h.id, &h.Member, &h.Pool, &count, &h.RateMicrosPerHour, &to)
		h.Team, h.Milli = teamID, 1000*count
		if to != nil {
			at := fromMicros(*to)
			h.to = &at
		}
		return h, err
	}, `SELECT i.id, i.person_id, coalesce(i.pool_id, ''), CASE WHEN i.reservation_id IS NULL THEN i.gpu_count ELSE 0 END,
		CASE WHEN i.reservation_id IS NULL THEN i.rate ELSE 0 END, coalesce(i.ended_at, i.ends_at) FROM instance i
		WHERE i.team_id = ? AND (i.state NOT IN ('queued', 'stopped', 'failed') OR i.state = 'queued' AND EXISTS (SELECT 1 FROM promise WHERE instance_id = i.id))`, teamID)
	if err != nil {
		return nil, err
	}
	for k := range spans { // what is late still holds what it has
		if to := spans[k].to; to != nil && !to.After(t.now) {
			at := t.now.Add(time.Microsecond)
			spans[k].to = &at
		}
	}
	err = t.each(func(r scanner) error {
		h := heldSpan{Held: quota.Held{Team: teamID, Reserved: true}}
		var count, from, to int64
		if err := r.Scan(&h.id, &h.Member, &h.Pool, &count, &h.RateMicrosPerHour, &from, &to); err != nil {
			return err
		}
		h.Milli = 1000 * count
		begins, ends := fromMicros(from), fromMicros(to)
		h.from, h.to = &begins, &ends
		spans = append(spans, h)
		return nil
	}, `SELECT r.id, r.person_id, r.pool_id, r.gpu_count, coalesce((SELECT max(rate) FROM reservation_part WHERE reservation_id = r.id), 0), r.start_at, r.end_at
		FROM reservation r WHERE r.team_id = ? AND r.state = 'booked' AND r.end_at > ?`, teamID, micros(t.now))
	return spans, err
}

// heldAt is what is held at a moment, without one that is not counted.
func heldAt(spans []heldSpan, at time.Time, except string) []quota.Held {
	var held []quota.Held
	for k := range spans {
		h := &spans[k]
		if h.id != except && (h.from == nil || !h.from.After(at)) && (h.to == nil || h.to.After(at)) {
			held = append(held, h.Held)
		}
	}
	return held
}
