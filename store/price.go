package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store/money"
)

// PriceMax bounds a rate, in micro-units an hour: a million of the currency. The database holds it too.
const PriceMax = 1_000_000_000_000

// SetPrices adds a new version of each price, all of them or none, from starts on (now, if that is past). What runs keeps its
// locked rate. That of spot follows from the one on demand: see SetSpotMinimum. The same request again changes nothing.
func (s *Store) SetPrices(ctx context.Context, by string, changes []PriceChange, starts time.Time, request Request) error {
	for _, c := range changes {
		if err := c.check(); err != nil {
			return err
		}
	}
	return s.pricing(ctx, by, request, func(t *tx) error {
		if len(changes) == 0 {
			return &Error{Kind: Invalid, Message: "prices_unchanged"}
		}
		for _, c := range changes {
			if err := t.setPrice(c, starts, by); err != nil {
				return err
			}
		}
		return nil
	})
}

// pricing changes what things cost, once for a request. It refuses whoever does not run the site; "" is the command line on
// the site's own machine.
func (s *Store) pricing(ctx context.Context, personID string, r Request, change func(*tx) error) error {
	return s.write(ctx, func(t *tx) error {
		if personID != "" {
			if err := t.needAdmin(personID); err != nil {
				return err
			}
		}
		_, _, err := t.once(personID, r, func() (string, error) { return "", change(t) })
		return err
	})
}

func (c PriceChange) check() error {
	switch {
	case c.MicrosPerHour < 0 || c.MicrosPerHour > PriceMax:
		return invalid("price", "out_of_range")
	case c.Kind == Spot:
		return invalid("kind", "spot_price_moves")
	case c.Kind != OnDemand && c.Kind != Reserved:
		return invalid("kind", "kind_unknown")
	}
	return nil
}

func (t *tx) setPrice(c PriceChange, starts time.Time, by string) error {
	if _, err := scanPlan(t.row(planQuery+"WHERE l.id = ?", c.PlanID)); err != nil {
		return orNotFound(err, "plan", c.PlanID)
	}
	newest, err := t.number("SELECT coalesce(max(version), 0) FROM price WHERE plan_id = ? AND kind = ?", c.PlanID, string(c.Kind))
	if err != nil {
		return err
	}
	if c.Seen != nil && *c.Seen != newest {
		return &Error{Kind: Conflict, Field: "price", Message: "price_changed_since", Args: map[string]string{"plan": c.PlanID}}
	}
	if _, err := t.exec(`INSERT INTO price (plan_id, kind, version, micros_per_hour, starts_at, person_id)
		VALUES (?, ?, ?, ?, ?, ?)`,
		c.PlanID, string(c.Kind), newest+1, c.MicrosPerHour, micros(later(starts, t.now)), nullIfEmpty(by)); err != nil {
		return err
	}
	t.emit("price", c.PlanID)
	return t.audit(AuditRecord{PersonID: by, Action: "price_set", Target: c.PlanID, Detail: money.Format(c.MicrosPerHour) + " from " + later(starts, t.now).Format(time.RFC3339)})
}

// price returns the price that holds now; ok is false where the plan is not offered as that kind.
func (t *tx) price(planID string, kind InstanceKind) (micros int64, ok bool, err error) {
	err = t.row("SELECT micros_per_hour FROM price WHERE plan_id = ? AND kind = ? AND starts_at <= ? ORDER BY starts_at DESC, version DESC LIMIT 1",
		planID, string(kind), t.now.UnixMicro()).Scan(&micros)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return micros, err == nil, err
}

// simulatedPrice is what a simulated GPU costs an hour, whatever it plays.
const simulatedPrice = 100_000

// defaultPrices are what a GPU costs an hour until an admin says otherwise: the first word that the model contains.
var defaultPrices = []struct {
	model  string
	micros int64
}{
	{"A100-SXM4-80GB", 2_500_000},
	{"A100", 2_000_000},
	{"H100", 4_000_000},
	{"H200", 4_500_000},
	{"L40S", 1_500_000},
	{"L4", 800_000},
	{"T4", 350_000},
	{"V100", 1_200_000},
	{"A10", 1_000_000},
	{"RTX 4090", 600_000},
}

const otherPrice = 1_000_000

func defaultPrice(model string, simulated bool) int64 {
	if simulated {
		return simulatedPrice
	}
	for _, p := range defaultPrices {
		if containsWord(model, p.model) {
			return p.micros
		}
	}
	return otherPrice
}

// containsWord reports whether word stands in model with no letter or digit right after it ("L4" is not in "L40"), except
// that "A10" is also "A10G".
func containsWord(model, word string) bool {
	_, after, found := strings.Cut(model, word)
	if !found {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(after, "G"))
	return !unicode.IsLetter(next) && !unicode.IsDigit(next)
}
