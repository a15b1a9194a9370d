package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/term"
)

// Discount is a rule by which a team pays less on demand and for what it reserves: everywhere, or in one pool; or everybody
// does in a pool. Rules are never changed: of the same rule the last that has begun holds, of several the most specific one.
// Spot has its own price.
type Discount struct {
	ID               int64  // a later version of any rule has a higher one
	TeamID, TeamName string // "": every team
	PoolID           string // "": every pool, and CPU-only work
	PPM              *int64 // parts per million; nil: the rule ends
	StartsAt, SetAt  time.Time
	By               string // who set it, "" for the command line
}

// SetDiscount adds a rule, or another version of one, from its StartsAt on (now, if that is past). What runs and what is
// reserved keep what was agreed. The same request again changes nothing. seen is the newest version of any rule that the person
// saw, nil for none: Conflict if this rule has a newer one, which theirs would undo.
func (s *Store) SetDiscount(ctx context.Context, personID string, d Discount, seen *int64, request Request) error {
	if d.PPM != nil && (*d.PPM < 0 || *d.PPM > term.MostDiscount) {
		return invalid("discount", "discount_out_of_range")
	}
	if d.TeamID == "" && d.PoolID == "" {
		return invalid("team", "discount_of_nothing")
	}
	return s.pricing(ctx, personID, request, func(t *tx) error {
		if d.TeamID != "" {
			if err := t.row("SELECT name FROM team WHERE id = ?", d.TeamID).Scan(&d.TeamName); err != nil {
				return orNotFound(err, "team", d.TeamID)
			}
		}
		if d.PoolID != "" {
			var model string
			if err := t.row("SELECT model FROM pool WHERE id = ?", d.PoolID).Scan(&model); err != nil {
				return orNotFound(err, "pool", d.PoolID)
			}
		}
		newest, err := t.number("SELECT coalesce(max(id), 0) FROM discount WHERE team_id IS ? AND pool_id IS ?", nullIfEmpty(d.TeamID), nullIfEmpty(d.PoolID))
		if err != nil {
			return err
		}
		if seen != nil && *seen < newest {
			return &Error{Kind: Conflict, Field: "team", Message: "discount_changed"}
		}
		detail := "ends"
		if d.PPM != nil {
			detail = fmt.Sprintf("%d ppm", *d.PPM)
		}
		if _, err := t.exec("INSERT INTO discount (team_id, pool_id, discount_ppm, starts_at, set_at, person_id) VALUES (?, ?, ?, ?, ?, ?)",
			nullIfEmpty(d.TeamID), nullIfEmpty(d.PoolID), d.PPM, micros(later(d.StartsAt, t.now)), micros(t.now), nullIfEmpty(personID)); err != nil {
			return err
		}
		t.emit("price", d.PoolID)
		return t.audit(AuditRecord{PersonID: personID, Action: "discount_set", Target: d.TeamName + " " + d.PoolID, Detail: detail})
	})
}

// Discounts returns every version of every rule, the newest first.
func (s *Store) Discounts(ctx context.Context) (all []Discount, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, func(r scanner) (Discount, error) {
			var d Discount
			var starts, set int64
			err := r.Scan(&d.ID, &d.TeamID, &d.TeamName, &d.PoolID, &d.PPM, &starts, &set, &d.By)
			d.StartsAt, d.SetAt = fromMicros(starts), fromMicros(set)
			return d, err
		}, `SELECT d.id, coalesce(d.team_id, ''), coalesce(t.name, ''), coalesce(d.pool_id, ''), d.discount_ppm, d.starts_at, d.set_at, coalesce(p.name, '')
			FROM discount d LEFT JOIN team t ON t.id = d.team_id LEFT JOIN person p ON p.id = d.person_id ORDER BY d.id DESC`)
		return err
	})
	return all, err
}

// DiscountOf returns what a team pays less now for a plan, in parts per million.
func (s *Store) DiscountOf(ctx context.Context, teamID string, p Plan) (ppm int64, err error) {
	err = s.read(ctx, func(t *tx) error {
		ppm, err = t.discount(teamID, p.poolID)
		return err
	})
	return ppm, err
}

// discount returns what a team pays less in a pool ("" for CPU-only work), in parts per million.
func (t *tx) discount(teamID, poolID string) (ppm int64, err error) {
	err = t.row(`SELECT discount_ppm FROM (SELECT team_id, pool_id, discount_ppm, row_number() OVER (PARTITION BY team_id, pool_id ORDER BY starts_at DESC, id DESC) AS version
		FROM discount WHERE starts_at <= ? AND (team_id IS NULL OR team_id = ?) AND (pool_id IS NULL OR pool_id = ?))
		WHERE version = 1 AND discount_ppm IS NOT NULL ORDER BY team_id IS NULL, pool_id IS NULL LIMIT 1`, micros(t.now), teamID, poolID).Scan(&ppm)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return ppm, err
}

// discounted takes off what a team pays less.
func (t *tx) discounted(o *priced, teamID string) error {
	ppm, err := t.discount(teamID, o.plan.poolID)
	if err != nil || ppm == 0 {
		return err
	}
	o.list, o.discount, o.rate = o.rate, ppm, term.Rate(o.rate, ppm)
	return nil
}
