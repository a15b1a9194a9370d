package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/term"
)

// TermList is a version of the discounts by a reservation's length.
type TermList struct {
	Version         int64       // 0: the product's own
	Steps           []term.Step // in ascending order
	StartsAt, SetAt time.Time
	By              string // who set it, "" for the command line
}

// maxSteps bounds a list of terms.
const maxSteps = 20

// SetTerms adds a version of the discounts by length, from starts on (now, if that is past). What is reserved keeps its own.
// A list without any discount has one step of 0 ppm: an empty one is taken for a mistake. The same request again changes
// nothing. seen is the newest version that the person saw, nil for none: Conflict if there is a newer one, which theirs would
// undo.
func (s *Store) SetTerms(ctx context.Context, personID string, steps []term.Step, starts time.Time, seen *int64, request Request) error {
	switch {
	case len(steps) == 0:
		return invalid("terms", "terms_none")
	case len(steps) > maxSteps:
		return invalid("terms", "terms_too_many")
	}
	if err := term.Validate(steps); err != nil {
		return termError(err)
	}
	return s.pricing(ctx, personID, request, func(t *tx) error {
		version, err := t.number("SELECT 1 + coalesce(max(version), 0) FROM term_list")
		if err != nil {
			return err
		}
		if seen != nil && *seen != version-1 {
			return &Error{Kind: Conflict, Field: "terms", Message: "terms_changed"}
		}
		for _, step := range steps {
			if _, err := t.exec("INSERT INTO term_step (version, months, days, discount_ppm) VALUES (?, ?, ?, ?)", version, step.From.Months, step.From.Days, step.DiscountPPM); err != nil {
				return err
			}
		}
		if _, err := t.exec("INSERT INTO term_list (version, starts_at, set_at, person_id) VALUES (?, ?, ?, ?)",
			version, micros(later(starts, t.now)), micros(t.now), nullIfEmpty(personID)); err != nil {
			return err
		}
		t.emit("price", "")
		return t.audit(AuditRecord{PersonID: personID, Action: "terms_set", Target: fmt.Sprint(version)})
	})
}

// termError says in the store's words why a list of terms is refused.
func termError(err error) error {
	key := Key("terms_wrong")
	switch {
	case errors.Is(err, term.ErrDiscount):
		key = "discount_out_of_range"
	case errors.Is(err, term.ErrLength):
		key = "term_length_wrong"
	case errors.Is(err, term.ErrOrder):
		key = "terms_not_ascending"
	case errors.Is(err, term.ErrLess):
		key = "terms_descending"
	}
	return &Error{Kind: Invalid, Field: "terms", Message: key, Err: err}
}

// Terms returns the discounts by length that hold now.
func (s *Store) Terms(ctx context.Context) (steps []term.Step, err error) {
	err = s.read(ctx, func(t *tx) error {
		steps, err = t.terms()
		return err
	})
	return steps, err
}

func (t *tx) terms() ([]term.Step, error) {
	version, err := t.number("SELECT coalesce((SELECT version FROM term_list WHERE starts_at <= ? ORDER BY starts_at DESC, version DESC LIMIT 1), 0)", micros(t.now))
	if err != nil || version == 0 {
		return term.Default(), err
	}
	return t.steps(version)
}

func (t *tx) steps(version int64) ([]term.Step, error) {
	return list(t, func(r scanner) (term.Step, error) {
		var s term.Step
		err := r.Scan(&s.From.Months, &s.From.Days, &s.DiscountPPM)
		return s, err
	}, "SELECT months, days, discount_ppm FROM term_step WHERE version = ? ORDER BY months * 30 + days", version)
}

// TermLists returns every version, the newest first; the product's own is the last.
func (s *Store) TermLists(ctx context.Context) (all []TermList, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, func(r scanner) (TermList, error) {
			var l TermList
			var starts, set int64
			err := r.Scan(&l.Version, &starts, &set, &l.By)
			l.StartsAt, l.SetAt = fromMicros(starts), fromMicros(set)
			return l, err
		}, "SELECT l.version, l.starts_at, l.set_at, coalesce(p.name, '') FROM term_list l LEFT JOIN person p ON p.id = l.person_id ORDER BY l.version DESC")
		if err != nil {
			return err
		}
		for k := range all {
			if all[k].Steps, err = t.steps(all[k].Version); err != nil {
				return err
			}
		}
		return nil
	})
	return append(all, TermList{Steps: term.Default()}), err
}
