package store

import (
	"context"
	"strconv"
)

// The kinds of entries that are made by hand.
const (
	EntryCorrection = "correction" // puts an amount right, either way
	EntryCredit     = "credit"     // lets a team off an amount
)

// noteMax is how long the reason of a correction may be, in characters.
const noteMax = 300

// Correction is an entry by hand: it names the entry that it puts right, and why.
type Correction struct {
	CorrectsID   int64
	Kind         string // EntryCorrection or EntryCredit
	AmountMicros int64  // what the team owes more; below zero less, as a credit must
	Note         string
	Request      Request // the same again returns the entry of the first time
}

// Correct books a correction by an admin, for the day, the team and the person of the entry that it names. It stands on the
// team's next invoice, with its reason; invoices that were issued stay as they are, and so do budgets that fired.
func (s *Store) Correct(ctx context.Context, personID string, c Correction) (e Entry, err error) {
	if c.Note, err = cleanText("note", c.Note, 1, noteMax); err != nil {
		return e, err
	}
	switch {
	case c.Kind != EntryCorrection && c.Kind != EntryCredit:
		return e, invalid("kind", "correction_kind_unknown")
	case c.AmountMicros == 0 || c.AmountMicros > PriceMax || c.AmountMicros < -PriceMax:
		return e, invalid("amount_micros", "out_of_range")
	case c.Kind == EntryCredit && c.AmountMicros > 0:
		return e, invalid("amount_micros", "credit_not_negative")
	}
	err = s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(personID); err != nil {
			return err
		}
		id, _, err := t.once(personID, c.Request, func() (string, error) { return t.correct(personID, c) })
		if err != nil {
			return err
		}
		number, err := strconv.ParseInt(id, 10, 64)
		if err == nil {
			e, err = t.getEntry(number)
		}
		return err
	})
	return e, err
}

// needAdmin refuses whoever does not run the site.
func (t *tx) needAdmin(personID string) error {
	p, err := t.activePerson(personID)
	if err == nil && !p.Admin {
		err = &Error{Kind: Forbidden, Message: "forbidden"}
	}
	return err
}

func (t *tx) correct(personID string, c Correction) (id string, err error) {
	of, err := t.getEntry(c.CorrectsID)
	if err != nil {
		return "", err
	}
	before := len(of.CorrectedBy)
	b := &billed{instanceID: of.InstanceID, reservationID: of.ReservationID, volumeID: of.VolumeID, teamID: of.TeamID, personID: of.PersonID, item: of.Item, gpuModel: of.GPUModel}
	key := "correction:" + strconv.FormatInt(of.ID, 10) + ":" + strconv.Itoa(before+1)
	if err := t.entry(newEntry{billed: b, key: key, kind: c.Kind, from: of.From, to: of.To, day: of.Day, amount: c.AmountMicros, corrects: of.ID, note: c.Note}); err != nil {
		return "", err
	}
	n, err := t.number("SELECT max(id) FROM entry")
	if err != nil {
		return "", err
	}
	id = strconv.FormatInt(n, 10)
	return id, t.audit(AuditRecord{PersonID: personID, Action: "entry_corrected", Target: strconv.FormatInt(of.ID, 10), Detail: id + ": " + c.Note})
}
